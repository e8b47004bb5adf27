// The rows of each key: its waiting row, those that are leased, and those that were given up. The index has the first
// row of each key, and a chain leads to the others (siblings), which few rows have. A table without row-key has neither
// index nor chains: no row has siblings.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include "plugins/rows/key_index.h"
#include "plugins/rows/payloads.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

// kNoRow where there is none. Keys::next leads from one of those processed, or parked, to the others.
struct KeyRows {
  std::uint32_t waiting{kNoRow};
  std::uint32_t processing{kNoRow};  // or held
  std::uint32_t processing_count{0};
  std::uint32_t parked{kNoRow};

  // The first of the chain; kNoRow: there is no row of the key.
  [[nodiscard]] std::uint32_t first() const {
    return waiting != kNoRow ? waiting : processing != kNoRow ? processing : parked;
  }
};

// Of one table, beside its rows and payloads, which outlive it. A row's place may only change through set_place while it
// is linked: the chain of a key is ordered by place.
class Keys {
 public:
  // `has_keys`: for the whole life of the table.
  Keys(Rows& rows, Payloads const& payloads, std::uint64_t hash_seed, bool has_keys);

  // -- reading ------------------------------------------------------------
  [[nodiscard]] bool has_keys() const { return index_.has_value(); }
  // Only with keys, as prefetch and index.
  [[nodiscard]] KeyRows find(std::string_view key) const;
  // Prefetches for a search of this key.
  void prefetch(std::string_view key) const { index_->prefetch(hash_of(key)); }
  [[nodiscard]] KeyIndex const& index() const { return *index_; }
  // The rows of a row's key, itself among them.
  [[nodiscard]] KeyRows of(std::uint32_t row) const;
  // The next row of the key: waiting ones are followed by those that are leased, these by parked ones.
  [[nodiscard]] std::uint32_t next(std::uint32_t row) const;
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return (index_ ? index_->memory_bytes() : 0) + siblings_.capacity() * 13;
  }

  // -- writing ------------------------------------------------------------
  // A search for a new row's key, which link() takes.
  struct Found {
    std::uint32_t hash{0};
    std::uint32_t head{kNoRow};  // the first row of the key
  };
  [[nodiscard]] Found look(std::string_view key) const;
  // Of this key, without the new row.
  [[nodiscard]] KeyRows rows_of(Found const& found) const { return chain(found.head); }
  // The row's place is set.
  void link(std::uint32_t row, Found const& found);
  void unlink(std::uint32_t row, std::string_view key);
  void set_place(std::uint32_t row, Place place);

 private:
  struct Sibling {
    std::uint32_t next{kNoRow};
    std::uint32_t prev{kNoRow};
  };

  [[nodiscard]] std::uint32_t hash_of(std::string_view key) const;
  [[nodiscard]] std::string_view key_of(std::uint32_t row) const { return payloads_.view(rows_[row].payload).key; }
  [[nodiscard]] std::uint32_t find_head(std::uint32_t hash, std::string_view key) const;
  [[nodiscard]] KeyRows chain(std::uint32_t head) const;

  Rows& rows_;
  Payloads const& payloads_;
  std::uint64_t hash_seed_;
  std::optional<KeyIndex> index_;                         // none without row-key
  absl::flat_hash_map<std::uint32_t, Sibling> siblings_;  // of rows that share their key with others
};

}  // namespace fastjournal::rows
