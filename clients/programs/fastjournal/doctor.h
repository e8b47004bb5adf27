// `fastjournal doctor`: checks the installation on this computer and says what to do. What is looked at, and how it is
// judged, is in clients/programs/fastjournal/doctor; here it is asked for and printed.
#pragma once

#include <string>
#include <vector>

#include "clients/programs/fastjournal/console.h"
#include "clients/programs/fastjournal/doctor/findings.h"

namespace fastjournal::cli {

[[nodiscard]] ExitCode doctor(Invocation const& invocation, Console& console);

// A finding is a line, with what was expected and what to do below it; lines of a terminal are broken at its width.
[[nodiscard]] std::string render_findings(std::vector<doctor::Finding> const& findings, Look const& look);
[[nodiscard]] ExitCode exit_code_of(doctor::Severity worst);

}  // namespace fastjournal::cli
