#include "plugins/journal/scheduling.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "model/date.h"
#include "model/duration.h"
#include "model/shortened.h"
#include "model/value.h"
#include "plugins/journal/made.h"
#include "plugins/journal/schedule_columns.h"
#include "plugins/rows/schedule_dates.h"

namespace fastjournal::journal {
namespace {

constexpr std::size_t kSchedulesMax = 10'000;
constexpr std::string_view kScheduler = "fastjournal";
// Schedules of one step of the timers.
constexpr std::size_t kSchedulesPerStep = 64;
// The record of a run, beside its row.
constexpr std::size_t kRanBytes = 80;
// The next look at one whose row could not be made: the table is full, or a transaction holds the key.
constexpr std::int64_t kRestFullMs = 1000;
constexpr std::int64_t kRestHeldMs = 50;
constexpr std::string_view kEvery = "every ";

constexpr std::string_view kResultNames[] = {"", "running", "done", "failed", "expired", "deleted"};

bool is_name_char(char c, bool is_first) {
  bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return plain || (!is_first && (c == '_' || c == '-' || c == '.' || c == ':'));
}

Status refused_parameter(std::string_view name, std::string text) {
  return Status{Code::bad_parameter, std::move(text)}.with("parameter", std::string{name});
}

Status check_schedule_name(std::string_view name) {
  bool is_good = !name.empty();
  for (std::size_t i = 0; i < name.size(); ++i) is_good = is_good && is_name_char(name[i], i == 0);
  if (is_good) return {};
  return refused_parameter("schedule", "schedule is " + model::shown(name) +
                                           ", expected a letter or digit of ASCII, then these and _ - . :");
}

}  // namespace

struct Scheduling::Rules {
  rows::ScheduleRules rules{};
  std::optional<model::Calendar> calendar{};
};

rows::Schedule const* Scheduling::find(std::string_view name, Decision& decision) const {
  rows::Schedule const* const found = schedules_.find(name);
  if (found == nullptr)
    decision.status = Status{Code::not_found, "table " + settings_.table() + " has no schedule " + model::shown(name) +
                                                  " (SCHEDULES shows those that there are)"}
                          .with("parameter", "schedule");
  return found;
}

// ---------------------------------------------------------------------------
// SCHEDULE, UNSCHEDULE

namespace {

Status read_columns(Schema const& schema, Command const& command, Decision& decision, rows::ScheduleRules& rules) {
  rows::ScheduleColumns columns;
  for (Column const& column : schema.columns)
    if (Value const* const value = command.message->find(column.name); value != nullptr)
      columns.all.push_back({column.name, *value});
  model::write_body(rules.columns, columns);
  if (rules.columns.size() > rows::kScheduleColumnsBytesMax)
    return {Code::too_large, "the columns of a schedule have " + std::to_string(rules.columns.size()) +
                                 " bytes, expected " + std::to_string(rows::kScheduleColumnsBytesMax) + " at most"};
  // As each of its dates will do it: what cannot be is told now.
  ColumnsOfSchedule filled;
  if (Status status = filled.fill(rules.columns, schema, rules.name, decision.now.value); !status.ok()) return status;
  return check_row(schema, filled.message());
}

// Reading a declaration appends nothing.
class NoRecords final : public Records {
 public:
  Place append(std::uint8_t, std::uint8_t, ObjectId, std::size_t) override { return {}; }
};

}  // namespace

Status Scheduling::read_rules(TableDeclaration const& table, Command const& command, Decision& decision, Rules& out) {
  Schema const& schema = table.schema;
  model::PriorityNames names;
  names.take(table.option("priority-words").text);
  made::Schedule given;
  if (!given.read(command, decision, names)) return std::move(decision.status);
  rows::ScheduleRules& rules = out.rules;
  if (Status status = check_schedule_name(given.schedule); !status.ok()) return status;
  rules.name = given.schedule;
  if (given.cron.is_given == given.every.has_value())
    return refused_parameter("cron", given.cron.is_given ? "cron and every are both given, expected one of them"
                                                         : "neither cron nor every is given, expected one of them");
  rules.expression =
      given.every ? std::string{kEvery} + model::format_duration(*given.every) : std::string{given.cron.bytes};
  rules.begins = given.begins.value_or(0);
  rules.ends = given.ends.value_or(0);
  if (rules.ends != 0 && rules.ends < rules.begins)
    return refused_parameter("ends", "ends is earlier than begins, expected a later date");
  Result<model::Calendar> calendar = model::Calendar::parse(rules.expression, TimeMs{rules.begins});
  if (!calendar.ok())
    return Status{calendar.status().code(), calendar.status().message()}.with("parameter",
                                                                              given.every ? "every" : "cron");
  out.calendar = std::move(calendar).value();
  rules.zone = given.time_zone.bytes == kUtc ? std::string_view{} : given.time_zone.bytes;
  rules.jitter = given.jitter;
  rules.overlap = static_cast<rows::Overlap>(given.overlap.value_or(made::OverlapChoice::skip));
  rules.catch_up = static_cast<rows::CatchUp>(given.catch_up.value_or(made::CatchUpChoice::last));
  rules.window = given.catch_up_window;
  rules.catch_up_max = given.catch_up_max;
  rules.pause_after = given.pause_after;
  rules.alert_after = given.alert_after;
  rules.priority = given.priority;
  rules.lifetime = given.expires_in;
  return read_columns(schema, command, decision, rules);
}

Verdict Scheduling::schedule(Command const& command, Decision& decision) const {
  Rules given;
  if (decision.refuses(read_rules(settings_.declaration(), command, decision, given))) return Verdict::done;
  Result<Zone const*> const zone = find_zone(schedules_.zones(), given.rules.zone);
  if (!zone.ok())
    return decision.refuse(Status{zone.status().code(), zone.status().message()}.with("parameter", "time_zone"));
  rows::Schedule const* const known = schedules_.find(given.rules.name);
  if (known != nullptr && known->rules.is_declared)
    return decision.refuse({Code::wrong_state, "schedule " + given.rules.name + " of table " + settings_.table() +
                                                   " is declared in " + settings_.declaration().file +
                                                   ": change it there, and RELOAD"});
  if (known == nullptr && schedules_.size() >= kSchedulesMax)
    return decision.refuse({Code::over_limit, "table " + settings_.table() + " has " +
                                                  std::to_string(schedules_.size()) +
                                                  " schedules, which is the most: remove some"});
  bool const is_same = known != nullptr && known->rules == given.rules;
  std::int64_t next = is_same ? known->state.next : 0;
  ObjectId id = known == nullptr ? ObjectId{} : known->id;
  if (!is_same) {
    rows::ScheduleBody body;
    if (known != nullptr) body.state = known->state;
    body.rules = std::move(given.rules);
    next = rows::first_date(body.rules, *given.calendar, *zone.value(), decision.now.value);
    body.state.next = next;
    if (body.rules.overlap != rows::Overlap::one) body.state.waiting = 0;
    if (!body.state.pause.is_paused) {
      body.state.pause.since = decision.now.value;
      body.state.pause.by = model::shortened(command.worker, kWorkerBytesMax);
    }
    Lsn const lsn = model::append_record(decision.records, id, body);
    if (id.is_none()) id = object_of(lsn);
    given.rules.name = body.rules.name;
  }
  Answer& answer = decision.answer.message("SCHEDULED").add("table", std::string_view{settings_.table()});
  answer.add("schedule", std::string_view{given.rules.name}).add("number", id.value);
  answer.add("result", Value::of_text(is_same ? "unchanged" : known == nullptr ? "made" : "changed"));
  if (next != rows::kNoDate && next != rows::kUnknownDate) answer.add("next_date", next);
  return Verdict::done;
}

Verdict Scheduling::unschedule(Command const& command, Decision& decision) const {
  made::Unschedule given;
  if (!given.read(command, decision)) return Verdict::done;
  rows::Schedule const* const known = find(given.schedule, decision);
  if (known == nullptr) return Verdict::done;
  if (known->rules.is_declared)
    return decision.refuse({Code::wrong_state, "schedule " + known->rules.name + " of table " + settings_.table() +
                                                   " is declared in " + settings_.declaration().file +
                                                   ": take it out there, and RELOAD"});
  decision.answer.message("UNSCHEDULED").add("table", std::string_view{settings_.table()});
  decision.answer.add("schedule", std::string_view{known->rules.name});
  model::append_record(decision.records, known->id, rows::ScheduleDroppedBody{});
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// Those of the table's file

Status Scheduling::read_declared(TableDeclaration const& table, ScheduleDeclaration const& declared, Rules& rules) {
  Message message{"SCHEDULE"};
  message.add("schedule", Value::of_text(declared.name));
  for (auto const& [name, value] : declared.parameters) message.add(name, Value::of_text(value));
  Command command;
  command.message = &message;
  NoRecords records;
  Answer answer;
  Decision decision{.records = records, .answer = answer};
  Status const status = read_rules(table, command, decision, rules);
  if (!status.ok())
    return table.refuse("schedule " + declared.name,
                        "schedule " + model::shown(declared.name) + ": " + status.message());
  rules.rules.is_declared = true;
  return {};
}

Status Scheduling::check(TableDeclaration const& declaration) {
  for (ScheduleDeclaration const& declared : declaration.schedules) {
    Rules rules;
    if (Status status = read_declared(declaration, declared, rules); !status.ok()) return status;
  }
  return {};
}

Status Scheduling::check_change(TableDeclaration const& next) const {
  for (ScheduleDeclaration const& declared : next.schedules) {
    rows::Schedule const* const known = schedules_.find(declared.name);
    if (known != nullptr && !known->rules.is_declared)
      return next.refuse("schedule " + declared.name,
                         "schedule " + declared.name + " of table " + settings_.table() +
                             " was made by a command, expected another name; or UNSCHEDULE that one first");
  }
  return {};
}

void Scheduling::take_declared() {
  declared_.clear();
  is_as_declared_ = false;
  for (ScheduleDeclaration const& declared : settings_.declaration().schedules) {
    Rules rules;
    if (read_declared(settings_.declaration(), declared, rules).ok()) declared_.push_back(std::move(rules.rules));
  }
  std::ranges::sort(declared_, {}, &rows::ScheduleRules::name);
}

// One of the same name that a command made, and a start finds beside the file's, stays: SCHEDULES tells of both.
bool Scheduling::make_declared(Decision& decision) const {
  std::size_t bytes = 0;
  auto const has_room = [&](std::size_t more) {
    bool const fits = bytes == 0 || bytes + more <= kStepBytesMax;
    bytes += fits ? more : 0;
    return fits;
  };
  for (rows::ScheduleRules const& declared : declared_) {
    rows::Schedule const* const known = schedules_.find(declared.name);
    if (known != nullptr && (!known->rules.is_declared || known->rules == declared)) continue;
    rows::ScheduleBody body;
    if (known != nullptr) body.state = known->state;
    body.rules = declared;
    // With a zone that this computer does not know it pauses itself.
    Result<model::Calendar> const calendar = model::Calendar::parse(declared.expression, TimeMs{declared.begins});
    Result<Zone const*> const zone = find_zone(schedules_.zones(), declared.zone);
    body.state.next = calendar.ok() && zone.ok()
                          ? rows::first_date(declared, calendar.value(), *zone.value(), decision.now.value)
                          : rows::kUnknownDate;
    if (declared.overlap != rows::Overlap::one) body.state.waiting = 0;
    if (!body.state.pause.is_paused) {
      body.state.pause.since = decision.now.value;
      body.state.pause.by = kScheduler;
    }
    if (!has_room(model::body_bytes(body) + kRanBytes)) return true;
    model::append_record(decision.records, known == nullptr ? ObjectId{} : known->id, body);
  }
  for (rows::Schedule const* one = schedules_.behind(0); one != nullptr; one = schedules_.behind(one->id.value)) {
    auto const declared = std::ranges::lower_bound(declared_, one->rules.name, {}, &rows::ScheduleRules::name);
    bool const stays = declared != declared_.end() && declared->name == one->rules.name;
    if (!one->rules.is_declared || stays) continue;
    if (!has_room(kRanBytes)) return true;
    model::append_record(decision.records, one->id, rows::ScheduleDroppedBody{});
  }
  is_as_declared_ = true;
  return bytes > 0;
}

// ---------------------------------------------------------------------------
// SCHEDULES

std::string Scheduling::problem_of(rows::Schedule const& schedule) const {
  if (!schedule.calendar) {
    Result<model::Calendar> const read =
        model::Calendar::parse(schedule.rules.expression, TimeMs{schedule.rules.begins});
    return read.ok() ? std::string{} : read.status().message();
  }
  if (schedule.zone == nullptr) return find_zone(schedules_.zones(), schedule.rules.zone).status().message();
  return {};
}

void Scheduling::tell(rows::Schedule const& schedule, std::uint32_t dates, Decision& decision) const {
  rows::ScheduleRules const& rules = schedule.rules;
  rows::ScheduleState const& state = schedule.state;
  Answer& answer = decision.answer.message("SCHEDULE").add("table", std::string_view{settings_.table()});
  answer.add("schedule", std::string_view{rules.name}).add("number", schedule.id.value);
  answer.add("state", Value::of_text(state.pause.is_paused ? "paused" : schedule.is_over() ? "over" : "active"));
  if (schedule.calendar && schedule.calendar->is_interval()) {
    Result<std::int64_t> const every = model::parse_duration(std::string_view{rules.expression}.substr(kEvery.size()));
    if (every.ok()) answer.add("every", every.value());
  } else {
    answer.add("cron", std::string_view{rules.expression});
  }
  answer.add("time_zone", rules.zone.empty() ? kUtc : std::string_view{rules.zone});
  auto const add_given = [&](std::string_view name, std::int64_t value) {
    if (value != 0) answer.add(name, value);
  };
  add_given("jitter", rules.jitter);
  add_given("begins", rules.begins);
  add_given("ends", rules.ends);
  answer.add("overlap", Value::of_text(made::kOverlapChoiceWords[static_cast<std::size_t>(rules.overlap)]));
  answer.add("catch_up", Value::of_text(made::kCatchUpChoiceWords[static_cast<std::size_t>(rules.catch_up)]));
  answer.add("catch_up_window", rules.window);
  if (rules.catch_up == rows::CatchUp::all) answer.add("catch_up_max", std::uint64_t{rules.catch_up_max});
  add_given("pause_after", rules.pause_after);
  add_given("alert_after", rules.alert_after);
  answer.add("priority", std::uint64_t{rules.priority});
  add_given("expires_in", rules.lifetime);
  answer.add("columns", std::string_view{columns_json(rules.columns)});
  if (rules.is_declared) answer.add("declared", std::int64_t{1});
  if (!schedule.is_over() && state.next != rows::kUnknownDate) answer.add("next_date", state.next);
  if (dates > 0 && schedule.can_run()) {
    std::string list;
    std::int64_t date = state.next == rows::kUnknownDate ? rows::date_behind(schedule, decision.now.value) : state.next;
    for (std::uint32_t told = 0; told < dates && date != rows::kNoDate; ++told) {
      list += (told == 0 ? "" : " ") + std::to_string(date);
      date = rows::date_behind(schedule, date);
      ++decision.work_units;
    }
    answer.add("dates", std::string_view{list});
  }
  add_given("waiting_date", state.waiting);
  add_given("last_date", state.last_date);
  if (!state.last_row.is_none()) answer.add("last_row", state.last_row.value);
  if (state.last_result != rows::RunResult::none)
    answer.add("last_result", Value::of_text(kResultNames[static_cast<std::size_t>(state.last_result)]));
  add_given("last_success", state.last_success);
  answer.add("failures_in_row", std::uint64_t{state.failures_in_row}).add("running", std::uint64_t{state.runs.size()});
  answer.add("made", state.made).add("done", state.done).add("failed", state.failed);
  answer.add("skipped", state.skipped).add("missed", state.missed);
  if (schedule.is_late) answer.add("late", std::int64_t{1});
  answer.add("since", state.pause.since).add("by", std::string_view{state.pause.by});
  if (!state.pause.reason.empty()) answer.add("reason", std::string_view{state.pause.reason});
  if (std::string const problem = problem_of(schedule); !problem.empty())
    answer.add("problem", std::string_view{problem});
}

Verdict Scheduling::list(Command const& command, Decision& decision) const {
  // Of one answer, in bytes.
  constexpr std::size_t kPageBytesMax = std::size_t{1} << 20U;
  constexpr std::size_t kScheduleShownBytes = 900;
  made::Schedules given;
  if (!given.read(command, decision)) return Verdict::done;
  if (given.schedule.is_given) {
    rows::Schedule const* const known = find(given.schedule, decision);
    if (known != nullptr) tell(*known, given.dates, decision);
    return Verdict::done;
  }
  std::uint32_t shown = 0;
  std::size_t bytes = 0;
  rows::Schedule const* one = schedules_.behind(given.after);
  std::uint64_t last = 0;
  for (; one != nullptr && shown < given.count && bytes < kPageBytesMax; one = schedules_.behind(one->id.value)) {
    tell(*one, given.dates, decision);
    decision.work_units += 2;
    bytes += kScheduleShownBytes + one->rules.columns.size() + one->state.pause.reason.size() + 14 * given.dates;
    last = one->id.value;
    ++shown;
  }
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{settings_.table()});
  if (one != nullptr) decision.answer.add("after", last);
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// PAUSE, RESUME

Verdict Scheduling::set_pause(std::string_view name, bool is_paused, Command const& command, Decision& decision) const {
  rows::Schedule const* const known = find(name, decision);
  if (known == nullptr) return Verdict::done;
  bool const was_paused = known->state.pause.is_paused;
  rows::ScheduleStateBody body;
  body.pause.is_paused = is_paused;
  body.pause.since = decision.now.value;
  body.pause.by = command.worker;
  std::string_view const reason = model::shortened(command.message->text("reason"), kReasonBytesMax);
  if (is_paused) body.pause.reason = reason;
  if (body.pause.by.size() > kWorkerBytesMax)
    return decision.refuse(
        Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with("parameter",
                                                                                                           "worker"));
  if (is_paused || was_paused) model::append_record(decision.records, known->id, body);
  Answer& answer = decision.answer.message(is_paused ? "PAUSED" : "RESUMED");
  answer.add("table", std::string_view{settings_.table()}).add("schedule", std::string_view{known->rules.name});
  if (!is_paused) answer.add("was", Value::of_text(was_paused ? "paused" : "open"));
  answer.add("by", std::string_view{body.pause.by});
  if (is_paused) answer.add("since", body.pause.since);
  if (!reason.empty()) answer.add("reason", reason);
  return Verdict::done;
}

Verdict Scheduling::pause(Command const& command, Decision& decision) const {
  made::Pause given;
  if (!given.read(command, decision)) return Verdict::done;
  return given.schedule.is_given ? set_pause(given.schedule, true, command, decision)
                                 : pauses_.pause(command, decision);
}

// Has no effect on a schedule that runs, so that a repeated command gets the same answer.
Verdict Scheduling::resume(Command const& command, Decision& decision) const {
  made::Resume given;
  if (!given.read(command, decision)) return Verdict::done;
  return given.schedule.is_given ? set_pause(given.schedule, false, command, decision)
                                 : pauses_.resume(command, decision);
}

void Scheduling::pause_itself(rows::Schedule const& schedule, std::string const& why, Decision& decision) const {
  rows::ScheduleStateBody body;
  body.pause = {true, true, decision.now.value, std::string{kScheduler},
                std::string{model::shortened(why, kReasonBytesMax)}};
  model::append_record(decision.records, schedule.id, body);
}

// ---------------------------------------------------------------------------
// Rows

Result<ObjectId> Scheduling::make(rows::Schedule const& schedule, std::int64_t date, std::int64_t due,
                                  Inserts::Step& step, Decision& decision) const {
  ColumnsOfSchedule columns;
  if (Status status = columns.fill(schedule.rules.columns, settings_.schema(), schedule.rules.name, date); !status.ok())
    return status;
  Inserts::Planned planned;
  planned.columns = &columns.message();
  planned.priority = schedule.rules.priority;
  planned.due = std::clamp<std::int64_t>(due, 0, model::kDateMax);
  // One that is made late has as much time as others.
  if (schedule.rules.lifetime != 0)
    planned.expires = std::min(std::max(due, decision.now.value) + schedule.rules.lifetime, model::kDateMax);
  planned.of = {schedule.id.value, date};
  return inserts_.make(planned, step, decision);
}

bool Scheduling::run_one(rows::Schedule const& schedule, Inserts::Step& step, Decision& decision) const {
  std::int64_t const now = decision.now.value;
  rows::ScheduleState const& state = schedule.state;
  step.bytes += kRanBytes;
  if (!schedule.can_run()) {
    step.bytes += kReasonBytesMax;
    pause_itself(schedule, problem_of(schedule), decision);
    return false;
  }
  if (schedule.gives_up()) {
    pause_itself(schedule, std::to_string(state.failures_in_row) + " rows failed in a row (pause_after): see its rows",
                 decision);
    return false;
  }
  rows::ScheduleRanBody ran;
  ran.next = state.next;
  bool const takes_waiting = state.waiting != 0 && state.runs.empty();
  if (takes_waiting) {
    ran.date = state.waiting;
  } else if (state.next == rows::kUnknownDate) {
    ran.next = rows::date_behind(schedule, now);
  } else {
    rows::NextDates const dates = rows::dates_due(schedule, now);
    ran.date = dates.date;
    ran.next = dates.next;
    ran.missed = dates.missed;
  }
  bool const is_busy = !state.runs.empty() && schedule.rules.overlap != rows::Overlap::all;
  if (ran.date == 0) {
    ran.did = rows::Did::looked;
  } else if (is_busy || state.runs.size() >= rows::kScheduleRunsMax) {
    bool const waits = is_busy && schedule.rules.overlap == rows::Overlap::one && state.waiting == 0;
    ran.did = waits ? rows::Did::waits : rows::Did::skipped;
  } else {
    Result<ObjectId> const row = make(schedule, ran.date, schedule.due(ran.date), step, decision);
    if (!row.ok()) {
      bool const is_held = row.status().code() == Code::in_transaction;
      if (is_held || row.status().code() == Code::over_limit) {
        schedules_.rest(schedule, now + (is_held ? kRestHeldMs : kRestFullMs));
        return false;
      }
      step.bytes += kReasonBytesMax;
      pause_itself(schedule, "its row cannot be made: " + row.status().message(), decision);
      return false;
    }
    if (row->is_none()) return true;
    ran.did = rows::Did::made;
    ran.row = row.value();
  }
  model::append_record(decision.records, schedule.id, ran);
  return false;
}

bool Scheduling::run(Decision& decision) const {
  if (next_due() > decision.now.value) return false;
  if (looks_for_declared() && make_declared(decision)) return true;
  if (next_due() > decision.now.value) return false;
  // Their places change while they run.
  std::array<rows::Schedule const*, kSchedulesPerStep> due{};
  std::size_t count = 0;
  for (auto const& [date, number] : schedules_.wakes()) {
    if (date > decision.now.value || count == due.size()) break;
    due[count++] = schedules_.find(ObjectId{number});
  }
  Inserts::Step step;
  for (std::size_t i = 0; i < count; ++i) {
    // Each may pause itself, with its reason.
    if (i > 0 && step.bytes + kReasonBytesMax + 2 * kRanBytes > kStepBytesMax) break;
    decision.work_units += 2;
    if (run_one(*due[i], step, decision)) break;
  }
  return true;
}

Verdict Scheduling::trigger(Command const& command, Decision& decision) const {
  made::Trigger given;
  if (!given.read(command, decision)) return Verdict::done;
  rows::Schedule const* const known = find(given.schedule, decision);
  if (known == nullptr) return Verdict::done;
  if (pauses_.is_draining()) return decision.refuse(pauses_.refusal("inserts are refused"));
  if (known->state.runs.size() >= rows::kScheduleRunsMax)
    return decision.refuse({Code::over_limit, "schedule " + known->rules.name + " has " +
                                                  std::to_string(rows::kScheduleRunsMax) +
                                                  " rows that have not ended, which is the most"});
  Inserts::Step step;
  std::int64_t const now = decision.now.value;
  Result<ObjectId> const row = make(*known, now, now, step, decision);
  if (!row.ok()) return decision.refuse(row.status());
  model::append_record(
      decision.records, known->id,
      rows::ScheduleRanBody{.did = rows::Did::triggered, .next = known->state.next, .date = now, .row = row.value()});
  decision.answer.message("TRIGGERED").add("table", std::string_view{settings_.table()});
  decision.answer.add("schedule", std::string_view{known->rules.name}).add("row", row->value);
  return Verdict::done;
}

// carry[0]: rows so far. Each step goes on behind the date that the schedule has by then.
Verdict Scheduling::backfill(Command const& command, Decision& decision) const {
  made::Backfill given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint64_t& made_so_far = decision.carry[0];
  rows::Schedule const* const known = find(given.schedule, decision);
  if (known == nullptr) return Verdict::done;
  std::string const& name = known->rules.name;
  if (given.from_date > given.to_date)
    return decision.refuse(refused_parameter("to_date", "to_date is earlier than from_date, expected a later date"));
  if (given.to_date > decision.now.value)
    return decision.refuse(
        refused_parameter("to_date", "to_date is in the future: the dates to come make their rows then; expected " +
                                         std::to_string(decision.now.value) + " at most"));
  if (!known->can_run())
    return decision.refuse({Code::wrong_state, "schedule " + name + " makes no rows: " + problem_of(*known)});
  if (pauses_.is_draining() && decision.step == 0) return decision.refuse(pauses_.refusal("inserts are refused"));
  auto const same = [&](rows::Backfill const& one) { return one.from == given.from_date && one.to == given.to_date; };
  auto const before = std::ranges::find_if(known->state.backfills, same);
  std::int64_t until = before == known->state.backfills.end() ? given.from_date - 1 : before->until;
  Inserts::Step step;
  std::size_t rows_of_step = 0;
  std::int64_t date = 0;
  bool is_full = false;
  for (;;) {
    date = known->calendar->next(TimeMs{until}, *known->zone).value;
    if (date > given.to_date || made_so_far == given.count) break;
    is_full = known->state.runs.size() + rows_of_step >= rows::kScheduleRunsMax;
    if (is_full) break;
    Result<ObjectId> const row = make(*known, date, decision.now.value, step, decision);
    if (!row.ok()) {
      // A step that is refused appends nothing: what there is so far is told.
      if (made_so_far == 0) return decision.refuse(row.status());
      is_full = true;
      break;
    }
    if (row->is_none()) return Verdict::again;
    step.bytes += kRanBytes;
    model::append_record(decision.records, known->id,
                         rows::ScheduleRanBody{.did = rows::Did::backfilled,
                                               .next = known->state.next,
                                               .date = date,
                                               .row = row.value(),
                                               .from = given.from_date,
                                               .to = given.to_date});
    ++rows_of_step;
    ++made_so_far;
    ++decision.work_units;
    until = date;
  }
  bool const is_complete = date > given.to_date;
  if (!is_complete && made_so_far == 0)
    return decision.refuse({Code::over_limit, "schedule " + name + " has " + std::to_string(rows::kScheduleRunsMax) +
                                                  " rows that have not ended, which is the most: go on later"});
  decision.answer.message("BACKFILLED").add("table", std::string_view{settings_.table()});
  decision.answer.add("schedule", std::string_view{name}).add("count", made_so_far);
  if (until >= given.from_date) decision.answer.add("until", until);
  decision.answer.add("complete", std::int64_t{is_complete ? 1 : 0});
  return Verdict::done;
}

}  // namespace fastjournal::journal
