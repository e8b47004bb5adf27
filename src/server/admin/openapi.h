// The document that describes the HTTP door for programs: OpenAPI 3.1, made from the declarations of the
// daemon's own commands and from every TYPE.xml, so that it cannot tell anything else than these do.
#pragma once

#include <string>

#include "engine/types.h"

namespace fastjournal::admin {

// A command that several table types have is one path, whose body fits any of them. Columns are allowed beside the
// parameters of a command that takes columns; which ones there are depends on the table.
[[nodiscard]] std::string make_openapi(engine::TableTypes const& types);

}  // namespace fastjournal::admin
