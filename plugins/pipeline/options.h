// The options of a pipeline table as numbers, read once from the declaration: names and defaults stand in pipeline.xml.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "model/plan/plan.h"
#include "plugins/rows/lease_times.h"
#include "plugins/rows/table_type.h"

namespace fastjournal::pipeline {

struct Options {
  std::string plan_text;           // model/plan/codec.h
  std::optional<plan::Plan> plan;  // none: the text is none
  rows::LeaseTimes times;          // durations are ms
  std::int64_t grace{10'000};
  std::uint32_t losses_max{20};  // workers lost with a document, one after the other, until it is dead; 0: never
  std::uint32_t failing{20};     // documents that fail at one destination within failing_for pause it; 0: never
  std::int64_t failing_for{60'000};
  std::int64_t probe_every{30'000};
  std::uint64_t documents_max{0};    // 0: no limit
  std::uint64_t memory_max{0};       // bytes; 0: no limit
  std::uint64_t history{0};          // bytes
  std::uint64_t ended_in_memory{0};  // documents

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
  // Checks that the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
};

}  // namespace fastjournal::pipeline
