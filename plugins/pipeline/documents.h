// The state of a table: plans, documents, and what is known of each document at each destination. This class owns it and
// shows it to the table: what is there, what it costs, and what is to be written of it again. Its parts (parts.h) say
// what they are: store.h, extras.h, families.h, versions.h, counts.h, cells.h, work.h, archive.h. Records change it, in
// applier.h and nowhere else.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/pipeline/applier.h"
#include "plugins/pipeline/parts.h"
#include "plugins/rows/copy_room.h"

namespace fastjournal::pipeline {

class Documents {
 public:
  explicit Documents(std::uint64_t hash_seed) : parts_(hash_seed) {}

  // -- parts --------------------------------------------------------------
  [[nodiscard]] Plans const& plans() const { return parts_.plans; }
  [[nodiscard]] Store const& store() const { return parts_.store; }
  [[nodiscard]] Archive const& archive() const { return parts_.archive; }
  [[nodiscard]] Work const& work() const { return parts_.work; }
  [[nodiscard]] Extras const& extras() const { return parts_.extras; }
  [[nodiscard]] Families const& families() const { return parts_.families; }
  [[nodiscard]] Versions const& versions() const { return parts_.versions; }
  [[nodiscard]] Counts const& counts() const { return parts_.counts; }
  [[nodiscard]] Cells const& cells() const { return parts_.cells; }
  [[nodiscard]] History const& history() const { return parts_.history; }

  // -- reading ------------------------------------------------------------
  // In memory or in the archive.
  [[nodiscard]] bool knows(ObjectId document) const;
  [[nodiscard]] std::uint64_t size() const { return store().size() + archive().size(); }
  [[nodiscard]] Plan const& plan_of(std::uint32_t document) const { return plans()[store()[document].plan]; }
  // It may go to the archive: nothing but its own record is to be known of it.
  [[nodiscard]] bool may_be_archived(std::uint32_t document) const;
  [[nodiscard]] std::uint64_t ignored() const { return applier_.ignored(); }
  // Common queries about cells.
  [[nodiscard]] std::uint32_t cell_of(std::uint32_t document, std::uint16_t ordinal) const {
    return cells().of(document, ordinal);
  }
  [[nodiscard]] std::uint16_t ordinal_of(std::uint32_t cell) const { return store().ordinal_of(cell); }
  [[nodiscard]] std::uint16_t destination_of(std::uint32_t cell) const { return cells().destination_of(cell); }
  [[nodiscard]] Failure const* failure_of(std::uint32_t cell) const { return extras().failure_of(cell); }

  // -- changing -----------------------------------------------------------
  // False: damage.
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
    return applier_.apply(record, context, observer);
  }
  void see(std::int64_t now) { parts_.work.see(now); }
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) {
    return parts_.work.advance(now.value, budget, observer);
  }
  void set_probe_every(std::int64_t ms) { applier_.set_probe_every(ms); }
  void set_history_bytes(std::uint64_t bytes) { parts_.history.set_bytes_max(bytes); }
  // A page of the archive was read.
  void keep_page(Extent const& extent, std::string_view bytes, Status const& status) {
    parts_.archive.keep(extent, bytes, status);
  }

  // -- space, people ------------------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const { return parts_.regions.oldest(); }
  bool compact(Lsn below, rows::CopyRoom& room, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void digest(DigestSink& sink) const;
  // As it would be compacted; views into the state.
  [[nodiscard]] DocumentBody body_of(std::uint32_t document) const;

 private:
  Parts parts_;
  Applier applier_{parts_};
  mutable std::uint64_t compact_from_{0};
  mutable std::uint64_t compact_page_{0};
};

}  // namespace fastjournal::pipeline
