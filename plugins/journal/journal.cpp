#include "plugins/journal/journal.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "model/key_codec.h"
#include "plugins/rows/apply.h"

namespace fastjournal::journal {

// What each command of journal.xml is decided by.
std::span<rows::NamedCommand<Journal> const> Journal::commands() {
  using rows::by;
  static constexpr auto all = std::to_array<rows::NamedCommand<Journal>>({
      {"INSERT", by<&Journal::inserts_, &Inserts::insert>},
      {"NEXT", by<&Journal::workers_, &Workers::next>},
      {"TOUCH", by<&Journal::workers_, &Workers::touch>},
      {"PROGRESS", by<&Journal::workers_, &Workers::progress>},
      {"DONE", by<&Journal::workers_, &Workers::done>},
      {"RELEASE", by<&Journal::workers_, &Workers::release>},
      {"FAIL", by<&Journal::workers_, &Workers::fail>},
      {"DELETE", by<&Journal::changes_, &Changes::remove>},
      {"KICK", by<&Journal::changes_, &Changes::kick>},
      {"PEEK", by<&Journal::lookups_, &Lookups::peek>},
      {"LIST", by<&Journal::lookups_, &Lookups::list>},
      {"COUNT", by<&Journal::lookups_, &Lookups::count>},
      {"HISTORY", by<&Journal::recall_, &Recall::history>},
      {"WAIT", by<&Journal::recall_, &Recall::wait>},
      {"REDO", by<&Journal::recall_, &Recall::redo>},
      {"WHY", by<&Journal::lookups_, &Lookups::why>},
      {"TIMELINE", by<&Journal::overview_, &Overview::timeline>},
      {"FIGURES", by<&Journal::figures_, &Figures::tell>},
      {"DOMAINS", by<&Journal::overview_, &Overview::domains>},
      {"PAUSE", by<&Journal::scheduling_, &Scheduling::pause>},
      {"RESUME", by<&Journal::scheduling_, &Scheduling::resume>},
      {"DRAIN", by<&Journal::pauses_, &Pauses::drain>},
      {"GROUP", by<&Journal::grouping_, &Grouping::group>},
      {"GROUPS", by<&Journal::grouping_, &Grouping::groups>},
      {"CANCEL", by<&Journal::grouping_, &Grouping::cancel>},
      {"GRAPH", by<&Journal::grouping_, &Grouping::graph>},
      {"SCHEDULE", by<&Journal::scheduling_, &Scheduling::schedule>},
      {"UNSCHEDULE", by<&Journal::scheduling_, &Scheduling::unschedule>},
      {"SCHEDULES", by<&Journal::scheduling_, &Scheduling::list>},
      {"TRIGGER", by<&Journal::scheduling_, &Scheduling::trigger>},
      {"BACKFILL", by<&Journal::scheduling_, &Scheduling::backfill>},
  });
  return all;
}

namespace {

// Rows are found by the bytes of their keys, which must mean the same in both.
bool same_key(Schema const& a, Schema const& b) {
  return std::equal(a.key.begin(), a.key.end(), b.key.begin(), b.key.end(), [&](std::uint16_t i, std::uint16_t j) {
    return a.columns[i].name == b.columns[j].name && a.columns[i].type == b.columns[j].type;
  });
}

}  // namespace

Journal::Journal(TableContext const& context, std::shared_ptr<TypeDeclaration const> type,
                 std::shared_ptr<TableDeclaration const> declaration)
    : settings_(std::move(declaration)),
      rows_(context.hash_seed, row_kind(!settings_.schema().key.empty())),
      schedules_(context.zones),
      figures_(state(), settings_, statistics_),
      pauses_(settings_, state().order()),
      awaited_(rows_),
      effects_(settings_, state(), statistics_, pauses_, schedules_, figures_),
      attempts_(state(), settings_.options().attempts),
      timers_(rows_, attempts_, settings_.options().lifetimes),
      selection_(rows_, settings_, pauses_),
      spill_(state(), settings_),
      dependencies_(rows_, settings_),
      inserts_(rows_, settings_, pauses_, statistics_, fast_clocks_, dependencies_),
      scheduling_(settings_, schedules_, pauses_, inserts_),
      workers_(state(), settings_, pauses_, selection_, attempts_, schedules_, statistics_, awaited_),
      lookups_(state(), settings_, pauses_, selection_, schedules_),
      changes_(state(), settings_, selection_, attempts_, statistics_),
      grouping_(state(), settings_, selection_, attempts_),
      overview_(state(), settings_, pauses_, selection_),
      commands_(*type),
      insert_(rows::index_of("INSERT", *type)),
      recall_(rows_, settings_, selection_, inserts_, awaited_, insert_) {
  effects_.tell(awaited_);
  set_rules();
  rows_.add_schema(settings_.schema());
}

// ---------------------------------------------------------------------------
// Declarations

void Journal::set_rules() {
  Result<rows::Rules> rules = rows::Rules::read(settings_.declaration());
  FJ_CHECK(rules.ok(), "a declaration was taken without its check");
  // A reload has no observer for rows that it makes due: the timers of the next turn report them.
  NoObserver nobody;
  rows_.set_rules(std::move(rules).value(), nobody);
  rows_.index_tags(settings_.options().tag_index);
}

Status Journal::check(TableDeclaration const& declaration) {
  if (Status status = rows::Declared<Options>::read(declaration).check(declaration); !status.ok()) return status;
  if (Status status = Scheduling::check(declaration); !status.ok()) return status;
  Result<rows::Rules> const rules = rows::Rules::read(declaration);
  return rules.ok() ? Status{} : rules.status();
}

Status Journal::check_change(TableDeclaration const& next) const {
  // Before all else: options that need a key, or the lack of one, would be blamed for it. Whether rows are found by
  // keys is decided once, also for records of a table that is empty now.
  if (bool const has_keys = !next.schema.key.empty(); has_keys != state().keys().has_keys())
    return next.refuse(
        "table",
        fmt::format("table {} was made {} a row-key, and that cannot change while it exists, also not while it "
                    "is empty: empty it, take its file away and RELOAD, then put the new one there; or make a "
                    "table of another name",
                    settings_.table(), has_keys ? "without" : "with"));
  if (Status status = check(next); !status.ok()) return status;
  if (Status status = scheduling_.check_change(next); !status.ok()) return status;
  if (state().rows().size() > 0 && !same_key(settings_.schema(), next.schema))
    return next.refuse("table", fmt::format("the key of table {} cannot change while it has rows ({}): finish them "
                                            "first, or make a new table",
                                            settings_.table(), state().rows().size()));
  return {};
}

void Journal::change(std::shared_ptr<TableDeclaration const> next) {
  std::uint32_t const pause_after = settings_.options().pause_after_failures;
  settings_ = Settings{std::move(next)};
  // A changed option restarts the count.
  if (settings_.options().pause_after_failures != pause_after) pauses_.count_again();
  set_rules();
  scheduling_.take_declared();
}

// ---------------------------------------------------------------------------
// Records and timers

bool Journal::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) noexcept {
  // The end of a lease may release a domain: its tokens are counted at the time of the decision.
  if (context.live) {
    rows_.see(context.now.value);
    figures_.see(context.now.value);
    if (fast_clocks_.has_news()) fast_clocks_.tell(settings_.table(), observer);
    if (statistics_.attempts.has_news()) statistics_.attempts.tell("attempts", settings_.table(), "journal", observer);
  }
  if (Pauses::knows(record)) return record.version == 1 && pauses_.apply(record, context, observer);
  if (rows::Schedules::knows(record.type)) return schedules_.apply(record, context, settings_.table(), observer);
  if (Figures::knows(record.type)) return record.version == 1 && figures_.apply(record, context);
  schedules_.follow(record);
  return rows_.apply(record, context, observer, effects_);
}

bool Journal::decide_timer(Decision& decision) const {
  if (rows_.history().drop(history_limits(), decision) || timers_.follow(decision) ||
      pauses_.pause_after_failures(decision) || timers_.expire(decision) || scheduling_.run(decision) ||
      figures_.state_minute(decision))
    return true;
  rows::Timers::LeasesEnded const ended = timers_.end_leases(decision);
  statistics_.timed_out += ended.count;
  statistics_.attempts.failed(decision.now.value, ended.count);
  // After these are applied the table may have to pause itself, and others fail with them.
  return ended.count > 0;
}

// ---------------------------------------------------------------------------
// Listeners and waiting NEXTs; clients wait in the engine

std::uint64_t Journal::available(std::string_view topic) const {
  if (Awaited::is_topic(topic)) return awaited_.has_ended(topic) ? 1 : 0;
  if (pauses_.is_paused()) return 0;
  return topic.empty() ? state().order().available() : state().order().available(topic);
}

bool Journal::announce(ObjectId object, Answer& answer) const {
  std::uint32_t const row = state().find(object);
  if (row == rows::kNoRow) return false;
  rows::PayloadView const view = state().view(row);
  answer.add("row", object.value);
  model::add_key(*state().schemas().find(view.facts.schema), view.key, answer);
  answer.add("process_date", state().row(row).date());
  return true;
}

// ---------------------------------------------------------------------------
// Space and followers: a journal's objects are its rows, its clients, its schedules and its pause

namespace {

// Of a snapshot's cursor: schedules come behind the parts of the rows.
constexpr std::uint64_t kSchedulesOfSnapshot = 2;
constexpr std::uint64_t kFiguresOfSnapshot = 3;

}  // namespace

Status Journal::can_do_without() const {
  Options const& options = settings_.options();
  if (options.spill == 0 && options.keep_done == 0) return {};
  std::string const name = options.spill != 0 ? "spill" : "keep-done";
  return {Code::not_supported,
          name + (options.spill != 0 ? " keeps values" : " keeps what is left of rows that ended") +
              " in files, which only a log with engine=\"file\" has beside it: take " + name + " out"};
}

// Numbers of rows, which are even, then those of entries of the history, behind a bit that is set.
std::uint64_t Journal::list_all_extents(std::uint64_t cursor, std::uint32_t work_units,
                                        std::vector<Extent>& found) const {
  if ((cursor & 1U) == 0) {
    std::uint64_t const next = state().list_extents(cursor, work_units, found);
    if (next != 0 || rows_.history().pages().empty()) return next;
    return 1;
  }
  std::uint64_t const next = rows_.history().list_extents(cursor >> 1U, work_units, found);
  return next == 0 ? 0 : next << 1U | 1U;
}

rows::HistoryLimits Journal::history_limits() const {
  Options const& options = settings_.options();
  return {options.keep_done, options.keep_done_rows, options.keep_done_bytes};
}

Lsn Journal::oldest_lsn() const {
  return oldest_of({rows_.oldest_lsn(), pauses_.oldest_lsn(), schedules_.oldest_lsn(), figures_.oldest_lsn()});
}

Compacted Journal::compact_oldest(Lsn below, std::size_t budget_bytes, Decision& decision) const {
  rows::CopyRoom room{budget_bytes};
  bool const more = pauses_.compact(below, room, decision.records) || rows_.compact(below, room, decision.records) ||
                    schedules_.compact(below, room, decision.records) ||
                    figures_.compact(below, room, decision.records);
  return {more, room.needed()};
}

void Journal::snapshot(SnapshotCursor& cursor, std::size_t budget_bytes, Records& records) const {
  rows::CopyRoom page{budget_bytes};
  if (cursor.at[0] < kSchedulesOfSnapshot || cursor.at[0] > kFiguresOfSnapshot) {
    if (!rows_.snapshot(cursor, page, records)) return;
    cursor.at = {kSchedulesOfSnapshot, 0, 0};
  }
  if (cursor.at[0] == kSchedulesOfSnapshot) {
    if (!schedules_.snapshot(cursor, page, records)) return;
    cursor.at = {kFiguresOfSnapshot, 0, 0};
  }
  if (!figures_.snapshot(cursor.at[1], page, records)) return;
  pauses_.snapshot(records);
  cursor.complete = true;
}

bool Journal::apply_to_part(SnapshotCursor const& cursor, RecordView const& record, TableObserver& observer) noexcept {
  if (rows::RowTable::comes_later(cursor, record))
    return record.version != 0 && record.version <= newest_version(record.type);
  return apply(record, {.live = false, .now = {}, .base = rows::RowTable::kBaseOfPart}, observer);
}

PluginDescriptor const& table_type() {
  static PluginDescriptor const descriptor = rows::describe_type<Journal, Options>("journal");
  return descriptor;
}

}  // namespace fastjournal::journal
