// conf/fastjournal.xml: the daemon's addresses, folders, files and limits. The format is described in
// doc/table-reference.md and by xml-schemas/fastjournal.xsd.
#pragma once

#include <filesystem>

#include "config/daemon_declaration.h"
#include "fastjournal/status.h"

namespace fastjournal::config {

// bad_configuration: every problem of the file, each as a line "FILE:LINE: what"; also for a missing file.
[[nodiscard]] Result<DaemonDeclaration> read_daemon(std::filesystem::path const& path);

}  // namespace fastjournal::config
