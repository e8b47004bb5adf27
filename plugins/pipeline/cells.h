// The cells of documents: how they are named, and how they come into their places. A cell has its state while it is in no
// place: it leaves, is changed, and enters the place that follows from what it is then (store.h). All that counts it, and
// the version behind it, is told.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/pipeline/counts.h"
#include "plugins/pipeline/extras.h"
#include "plugins/pipeline/families.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/records.h"
#include "plugins/pipeline/store.h"
#include "plugins/pipeline/versions.h"
#include "plugins/pipeline/work.h"

namespace fastjournal::pipeline {

class Cells {
 public:
  // How a cell enters its new place.
  struct Entry {
    CellBody::Lease held{CellBody::Lease::none};
    rows::Leases::Terms const* terms{nullptr};
    bool first{false};  // before all others
  };

  Cells(Store& store, Plans const& plans, Work& work, Extras& extras, Families& families, Versions& versions,
        Counts& counts)
      : store_(store),
        plans_(plans),
        work_(work),
        extras_(extras),
        families_(families),
        versions_(versions),
        counts_(counts) {}

  // -- reading ------------------------------------------------------------
  // The number of a cell; kOriginalCell is that of an original. kNone: there is no such cell.
  [[nodiscard]] std::uint32_t of(std::uint32_t document, std::uint16_t ordinal) const;
  // Of a key (store.h).
  [[nodiscard]] std::uint32_t with(std::uint64_t key) const;
  // Not of an original's cell.
  [[nodiscard]] std::uint16_t destination_of(std::uint32_t cell) const;
  [[nodiscard]] std::optional<std::uint16_t> ordinal_at(std::uint32_t document, std::uint16_t destination) const;
  [[nodiscard]] rows::Leases::Terms terms_of(std::uint32_t cell) const;
  // As it would be compacted.
  [[nodiscard]] CellBody body_of(std::uint32_t cell) const;

  // -- changing -----------------------------------------------------------
  // The cells of a record, into memory that is used again. False: there is no such cell.
  [[nodiscard]] bool find(std::uint32_t document, Ordinals const& ordinals, std::vector<std::uint32_t>& found);
  void leave(std::uint32_t cell, TableObserver& observer);
  void enter(std::uint32_t cell, Entry const& entry, TableObserver& observer);
  // Again, as it would have another place now.
  void move(std::uint32_t cell, TableObserver& observer);
  // A new one.
  void read(std::uint32_t cell, CellBody const& body, TableObserver& observer);
  // All of a document, which is forgotten.
  void forget(std::uint32_t document, TableObserver& observer);

 private:
  Store& store_;
  Plans const& plans_;
  Work& work_;
  Extras& extras_;
  Families& families_;
  Versions& versions_;
  Counts& counts_;
};

}  // namespace fastjournal::pipeline
