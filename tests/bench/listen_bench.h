// What listening costs and gives, on a real daemon: how late wakes and delivered
// rows are while a million rows wait, what those cost an idle daemon, and how fast `deliver` works.
#pragma once

#include <string>

#include "tests/integration/daemon.h"

namespace fastjournal::bench {

// What each work measures, for people.
[[nodiscard]] std::string listening_works();
// Measures `work` and prints it: "lateness" and "idle" with a million rows that wait, "deliver". False: it went wrong.
[[nodiscard]] bool run_listening(test::RealDaemon& daemon, std::string const& work, bool json);

}  // namespace fastjournal::bench
