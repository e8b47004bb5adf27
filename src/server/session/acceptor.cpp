#include "server/session/acceptor.h"

#include <string>

namespace fastjournal::server {
namespace {

// The most silent connections closed in one turn.
constexpr int kSilentEndsMax = 256;
constexpr std::int64_t kNoteAgainAfterUs = 10'000'000;

std::string in_words(std::int64_t us) { return std::to_string(us / 1'000'000) + " s"; }

}  // namespace

void Acceptor::admit(ConnectionId id, env::Peer const& peer) {
  Result<Session*> const session = connections_.sessions.admit(
      id, peer, connections_.listeners.of(peer.listener).rights, connections_.listeners.make_protocol(peer.listener));
  if (!session.ok()) return refuse(id, peer, session.status());
  ++counters_.connections;
  Listener const& listener = connections_.listeners.of(peer.listener);
  if (listener.make_protocol)
    connections_.sessions.speaks(*session.value(), listener.protocol == access::kHttp ? Spoken::http : Spoken::other);
  if (!peer.user.empty()) authentication_.take_certificate(*session.value(), peer.user);
}

void Acceptor::refuse(ConnectionId id, env::Peer const& peer, Status const& why) {
  ++counters_.refused;
  static_cast<void>(network_.send(id, refusal_by(*connections_.listeners.make_protocol(peer.listener), why.message())));
  network_.close(id);
  std::int64_t const now_us = time_.monotonic_us();
  if (now_us < note_at_us_) return;
  note_at_us_ = now_us + kNoteAgainAfterUs;
  notes_.note("connections are refused (" + std::to_string(counters_.refused) + " so far), the last one of " +
              std::string{peer.text} + ": " + why.message());
}

bool Acceptor::end_silent() {
  std::int64_t const now_us = time_.monotonic_us();
  for (int left = kSilentEndsMax; left > 0; --left) {
    Session* const session = connections_.sessions.first_silent(now_us);
    if (session == nullptr) return false;
    if ((session->life.may_be_silent || session->life.waiting != 0) && session->in.bytes.empty()) {
      connections_.sessions.excuse(*session, now_us);
      continue;
    }
    ++counters_.silent;
    if (session->life.is_known)
      show_out(*session, "idle", "nothing was said for " + in_words(limits_.idle_us));
    else
      show_out(*session, "first-message", "no whole message came within " + in_words(limits_.first_message_us));
  }
  return true;
}

// Sends the reason and closes.
void Acceptor::show_out(Session& session, std::string_view limit, std::string_view why) {
  // The reason would be taken for bytes of the file, or never be read.
  if (!session.out.files.empty()) return connections_.sessions.close(session);
  Answer answer;
  std::string const name{limit};
  Status const status{Code::over_limit, std::string{why} + " (<limits " + name + "=\"...\">): closed"};
  connections_.replies.reply(session, Message{"CONNECT"}, answer, Status{status}.with("limit", name));
  connections_.sessions.end_after_answers(session);
}

}  // namespace fastjournal::server
