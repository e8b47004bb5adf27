// Made by ./mk generate from plugins/blob/blob.xml: do not edit.
// clang-format off
#include "plugins/blob/made.h"

#include <array>

namespace fastjournal::blob::made {

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"maintenance", into<&Options::maintenance>},
      {"maintain-every", into<&Options::maintain_every>},
      {"expire-age", into<&Options::expire_age>},
      {"expire-size", into<&Options::expire_size>},
      {"expire-unreferenced", into<&Options::expire_unreferenced>},
      {"blob-size-max", into<&Options::blob_size_max>},
      {"data-size-max", into<&Options::data_size_max>},
      {"blobs-max", into<&Options::blobs_max>},
      {"write-timeout"},  // others read it
      {"write-rate"},  // others read it
      {"key-secret", into<&Options::key_secret>},
      {"file-mode"},  // others read it
      {"file-group"},  // others read it
      {"client-keep", into<&Options::client_keep>},
      {"clients-max", into<&Options::clients_max>},
  });
  return all;
}

}  // namespace fastjournal::blob::made
