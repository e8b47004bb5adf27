// Table types as the engine uses them: the plugin's code beside what its TYPE.xml declares, prepared for the lookup of
// names, once per message.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"

namespace fastjournal::engine {

struct CommandType {
  std::string name;
  CommandKind kind{CommandKind::read};
  Right right{Right::read};
  bool takes_columns{false};
  InTransaction in_transaction{InTransaction::refused};
  NameTable parameters;                               // name -> index of the declaration
  std::vector<std::string> required;                  // parameters
  std::vector<std::pair<std::string, Right>> rights;  // that parameters need beside `right`

  // It changes nothing, or can do without.
  [[nodiscard]] bool can_be_stale() const { return kind == CommandKind::read || kind == CommandKind::touch; }
};

class TableType {
 public:
  TableType(PluginDescriptor const& plugin, std::shared_ptr<TypeDeclaration const> declared);

  [[nodiscard]] std::string const& name() const { return declaration_->name; }
  [[nodiscard]] std::shared_ptr<TypeDeclaration const> const& declaration() const { return declaration_; }
  [[nodiscard]] PluginDescriptor const& plugin() const { return plugin_; }
  // A table of this type; not ok: the declaration asks for something that the type refuses or cannot do.
  [[nodiscard]] Result<std::unique_ptr<Table>> make(TableContext const& context,
                                                    std::shared_ptr<TableDeclaration const> table) const;
  // NameTable::kAbsent if the type has no such command.
  [[nodiscard]] std::uint32_t find_command(std::string_view command) const { return by_name_.find(command); }
  [[nodiscard]] std::vector<CommandType> const& commands() const { return commands_; }
  // The command that LISTEN mode deliver runs; NameTable::kAbsent if the type has none.
  [[nodiscard]] std::uint32_t delivering() const { return delivering_; }
  [[nodiscard]] std::string const& topic() const { return declaration_->topic; }

 private:
  PluginDescriptor const& plugin_;
  std::shared_ptr<TypeDeclaration const> declaration_;
  std::vector<CommandType> commands_;
  NameTable by_name_;
  std::uint32_t delivering_{NameTable::kAbsent};
};

// Not ok: the declaration wants something of which its type has not the capability.
[[nodiscard]] Status check_capabilities(TableDeclaration const& declaration, Capabilities const& can);

// By name; filled before recovery, never changed after.
using TableTypes = std::map<std::string, std::unique_ptr<TableType>, std::less<>>;

}  // namespace fastjournal::engine
