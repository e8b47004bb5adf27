// A plan as a text of one line, and back: what a table is given in place of the name of its plan's file, and what the log
// keeps of it. Lines of the file are not in it, so that a plan that is only written otherwise has the same text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/plan/plan.h"

namespace fastjournal::plan {

// Longer ones may not be used: the record of a plan is within the room of one step of a table.
inline constexpr std::size_t kPlanBytesMax = 15'000;

// Of a plan that may be used, or is only too large.
[[nodiscard]] std::string encode(Plan const& plan);
// None: this is no plan, or not one that may be used.
[[nodiscard]] std::optional<Plan> decode(std::string_view text);

}  // namespace fastjournal::plan
