#include "engine/types.h"

#include <algorithm>

namespace fastjournal::engine {

TableType::TableType(PluginDescriptor const& plugin, std::shared_ptr<TypeDeclaration const> declared)
    : plugin_(plugin), declaration_(std::move(declared)) {
  for (CommandDeclaration const& declared_command : declaration_->commands) {
    auto const index = static_cast<std::uint32_t>(commands_.size());
    by_name_.add(declared_command.name, index);
    if (!declared_command.deliver_count.empty()) delivering_ = index;
    CommandType& command = commands_.emplace_back();
    command.name = declared_command.name;
    command.kind = declared_command.kind;
    command.right = declared_command.right;
    command.takes_columns = declared_command.takes_columns;
    command.in_transaction = declared_command.in_transaction;
    for (std::size_t i = 0; i < declared_command.parameters.size(); ++i) {
      ParameterDeclaration const& parameter = declared_command.parameters[i];
      command.parameters.add(parameter.name, static_cast<std::uint32_t>(i));
      if (parameter.required) command.required.push_back(parameter.name);
      if (parameter.right) command.rights.emplace_back(parameter.name, *parameter.right);
    }
    // Every command has `table`, and may have `request`.
    command.parameters.add("request", NameTable::kAbsent - 1);
    command.parameters.add("table", NameTable::kAbsent - 1);
    // Reads may be of a table that another node decides for.
    if (command.can_be_stale()) command.parameters.add("stale", NameTable::kAbsent - 1);
  }
}

Status check_capabilities(TableDeclaration const& declaration, Capabilities const& can) {
  auto const lacks = [&](std::string const& element, std::string_view what) {
    return Status{Code::bad_configuration, declaration.at(element) + ": element <" + element + ">: tables of type " +
                                               declaration.type + " " + std::string{what} + "; take it out"};
  };
  if (declaration.feed && can.followed == nullptr) return lacks("feed", "cannot be followed");
  if (declaration.wake_message && can.work == nullptr) return lacks("wake-message", "hand out no work");
  return {};
}

Result<std::unique_ptr<Table>> TableType::make(TableContext const& context,
                                               std::shared_ptr<TableDeclaration const> table) const {
  Result<std::unique_ptr<Table>> made = plugin_.create(context, declaration_, table);
  if (!made.ok()) return made;
  bool const promises = std::ranges::any_of(
      commands_, [](CommandType const& command) { return command.in_transaction == InTransaction::promised; });
  if (promises && made.value()->capabilities().promises == nullptr)
    return Status{Code::bad_configuration, "table type " + name() + ": " + name() +
                                               ".xml has commands with transaction=\"promised\", and the plugin cannot "
                                               "promise: they are not of one version"};
  if (Status status = check_capabilities(*table, made.value()->capabilities()); !status.ok()) return status;
  return made;
}

}  // namespace fastjournal::engine
