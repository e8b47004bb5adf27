#include "model/plan/crash.h"

#include "model/plan/checks.h"

namespace fastjournal::plan {

Crash crash_in(Plan const& plan, Destinations const& destinations, StepIndex step) {
  Crash out;
  if (!plan.fault_tolerant) return out;
  std::vector<bool> const before = above(plan, step);
  for (StepIndex const one : in_order(plan)) {
    if (!before[one] && one != step) continue;
    if (!plan.step(one).is_output())
      out.again.push_back(one);
    else if (one != step)
      out.skipped.push_back(one);
  }
  if (!plan.step(step).is_output()) return out;
  bool const again = plan.step(step).guarantee == Guarantee::at_least_once;
  for (std::size_t at = 0; at < destinations.all().size(); ++at)
    if (destinations.all()[at].step == step) (again ? out.sent_again : out.in_doubt).push_back(at);
  return out;
}

}  // namespace fastjournal::plan
