// GET: one key, several, or a range of keys in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "model/parameters.h"
#include "plugins/keyvalue/table_state.h"

namespace fastjournal::keyvalue {

class Reads {
 public:
  explicit Reads(TableState const& shared) : shared_(shared) {}

  Verdict get(Command const& command, Decision& decision) const;

 private:
  struct Request;

  Verdict get_one(Request const& request, Decision& decision) const;
  Verdict get_range(Request const& request, Decision& decision) const;
  Verdict get_many(Request const& request, Decision& decision) const;
  [[nodiscard]] bool is_shown(Request const& request, Facts const& facts) const;
  // The dates of a pair that is read, where they change by it: `pair` has its new end then. Returns the bytes of the
  // record.
  std::size_t append_use(Request const& request, Pair& pair, bool moves_end, Decision& decision) const;
  void show(Request const& request, Pairs::Entry const& entry, Pair const& pair, Answer& answer) const;
  void nothing(Answer& answer) const;
  void watch(Request const& request, Decision& decision) const;

  TableState const& shared_;
};

}  // namespace fastjournal::keyvalue
