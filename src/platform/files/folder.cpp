#include "platform/files/folder.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace fastjournal::files {
namespace {

constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

// The descriptor, if it is of a regular file.
int only_regular(int fd) {
  struct stat found {};
  // The system's words for a folder, a socket, and a FIFO without a reader.
  if (fd < 0 && (errno == EISDIR || errno == ENXIO)) errno = ELOOP;
  if (fd < 0 || (::fstat(fd, &found) == 0 && S_ISREG(found.st_mode))) return fd;
  ::close(fd);
  errno = ELOOP;
  return -1;
}

}  // namespace

Status failure(std::string_view call, std::string const& path, int error) {
  Code const code = error == ENOSPC || error == EDQUOT ? Code::no_space : Code::io_error;
  std::string const text = error == ELOOP
                               ? "it is a link, a FIFO or a device, and nothing of that kind is followed there: "
                                 "expected a regular file or folder; remove it"
                               : std::strerror(error);
  return Status{code, std::string{call} + " " + path + ": " + text}.with("path", path);
}

int open_regular(std::string const& path, int flags, mode_t mode) {
  return only_regular(::open(path.c_str(), flags | kAlways, mode));
}

Result<Folder> Folder::open(std::string path) {
  Descriptor folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder.is_open()) return failure("open of", path, errno);
  return Folder{std::move(path), std::move(folder)};
}

Result<Folder> Folder::inner(std::string const& name) const {
  Descriptor folder{::openat(fd(), name.c_str(), O_RDONLY | O_DIRECTORY | kAlways)};
  // For a link Linux says that it is no folder.
  if (!folder.is_open()) return failure("open of", path_of(name), errno == ENOTDIR ? ELOOP : errno);
  return Folder{path_of(name), std::move(folder)};
}

Result<Folder> Folder::own(std::string const& name, bool make) const {
  if (make && ::mkdirat(fd(), name.c_str(), 0750) != 0 && errno != EEXIST)
    return failure("mkdir of", path_of(name), errno);
  Result<Folder> out = inner(name);
  if (!out.ok()) return out;
  struct stat above {};
  struct stat found {};
  if (::fstat(fd(), &above) != 0 || ::fstat(out->fd(), &found) != 0) return failure("fstat of", path_of(name), errno);
  bool const is_ours = found.st_uid == ::geteuid() || found.st_uid == above.st_uid || found.st_uid == 0;
  if (is_ours && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0) return out;
  return Status{Code::not_allowed,
                path_of(name) + (is_ours ? " may be written by others than its owner: chmod go-w it"
                                         : " belongs to user " + std::to_string(found.st_uid) +
                                               ", expected the user of this process or the owner of " + path_ +
                                               ": somebody put it there; move it away")}
      .with("path", path_of(name));
}

int Folder::open_file(std::string const& name, int flags, mode_t mode) const {
  return only_regular(::openat(fd(), name.c_str(), flags | kAlways, mode));
}

bool Folder::look(std::string const& name, struct stat& out) const {
  return ::fstatat(fd(), name.c_str(), &out, AT_SYMLINK_NOFOLLOW) == 0;
}

bool Folder::has(std::string const& name) const {
  struct stat found {};
  return look(name, found);
}

bool Folder::is_name_of(std::string const& name, int file) const {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && look(name, named) && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

Result<std::vector<std::string>> Folder::names() const {
  // Of its own place: a copy of the descriptor would share that of others who list at the same time.
  Descriptor again{::openat(fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  std::unique_ptr<DIR, int (*)(DIR*)> const listing{again.is_open() ? ::fdopendir(again.fd) : nullptr, ::closedir};
  if (listing == nullptr) return failure("opendir of", path_, errno);
  static_cast<void>(again.release());
  std::vector<std::string> out;
  for (errno = 0; dirent const* const entry = ::readdir(listing.get()); errno = 0) {
    std::string_view const name = entry->d_name;
    if (name != "." && name != "..") out.emplace_back(name);
  }
  if (errno != 0) return failure("readdir of", path_, errno);
  return out;
}

int Folder::move(std::string const& name, Folder const& to, std::string const& new_name) const {
  if (::renameat2(fd(), name.c_str(), to.fd(), new_name.c_str(), RENAME_NOREPLACE) == 0) return 0;
  // Network file systems cannot do it in one step.
  if (errno != EINVAL) return -1;
  if (to.has(new_name)) {
    errno = EEXIST;
    return -1;
  }
  return ::renameat(fd(), name.c_str(), to.fd(), new_name.c_str());
}

int Folder::remove(std::string const& name) const { return ::unlinkat(fd(), name.c_str(), 0); }

Status Folder::sync() const { return ::fsync(fd()) == 0 ? Status{} : failure("fsync of", path_, errno); }

std::string Folder::path_here(std::string_view name) const {
  return "/proc/self/fd/" + std::to_string(fd()) + "/" + std::string{name};
}

}  // namespace fastjournal::files
