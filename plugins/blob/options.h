// The options of a blob table as numbers, read once from the declaration: names and defaults stand in blob.xml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fastjournal/declaration.h"
#include "plugins/blob/state.h"
#include "plugins/rows/table_type.h"

namespace fastjournal::blob {

struct Options {
  Mode maintenance{Mode::modern};
  std::int64_t maintain_every{0};  // durations are ms; 0: never
  std::int64_t expire_age{0};      // 0: no limit, as below
  std::uint64_t expire_size{0};
  std::int64_t expire_unreferenced{0};
  std::uint64_t blob_bytes_max{0};
  std::uint64_t data_bytes_max{0};  // 0: no limit
  std::uint64_t blobs_max{0};       // 0: no limit
  std::int64_t client_keep{0};
  std::size_t clients_max{0};
  std::string key_secret{};  // empty: keys need none

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
  // Rules across several options.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
};

}  // namespace fastjournal::blob
