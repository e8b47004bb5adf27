// UDP sockets: bound or connected, with their group joined. Apart from the loop because followers of a feed open them
// without one.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/env/network.h"
#include "fastjournal/status.h"
#include "platform/reactor/posix.h"

namespace fastjournal::reactor {

class DatagramSocket {
 public:
  // For sending to one computer, a multicast group (IPv4) or a broadcast address. Receivers on this computer get a
  // group's datagrams too.
  [[nodiscard]] static Result<DatagramSocket> to(env::DatagramAddress const& address);
  // For receiving on the address; joins the group if it is one. Several sockets may receive the same group and port.
  [[nodiscard]] static Result<DatagramSocket> at(env::DatagramAddress const& address);

  [[nodiscard]] int fd() const { return fd_.get(); }
  // The bound address, or the destination.
  [[nodiscard]] std::string const& text() const { return text_; }

  // False: the kernel does not take it now; the datagram is lost.
  [[nodiscard]] bool send(std::string_view bytes) const;
  // Size of the next datagram, cut to `into`; 0: there is none.
  [[nodiscard]] std::size_t receive(std::span<char> into) const;

 private:
  UniqueFd fd_;
  std::string text_;
};

}  // namespace fastjournal::reactor
