// See socket_file.h.
#include "platform/reactor/socket_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "platform/reactor/posix.h"

namespace fastjournal::reactor {
namespace {

Result<int> type_of(int fd, std::string const& text) {
  int out = 0;
  socklen_t size = sizeof out;
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &out, &size) == 0) return out;
  return system_failure("getsockopt", text, errno);
}

// Whether a socket belongs to the file. A full backlog, and a socket of the other type, count as yes.
bool somebody_listens(SocketAddress const& address, int type) {
  UniqueFd const probe{::socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!probe.valid()) return true;
  return ::connect(probe.get(), address.get(), address.length) == 0 || errno != ECONNREFUSED;
}

// Whether there is a socket file of this name without a listener; not ok: another kind of file has the name.
Result<bool> is_stale(SocketAddress const& address, int type, std::string const& text) {
  std::string const path = address.path();
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return false;
    return system_failure("lstat", path, errno);
  }
  if (!S_ISSOCK(found.st_mode)) {
    return Status{
        Code::in_use,
        fmt::format("listen on {}: a file that is no socket has this name; move it away or choose another path", text)};
  }
  if (somebody_listens(address, type)) return bind_failure(text, EADDRINUSE);
  return true;
}

// Removes a stale socket file.
Status remove_stale(SocketAddress const& address, int type, std::string const& text) {
  Result<bool> const stale = is_stale(address, type, text);
  if (!stale.ok() || !stale.value()) return stale.status();
  std::string const path = address.path();
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_failure("unlink", path, errno);
  return {};
}

// Whether a file can be made in the folder of this socket.
Status probe_folder(SocketAddress const& address, std::string const& text) {
  std::string folder = address.path();
  std::size_t const slash = folder.rfind('/');
  folder = slash == std::string::npos ? "." : folder.substr(0, std::max<std::size_t>(slash, 1));
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) return bind_failure(text, errno);
  if (!S_ISDIR(found.st_mode)) return bind_failure(text, ENOTDIR);
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? Status{} : bind_failure(text, errno);
}

}  // namespace

Status bind_failure(std::string const& text, int error) {
  if (error == EADDRINUSE) {
    return {Code::in_use,
            fmt::format("listen on {}: {}: another process listens there; stop it or choose another address", text,
                        error_words(error))};
  }
  if (error == EACCES || error == EPERM) {
    return {Code::not_allowed,
            fmt::format("listen on {}: {}; choose an address this user may bind", text, error_words(error))};
  }
  return system_failure("bind", text, error);
}

Status SocketFile::bind(int fd, SocketAddress const& address, mode_t mode) {
  std::string const text = to_text(address);
  Result<int> const type = type_of(fd, text);
  if (!type.ok()) return type.status();
  // The file is made with the mode of the socket, less the umask: a datagram could come before chmod.
  if (::fchmod(fd, mode) != 0) return system_failure("fchmod", text, errno);
  int error = ::bind(fd, address.get(), address.length) == 0 ? 0 : errno;
  if (error == EADDRINUSE) {
    if (Status room = remove_stale(address, type.value(), text); !room.ok()) return room;
    error = ::bind(fd, address.get(), address.length) == 0 ? 0 : errno;
  }
  if (error != 0) return bind_failure(text, error);

  path_ = address.path();
  struct stat made {};
  if (::lstat(path_.c_str(), &made) != 0) return system_failure("lstat", path_, errno);
  device_ = made.st_dev;
  inode_ = made.st_ino;
  return set_mode(mode);
}

Status SocketFile::probe(SocketAddress const& address, int type) {
  std::string const text = to_text(address);
  if (Result<bool> const stale = is_stale(address, type, text); !stale.ok()) return stale.status();
  return probe_folder(address, text);
}

Status SocketFile::set_mode(mode_t mode) const {
  if (path_.empty() || ::chmod(path_.c_str(), mode) == 0) return {};
  return system_failure("chmod", path_, errno);
}

SocketFile::~SocketFile() {
  if (path_.empty()) return;
  struct stat found {};
  if (::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_) ::unlink(path_.c_str());
}

}  // namespace fastjournal::reactor
