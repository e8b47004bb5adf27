// Room for more pairs, in the limits of the table.
#pragma once

#include <cstddef>
#include <string>

#include "fastjournal/table.h"
#include "plugins/keyvalue/table_state.h"

namespace fastjournal::keyvalue {

class Room {
 public:
  explicit Room(TableState const& shared) : shared_(shared) {}

  enum class Answer { there, made, none };
  // `bytes` more, of new pairs or grown ones. made: a record was appended that drops another pair: ask again when it
  // is applied. none: decision.status says why. `keeps`: a pair that is not dropped for it. `entry`: of one pair, the
  // memory of its entry; 0: it is not known.
  [[nodiscard]] Answer make(std::size_t bytes, std::uint64_t new_pairs, std::string_view keeps, std::size_t entry,
                            Decision& decision) const;

 private:
  // Of those that leave the room for `entry`, if there are any; then `is_fitting`. Else of those that leave some.
  [[nodiscard]] Handle oldest(std::string_view keeps, std::size_t entry, bool& is_fitting, Decision& decision) const;

  TableState const& shared_;
  // Where the next search begins: a hint.
  mutable std::string hand_{};
  // The step before dropped a pair whose memory is the new one's.
  mutable bool has_slot_{false};
};

}  // namespace fastjournal::keyvalue
