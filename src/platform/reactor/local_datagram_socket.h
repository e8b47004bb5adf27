// A unix socket for datagrams: bound to a path, with the senders' credentials. Apart from datagram_socket.h because
// everything but the word is different: files, credentials, and answers to each sender.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "platform/reactor/address.h"
#include "platform/reactor/posix.h"
#include "platform/reactor/socket_file.h"

namespace fastjournal::reactor {

class LocalDatagramSocket {
 public:
  struct Received {
    std::size_t bytes{0};  // in the caller's memory
    // The sender's address: an absolute path, or NUL and a name without a file. Empty: it has none, or a path that is
    // relative to a folder of its own.
    std::string from;
    ucred sender{};
  };

  // As SocketFile::bind.
  [[nodiscard]] static Result<std::unique_ptr<LocalDatagramSocket>> open(SocketAddress const& address, mode_t mode);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::string const& text() const { return text_; }
  [[nodiscard]] Status set_mode(mode_t mode) const { return file_.set_mode(mode); }

  // The next datagram, cut to `into`. False: there is none.
  [[nodiscard]] bool receive(std::span<char> into, Received& out) const;
  // To an address in the form of Received::from. False: it is lost, as the kernel does not take it now, or no process
  // is there.
  [[nodiscard]] bool send(std::string_view to, std::string_view bytes) const;

 private:
  LocalDatagramSocket() = default;

  UniqueFd fd_;
  std::string text_;
  SocketFile file_;
};

}  // namespace fastjournal::reactor
