// Findings in a plan whose file could be read: each finding has a name that scripts can rely on, the line, what
// was found and what was expected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/plan/plan.h"

namespace fastjournal::plan {

// Errors: cycle, duplicate-step, unknown-predecessor, no-source, source-with-predecessor, bad-name, ends-in-safe,
// ends-in-source, potent-mutating, no-router, router-without-choice, guarantee-without-output, too-many-destinations,
// too-large, versions-unknown, deleted-unknown.
// Warnings: unequal-branches, non-safe-behind-potent.
struct Finding {
  std::string_view name;  // one of the above: lasts for good
  int line{0};
  bool is_warning{false};
  std::string what;
};

// A plan with errors is never used. `names` were checked by the reader, as a plan is built by them: the other rules are
// here. At most kFindingsMax, in the order of the file; warnings only if there are no errors.
inline constexpr std::size_t kFindingsMax = 20;
[[nodiscard]] std::vector<Finding> check(Plan const& plan);

// Whether a plan with these findings may be used. A strict one has no warnings either.
[[nodiscard]] bool is_usable(std::vector<Finding> const& findings, bool strict);

// Advice for a plan that may be used: at-least-once. Not part of check(), as nothing is wrong.
[[nodiscard]] std::vector<Finding> suggest(Plan const& plan);

// Every step behind all its predecessors; empty if there is a cycle.
[[nodiscard]] std::vector<StepIndex> in_order(Plan const& plan);

}  // namespace fastjournal::plan
