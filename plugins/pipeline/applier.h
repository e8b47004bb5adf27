// How records change the state: each is applied here and nowhere else. What follows from it (places, counts, families,
// versions) the parts keep along; events for the history and alerts for people come of it.
//
// The same record that brings a document back from the archive began it: a document that is told of is in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/pipeline/parts.h"
#include "plugins/pipeline/records.h"

namespace fastjournal::pipeline {

class Applier {
 public:
  explicit Applier(Parts& parts)
      : plans_(parts.plans),
        store_(parts.store),
        archive_(parts.archive),
        work_(parts.work),
        extras_(parts.extras),
        families_(parts.families),
        versions_(parts.versions),
        counts_(parts.counts),
        cells_(parts.cells),
        history_(parts.history),
        regions_(parts.regions),
        base_bytes_(parts.base_bytes) {}

  // False: damage.
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  // A document was handed out to a destination that is being probed.
  void set_probe_every(std::int64_t ms) { probe_every_ = ms; }
  // Records of a replay about what was gone.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

 private:
  enum class Known : std::uint8_t { yes, dropped, damage };

  Known look(ObjectId id, ApplyContext const& context, std::uint32_t& document);
  [[nodiscard]] bool apply_plan(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_retired(RecordView const& record, ApplyContext const& context);
  [[nodiscard]] bool apply_document(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_changed(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_lease(RecordView const& record, ApplyContext const& context, std::uint32_t document,
                                 TableObserver& observer);
  [[nodiscard]] bool apply_status(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_held(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_routed(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_declared(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_destination(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_drain(RecordView const& record, ApplyContext const& context);
  [[nodiscard]] bool apply_archived(RecordView const& record, TableObserver& observer);
  void forget(std::uint32_t document, TableObserver& observer);
  // Of one in the archive: it is not there any more.
  void take_from_archive(Archive::Number number, TableObserver& observer);
  // A plan that documents named before its record came.
  void take_documents(std::uint8_t number, TableObserver& observer);
  void place(std::uint32_t& region, Lsn lsn, bool is_new);

  // What is told.
  [[nodiscard]] Plan const& plan_of(std::uint32_t document) const { return plans_[store_[document].plan]; }
  [[nodiscard]] std::string named(std::uint32_t document) const;
  void tell_failed(std::uint32_t cell, TableObserver& observer);
  void note(std::uint32_t cell, Event::What what, std::string_view first, std::string_view second = {});
  // Of a whole document, as it is now.
  void note_document(std::uint32_t document, Event event, std::string_view first = {}, std::string_view second = {});
  // Of the state of a cell, as it is now.
  void note_state(std::uint32_t cell, std::string_view worker);
  void note_choice(std::uint32_t document, plan::Choice const& choice);

  Plans& plans_;
  Store& store_;
  Archive& archive_;
  Work& work_;
  Extras& extras_;
  Families& families_;
  Versions& versions_;
  Counts& counts_;
  Cells& cells_;
  History& history_;
  rows::Regions& regions_;
  std::uint64_t& base_bytes_;
  std::uint64_t ignored_{0};
  std::int64_t probe_every_{30'000};
  std::int64_t date_{0};              // of the record that is applied
  std::vector<std::uint32_t> found_;  // memory that is used again: the cells of a record
};

}  // namespace fastjournal::pipeline
