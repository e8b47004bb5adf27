// Which output may leave: at the end of a turn the logs are written and synced, and only then its output is sent. Owned
// by the server.
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
// Only a local log can fail (State::failed): then the daemon ends.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "base/env/network.h"
#include "engine/engine.h"
#include "fastjournal/types.h"
#include "log/alert_book.h"
#include "log/log_store.h"
#include "server/admin/command.h"
#include "server/logs/served_logs.h"
#include "server/session/output.h"
#include "server/session/sessions.h"

namespace fastjournal::server {

// Told of alerts once they are durable.
class AlertReceiver {
 public:
  virtual void tell_alert(log::AlertNotice const& notice) = 0;

 protected:
  ~AlertReceiver() = default;
};

class CommitPipeline {
 public:
  CommitPipeline(ServedLogs& logs, Sessions& sessions, Output& output, engine::Engine& engine, AlertReceiver& alerts,
                 env::Network& network)
      : logs_(logs), sessions_(sessions), output_(output), engine_(engine), alerts_(alerts), network_(network) {}

  // A log that recovered and is attached to the engine.
  void add(log::LogStore& log) {
    logs_.add(log);
    queues_.push_back({.log = &log});
  }

  // Output of this session from here on is sent when the log is durable up to the end of this turn. One mark
  // for each log and turn is enough: everything after it waits for it too.
  static void rest_on(Session& session, log::Log const& log) {
    for (std::size_t i = session.out.marks_closed; i < session.out.marks.size(); ++i)
      if (session.out.marks[i].log == &log) return;
    session.out.marks.push_back({.begin = session.out.written(), .log = &log});
  }
  // The same of every log that serves.
  void rest_on_all(Session& session) const;
  void rest_on(Session& session, engine::Basis const& basis) const {
    if (basis.log != nullptr) rest_on(session, *basis.log);
    if (basis.all) rest_on_all(session);
  }

  void add(log::SharedLog& log, engine::FollowedLog& followed) {
    logs_.add(log, followed);
    queues_.push_back({.log = &log});
  }

  // Writes and syncs what the turn decided. False: the daemon is dead.
  [[nodiscard]] bool commit_turn();
  // The output of this turn is sent now, or waits for the syncs that it needs, after earlier output.
  void leave();

 private:
  // The waiters of one log.
  struct Queue {
    log::LogStore* log{nullptr};
    Lsn needed{};           // of this turn,
    bool is_behind{false};  // which is not durable yet, or may not be told now
    bool is_held{false};    // nothing of it may be told: another node may be its owner by now
    // Until the log is durable up to there, by LSN: sessions with such a mark, and alerts.
    std::deque<std::pair<Lsn, ConnectionId>> sessions{};
    std::deque<std::pair<Lsn, log::AlertNotice>> notices{};
  };

  [[nodiscard]] Queue* queue_of(log::Log const* log);
  void close_all_resting_on(log::Log const& log);
  [[nodiscard]] bool is_held(Mark const& mark);
  void leave_notices();
  void release(Queue& queue);
  void release(Session& session);
  void close_marks(Session& session);

  ServedLogs& logs_;
  Sessions& sessions_;
  Output& output_;
  engine::Engine& engine_;
  AlertReceiver& alerts_;
  env::Network& network_;
  std::vector<Queue> queues_;  // in the order of the logs
  std::vector<Session*> flushing_;
};

}  // namespace fastjournal::server
