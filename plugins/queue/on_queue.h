// The unleased messages of one queue, in the order in which they would be handed out; after them those that wait for one
// of their group, then those that are parked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "plugins/queue/made.h"
#include "plugins/queue/table_state.h"

namespace fastjournal::queue {

using Which = made::PurgeStatus;

// Of both if none is said. kNoRow: none.
[[nodiscard]] std::uint32_t first_of(TableState const& shared, std::string_view queue, std::optional<Which> which = {});
// That is due, whether or not its queue is paused.
[[nodiscard]] std::uint32_t first_due(TableState const& shared, std::string_view queue);
// That waits for its date; for one of its group.
[[nodiscard]] std::uint32_t first_future(TableState const& shared, std::string_view queue);
[[nodiscard]] std::uint32_t first_behind(TableState const& shared, std::string_view queue);
[[nodiscard]] std::uint64_t count_of(TableState const& shared, Queue const& queue, std::optional<Which> which);

}  // namespace fastjournal::queue
