// The identity of a session: AUTH, tokens and signatures that come with a message (Protocol::Piece), certificates of
// clients, and what a reload of the users changes. While a token is being verified its session is not read, and others
// go on. Owned by the server.
//
// A session has the rights of its listener and those of its user. Those of a token or a signature that came with a
// message hold for that message. A session whose user was changed or removed by a reload is closed: rows that it waits
// for or listens to end with it, and a new login shows what it may do now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/network.h"
#include "config/access/logins.h"
#include "config/access/user.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "server/admin/commands.h"
#include "server/commands.h"
#include "server/connections.h"
#include "server/core.h"
#include "server/server_host.h"

namespace fastjournal::server {

class Authentication final : public admin::Authenticating {
 public:
  Authentication(Core& core, Connections& connections, Commands& commands, env::Network& network, AccessHost& host)
      : connections_(connections),
        commands_(commands),
        audit_(core.audit),
        time_(core.clock.time()),
        network_(network),
        host_(host),
        logins_(host, host.login_key()) {}

  // The users at the start.
  [[nodiscard]] Status begin();
  // One sentence for each change from the present users to these.
  [[nodiscard]] std::vector<std::string> changes(access::Users const& next) const;
  void use(access::Users next);

  // A new connection, whose certificate names this user.
  void take_certificate(Session& session, std::string_view name);
  [[nodiscard]] engine::Outcome authenticate(admin::Request const& request) override;
  // A message, or one whose value begins, that came with a token: handled as the token's user, now or once it is
  // verified; then `message` is another one. One that is signed is handled now: as its user, or of nobody with the
  // rights that its session has.
  void carry_out(Session& session, Message& message, Protocol::Piece const& piece);
  void session_ended(ConnectionId connection);
  // A job of HashRunner was run.
  void hash_done(std::unique_ptr<access::HashJob> job);
  // Carries out what was verified, and closes sessions whose users are gone.
  void end_turn();
  [[nodiscard]] std::int64_t next_us() const { return logins_.next_us(); }
  [[nodiscard]] access::Logins::Counters const& counters() const { return logins_.counters(); }

 private:
  // The message that waits for a token: AUTH itself, without its token, or a message that came with one.
  struct Held {
    Message message;          // owned
    Protocol::Piece piece{};  // without what it borrows, but for `value`
    std::string value{};      // which is this
    bool is_auth{false};
    std::string claimed;
    std::size_t bytes{0};  // of memory
  };

  void carry_out_signed(Session& session, Message& message, Protocol::Piece const& piece);
  void hold(Session& session, Held held);
  void settle(Session& session, Held& held, access::Logins::Outcome const& outcome);
  void log_in(Session& session, access::UserPtr const& user) const;
  void log_out(Session& session) const;
  void carry_out_as(Session& session, Message& message, Protocol::Piece const& piece, access::UserPtr const& user);
  void let_go(Session& session);
  void tell(Session const& session, Answer& answer) const;

  Connections& connections_;
  Commands& commands_;
  Audit& audit_;
  TimeKeeper& time_;
  env::Network& network_;
  AccessHost& host_;
  access::Logins logins_;
  std::map<ConnectionId, Held> held_;
  std::vector<ConnectionId> to_close_;
  Answer answer_;  // memory that is reused
};

}  // namespace fastjournal::server
