// Which destinations a document still reaches when it is known what routers chose for it.
#pragma once

#include <optional>
#include <vector>

#include "model/plan/destinations.h"
#include "model/plan/plan.h"

namespace fastjournal::plan {

// The choice of a router for one document: successors of it, in the order of the plan.
struct Choice {
  StepIndex router{0};
  std::vector<StepIndex> taken;

  bool operator==(Choice const&) const = default;
};

// Whether documents of this source get to the destination by the choices that were made (at most one of each router);
// routers without a choice may still choose anything. `via`: by a way on which this step is, as the children that it
// makes do.
[[nodiscard]] bool reaches(Plan const& plan, StepIndex source, Destination const& destination,
                           std::vector<Choice> const& choices, std::optional<StepIndex> via = std::nullopt);

}  // namespace fastjournal::plan
