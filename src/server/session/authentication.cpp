#include "server/session/authentication.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "config/access/secret.h"

namespace fastjournal::server {
namespace {

bool is_as_before(access::Users const& users, access::UserPtr const& user) {
  access::UserPtr const now = users.find(user->name);
  return now != nullptr && *now == *user;
}

}  // namespace

// ---------------------------------------------------------------------------
// Users

Status Authentication::begin() {
  Result<access::Users> users = host_.read_users();
  if (!users.ok()) return users.status();
  use(std::move(users).value());
  return {};
}

std::vector<std::string> Authentication::changes(access::Users const& next) const {
  std::vector<std::string> out;
  for (auto const& [name, user] : logins_.users().all())
    if (access::UserPtr const now = next.find(name); now == nullptr)
      out.push_back("user " + name + " removed");
    else if (*now != *user)
      out.push_back("user " + name + " changed");
  for (auto const& [name, user] : next.all())
    if (logins_.users().find(name) == nullptr) out.push_back("user " + name + " added");
  return out;
}

void Authentication::use(access::Users next) {
  logins_.use(std::move(next));
  access::Users const& users = logins_.users();
  connections_.listeners.have_users(users.size() != 0);
  connections_.sessions.for_each([&](Session& session) {
    bool const user_changed = session.who.user != nullptr && !is_as_before(users, session.who.user);
    bool const token_changed = session.token_user != nullptr && !is_as_before(users, session.token_user);
    if (!user_changed && !token_changed) return;
    if (user_changed) log_out(session);
    bool const is_busy = session.life.may_be_silent || session.life.waiting != 0 || session.protocol->is_answering();
    if (user_changed || is_busy) to_close_.push_back(session.id);
    if (token_changed) session.token_user = nullptr;
  });
  if (to_close_.empty()) return;
  std::sort(to_close_.begin(), to_close_.end());
  network_.turn_again();
}

// ---------------------------------------------------------------------------
// Logins

void Authentication::take_certificate(Session& session, std::string_view name) {
  access::UserPtr const user = logins_.users().find(name);
  logins_.count_certificate(user != nullptr);
  if (user != nullptr)
    log_in(session, user);
  else
    audit_.login_failed(session, name, "CERTIFICATE", {Code::not_allowed, "there is no such user"});
}

engine::Outcome Authentication::authenticate(admin::Request const& request) {
  Session* const session = connections_.sessions.find(request.caller.connection);
  if (session == nullptr || session->life.is_ending()) return {};
  session->in.has_token = true;
  if (session->is_link() || connections_.listeners.of(session->listener).make_protocol)
    return Status{
        Code::not_supported,
        "AUTH needs a connection of messages to the daemon of its own; other protocols send a token with each "
        "request"};
  std::string_view const claimed = request.message.text("user");
  std::optional<access::Logins::Outcome> outcome =
      logins_.begin(session->id, {.token = request.message.text("token"), .user = claimed, .origin = session->origin},
                    time_.monotonic_us());
  if (!outcome) {
    Held held{.message = Message{"AUTH"}, .is_auth = true, .claimed = std::string{claimed.substr(0, 64)}, .bytes = 0};
    if (Value const* const name = request.message.find("request")) held.message.set("request", *name);
    held.message.own();
    hold(*session, std::move(held));
    return {};
  }
  if (outcome->user == nullptr) {
    audit_.login_failed(*session, claimed, "AUTH", outcome->status);
    return std::move(outcome->status);
  }
  log_in(*session, outcome->user);
  tell(*session, request.answer);
  return {};
}

void Authentication::carry_out(Session& session, Message& message, Protocol::Piece const& piece) {
  if (piece.token.empty() && piece.signature != nullptr) return carry_out_signed(session, message, piece);
  session.in.has_token = true;
  std::optional<access::Logins::Outcome> const outcome =
      logins_.begin(session.id, {.token = piece.token, .user = {}, .origin = session.origin}, time_.monotonic_us());
  if (!outcome) {
    Held held{.message = {}, .is_auth = false, .claimed = {}, .bytes = piece.bytes + Arena::kFirstBlockBytes};
    held.piece = piece;
    held.piece.token = held.piece.content = {};
    held.piece.signature = nullptr;
    held.value = piece.value;
    message.own();
    held.message = std::move(message);
    message = Message{};  // its arena went with the other one
    return hold(session, std::move(held));
  }
  if (outcome->user != nullptr) return carry_out_as(session, message, piece, outcome->user);
  audit_.login_failed(session, {}, message.command, outcome->status);
  commands_.dispatch.refuse(session, message, outcome->status);
}

void Authentication::carry_out_signed(Session& session, Message& message, Protocol::Piece const& piece) {
  bool const may_be_nobody = !session.who.rights.is_empty() || session.who.user != nullptr;
  access::Logins::Signer const signer =
      logins_.check(*piece.signature, session.origin, may_be_nobody, time_.clock().wall_us(), time_.monotonic_us());
  if (signer.user != nullptr) return carry_out_as(session, message, piece, signer.user);
  if (signer.status.ok()) return commands_.dispatch.handle(session, message);
  audit_.login_failed(session, piece.signature->user, message.command, signer.status, signer.reason);
  commands_.dispatch.refuse(session, message, signer.status);
}

void Authentication::hold(Session& session, Held held) {
  session.life.waits_for = WaitsFor::login;
  ++session.life.waiting;
  session.account.kept += held.bytes;
  connections_.sessions.count(session);
  held_.insert_or_assign(session.id, std::move(held));
}

void Authentication::log_in(Session& session, access::UserPtr const& user) const {
  session.who = {.rights = access::united(connections_.listeners.of(session.listener).rights, user->everywhere()),
                 .user = user,
                 .origin = "user:" + user->name};
}

void Authentication::log_out(Session& session) const {
  session.who = {.rights = connections_.listeners.of(session.listener).rights};
}

void Authentication::carry_out_as(Session& session, Message& message, Protocol::Piece const& piece,
                                  access::UserPtr const& user) {
  Identity before = session.who;
  log_in(session, user);
  session.token_user = user;
  if (piece.kind == Protocol::Kind::begin)
    commands_.stored_commands.begin(session, message, piece);
  else
    commands_.dispatch.handle(session, message);
  session.who = std::move(before);
  // The message may have been a RELOAD, which did not see him.
  if (session.who.user == nullptr || is_as_before(logins_.users(), session.who.user)) return;
  log_out(session);
  to_close_.push_back(session.id);
}

void Authentication::session_ended(ConnectionId connection) {
  if (held_.erase(connection) != 0) logins_.forget(connection);
}

void Authentication::hash_done(std::unique_ptr<access::HashJob> job) {
  logins_.finish(std::move(job), time_.monotonic_us());
  network_.turn_again();
}

// ---------------------------------------------------------------------------
// The end of a turn

void Authentication::end_turn() {
  if (held_.empty() && to_close_.empty()) return;
  for (access::Logins::Outcome const& outcome : logins_.take_outcomes(time_.monotonic_us())) {
    auto const found = held_.find(outcome.who);
    Session* const session = connections_.sessions.find(outcome.who);
    if (found == held_.end() || session == nullptr) continue;
    Held held = std::move(found->second);
    held_.erase(found);
    session->go_on();
    session->account.kept -= held.bytes;
    connections_.sessions.mark_dirty(*session);
    if (!session->life.is_ending()) settle(*session, held, outcome);
    connections_.sessions.end_if_wanted(*session);
    connections_.sessions.count(*session);
  }
  for (ConnectionId const id : std::exchange(to_close_, {}))
    if (Session* const session = connections_.sessions.find(id); session != nullptr && !session->life.is_ending())
      let_go(*session);
}

void Authentication::settle(Session& session, Held& held, access::Logins::Outcome const& outcome) {
  if (outcome.user == nullptr) audit_.login_failed(session, held.claimed, held.message.command, outcome.status);
  held.piece.value = held.value;
  if (outcome.user != nullptr && !held.is_auth) return carry_out_as(session, held.message, held.piece, outcome.user);
  if (!held.is_auth) return commands_.dispatch.refuse(session, held.message, outcome.status);
  answer_.clear();
  if (outcome.user != nullptr) {
    log_in(session, outcome.user);
    tell(session, answer_);
  }
  connections_.replies.reply(session, held.message, answer_, outcome.status);
}

// Its user is not what he was.
void Authentication::let_go(Session& session) {
  answer_.clear();
  // Another protocol cannot say it: it has an answer under way, or nothing to answer.
  if (!connections_.listeners.of(session.listener).make_protocol)
    connections_.replies.reply(
        session, Message{"AUTH"}, answer_,
        Status{Code::not_allowed, "the user of this connection was changed or removed: connect again"});
  connections_.sessions.end_after_answers(session);
}

void Authentication::tell(Session const& session, Answer& answer) const {
  answer.message("AUTHENTICATED").add("user", std::string_view{session.who.user->name});
  if (std::string const& bound = connections_.listeners.of(session.listener).table; !bound.empty()) {
    answer.add("rights", std::string_view{access::united(session.who.rights, session.who.user->on(bound)).names()});
    answer.add("table", std::string_view{bound});
    return;
  }
  answer.add("rights", std::string_view{session.who.rights.names()});
  if (session.who.user->has_grants_for_tables())
    answer.add("grants", std::string_view{session.who.user->grants_for_tables()});
}

}  // namespace fastjournal::server
