// Admission of connections, and the end of silent ones.
#include <algorithm>

#include "server/server.h"
#include "wire/text.h"

namespace fastjournal::server {
namespace {

// The most silent connections closed in one turn.
constexpr int kSilentEndsMax = 256;
constexpr std::int64_t kNoteAgainAfterUs = 10'000'000;

std::string in_words(std::int64_t us) { return std::to_string(us / 1'000'000) + " s"; }

}  // namespace

std::string refusal_line(std::string_view why) {
  // There was no command yet, but an ERROR always names one.
  Param const params[] = {{"command", Value::of_text("CONNECT")},
                          {"code", Value::of_text(row_of(Code::over_limit).wire_name)},
                          {"message", Value::of_text(why)}};
  std::string out;
  static_cast<void>(wire::append_line({.command = "ERROR", .params = params}, out));
  return out;
}

void Server::add_listener(std::uint32_t number, Listener listener) {
  if (listeners_.size() <= number) listeners_.resize(number + 1);
  listeners_[number] = std::move(listener);
}

Listener const& Server::listener_of(Session const& session) const {
  return listeners_[session.listener < listeners_.size() ? session.listener : 0];
}

void Server::refuse(ConnectionId id, std::string_view peer, Status const& why) {
  ++counters_.connections_refused;
  static_cast<void>(network_.send(id, refusal_line(why.message())));
  network_.close(id);
  std::int64_t const now_us = time_.monotonic_us();
  if (now_us < refusal_note_at_us_) return;
  refusal_note_at_us_ = now_us + kNoteAgainAfterUs;
  host_.note("connections are refused (" + std::to_string(counters_.connections_refused) +
             " so far), the last one of " + std::string{peer} + ": " + why.message());
}

void Server::show_out(Session& session, std::string_view why) {
  answer_.clear();
  message_.clear();
  message_.command = "CONNECT";
  reply(session, message_, answer_, Status{Code::over_limit, std::string{why}});
  end_after_answers(session);
}

bool Server::end_silent() {
  std::int64_t const now_us = time_.monotonic_us();
  for (int left = kSilentEndsMax; left > 0; --left) {
    Session* const session = silence_.first_over(now_us);
    if (session == nullptr) return false;
    if ((session->listens || session->waiting != 0) && session->in.empty()) {
      silence_.heard(*session, now_us);
      continue;
    }
    ++counters_.connections_silent;
    show_out(*session,
             session->is_known
                 ? "nothing was said for " + in_words(limits_.connections.idle_us) + " (<limits idle=\"...\">): closed"
                 : "no whole message came within " + in_words(limits_.connections.first_message_us) +
                       " (<limits first-message=\"...\">): closed");
  }
  return true;
}

// Called for each read: without a limit only new connections cost anything.
void Server::heard(Session& session) {
  if (!session.is_known || session.link || session.ending) return;
  if (session.silence != nullptr || silence_.watches_idle()) silence_.heard(session, time_.monotonic_us());
}

// Before it is erased.
void Server::forget(Session& session) {
  if (session.dirty) std::erase(dirty_, &session);
  silence_.end(session);
  admission_.leave(session.origin, session.place);
  memory_.close(session.account, session.origin);
}

}  // namespace fastjournal::server
