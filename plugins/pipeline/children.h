// Documents that are made of a document, and how many there are.
#pragma once

#include "fastjournal/table.h"
#include "plugins/pipeline/runs.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

// Children of children, at most.
inline constexpr int kDepthMax = 16;

class Children {
 public:
  explicit Children(TableState const& shared) : shared_(shared) {}

  // A child is about to be run: DOCUMENT with what is missing of it, or SKIP.
  Verdict child(Command const& command, Decision& decision) const;
  // So many children were made: no more come.
  Verdict children_done(Command const& command, Decision& decision) const;

 private:
  // The token is that of a run of this document, or of the original that it was made of.
  [[nodiscard]] bool is_run_by(std::uint32_t document, LeaseEpoch token) const;
  [[nodiscard]] std::uint32_t original_of(std::uint32_t document) const;
  [[nodiscard]] int depth_of(std::uint32_t document) const;
  [[nodiscard]] DocumentBody make(std::uint32_t parent, std::string_view name, std::optional<std::uint16_t> maker,
                                  std::string_view generation) const;
  // It is there: it is leased with the run's token, or passed.
  Verdict hand_child(std::uint32_t child, LeaseEpoch token, std::int64_t lease_ms, Command const& command,
                     Decision& decision) const;

  TableState const& shared_;
};

}  // namespace fastjournal::pipeline
