// The listeners of tables' files: opened at the start, and by a reload, which stops those that are not declared any more.
// Both ends are the same step: everything that is new is opened first, where anything may fail and nothing has changed;
// then it is used, which cannot fail. One that changed at its address is a new listener that shares the socket with the
// old one until that stops. Owned by the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/network.h"
#include "config/access/listen_declaration.h"
#include "engine/engine.h"
#include "fastjournal/status.h"
#include "server/connections.h"
#include "server/server_host.h"

namespace fastjournal::server {

// Of all tables' files. Each takes a descriptor of those that connections do not get.
inline constexpr std::size_t kTableListenersMax = 64;

// bad_configuration: an address twice, a table that is not declared, a protocol that its type has not, or too many; every problem a line
// "FILE:LINE: what". `own`: those of the daemon's file; without an address what may share one (<udp>).
[[nodiscard]] Status check_listeners(engine::TableTypes const& types, engine::Declarations const& tables,
                                     std::vector<access::ListenDeclaration> const& own,
                                     std::vector<access::ListenDeclaration> const& of_tables);

class TableListeners {
 public:
  using Declared = std::vector<access::ListenDeclaration>;
  struct Running {
    std::uint32_t number{0};
    access::ListenDeclaration declared;
    Listener listener;
  };
  // The result of a reload.
  struct Next {
    std::vector<Running> kept;
    std::vector<Running> fresh;  // open, and not announced
    std::vector<Running> gone;
    std::vector<std::string> changes;  // a sentence for each
  };

  TableListeners(Connections& connections, env::Network& network, ListenerHost& host)
      : connections_(connections), network_(network), host_(host) {}

  // Those that are declared now, or those of them that a reload of this table alone leaves, and its own of `next`.
  [[nodiscard]] Declared with_one(std::string_view table, Declared const& next) const;
  // The outcome that open would have. Not ok: an address cannot be had.
  [[nodiscard]] Result<std::vector<std::string>> preview(Declared const& next) const;
  // Not ok: one cannot be opened, and nothing is changed. Otherwise use or drop follows, in the same turn.
  [[nodiscard]] Result<Next> open(Declared const& next);
  // Connections of those that are gone are told so, and end.
  void use(Next next);
  void drop(Next const& next);

  [[nodiscard]] std::vector<Running> const& running() const { return running_; }

 private:
  [[nodiscard]] Next compare(Declared const& next) const;
  static void tell_changes(Next& next);
  [[nodiscard]] bool is_ours(std::string_view address) const;
  [[nodiscard]] std::uint32_t free_number(std::vector<Running> const& taken) const;
  void end_connections(std::vector<Running> const& gone);

  Connections& connections_;
  env::Network& network_;
  ListenerHost& host_;
  std::vector<Running> running_;
};

}  // namespace fastjournal::server
