// Where the cells of the newest plan are: due ones in lists by source and destination, those that rest by their date,
// and those that workers have by their leases. It says who is next; what a document's state is, is documents.h's affair.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "plugins/pipeline/plans.h"
#include "plugins/pipeline/store.h"
#include "plugins/rows/leases.h"

namespace fastjournal::pipeline {

class Work {
 public:
  Work(Store& store, Plans const& plans, std::uint64_t hash_seed) : store_(store), plans_(plans), leases_(hash_seed) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] rows::Leases const& leases() const { return leases_; }
  [[nodiscard]] rows::Lease const& lease_of(std::uint32_t cell) const { return leases_[store_.cell(cell).next]; }
  [[nodiscard]] LeaseEpoch last_epoch() const { return last_epoch_; }
  // A cell that may be handed out, of the document that came first: of one source, of one destination, or of any. kNone:
  // there is none.
  [[nodiscard]] std::uint32_t first(std::optional<std::uint16_t> source,
                                    std::optional<std::uint16_t> destination) const;
  // It is listed, and its destination lets it go.
  [[nodiscard]] bool may_go(std::uint32_t cell) const;
  // Cells that may be handed out; no source: of all.
  [[nodiscard]] std::uint64_t available(std::optional<std::uint16_t> source) const;
  [[nodiscard]] std::uint64_t listed() const { return listed_; }
  [[nodiscard]] std::uint64_t resting() const { return rests_.size(); }
  // The next date at which something becomes due.
  [[nodiscard]] TimeMs next_due() const;
  [[nodiscard]] std::int64_t now() const { return now_; }

  // -- changing -----------------------------------------------------------
  void see(std::int64_t now) { now_ = std::max(now_, now); }
  void lower_clock(std::int64_t from, std::int64_t to);
  // A newer plan is there: all that was listed or rests is not any more.
  void start_again();
  // The cell is in no place, and waits: until that date, or is due (`first`: before all others).
  void wait(std::uint32_t cell, std::int64_t until, bool first, TableObserver& observer);
  void lease(std::uint32_t cell, rows::Leases::Terms const& terms, TableObserver& observer);
  void renew(std::uint32_t cell, rows::Leases::Terms const& terms, TableObserver& observer);
  // The lease is over, and its outcome is unknown.
  void hold(std::uint32_t cell, std::int64_t at, TableObserver& observer);
  // Out of its place, into none.
  void leave(std::uint32_t cell, TableObserver& observer);
  // The destination has another mode.
  void mode_changed(std::uint16_t destination, std::int64_t probe_at, TableObserver& observer);
  // One document may go there although it is closed; the next one only after that date.
  void probe_taken(std::uint16_t destination, std::int64_t next);
  bool advance(std::int64_t now, std::size_t budget, TableObserver& observer);

  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  struct List {
    std::uint32_t head{kNone};
    std::uint32_t tail{kNone};
    std::uint64_t count{0};
  };
  struct Probe {
    std::int64_t at{INT64_MAX};
    bool is_due{false};
  };

  [[nodiscard]] Plan const& plan() const { return *plans_.newest(); }
  [[nodiscard]] std::size_t targets() const { return plan().targets.size() + 1; }  // the last: originals
  [[nodiscard]] bool is_of_newest(std::uint32_t cell) const {
    return store_[store_.cell(cell).document].plan == plans_.newest_number();
  }
  [[nodiscard]] std::size_t target_of(std::uint32_t cell) const;
  [[nodiscard]] std::size_t list_of(std::uint32_t cell) const;
  [[nodiscard]] std::uint64_t open_part(std::size_t list) const;
  [[nodiscard]] std::string_view source_of(std::size_t list) const;
  void put(std::uint32_t cell, bool first, TableObserver& observer);
  void tell_again(std::uint16_t destination, TableObserver& observer);

  Store& store_;
  Plans const& plans_;
  std::vector<List> lists_;  // source (step) x target
  std::vector<Probe> probes_;
  std::uint64_t listed_{0};
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> rests_;
  rows::Leases leases_;
  LeaseEpoch last_epoch_{};
  std::int64_t now_{0};
};

}  // namespace fastjournal::pipeline
