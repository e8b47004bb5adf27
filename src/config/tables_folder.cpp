// See tables_folder.h.
#include "config/tables_folder.h"

#include <algorithm>
#include <string>

#include "config/problems.h"

namespace fastjournal::config {

bool KnownTables::is_as_before(Known const& known) const {
  return std::ranges::all_of(known.files, [this](auto const& file) { return stamp_of_(file.first) == file.second; });
}

// A stamp is of a file that has not changed for a while: it holds for what was read of it just now.
Result<KnownTable> KnownTables::read_one(std::filesystem::path const& path, TypesByName const& types,
                                         DaemonDeclaration const* daemon) {
  std::string const name = path.string();
  auto const found = known_.find(name);
  if (found != known_.end() && is_as_before(found->second)) return found->second.table;
  if (found != known_.end()) known_.erase(found);
  ++files_read_;
  Result<TableFile> read = read_table_file(path, types, daemon);
  if (!read.ok()) return read.status();
  Known now{.files = {},
            .table = {std::make_shared<TableDeclaration>(std::move(read->table)), std::move(read->listen)}};
  read->named.insert(read->named.begin(), name);
  for (std::string const& file : read->named)
    if (std::optional<FileStamp> const stamp = stamp_of_(file)) now.files.emplace_back(file, *stamp);
  bool const is_known = now.files.size() == read->named.size();
  KnownTable out = now.table;
  if (is_known) known_.emplace(name, std::move(now));
  return out;
}

Result<std::vector<KnownTable>> KnownTables::read(std::filesystem::path const& folder, TypesByName const& types,
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

  std::vector<KnownTable> tables;
  std::string refusals;
  std::size_t refused = 0;
  for (std::filesystem::path const& file : files) {
    // The limit of a single file applies here too.
    if (refused == Problems::kMax) {
      refusals.append("\n").append(folder.string()).append(": the files behind these were not looked at");
      break;
    }
    Result<KnownTable> table = read_one(file, types, daemon);
    if (table.ok()) {
      tables.push_back(std::move(table).value());
      continue;
    }
    ++refused;
    refusals.append(refusals.empty() ? "" : "\n").append(table.status().message());
  }
  if (known_.size() > files.size())
    std::erase_if(
        known_, [&](auto const& one) { return !std::ranges::binary_search(files, std::filesystem::path{one.first}); });
  if (!refusals.empty()) return Status{Code::bad_configuration, refusals};
  return tables;
}

}  // namespace fastjournal::config
