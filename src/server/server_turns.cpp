// The end of a turn: the logs are written and synced, and only then its output is sent. If a sync runs on a thread,
// turns continue meanwhile, and their output waits in order.
#include <algorithm>

#include "server/server.h"

namespace fastjournal::server {
namespace {

// An idle log stamps its last sync after this long: from then on damage to that batch is told from a torn tail.
constexpr std::int64_t kStampAfterUs = 5'000;
// Output is sent only if the folders were checked within this time. A check after each sync would cost two system calls
// a turn; a check on a thread could not hold answers back. An idle loop acknowledges nothing and checks rarely.
constexpr std::int64_t kLookEveryUs = 100'000;
constexpr std::int64_t kIdleLookEveryUs = 10'000'000;
// The most turns that wait for a sync; beyond it the loop waits too.
constexpr std::size_t kTurnsWaitingMax = 65'536;

bool syncs_by_interval(storage::FileLog const& log) { return log.options().sync == storage::SyncPolicy::interval; }

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
    for (ServedLog const& served : logs_)
      if (!syncs_by_interval(*served.log)) served.log->want_sync();
  if (!commit_logs()) return;
  end_part(Part::log);
  feeds_.send(time_.monotonic_us());
  again = engine_.committed(now) || again;
  if (!logs_are_well() || !look_at_folders()) return;
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
bool Server::commit_logs() {
  host_.collect_work();
  for (ServedLog& served : logs_)
    if (Status const status = commit_log(served); !status.ok()) return die(status);
  return true;
}

Status Server::commit_log(ServedLog& served) {
  storage::FileLog& log = *served.log;
  // Between two turns: the header of a container.
  if (!log.error().ok()) return log.error();
  log.end_turn();
  bool const too_much = log.unsynced_bytes() > log.options().write_buffer_bytes || waiting_.size() >= kTurnsWaitingMax;
  if (log.is_flushing() && too_much) host_.wait_for_flush(log);
  // Records that wait for a sync share one batch with later ones until the current sync has ended.
  if (log.is_flushing() && log.needs_sync()) return log.error();
  std::int64_t const now_us = time_.monotonic_us();
  bool const elsewhere = syncs_elsewhere(log);
  Status status = log.error();
  if (status.ok() && log.end_lsn() != log.written_lsn()) {
    if (!log.has_unsynced()) served.sync_at_us = now_us + std::int64_t{log.options().sync_interval_ms} * 1000;
    status = log.needs_sync() && !elsewhere ? log.write_synced(&time_.clock()) : log.write();
    ++counters_.commits;
    served.stamp_at_us = now_us + kStampAfterUs;
  } else if (log.needs_stamp() && now_us >= served.stamp_at_us) {
    status = log.write_stamp();
  }
  bool const interval_over = syncs_by_interval(log) && log.has_unsynced() && now_us >= served.sync_at_us;
  if (status.ok() && !log.is_flushing() && (log.needs_sync() || interval_over)) status = sync_log(log, elsewhere);
  if (status.ok())
    if (std::unique_ptr<storage::Chore> chore = log.take_chore()) host_.run_chore(log, std::move(chore));
  if (status.ok() && log.options().scrub_ms != 0) scrub_log(served);
  return status;
}

bool Server::syncs_elsewhere(storage::FileLog const& log) {
  switch (log.options().sync_place) {
    case storage::SyncPlace::on_loop: return false;
    case storage::SyncPlace::on_thread: return true;
    case storage::SyncPlace::automatic: break;
  }
  return log.sync_times().are_slow();
}

Status Server::sync_log(storage::FileLog& log, bool elsewhere) {
  std::unique_ptr<storage::Flush> flush = log.take_flush();
  if (elsewhere) {
    host_.run_flush(log, std::move(flush));
  } else {
    flush->run(time_.clock());
    log.finish_flush(std::move(flush));
  }
  return log.error();
}

// A log may have failed while it made room, for a refused command or for copying forward: then the daemon must end
// although nothing was written since.
bool Server::logs_are_well() {
  for (ServedLog const& served : logs_)
    if (!served.log->error().ok()) return die(served.log->error());
  return true;
}

// Writes to a removed file, or in a replaced folder, succeed: only a check can detect that. False: the daemon
// acknowledges nothing from here on.
bool Server::look_at_folders() {
  std::int64_t const now_us = time_.monotonic_us();
  if (now_us - looked_at_us_ < kLookEveryUs) return true;
  looked_at_us_ = now_us;
  for (ServedLog const& served : logs_)
    if (Status const status = served.log->look(); !status.ok()) return die(status);
  return true;
}

Result<storage::FileLog::Snapshot> Server::pin(ServedLog& served) {
  if (served.log->is_flushing()) host_.wait_for_flush(*served.log);
  Result<storage::FileLog::Snapshot> pinned = served.log->pin();
  served.stamp_at_us = time_.monotonic_us() + kStampAfterUs;
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
    if (served.log->needs_sync()) turn.needs.emplace_back(served.log, served.log->needed_lsn());
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
  std::int64_t wake = std::min(time_.monotonic_of(engine_.next_due()), looked_at_us_ + kIdleLookEveryUs);
  wake = std::min({wake, next_link_us(), feeds_.next_us(), silence_.next_us(), next_memory_us()});
  if (unwell_) wake = std::min(wake, slew_at_us_);
  for (ServedLog const& served : logs_) {
    if (served.log->options().scrub_ms != 0) wake = std::min(wake, served.scrub_at_us);
    if (served.log->needs_stamp()) wake = std::min(wake, served.stamp_at_us);
    // The end of a running flush causes a turn.
    if (syncs_by_interval(*served.log) && served.log->has_unsynced() && !served.log->is_flushing())
      wake = std::min(wake, served.sync_at_us);
  }
  network_.wake_at(wake);
  if (again) network_.turn_again();
}

}  // namespace fastjournal::server
