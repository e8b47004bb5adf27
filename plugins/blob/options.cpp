#include "plugins/blob/options.h"

#include <fmt/format.h>

#include "wire/bcdb/key.h"

namespace fastjournal::blob {

Status Options::check(TableDeclaration const& declaration) const {
  if (key_secret.empty() || key_secret.size() >= bcdb::kSecretBytesMin) return {};
  return declaration.refuse("key-secret", fmt::format("key-secret has {} bytes; expected at least {}",
                                                      key_secret.size(), bcdb::kSecretBytesMin));
}

}  // namespace fastjournal::blob
