#include "plugins/rows/schedules.h"

#include <algorithm>

#include "model/date.h"
#include "model/duration.h"
#include "plugins/rows/records.h"

namespace fastjournal::rows {
namespace {

constexpr std::string_view kLateAlert = "schedule-late";
constexpr std::string_view kPausedAlert = "schedule-paused";
// Of one in memory, beside its texts and the rows that it follows; and of each of these.
constexpr std::uint64_t kScheduleBytes = sizeof(Schedule) + 200;
constexpr std::uint64_t kRunBytes = sizeof(ScheduleRun) + 20;
// The largest record of one without texts and rows; and of each of these.
constexpr std::uint64_t kScheduleRecordBytes = 420;
constexpr std::uint64_t kRunRecordBytes = 13;
// Schedules that one search for some to compact looks at.
constexpr std::uint32_t kSchedulesLookedMax = 20'000;

std::uint64_t texts_of(Schedule const& one) {
  return one.rules.name.size() + one.rules.expression.size() + one.rules.zone.size() + one.rules.columns.size() +
         one.state.pause.by.size() + one.state.pause.reason.size();
}

}  // namespace

// ---------------------------------------------------------------------------
// Reading

Schedule const* Schedules::find(std::string_view name) const {
  auto const found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Schedule const* Schedules::find(ObjectId id) const {
  auto const found = by_id_.find(id.value);
  return found == by_id_.end() ? nullptr : found->second.get();
}

Schedule* Schedules::any(ObjectId id) {
  auto const found = by_id_.find(id.value);
  return found == by_id_.end() ? nullptr : found->second.get();
}

Schedule const* Schedules::behind(std::uint64_t number) const {
  auto const found = by_id_.upper_bound(number);
  return found == by_id_.end() ? nullptr : found->second.get();
}

std::uint64_t Schedules::memory_bytes() const {
  return by_id_.size() * kScheduleBytes + text_bytes_ + runs_ * kRunBytes;
}

// ---------------------------------------------------------------------------
// What follows from a schedule

std::uint64_t Schedules::record_bytes_of(Schedule const& schedule) {
  return kScheduleRecordBytes + texts_of(schedule) + schedule.state.runs.size() * kRunRecordBytes;
}

std::int64_t Schedules::wake_of(Schedule const& one) {
  if (one.state.pause.is_paused) return INT64_MAX;
  std::int64_t due = INT64_MAX;
  if (one.gives_up() || one.state.next == kUnknownDate)
    due = 0;
  else if (one.state.waiting != 0 && one.state.runs.empty())
    due = 0;
  else if (!one.is_over())
    due = one.due(one.state.next);
  return due == INT64_MAX ? due : std::max(due, one.rests);
}

std::int64_t Schedules::late_of(Schedule const& one) {
  bool const has_more = !one.is_over() || one.state.waiting != 0 || !one.state.runs.empty();
  if (one.rules.alert_after == 0 || one.state.pause.is_paused || !has_more) return INT64_MAX;
  return std::max(one.state.last_success, one.state.pause.since) + one.rules.alert_after;
}

void Schedules::leave(Schedule const& one) {
  wakes_.erase({one.wakes, one.id.value});
  lates_.erase({one.late_at, one.id.value});
  record_bytes_ -= record_bytes_of(one);
  text_bytes_ -= texts_of(one);
  runs_ -= one.state.runs.size();
  paused_ -= one.state.pause.is_paused ? 1 : 0;
  paused_by_itself_ -= one.state.pause.by_itself ? 1 : 0;
}

void Schedules::enter(Schedule& one) {
  one.wakes = wake_of(one);
  if (one.wakes != INT64_MAX) wakes_.emplace(one.wakes, one.id.value);
  std::int64_t const late_at = late_of(one);
  if (one.is_late && late_at != one.late_at) {
    one.is_late = false;
    --late_;
    has_recovered_ = true;
  }
  one.late_at = late_at;
  if (late_at != INT64_MAX && !one.is_late) lates_.emplace(late_at, one.id.value);
  record_bytes_ += record_bytes_of(one);
  text_bytes_ += texts_of(one);
  runs_ += one.state.runs.size();
  paused_ += one.state.pause.is_paused ? 1 : 0;
  paused_by_itself_ += one.state.pause.by_itself ? 1 : 0;
}

void Schedules::rest(Schedule const& schedule, std::int64_t until) const {
  wakes_.erase({schedule.wakes, schedule.id.value});
  schedule.rests = until;
  schedule.wakes = wake_of(schedule);
  if (schedule.wakes != INT64_MAX) wakes_.emplace(schedule.wakes, schedule.id.value);
}

void Schedules::look(std::int64_t now, std::string const& table, TableObserver& observer) {
  Schedule const* first = nullptr;
  for (; !lates_.empty() && lates_.begin()->first <= now; lates_.erase(lates_.begin())) {
    Schedule& one = *by_id_.find(lates_.begin()->second)->second;
    one.is_late = true;
    ++late_;
    if (first == nullptr) first = &one;
  }
  if (first != nullptr) {
    std::int64_t const since = std::max(first->state.last_success, first->state.pause.since);
    std::string message = "schedule " + first->rules.name + " of table " + table + " has had no success since " +
                          model::format_date(since) + " (alert-after " +
                          model::format_duration(first->rules.alert_after) + ")";
    if (late_ > 1) message += "; " + std::to_string(late_) + " schedules of it are late";
    observer.alert(kLateAlert, 65, message, "schedule");
  } else if (late_ == 0 && (has_recovered_ || !has_looked_)) {
    observer.lower_alert(kLateAlert);
  }
  has_looked_ = true;
  has_recovered_ = false;
}

// ---------------------------------------------------------------------------
// Applying

bool Schedules::apply(RecordView const& record, ApplyContext const& context, std::string const& table,
                      TableObserver& observer) {
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  auto const type = static_cast<ScheduleRecord>(record.type);
  if (type == ScheduleRecord::schedule) return apply_schedule(record);
  Schedule* const known = any(record.object);
  if (known == nullptr) {
    if (record.object.value >= context.base.value) return false;
    ++ignored_;
    return true;
  }
  if (type == ScheduleRecord::schedule_ran) return apply_ran(record, *known);
  if (type == ScheduleRecord::schedule_state) return apply_state(record, context, table, *known, observer);
  if (!record.body.empty()) return false;
  drop(*known, observer);
  return true;
}

bool Schedules::apply_schedule(RecordView const& record) {
  ScheduleBody body;
  if (!model::read_record(record, body)) return false;
  Schedule* known = any(record.object);
  Schedule const* const of_name = find(body.rules.name);
  if (of_name != nullptr && of_name != known) return false;
  bool const is_new = known == nullptr;
  if (is_new) {
    known = by_id_.emplace(record.object.value, std::make_unique<Schedule>()).first->second.get();
    known->id = record.object;
  } else {
    leave(*known);
    regions_.remove(known->region);
    for (ScheduleRun const& run : known->state.runs) followed_.erase({run.row.value, known->id.value});
    by_name_.erase(known->rules.name);
  }
  known->region = Regions::of(record.lsn);
  regions_.add(known->region);
  known->rules = std::move(body.rules);
  known->state = std::move(body.state);
  known->rests = 0;
  by_name_.emplace(known->rules.name, known);
  for (ScheduleRun const& run : known->state.runs) followed_.emplace(run.row.value, known->id.value);
  Result<model::Calendar> calendar = model::Calendar::parse(known->rules.expression, TimeMs{known->rules.begins});
  known->calendar = calendar.ok() ? std::optional{std::move(calendar).value()} : std::nullopt;
  Result<Zone const*> const zone = find_zone(zones_, known->rules.zone);
  known->zone = zone.ok() ? zone.value() : nullptr;
  enter(*known);
  return true;
}

void Schedules::add_run(Schedule& schedule, ObjectId row, std::int64_t date) {
  ScheduleState& state = schedule.state;
  ++state.made;
  state.last_row = row;
  state.last_result = RunResult::running;
  auto const place = std::ranges::lower_bound(state.runs, row, {}, &ScheduleRun::row);
  if (place != state.runs.end() && place->row == row)
    place->date = std::max(place->date, date);
  else
    state.runs.insert(place, {row, date});
  followed_.emplace(row.value, schedule.id.value);
}

bool Schedules::apply_ran(RecordView const& record, Schedule& schedule) {
  ScheduleRanBody body;
  if (!model::read_record(record, body) || body.next < 0 || body.next > kNoDate || body.date < 0) return false;
  leave(schedule);
  ScheduleState& state = schedule.state;
  state.next = body.next;
  state.missed += body.missed;
  if (body.did != Did::looked && body.did != Did::backfilled && body.did != Did::triggered)
    state.last_date = std::max(state.last_date, body.date);
  switch (body.did) {
    case Did::looked: break;
    case Did::made:
      if (state.waiting == body.date) state.waiting = 0;
      add_run(schedule, body.row, body.date);
      break;
    case Did::waits: state.waiting = body.date; break;
    case Did::skipped: ++state.skipped; break;
    case Did::triggered: add_run(schedule, body.row, body.date); break;
    case Did::backfilled: {
      add_run(schedule, body.row, body.date);
      auto const same = [&](Backfill const& one) { return one.from == body.from && one.to == body.to; };
      if (auto const found = std::ranges::find_if(state.backfills, same); found != state.backfills.end()) {
        found->until = body.date;
        break;
      }
      if (state.backfills.size() == kScheduleBackfillsMax) state.backfills.erase(state.backfills.begin());
      state.backfills.push_back({body.from, body.to, body.date});
      break;
    }
  }
  schedule.rests = 0;
  enter(schedule);
  return true;
}

bool Schedules::apply_state(RecordView const& record, ApplyContext const& context, std::string const& table,
                            Schedule& schedule, TableObserver& observer) {
  ScheduleStateBody body;
  if (!model::read_record(record, body)) return false;
  leave(schedule);
  schedule.state.pause = std::move(body.pause);
  if (!schedule.state.pause.is_paused) schedule.state.failures_in_row = 0;
  schedule.rests = 0;
  enter(schedule);
  if (!context.live) return true;
  SchedulePause const& pause = schedule.state.pause;
  if (pause.by_itself)
    observer.alert(kPausedAlert, 70,
                   "schedule " + schedule.rules.name + " of table " + table + " has paused itself: " + pause.reason,
                   "schedule");
  else if (paused_by_itself_ == 0)
    observer.lower_alert(kPausedAlert);
  return true;
}

void Schedules::drop(Schedule& schedule, TableObserver& observer) {
  bool const was_paused = schedule.state.pause.by_itself;
  leave(schedule);
  if (schedule.is_late) {
    --late_;
    has_recovered_ = true;
  }
  regions_.remove(schedule.region);
  for (ScheduleRun const& run : schedule.state.runs) followed_.erase({run.row.value, schedule.id.value});
  by_name_.erase(schedule.rules.name);
  by_id_.erase(schedule.id.value);
  if (was_paused && paused_by_itself_ == 0) observer.lower_alert(kPausedAlert);
}

// ---------------------------------------------------------------------------
// Rows

void Schedules::follow_row(RecordView const& record) {
  auto const is_followed = [this](ObjectId row) {
    auto const found = followed_.lower_bound({row.value, 0});
    return found != followed_.end() && found->first == row.value;
  };
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::remove: {
      RemoveBody body;
      if (!is_followed(record.object) || !model::read_record(record, body)) return;
      switch (body.reason) {
        case Reason::done: return end_run(record.object, RunResult::done);
        case Reason::deleted: return end_run(record.object, RunResult::deleted);
        case Reason::expired: return end_run(record.object, RunResult::expired);
        case Reason::failed: return end_run(record.object, RunResult::failed);
      }
      return;
    }
    case RecordType::park:
      if (is_followed(record.object)) end_run(record.object, RunResult::failed);
      return;
    case RecordType::fold: {
      // The row goes on as the one that waited.
      FoldBody body;
      if (!model::read_record(record, body)) return;
      while (is_followed(body.returned)) {
        Schedule& schedule = *any(ObjectId{followed_.lower_bound({body.returned.value, 0})->second});
        leave(schedule);
        ScheduleState& state = schedule.state;
        auto const run = std::ranges::lower_bound(state.runs, body.returned, {}, &ScheduleRun::row);
        std::int64_t const date = run->date;
        state.runs.erase(run);
        followed_.erase({body.returned.value, schedule.id.value});
        bool const was_last = state.last_row == body.returned;
        ObjectId const last_row = state.last_row;
        RunResult const last_result = state.last_result;
        add_run(schedule, record.object, date);
        --state.made;  // it was counted
        if (!was_last) {
          state.last_row = last_row;
          state.last_result = last_result;
        }
        enter(schedule);
      }
      return;
    }
    default: return;
  }
}

void Schedules::end_run(ObjectId row, RunResult result) {
  for (auto at = followed_.lower_bound({row.value, 0}); at != followed_.end() && at->first == row.value;
       at = followed_.lower_bound({row.value, 0})) {
    Schedule& schedule = *any(ObjectId{at->second});
    followed_.erase(at);
    leave(schedule);
    ScheduleState& state = schedule.state;
    auto const run = std::ranges::lower_bound(state.runs, row, {}, &ScheduleRun::row);
    if (result == RunResult::done) {
      ++state.done;
      state.last_success = std::max(state.last_success, run->date);
      state.failures_in_row = 0;
    } else if (result == RunResult::failed || result == RunResult::expired) {
      ++state.failed;
      if (state.failures_in_row < UINT32_MAX) ++state.failures_in_row;
    }
    if (state.last_row == row) state.last_result = result;
    state.runs.erase(run);
    enter(schedule);
  }
}

// Dates that came by the wrong clock come again by the right one: the next date is looked for from there.
void Schedules::lower_clock(std::int64_t to) {
  for (auto const& [number, pointer] : by_id_) {
    Schedule& one = *pointer;
    leave(one);
    ScheduleState& state = one.state;
    if (state.next != kNoDate && state.next > to) state.next = kUnknownDate;
    for (std::int64_t* const date : {&state.pause.since, &state.last_date, &state.last_success, &state.waiting})
      *date = std::min(*date, to);
    for (ScheduleRun& run : state.runs) run.date = std::min(run.date, to);
    one.rests = 0;
    enter(one);
  }
}

// ---------------------------------------------------------------------------
// Space, followers, digest

bool Schedules::compact(Lsn below, CopyRoom& room, Records& records) const {
  std::uint64_t left = regions_.count_below(below);
  auto at = by_id_.lower_bound(compact_from_);
  for (std::uint32_t looked = 0; left > 0 && looked < kSchedulesLookedMax && looked < by_id_.size(); ++looked, ++at) {
    if (at == by_id_.end()) at = by_id_.begin();
    Schedule const& one = *at->second;
    compact_from_ = one.id.value;
    if (Regions::start(one.region) >= below) continue;
    if (!room.take(record_bytes_of(one))) return true;
    model::append_record(records, one.id, one.body());
    --left;
  }
  if (left == 0 || at == by_id_.end())
    compact_from_ = 0;
  else
    compact_from_ = at->first;
  return left > 0;
}

bool Schedules::snapshot(SnapshotCursor& cursor, CopyRoom& page, Records& records) const {
  for (auto at = by_id_.upper_bound(cursor.at[1]); at != by_id_.end(); ++at) {
    Schedule const& one = *at->second;
    if (!page.take_one_at_least(record_bytes_of(one))) return false;
    model::append_record(records, one.id, one.body());
    cursor.at[1] = one.id.value;
  }
  return true;
}

void Schedules::digest(DigestSink& sink) const {
  for (auto const& [number, one] : by_id_) model::digest_object(sink, one->id, one->body());
}

}  // namespace fastjournal::rows
