// All tables of conf/tables.d/: every *.xml, sorted by name; other files are
// not looked at. What is wrong in any of them is told at once.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

struct TablesFolder {
  std::vector<TableDeclaration> tables;  // the good ones, sorted by name
  // One per bad file (its problems, a line each), sorted by file; the folder itself if it cannot be read.
  std::vector<Status> refused;

  // All refusals together; ok if there are none.
  [[nodiscard]] Status status() const;
};

// `logs`: the names of the daemon's logs; a table that names another is refused.
[[nodiscard]] TablesFolder read_tables(std::filesystem::path const& folder, std::span<TypeDeclaration const> types,
                                       std::span<std::string const> logs);

// One file as read_tables reads it: for a reload.
[[nodiscard]] Result<TableDeclaration> read_table_of(std::filesystem::path const& file, std::span<TypeDeclaration const> types,
                                                     std::span<std::string const> logs);

}  // namespace fastjournal::config
