// The columns of a table: `<schema>` and row-key, with everything that
// declaration.h promises about them.
#pragma once

#include <string_view>

#include "config/xml.h"
#include "fastjournal/declaration.h"

namespace fastjournal::config {

// Columns and key. `table` has the attribute row-key, `type` the commands whose parameters no column may be called by.
[[nodiscard]] Schema read_schema(Element const& schema, Element const& table, TypeDeclaration const& type);

// Elements and attributes of other systems' declarations that are refused with their own reason.
[[nodiscard]] std::span<Unsupported const> unsupported_parts();

}  // namespace fastjournal::config
