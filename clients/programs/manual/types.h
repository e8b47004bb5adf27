// The page of a table type, made of its TYPE.xml, and the list of the daemon's own commands: both are what HELP reads.
#pragma once

#include "clients/programs/manual/page.h"
#include "fastjournal/declaration.h"

namespace fastjournal::manual {

// fastjournal-TYPE(7)
[[nodiscard]] Page type_page(TypeDeclaration const& type);
void add_daemon_commands(Page& page);

}  // namespace fastjournal::manual
