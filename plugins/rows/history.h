// The history of a table: what is left of rows that ended and of attempts that failed (ended.h), the newest of them in
// memory and in the log, all others in pages in the table's files (ended_page.h). Of a page this keeps its place, what it
// has and a filter over keys, rows and tags: some 4 bytes for each entry.
//
// Entries leave in the order of their numbers, oldest first: into a page when there are enough, and from there whole pages
// at a time by age, number and bytes. So one number says what was dropped.
//
// A table that keeps nothing has an empty object of this, and asks it nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/btree_map.h>
#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/ended.h"
#include "plugins/rows/ended_page.h"
#include "plugins/rows/regions.h"

namespace fastjournal::rows {

// What a table keeps; nothing with an age of 0.
struct HistoryLimits {
  std::int64_t age{0};     // ms
  std::uint64_t rows{0};   // entries; 0: no limit
  std::uint64_t bytes{0};  // of the files; 0: no limit
};

class History {
 public:
  struct Page {
    ObjectId id{};
    Extent extent{};
    std::uint32_t region{0};
    std::uint32_t index_bytes{0};
    std::uint64_t index_hash{0};
    std::uint64_t first{0};
    std::uint64_t last{0};
    std::int64_t from{0};
    std::int64_t to{0};
    std::array<std::uint32_t, kEnds> counts{};
    std::string filter{};

    [[nodiscard]] std::uint64_t size() const {
      std::uint64_t sum = 0;
      for (std::uint32_t const count : counts) sum += count;
      return sum;
    }
  };
  struct Recent {
    std::string bytes{};  // its body
    ObjectId row{};
    std::int64_t at{0};
    std::uint32_t region{0};
    std::uint32_t key_hash{0};
    End end{End::done};
  };
  using Recents = absl::btree_map<std::uint64_t, Recent>;  // by number

  // -- reading ------------------------------------------------------------
  [[nodiscard]] bool empty() const { return parts_ == nullptr; }
  [[nodiscard]] std::deque<Page> const& pages() const;
  [[nodiscard]] Recents const& recent() const;
  [[nodiscard]] std::uint64_t entries() const { return empty() ? 0 : parts_->in_pages + parts_->recent.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return empty() ? 0 : parts_->page_bytes; }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  // Values of its pages, added to `found`; the cursor is the number of a page's last entry.
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t cursor, std::uint32_t work_units,
                                           std::vector<Extent>& found) const;

  // -- parts of pages that were read ------------------------------------------
  void keep(Extent const& extent, std::string_view bytes, Status const& status);
  struct AtHand {
    Extent extent{};
    std::string bytes{};
    Status status{};          // not ok: it cannot be read
    bool is_inflated{false};  // a block, whose entries these are
  };
  // Null: it must be read first. Valid until the next keep().
  [[nodiscard]] AtHand* at_hand(Extent const& extent) const;
  // A block at hand is kept as these entries from here on.
  void keep_inflated(AtHand& block, std::string entries) const {
    parts_->at_hand_bytes += entries.size();
    parts_->at_hand_bytes -= block.bytes.size();
    block.bytes = std::move(entries);
    block.is_inflated = true;
  }

  // -- applying -----------------------------------------------------------
  // `region`: of the oldest record that states it.
  void add(EndedBody const& body, std::uint32_t region);
  [[nodiscard]] bool apply(RecordView const& record, bool is_live, TableObserver& observer);
  void lower_clock(std::int64_t to);

  // -- limits, pages --------------------------------------------------------
  // When there is something to drop; TimeMs::max(): never.
  [[nodiscard]] TimeMs next_due(HistoryLimits const& limits) const;
  // True: it has appended a record.
  [[nodiscard]] bool drop(HistoryLimits const& limits, Decision& decision) const;
  // As Offloads.
  [[nodiscard]] bool request_offload(std::vector<std::string>& values);
  void decide_offloaded(std::span<StoredValue const> values, Decision& decision) const;
  void offload_failed();

  // -- space, followers, people ---------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const { return empty() ? kNoLsn : parts_->regions.oldest(); }
  // True if more remains, or there was no room.
  [[nodiscard]] bool compact(Lsn below, CopyRoom& room, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return empty() ? 0 : parts_->live_bytes; }
  // `behind`: the number of the last one that was stated. True: that was the last.
  bool snapshot(std::uint64_t& behind, CopyRoom& page, Records& records) const;
  void digest(DigestSink& sink) const;

 private:
  struct Parts {
    std::deque<Page> pages{};
    Recents recent{};
    Regions regions{};
    std::uint64_t in_pages{0};
    std::uint64_t page_bytes{0};
    std::uint64_t recent_bytes{0};
    std::uint64_t filter_bytes{0};
    std::uint64_t live_bytes{0};
    // Volatile: the page that is being written, and parts that were read.
    PageWriter writer{};
    std::uint64_t written{0};  // number of the last entry that the writer has
    PageBody page{};           // that was given away; its filter is of the writer
    bool is_given{false};
    bool has_failed{false};   // since the last one that was stored
    std::size_t rests_at{0};  // nothing is written while there are no more entries
    std::deque<AtHand> at_hand{};
    std::uint64_t at_hand_bytes{0};
  };
  [[nodiscard]] Parts& parts() {
    if (empty()) parts_ = std::make_unique<Parts>();
    return *parts_;
  }
  [[nodiscard]] bool apply_page(RecordView const& record, TableObserver& observer);
  void drop_to(std::uint64_t last, TableObserver& observer);
  // The number up to which the limits drop entries; 0: none.
  [[nodiscard]] std::uint64_t to_drop(HistoryLimits const& limits, std::int64_t now, bool& is_lost) const;
  void forget(Recents::iterator at);

  std::unique_ptr<Parts> parts_;
};

[[nodiscard]] PageBody body_of(History::Page const& page);

}  // namespace fastjournal::rows
