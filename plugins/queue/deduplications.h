// What SENDs with `deduplication` said of late: a second one with the same text to the same queue stores nothing. They
// outlive their messages, so they have records of their own, which are copied while they last.
//
// They end by time, in the order in which they came: one record ends all up to one of them, now and then. A look-up goes
// by the date alone, so nothing depends on when that is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/table.h"
#include "plugins/queue/records.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/regions.h"

namespace fastjournal::queue {

// How long after the first one.
inline constexpr std::int64_t kDeduplicationMs = 300'000;
// Of a table: then SENDs with further ones are refused. Promises of transactions may exceed it.
inline constexpr std::uint64_t kDeduplicationsMax = 4'000'000;

class Deduplications {
 public:
  struct One {
    std::string key{};  // the number of the queue, and the text
    ObjectId message{};
    std::int64_t date{0};
    std::uint32_t region{0};
  };

  explicit Deduplications(std::uint64_t hash_seed) : index_(0, NameHash{hash_seed}) {}

  // -- reading ------------------------------------------------------------
  // Null: there was none, or it is over. A queue that was made again has another number.
  [[nodiscard]] One const* find(ObjectId queue, std::string_view text, std::int64_t now) const;
  [[nodiscard]] std::uint64_t size() const { return all_.size(); }
  [[nodiscard]] rows::Regions const& regions() const { return regions_; }
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }

  // -- time ---------------------------------------------------------------
  [[nodiscard]] TimeMs next_due() const {
    return all_.empty() ? TimeMs::max() : TimeMs{all_.begin()->second->date + kDeduplicationMs + kEveryMs};
  }
  // Appends what ends some of those that are over. True: there may be more.
  bool end(Decision& decision) const;

  // -- applying -----------------------------------------------------------
  void add(ObjectId id, DeduplicationBody const& body, Lsn lsn);
  void drop_until(ObjectId last);
  // The clock was ahead, at `from`. What was over by then is over.
  void lower_clock(std::int64_t from, std::int64_t to);

  // -- space, people ------------------------------------------------------
  // Compacts what stands below. True if more remains, or there was no room.
  bool compact(Lsn below, rows::CopyRoom& room, Records& records) const;
  void digest(DigestSink& sink) const;

 private:
  using All = absl::btree_map<std::uint64_t, std::unique_ptr<One>>;  // by id: the first to come first

  // So long they wait at least, to be ended together.
  static constexpr std::int64_t kEveryMs = 1'000;

  [[nodiscard]] static std::string key_of(ObjectId queue, std::string_view text);
  [[nodiscard]] static DeduplicationBody body_of(One const& one);
  void drop(All::iterator at);

  All all_;
  absl::flat_hash_map<std::string_view, std::uint64_t, NameHash, std::equal_to<>> index_;  // ids by key
  rows::Regions regions_;
  std::uint64_t live_bytes_{0};
  std::uint64_t memory_bytes_{0};
  // Where the next search for those to compact begins: a hint.
  mutable std::uint64_t compact_from_{0};
};

}  // namespace fastjournal::queue
