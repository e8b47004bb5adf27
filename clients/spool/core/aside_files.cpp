#include "clients/spool/core/aside_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <vector>

#include "clients/spool/core/disk.h"
#include "clients/spool/core/place.h"
#include "clients/spool/core/reader.h"

namespace fastjournal::spool {
namespace {

constexpr int kTriesMax = 8;

}  // namespace

Status AsideFiles::open() {
  if (Status status = folder_.sync(); !status.ok()) return status;
  return count();
}

Status AsideFiles::count() {
  Result<std::vector<std::string>> const names = folder_.names();
  if (!names.ok()) return names.status();
  files_ = 0;
  bytes_ = 0;
  for (std::string const& name : names.value()) {
    struct stat look {};
    if (!table_of_file(name) || !folder_.look(name, look)) continue;
    ++files_;
    bytes_ += static_cast<std::uint64_t>(look.st_size);
  }
  return {};
}

Status AsideFiles::append(std::string_view table, Aside const& aside) {
  std::string name = file_of_table(table);
  for (int tries = 0; tries < kTriesMax; ++tries) {
    if (!folder_.has(name)) {
      // Files that were resent or purged make room.
      if (files_ >= kAsideFilesMax)
        if (Status status = count(); !status.ok()) return status;
      if (files_ >= kAsideFilesMax) name = file_of_table(kOtherTable);
    }
    bool again = false;
    Status status = append_to(name, aside, again);
    if (!status.ok() || !again) return status;
  }
  return Status{Code::in_use, folder_.path_of(name) + " is resent or purged again and again"}.with(
      "path", folder_.path_of(name));
}

Status AsideFiles::append_to(std::string const& name, Aside const& aside, bool& again) {
  std::string const path = folder_.path_of(name);
  Descriptor const file{folder_.open_file(name, O_RDWR | O_APPEND)};
  if (file.fd < 0 && errno != ENOENT) return failure("open of", path, errno);
  if (file.fd < 0) {
    // Only the forwarder makes such files: no other file is replaced.
    again = true;
    ++files_;
    return make_file(folder_, name, head_of_file(draw_seed()));
  }
  if (::flock(file.fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure("flock of", path, errno);
    return Status{Code::in_use, "somebody is resending or purging " + path}.with("path", path);
  }
  again = !folder_.is_name_of(name, file.fd);
  if (again) return {};
  Result<std::optional<Seed>> const seed = read_seed(file.fd, path);
  if (!seed.ok()) return seed.status();
  if (!seed.value()) {
    // Damaged, as it got its name with a whole head. For people; the rows that come now need another one.
    again = true;
    return rename_damaged(folder_, name);
  }
  std::string record;
  if (Status status = append_aside(aside, *seed.value(), record); !status.ok()) return status;
  if (bytes_ + record.size() > kAsideBytesMax)
    if (Status status = count(); !status.ok()) return status;
  if (bytes_ + record.size() > kAsideBytesMax)
    return Status{Code::over_limit, folder_.path() + " has 1 GiB of rows that were set aside: resend or purge them"}
        .with("path", folder_.path());
  bytes_ += record.size();
  return syncs_.append(file.fd, path, record, kFileHeadBytes);
}

Status AsideFiles::collect(Identities& out) {
  Result<std::vector<std::string>> const names = folder_.names();
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value()) {
    if (!table_of_file(name)) continue;
    Descriptor const file{folder_.open_file(name, O_RDWR)};
    if (file.fd < 0 && errno == ENOENT) continue;
    if (file.fd < 0) return failure("open of", folder_.path_of(name), errno);
    if (Status status = collect_aside(file.fd, folder_.path_of(name), syncs_, out); !status.ok()) return status;
  }
  return {};
}

Status collect_aside(int fd, std::string const& path, Syncs& syncs, Identities& out) {
  RecordReader reader{fd, path};
  Message row;
  for (bool is_first = true;; is_first = false) {
    Result<std::optional<RecordReader::Record>> const next = reader.next();
    if (!next.ok()) return next.status();
    if (!next.value()) return {};
    Unwrapped unwrapped;
    static_cast<void>(unwrap(next.value()->body, row, unwrapped));
    if (!unwrapped.is_aside && is_first) return {};
    // An earlier forwarder may have ended, or failed, before that.
    if (is_first)
      if (Status status = syncs.sync(fd, path, kFileHeadBytes); !status.ok()) return status;
    if (unwrapped.is_aside) out[std::string{unwrapped.aside.client}].push_back(unwrapped.aside.sequence);
  }
}

}  // namespace fastjournal::spool
