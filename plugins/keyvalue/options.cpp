#include "plugins/keyvalue/options.h"

#include <string_view>

namespace fastjournal::keyvalue {

Options Options::read(TableDeclaration const& declaration) {
  auto const number = [&](std::string_view name) { return declaration.option(name).integer; };
  auto const size = [&](std::string_view name) { return static_cast<std::size_t>(number(name)); };
  Options out;
  out.key_bytes_max = size("key-size-max");
  out.value_bytes_max = size("value-size-max");
  out.pairs_max = size("pairs-max");
  out.memory_max = size("memory-max");
  out.evicts = declaration.option("when-full").text == "evict";
  out.persist = number("persist") != 0;
  out.clock_skew_max = number("max-clock-skew");
  out.tombstone_keep = number("tombstone-keep");
  out.lock_max = number("lock-max");
  out.client_keep = number("client-keep");
  out.clients_max = size("clients-max");
  return out;
}

}  // namespace fastjournal::keyvalue
