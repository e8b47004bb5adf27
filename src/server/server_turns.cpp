// The end of a turn: the logs are written and synced, and only then its output is sent.
//
// Output waits per session and per log. A session's stream of answers has marks (session.h): the bytes from here on
// depend on this log, up to that LSN. Bytes are sent up to the first mark whose log is not durable so far. So answers
// keep their order, and a log that is slow or away delays only the sessions that used it.
//
// An answer depends on the state that it may have read. A table's state changes before its records are durable, and
// reads see that: so every answer to a command on a table, and every push of it, depends on the table's log up to the
// end of the turn, whatever the command itself appended. That is LogStore::needed_lsn() at the end of the turn: it
// covers everything that was decided so far and promised `synced`. Records that were promised `written` only (leases)
// may be lost in a power cut after the answer; the promise allows that.
//
// Commands on all tables (STATS, TABLES, ALERTS, DIGEST, RELOAD) depend on all logs. Their answers leave out the logs
// that do not serve, so that an administrator can ask what is wrong. A table reads no other table, and the engine's
// other state (memory in use, listeners) is not durable; so no other answer shows the state of a log that it does not
// depend on. A client that acts on an answer acts on durable state, in whichever table. Answers without table state
// (HELP, an unknown command, an invalid line) depend on no log, and only keep their order.
//
// An alert depends on the log that holds it. Feeds send durable records (feeds.cpp).
//
// If a log is fenced, the outcome of its pending records is unknown. Sessions that wait for it are closed, as after a
// lost connection: the client asks again. If a log is unavailable, they continue to wait.
//
// Only a local log can fail (Standing::failed): then the daemon ends.
#include <algorithm>

#include "server/server.h"

namespace fastjournal::server {
namespace {

// The most entries that wait for one log; beyond it the loop waits too, if the log is local.
constexpr std::size_t kWaitingMax = 65'536;

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
  for (ServedLog& served : logs_) end_log_turn(served);
  return logs_are_well();
}

void Server::end_log_turn(ServedLog& served) {
  core::LogStore& log = *served.log;
  if (log.is_full() || (served.sessions.size() >= kWaitingMax && log.is_local())) host_.wait_for_sync(log);
  if (log.end_turn(time_.monotonic_us())) ++counters_.commits;
  std::int64_t const now_us = time_.monotonic_us();
  for (core::Lane const lane : core::kLanes)
    if (std::unique_ptr<core::LogJob> job = log.take_job(lane, now_us)) host_.run_job(log, lane, std::move(job));
  tell_news(log);
  if (log.standing() != served.standing) note_standing(served);
}

void Server::note_standing(ServedLog& served) {
  core::LogStore const& log = *served.log;
  served.standing = log.standing();
  bool const serves = served.standing == core::Standing::serving;
  std::string text = "log " + log.name() + " is " + std::string{name_of(served.standing)};
  if (serves)
    host_.inform(text + " again");
  else
    host_.note(text.append(": ").append(log.why().message()));
  for (auto const& hosted : engine_.logs())
    if (hosted->log == &log) engine_.set_serving(*hosted, serves, serves ? std::string{} : text);
  network_.turn_again();
  if (served.standing != core::Standing::fenced) return;
  for (auto const& [lsn, id] : std::exchange(served.sessions, {}))
    if (Session* const session = session_of(id)) close(*session);
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

Server::ServedLog* Server::served_of(core::Log const* log) {
  for (ServedLog& served : logs_)
    if (served.log == log) return &served;
  return nullptr;
}

// One mark for each log and turn is enough: everything after it waits for it too.
void Server::rest_on(Session& session, core::Log const& log) {
  for (std::size_t i = session.marks_closed; i < session.marks.size(); ++i)
    if (session.marks[i].log == &log) return;
  session.marks.push_back({.begin = session.before + session.out.size(), .log = &log});
}

void Server::rest_on_all(Session& session) {
  for (ServedLog const& served : logs_)
    if (served.standing == core::Standing::serving) rest_on(session, *served.log);
}

// The output of this turn is sent now, or waits for the syncs that it needs, after earlier output.
void Server::leave() {
  for (ServedLog& served : logs_) {
    served.needed = served.log->needed_lsn();
    served.is_behind = served.log->durable_lsn() < served.needed;
  }
  for (ServedLog& served : logs_) release(served);
  leave_notices();
  // Moved out first: messages that flushing makes room for belong to the next turn.
  flushing_.swap(dirty_);
  for (Session* const session : flushing_) {
    session->dirty = false;
    close_marks(*session);
    session->commit();
    flush(*session);
  }
  flushing_.clear();
  if (!dirty_.empty()) network_.turn_again();
}

void Server::leave_notices() {
  for (core::AlertNotice& notice : engine_.take_notices()) {
    ServedLog* const served = served_of(notice.log);
    if (served != nullptr && (served->is_behind || !served->notices.empty()))
      served->notices.emplace_back(served->needed, std::move(notice));
    else
      tell_alert(notice);
  }
}

// Output that waited for this log, as far as it is durable.
void Server::release(ServedLog& served) {
  Lsn const durable = served.log->durable_lsn();
  while (!served.notices.empty() && served.notices.front().first <= durable) {
    core::AlertNotice const notice = std::move(served.notices.front().second);
    served.notices.pop_front();
    tell_alert(notice);
  }
  while (!served.sessions.empty() && served.sessions.front().first <= durable) {
    ConnectionId const id = served.sessions.front().second;
    served.sessions.pop_front();
    if (Session* const session = session_of(id)) release(*session);
  }
}

void Server::release(Session& session) {
  auto const holds = [](Mark const& mark) { return mark.log->durable_lsn() < mark.lsn; };
  auto const closed = session.marks.begin() + static_cast<std::ptrdiff_t>(session.marks_closed);
  auto const first = std::find_if(session.marks.begin(), closed, holds);
  session.marks_closed -= static_cast<std::size_t>(first - session.marks.begin());
  session.marks.erase(session.marks.begin(), first);
  session.commit();
  flush(session);
}

// At the end of the turn the LSN of its marks is known.
void Server::close_marks(Session& session) {
  std::size_t kept = session.marks_closed;
  for (std::size_t i = session.marks_closed; i < session.marks.size(); ++i) {
    Mark const& mark = session.marks[i];
    ServedLog* const served = served_of(mark.log);
    if (served == nullptr || !served->is_behind) continue;
    served->sessions.emplace_back(served->needed, session.id);
    session.marks[kept++] = {mark.begin, mark.log, served->needed};
  }
  session.marks.resize(kept);
  session.marks_closed = kept;
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
