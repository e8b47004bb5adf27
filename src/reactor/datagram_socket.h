// UDP sockets: bound or aimed, with their group joined. Apart from the loop
// because followers of a feed open them without one.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "env/network.h"
#include "fastjournal/status.h"
#include "reactor/posix.h"

namespace fastjournal::reactor {

class DatagramSocket {
 public:
  // For sending to one computer, a multicast group (IPv4) or a broadcast. Whoever listens on this
  // computer hears a group too.
  [[nodiscard]] static Result<DatagramSocket> to(env::DatagramAddress const& address);
  // For reading what comes to the address; joins the group if it is one. Others may read the same group and port.
  [[nodiscard]] static Result<DatagramSocket> at(env::DatagramAddress const& address);

  [[nodiscard]] int fd() const { return fd_.get(); }
  // The address really bound, or aimed at.
  [[nodiscard]] std::string const& text() const { return text_; }

  // False: the kernel does not take it now.
  [[nodiscard]] bool send(std::string_view bytes) const;
  // Bytes of the next datagram, cut to `into`; 0: there is none.
  [[nodiscard]] std::size_t receive(std::span<char> into) const;

 private:
  UniqueFd fd_;
  std::string text_;
};

}  // namespace fastjournal::reactor
