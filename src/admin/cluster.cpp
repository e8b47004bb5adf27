// CLUSTER: the logs that this daemon shares with other nodes, who owns each, and which nodes there are. STEP_DOWN: this
// node gives a log to another one.
#include <algorithm>
#include <string>

#include "admin/commands.h"

namespace fastjournal::admin {
namespace {

// How long a node that stepped down does not take the log again, if nobody says so.
constexpr std::int64_t kStepDownMs = 10'000;
constexpr std::int64_t kStepDownMsMax = 3'600'000;

class Cluster final : public Command {
 public:
  explicit Cluster(SharedLogs& logs) : logs_(logs) {}

  void run(Request& request) override {
    logs_.for_each_shared([&](SharedLogs::One const& one) { tell(one, request.answer); });
    if (request.answer.empty())
      request.status = Status{Code::not_found, "this daemon shares no log with others: no <log engine=\"etcd\"/>"};
  }

 private:
  static void tell(SharedLogs::One const& one, Answer& answer) {
    log::SharedLog const& log = one.log;
    log::Owner const owner = log.owner();
    answer.message("SHARED_LOG").add("log", std::string_view{log.name()});
    answer.add("standing", name_of(one.standing)).add("this", std::string_view{one.node});
    if (!owner.node.empty())
      answer.add("owner", std::string{owner.node}).add("address", std::string{owner.address}).add("token", owner.token);
    Lsn end = log.is_owned() ? log.end_lsn() : Lsn{};
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
    }
  }

  SharedLogs& logs_;
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
    std::int64_t const for_ms = request.message.has("for") ? request.message.integer("for").value_or(-1) : kStepDownMs;
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

CommandPtr make_cluster(SharedLogs& logs) { return std::make_unique<Cluster>(logs); }
CommandPtr make_step_down(SharedLogs& logs) { return std::make_unique<StepDown>(logs); }

}  // namespace fastjournal::admin
