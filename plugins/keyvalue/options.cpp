#include "plugins/keyvalue/options.h"

#include <array>

namespace fastjournal::keyvalue {

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"key-size-max", into<&Options::key_bytes_max>},
      {"value-size-max", into<&Options::value_bytes_max>},
      {"pairs-max", into<&Options::pairs_max>},
      {"memory-max", into<&Options::memory_max>},
      {"when-full", [](Options& to, OptionValue const& value) { to.evicts = value.text == "evict"; }},
      {"persist", into<&Options::persist>},
      {"max-clock-skew", into<&Options::clock_skew_max>},
      {"tombstone-keep", into<&Options::tombstone_keep>},
      {"lock-max", into<&Options::lock_max>},
      {"client-keep", into<&Options::client_keep>},
      {"clients-max", into<&Options::clients_max>},
  });
  return all;
}

}  // namespace fastjournal::keyvalue
