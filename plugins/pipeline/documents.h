// The state of a table: plans, documents, and what is known of each document at each destination. Records are applied
// here and nowhere else; what follows from them (counts, who is next, which original is complete) is kept along.
//
// Children. An original is a document that its source found; its children are made of it, theirs of them. Children cannot
// be fetched: to bring them where they are missing, the original is run again. So their cells are in no list: the
// original has one cell more, which is due when something of its children is missing and nobody works at them. A run of
// it is leased by that cell. So one lease, one record, hands out all that is missing below it, however many there are.
//
// Versions. A source may keep them: then what has changed is a document of its own beside the one before, if that is
// missing somewhere. The older one has no name any more, and goes when it has arrived. The newer one comes to each
// destination behind it.
//
// Gone. A source may tell that it has a document no more: that is a version of it, to be deleted at each destination. It
// goes when it is deleted everywhere; with children it stays for a person, as they are orphans, which nobody deletes.
//
// Archive. Ended documents leave memory (archive.h). The same record that brings one back began it: a document that is
// told of is in memory.
//
// Changes. When an original has changed, its children are those that are made of it from then on: each change begins a
// generation, and a child has the number of its own (as its hash). Children of earlier generations are orphans. Counts
// are those of the newest generation that was seen: a replay may see children before their original.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "fastjournal/table.h"
#include "plugins/pipeline/archive.h"
#include "plugins/pipeline/history.h"
#include "plugins/pipeline/number_set.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/records.h"
#include "plugins/pipeline/store.h"
#include "plugins/pipeline/work.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/regions.h"

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

class Documents {
 public:
  explicit Documents(std::uint64_t hash_seed)
      : store_(hash_seed), archive_(hash_seed), work_(store_, plans_, hash_seed) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] Plans const& plans() const { return plans_; }
  [[nodiscard]] Store const& store() const { return store_; }
  [[nodiscard]] Archive const& archive() const { return archive_; }
  [[nodiscard]] bool knows(ObjectId document) const {
    return store_.find(document) != kNone || archive_.find(document) != Archive::kNone;
  }
  // Those in memory, and those in the archive.
  [[nodiscard]] std::uint64_t size() const { return store_.size() + archive_.size(); }
  [[nodiscard]] Work const& work() const { return work_; }
  [[nodiscard]] Plan const& plan_of(std::uint32_t document) const { return plans_[store_[document].plan]; }
  // The number of a cell; kOriginalCell is that of an original. kNone: there is no such cell.
  [[nodiscard]] std::uint32_t cell_of(std::uint32_t document, std::uint16_t ordinal) const;
  [[nodiscard]] std::uint16_t ordinal_of(std::uint32_t cell) const;
  // Not of an original's cell.
  [[nodiscard]] std::uint16_t destination_of(std::uint32_t cell) const;
  [[nodiscard]] std::optional<std::uint16_t> ordinal_at(std::uint32_t document, std::uint16_t destination) const;
  [[nodiscard]] Failure const* failure_of(std::uint32_t cell) const;
  [[nodiscard]] rows::Leases::Terms terms_of(std::uint32_t cell) const;
  [[nodiscard]] std::vector<plan::Choice> choices_of(std::uint32_t document) const;
  [[nodiscard]] std::optional<std::uint64_t> declared_of(std::uint32_t document) const;
  [[nodiscard]] Family const* family_of(std::uint32_t document) const;
  [[nodiscard]] Original const* original_of(ObjectId original) const;
  // All that was made of it is done, and it is known that no more comes.
  [[nodiscard]] bool children_done(std::uint32_t document) const;
  // How often it has changed; of a child: in which generation it was made.
  [[nodiscard]] std::uint32_t generation_of(std::uint32_t document) const;
  // Its source does not have it any more.
  [[nodiscard]] bool is_gone(std::uint32_t document) const { return store_.hash_of(document) == kGoneHash; }
  // It, or something that was made of it, failed for good.
  [[nodiscard]] bool has_failed(std::uint32_t document) const;
  // The version before, while it is missing somewhere; kNone: there is none.
  [[nodiscard]] std::uint32_t version_before(std::uint32_t document) const;
  // The document that is its newer version; none: there is none.
  [[nodiscard]] ObjectId version_behind(std::uint32_t document) const;
  // Its original has changed since, or is gone.
  [[nodiscard]] bool is_orphan(std::uint32_t document) const;
  // Documents that are not done, in the order of their numbers.
  [[nodiscard]] NumberSet const& not_done() const { return not_done_; }
  // Cells that failed or are in doubt, by document and destination: their keys.
  [[nodiscard]] absl::btree_set<std::uint64_t> const& failed() const { return failed_; }
  [[nodiscard]] absl::btree_set<std::uint64_t> const& in_doubt() const { return in_doubt_; }
  // A cell's key is the same after a start, where its number may be another.
  [[nodiscard]] std::uint64_t key_of(std::uint32_t cell) const;
  [[nodiscard]] std::uint32_t cell_with(std::uint64_t key) const;
  // Documents that have arrived, and are not remembered: by their source, as there is a newer version, or as they are gone.
  [[nodiscard]] absl::btree_set<std::uint32_t> const& leaving() const { return leaving_; }
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }
  [[nodiscard]] History const& history() const { return history_; }
  // Documents in memory that are done, and no children.
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  // It may go to the archive.
  [[nodiscard]] bool may_be_archived(std::uint32_t document) const;

  // -- applying -----------------------------------------------------------
  // False: damage.
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  void see(std::int64_t now) { work_.see(now); }
  bool advance(TimeMs now, std::size_t budget, TableObserver& observer) {
    return work_.advance(now.value, budget, observer);
  }
  // A document was handed out to a destination that is being probed.
  void set_probe_every(std::int64_t ms) { probe_every_ = ms; }
  void set_history_bytes(std::uint64_t bytes) { history_.set_bytes_max(bytes); }
  // A page of the archive was read.
  void keep_page(Extent const& extent, std::string_view bytes, Status const& status) {
    archive_.keep(extent, bytes, status);
  }

  // -- space, people ------------------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const { return regions_.oldest(); }
  bool restate(Lsn below, rows::CopyRoom& room, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void digest(DigestSink& sink) const;
  // As it would be restated; views into the state.
  [[nodiscard]] DocumentBody body_of(std::uint32_t document) const;

 private:
  // Of a whole record, with its header: a document or a plan beside its texts, and each cell.
  static constexpr std::uint64_t kDocumentBytes = 64;
  static constexpr std::uint64_t kCellBytes = 3;

  // What few documents have.
  struct More {
    std::uint32_t generation{0};
    std::optional<std::uint64_t> declared{};
    std::vector<plan::Choice> choices{};
    ObjectId before{};
  };
  // How a cell enters its new place.
  struct Entry {
    CellBody::Hands hands{CellBody::Hands::nobodys};
    rows::Leases::Terms const* terms{nullptr};
    bool first{false};  // before all others
  };
  enum class Known : std::uint8_t { yes, dropped, damage };

  Known look(ObjectId id, ApplyContext const& context, std::uint32_t& document);
  [[nodiscard]] bool apply_plan(RecordView const& record, TableObserver& observer);
  [[nodiscard]] bool apply_document(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_changed(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_lease(RecordView const& record, ApplyContext const& context, std::uint32_t document,
                                 TableObserver& observer);
  [[nodiscard]] bool apply_status(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_held(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_routed(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_declared(RecordView const& record, std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_destination(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  [[nodiscard]] bool apply_drain(RecordView const& record, ApplyContext const& context);
  void forget(std::uint32_t document, TableObserver& observer);
  [[nodiscard]] bool apply_archived(RecordView const& record, TableObserver& observer);
  // Of one in the archive: it is not there any more.
  void take_from_archive(Archive::Number number, TableObserver& observer);
  void count_archived(Archive::Pattern const& pattern, std::int64_t by);

  [[nodiscard]] bool document_is_of_newest(std::uint32_t document) const;
  [[nodiscard]] bool find_cells(std::uint32_t document, Ordinals const& ordinals);
  void leave(std::uint32_t cell, TableObserver& observer);
  void enter(std::uint32_t cell, Entry const& entry, TableObserver& observer);
  void set_failure(std::uint32_t cell, Failure const* failure);
  void read_cell(std::uint32_t cell, CellBody const& body, TableObserver& observer);
  [[nodiscard]] CellBody cell_body(std::uint32_t cell) const;
  // Whether it is done, and so whether what it was made of is; after any change of its cells or children.
  void finish(std::uint32_t document, TableObserver& observer);
  void finish_parent(std::uint32_t child, TableObserver& observer);
  void look_at_leaving(std::uint32_t document);
  [[nodiscard]] bool is_to_leave(std::uint32_t document) const;
  // Versions of one document: the newer one waits at each destination until the one before is over there.
  void follow(ObjectId before, ObjectId document);
  void stop_following(ObjectId before, TableObserver& observer);
  [[nodiscard]] bool is_behind(std::uint32_t cell) const;
  void look_at_version_behind(std::uint32_t cell, TableObserver& observer);
  [[nodiscard]] bool all_done(std::uint32_t document) const;
  // The counts of a child; null: it is of an earlier generation, or no child.
  Family* family_counting(std::uint32_t child);
  Original* original_counting(std::uint32_t child);
  void look_at_children(std::uint32_t document, ObjectId original);
  void look_at_original(ObjectId original, TableObserver& observer);
  void raise_generations(std::uint32_t child);
  void begin_generation(std::uint32_t document);
  [[nodiscard]] More& more_of(std::uint32_t document);
  void drop_more_without_content(ObjectId document);
  void place(std::uint32_t& region, Lsn lsn, bool is_new);
  void tell_failed(std::uint32_t cell, TableObserver& observer);
  void note(std::uint32_t cell, Event::What what, std::string_view first, std::string_view second = {});
  // Of a whole document, as it is now.
  void note_document(std::uint32_t document, Event event, std::string_view first = {}, std::string_view second = {});
  // Of the state of a cell, as it is now.
  void note_state(std::uint32_t cell, std::string_view worker);
  void note_choice(std::uint32_t document, plan::Choice const& choice);
  // A plan that documents named before its record came.
  void take_documents(std::uint8_t number, TableObserver& observer);
  void count(std::uint32_t cell, int by);

  Plans plans_;
  Store store_;
  Archive archive_;
  Work work_;
  absl::flat_hash_map<std::uint32_t, std::unique_ptr<Failure>> failures_;  // by cell
  absl::flat_hash_map<std::uint64_t, More> more_;                          // by document's id
  absl::flat_hash_map<std::uint64_t, ObjectId> newer_;                     // by the version before
  absl::flat_hash_map<std::uint64_t, Family> families_;                    // by parent
  absl::flat_hash_map<std::uint64_t, Original> originals_;
  NumberSet not_done_;
  absl::btree_set<std::uint64_t> failed_;
  absl::btree_set<std::uint64_t> in_doubt_;
  absl::btree_set<std::uint32_t> leaving_;
  rows::Regions regions_;
  std::uint64_t base_bytes_{0};
  std::uint64_t ended_{0};
  std::uint64_t failure_bytes_{0};
  std::uint64_t ignored_{0};
  std::int64_t probe_every_{30'000};
  History history_;
  std::int64_t date_{0};              // of the record that is applied
  std::vector<std::uint32_t> found_;  // memory that is used again: the cells of a record
  mutable std::uint64_t restate_from_{0};
  mutable std::uint64_t restate_page_{0};
};

}  // namespace fastjournal::pipeline
