// The sockets of datagrams in the loop: UDP, and unix sockets with the users who may send there. Their ids differ from
// those of connections: no slot of a connection reaches 2^31 generations.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "platform/reactor/local_datagram_socket.h"
#include "platform/reactor/loop.h"
#include "platform/reactor/peer_list.h"

namespace fastjournal::reactor {

class Datagrams {
 public:
  Datagrams(Loop& loop, NotAllowed& not_allowed);
  ~Datagrams();

  // As those of env::Network.
  [[nodiscard]] Result<ConnectionId> open_to(env::DatagramAddress const& address);
  [[nodiscard]] Result<env::DatagramSocket> receive(env::DatagramAddress const& address);
  [[nodiscard]] bool send(ConnectionId id, std::string_view bytes);
  [[nodiscard]] Result<env::DatagramSocket> receive_local(env::Address const& address,
                                                          env::ListenOptions const& options);
  [[nodiscard]] bool send_local(ConnectionId id, std::string_view to, std::string_view bytes);
  void close(ConnectionId id);
  // Of a listener.
  void stop(std::uint32_t number);

 private:
  struct Udp;
  struct Local;

  [[nodiscard]] ConnectionId next_id();
  [[nodiscard]] Result<std::shared_ptr<LocalDatagramSocket>> local_socket_at(env::Address const& address,
                                                                             mode_t unix_mode) const;
  void on_readable(Udp& one);
  void on_local_readable(Local& one);

  Loop& loop_;
  NotAllowed& not_allowed_;
  std::map<ConnectionId, std::unique_ptr<Udp>> udp_;
  std::map<ConnectionId, std::unique_ptr<Local>> local_;
  std::uint64_t ids_{0};
};

}  // namespace fastjournal::reactor
