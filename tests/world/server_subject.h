// The whole server in the simulator, as a subject of the reference model (tests/model). It is sent text messages and
// answers with text messages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/model/subject.h"

namespace fastjournal::sim {

[[nodiscard]] std::unique_ptr<reference::Subject> make_server(std::uint64_t seed, reference::Options const& options,
                                                              std::vector<reference::Column> const& columns);

}  // namespace fastjournal::sim
