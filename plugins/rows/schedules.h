// The schedules of a table, as objects of the log: their records become state here. What they do at a date is decided
// by the table type, which makes the rows (plugins/journal/scheduling.h); which dates there are is in schedule_dates.h.
//
// A schedule follows its rows until they end: it has their numbers, so that it is told by the records of rows alone. A
// replay may not know those rows any more, and yet comes to the same state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/regions.h"
#include "plugins/rows/schedule_records.h"

namespace fastjournal::rows {

struct Schedule {
  ObjectId id{};  // its number
  ScheduleRules rules{};
  ScheduleState state{};
  std::uint32_t region{0};
  // Derived. Without calendar or zone (this computer does not know it, or no longer) it makes no rows.
  std::optional<model::Calendar> calendar{};
  Zone const* zone{nullptr};
  mutable std::int64_t wakes{INT64_MAX};  // when there is something to decide
  mutable std::int64_t rests{0};          // not before: its row could not be made
  std::int64_t late_at{INT64_MAX};        // without a success until then
  bool is_late{false};

  [[nodiscard]] bool can_run() const { return calendar.has_value() && zone != nullptr; }
  // When the row of this date is due.
  [[nodiscard]] std::int64_t due(std::int64_t date) const {
    return date + model::jitter(rules.name, TimeMs{date}, DurationMs{rules.jitter}).value;
  }
  [[nodiscard]] bool is_over() const { return state.next == kNoDate; }
  // It has failed too often.
  [[nodiscard]] bool gives_up() const {
    return rules.pause_after != 0 && state.failures_in_row >= rules.pause_after && !state.pause.is_paused;
  }
  [[nodiscard]] ScheduleBody body() const { return {rules, state}; }
};

// Of one table.
class Schedules {
 public:
  // `zones` outlive it; null: only UTC is known.
  explicit Schedules(Zones const* zones) : zones_(zones) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] bool empty() const { return by_id_.empty(); }
  [[nodiscard]] std::size_t size() const { return by_id_.size(); }
  // Null: there is none.
  [[nodiscard]] Schedule const* find(std::string_view name) const;
  [[nodiscard]] Schedule const* find(ObjectId id) const;
  // The first one with a larger number.
  [[nodiscard]] Schedule const* behind(std::uint64_t number) const;
  [[nodiscard]] Zones const* zones() const { return zones_; }
  // Records of a replay about schedules that were gone.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }
  [[nodiscard]] std::uint64_t late() const { return late_; }
  [[nodiscard]] std::uint64_t paused() const { return paused_; }

  // -- time ---------------------------------------------------------------
  // The first date with something to decide; INT64_MAX: none.
  [[nodiscard]] std::int64_t next_wake() const { return wakes_.empty() ? INT64_MAX : wakes_.begin()->first; }
  // The same for look(): at once if an alert may have to be lowered.
  [[nodiscard]] std::int64_t next_late() const {
    if (has_recovered_) return 0;
    return lates_.empty() ? INT64_MAX : has_looked_ ? lates_.begin()->first : 0;
  }
  // (date, number), the first one first.
  using Dates = absl::btree_set<std::pair<std::int64_t, std::uint64_t>>;
  [[nodiscard]] Dates const& wakes() const { return wakes_; }
  // Its row cannot be made now.
  void rest(Schedule const& schedule, std::int64_t until) const;
  // The alert of schedules without success.
  void look(std::int64_t now, std::string const& table, TableObserver& observer);

  // -- applying -----------------------------------------------------------
  [[nodiscard]] static constexpr bool knows(std::uint8_t type) {
    return type >= static_cast<std::uint8_t>(ScheduleRecord::schedule) &&
           type <= static_cast<std::uint8_t>(ScheduleRecord::schedule_state);
  }
  [[nodiscard]] static constexpr std::uint8_t newest_version(std::uint8_t type) {
    return type >= static_cast<std::uint8_t>(ScheduleRecord::schedule) &&
                   type <= static_cast<std::uint8_t>(ScheduleRecord::schedule_state)
               ? 1
               : 0;
  }
  // A record that it knows. False: damage.
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context, std::string const& table,
                           TableObserver& observer);
  // A record of rows, one of which may be of a schedule. Of what is damaged nothing is taken.
  void follow(RecordView const& record) {
    if (!followed_.empty()) follow_row(record);
  }
  void lower_clock(std::int64_t to);

  // -- space, followers, digest -------------------------------------------
  [[nodiscard]] Lsn oldest_lsn() const { return regions_.oldest(); }
  // Compacts what stands below. True if more remains, or there was no room.
  bool compact(Lsn below, CopyRoom& room, Records& records) const;
  // From the cursor on: at[1] is the number of the last one. True: that was the last.
  bool snapshot(SnapshotCursor& cursor, CopyRoom& page, Records& records) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return record_bytes_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void digest(DigestSink& sink) const;

 private:
  [[nodiscard]] Schedule* any(ObjectId id);
  bool apply_schedule(RecordView const& record);
  bool apply_ran(RecordView const& record, Schedule& schedule);
  bool apply_state(RecordView const& record, ApplyContext const& context, std::string const& table, Schedule& schedule,
                   TableObserver& observer);
  void drop(Schedule& schedule, TableObserver& observer);
  void follow_row(RecordView const& record);
  void end_run(ObjectId row, RunResult result);
  void add_run(Schedule& schedule, ObjectId row, std::int64_t date);
  // Before and after a change of a schedule: counts and dates that follow from it.
  void leave(Schedule const& schedule);
  void enter(Schedule& schedule);
  [[nodiscard]] static std::int64_t wake_of(Schedule const& schedule);
  [[nodiscard]] static std::int64_t late_of(Schedule const& schedule);
  [[nodiscard]] static std::uint64_t record_bytes_of(Schedule const& schedule);

  Zones const* zones_;
  absl::btree_map<std::uint64_t, std::unique_ptr<Schedule>> by_id_;
  absl::btree_map<std::string_view, Schedule*> by_name_;               // names are those of the schedules
  absl::btree_set<std::pair<std::uint64_t, std::uint64_t>> followed_;  // (row, schedule)
  mutable Dates wakes_;
  Dates lates_;
  Regions regions_;
  std::uint64_t record_bytes_{0};
  std::uint64_t text_bytes_{0};
  std::uint64_t runs_{0};
  std::uint64_t paused_{0};
  std::uint64_t paused_by_itself_{0};
  std::uint64_t late_{0};
  bool has_looked_{false};     // since the start
  bool has_recovered_{false};  // one that was late is not any more
  std::uint64_t ignored_{0};
  mutable std::uint64_t compact_from_{0};
};

}  // namespace fastjournal::rows
