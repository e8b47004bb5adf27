// The words that both databases share. Names of relations and columns are those of a table type, and quoted all the
// same; values are never here, but parameters of statements.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fastjournal/export.h"

namespace fastjournal::sql {

[[nodiscard]] std::string quoted_identifier(std::string_view name);

// By ExportColumn::Kind.
using TypeNames = std::string_view const (&)[3];

// CREATE TABLE `name` with its columns and their key; `name`: as it is written there.
[[nodiscard]] std::string create_table(ExportRelation const& relation, std::string_view name, TypeNames types);
// INSERT INTO `name` of so many rows; `mark`: what is written before the number of a parameter.
[[nodiscard]] std::string insert_rows(ExportRelation const& relation, std::string_view name, std::size_t rows,
                                      char mark);

}  // namespace fastjournal::sql
