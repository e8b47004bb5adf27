// GET: one key, several, or a range of keys in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "model/parameters.h"
#include "plugins/keyvalue/shared.h"

namespace fastjournal::keyvalue {

class Reads {
 public:
  explicit Reads(Shared const& shared) : shared_(shared) {}

  Verdict get(Command const& command, Decision& decision) const;

 private:
  struct Wish;

  Verdict get_one(Wish const& wish, Decision& decision) const;
  Verdict get_range(Wish const& wish, Decision& decision) const;
  Verdict get_many(Wish const& wish, Decision& decision) const;
  [[nodiscard]] bool is_shown(Wish const& wish, Facts const& facts) const;
  // The dates of a pair that is read, where they change by it: `pair` has its new end then. Returns the bytes of the
  // record.
  std::size_t append_use(Wish const& wish, Pair& pair, bool moves_end, Decision& decision) const;
  void show(Wish const& wish, Pairs::Entry const& entry, Pair const& pair, Answer& answer) const;
  void nothing(Answer& answer) const;
  void watch(Wish const& wish, Decision& decision) const;

  Shared const& shared_;
};

}  // namespace fastjournal::keyvalue
