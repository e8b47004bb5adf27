// Pages of files, made of doc/table-reference.md: a test holds that document against what the daemon's readers accept.
#pragma once

#include <string_view>

#include "clients/programs/manual/page.h"

namespace fastjournal::manual {

// Appends what stands below the heading, "## The daemon: ..." or "### Options of ...", up to the next one of its rank
// or a higher one. Returns false if there is no heading that begins so.
[[nodiscard]] bool add_section(std::string_view markdown, std::string_view heading, Page& page);
// The same up to the next heading of any rank.
[[nodiscard]] bool add_opening(std::string_view markdown, std::string_view heading, Page& page);

}  // namespace fastjournal::manual
