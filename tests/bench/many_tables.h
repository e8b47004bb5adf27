// How the cost of a command grows with the number of tables: daemons with more and more of them, side by side, one of
// whose tables of each type is used, while each of the others holds a row.
#pragma once

#include "tests/bench/works.h"

namespace fastjournal::bench {

// Prints rates, and the ratio of each to that of the daemon with one table of each type; memory and starts. Throws
// std::runtime_error where a command is refused.
void run_many_tables(Settings const& settings);

}  // namespace fastjournal::bench
