// One entry of a log in etcd: a piece of its stream of records. A record, and a group, may begin in one and end in
// another. The first entry of an owner says where the stream before it was cut: what its predecessor had not finished
// is not part of the log.
//
//   u64 checksum      XXH3-64 of everything behind it, seeded with the store id
//   u32 magic         "FJE1"
//   u8  version       1
//   u8  flags         1: the first of its owner
//   u16 zero
//   u64 token         of the owner that wrote it
//   u64 sequence
//   u64 LSN           of its first byte
//   u64 group         the first LSN in it at which a group begins; 0: none does
//   u64 cut           only of the first of an owner: where the stream before it ends
//   u32 start         likewise: the owner's number
//   u32 zero          likewise
//   bytes             of records, as those of batches (log/record_format.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/types.h"

namespace fastjournal::log::etcd {

// With its head.
inline constexpr std::size_t kEntryHeadBytesMax = 64;

struct Entry {
  std::uint64_t token{0};
  std::uint64_t sequence{0};
  Lsn lsn{};
  Lsn group{};
  bool is_first{false};
  Lsn cut{};
  std::uint32_t start{0};
  std::string_view bytes{};

  [[nodiscard]] Lsn end() const { return Lsn{lsn.value + bytes.size()}; }
};

[[nodiscard]] std::string encode(Entry const& entry, std::uint64_t store_id);
// Nothing: damaged, or of another log. `bytes` is a part of the value.
[[nodiscard]] std::optional<Entry> decode(std::string_view value, std::uint64_t store_id);

// The value of the key `base`.
struct Base {
  std::uint64_t sequence{1};  // the first entry that is needed
  Lsn lsn{};                  // where reading begins in it; none: at its begin
  Lsn catalogue{};
  bool operator==(Base const&) const = default;
};
[[nodiscard]] std::string encode(Base const& base);
[[nodiscard]] std::optional<Base> decode_base(std::string_view value);

}  // namespace fastjournal::log::etcd
