// Rights of connections: each command has a right, and a connection has those of the listener that it came by, and
// those of the user who logged in there. No right includes another, so that rights="add" is a letter box. HELP and
// ALIVE need none: every service must answer them. A listener may be bound to one table: then its connections have no
// rights on others, whatever user logs in there, and that table is meant where a command names none. Owned by the
// server.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/access/listen_declaration.h"
#include "config/access/permit.h"
#include "fastjournal/protocol.h"
#include "fastjournal/rights.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "server/admin/declarations.h"
#include "wire/messages.h"

namespace fastjournal::server {

// A listening address or socket.
struct Listener {
  std::string address;
  Rights rights{};  // of its connections; with admin they may use the reserved places
  // The protocol of its connections; absent: messages.
  std::function<std::unique_ptr<Protocol>()> make_protocol{};
  std::string table{};                      // the only one that its connections reach; empty: all
  std::string protocol{access::kMessages};  // its name

  [[nodiscard]] bool is_administrators() const { return rights.has(Right::admin); }
  // "127.0.0.1:4050 (messages, rights read add)", "tls:[::1]:80 (http, table jobs, rights nothing)": for people, and for
  // STATS. The address ends at the last " ("; "tls:" before it says that it is encrypted.
  [[nodiscard]] std::string text() const;
};

// The sender of a command on a table.
struct Speaker {
  ConnectionId connection{};
  std::string_view worker{};
  std::string_view origin{};  // the owner of its names
  Rights rights{};
  std::string_view door{};            // the listener, in words
  access::User const* user{nullptr};  // who logged in; his rights on all tables are in `rights`
  std::string_view bound{};           // the only table that it reaches; empty: all
  bool holds{true};                   // what it leases ends with its connection
  bool may_store{false};              // its command may wait until its values are stored outside the log

  [[nodiscard]] access::Permit permit() const { return {rights, user, bound}; }
  // Checked before anything else is, as most senders have the right on all tables.
  [[nodiscard]] bool has_everywhere(Right right) const { return permit().has(right); }
};

class Listeners {
 public:
  explicit Listeners(protocol::FrameLimits limits) : limits_(limits) { add(0, {}); }

  // The number is that of env::ListenOptions, from 1. 0 is that of connections opened by the daemon.
  void add(std::uint32_t number, Listener listener) {
    while (listeners_.size() <= number) listeners_.push_back(std::make_unique<Listener>());
    *listeners_[number] = std::move(listener);
  }
  void remove(std::uint32_t number) { *listeners_.at(number) = {}; }
  // Where datagrams come that have no connection: for people.
  void add_datagrams(std::string text) { datagrams_.push_back(std::move(text)); }
  // Listener::text of each, in the order of their numbers, and those of datagrams.
  [[nodiscard]] std::vector<std::string> texts() const;
  // Without an address and rights if there is no such number.
  [[nodiscard]] Listener const& of(std::uint32_t number) const {
    return *listeners_[number < listeners_.size() ? number : 0];
  }

  [[nodiscard]] std::unique_ptr<Protocol> make_protocol(std::uint32_t number) const {
    Listener const& listener = of(number);
    if (listener.make_protocol) return listener.make_protocol();
    return std::make_unique<protocol::Messages>(limits_);
  }
  // For a connection that the daemon opened.
  [[nodiscard]] std::unique_ptr<Protocol> make_protocol(protocol::MessagePeer peer) const {
    return std::make_unique<protocol::Messages>(limits_, peer);
  }

  // On all tables.
  [[nodiscard]] Status check(Speaker const& speaker, Right right, std::string_view command) const {
    return speaker.has_everywhere(right) ? Status{} : refusal(speaker, right, command, {});
  }
  [[nodiscard]] Status check_on(Speaker const& speaker, Right right, std::string_view command,
                                std::string_view table) const {
    return speaker.permit().has_on(right, table) ? Status{} : refusal(speaker, right, command, table);
  }
  // On any table.
  [[nodiscard]] Status check_anywhere(Speaker const& speaker, Right right, std::string_view command) const {
    return speaker.permit().has_anywhere(right) ? Status{} : refusal(speaker, right, command, {});
  }
  // One of the rights to change something, on any table.
  [[nodiscard]] Status check_for_changes(Speaker const& speaker, std::string_view command) const {
    auto const has = [&speaker](Right right) { return speaker.permit().has_anywhere(right); };
    return std::ranges::any_of(admin::kRightsToChange, has)
               ? Status{}
               : refusal(speaker, admin::kRightsToChangeNames, command, {});
  }
  // For what needs no right, but names a table.
  [[nodiscard]] Status check_reach(Speaker const& speaker, std::string_view command, std::string_view table) const {
    return speaker.permit().reaches(table) ? Status{} : out_of_reach(speaker, command, table);
  }
  // Whether a login is possible: refusals then say so.
  void have_users(bool are_there) { has_users_ = are_there; }

 private:
  // `table`: the one that it is about; empty: all.
  [[nodiscard]] Status refusal(Speaker const& speaker, std::string_view needed, std::string_view command,
                               std::string_view table) const;
  [[nodiscard]] Status refusal(Speaker const& speaker, Right right, std::string_view command,
                               std::string_view table) const {
    return refusal(speaker, name_of(right), command, table);
  }
  [[nodiscard]] static Status out_of_reach(Speaker const& speaker, std::string_view command, std::string_view table);

  protocol::FrameLimits limits_;
  std::vector<std::unique_ptr<Listener>> listeners_;  // senders' tables and doors are views of it
  std::vector<std::string> datagrams_;
  bool has_users_{false};
};

}  // namespace fastjournal::server
