// `fastjournal bench`: the rates of this computer, measured in clients/programs/fastjournal/bench with a daemon of its own; here they are
// asked for and printed.
#pragma once

#include <string>
#include <vector>

#include "clients/programs/fastjournal/bench/measure.h"

namespace fastjournal::cli {

[[nodiscard]] std::string render_rates(std::vector<bench::Row> const& rows);

}  // namespace fastjournal::cli
