#include "engine/moving.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace fastjournal::engine {
namespace {

// Copied in one turn: some 100 us of work for either log.
constexpr std::size_t kMovedBytesPerTurn = 64U << 10U;
// Left free in the other log, for what is decided meanwhile; and what a log on other computers may have to do.
constexpr std::size_t kLeftForOthers = 512U << 10U;
// With headers.
constexpr std::size_t kRecordHeader = 32;
// The other log begins so far beyond this one, which grows meanwhile; the same again for what is copied.
constexpr std::uint64_t kAheadBytes = 1U << 30U;
constexpr std::uint64_t kAheadOfCopies = 4;
// Without an event it looks this often.
constexpr DurationMs kMoveLookEvery{20};
// So often it asks for tables in doubt.
constexpr DurationMs kSettleEvery{200};
// A log that is to take a table in and does not rest by itself for so long is made to.
constexpr DurationMs kRestAfter{200};
// The most that a step may wait for a log, or for transactions.
constexpr DurationMs kStepMax{30'000};

std::string_view name_of(Moving::Step step) {
  switch (step) {
    case Moving::Step::none: return "none";
    case Moving::Step::aligning: return "aligning";
    case Moving::Step::copying: return "copying";
    case Moving::Step::leaving: return "leaving";
    case Moving::Step::arriving: return "arriving";
    case Moving::Step::settling: return "settling";
    case Moving::Step::grace: return "grace";
  }
  return {};
}

std::uint64_t open_bytes(log::Log const& log) { return log.end_lsn().value - log.durable_lsn().value; }

// More is to become durable than a turn copies: then it does so soon.
bool is_behind(log::Log& log) {
  bool const out = open_bytes(log) > kMovedBytesPerTurn;
  if (out) log.want_sync();
  return out;
}

// Commands would wait behind what is copied. One with files is as fast as its turns.
bool is_full(log::Log const& log) { return !log.is_local() && open_bytes(log) > kLeftForOthers; }

Lsn next_region(Lsn lsn) { return Lsn{(lsn.value + kOldestLsnGrain - 1) / kOldestLsnGrain * kOldestLsnGrain}; }

log::Catalogue::TableEntry const& entry_of(HostedTable const& table) { return *table.log->catalogue.find(table.id); }

}  // namespace

// ---------------------------------------------------------------------------
// Its begin

Status Moving::check_rest() const {
  if (!is_under_way()) return {};
  return Status{Code::wrong_state,
                "table " + figures_.table + " is being moved to log " + figures_.to + ": wait for its end (CLUSTER)"}
      .with("table", figures_.table);
}

Status Moving::check_transactions(HostedTable const& table) const {
  Declarations next = parts_.configuration.declarations();
  std::erase_if(next, [&table](Declaration const& one) { return one->name == table.name; });
  if (parts_.branches.check_tables(next).ok() && parts_.two_phase.check_tables(next).ok()) return {};
  return {
      Code::wrong_state,
      "a transaction that is prepared, or is being committed in several logs, has a part in it: `fastjournal tx ls` "
      "shows it; end it first"};
}

Status Moving::begin(HostedTable& table, HostedLog& to, TimeMs now) {
  if (Status status = check_rest(); !status.ok()) return status;
  auto const refuse = [&table](Code code, std::string const& text) {
    return Status{code, "table " + table.name + " cannot move: " + text}.with("table", table.name);
  };
  HostedLog& from = *table.log;
  if (&from == &to) return refuse(Code::wrong_state, "it is in log " + to.name);
  if (!table.serves()) return away(table);
  // Not as `moved`, which clients follow: the table is here.
  if (!to.serves)
    return refuse(Code::wrong_state, "this node must own log " + to.name + ". " + to.away.message() +
                                         " (`fastjournal cluster step-down` there gives it away)");
  if (!from.keeps || !to.keeps) return refuse(Code::not_supported, "it is not persistent");
  if (table.can.stores != nullptr)
    if (Status const status = table.can.stores->can_do_without(); !status.ok())
      return refuse(Code::not_supported, status.message());
  if (std::ranges::any_of(to.catalogue.tables(), [&](auto const& one) { return one.second.name == table.name; }))
    return refuse(Code::wrong_state, "log " + to.name + " has a table of this name");
  if (Status const status = check_transactions(table); !status.ok()) return refuse(status.code(), status.message());
  if (parts_.memory.bytes() + table.memory_bytes > parts_.memory.bytes_max())
    return refuse(Code::no_space, "for a while it is in memory twice, and that is beyond the limit");
  table_ = &table;
  from_ = &from;
  to_ = &to;
  figures_ = {.table = table.name,
              .from = from.name,
              .to = to.name,
              .step = {},
              .copied = 0,
              .total = table.table->live_bytes(),
              .pause_ms = 0,
              .why = {}};
  set_step(Step::aligning, now);
  return {};
}

void Moving::set_step(Step step, TimeMs now) {
  step_ = step;
  figures_.step = name_of(step);
  since_ = now;
  look_at_ = now;
}

// ---------------------------------------------------------------------------
// Turns

bool Moving::committed(TimeMs now) {
  if (parts_.tables.has_leaving() && now >= settle_at_) settle(now);
  if (step_ == Step::none) return false;
  look_at_ = now + kMoveLookEvery;
  if (!failed_.ok() && step_ == Step::copying) stay(std::exchange(failed_, {}), now);
  bool again = false;
  switch (step_) {
    case Step::none: break;
    case Step::aligning: again = align(now); break;
    case Step::copying: again = copy(now); break;
    case Step::leaving:
      if (again = from_->log->durable_lsn() >= needed_; again) arrive(now);
      break;
    case Step::arriving:
      if (again = to_->log->durable_lsn() >= needed_; again) set_step(Step::settling, now);
      break;
    case Step::settling: again = drop_here(now); break;
    case Step::grace: again = give_grace(now); break;
  }
  bool const can_stay = step_ == Step::aligning || step_ == Step::copying;
  if (can_stay && now >= since_ + kStepMax)
    stay({Code::timed_out, "step " + std::string{figures_.step} + " took longer than " +
                               std::to_string(kStepMax.value / 1000) + " s, as log " + to_->name +
                               " did not keep up or had no room. " + to_->log->shortage()},
         now);
  if (step_ == Step::none) look_at_ = TimeMs::max();
  return again;
}

// Something must stand before what is passed over, and all of it be durable: where others keep it busy they wait for a
// moment.
bool Moving::align(TimeMs now) {
  std::uint64_t const ahead = kAheadBytes + kAheadOfCopies * table_->table->live_bytes();
  Lsn const goal{from_->log->end_lsn().value + ahead};
  if (to_->log->end_lsn().value < from_->log->end_lsn().value + ahead / 2 && !to_->log->skip_to(goal)) {
    if (needed_.is_none() && to_->log->reserve(kStepBytesMax + kGroupBytes, false)) {
      end_group(*to_, now, Durability::synced);
      needed_ = await_durable(*to_);
      return true;
    }
    to_->log->want_sync();
    to_->is_resting = now >= since_ + kRestAfter;
    return false;
  }
  wake(*to_);
  if (Status status = make_copy(); !status.ok()) {
    stay(std::move(status), now);
    return true;
  }
  to_->arriving = copy_.get();
  to_->arriving_from = to_->log->end_lsn();
  // Records at or above it are in both logs.
  copy_below_ = next_region(from_->log->end_lsn());
  table_->mirror = from_->mirror = this;
  set_step(Step::copying, now);
  return true;
}

// Dates that came meanwhile are due now.
void Moving::wake(HostedLog& log) {
  if (!std::exchange(log.is_resting, false)) return;
  for (auto const& [id, table] : log.tables) {
    if (table == nullptr || table->is_dropped()) continue;
    parts_.due_tables.mark(*table);
    parts_.due_tables.refresh(*table);
  }
}

Status Moving::make_copy() {
  id_ = to_->catalogue.next_id();
  to_->catalogue.see(id_);
  Result<std::unique_ptr<Table>> copy = parts_.tables.create(id_, *table_->type, table_->declaration);
  if (!copy.ok()) return copy.status();
  copy_ = std::move(copy).value();
  if (Columns* const columns = copy_->capabilities().columns; columns != nullptr)
    for (auto const& [version, schema] : entry_of(*table_).schemas) columns->add_schema(schema.schema);
  return {};
}

// ---------------------------------------------------------------------------
// Both logs

void Moving::note(RecordView const& record) {
  noted_.push_back({record, bytes_.size()});
  bytes_.append(reinterpret_cast<char const*>(record.body.data()), record.body.size());
}

// The same records become one group there. An object's number stays what it is here.
void Moving::group_ended(TimeMs now) {
  if (noted_.empty()) return;
  std::size_t const room = bytes_.size() + noted_.size() * kRecordHeader + kGroupBytes;
  if (failed_.ok() && !to_->log->reserve(room, false))
    failed_ = {Code::no_space, "log " + to_->name + " has no room for its records. " + to_->log->shortage()};
  if (failed_.ok()) {
    NoObserver nobody;
    ApplyContext const context{.live = false, .now = from_->catalogue.last_now(), .base = to_->arriving_from};
    std::span<std::byte const> const bytes = as_bytes(bytes_);
    for (Noted const& noted : noted_) {
      RecordView record = noted.record;
      std::size_t const size = record.body.size();
      Records::Place const place = to_->log->append(id_, record.type, record.version, record.object, size);
      std::memcpy(place.body.data(), bytes.data() + noted.begin, size);
      record.table = id_;
      record.lsn = place.lsn;
      record.body = bytes.subspan(noted.begin, size);
      if (!copy_->apply(record, context, nobody))
        failed_ = {Code::damaged, "record of type " + std::to_string(record.type) + " at LSN " +
                                      std::to_string(noted.record.lsn.value) +
                                      " does not fit what was copied before it"};
    }
    figures_.copied += bytes_.size();
    end_group(*to_, now, Durability::synced);
  }
  noted_.clear();
  bytes_.clear();
}

bool Moving::copy(TimeMs now) {
  if (is_full(*from_->log) || is_full(*to_->log)) return false;
  for (std::size_t copied = 0; copied < kMovedBytesPerTurn;) {
    Lsn const oldest = table_->table->oldest_lsn();
    if (oldest.is_none() || oldest >= copy_below_) {
      // Records that wait would lengthen the pause.
      bool const waits_here = is_behind(*from_->log);
      if (is_behind(*to_->log) || waits_here) return false;
      leave(now);
      return true;
    }
    std::size_t budget = kMovedBytesPerTurn - copied;
    for (bool is_exact = false;;) {
      if (!to_->log->reserve(2 * budget + kLeftForOthers, false) ||
          !from_->log->reserve_to_compact(budget + log::Catalogue::kClockBytes))
        return false;
      Compacted result;
      Decider::Step const done = parts_.decider.decide_step(*table_, now, [&](Decision& decision) {
        result = table_->table->compact_oldest(copy_below_, budget, decision);
      });
      if (done.records > 0) {
        end_group(*from_, now, Durability::written);
        copied += budget;
        break;
      }
      if (result.object_bytes == 0) {
        if (!result.more) return false;
        break;
      }
      if (is_exact) return false;
      budget = result.object_bytes;
      is_exact = true;
    }
    if (!failed_.ok()) return true;
    since_ = now;
  }
  return true;
}

// ---------------------------------------------------------------------------
// From one catalogue to the other

Status Moving::set_leaving(HostedTable& table, log::Catalogue::Move const& move, TimeMs now) {
  log::Catalogue::TableEntry const& entry = entry_of(table);
  ObjectId const object = entry.object;
  Status status = log_in_catalogue(parts_.alerting, *table.log, now, 1024, [&](Records& records) {
    log::Catalogue::append_table(records, object, table.id, table.name, table.type->name(), move);
  });
  if (!status.ok()) return status;
  table.is_leaving = move.leaves();
  if (table.is_leaving) parts_.tables.note_leaving(true);
  return {};
}

void Moving::leave(TimeMs now) {
  if (Status status = check_transactions(*table_); !status.ok()) return stay(std::move(status), now);
  if (to_->log->end_lsn() <= from_->log->end_lsn())
    return stay({Code::over_limit, "log " + from_->name + " grew faster than was foreseen: move it again"}, now);
  parts_.transactions.give_up(*table_, now, "table " + table_->name + " was moved to another log");
  if (!failed_.ok()) return stay(std::exchange(failed_, {}), now);
  table_->mirror = from_->mirror = nullptr;
  log::Catalogue::Move const move{.begins = entry_of(*table_).move.begins,
                                  .to_store = to_->log->store_id(),
                                  .to = id_,
                                  .to_start = to_->log->start()};
  if (Status status = set_leaving(*table_, move, now); !status.ok()) return stay(std::move(status), now);
  parts_.due_tables.never(*table_);
  paused_at_ = now;
  needed_ = await_durable(*from_);
  set_step(Step::leaving, now);
}

void Moving::arrive(TimeMs now) {
  log::Catalogue::TableEntry const& entry = entry_of(*table_);
  std::size_t bytes = 1024;
  for (auto const& [version, schema] : entry.schemas) bytes += 256 + schema.schema.columns.size() * 1024;
  Status status = log_in_catalogue(parts_.alerting, *to_, now, bytes, [&](Records& records) {
    log::Catalogue::append_table(records, {}, id_, entry.name, entry.type, {.begins = to_->arriving_from});
    for (auto const& [version, schema] : entry.schemas) log::Catalogue::append_schema(records, {}, id_, schema.schema);
  });
  if (!status.ok()) return stay(std::move(status), now);
  is_declared_ = true;
  needed_ = await_durable(*to_);
  set_step(Step::arriving, now);
}

bool Moving::drop_here(TimeMs now) {
  std::vector<log::Alert> const alerts = Alerting::all_of(*table_);
  ObjectId const object = entry_of(*table_).object;
  TableId const id = table_->id;
  Status const status = log_in_catalogue(parts_.alerting, *from_, now, 64, [&](Records& records) {
    log::Catalogue::append_table_dropped(records, object, id);
  });
  if (!status.ok()) return false;
  Lsn const begins = std::exchange(to_->arriving_from, {});
  to_->arriving = nullptr;
  parts_.tables.move(*table_, *to_, id_, std::move(copy_));
  table_->begins = begins;
  for (log::Alert const& alert : alerts)
    parts_.alerting.raise(table_, alert.name, alert.priority, alert.message, alert.tags);
  set_step(Step::grace, now);
  return true;
}

bool Moving::give_grace(TimeMs now) {
  Decider::Ending const ending = parts_.recovery.give_grace_step(*table_, now);
  if (ending != Decider::Ending::finished) return ending == Decider::Ending::more;
  table_->is_leaving = false;
  Status files = parts_.tables.bring_outside(*table_);
  if (!files.ok() && now < since_ + kStepMax) {
    table_->is_leaving = true;
    return false;
  }
  // It does without them until the next start.
  figures_.why = std::move(files);
  parts_.due_tables.refresh(*table_);
  parts_.due_tables.mark(*table_);
  figures_.pause_ms = (now - paused_at_).value;
  end("moved");
  return true;
}

void Moving::stay(Status why, TimeMs now) {
  if (table_ != nullptr) table_->mirror = from_->mirror = nullptr;
  if (table_ != nullptr && table_->is_leaving && !is_declared_ && from_->serves) {
    // Without room for it the table waits for settle().
    static_cast<void>(set_leaving(*table_, {.begins = entry_of(*table_).move.begins}, now));
    parts_.due_tables.refresh(*table_);
    parts_.due_tables.mark(*table_);
  }
  figures_.why = std::move(why);
  end(is_declared_ ? "in doubt" : "stayed");
}

void Moving::end(std::string_view how) {
  wake(*to_);
  to_->arriving = nullptr;
  to_->arriving_from = {};
  copy_.reset();
  noted_.clear();
  bytes_.clear();
  failed_ = {};
  is_declared_ = false;
  needed_ = {};
  table_ = nullptr;
  from_ = to_ = nullptr;
  step_ = Step::none;
  look_at_ = TimeMs::max();
  figures_.step = how;
}

// ---------------------------------------------------------------------------
// Interruptions

void Moving::log_lost(HostedLog const& log, TimeMs now) {
  if (step_ == Step::none || (&log != from_ && &log != to_)) return;
  if (step_ == Step::grace) {
    if (&log == to_) end("moved");
    return;
  }
  if (&log == from_) {
    // Its table is dropped with the others. If the other catalogue has it, it is served from there.
    table_->mirror = from_->mirror = nullptr;
    if (is_declared_) host_copy(now);
    table_ = nullptr;
  }
  stay({Code::unavailable, "log " + log.name + " went to another node meanwhile"}, now);
}

void Moving::host_copy(TimeMs now) {
  if (!parts_.tables
           .host(*to_, id_, *table_->type, table_->declaration, std::move(copy_), {.begins = to_->arriving_from})
           .ok())
    return;
  HostedTable& hosted = *to_->tables[id_];
  // Without room for more, leases end by their own dates.
  while (parts_.recovery.give_grace_step(hosted, now) == Decider::Ending::more) {
  }
  parts_.due_tables.refresh(hosted);
}

void Moving::settle(TimeMs now) {
  settle_at_ = now + kSettleEvery;
  bool is_there_one = false;
  for (auto const& log : parts_.tables.logs()) {
    // A copy, because tables go.
    std::map<TableId, HostedTable*> const tables = log->tables;
    for (auto const& [id, table] : tables)
      if (table != nullptr && !table->is_dropped() && table->is_leaving)
        is_there_one = !settle(*table, now) || is_there_one;
  }
  parts_.tables.note_leaving(is_there_one);
}

// The other catalogue says that the table is there, or that it never will be: what might still bring it is over, as
// somebody has the log since, or this node has it, and knows what it has done.
bool Moving::settle(HostedTable& table, TimeMs now) {
  HostedLog const& log = *table.log;
  if (&table == table_ || !log.serves || !log.is_ours || log.log == nullptr) return false;
  log::Catalogue::Move const move = entry_of(table).move;
  auto const found = std::ranges::find_if(parts_.tables.logs(), [&move](auto const& one) {
    return one->hosted && one->is_caught_up && one->store_id == move.to_store;
  });
  if (found == parts_.tables.logs().end()) return false;
  HostedLog const& other = **found;
  // Without room it is tried again. What was made there since may have the number, if the table has never come.
  log::Catalogue::TableEntry const* const there = other.catalogue.find(move.to);
  if (there != nullptr && there->name == table.name && !there->move.begins.is_none()) {
    bool const is_durable = !other.is_ours || there->lsn < other.log->durable_lsn();
    if (!is_durable || !parts_.configuration.drop(table, now).ok()) return false;
    parts_.tables.forget_names();
    return true;
  }
  bool const is_over = other.is_ours || other.log->start() > move.to_start;
  return is_over && stay_here(table, now).ok();
}

Status Moving::keep(HostedTable& table, TimeMs now) {
  std::string const name = table.name;
  if (!table.log->serves) return away(*table.log, name);
  if (&table == table_)
    return Status{Code::wrong_state, "table " + name + " is being moved to log " + to_->name}.with("table", name);
  if (settle(table, now))
    return Status{Code::wrong_state, "table " + name + " is not in doubt any more, as the other log has told"}.with(
        "table", name);
  return stay_here(table, now);
}

Status Moving::stay_here(HostedTable& table, TimeMs now) {
  if (Status status = set_leaving(table, {.begins = entry_of(table).move.begins}, now); !status.ok()) return status;
  parts_.due_tables.refresh(table);
  parts_.due_tables.mark(table);
  return {};
}

}  // namespace fastjournal::engine
