// HISTORY: what has become of documents.
#pragma once

#include <cstddef>

#include "fastjournal/table.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class HistoryReads {
 public:
  explicit HistoryReads(TableState const& shared) : shared_(shared) {}

  Verdict history(Command const& command, Decision& decision) const;

 private:
  // Returns about how many bytes the message has.
  std::size_t describe(std::uint64_t number, Answer& answer) const;
  void describe_place(Event const& event, Answer& answer) const;

  TableState const& shared_;
};

}  // namespace fastjournal::pipeline
