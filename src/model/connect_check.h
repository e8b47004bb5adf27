// The options kConnectOption and kCatalogOption of a table: whether they name a place in an SQL database. Nothing is
// opened.
#pragma once

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// Ok, or the first mistake, with file and line. A password is one, and is not repeated.
[[nodiscard]] Status check_connect(TableDeclaration const& declaration);

}  // namespace fastjournal::model
