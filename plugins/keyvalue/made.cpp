// Made by ./mk generate from plugins/keyvalue/keyvalue.xml: do not edit.
// clang-format off
#include "plugins/keyvalue/made.h"

#include <array>

namespace fastjournal::keyvalue::made {

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"key-size-max", into<&Options::key_size_max>},
      {"value-size-max", into<&Options::value_size_max>},
      {"pairs-max", into<&Options::pairs_max>},
      {"memory-max", into<&Options::memory_max>},
      {"when-full", into<&Options::when_full>},
      {"persist", into<&Options::persist>},
      {"max-clock-skew", into<&Options::max_clock_skew>},
      {"tombstone-keep", into<&Options::tombstone_keep>},
      {"lock-max", into<&Options::lock_max>},
      {"client-keep", into<&Options::client_keep>},
      {"clients-max", into<&Options::clients_max>},
  });
  return all;
}

}  // namespace fastjournal::keyvalue::made
