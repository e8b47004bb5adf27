// NAME.xml: one table (its type, log, columns, options). The format is
// described in doc/table-reference.md and by xml-schemas/table.xsd.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/daemon_declaration.h"
#include "config/type_reader.h"
#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// <listen> and <socket> in one file.
inline constexpr std::size_t kListenersOfTableMax = 8;

struct TableFile {
  TableDeclaration table;
  std::vector<ListenDeclaration> listen;  // each bound to the table
  std::vector<std::string> named;         // other files that it is made of: plans
};

// bad_configuration: every problem of the file, each as a line "FILE:LINE: what". `daemon`: the daemon that loads it;
// null: not known, and what its file must say for these listeners is not checked.
[[nodiscard]] Result<TableFile> read_table_file(std::filesystem::path const& path, TypesByName const& types,
                                                DaemonDeclaration const* daemon);
// Without its listeners.
[[nodiscard]] Result<TableDeclaration> read_table(std::filesystem::path const& path, TypesByName const& types);

// A table known only by name and type, with all options at the type's defaults.
[[nodiscard]] TableDeclaration default_table(TypeDeclaration const& type, std::string name);

}  // namespace fastjournal::config
