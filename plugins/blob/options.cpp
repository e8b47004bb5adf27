#include "plugins/blob/options.h"

#include <string_view>

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
  return out;
}

}  // namespace fastjournal::blob
