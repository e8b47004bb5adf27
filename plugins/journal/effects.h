// Effects of the records of a journal's rows beside their state: statistics, alerts, and failures in a row.
// Derived, and no part of the digest: a replay counts and raises nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <absl/container/btree_set.h>
#include "fastjournal/table.h"
#include "plugins/journal/awaited.h"
#include "plugins/journal/figures.h"
#include "plugins/journal/pauses.h"
#include "plugins/journal/settings.h"
#include "plugins/journal/statistics.h"
#include "plugins/rows/effects.h"
#include "plugins/rows/schedules.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// "3 attempts (2 failed, 1 timed out), 5 in its life"
[[nodiscard]] std::string attempts_text(rows::Counters const& counters);

// Of one journal, beside its parts, which outlive it; called by RowTable::apply.
class Effects : public rows::NoEffects {
 public:
  Effects(Settings const& settings, rows::State const& rows, Statistics& statistics, Pauses& pauses,
          rows::Schedules& schedules, Figures& figures)
      : settings_(settings),
        rows_(rows),
        statistics_(statistics),
        pauses_(pauses),
        schedules_(schedules),
        figures_(figures) {}

  void tell(Awaited& awaited) { awaited_ = &awaited; }

  void added(ObjectId, ApplyContext const& context) { count(context, &Statistics::inserted); }
  void merged(std::uint32_t row, ApplyContext const& context) {
    note_weary(row);
    count(context, &Statistics::merged);
  }
  void leasing(std::uint32_t row, std::int64_t began, ApplyContext const& context) {
    if (!context.live) return;
    rows::Row const& header = rows_.row(row);
    ++statistics_.leased;
    statistics_.lateness_ms.add(since(header.date(), began));
    figures_.leased(since(header.date(), began));
    if (header.lifetime() == 0) statistics_.wait_ms.add(since(rows_.arrival_of(row), began));
  }
  void returned(std::uint32_t row, bool counted, ApplyContext const& context, TableObserver& observer) {
    note_weary(row);
    if (counted && context.live && weary_.contains(row)) alert_weary(row, observer);
  }
  // The twin takes over this state of its row, so that the alert stays up.
  void folding(std::uint32_t row, std::uint32_t twin, TableObserver& observer) {
    if (awaited_->is_any()) [[unlikely]]
      awaited_->is_merged(row, twin, observer);
    if (twin != rows::kNoRow && weary_.contains(row)) weary_.insert(twin);
    forget_weary(row, observer);
  }
  // The alert row-failed replaces it from here on.
  void parking(std::uint32_t row, TableObserver& observer) { forget_weary(row, observer); }
  void parked(std::uint32_t row, ApplyContext const& context, TableObserver& observer) {
    count(context, &Statistics::failed);
    if (awaited_->is_any()) [[unlikely]]
      awaited_->is_parked(row, observer);
    if (context.live) alert_parked(row, observer);
  }
  void removing(std::uint32_t row, rows::RemoveBody const& body, ApplyContext const& context, TableObserver& observer) {
    if (awaited_->is_any()) [[unlikely]]
      awaited_->ends(row, body, context.now, observer);
    if (context.live) measure_end(row, body, context.now.value, observer);
    forget_weary(row, observer);
  }
  void ended(rows::Reason reason) { pauses_.row_ended(reason); }
  void none_parked(TableObserver& observer) { observer.lower_alert("row-failed"); }
  void clock_lowered(std::int64_t, std::int64_t to, TableObserver&) {
    pauses_.lower_clock(to);
    schedules_.lower_clock(to);
    figures_.lower_clock(to);
  }

 private:
  static std::uint64_t since(std::int64_t date, std::int64_t now) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - date));
  }
  void count(ApplyContext const& context, std::uint64_t Statistics::*what) {
    if (context.live) ++(statistics_.*what);
  }
  void measure_end(std::uint32_t row, rows::RemoveBody const& body, std::int64_t now, TableObserver& observer) {
    switch (body.reason) {
      case rows::Reason::done: measure_done(row, now); break;
      case rows::Reason::deleted: ++statistics_.deleted; break;
      case rows::Reason::expired: ++statistics_.expired; break;
      case rows::Reason::failed:
        ++statistics_.failed;
        alert_deleted(row, body, observer);
        break;
    }
  }
  void measure_done(std::uint32_t row, std::int64_t now) {
    ++statistics_.done;
    statistics_.merges.add(rows_.merges_of(row));
    if (rows_.row(row).place() != rows::Place::processing) return;
    statistics_.processing_ms.add(since(rows_.lease_of(row).began, now));
    statistics_.attempts.succeeded(now);
  }

  // Rows with so many attempts in their lives that an alert is raised. After a start they are noted with their next
  // attempt.
  void note_weary(std::uint32_t row) {
    if (rows_.row(row).lifetime() >= settings_.options().weary_from()) weary_.insert(row);
  }
  void forget_weary(std::uint32_t row, TableObserver& observer) {
    if (!weary_.empty() && weary_.erase(row) == 1 && weary_.empty()) observer.lower_alert("row-times-out");
  }
  void alert_weary(std::uint32_t row, TableObserver& observer) const;
  void alert_parked(std::uint32_t row, TableObserver& observer) const;
  void alert_deleted(std::uint32_t row, rows::RemoveBody const& body, TableObserver& observer) const;

  Settings const& settings_;
  rows::State const& rows_;
  Statistics& statistics_;
  Pauses& pauses_;
  rows::Schedules& schedules_;
  Figures& figures_;
  Awaited* awaited_{nullptr};  // never null once the journal is made
  absl::btree_set<std::uint32_t> weary_;
};

}  // namespace fastjournal::journal
