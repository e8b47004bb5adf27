// <aliases> of a table file: messages of other systems that the table takes
// as its own commands. Apart from the table's reader, as it needs the
// type's commands and the columns to say what a parameter may become.
#pragma once

#include <vector>

#include "config/xml.h"
#include "fastjournal/declaration.h"

namespace fastjournal::config {

inline constexpr std::size_t kAliasesMax = 16;
inline constexpr std::size_t kAliasParametersMax = 64;

[[nodiscard]] std::vector<AliasDeclaration> read_aliases(Element const& aliases, TypeDeclaration const& type,
                                                         Schema const& schema);

}  // namespace fastjournal::config
