// CLUSTER: the logs that this daemon shares with other nodes, who owns each, and which nodes there are. STEP_DOWN: this
// node gives a log to another one. MOVE_TABLE: a table goes to the log that its file names, or, if it is in doubt and in
// that log, stays there.
#include <algorithm>
#include <string>

#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

// How long a node that stepped down does not take the log again, if nobody says so.
constexpr std::int64_t kStepDownMs = 10'000;
constexpr std::int64_t kStepDownMsMax = 3'600'000;

class Cluster final : public Command {
 public:
  Cluster(SharedLogs& logs, engine::Engine& engine) : logs_(logs), engine_(engine) {}

  void run(Request& request) override {
    logs_.for_each_shared([&](SharedLogs::One const& one) { tell(one, request.answer); });
    if (engine::Moving::Figures const& move = engine_.moving().figures(); !move.table.empty())
      tell(move, request.answer);
    if (request.answer.empty())
      request.status = Status{Code::not_found, "this daemon shares no log with others: no <log engine=\"etcd\"/>"};
  }

 private:
  static void tell(SharedLogs::One const& one, Answer& answer) {
    log::SharedLog const& log = one.log;
    log::Owner const owner = log.owner();
    answer.message("SHARED_LOG").add("log", std::string_view{log.name()});
    answer.add("standing", name_of(one.standing)).add("this", std::string_view{log.node()});
    if (!owner.node.empty())
      answer.add("owner", std::string{owner.node}).add("address", std::string{owner.address}).add("token", owner.token);
    Lsn end{};
    for (log::Node const& node : log.nodes()) end = std::max(end, node.applied);
    if (!log.why().ok()) answer.add("why", std::string{log.why().message()});
    if (log.is_owned()) {
      log::LogUsage const usage = log.usage();
      answer.add("bytes", usage.disk_bytes).add("room", usage.room_bytes);
    }
    for (log::Node const& node : log.nodes()) {
      answer.message("NODE").add("log", std::string_view{log.name()});
      answer.add("node", std::string{node.name}).add("address", std::string{node.address});
      answer.add("role", Value::of_text(node.name == owner.node ? "owner" : "standby"));
      answer.add("behind", end.value - std::min(node.applied.value, end.value));
      if (!node.differs.empty()) answer.add("differs", std::string{node.differs});
    }
  }

  static void tell(engine::Moving::Figures const& move, Answer& answer) {
    answer.message("MOVE_STATUS").add("table", std::string{move.table});
    answer.add("from", std::string{move.from}).add("to", std::string{move.to}).add("step", move.step);
    answer.add("copied", move.copied).add("bytes", move.total);
    if (move.pause_ms > 0) answer.add("pause", move.pause_ms);
    if (!move.why.ok()) answer.add("why", std::string{move.why.message()});
  }

  SharedLogs& logs_;
  engine::Engine& engine_;
};

class Move final : public Command {
 public:
  explicit Move(engine::Engine& engine) : engine_(engine) {}

  void run(Request& request) override {
    if (keeps_in_doubt(request)) return;
    engine::HostedTable* const table = find_table(engine_, request.message, request.status, request.basis);
    if (table == nullptr) return;
    std::string const from = table->log->name;
    std::string const& to = table->declaration->log;
    engine::HostedLog* const log = engine_.find_log(to);
    if (from == to || log == nullptr) {
      request.status = Status{Code::wrong_state, "table " + table->name + " is in log " + from +
                                                     ", which its file names: write the other log there, and RELOAD"}
                           .with("table", table->name);
      return;
    }
    request.status = engine_.moving().begin(*table, *log, request.now);
    if (!request.status.ok()) return;
    request.answer.message("MOVING").add("table", std::string{table->name});
    request.answer.add("from", std::string{from}).add("to", std::string{to});
    request.answer.add("bytes", engine_.moving().figures().total);
  }

 private:
  // False: the table is not in doubt, or its file names another log.
  bool keeps_in_doubt(Request& request) {
    Value const* const name = request.message.find("table");
    engine::HostedTable* const table = name == nullptr ? nullptr : engine_.find_table(name->bytes);
    if (table == nullptr || !table->is_leaving || table->declaration->log != table->log->name) return false;
    request.basis.log = table->log->log;
    request.status = engine_.moving().keep(*table, request.now);
    if (request.status.ok())
      request.answer.message("KEPT").add("table", std::string{name->bytes}).add("log", std::string{table->log->name});
    return true;
  }

  engine::Engine& engine_;
};

class StepDown final : public Command {
 public:
  explicit StepDown(SharedLogs& logs) : logs_(logs) {}

  void run(Request& request) override {
    Value const* const name = request.message.find("log");
    if (name == nullptr) {
      request.status = Status{Code::missing_parameter, "STEP_DOWN needs the parameter log"}.with("parameter", "log");
      return;
    }
    std::int64_t const for_ms = whole_number(request.message, "for", kStepDownMs, -1);
    if (for_ms < 0 || for_ms > kStepDownMsMax) {
      request.status = bad_parameter("for",
                                     "for is a duration from 0 to an hour: so long this node does not take the "
                                     "log again");
      return;
    }
    request.status = logs_.step_down(name->bytes, DurationMs{for_ms});
    if (request.status.ok())
      request.answer.message("STEPPED_DOWN").add("log", std::string{name->bytes}).add("for", for_ms);
  }

 private:
  SharedLogs& logs_;
};

}  // namespace

CommandPtr make_cluster(SharedLogs& logs, engine::Engine& engine) { return std::make_unique<Cluster>(logs, engine); }
CommandPtr make_step_down(SharedLogs& logs) { return std::make_unique<StepDown>(logs); }

CommandPtr make_move(engine::Engine& engine) { return std::make_unique<Move>(engine); }

}  // namespace fastjournal::admin
