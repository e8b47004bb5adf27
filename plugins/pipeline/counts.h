// Counts and sets of documents and cells: cells by state at each
// destination, those that failed or are in doubt; documents that are not done, have ended, or are to leave. Derived: it
// follows from the state as records change it.
#pragma once

#include <cstdint>

#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "plugins/pipeline/archive.h"
#include "plugins/pipeline/families.h"
#include "plugins/pipeline/number_set.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/store.h"

namespace fastjournal::pipeline {

class Counts {
 public:
  Counts(Store& store, Plans& plans, Families& families) : store_(store), plans_(plans), families_(families) {}

  // -- reading ------------------------------------------------------------
  // Documents that are not done, in the order of their numbers.
  [[nodiscard]] NumberSet const& not_done() const { return not_done_; }
  // Cells that failed or are in doubt, by document and destination: their keys.
  [[nodiscard]] absl::btree_set<std::uint64_t> const& failed() const { return failed_; }
  [[nodiscard]] absl::btree_set<std::uint64_t> const& in_doubt() const { return in_doubt_; }
  // Documents that have arrived, and are not remembered: by their source, as there is a newer version, or as they are gone.
  [[nodiscard]] absl::btree_set<std::uint32_t> const& leaving() const { return leaving_; }
  // Documents in memory that are done, and no children.
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  // It, or something that was made of it, failed for good.
  [[nodiscard]] bool has_failed(std::uint32_t document) const;
  // Once it has arrived.
  [[nodiscard]] bool is_to_leave(std::uint32_t document) const;

  // -- cells --------------------------------------------------------------
  // At its destination; `by`: 1 or -1.
  void count(std::uint32_t cell, int by);
  // Of the archive.
  void count(Archive::Pattern const& pattern, std::int64_t by);
  void add_failed(std::uint32_t cell) { failed_.insert(store_.key_of(cell)); }
  void add_in_doubt(std::uint32_t cell) { in_doubt_.insert(store_.key_of(cell)); }
  // It has its state, and its place, no more.
  void leave(std::uint32_t cell, TableObserver& observer);
  // The one that stands for children is gone.
  void forget_cell(std::uint32_t cell, TableObserver& observer);

  // -- documents ----------------------------------------------------------
  void add(std::uint32_t document) { not_done_.insert(document); }
  // Whether it is done, and so whether what it was made of is; after any change of its cells or children.
  void finish(std::uint32_t document, TableObserver& observer);
  // It has one child more, whether that is done or not.
  void finish_parent(std::uint32_t child, TableObserver& observer);
  void look_at_leaving(std::uint32_t document);
  void forget(std::uint32_t document);

  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  [[nodiscard]] bool all_done(std::uint32_t document) const;

  Store& store_;
  Plans& plans_;
  Families& families_;
  NumberSet not_done_;
  absl::btree_set<std::uint64_t> failed_;
  absl::btree_set<std::uint64_t> in_doubt_;
  absl::btree_set<std::uint32_t> leaving_;
  std::uint64_t ended_{0};
};

}  // namespace fastjournal::pipeline
