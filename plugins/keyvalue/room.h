// Room for more pairs, in the limits of the table.
#pragma once

#include <cstddef>
#include <string>

#include "fastjournal/table.h"
#include "plugins/keyvalue/shared.h"

namespace fastjournal::keyvalue {

class Room {
 public:
  explicit Room(Shared const& shared) : shared_(shared) {}

  enum class Answer { there, made, none };
  // `bytes` more, of new pairs or grown ones. made: a record was appended that drops another pair: ask again when it
  // is applied. none: decision.status says why. `keeps`: a pair that is not dropped for it.
  [[nodiscard]] Answer make(std::size_t bytes, std::uint64_t new_pairs, std::string_view keeps,
                            Decision& decision) const;

 private:
  [[nodiscard]] Handle oldest(std::string_view keeps, Decision& decision) const;

  Shared const& shared_;
  // Where the next search begins: a hint.
  mutable std::string hand_{};
};

}  // namespace fastjournal::keyvalue
