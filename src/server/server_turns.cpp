// The end of a turn: the logs are written and synced, and only then its output is sent. If a sync runs on a thread,
// turns continue meanwhile, and their output waits in order.
#include <algorithm>

#include "server/server.h"

namespace fastjournal::server {
namespace {

// Turns that wait for a sync; then the loop waits too.
constexpr std::size_t kTurnsWaitingMax = 65'536;

}  // namespace

TimeMs Server::turn_now() {
  if (!now_known_) {
    TimeKeeper::Lost const lost = time_.look();
    now_ = time_.seen();
    now_known_ = true;
    if (lost.any()) lose_time(lost);
  }
  return now_;
}

void Server::begin_turn() {
  if (budget_.begin()) record_.begin(budget_.began_us());
}

void Server::end_part(TurnRecord::Part part) { record_.end(part, time_.monotonic_us()); }

void Server::on_turn_end() {
  using Part = TurnRecord::Part;
  if (dead_) return;
  ++counters_.turns;
  begin_turn();
  read_those_in_line();
  end_part(Part::commands);
  now_known_ = false;
  TimeMs const now = turn_now();
  bool again = engine_.next_due() <= now && engine_.run_timers(now);
  end_part(Part::timers);
  again = engine_.end_of_turn(now) || again;
  end_part(Part::listeners);
  if (feeds_.wants_sync(time_.monotonic_us()))
    for (ServedLog const& served : logs_) served.log->sync_soon();
  if (!end_logs_turn()) return;
  end_part(Part::log);
  feeds_.send(time_.monotonic_us());
  again = engine_.committed(now) || again;
  if (!logs_are_well()) return;
  end_part(Part::copying);
  tick_links();
  again = end_silent() || again;
  leave();
  if (!lost_.empty() || memory_ended_ || host_.has_memory_ended()) look_after_memory();
  if (memory_ended_ || memory_.is_short() || was_short_ || !stopped_.empty() || !let_on_.empty()) relieve_memory();
  end_part(Part::sending);
  record_.end_turn();
  budget_.end();
  now_known_ = false;
  schedule(again);
}

// ---------------------------------------------------------------------------
// Logs

// False: the daemon is dead from here on.
bool Server::end_logs_turn() {
  host_.collect_work();
  for (ServedLog& served : logs_) end_log_turn(*served.log);
  return logs_are_well();
}

void Server::end_log_turn(core::LogStore& log) {
  if (log.is_full() || waiting_.size() >= kTurnsWaitingMax) host_.wait_for_sync(log);
  if (log.end_turn(time_.monotonic_us())) ++counters_.commits;
  std::int64_t const now_us = time_.monotonic_us();
  for (core::Lane const lane : core::kLanes)
    if (std::unique_ptr<core::LogJob> job = log.take_job(lane, now_us)) host_.run_job(log, lane, std::move(job));
  tell_news(log);
}

void Server::tell_news(core::LogStore& log) {
  for (core::LogNews const& news : log.take_news()) {
    if (news.alert.empty())
      host_.note(news.text);
    else
      raise_alert(news.alert, news.priority, news.text, "log,manual");
  }
}

// A log may have failed while it made room, for a refused command or for copying forward: then the daemon must end
// although nothing was written since.
bool Server::logs_are_well() {
  for (ServedLog const& served : logs_)
    if (served.log->standing() == core::Standing::failed) return die(served.log->why());
  return true;
}

Result<core::LogSnapshot> Server::pin(core::LogStore& log) {
  host_.wait_for_sync(log);
  Result<core::LogSnapshot> pinned = log.pin();
  if (!pinned.ok()) die(pinned.status());
  return pinned;
}

bool Server::die(Status const& status) {
  dead_ = true;
  host_.fatal(status);
  return false;
}

// ---------------------------------------------------------------------------
// Output

// The output of this turn is sent now, or waits for the syncs that it needs, after that of earlier turns.
void Server::leave() {
  WaitingTurn turn;
  for (ServedLog const& served : logs_)
    if (served.log->durable_lsn() < served.log->needed_lsn())
      turn.needs.emplace_back(served.log, served.log->needed_lsn());
  if (turn.needs.empty() && waiting_.empty()) {
    tell_alerts(engine_.take_notices());
    // Moved out first: messages that flushing makes room for belong to the next turn.
    flushing_.swap(dirty_);
    for (Session* const session : flushing_) {
      session->dirty = false;
      session->committed = session->out.size();
      flush(*session);
    }
    flushing_.clear();
    return;
  }
  turn.notices = engine_.take_notices();
  for (Session* const session : dirty_) {
    session->dirty = false;
    turn.ends.emplace_back(session->id, session->before + session->out.size());
  }
  dirty_.clear();
  if (!turn.ends.empty() || !turn.notices.empty()) waiting_.push_back(std::move(turn));
  release_turns();
}

void Server::release_turns() {
  auto const holds = [](auto const& need) { return need.first->durable_lsn() < need.second; };
  while (!waiting_.empty() && std::none_of(waiting_.front().needs.begin(), waiting_.front().needs.end(), holds)) {
    WaitingTurn const turn = std::move(waiting_.front());
    waiting_.pop_front();
    tell_alerts(turn.notices);
    for (auto const& [id, end] : turn.ends) {
      auto const found = sessions_.find(id);
      if (found == sessions_.end()) continue;
      found->second->committed = static_cast<std::size_t>(end - found->second->before);
      flush(*found->second);
    }
  }
  if (!dirty_.empty()) network_.turn_again();
}

void Server::mark_dirty(Session& session) {
  if (session.dirty) return;
  session.dirty = true;
  dirty_.push_back(&session);
}

void Server::flush(Session& session) {
  if (session.sent < session.committed) {
    std::size_t const taken =
        network_.send(session.id, std::string_view{session.out}.substr(session.sent, session.committed - session.sent));
    counters_.bytes_out += taken;
    session.sent += taken;
    if (taken != 0 && session.is_known) heard(session);
    if (!session.pushed.empty()) measure_pushes(session);
  }
  if (session.unsent() == 0) {
    session.before += session.out.size();
    session.sent = session.committed = 0;
    clear_buffer(session.out);
    // Memory kept for reuse would count against it.
    if (memory_ended_ || memory_.is_short()) session.out.shrink_to_fit();
  } else if (session.sent > kBufferKeptBytes) {
    session.out.erase(0, session.sent);
    session.before += session.sent;
    for (Pushed& pushed : session.pushed) pushed.end -= session.sent;
    session.committed -= session.sent;
    session.sent = 0;
  }
  if (memory_.is_short() && session.out.capacity() > 2 * session.out.size() + kBufferKeptBytes)
    session.out.shrink_to_fit();
  count(session);
  if (session.told_full && may_go_on(session)) {
    session.told_full = false;
    engine_.writable(session.id);
    if (session.communicator)
      for (ConnectionId const sender : senders_.all()) engine_.writable(sender);
    network_.turn_again();
  }
  // A connection that is being closed and does not read is not waited for.
  if (session.ending && session.committed == session.out.size()) {
    close(session);
    return;
  }
  if (session.full && !session.ending && may_go_on(session)) {
    session.full = false;
    if (session.in.empty())
      pause_reading(session);
    else
      stand_in_line(session, first_in_line_);
    network_.turn_again();
  }
  if (session.input_ended && session.unsent() == 0 && !session.reading_paused && !session.in_line) close(session);
}

// The lateness of pushes that the kernel has accepted whole.
void Server::measure_pushes(Session& session) {
  std::int64_t const now_us = time_.now_us();
  auto const whole = std::find_if(session.pushed.begin(), session.pushed.end(),
                                  [&](Pushed const& pushed) { return pushed.end > session.sent; });
  for (auto pushed = session.pushed.begin(); pushed != whole; ++pushed)
    lateness_us_[static_cast<std::size_t>(pushed->mode)].add(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_us - pushed->due.value * 1000)));
  session.pushed.erase(session.pushed.begin(), whole);
}

void Server::schedule(bool again) {
  std::int64_t const monotonic = time_.monotonic_us();
  if (monotonic >= slew_at_us_) {
    slew_at_us_ = monotonic + TimeKeeper::kSlewEveryUs;
    check_health();
  }
  std::int64_t wake = time_.monotonic_of(engine_.next_due());
  wake = std::min({wake, next_link_us(), feeds_.next_us(), silence_.next_us(), next_memory_us()});
  if (unwell_) wake = std::min(wake, slew_at_us_);
  for (ServedLog const& served : logs_) wake = std::min(wake, served.log->next_us());
  network_.wake_at(wake);
  if (again) network_.turn_again();
}

}  // namespace fastjournal::server
