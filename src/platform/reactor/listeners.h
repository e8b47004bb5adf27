// Accepts connections, and refuses them with a message when there is no descriptor left. Peers never get the last
// descriptors: the daemon needs them for its own files, and a log that cannot open its next segment stops it.
//
// Owns the listening sockets. Whom it lets in goes to Connections, with TLS first to Handshakes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/reactor/address.h"
#include "platform/reactor/listening_socket.h"
#include "platform/reactor/loop.h"
#include "platform/reactor/peer_list.h"

namespace fastjournal::reactor {

class Connections;
class Handshakes;
struct Listener;

// As many as the limit of open files lets us have, minus the daemon's own.
[[nodiscard]] std::size_t connections_by_descriptors();

class Listeners {
 public:
  Listeners(Loop& loop, Connections& connections, Handshakes& handshakes, NotAllowed& not_allowed);
  ~Listeners();
  [[nodiscard]] Status open();

  // As those of Reactor.
  [[nodiscard]] Result<env::Address> adopt(int fd, std::string const& name);
  [[nodiscard]] Result<env::Address> listen(env::Address const& address, env::ListenOptions const& options,
                                            TlsListening tls);
  void stop(std::uint32_t number);
  void use_certificates(std::uint32_t number, std::shared_ptr<tls::ServerContext const> const& context);

 private:
  [[nodiscard]] Result<std::shared_ptr<ListeningSocket>> socket_at(env::Address const& address, mode_t unix_mode) const;
  void on_acceptable(Listener& listener);
  void let_in(Listener const& listener, UniqueFd fd, SocketAddress const& peer);
  [[nodiscard]] bool is_full(Listener const& listener) const;
  void refuse(Listener& listener, int error);
  void refuse_not_allowed(Listener const& listener, UniqueFd fd, SocketAddress const& peer);
  void warn_of_refusal(int error);
  void pause(Listener& listener);
  void resume();

  Loop& loop_;
  Connections& connections_;
  Handshakes& handshakes_;
  NotAllowed& not_allowed_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::shared_ptr<ListeningSocket>> adopted_;
  Event resume_event_;
  UniqueFd reserve_fd_;  // closed for a moment to refuse a peer when there is no other descriptor
  RareWarning warning_;
};

}  // namespace fastjournal::reactor
