// The shared bodies that several rows share. Each lives while a row names it: nothing is recorded of its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "plugins/queue/records.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/regions.h"

namespace fastjournal::queue {

class SharedBodies {
 public:
  // -- reading ------------------------------------------------------------
  // Its data; empty: it is not known.
  [[nodiscard]] std::string_view data_of(ObjectId shared_body) const;
  [[nodiscard]] std::size_t size() const { return all_.size() - idle_.size(); }
  // That no row names: none, but in a replay.
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] rows::Regions const& regions() const { return regions_; }
  // Values outside the log, as Stores::list_extents: of shared bodies with ids above `after`.
  [[nodiscard]] std::uint64_t list_extents(std::uint64_t after, std::uint32_t work_units,
                                           std::vector<Extent>& found) const;

  // -- applying -----------------------------------------------------------
  void add(ObjectId shared_body, SharedBodyRecord const& body, Lsn lsn, TableObserver& observer);
  // A row names it; does not any more. Of a replay, rows may come before their shared body. `all_are_known`: all rows that
  // may name it were there; otherwise it stays, also without one, until drop_idle.
  void use(ObjectId shared_body);
  void leave(ObjectId shared_body, bool all_are_known, TableObserver& observer);
  // Drops those that no row names: what a replay has read of shared bodies whose rows ended later. True: there are more.
  bool drop_idle(std::size_t budget, TableObserver& observer);

  // -- space, people ------------------------------------------------------
  // Compacts what stands below. True if more remains, or there was no room.
  bool compact(Lsn below, rows::CopyRoom& room, Records& records) const;
  void digest(DigestSink& sink) const;

 private:
  struct One {
    std::string data{};
    std::uint32_t uses{0};
    std::uint32_t region{0};
    bool is_known{false};
    bool has_outside{false};
  };
  using All = absl::btree_map<std::uint64_t, One>;

  [[nodiscard]] static std::uint64_t memory_of(One const& one) { return sizeof(One) + 32 + one.data.capacity(); }
  void end(All::iterator one, TableObserver& observer);

  All all_;  // by id
  absl::btree_set<std::uint64_t> idle_;
  rows::Regions regions_;
  std::uint64_t live_bytes_{0};
  std::uint64_t memory_bytes_{0};
  // Where the next search for shared bodies to compact begins: a hint.
  mutable std::uint64_t compact_from_{0};
};

}  // namespace fastjournal::queue
