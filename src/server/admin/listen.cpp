// LISTEN and UNLISTEN: a connection wants to be told of a topic of a table, or not any more. With mode=deliver it takes what
// the type's delivering command takes as well (lease of NEXT), which that command gets each time.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/name_table.h"
#include "fastjournal/limits.h"
#include "server/admin/commands.h"
#include "server/admin/declarations.h"

namespace fastjournal::admin {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"wake", "row", "deliver"};  // by ListenMode
constexpr std::int64_t kCreditMax = 1024;

// mode, credit and worker.
Status read_wish(Message const& message, work::ListenWish& wish) {
  if (std::string_view const mode = message.text("mode"); !mode.empty()) {
    auto const found = std::find(kModes.begin(), kModes.end(), mode);
    if (found == kModes.end())
      return bad_parameter("mode",
                           "mode is \"" + std::string{mode.substr(0, 32)} + "\": expected wake, row or deliver");
    wish.mode = static_cast<work::ListenMode>(found - kModes.begin());
  }
  bool const delivers = wish.mode == work::ListenMode::deliver;
  if (message.has("credit") && !delivers) return bad_parameter("credit", "credit goes with mode=deliver only");
  std::int64_t const credit = whole_number(message, "credit", 1, 0);
  if (credit < 1 || credit > kCreditMax)
    return bad_parameter(
        "credit", "credit, the rows delivered at once, is a whole number from 1 to " + std::to_string(kCreditMax));
  if (delivers) wish.credit = static_cast<std::uint32_t>(credit);
  std::string_view const worker = message.text("worker");
  if (worker.size() > kWorkerBytesMax)
    return Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with(
        "parameter", "worker");
  if (!worker.empty()) wish.worker = worker;
  return {};
}

// Parameters of the delivering command. Those of durations and integers must be whole numbers; what else is wrong with a
// value, the command says when it is run.
Status read_further(Message const& message, engine::HostedTable const& table, work::ListenMode mode,
                    std::vector<Param>& further) {
  if (table.type->delivering() == NameTable::kAbsent) return {};
  CommandDeclaration const& command = table.type->declaration()->commands[table.type->delivering()];
  std::size_t bytes = 0;
  for (ParameterDeclaration const& declared : command.parameters) {
    Value const* const value = message.find(declared.name);
    if (value == nullptr || !goes_with_listen(*table.type->declaration(), command, declared)) continue;
    if (mode != work::ListenMode::deliver)
      return bad_parameter(declared.name, declared.name + " goes with mode=deliver only");
    bool const is_number = declared.type == "integer" || declared.type == "duration";
    if (is_number && !value->as_integer()) return bad_parameter(declared.name, declared.name + " is no whole number");
    bytes += declared.name.size() + value->bytes.size();
    further.push_back({declared.name, *value});
  }
  if (further.size() > work::kFurtherMax || bytes > work::kFurtherBytesMax)
    return {Code::too_large, "LISTEN takes at most " + std::to_string(work::kFurtherMax) + " parameters of " +
                                 command.name + ", of " + std::to_string(work::kFurtherBytesMax) + " bytes together"};
  return {};
}

// The topic in the message; empty: the whole table.
std::string_view topic_in(Message const& message, engine::HostedTable const& table) {
  std::string const& name = table.type->topic();
  return name.empty() ? std::string_view{} : message.text(name);
}

void confirm(std::string_view answer, engine::HostedTable const& table, std::string_view topic, Answer& out) {
  out.message(answer).add("table", std::string_view{table.name});
  if (!topic.empty()) out.add(table.type->topic(), topic);
}

// Of a table whose values are watched there is no mode, and no topic.
Status check_watch(Message const& message) {
  for (std::string_view const name : {"mode", "credit", "worker"})
    if (message.has(name))
      return bad_parameter(name, std::string{name} + " is for tables with work; of this one values are watched");
  return {};
}

void confirm(std::string_view answer, engine::HostedTable const& table, WatchWish const& wish, Answer& out) {
  out.message(answer).add("table", std::string_view{table.name});
  table.can.watched->name_watch(wish, out);
}

class Listen final : public Command {
 public:
  explicit Listen(engine::Engine& engine) : engine_(engine) {}

  // A row listener takes no work from others, and sees rows; who watches values sees them.
  [[nodiscard]] Right right_for(Message const& message, Right declared) const override {
    if (message.text("mode") == "row") return Right::read;
    engine::HostedTable const* const table = engine_.find_table(message.text("table"));
    return table != nullptr && table->can.watched != nullptr ? Right::read : declared;
  }

  void run(Request& request) override {
    engine::HostedTable* const table = find_table(engine_, request.message, request.status, request.basis);
    if (table == nullptr) return;
    if (table->can.watched != nullptr) return watch(*table, request);
    work::ListenWish wish{
        .topic = topic_in(request.message, *table), .worker = request.caller.worker, .since = request.now};
    request.status = read_wish(request.message, wish);
    further_.clear();
    if (request.status.ok()) request.status = read_further(request.message, *table, wish.mode, further_);
    wish.further = further_;
    if (request.status.ok()) request.status = engine_.listen(*table, request.caller.connection, wish);
    if (!request.status.ok()) return;
    request.may_be_silent = true;
    confirm("LISTENING", *table, wish.topic, request.answer);
  }

 private:
  void watch(engine::HostedTable& table, Request& request) {
    WatchWish wish;
    request.status = check_watch(request.message);
    if (request.status.ok()) request.status = table.can.watched->read_watch(request.message, wish);
    if (!request.status.ok()) return;
    engine_.watch(table, request.caller.connection, wish, request.message.find("request"));
    request.may_be_silent = true;
    confirm("LISTENING", table, wish, request.answer);
  }

  engine::Engine& engine_;
  std::vector<Param> further_;  // of the message that is run
};

class Unlisten final : public Command {
 public:
  explicit Unlisten(engine::Engine& engine) : engine_(engine) {}

  void run(Request& request) override {
    engine::HostedTable* const table = find_table(engine_, request.message, request.status, request.basis);
    if (table == nullptr) return;
    if (table->can.watched != nullptr) return unwatch(*table, request);
    std::string_view const topic = topic_in(request.message, *table);
    request.status = engine_.unlisten(*table, request.caller.connection, topic);
    if (request.status.ok()) confirm("UNLISTENED", *table, topic, request.answer);
  }

 private:
  void unwatch(engine::HostedTable& table, Request& request) {
    WatchWish wish;
    request.status = table.can.watched->read_watch(request.message, wish);
    if (!request.status.ok()) return;
    if (engine_.unwatch(table, request.caller.connection, wish))
      confirm("UNLISTENED", table, wish, request.answer);
    else
      request.status = {Code::wrong_state, "this connection does not watch that in table " + table.name};
  }

  engine::Engine& engine_;
};

}  // namespace

CommandPtr make_listen(engine::Engine& engine) { return std::make_unique<Listen>(engine); }
CommandPtr make_unlisten(engine::Engine& engine) { return std::make_unique<Unlisten>(engine); }

}  // namespace fastjournal::admin
