// WATCH and UNWATCH: a connection wants the figures of STATS now and at intervals, or not any more.
#include <cstdint>
#include <string>

#include "model/duration.h"
#include "server/admin/commands.h"

namespace fastjournal::admin {
namespace {

constexpr std::int64_t kEveryMsDefault = 1'000;
constexpr std::int64_t kEveryMsMin = 250;
constexpr std::int64_t kEveryMsMax = 60'000;

// A number is milliseconds, text may have a unit.
Result<DurationMs> read_every(Message const& message) {
  Value const* const given = message.find("every");
  if (given == nullptr) return DurationMs{kEveryMsDefault};
  std::int64_t every = 0;
  if (given->kind == Value::Kind::text) {
    if (Result<std::int64_t> const read = model::parse_duration(given->bytes); read.ok()) every = read.value();
  } else if (given->kind != Value::Kind::boolean) {
    every = given->as_integer().value_or(0);
  }
  if (every >= kEveryMsMin && every <= kEveryMsMax) return DurationMs{every};
  return bad_parameter("every", "every, the time between two rounds, is a duration from 250ms to 60s");
}

}  // namespace

Command make_watch(engine::Engine& engine, Watching& watching) {
  Run begin = on_tables(engine, [&watching](engine::HostedTable const* table, Request const& request) -> Outcome {
    Result<DurationMs> const every = read_every(request.message);
    if (!every.ok()) return every.status();
    if (Status status = watching.watch(request.caller.connection, table, every.value()); !status.ok()) return status;
    request.answer.message("WATCHING");
    if (table != nullptr) request.answer.add("table", std::string_view{table->name});
    request.answer.add("every", every.value().value);
    return {};
  });
  // It tells of nothing yet: it rests on no log.
  return {[begin = std::move(begin)](Request const& request) -> Outcome { return std::move(begin(request).status); }};
}

Command make_unwatch(Watching& watching) {
  return {[&watching](Request const& request) -> Outcome {
    Status status = watching.unwatch(request.caller.connection);
    if (status.ok()) request.answer.message("UNWATCHED");
    return status;
  }};
}

}  // namespace fastjournal::admin
