// See tables_folder.h.
#include "config/tables_folder.h"

#include <algorithm>
#include <string>

#include "config/problems.h"

namespace fastjournal::config {

Result<std::vector<TableFile>> read_tables_folder(std::filesystem::path const& folder, TypesByName const& types,
                                                  DaemonDeclaration const* daemon) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator at{folder, error};
  for (; !error && at != std::filesystem::directory_iterator{}; at.increment(error))
    if (at->path().extension() == ".xml") files.push_back(at->path());
  if (error)
    return Status{Code::bad_configuration,
                  folder.string() + ": " + error.message() + ", expected a folder of table files that can be read"};
  if (files.size() > kTableFilesMax)
    return Status{Code::bad_configuration, folder.string() + ": " + std::to_string(files.size()) +
                                               " table files, expected at most " + std::to_string(kTableFilesMax)};
  std::sort(files.begin(), files.end());

  std::vector<TableFile> tables;
  std::string refusals;
  std::size_t refused = 0;
  for (std::filesystem::path const& file : files) {
    // The limit of a single file applies here too.
    if (refused == Problems::kMax) {
      refusals.append("\n").append(folder.string()).append(": the files behind these were not looked at");
      break;
    }
    Result<TableFile> table = read_table_file(file, types, daemon);
    if (table.ok()) {
      tables.push_back(std::move(table).value());
      continue;
    }
    ++refused;
    refusals.append(refusals.empty() ? "" : "\n").append(table.status().message());
  }
  if (!refusals.empty()) return Status{Code::bad_configuration, refusals};
  return tables;
}

}  // namespace fastjournal::config
