// An entry of the index: what is known of one blob. 32 bytes, packed, little endian, as in BlobCacher.
// The layout is part of the format of the log (records.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fastjournal/extent.h"
#include "wire/bcdb/key.h"

namespace fastjournal::blob {

using bcdb::Key;

struct Entry {
  std::uint32_t entry_time{0};  // seconds since 1970
  std::uint32_t hash_value{0};
  std::uint64_t hash_id{0};
  std::uint64_t begin{0};  // offset of the first byte in its file
  std::uint64_t end{0};    // offset of the last byte + 1

  [[nodiscard]] Key key() const { return {hash_value, hash_id}; }
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};
inline constexpr std::size_t kEntryBytes = 32;
static_assert(sizeof(Entry) == kEntryBytes && std::is_trivially_copyable_v<Entry>);
static_assert(offsetof(Entry, entry_time) == 0 && offsetof(Entry, hash_value) == 4 && offsetof(Entry, hash_id) == 8);
static_assert(offsetof(Entry, begin) == 16 && offsetof(Entry, end) == 24);

namespace marks {

inline constexpr std::uint8_t kOmitted = 1;  // left out by the next maintenance
inline constexpr std::uint8_t kDamaged = 2;  // its bytes are, so it cannot be copied: left out as well
inline constexpr std::uint8_t kLogged = kOmitted | kDamaged;
// Derived, of a running maintenance: it was judged to be left out; it was put after the maintenance began.
inline constexpr std::uint8_t kJudged = 64;
inline constexpr std::uint8_t kNew = 128;

}  // namespace marks

// A blob as readers see it.
struct Blob {
  Key key{};
  std::uint32_t entry_time{0};
  std::uint32_t read_s{0};  // when it was read last; 0: not since the start
  Extent extent{};
  std::uint64_t copy_begin{0};  // in the file that is being built; 0: it has no copy there
  std::uint8_t marks{0};

  [[nodiscard]] bool has_copy() const { return copy_begin != 0; }
  // Of its copy in that file.
  [[nodiscard]] Extent copy(std::uint32_t file) const {
    return {file, copy_begin, copy_begin + extent.size(), extent.hash};
  }
};

// The next key in the order; of the last one the first one.
[[nodiscard]] constexpr Key after(Key const& key) {
  Key next = key;
  if (++next.hash_id == 0) ++next.hash_value;
  return next;
}
inline constexpr Key kLastKey{UINT32_MAX, UINT64_MAX};

}  // namespace fastjournal::blob
