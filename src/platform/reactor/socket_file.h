// The file of a unix socket: who may replace one, its mode, and its removal. Apart from the sockets because those for
// connections and those for datagrams have the same rules.
#pragma once

#include <sys/types.h>

#include <string>

#include "fastjournal/status.h"
#include "platform/reactor/address.h"

namespace fastjournal::reactor {

// Why an address cannot be bound, with what to do about it.
[[nodiscard]] Status bind_failure(std::string const& text, int error);

class SocketFile {
 public:
  SocketFile() = default;
  // Removes the file that it made, unless another one has taken its name.
  ~SocketFile();
  SocketFile(SocketFile const&) = delete;
  SocketFile& operator=(SocketFile const&) = delete;

  // Binds a new socket to the address, once. An existing socket file is replaced if no process listens on it, and is
  // in_use otherwise; any other kind of file is kept, and an error. At no moment does it give more rights than `mode`.
  [[nodiscard]] Status bind(int fd, SocketAddress const& address, mode_t mode);
  // Whether bind would succeed now. Changes nothing and keeps nothing open. `type`: SOCK_STREAM or SOCK_DGRAM.
  [[nodiscard]] static Status probe(SocketAddress const& address, int type);
  // From now on. Nothing happens where it has made no file.
  [[nodiscard]] Status set_mode(mode_t mode) const;

 private:
  std::string path_;
  dev_t device_{0};
  ino_t inode_{0};
};

}  // namespace fastjournal::reactor
