#include "server/communicator/aliases.h"

#include <algorithm>

namespace fastjournal::communicator {

Result<Aliases> Aliases::read(engine::Declarations const& tables) {
  Aliases out;
  for (engine::Declaration const& table : tables) {
    for (AliasDeclaration const& declared : table->aliases) {
      if (Alias const* const other = out.find(declared.command))
        return Status{Code::bad_configuration, table->at("alias " + declared.command) + ": the alias " +
                                                   declared.command + " is one of table " + other->table->name +
                                                   " already: a message can go to one table only"};
      out.by_command_.add(declared.command, static_cast<std::uint32_t>(out.aliases_.size()));
      out.aliases_.push_back({table, &declared});
    }
  }
  return out;
}

namespace {

Status translate_date(AliasParameter const& parameter, Value const& value, Message& ours) {
  std::optional<std::int64_t> const date = value.as_integer();
  if (!date || *date < 0 || *date > INT64_MAX / parameter.ms_per_unit)
    return Status{Code::bad_parameter, parameter.name + " is no date"}.with("parameter", parameter.name);
  // Rounded up, as a row must not run before its date.
  std::int64_t const whole = *date * parameter.ms_per_unit;
  ours.set_integer(parameter.is, whole / parameter.units_per_ms + (whole % parameter.units_per_ms != 0 ? 1 : 0));
  return {};
}

}  // namespace

bool is_numbered(Aliases::Alias const& alias, Message const& theirs) {
  if (!theirs.has("client") || !theirs.has("sequence")) return false;
  std::vector<AliasParameter> const& known = alias.declared->parameters;
  return std::none_of(known.begin(), known.end(),
                      [](AliasParameter const& one) { return one.name == "client" || one.name == "sequence"; });
}

Status translate(Aliases::Alias const& alias, Message const& theirs, Message& ours) {
  ours.clear();
  ours.command = alias.declared->means;
  ours.from_server = theirs.from_server;
  ours.from_service = theirs.from_service;
  ours.set("table", std::string_view{alias.table->name});
  std::vector<AliasParameter> const& known = alias.declared->parameters;
  bool const numbered = is_numbered(alias, theirs);
  for (Param const& param : theirs.params()) {
    if (numbered && (param.name == "client" || param.name == "sequence")) {
      ours.set(param.name, param.value);
      continue;
    }
    if (numbered && param.name == "request") continue;  // it comes back with the answer
    auto const found =
        std::find_if(known.begin(), known.end(), [&](AliasParameter const& one) { return one.name == param.name; });
    if (found == known.end())
      return Status{Code::unknown_parameter, "the alias " + alias.declared->command + " has no parameter \"" +
                                                 std::string{param.name.substr(0, 64)} + "\""};
    if (found->use != AliasParameter::Use::take) continue;
    if (found->units_per_ms != 1 || found->ms_per_unit != 1) {
      if (Status status = translate_date(*found, param.value, ours); !status.ok()) return status;
    } else {
      ours.set(found->is, param.value);
    }
  }
  return {};
}

void acknowledge(Aliases::Alias const& alias, Message const& theirs, bool accepted, Answer& answer) {
  answer.message(accepted ? alias.declared->answer : alias.declared->refusal);
  for (AliasParameter const& parameter : alias.declared->parameters)
    if (parameter.use == AliasParameter::Use::echo)
      if (Value const* const value = theirs.find(parameter.name)) answer.add(parameter.name, *value);
}

}  // namespace fastjournal::communicator
