#include "model/plan/routes.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>

namespace fastjournal::plan {

// A walk over (step, branches taken so far that are the destination's, `via` was passed).
bool reaches(Plan const& plan, StepIndex source, Destination const& destination, std::vector<Choice> const& choices,
             std::optional<StepIndex> via) {
  using Place = std::tuple<StepIndex, std::size_t, bool>;
  bool const any_path = plan.step(destination.step).any_path;
  std::set<Place> seen;
  std::vector<Place> left{{source, 0, !via || *via == source}};
  while (!left.empty()) {
    Place const place = left.back();
    left.pop_back();
    if (!seen.insert(place).second) continue;
    auto const [at, branches, passed] = place;
    if (at == destination.step && passed && (any_path || branches == destination.branches.size())) return true;
    Step const& step = plan.step(at);
    auto const choice = std::ranges::find(choices, at, &Choice::router);
    for (StepIndex const next : step.after) {
      if (choice != choices.end() && std::ranges::find(choice->taken, next) == choice->taken.end()) continue;
      bool const counts = step.duplicates() && !any_path;
      if (counts && (branches == destination.branches.size() || destination.branches[branches] != next)) continue;
      left.emplace_back(next, branches + (counts ? 1 : 0), passed || via == next);
    }
  }
  return false;
}

}  // namespace fastjournal::plan
