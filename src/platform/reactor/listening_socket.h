// A listening stream socket: bound, with its options set, and cleaned up at its end. Apart from the loop because this
// has nothing to do with events.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "fastjournal/status.h"
#include "platform/reactor/address.h"
#include "platform/reactor/posix.h"
#include "platform/reactor/socket_file.h"

namespace fastjournal::reactor {

class ListeningSocket {
 public:
  // The file of a unix socket gets `unix_mode`. An existing socket file is replaced if no process listens on it, and is
  // in_use otherwise; any other kind of file is kept, and an error.
  [[nodiscard]] static Result<std::unique_ptr<ListeningSocket>> open(SocketAddress const& address, mode_t unix_mode);

  // A socket that listens already, opened by another process that keeps it: its file stays as it is. Takes the
  // descriptor. Not ok: it is of another kind, and `name` tells which one.
  [[nodiscard]] static Result<std::unique_ptr<ListeningSocket>> adopt(int fd, std::string const& name);

  // Whether open would succeed now. Changes nothing and keeps nothing open.
  [[nodiscard]] static Status probe(SocketAddress const& address);

  // Of the file of a unix socket that it opened, from now on.
  [[nodiscard]] Status set_mode(mode_t mode) const { return file_.set_mode(mode); }

  [[nodiscard]] int fd() const { return fd_.get(); }
  // The bound address, with port 0 resolved.
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  ListeningSocket() = default;
  [[nodiscard]] static Result<std::unique_ptr<ListeningSocket>> make(SocketAddress const& address);
  [[nodiscard]] Status set_internet_options() const;
  [[nodiscard]] Status open_internet(SocketAddress const& address);

  UniqueFd fd_;
  std::string text_;
  SocketFile file_;  // of a unix socket
};

}  // namespace fastjournal::reactor
