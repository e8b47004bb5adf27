#include "clients/lib/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>

namespace fastjournal::client {
namespace {

constexpr std::size_t kReadBytesMax = 64U << 10U;

// The descriptor is closed at the end.
struct Opened {
  explicit Opened(int descriptor) : fd(descriptor) {}
  Opened(Opened const&) = delete;
  Opened& operator=(Opened const&) = delete;
  ~Opened() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

Status failed(std::string_view what, std::string const& path) {
  int const error = errno;
  return {error == ENOENT ? Code::not_found : Code::io_error,
          std::string{what} + " " + path + ": " + std::strerror(error)};
}

Status write_all(int fd, std::string_view text, std::string const& path) {
  while (!text.empty()) {
    ssize_t const took = ::write(fd, text.data(), text.size());
    if (took < 0 && errno == EINTR) continue;
    if (took < 0) return failed("write", path);
    text.remove_prefix(static_cast<std::size_t>(took));
  }
  return ::fsync(fd) == 0 ? Status{} : failed("sync", path);
}

// `owners`: the first of these paths that is there says who it belongs to.
Status write_new(std::string const& path, std::initializer_list<std::string> owners, std::string_view text) {
  Opened const file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (file.fd < 0) return failed("create", path);
  struct stat owner {};
  bool const has_owner = std::any_of(owners.begin(), owners.end(),
                                     [&](std::string const& one) { return ::stat(one.c_str(), &owner) == 0; });
  if (::geteuid() == 0 && has_owner && ::fchown(file.fd, owner.st_uid, owner.st_gid) != 0)
    return failed("give the owner of the folder", path);
  return write_all(file.fd, text, path);
}

}  // namespace

Result<std::string> read_secret(std::string const& path) {
  Opened const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return failed("open", path);
  struct stat found {};
  if (::fstat(file.fd, &found) != 0) return failed("look at", path);
  if (!S_ISREG(found.st_mode)) return Status{Code::bad_parameter, path + ": expected a file"};
  if ((found.st_mode & 077U) != 0)
    return Status{Code::not_allowed, path + ": others than its owner may read or write it: chmod 600 " + path};
  std::string out(kReadBytesMax + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    ssize_t const got = ::read(file.fd, out.data() + size, out.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path);
    size += static_cast<std::size_t>(got);
    if (size > kReadBytesMax) return Status{Code::too_large, path + " has more than 64 KiB"};
    if (got == 0) break;
  }
  out.resize(size);
  return out;
}

Status write_secret(std::string const& path, std::string_view text, std::string const& whose) {
  std::string const folder = [&path] {
    std::string parent = std::filesystem::path{path}.parent_path().string();
    return parent.empty() ? std::string{"."} : parent;
  }();
  std::string const unfinished = path + ".new";
  // Of a run that was interrupted.
  ::unlink(unfinished.c_str());
  Status status = write_new(unfinished, {path, whose, folder}, text);
  if (status.ok() && ::rename(unfinished.c_str(), path.c_str()) != 0) status = failed("rename", unfinished);
  if (!status.ok()) {
    ::unlink(unfinished.c_str());
    return status;
  }
  Opened const opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  return opened.fd >= 0 && ::fsync(opened.fd) == 0 ? Status{} : failed("sync", folder);
}

}  // namespace fastjournal::client
