// The options of a pipeline table, and what follows from them.
#pragma once

#include <optional>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "model/plan/codec.h"
#include "model/plan/plan.h"
#include "plugins/pipeline/made.h"

namespace fastjournal::pipeline {

struct Options : made::Options {
  std::optional<plan::Plan> read_plan;  // none: the text is none

  void complete() { read_plan = plan::decode(plan); }
  // Checks that the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
};

}  // namespace fastjournal::pipeline
