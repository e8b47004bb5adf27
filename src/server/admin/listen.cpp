// LISTEN and UNLISTEN: a connection wants to be told of a topic of a table, or not any more. With mode=deliver it takes what
// the type's delivering command takes as well (lease of NEXT), which that command gets each time.
#include <string>
#include <vector>

#include "base/name_table.h"
#include "fastjournal/limits.h"
#include "server/admin/commands.h"
#include "server/admin/declarations.h"

namespace fastjournal::admin {
namespace {

// mode, credit and worker.
Status read_listen(Request const& request, work::ListenRequest& asked) {
  Message const& message = request.message;
  asked.mode = static_cast<work::ListenMode>(request.choice("mode"));  // in their order
  bool const delivers = asked.mode == work::ListenMode::deliver;
  if (message.has("credit") && !delivers) return bad_parameter("credit", "credit goes with mode=deliver only");
  if (delivers) asked.credit = static_cast<std::uint32_t>(request.number("credit"));
  std::string_view const worker = message.text("worker");
  if (worker.size() > kWorkerBytesMax)
    return Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with(
        "parameter", "worker");
  if (!worker.empty()) asked.worker = worker;
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

void confirm(std::string_view answer, engine::HostedTable const& table, WatchRequest const& asked, Answer& out) {
  out.message(answer).add("table", std::string_view{table.name});
  table.can.watched->name_watch(asked, out);
}

}  // namespace

Command make_listen(engine::Engine& engine) {
  auto const is_watched = [&engine](Message const& message) {
    engine::HostedTable const* const table = engine.find_table(message.text("table"));
    return table != nullptr && table->can.watched != nullptr;
  };
  auto const watch = [&engine](engine::HostedTable& table, Request const& request) -> Outcome {
    WatchRequest asked;
    Status status = check_watch(request.message);
    if (status.ok()) status = table.can.watched->read_watch(request.message, asked);
    if (!status.ok()) return status;
    engine.serving().watch(table, request.caller.connection, asked, request.message.find("request"));
    confirm("LISTENING", table, asked, request.answer);
    return {};
  };
  auto const listen = [&engine](engine::HostedTable& table, Request const& request) -> Outcome {
    work::ListenRequest asked{
        .topic = topic_in(request.message, table), .worker = request.caller.worker, .since = request.now};
    std::vector<Param> further;
    Status status = read_listen(request, asked);
    if (status.ok()) status = read_further(request.message, table, asked.mode, further);
    asked.further = further;
    if (status.ok()) status = engine.serving().listen(table, request.caller.connection, asked);
    if (!status.ok()) return status;
    confirm("LISTENING", table, asked.topic, request.answer);
    return {};
  };
  return {on_table(engine,
                   [=](engine::HostedTable& table, Request const& request) {
                     return table.can.watched != nullptr ? watch(table, request) : listen(table, request);
                   }),
          // A row listener takes no work from others, and sees rows; a watcher of values sees these.
          [=](Message const& message, Right declared) {
            return message.text("mode") == "row" || is_watched(message) ? Right::read : declared;
          }};
}

Command make_unlisten(engine::Engine& engine) {
  auto const unwatch = [&engine](engine::HostedTable& table, Request const& request) -> Outcome {
    WatchRequest asked;
    if (Status status = table.can.watched->read_watch(request.message, asked); !status.ok()) return status;
    if (!engine.serving().unwatch(table, request.caller.connection, asked))
      return Status{Code::wrong_state, "this connection does not watch that in table " + table.name};
    confirm("UNLISTENED", table, asked, request.answer);
    return {};
  };
  return {on_table(engine, [&engine, unwatch](engine::HostedTable& table, Request const& request) -> Outcome {
    if (table.can.watched != nullptr) return unwatch(table, request);
    std::string_view const topic = topic_in(request.message, table);
    Status status = engine.serving().unlisten(table, request.caller.connection, topic);
    if (status.ok()) confirm("UNLISTENED", table, topic, request.answer);
    return status;
  })};
}

}  // namespace fastjournal::admin
