#include "clients/spool/core/reader.h"

#include <unistd.h>

#include <cerrno>

#include "clients/spool/core/disk.h"

namespace fastjournal::spool {
namespace {

constexpr std::size_t kReaderBytes = std::size_t{1} << 20U;

}  // namespace

Status RecordReader::read_more() {
  bytes_.erase(0, from_);
  bytes_at_ += from_;
  from_ = 0;
  if (bytes_.empty()) {
    off_t const data = ::lseek(fd_, static_cast<off_t>(bytes_at_), SEEK_DATA);
    if (data < 0 && errno == ENXIO) {
      is_at_end_ = true;
      return {};
    }
    if (data > 0) bytes_at_ = static_cast<std::uint64_t>(data);
  }
  std::size_t const before = bytes_.size();
  if (Status status = read_at(fd_, path_, bytes_at_ + before, kReaderBytes, bytes_); !status.ok()) return status;
  is_at_end_ = bytes_.size() == before;
  return {};
}

Result<std::optional<RecordReader::Record>> RecordReader::next() {
  if (!seed_) {
    Result<std::optional<Seed>> const seed = read_seed(fd_, path_);
    if (!seed.ok()) return seed.status();
    if (!seed.value()) return std::optional<Record>{};
    seed_ = *seed.value();
    bytes_at_ = kFileHeadBytes;
  }
  for (;;) {
    Found const found = find_record(bytes_, from_, *seed_, false);
    damaged_bytes_ += found.damaged_bytes;
    from_ = found.begin;
    if (found.kind == Found::Kind::record) {
      from_ = found.end;
      return std::optional{Record{found.body, bytes_at_ + found.begin, bytes_at_ + found.end}};
    }
    if (is_at_end_) return std::optional<Record>{};
    if (Status status = read_more(); !status.ok()) return status;
  }
}

}  // namespace fastjournal::spool
