// Originals and children. An original is a document that its source found; its children are made of it, theirs of them.
// Children cannot be fetched: to bring them where they are missing, the original is run again. So their cells are in no
// list: the original has one cell more, which is due when something of its children is missing and unleased.
// A run of it is leased by that cell. So one lease, one record, hands out all that is missing below it, however many
// there are.
//
// Changes. When an original has changed, its children are those that are made of it from then on: each change begins a
// generation, and a child has the number of its own (as its hash). Children of earlier generations are orphans. Counts
// are those of the newest generation that was seen: a replay may see children before their original.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include "fastjournal/table.h"
#include "plugins/pipeline/extras.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/store.h"
#include "plugins/pipeline/work.h"

namespace fastjournal::pipeline {

// The children of one document, of its newest generation.
struct Family {
  std::uint32_t generation{0};
  std::uint64_t children{0};
  std::uint64_t not_done{0};
  std::vector<ObjectId> all{};  // of every generation
};

// All that is below one original, of its newest generation.
struct Original {
  std::uint32_t generation{0};
  std::uint64_t missing{0};     // cells
  std::uint64_t undeclared{0};  // documents whose children are not all known; the original among them
  std::uint64_t in_hands{0};    // cells
  std::uint64_t failed{0};      // cells
  std::int64_t until{0};        // the latest rest of those that are missing
  std::uint32_t cell{kNone};    // that stands for them; none: the original is not known (yet)
};

class Families {
 public:
  Families(Store& store, Plans const& plans, Extras& extras, Work& work)
      : store_(store), plans_(plans), extras_(extras), work_(work) {}

  // -- reading ------------------------------------------------------------
  // Null: there never was one.
  [[nodiscard]] Family const* family_of(std::uint32_t document) const;
  // Null: there is none since it has changed.
  [[nodiscard]] Family const* family_now(std::uint32_t document) const;
  [[nodiscard]] Original const* original_of(ObjectId original) const;
  // All that was made of it is done, and it is known that no more comes.
  [[nodiscard]] bool children_done(std::uint32_t document) const;
  // Its original has changed since, or is gone.
  [[nodiscard]] bool is_orphan(std::uint32_t document) const;
  // Nothing is known to be made of it.
  [[nodiscard]] bool is_alone(ObjectId id) const {
    return !families_.contains(id.value) && !originals_.contains(id.value);
  }
  // The counts of a child; null: it is of an earlier generation, or no child.
  [[nodiscard]] Family* family_counting(std::uint32_t child);
  [[nodiscard]] Original* original_counting(std::uint32_t child);

  // -- changing -----------------------------------------------------------
  // A new document, and whether it has the cell that stands for its children.
  void add(std::uint32_t document, bool has_cell);
  // Of an original; a replay may not know its children (yet).
  void add_cell(std::uint32_t document);
  void begin_generation(std::uint32_t document);
  // A child may have children of which it is not known how many there are; the cell of the original may be due now.
  void look_at(std::uint32_t document, ObjectId original, TableObserver& observer);
  // The cell of an original must be out of its place before.
  void forget(std::uint32_t document);
  // Children of one that is not known.
  void forget_unknown(ObjectId id);

  // -- space --------------------------------------------------------------
  [[nodiscard]] std::uint64_t live_bytes() const { return originals_.size() * kMoreBytes; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  void raise_generations(std::uint32_t child);
  void look_at_children(std::uint32_t document, ObjectId original);
  void look_at_original(ObjectId original, TableObserver& observer);

  Store& store_;
  Plans const& plans_;
  Extras& extras_;
  Work& work_;
  absl::flat_hash_map<std::uint64_t, Family> families_;  // by parent
  absl::flat_hash_map<std::uint64_t, Original> originals_;
};

}  // namespace fastjournal::pipeline
