// Workers' reports about a document: it was sent, it failed, it is dropped, a router chose. And those of the table
// itself when a worker is silent: leases that end.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/pipeline/requests.h"
#include "plugins/pipeline/table_state.h"

namespace fastjournal::pipeline {

class Reports {
 public:
  explicit Reports(TableState const& shared) : shared_(shared) {}

  Verdict sent(Command const& command, Decision& decision) const;
  Verdict failed(Command const& command, Decision& decision) const;
  Verdict dropped(Command const& command, Decision& decision) const;
  Verdict routed(Command const& command, Decision& decision) const;

  // The next leases that are over. True if more remain.
  bool end_leases(Decision& decision) const;
  // It has arrived: appends that, and that its destination is open again if it was tried out.
  void record_sent(std::uint32_t cell, Decision& decision) const;
  // A failure of this class; appends what follows, and says which state that is.
  struct Wrong {
    std::string_view kind{};
    std::string_view message{};
    bool is_permanent{false};
  };
  State record_failure(std::uint32_t cell, Wrong const& wrong, Decision& decision) const;

 private:
  // The cell of a report, in this lease. kNone: answered, or the status says why.
  [[nodiscard]] std::uint32_t find_reported(auto const& given, Decision& decision) const;
  void answer(std::uint32_t document, std::uint32_t cell, State state, Decision& decision) const;
  void note_failure(std::uint32_t cell, Decision& decision) const;
  void record_lost(std::uint32_t cell, Decision& decision) const;
  void end_lease(std::uint32_t cell, Decision& decision) const;

  TableState const& shared_;
};

}  // namespace fastjournal::pipeline
