// Handshakes of TLS: which are under way, which wait for a place, and their end. The handler learns of a connection
// when its handshake is done; the connections themselves are in Connections.
//
// A handshake does not delay other connections: it never waits, a turn makes a few steps of all that are under way,
// their number is limited, and each of them has a limit of time. At the number's limit, those who come wait in the
// kernel's queue, unless the oldest is one of the slow: it makes room. One origin has half of the places at most. More
// of it are accepted and wait here, so that they do not stand before others in the kernel's queue.
//
// Connections that are made here are few, and the handler has their ids: they have no limits but that of time, and are
// never ended to make room. Their certificates are a context of a client, with a number; each names its own target.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "platform/reactor/address.h"
#include "platform/reactor/loop.h"

namespace fastjournal::reactor {

class Connections;
struct Connection;
struct Listener;
struct Secure;

class Handshakes {
 public:
  Handshakes(Loop& loop, Connections& connections) : loop_(loop), connections_(connections) {}
  [[nodiscard]] Status open();

  // With peers who came by a listener, which outlives them: end_of.
  void accept(Listener const& listener, UniqueFd fd, PeerName peer);
  void end_of(Listener const& listener);
  [[nodiscard]] bool is_full() const { return under_way_.size() >= loop_.options().handshakes_max; }
  // Ends the oldest if it is slow.
  [[nodiscard]] bool make_room();

  // With those to whom we connect.
  void use_certificates(std::uint32_t number, std::shared_ptr<tls::ClientContext> context);
  [[nodiscard]] Result<std::unique_ptr<Secure>> prepare(env::Address const& address, env::ConnectOptions const& options,
                                                        int fd) const;
  void begin(Connection& connection, std::unique_ptr<Secure> secure);

  // In each turn before postponed connections are read.
  void begin_turn();
  // The socket of one under way is ready.
  void step(Connection& connection);
  // It is done, or its connection ends.
  void end(Secure& secure);

  [[nodiscard]] std::size_t size() const { return under_way_.size(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  // Its handshake begins when its origin has a place.
  struct Waiting {
    UniqueFd fd;
    PeerName peer;
    Listener const* listener;
    std::int64_t since_us;
  };

  void begin(Listener const& listener, UniqueFd fd, PeerName peer);
  void let_wait(Listener const& listener, UniqueFd fd, PeerName peer);
  void begin_waiting();
  [[nodiscard]] bool has_its_share(std::string const& origin) const;
  [[nodiscard]] bool make_room(std::string_view origin, std::int64_t now_us);
  void arm_limit();
  void end_late();
  void end_late_of_our_own(std::int64_t now_us);
  [[nodiscard]] bool speaks_tls(Connection& connection);
  void finish(Connection& connection);
  void finish_our_own(Connection& connection);
  void refuse(Connection& connection, std::uint64_t& counter, std::string_view why);
  void warn(std::string_view peer, std::string_view why);

  Loop& loop_;
  Connections& connections_;
  std::map<std::uint32_t, std::shared_ptr<tls::ClientContext>> certificates_;  // by their number
  std::list<ConnectionId> under_way_;                            // with peers who came here, the oldest first
  std::map<std::string, std::uint32_t, std::less<>> by_origin_;  // their number
  std::list<ConnectionId> our_own_;                              // of connections made here, the oldest first
  std::list<Waiting> waiting_;                                   // the oldest first
  Event limit_;                                                  // of the oldest
  std::uint32_t steps_{0};                                       // of this turn
  RareWarning warning_;
};

}  // namespace fastjournal::reactor
