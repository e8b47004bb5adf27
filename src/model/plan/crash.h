// The fate of a document in a step after a crash: the source gives it again, and it passes the steps again
// on its way to the destinations that it has not reached. The guarantees of its outputs decide the rest.
#pragma once

#include <cstddef>
#include <vector>

#include "model/plan/destinations.h"
#include "model/plan/plan.h"

namespace fastjournal::plan {

struct Crash {
  std::vector<StepIndex> again;         // run again, in order: from the source on
  std::vector<StepIndex> skipped;       // outputs on the way that have the document: passed without running
  std::vector<std::size_t> sent_again;  // destinations
  std::vector<std::size_t> in_doubt;    // destinations: not sent again until an operator says whether they have it
};

// All empty in a plan without fault tolerance: the document is gone until its source finds it changed.
[[nodiscard]] Crash crash_in(Plan const& plan, Destinations const& destinations, StepIndex step);

}  // namespace fastjournal::plan
