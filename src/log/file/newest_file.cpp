#include "log/file/newest_file.h"

#include "log/file/segment.h"

namespace fastjournal::log::file {

Result<std::unique_ptr<NewestFile>> NewestFile::open(env::Disk& disk, std::string const& folder, FoundNewest found,
                                                     Newest now, std::uint32_t start) {
  if (!found.is_there) {
    if (Status status = make_newest(disk, folder, now); !status.ok()) return status;
    found = {};
    found.sequence.fill(2);
  }
  std::string const path = join_path(folder, std::string{kNewestName});
  auto segments = disk.open(path, env::OpenMode::read_write);
  if (!segments.ok()) return segments.status();
  auto durable = disk.open(path, env::OpenMode::read_write);
  if (!durable.ok()) return durable.status();
  return std::unique_ptr<NewestFile>(
      new NewestFile(now, start, NewestWriter(std::move(segments).value(), 0, found),
                     std::make_shared<NewestWriter>(std::move(durable).value(), 2, found)));
}

Status NewestFile::tell_generation(std::uint64_t generation, Lsn durable) {
  if (generation <= now_.generation) return {};
  now_.generation = generation;
  return segments_.write(with(std::max(told_, durable)));
}

NewestFile::Telling NewestFile::telling(Lsn data_end, bool covers_all) {
  Telling out;
  out.durably = covers_all && data_end > told_;
  if (!out.durably && data_end <= telling_) return out;
  out.writer = durable_;
  out.what = with(data_end);
  telling_ = data_end;
  return out;
}

}  // namespace fastjournal::log::file
