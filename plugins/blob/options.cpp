#include "plugins/blob/options.h"

#include <array>

#include <fmt/format.h>

#include "wire/bcdb/key.h"

namespace fastjournal::blob {

std::span<rows::NamedOption<Options> const> Options::all() {
  using rows::into;
  static constexpr auto all = std::to_array<rows::NamedOption<Options>>({
      {"maintenance", into<&Options::maintenance>},
      {"maintain-every", into<&Options::maintain_every>},
      {"expire-age", into<&Options::expire_age>},
      {"expire-size", into<&Options::expire_size>},
      {"expire-unreferenced", into<&Options::expire_unreferenced>},
      {"blob-size-max", into<&Options::blob_bytes_max>},
      {"data-size-max", into<&Options::data_bytes_max>},
      {"blobs-max", into<&Options::blobs_max>},
      {"client-keep", into<&Options::client_keep>},
      {"clients-max", into<&Options::clients_max>},
      {"key-secret", into<&Options::key_secret>},
  });
  return all;
}

Status Options::check(TableDeclaration const& declaration) const {
  if (key_secret.empty() || key_secret.size() >= bcdb::kSecretBytesMin) return {};
  return declaration.refuse("key-secret", fmt::format("key-secret has {} bytes; expected at least {}",
                                                      key_secret.size(), bcdb::kSecretBytesMin));
}

}  // namespace fastjournal::blob
