// conf/fastjournal.xml: where the daemon listens, stores and finds things, and
// its limits. The format is described in doc/table-reference.md and by
// xml-schemas/fastjournal.xsd.
#pragma once

#include <filesystem>

#include "config/daemon_declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// bad_configuration: every problem of the file, one "FILE:LINE: what" a line; a missing file is one too.
[[nodiscard]] Result<DaemonDeclaration> read_daemon(std::filesystem::path const& path);

}  // namespace fastjournal::config
