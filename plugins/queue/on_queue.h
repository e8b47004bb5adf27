// The unleased messages of one queue, in the order in which they would be handed out; behind them those that are
// parked.
#pragma once

#include <cstdint>
#include <string_view>

#include "plugins/queue/table_state.h"

namespace fastjournal::queue {

enum class Which : std::uint8_t { both, waiting, parked };

// kNoRow: none.
[[nodiscard]] std::uint32_t first_of(TableState const& shared, std::string_view queue, Which which);
[[nodiscard]] std::uint64_t count_of(TableState const& shared, Queue const& queue, Which which);

}  // namespace fastjournal::queue
