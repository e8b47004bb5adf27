// Whether the table hands out rows and accepts inserts: the commands PAUSE, DRAIN and RESUME, the pause after too many
// failures, and their records. The last command counts: PAUSE pauses a draining table, which then accepts inserts again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/journal/records.h"
#include "plugins/journal/settings.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/order.h"

namespace fastjournal::journal {

// Of one journal, beside its settings and the order of its rows, which outlive it.
class Pauses {
 public:
  Pauses(Settings const& settings, rows::Order const& order) : settings_(settings), order_(order) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] Pause const& now() const { return pause_; }
  [[nodiscard]] bool is_paused() const { return pause_.standing == Standing::paused; }
  [[nodiscard]] bool is_draining() const { return pause_.standing == Standing::draining; }
  // "paused by anna since 2026-11-21T12:00:00.000Z: upgrade"
  [[nodiscard]] std::string text() const;
  // The refusal of a command, and what the pause keeps from happening.
  [[nodiscard]] Status refusal(std::string_view what) const;
  // Rows given up since the last one that was done, as far as the log still has them.
  [[nodiscard]] std::uint32_t failures_in_row() const { return failures_in_row_; }
  // Records of a replay about pauses that were gone.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

  // -- deciding -----------------------------------------------------------
  Verdict pause(Command const& command, Decision& decision) const;
  Verdict drain(Command const& command, Decision& decision) const;
  Verdict resume(Command const& command, Decision& decision) const;
  // Pauses after so many failures without a DONE that the rows are not the reason: true if it appended a pause.
  bool pause_after_failures(Decision& decision) const;

  // -- applying -----------------------------------------------------------
  [[nodiscard]] static bool knows(RecordView const& record) {
    return record.type == static_cast<std::uint8_t>(RecordType::pause) ||
           record.type == static_cast<std::uint8_t>(RecordType::resume);
  }
  // A record that it knows. False: damage.
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  // A row was done, or given up. Failures in a row (pause-after-failures) are derived from the records that the log still
  // has: a restart may count fewer, never more. Logged, they would be a record for each failure of every table.
  void row_ended(rows::Reason reason) {
    if (reason == rows::Reason::done) failures_in_row_ = 0;
    if (reason == rows::Reason::failed && failures_in_row_ < UINT32_MAX) ++failures_in_row_;
  }
  void count_again() { failures_in_row_ = 0; }
  void lower_clock(std::int64_t to) { pause_.since = std::min(pause_.since, to); }

  // -- space, followers, digest -------------------------------------------
  // Of the log, what the pause needs.
  [[nodiscard]] Lsn oldest_lsn() const;
  // Compacts it if it stands below. True: there was no room.
  bool compact(Lsn below, rows::CopyRoom& room, Records& records) const;
  void snapshot(Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return pause_record_bytes(pause_); }
  void digest(DigestSink& sink) const;

 private:
  Verdict stand(Standing standing, std::string_view answer, Command const& command, Decision& decision) const;
  bool apply_pause(RecordView const& record, ApplyContext const& context, TableObserver& observer);
  bool apply_resume(RecordView const& record, ApplyContext const& context, TableObserver& observer);

  Settings const& settings_;
  rows::Order const& order_;
  Pause pause_;
  std::uint32_t failures_in_row_{0};
  std::uint64_t ignored_{0};
};

}  // namespace fastjournal::journal
