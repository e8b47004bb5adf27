#include "clients/cpp/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>

#include "platform/files/new_file.h"

namespace fastjournal::client {
namespace {

constexpr std::size_t kReadBytesMax = 64U << 10U;

Status failed(std::string_view what, std::string const& path) {
  int const error = errno;
  return {error == ENOENT ? Code::not_found : Code::io_error,
          std::string{what} + " " + path + ": " + std::strerror(error)};
}

// `owners`: the first of these paths that is there says who it belongs to.
Status give_to_owner(files::NewFile const& file, std::initializer_list<std::string> owners, std::string const& path) {
  struct stat owner {};
  bool const has_owner = std::any_of(owners.begin(), owners.end(),
                                     [&](std::string const& one) { return ::stat(one.c_str(), &owner) == 0; });
  if (::geteuid() == 0 && has_owner && ::fchown(file.fd(), owner.st_uid, owner.st_gid) != 0)
    return failed("give the owner of the folder", path);
  return {};
}

}  // namespace

Result<std::string> read_secret(std::string const& path) {
  files::Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
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
  Result<files::NewFile> file = files::NewFile::make(path, 0600);
  if (!file.ok()) return file.status();
  Status status = give_to_owner(file.value(), {path, whose, folder}, path);
  if (status.ok()) status = file->write(text);
  return status.ok() ? file->finish(files::NewFile::Durable::yes) : status;
}

}  // namespace fastjournal::client
