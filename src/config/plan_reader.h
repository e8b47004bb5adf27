// PLAN.xml: the plan of a pipeline. The format is described in doc/pipeline.md and by xml-schemas/plan.xsd.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "fastjournal/status.h"
#include "model/plan/checks.h"
#include "model/plan/plan.h"

namespace fastjournal::config {

// The contents of a file, and its problems. Steps are only known once their names are: a file with a bad name, a step
// twice or an unknown predecessor has those findings alone, and no plan.
struct PlanFile {
  std::optional<plan::Plan> plan;
  std::vector<plan::Finding> findings;  // in the order of the file

  // The plan may be used.
  [[nodiscard]] bool is_usable() const { return plan && plan::is_usable(findings, plan->strict); }
};

// bad_configuration: the file cannot be read, is not well-formed, or does not have the shape of a plan: every problem as a
// line "FILE:LINE: what". What is wrong with a plan of good shape is in its findings.
[[nodiscard]] Result<PlanFile> read_plan(std::filesystem::path const& path);

}  // namespace fastjournal::config
