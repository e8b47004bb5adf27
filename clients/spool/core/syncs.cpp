#include "clients/spool/core/syncs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <vector>

#include "clients/spool/core/disk.h"

namespace fastjournal::spool {
namespace {

constexpr std::string_view kMark = "unsynced.";
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20U;

// Without the holes, which stay. Producers append behind `to`, and no one else writes before it.
Status write_again(int fd, std::string const& path, std::uint64_t from, std::uint64_t to) {
  // It would append otherwise.
  int const flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ((flags & O_APPEND) != 0 && ::fcntl(fd, F_SETFL, flags & ~O_APPEND) != 0))
    return failure("fcntl of", path, errno);
  std::string bytes;
  while (from < to) {
    off_t const data = ::lseek(fd, static_cast<off_t>(from), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return {};  // a hole up to the end
    if (data < 0) return failure("lseek of", path, errno);
    off_t const hole = ::lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return failure("lseek of", path, errno);
    from = static_cast<std::uint64_t>(data);
    std::uint64_t const end = std::min({static_cast<std::uint64_t>(hole), to, from + kPieceBytes});
    if (from >= end) return {};
    bytes.clear();
    if (Status status = read_at(fd, path, from, end - from, bytes); !status.ok()) return status;
    for (std::string_view left = bytes; !left.empty();) {
      ssize_t const written = ::pwrite(fd, left.data(), left.size(), static_cast<off_t>(from));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failure("write to", path, errno);
      left.remove_prefix(static_cast<std::size_t>(written));
      from += static_cast<std::uint64_t>(written);
    }
    if (bytes.empty()) return {};  // it was cut meanwhile
  }
  return {};
}

}  // namespace

std::string Syncs::mark_of(std::uint64_t inode) { return std::string{kMark} + std::to_string(inode); }

Status Syncs::open() {
  Result<std::vector<std::string>> const names = folder_.names();
  if (!names.ok()) return names.status();
  for (std::string_view name : names.value()) {
    if (!name.starts_with(kMark)) continue;
    name.remove_prefix(kMark.size());
    std::uint64_t inode = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), inode).ptr == name.data() + name.size())
      failed_.insert(inode);
  }
  return {};
}

Status Syncs::sync(int fd, std::string const& path, std::uint64_t from) {
  struct stat look {};
  if (::fstat(fd, &look) != 0) return failure("fstat of", path, errno);
  bool const has_failed = failed_.contains(look.st_ino);
  if (has_failed)
    if (Status status = write_again(fd, path, from, static_cast<std::uint64_t>(look.st_size)); !status.ok())
      return status;
  if (::fdatasync(fd) == 0) {
    if (has_failed) static_cast<void>(folder_.remove(mark_of(look.st_ino)));
    failed_.erase(look.st_ino);
    return {};
  }
  Status status = failure("fdatasync of", path, errno);
  failed_.insert(look.st_ino);
  Descriptor const mark{folder_.open_file(mark_of(look.st_ino), O_WRONLY | O_CREAT, 0640)};
  return status;
}

Status Syncs::append(int fd, std::string const& path, std::string_view bytes, std::uint64_t from) {
  if (Status status = write_all(fd, path, bytes); !status.ok()) return status;
  return sync(fd, path, from);
}

}  // namespace fastjournal::spool
