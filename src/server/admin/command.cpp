#include "server/admin/command.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "model/duration.h"
#include "model/given.h"

namespace fastjournal::admin {
namespace {

ParameterDeclaration const& declared_as(Request const& request, std::string_view name) {
  auto const found = std::ranges::find(request.declared->parameters, name, &ParameterDeclaration::name);
  FJ_CHECK(found != request.declared->parameters.end(), "a command reads only what it declares");
  return *found;
}

// Text may have a unit.
std::optional<std::uint64_t> duration_of(ParameterDeclaration const& one, Param const& given, Status& why) {
  std::optional<std::int64_t> found;
  if (given.value.kind == Value::Kind::text) {
    if (Result<std::int64_t> const read = model::parse_duration(given.value.bytes); read.ok()) found = read.value();
  } else if (given.value.kind != Value::Kind::boolean) {
    found = given.value.as_integer();
  }
  if (found && *found >= one.min->value && *found <= one.max->value) return found;
  if (why.ok())
    why = bad_parameter(one.name, one.name + ": expected a duration from " + model::format_duration(one.min->value) +
                                      " to " + model::format_duration(one.max->value));
  return std::nullopt;
}

std::optional<std::uint64_t> number_of(ParameterDeclaration const& one, Param const& given, Status& why) {
  if (!one.max) return model::unsigned_of(given, why);
  if (one.type == "duration") return duration_of(one, given, why);
  return model::integer_of(given, one.min->value, one.max->value, why);
}

std::optional<std::size_t> choice_of(ParameterDeclaration const& one, Param const& given, Status& why) {
  if (given.value.kind == Value::Kind::text && given.value.bytes.empty()) return 0;
  std::vector<std::string_view> const words{one.choices.begin(), one.choices.end()};
  return model::choice_of(given, words, why);
}

}  // namespace

Status check_limits(CommandDeclaration const& declared, Message const& message) {
  Status why;
  for (ParameterDeclaration const& one : declared.parameters) {
    Value const* const value = message.find(one.name);
    if (value == nullptr) continue;
    if (!one.choices.empty()) static_cast<void>(choice_of(one, {one.name, *value}, why));
    bool const is_number = one.type == "integer" || one.type == "duration";
    if (is_number && !(one.max && !one.max->option.empty())) static_cast<void>(number_of(one, {one.name, *value}, why));
  }
  return why;
}

std::uint64_t Request::number(std::string_view name) const {
  ParameterDeclaration const& one = declared_as(*this, name);
  Status why;
  if (Value const* const value = message.find(name)) return number_of(one, {one.name, *value}, why).value_or(0);
  return one.default_value ? static_cast<std::uint64_t>(one.default_value->value) : 0;
}

std::size_t Request::choice(std::string_view name) const {
  Status why;
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : choice_of(declared_as(*this, name), {name, *value}, why).value_or(0);
}

Status why_no_table(engine::Engine& engine, Message const& message) {
  Value const* const name = message.find("table");
  if (name == nullptr)
    return Status{Code::missing_parameter, std::string{message.command} + " needs the parameter table"}.with(
        "parameter", "table");
  if (engine::HostedTable const* const table = engine.find_table(name->bytes)) return engine::away(*table);
  // Its log has not come so far.
  if (engine::HostedLog const* const log = engine.log_of_declared(name->bytes); log != nullptr && !log->serves)
    return engine::away(*log, name->bytes);
  return {Code::unknown_table, "no table \"" + std::string{name->bytes.substr(0, 64)} + "\"; TABLES lists them"};
}

bool may_be_stale(Message const& message) { return message.integer("stale").value_or(0) == 1; }

engine::HostedTable* find_stale(engine::Engine& engine, Message const& message) {
  if (!may_be_stale(message)) return nullptr;
  engine::HostedTable* const table = engine.find_table(message.text("table"));
  bool const is_whole = table != nullptr && !table->is_leaving && table->log->is_caught_up;
  return is_whole && !table->log->is_ours ? table : nullptr;
}

Run on_table(engine::Engine& engine, RunOnTable run) {
  return [&engine, run = std::move(run)](Request const& request) -> Outcome {
    engine::HostedTable* const table = find_table(engine, request.message);
    if (table == nullptr) return why_no_table(engine, request.message);
    Basis const basis = engine::basis_of(table->log);
    Outcome outcome = run(*table, request);
    outcome.basis = basis;
    return outcome;
  };
}

Run on_tables(engine::Engine& engine, RunOnTables run) {
  auto on_one = on_table(
      engine, [run](engine::HostedTable& table, Request const& request) -> Outcome { return run(&table, request); });
  return [run = std::move(run), on_one = std::move(on_one)](Request const& request) -> Outcome {
    if (request.message.has("table")) return on_one(request);
    Outcome outcome = run(nullptr, request);
    outcome.basis.all = true;
    return outcome;
  };
}

}  // namespace fastjournal::admin
