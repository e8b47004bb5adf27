#include "core/types.h"

namespace fastjournal::core {

TableType::TableType(PluginDescriptor const& plugin, std::shared_ptr<TypeDeclaration const> declared)
    : plugin_(plugin), declaration_(std::move(declared)) {
  for (CommandDeclaration const& declared_command : declaration_->commands) {
    auto const index = static_cast<std::uint32_t>(commands_.size());
    by_name_.add(declared_command.name, index);
    if (declared_command.delivers) delivering_ = index;
    CommandType& command = commands_.emplace_back();
    command.name = declared_command.name;
    command.kind = declared_command.kind;
    command.right = declared_command.right;
    command.takes_columns = declared_command.takes_columns;
    for (std::size_t i = 0; i < declared_command.parameters.size(); ++i) {
      ParameterDeclaration const& parameter = declared_command.parameters[i];
      command.parameters.add(parameter.name, static_cast<std::uint32_t>(i));
      if (parameter.required) command.required.push_back(parameter.name);
    }
    // Every command has `table`, and may have `request`.
    command.parameters.add("request", NameTable::kAbsent - 1);
    command.parameters.add("table", NameTable::kAbsent - 1);
  }
}

}  // namespace fastjournal::core
