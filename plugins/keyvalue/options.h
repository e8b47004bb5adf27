// The options of a key/value table as numbers, read once from the declaration: names and defaults stand in keyvalue.xml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fastjournal/declaration.h"
#include "plugins/rows/table_type.h"

namespace fastjournal::keyvalue {

struct Options {
  std::size_t key_bytes_max{1024};
  std::size_t value_bytes_max{0};
  std::uint64_t pairs_max{0};      // 0: no limit
  std::uint64_t memory_max{0};     // bytes; 0: no limit
  bool evicts{false};              // at these limits; else SET is refused
  bool persist{true};              // of a SET that does not say
  std::int64_t clock_skew_max{0};  // durations are ms
  std::int64_t tombstone_keep{0};
  std::int64_t lock_max{0};
  std::int64_t client_keep{0};
  std::size_t clients_max{0};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
};

}  // namespace fastjournal::keyvalue
