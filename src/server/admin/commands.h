// Makes the daemon's own commands: one function for each, whose arguments are all that the command uses of the daemon.
// Higher layers are used through the small interfaces here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/types.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "log/shared_log.h"
#include "server/admin/backup.h"
#include "server/admin/command.h"
#include "server/admin/registry.h"
#include "server/communicator/aliases.h"
#include "server/communicator/service.h"

namespace fastjournal::admin {

// The daemon's process.
class LifeCycle {
 public:
  virtual ~LifeCycle() = default;
  // Finish this turn, then end cleanly.
  virtual void stop(std::string_view reason) = 0;
  // The same, and the supervisor starts us again.
  virtual void restart(std::string_view reason) = 0;
  // The log file is opened again. Not ok: the old one stays in use.
  [[nodiscard]] virtual Status rotate_log() = 0;
};

// Reads the tables folder again. Returns one sentence for each change. `table`: only this table; empty: all. `dry_run`:
// returns the changes without making them.
class Reloading {
 public:
  [[nodiscard]] virtual Result<std::vector<std::string>> reload(std::string_view table, bool dry_run) = 0;

 protected:
  ~Reloading() = default;
};

// Logs connections in.
class Authenticating {
 public:
  // The message has a token. Neither answer nor refusal: they come later, and the connection is not read meanwhile.
  [[nodiscard]] virtual Outcome authenticate(Request const& request) = 0;

 protected:
  ~Authenticating() = default;
};

// Figures of the daemon itself.
class OwnFigures {
 public:
  virtual void tell(MetricSink& sink) = 0;
  // Those that are no numbers, for STATS.
  virtual void tell_texts(Answer& answer) = 0;
  // Of each log that serves, into the sink that is given for its name.
  virtual void tell_logs(std::function<MetricSink&(std::string_view log)> const& sink_of) = 0;
  // Not ok: why not all tables can be used.
  [[nodiscard]] virtual Status readiness() = 0;

 protected:
  ~OwnFigures() = default;
};

// The logs that are shared with other nodes.
class SharedLogs {
 public:
  struct One {
    log::SharedLog const& log;
    log::State state{};  // as its tables' clients see it
  };
  virtual void for_each_shared(std::function<void(One const&)> const& visit) = 0;
  // wrong_state: this node does not own it; not_found: there is none of this name.
  [[nodiscard]] virtual Status step_down(std::string_view log, DurationMs for_so_long) = 0;

 protected:
  ~SharedLogs() = default;
};

// The peer of a connection, in words.
class Peers {
 public:
  struct Peer {
    std::string_view address{};
    std::string_view user{};  // empty: not logged in
  };
  // Valid until the connection ends; empty: it has.
  [[nodiscard]] virtual Peer peer_of(ConnectionId connection) = 0;

 protected:
  ~Peers() = default;
};

// Sends figures to those who watch them.
class Watching {
 public:
  // From now on, in place of what this connection watched before. `table`: only this one; null: the daemon and all
  // tables. over_limit: too many connections watch.
  [[nodiscard]] virtual Status watch(ConnectionId connection, engine::HostedTable const* table, DurationMs every) = 0;
  // wrong_state: it watches nothing.
  [[nodiscard]] virtual Status unwatch(ConnectionId connection) = 0;

 protected:
  ~Watching() = default;
};

[[nodiscard]] Command make_help(Registry const& registry, engine::TableTypes const& types,
                                communicator::Aliases const& aliases);
[[nodiscard]] Command make_alive();
[[nodiscard]] Command make_auth(Authenticating& authenticating);
[[nodiscard]] Command make_rights();
[[nodiscard]] Command make_tables(engine::Engine const& engine);
[[nodiscard]] Command make_stats(engine::Engine& engine, OwnFigures& own);
[[nodiscard]] Command make_metrics(engine::Engine& engine, OwnFigures& own);
[[nodiscard]] Command make_health(OwnFigures& own);
// `write` is called for the first who asks: it takes milliseconds.
[[nodiscard]] Command make_openapi_command(std::function<std::string()> write);
[[nodiscard]] Command make_alerts(engine::Engine& engine);
[[nodiscard]] Command make_lower(engine::Engine& engine);
[[nodiscard]] Command make_listen(engine::Engine& engine);
[[nodiscard]] Command make_unlisten(engine::Engine& engine);
[[nodiscard]] Command make_waiters(engine::Engine& engine, Peers& peers);
[[nodiscard]] Command make_watch(engine::Engine& engine, Watching& watching);
[[nodiscard]] Command make_unwatch(Watching& watching);
[[nodiscard]] Command make_fetch(engine::Engine& engine);
[[nodiscard]] Command make_digest(engine::Engine& engine);
[[nodiscard]] Command make_backup(Backup& backup);
[[nodiscard]] Command make_backup_done(Backup& backup);
[[nodiscard]] Command make_begin(engine::Engine& engine);
[[nodiscard]] Command make_commit(engine::Engine& engine);
[[nodiscard]] Command make_rollback(engine::Engine& engine);
// XA_START, XA_END, XA_PREPARE, XA_COMMIT, XA_ROLLBACK, XA_FORGET, XA_RECOVER and XA_DECIDE, by name.
[[nodiscard]] Command make_xa(engine::Engine& engine, std::string_view name);
[[nodiscard]] Command make_cluster(SharedLogs& logs, engine::Engine& engine);
[[nodiscard]] Command make_step_down(SharedLogs& logs);
[[nodiscard]] Command make_move(engine::Engine& engine);
[[nodiscard]] Command make_reload(Reloading& reloading);
[[nodiscard]] Command make_stop(LifeCycle& process);
[[nodiscard]] Command make_restart(LifeCycle& process);
[[nodiscard]] Command make_log_rotate(LifeCycle& process);
[[nodiscard]] Command make_status(communicator::Service& service);
[[nodiscard]] Command make_quitting(communicator::Service& service);
// Accepted and not answered.
[[nodiscard]] Command make_ignored();

}  // namespace fastjournal::admin
