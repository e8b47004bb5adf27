#include "plugins/blob/options.h"

#include <string>
#include <string_view>

#include "wire/bcdb/key.h"

namespace fastjournal::blob {

Options Options::read(TableDeclaration const& declaration) {
  auto const number = [&](std::string_view name) { return declaration.option(name).integer; };
  auto const size = [&](std::string_view name) { return static_cast<std::uint64_t>(number(name)); };
  Options out;
  out.maintenance = static_cast<Mode>(number("maintenance"));
  out.maintain_every = number("maintain-every");
  out.expire_age = number("expire-age");
  out.expire_size = size("expire-size");
  out.expire_unreferenced = number("expire-unreferenced");
  out.blob_bytes_max = size("blob-size-max");
  out.data_bytes_max = size("data-size-max");
  out.blobs_max = size("blobs-max");
  out.client_keep = number("client-keep");
  out.clients_max = size("clients-max");
  out.key_secret = declaration.option("key-secret").text;
  return out;
}

Status Options::check(TableDeclaration const& declaration) const {
  if (key_secret.empty() || key_secret.size() >= bcdb::kSecretBytesMin) return {};
  return {Code::bad_configuration, declaration.at("key-secret") + ": key-secret has " +
                                       std::to_string(key_secret.size()) + " bytes; expected at least " +
                                       std::to_string(bcdb::kSecretBytesMin)};
}

}  // namespace fastjournal::blob
