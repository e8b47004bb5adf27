// The keys of rows that are done, for as long as no further row of the key is taken (unique_for). An object of the log
// each: it begins with the end of its row, the next end of a row of the key takes its place, and a record drops it when
// its time is over, or when there are too many.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/table.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/records.h"
#include "plugins/rows/regions.h"

namespace fastjournal::rows {

struct Unique {
  ObjectId id{};
  std::uint32_t region{0};
  std::string key{};
  ObjectId row{};
  std::int64_t ended{0};
  std::int64_t until{0};

  [[nodiscard]] UniqueBody body() const { return {row, ended, until, key}; }
};

// Of one table.
class Uniques {
 public:
  explicit Uniques(std::uint64_t hash_seed) : keys_(0, NameHash{hash_seed}) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  // Null: rows of the key are taken.
  [[nodiscard]] Unique const* find(std::string_view key, std::int64_t now) const;
  // The first one behind this id; null: there is none.
  [[nodiscard]] Unique const* next(ObjectId after) const;
  [[nodiscard]] Regions const& regions() const { return regions_; }
  [[nodiscard]] std::uint64_t live_bytes() const { return live_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_ + regions_.memory_bytes(); }

  // -- deciding -----------------------------------------------------------
  // When one is over; 0 while there are more than `most`.
  [[nodiscard]] std::int64_t next_due(std::uint64_t most) const {
    return dates_.empty() ? INT64_MAX : all_.size() > most ? 0 : dates_.begin()->first;
  }
  // Drops those that are over, and the first to be over while there are more than `most`; returns how many.
  std::uint32_t drop_over(std::uint64_t most, std::int64_t now, std::uint32_t max, Records& records) const;
  bool compact(Lsn below, CopyRoom& room, Records& records) const;
  // Those behind `at`, which follows. True: that was the last.
  bool snapshot(std::uint64_t& at, CopyRoom& page, Records& records) const;
  void digest(DigestSink& sink) const;

  // -- applying -----------------------------------------------------------
  void apply(ObjectId id, UniqueBody const& body, Lsn lsn);
  // False: it is not known.
  bool drop(ObjectId id);
  void lower_clock(std::int64_t from, std::int64_t to);

 private:
  static constexpr std::uint64_t kBytes = sizeof(Unique) + 96;

  [[nodiscard]] static std::uint64_t record_bytes(Unique const& one) { return 64 + one.key.size(); }
  [[nodiscard]] static std::uint64_t bytes_of(Unique const& one) { return kBytes + one.key.size(); }

  absl::btree_map<std::uint64_t, std::unique_ptr<Unique>> all_;  // by id
  absl::flat_hash_map<std::string_view, Unique*, NameHash, std::equal_to<>> keys_;
  absl::btree_set<std::pair<std::int64_t, std::uint64_t>> dates_;  // (until, id)
  Regions regions_;
  mutable std::uint64_t compact_from_{0};  // where the next search begins: a hint
  std::uint64_t memory_{0};
  std::uint64_t live_{0};
};

}  // namespace fastjournal::rows
