#include "server/admin/registry.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace fastjournal::admin {

Registry::Registry(engine::TableTypes const& types) : commands_(own_commands().size()) {
  for (auto const& [name, type] : types)
    for (engine::CommandType const& command : type->commands()) names_.add(command.name, kOfTables);
  for (std::size_t i = 0; i < own_commands().size(); ++i)
    names_.add(own_commands()[i].name(), static_cast<std::uint32_t>(i));
}

void Registry::add(std::string_view name, Command command) {
  std::uint32_t const number = find(name);
  FJ_CHECK(number < commands_.size() && commands_[number].run == nullptr,
           "the command is declared, and has no code yet");
  commands_[number] = std::move(command);
}

bool Registry::is_complete() const {
  return std::ranges::all_of(commands_, [](Command const& command) { return command.run != nullptr; });
}

std::optional<Right> Registry::right_for(std::uint32_t number, Caller const& caller, Message const& message) const {
  OwnCommand const& declared = declaration(number);
  if (!declared.right || (declared.life_cycle && caller.communicator)) return std::nullopt;
  auto const& right_for = commands_[number].right_for;
  return right_for ? right_for(message, *declared.right) : *declared.right;
}

Outcome Registry::run(std::uint32_t number, Request request) const {
  request.declared = &declaration(number).declared;
  Status status = check_limits(*request.declared, request.message);
  return status.ok() ? commands_[number].run(request) : Outcome{std::move(status)};
}

}  // namespace fastjournal::admin
