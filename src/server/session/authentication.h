// Who a session is: AUTH, tokens that come with a message (Protocol::Piece), certificates of clients, and what a reload of
// the users changes. While a token is being verified its session is not read, and others go on. Owned by the server.
//
// A session has the rights of its listener and those of its user. Those of a token that came with a message hold for that
// message. A session whose user was changed or removed by a reload is closed: rows that it waits for or listens to end
// with it, and a new login shows what it may do now.
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
#include "server/answers/replies.h"
#include "server/audit.h"
#include "server/dispatch/dispatch.h"
#include "server/listeners.h"
#include "server/server_host.h"
#include "server/session/sessions.h"
#include "server/time_keeper.h"

namespace fastjournal::server {

// Begins a value that comes in pieces (stored_commands.h).
class ContentBegin {
 public:
  virtual void begin(Session& session, Message& message, Protocol::Piece const& piece) = 0;

 protected:
  ~ContentBegin() = default;
};

class Authentication final : public admin::Authenticating {
 public:
  Authentication(env::Network& network, Sessions& sessions, Listeners& listeners, Replies& replies, Dispatch& dispatch,
                 ContentBegin& contents, Audit& audit, TimeKeeper& time, AccessHost& host)
      : network_(network),
        sessions_(sessions),
        listeners_(listeners),
        replies_(replies),
        dispatch_(dispatch),
        contents_(contents),
        audit_(audit),
        time_(time),
        host_(host),
        logins_(host, host.login_key()) {}

  // The users at the start.
  [[nodiscard]] Status begin();
  // One sentence for each change from the present users to these.
  [[nodiscard]] std::vector<std::string> changes(access::Users const& next) const;
  void use(access::Users next);

  // A new connection, whose certificate names this user.
  void take_certificate(Session& session, std::string_view name);
  void authenticate(admin::Request& request) override;
  // A message, or one whose value begins, that came with a token: handled as the token's user, now or once it is
  // verified; then `message` is another one.
  void carry_out(Session& session, Message& message, Protocol::Piece const& piece);
  // Its message waits for its token, and nothing follows it.
  void end_after(Session& session) { held_.at(session.id).ends = true; }
  void session_ended(ConnectionId connection);
  // A job of HashRunner was run.
  void hash_done(std::unique_ptr<access::HashJob> job);
  // Carries out what was verified, and closes sessions whose users are gone.
  void end_turn();
  [[nodiscard]] std::int64_t next_us() const { return logins_.next_us(); }
  [[nodiscard]] access::Logins::Counters const& counters() const { return logins_.counters(); }

 private:
  // What waits for a token: AUTH itself, without its token, or a message that came with one.
  struct Held {
    Message message;          // owned
    Protocol::Piece piece{};  // without what it borrows, but for `value`
    std::string value{};      // which is this
    bool is_auth{false};
    std::string claimed;
    std::size_t bytes{0};  // of memory
    bool ends{false};      // the connection ends with its answer
  };

  void hold(Session& session, Held held);
  void settle(Session& session, Held& held, access::Logins::Outcome const& outcome);
  void log_in(Session& session, access::UserPtr const& user) const;
  void carry_out_as(Session& session, Message& message, Protocol::Piece const& piece, access::UserPtr const& user);
  void let_go(Session& session);
  void tell(Session const& session, Answer& answer) const;

  env::Network& network_;
  Sessions& sessions_;
  Listeners& listeners_;
  Replies& replies_;
  Dispatch& dispatch_;
  ContentBegin& contents_;
  Audit& audit_;
  TimeKeeper& time_;
  AccessHost& host_;
  access::Logins logins_;
  std::map<ConnectionId, Held> held_;
  std::vector<ConnectionId> to_close_;
  Answer answer_;  // memory that is reused
};

}  // namespace fastjournal::server
