#include "spool/aside_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <vector>

#include "spool/disk.h"
#include "spool/place.h"
#include "spool/reader.h"

namespace fastjournal::spool {
namespace {

constexpr int kTriesMax = 8;

}  // namespace

AsideFiles::AsideFiles(std::string const& folder, Syncs& syncs)
    : folder_(folder + "/" + std::string{kAsideFolder}), syncs_(syncs) {}

Status AsideFiles::open() {
  if (Status status = make_folder(folder_); !status.ok()) return status;
  if (Status status = sync_folder(folder_); !status.ok()) return status;
  return count();
}

Status AsideFiles::count() {
  Result<std::vector<std::string>> const names = names_in(folder_);
  if (!names.ok()) return names.status();
  files_ = 0;
  bytes_ = 0;
  for (std::string const& name : names.value()) {
    struct stat look {};
    if (!table_of_file(name) || ::lstat((folder_ + "/" + name).c_str(), &look) != 0) continue;
    ++files_;
    bytes_ += static_cast<std::uint64_t>(look.st_size);
  }
  return {};
}

Status AsideFiles::append(std::string_view table, Aside const& aside) {
  std::string path = folder_ + "/" + file_of_table(table);
  for (int tries = 0; tries < kTriesMax; ++tries) {
    if (::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
      // Files that were resent or purged make room.
      if (files_ >= kAsideFilesMax)
        if (Status status = count(); !status.ok()) return status;
      if (files_ >= kAsideFilesMax) path = folder_ + "/" + file_of_table(kOtherTable);
    }
    bool again = false;
    Status status = append_to(path, aside, again);
    if (!status.ok() || !again) return status;
  }
  return Status{Code::in_use, path + " is resent or purged again and again"}.with("path", path);
}

Status AsideFiles::append_to(std::string const& path, Aside const& aside, bool& again) {
  Descriptor const file{::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (file.fd < 0 && errno != ENOENT) return failure("open of", path, errno);
  if (file.fd < 0) {
    // Only the forwarder makes such files: nobody else's is replaced.
    again = true;
    ++files_;
    return make_file(path, head_of_file(draw_seed()));
  }
  if (::flock(file.fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure("flock of", path, errno);
    return Status{Code::in_use, "somebody is resending or purging " + path}.with("path", path);
  }
  struct stat opened {};
  struct stat named {};
  if (::fstat(file.fd, &opened) != 0) return failure("fstat of", path, errno);
  again = ::lstat(path.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev;
  if (again) return {};
  Result<std::optional<Seed>> const seed = read_seed(file.fd, path);
  if (!seed.ok()) return seed.status();
  if (!seed.value()) {
    // Damaged, as it got its name with a whole head. For people; the rows that come now need another one.
    again = true;
    return rename_damaged(path);
  }
  std::string record;
  if (Status status = append_aside(aside, *seed.value(), record); !status.ok()) return status;
  if (bytes_ + record.size() > kAsideBytesMax)
    if (Status status = count(); !status.ok()) return status;
  if (bytes_ + record.size() > kAsideBytesMax)
    return Status{Code::over_limit, folder_ + " has 1 GiB of rows that were set aside: resend or purge them"}.with(
        "path", folder_);
  bytes_ += record.size();
  return syncs_.append(file.fd, path, record, kFileHeadBytes);
}

Status AsideFiles::collect(Identities& out) {
  Result<std::vector<std::string>> const names = names_in(folder_);
  if (!names.ok()) return names.status();
  for (std::string const& name : names.value()) {
    if (!table_of_file(name)) continue;
    std::string const path = folder_ + "/" + name;
    Descriptor const file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (file.fd < 0 && errno == ENOENT) continue;
    if (file.fd < 0) return failure("open of", path, errno);
    if (Status status = collect_aside(file.fd, path, syncs_, out); !status.ok()) return status;
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
