// The pairs of a table in memory: found by their keys, in the order of their keys, by the dates at which something
// happens to them, and by the connections that have them locked.
//
// A value has one key or several. The first one is its main key, where the pair stands; each other one (an alias) is an
// entry of its own, which names the main key. A deleted pair may stay as a tombstone, which is found like a pair.
//
// An entry's bytes, in a slot of the payload store:
//
//   lsn        6 bytes, / 8: of the record that states the pair whole. Its id, and what it needs of the log
//   accessed   4 bytes: seconds since 1970; 0xFFFFFFFF: this is an alias
//   key        varint: its length, and its bytes
//   a pair:    facts (facts.h), room for more of them if the value is large, the value, its aliases
//   an alias:  the main key
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_set.h>
#include "base/hash.h"
#include "fastjournal/table.h"
#include "plugins/keyvalue/facts.h"
#include "plugins/rows/key_index.h"
#include "plugins/rows/payload_store.h"
#include "plugins/rows/regions.h"

namespace fastjournal::keyvalue {

// Of one value, beside its main key.
inline constexpr std::size_t kAliasesMax = 16;
inline constexpr std::size_t kKeyBytesMax = 4096;

using Handle = std::uint32_t;
inline constexpr Handle kNoPair = UINT32_MAX;

// Views into the store: valid until something is put or erased.
struct Pair {
  Lsn lsn{};
  std::uint32_t accessed_s{0};
  Facts facts{};
  std::string_view key{};
  std::string_view value{};

  [[nodiscard]] ObjectId id() const { return object_of(lsn); }
};
using Aliases = std::vector<std::string_view>;

class Pairs {
 public:
  Pairs(std::int64_t tombstone_keep_ms, std::uint64_t hash_seed)
      : order_(Less{this}), hash_{hash_seed}, tombstone_keep_(tombstone_keep_ms) {}
  Pairs(Pairs const&) = delete;
  Pairs& operator=(Pairs const&) = delete;
  ~Pairs() = default;

  // -- looking --------------------------------------------------------------
  // The pair that this key leads to, or a tombstone; kNoPair: there is neither.
  [[nodiscard]] Handle find(std::string_view key) const;
  [[nodiscard]] bool is_alias(std::string_view key) const;
  [[nodiscard]] Pair at(Handle handle) const;
  [[nodiscard]] Aliases aliases_of(Handle handle) const;
  // One entry, in the order of the keys: its own key, and the pair that it leads to.
  struct Entry {
    std::string_view key{};
    Handle pair{kNoPair};
    bool is_alias{false};
  };
  // From the first one at `from`, or behind it, until `look` returns false. Nothing may be changed meanwhile.
  template <typename Look>
  void for_each(std::string_view from, bool is_behind, Look const& look) const {
    for (auto slot = is_behind ? order_.upper_bound(from) : order_.lower_bound(from); slot != order_.end(); ++slot)
      if (!look(entry_of(slot->handle))) return;
  }
  // The memory of an entry: what it would take, and what one that is dropped leaves for another. room: enough. memory:
  // some, at once, as it has a block of its own; the memory of others is given back in pages only.
  enum class Left : std::uint8_t { nothing, memory, room };
  [[nodiscard]] static std::size_t entry_bytes(Pair const& pair, Aliases const& aliases);
  [[nodiscard]] Left left_by(Handle handle, std::size_t bytes) const;
  // It was read. Derived: neither logged nor in the digest.
  void note_access(Handle handle, std::int64_t now) const;

  using Dates = absl::btree_set<std::pair<std::int64_t, Handle>>;
  using Locks = absl::btree_set<std::pair<std::uint64_t, Handle>>;
  // The first date at which something happens to a pair, of those that have one.
  [[nodiscard]] Dates const& dates() const { return dates_; }
  [[nodiscard]] Locks const& locks() const { return locks_; }  // by connection

  // -- changing: what begins or ends a lock is told ---------------------------
  // At its main key, whatever stood there. The views may point into the store.
  // With the timestamp of what stood there, as it is compacted, it counts as used when that was. True: and it has
  // the same value.
  bool put(Pair const& pair, Aliases const& aliases, TableObserver& observer);
  void set_facts(Handle handle, Facts const& facts, TableObserver& observer);
  // The value that this key leads to, with all its keys.
  void erase(std::string_view key, TableObserver& observer);
  // One key more. Nothing may stand there.
  void add_alias(std::string_view key, std::string_view alias, TableObserver& observer);
  void drop_alias(std::string_view alias, TableObserver& observer);
  void set_tombstone_keep(std::int64_t ms);
  // Dates of the past that are later become `to`.
  void lower_clock(std::int64_t from, std::int64_t to, TableObserver& observer);

  // -- figures --------------------------------------------------------------
  [[nodiscard]] rows::Regions const& regions() const { return regions_; }
  [[nodiscard]] std::uint64_t size() const { return pairs_; }
  [[nodiscard]] std::uint64_t tombstones() const { return tombstones_; }
  [[nodiscard]] std::uint64_t aliases() const { return order_.size() - pairs_ - tombstones_; }
  [[nodiscard]] std::uint64_t key_bytes() const { return key_bytes_; }
  [[nodiscard]] std::uint64_t value_bytes() const { return value_bytes_; }
  [[nodiscard]] std::uint64_t live_bytes() const { return order_.size() * 64 + key_bytes_ + value_bytes_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] bool is_nearly_full() const { return store_.is_nearly_full(); }

 private:
  // A handle changes when the entry's size does; its place in the order does not.
  struct Slot {
    mutable Handle handle{kNoPair};
  };
  struct Less {
    using is_transparent = void;
    Pairs const* pairs;
    bool operator()(Slot a, Slot b) const { return pairs->key_at(a.handle) < pairs->key_at(b.handle); }
    bool operator()(Slot a, std::string_view b) const { return pairs->key_at(a.handle) < b; }
    bool operator()(std::string_view a, Slot b) const { return a < pairs->key_at(b.handle); }
  };
  using Order = absl::btree_set<Slot, Less>;

  [[nodiscard]] std::uint32_t hash_of(std::string_view key) const { return static_cast<std::uint32_t>(hash_(key)); }
  // The entry of this key, be it an alias.
  [[nodiscard]] Handle entry_under(std::string_view key) const;
  [[nodiscard]] std::string_view key_at(Handle handle) const;
  [[nodiscard]] bool is_alias_at(Handle handle) const;
  [[nodiscard]] std::string_view target_at(Handle handle) const;
  [[nodiscard]] Entry entry_of(Handle handle) const;
  [[nodiscard]] std::int64_t date_of(Facts const& facts) const;
  struct Written {
    Handle handle;
    std::size_t bytes;
  };
  [[nodiscard]] Written write(Pair const& pair, Aliases const& aliases);
  [[nodiscard]] Handle write_alias(std::string_view alias, std::string_view key);
  void release(Handle handle);
  void add_missing(Handle handle, TableObserver& observer);
  void drop_missing(Aliases const& before, Handle next, TableObserver& observer);
  // Of key and value, they take the sizes.
  void enter(Handle handle, Pair const& pair, TableObserver& observer);
  void leave(Handle handle, Pair const& pair, TableObserver& observer);
  void add_entry(std::string_view key, Handle handle);
  void erase_entry(Handle handle, TableObserver& observer);

  rows::PayloadStore store_;
  Order order_;           // for ranges
  rows::KeyIndex index_;  // for single keys
  NameHash hash_;
  Dates dates_;
  Locks locks_;
  rows::Regions regions_;
  std::int64_t tombstone_keep_;
  std::uint64_t pairs_{0};
  std::uint64_t tombstones_{0};
  std::uint64_t key_bytes_{0};
  std::uint64_t value_bytes_{0};
};

}  // namespace fastjournal::keyvalue
