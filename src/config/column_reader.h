// The columns of a table: `<schema>` and row-key, with all that declaration.h promises about them.
#pragma once

#include <string_view>

#include "config/xml.h"
#include "fastjournal/declaration.h"

namespace fastjournal::config {

// Columns and key. `table` has the attribute row-key; no column may have the name of a parameter of `type`'s commands.
[[nodiscard]] Schema read_schema(Element const& schema, Element const& table, TypeDeclaration const& type);

// Elements and attributes of other systems' declarations, each refused with its own reason.
[[nodiscard]] std::span<Unsupported const> unsupported_parts();

}  // namespace fastjournal::config
