#include "server/session/sessions.h"

#include <utility>

#include "engine/files/readings.h"

namespace fastjournal::server {

Result<Session*> Sessions::admit(ConnectionId id, env::Peer const& peer, Rights rights,
                                 std::unique_ptr<Protocol> protocol) {
  auto session = std::make_unique<Session>(id, peer, std::move(protocol));
  Result<Admission::Place> const place = admission_.enter(session->origin, rights.has(Right::admin));
  if (!place.ok()) return place.status();
  session->life.place = place.value();
  session->who.rights = rights;
  silence_.begin(*session, time_.monotonic_us());
  memory_.open(session->account, session->origin);
  count(*session);
  return sessions_.emplace(id, std::move(session)).first->second.get();
}

Session& Sessions::open_link(ConnectionId id, env::Peer const& peer, Rights rights, Called called,
                             std::unique_ptr<Protocol> protocol) {
  Session& session = *sessions_.emplace(id, std::make_unique<Session>(id, peer, std::move(protocol))).first->second;
  memory_.open(session.account, session.origin);
  count(session);
  session.called = called;
  session.life.is_known = true;  // we called
  session.who.rights = rights;
  return session;
}

void Sessions::close(Session& session) {
  ConnectionId const id = session.id;
  network_.close(id);
  gone(id);
  network_.turn_again();  // the decisions about its leases must be committed
}

void Sessions::gone(ConnectionId id) {
  auto const found = sessions_.find(id);
  if (found == sessions_.end()) return;
  std::unique_ptr<Session> const session = std::move(found->second);
  sessions_.erase(found);
  forget(*session);
  end_.session_ended(*session);
}

void Sessions::end_after_answers(Session& session) {
  session.life.end = SessionLife::End::ending;
  // It is looked at when the turn ends: there may be nothing to be sent, and nothing more is read.
  mark_dirty(session);
  // A file that its peer does not read has no other end.
  if (session.out.files.empty()) silence_.end(session);
  clear_buffer(session.in.bytes);
  session.in.reading_paused = true;
  network_.pause_reading(session.id, true);
}

// Before it is erased.
void Sessions::forget(Session& session) {
  for (FileBytes const& one : session.out.files)
    if (one.owner != nullptr) one.owner->finish(one.reading);
  if (session.out.dirty) std::erase(dirty_, &session);
  if (session.speaks != Spoken::messages) --speaking_[static_cast<std::size_t>(session.speaks)];
  silence_.end(session);
  admission_.leave(session.origin, session.life.place);
  memory_.close(session.account, session.origin);
}

}  // namespace fastjournal::server
