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

class Watch final : public Command {
 public:
  Watch(engine::Engine& engine, Watching& watching) : engine_(engine), watching_(watching) {}

  void run(Request& request) override {
    TableChoice const choice = choose_table(engine_, request);
    // It tells of nothing yet.
    request.basis = {};
    if (!choice.is_valid) return;
    Result<DurationMs> const every = read_every(request.message);
    request.status =
        every.ok() ? watching_.watch(request.caller.connection, choice.table, every.value()) : every.status();
    if (!request.status.ok()) return;
    request.may_be_silent = true;
    request.answer.message("WATCHING");
    if (choice.table != nullptr) request.answer.add("table", std::string_view{choice.table->name});
    request.answer.add("every", every.value().value);
  }

 private:
  engine::Engine& engine_;
  Watching& watching_;
};

class Unwatch final : public Command {
 public:
  explicit Unwatch(Watching& watching) : watching_(watching) {}

  void run(Request& request) override {
    request.status = watching_.unwatch(request.caller.connection);
    if (request.status.ok()) request.answer.message("UNWATCHED");
  }

 private:
  Watching& watching_;
};

}  // namespace

CommandPtr make_watch(engine::Engine& engine, Watching& watching) { return std::make_unique<Watch>(engine, watching); }
CommandPtr make_unwatch(Watching& watching) { return std::make_unique<Unwatch>(watching); }

}  // namespace fastjournal::admin
