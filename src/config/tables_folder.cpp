// See tables_folder.h.
#include "config/tables_folder.h"

#include <algorithm>

#include "config/table_reader.h"
#include "config/xml.h"
#include "model/value.h"

namespace fastjournal::config {

Status TablesFolder::status() const {
  if (refused.empty()) return {};
  std::string text;
  for (Status const& one : refused) text.append(text.empty() ? "" : "\n").append(one.message());
  return {Code::bad_configuration, text};
}

Result<TableDeclaration> read_table_of(std::filesystem::path const& file, std::span<TypeDeclaration const> types,
                                       std::span<std::string const> logs) {
  Result<TableDeclaration> table = read_table(file, types);
  if (!table.ok() || std::find(logs.begin(), logs.end(), table->log) != logs.end()) return table;
  std::vector<std::string_view> const names{logs.begin(), logs.end()};
  return Status{Code::bad_configuration, file.string() + ": the table's log is " + model::shown(table->log) +
                                             ", expected one that the daemon's configuration declares (" + listed(names) +
                                             ")" + near_miss(table->log, names)};
}

TablesFolder read_tables(std::filesystem::path const& folder, std::span<TypeDeclaration const> types,
                         std::span<std::string const> logs) {
  TablesFolder out;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator at{folder, error};
  for (; !error && at != std::filesystem::directory_iterator{}; at.increment(error))
    if (at->path().extension() == ".xml") files.push_back(at->path());
  if (error) {
    out.refused.emplace_back(Code::bad_configuration,
                             folder.string() + ": " + error.message() + ", expected a folder of table files that can be read");
    return out;
  }
  std::sort(files.begin(), files.end());
  for (std::filesystem::path const& file : files) {
    Result<TableDeclaration> table = read_table_of(file, types, logs);
    if (table.ok()) out.tables.push_back(std::move(table).value());
    else out.refused.push_back(table.status());
  }
  return out;
}

}  // namespace fastjournal::config
