#include "server/session/long_answers.h"

#include <algorithm>
#include <utility>

namespace fastjournal::server {

void LongAnswers::take(Session& session, Message const& command, std::unique_ptr<engine::LongAnswer> parts,
                       engine::Basis const& basis) {
  Waiting waiting{.connection = session.id, .command = {}, .parts = std::move(parts), .basis = basis};
  keep_for_answer(command, waiting.command);
  keep(session, waiting, waiting.parts->bytes());
  session.life.waits_for = WaitsFor::parts;
  ++session.life.waiting;
  sessions_.count(session);
  // The end of this turn goes on with it.
  waiting_.push_back(std::move(waiting));
}

bool LongAnswers::go_on(TimeMs now) {
  bool again = false;
  bool is_first = true;
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    if (!is_first && turn_.budget().is_over()) return true;
    Waiting waiting = std::move(waiting_.front());
    waiting_.pop_front();
    Session* const session = sessions_.find(waiting.connection);
    if (session == nullptr) continue;
    std::uint64_t following = 1;
    if (session->out.unsent() <= kUnsentMax) {
      is_first = false;
      tell(*session, waiting, now, following);
      again = again || following != 0;
    }
    if (following == 0)
      end(*session);
    else
      waiting_.push_back(std::move(waiting));
  }
  return again;
}

void LongAnswers::tell(Session& session, Waiting& waiting, TimeMs now, std::uint64_t& left) {
  answer_.clear();
  left = waiting.parts->tell(now, answer_);
  session.life.waits_for = WaitsFor::nothing;
  replies_.reply_part(session, waiting.command, answer_, left, waiting.basis);
  session.life.waits_for = WaitsFor::parts;
  keep(session, waiting, left == 0 ? 0 : waiting.parts->bytes());
  sessions_.count(session);
  // So much that the clock is read.
  turn_.budget().spend(TurnBudget::kWorkUnitsPerReading);
}

void LongAnswers::end(Session& session) {
  session.go_on();
  session.out.bytes += std::exchange(session.out.aside, {});
  sessions_.mark_dirty(session);
  sessions_.end_if_wanted(session);
  sessions_.count(session);
}

void LongAnswers::keep(Session& session, Waiting& waiting, std::uint64_t bytes) {
  session.account.kept += bytes - std::exchange(waiting.bytes, bytes);
}

void LongAnswers::session_ended(ConnectionId connection) {
  std::erase_if(waiting_, [connection](Waiting const& waiting) { return waiting.connection == connection; });
}

}  // namespace fastjournal::server
