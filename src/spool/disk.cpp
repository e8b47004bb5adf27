#include "spool/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace fastjournal::spool {

Status failure(std::string_view call, std::string const& path, int error) {
  Code const code = error == ENOSPC || error == EDQUOT ? Code::no_space : Code::io_error;
  return Status{code, std::string{call} + " " + path + ": " + std::strerror(error)}.with("path", path);
}

Status make_folder(std::string const& path) {
  if (::mkdir(path.c_str(), 0750) == 0 || errno == EEXIST) return {};
  return failure("mkdir of", path, errno);
}

Status sync_folder(std::string const& path) {
  Descriptor const folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.fd < 0) return failure("open of", path, errno);
  return ::fsync(folder.fd) == 0 ? Status{} : failure("fsync of", path, errno);
}

Result<std::vector<std::string>> names_in(std::string const& path) {
  std::unique_ptr<DIR, int (*)(DIR*)> const listing{::opendir(path.c_str()), ::closedir};
  if (listing == nullptr) return failure("opendir of", path, errno);
  std::vector<std::string> out;
  for (errno = 0; dirent const* const entry = ::readdir(listing.get()); errno = 0) out.emplace_back(entry->d_name);
  if (errno != 0) return failure("readdir of", path, errno);
  return out;
}

Status read_at(int fd, std::string const& path, std::uint64_t offset, std::size_t bytes, std::string& to) {
  std::size_t const before = to.size();
  to.resize(before + bytes);
  std::size_t done = 0;
  while (done < bytes) {
    ssize_t const got = ::pread(fd, to.data() + before + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      int const error = errno;
      to.resize(before);
      return failure("read of", path, error);
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  to.resize(before + done);
  return {};
}

Status write_all(int fd, std::string const& path, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write to", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status append(int fd, std::string const& path, std::string_view bytes) {
  if (Status status = write_all(fd, path, bytes); !status.ok()) return status;
  return ::fdatasync(fd) == 0 ? Status{} : failure("fdatasync of", path, errno);
}

Status make_file(std::string const& path, std::string_view bytes) {
  std::string const next = path + ".new";
  {
    Descriptor const file{::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640)};
    if (file.fd < 0) return failure("open of", next, errno);
    if (Status status = append(file.fd, next, bytes); !status.ok()) return status;
  }
  if (::rename(next.c_str(), path.c_str()) != 0) return failure("rename of", next, errno);
  return sync_folder(path.substr(0, path.rfind('/')));
}

Status punch(int fd, std::string const& path, std::uint64_t from, std::uint64_t to) {
  if (from >= to) return {};
  if (::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                  static_cast<off_t>(to - from)) == 0)
    return {};
  return errno == EOPNOTSUPP ? fill(fd, path, from, to, '\0') : failure("fallocate of", path, errno);
}

Status rename_damaged(std::string const& path) {
  constexpr int kTriesMax = 1'000;
  for (int number = 1; number <= kTriesMax; ++number) {
    std::string const name = path + (number == 1 ? ".damaged" : ".damaged-" + std::to_string(number));
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return {};
    // Network file systems cannot do it in one step.
    if (errno == EINVAL && ::access(name.c_str(), F_OK) != 0 && ::rename(path.c_str(), name.c_str()) == 0) return {};
    if (errno != EEXIST && errno != EINVAL) return failure("rename of", path, errno);
  }
  return failure("rename of", path + " to *.damaged, of which there are enough: remove them; it", EEXIST);
}

Status fill(int fd, std::string const& path, std::uint64_t from, std::uint64_t to, char byte) {
  std::string const bytes(std::size_t{64} << 10U, byte);
  while (from < to) {
    ssize_t const written =
        ::pwrite(fd, bytes.data(), std::min<std::uint64_t>(bytes.size(), to - from), static_cast<off_t>(from));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write to", path, errno);
    from += static_cast<std::uint64_t>(written);
  }
  return {};
}

Seed draw_seed() {
  Seed seed;
  ssize_t got = -1;
  for (int tries = 0; got < 0 && tries < 1000; ++tries) got = ::getrandom(&seed.value, sizeof seed.value, 0);
  FJ_CHECK(got == sizeof seed.value, "the kernel has chance for everybody");
  return seed;
}

Result<std::optional<Seed>> read_seed(int fd, std::string const& path) {
  std::string head;
  if (Status status = read_at(fd, path, 0, kFileHeadBytes, head); !status.ok()) return status;
  return seed_of_file(head);
}

}  // namespace fastjournal::spool
