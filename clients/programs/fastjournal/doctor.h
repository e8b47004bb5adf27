// `fastjournal doctor`: checks the installation on this computer and says what to do. What is looked at, and how it is
// judged, is in clients/programs/fastjournal/doctor; here it is asked for and printed.
#pragma once

#include <string>
#include <vector>

#include "clients/programs/fastjournal/doctor/findings.h"
#include "clients/programs/fastjournal/exit_code.h"
#include "clients/programs/fastjournal/render.h"

namespace fastjournal::cli {

// A finding is a line, with what was expected and what to do below it; lines of a terminal are broken at its width.
[[nodiscard]] std::string render_findings(std::vector<doctor::Finding> const& findings, Look const& look);
[[nodiscard]] ExitCode exit_code_of(doctor::Severity worst);

}  // namespace fastjournal::cli
