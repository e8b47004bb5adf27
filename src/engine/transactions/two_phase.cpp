#include "engine/transactions/two_phase.h"

#include <algorithm>
#include <utility>

#include "engine/configuration.h"

namespace fastjournal::engine {
namespace {

using log::TransactionBook;
using Role = TransactionBook::Role;

std::string hex_of(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[number >> static_cast<unsigned>(shift) & 15U];
  return out;
}

// No other transaction has it, also none of another start, or of a home that was put back from a copy.
std::string own_xid(HostedLog const& home, TransactionId id, TimeMs now) {
  return std::to_string(TwoPhase::kOwnFormat) + ":" + hex_of(home.log->start()) +
         hex_of(static_cast<std::uint64_t>(now.value)) + hex_of(static_cast<std::uint64_t>(id)) + ":";
}

// `head` with its commands, as TransactionBook keeps them.
struct Written {
  TransactionBook::Entry head;
  std::vector<std::string> bodies;

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = TransactionBook::bytes_of(head);
    for (std::string const& body : bodies) sum += TransactionBook::bytes_of_op(body);
    return sum;
  }
  ObjectId append(Records& records) const {
    ObjectId const object = TransactionBook::append_prepared(records, head);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      TransactionBook::append_op(records, object, static_cast<std::uint32_t>(i), bodies[i]);
    return object;
  }
};

Status check_room_for_prepared(HostedLog const& log, std::size_t bytes) {
  if (log.catalogue.transactions().live_bytes() + bytes <= TwoPhase::kPreparedBytesMax) return {};
  return {Code::over_limit, "the prepared transactions of log " + log.name + " have " +
                                std::to_string(TwoPhase::kPreparedBytesMax >> 20U) + " MiB already: end some of them"};
}

void free_room(HostedLog& log, std::size_t& held) {
  if (held != 0) log.log->free(std::exchange(held, 0U));
}

void write_durably(Alerting& alerting, HostedLog& log, TimeMs now, Lsn& until,
                   std::function<void(Records&)> const& append) {
  append_to_catalogue(log, now, append);
  alerting.close_group(log, now, Durability::synced);
  until = await_durable(log);
}

}  // namespace

HostedLog& TwoPhase::home_of(Transaction const& one) {
  // A log that is not kept has no record of the outcome after a start.
  auto const rank = [](TransactionLog const& part) { return !part.log->keeps ? 2 : part.log->log->is_local() ? 1 : 0; };
  return *std::ranges::min_element(one.logs, [&](TransactionLog const& a, TransactionLog const& b) {
            return rank(a) != rank(b) ? rank(a) < rank(b) : a.log->name < b.log->name;
          })->log;
}

// ---------------------------------------------------------------------------
// Begin

TransactionBook::Entry TwoPhase::entry_of(Run const& run, Role role) const {
  TransactionBook::Entry entry;
  entry.object = run.object;
  entry.xid = run.xid;
  entry.origin = run.origin;
  entry.prepared = run.began;
  entry.role = role;
  if (role != Role::part)
    for (Part const& part : run.parts)
      if (part.log->keeps) entry.others.push_back(part.log->log->store_id());
  if (role != Role::part) entry.others.insert(entry.others.end(), run.absent.begin(), run.absent.end());
  return entry;
}

void TwoPhase::remember(Run& run, Asker const& asker) {
  run.connection = asker.connection;
  run.command.command = asker.command->command;
  if (Value const* const request = asker.command->find("request")) run.command.add("request", *request);
  run.command.own();
}

Status TwoPhase::begin(Run& run, Transaction& one, Asker const& asker, TimeMs now) {
  run.home = &home_of(one);
  run.transaction = one.id;
  run.began = now;
  remember(run, asker);
  for (TransactionLog const& part : one.logs)
    if (!part.log->serves) return part.log->away;
  log::Log const& home = *run.home->log;
  std::vector<Written> written;
  Status status;
  for (TransactionLog const& there : one.logs) {
    if (there.log == run.home) continue;
    Written& part =
        written.emplace_back(Written{entry_of(run, Role::part), parts_.transactions.bodies_of(one, *there.log)});
    part.head.ops_count = static_cast<std::uint32_t>(part.bodies.size());
    part.head.home = {home.store_id(), home.sure_lsn()};
    if (status = check_room_for_prepared(*there.log, part.bytes()); !status.ok()) break;
    std::size_t const end_bytes = Transactions::room_of(there, TransactionBook::kRecordBytes);
    bool const removes = !there.adds;
    bool const held = there.log->log->hold(end_bytes, removes);
    if (held) run.parts.push_back({.log = there.log, .held = end_bytes, .transaction = one.id});
    if (!held || !there.log->log->reserve(part.bytes() + kGroupBytes, removes)) {
      status = parts_.shortages.refuse_disk(*there.log, now);
      break;
    }
  }
  if (status.ok()) {
    TransactionLog const& at_home = *one.in(*run.home);
    std::size_t bytes = Transactions::room_of(
        at_home, TransactionBook::bytes_of(entry_of(run, Role::outcome)) + TransactionBook::kRecordBytes);
    // The branch stands there as well until then.
    if (run.outcome == log::Outcome::none) {
      Written const branch{entry_of(run, Role::branch), parts_.transactions.bodies_of(one, *run.home)};
      status = check_room_for_prepared(*run.home, branch.bytes());
      bytes += branch.bytes() + kGroupBytes;
    }
    if (status.ok() && !run.home->log->hold(bytes, !at_home.adds))
      status = parts_.shortages.refuse_disk(*run.home, now);
    if (status.ok()) run.held = bytes;
  }
  if (!status.ok()) {
    for (Part& part : run.parts) free_room(*part.log, part.held);
    return status;
  }
  for (std::size_t i = 0; i < written.size(); ++i)
    write_durably(parts_.alerting, *run.parts[i].log, now, run.parts[i].until,
                  [&](Records& records) { run.parts[i].object = written[i].append(records); });
  parts_.transactions.prepared(one);
  return {};
}

Status TwoPhase::commit(Transaction& one, Asker const& asker, TimeMs now) {
  Run& run = runs_.emplace_back();
  run.xid = own_xid(home_of(one), one.id, now);
  run.origin = one.ops.front().origin;
  run.outcome = log::Outcome::committed;
  run.tells = true;
  Status status = begin(run, one, asker, now);
  parts_.transactions.detach(asker.connection);
  if (!status.ok()) {
    runs_.pop_back();
    parts_.transactions.give_up(one, now, status);
    status = Transactions::over(one.id, status);
    parts_.transactions.erase(one.id);
    return status;
  }
  run.head.message("COMMITTED")
      .add("transaction", static_cast<std::uint64_t>(one.id))
      .add("ops", std::uint64_t{one.ops.size()});
  return {};
}

Status TwoPhase::commit(Transaction& one, Name const& name, Asker const& asker, TimeMs now, Answer const& head,
                        Over over) {
  Run& run = runs_.emplace_back();
  run.xid = name.xid;
  run.origin = name.origin;
  run.outcome = log::Outcome::committed;
  run.tells = true;
  run.over = std::move(over);
  Status status = begin(run, one, asker, now);
  if (status.ok())
    copy_message(head, 0, run.head);
  else
    runs_.pop_back();
  return status;
}

Status TwoPhase::prepare(Transaction& one, Name const& name, Asker const& asker, TimeMs now, Over over) {
  Run& run = runs_.emplace_back();
  run.xid = name.xid;
  run.origin = name.origin;
  run.over = std::move(over);
  Status status = begin(run, one, asker, now);
  if (!status.ok()) runs_.pop_back();
  return status;
}

Status TwoPhase::end(Transaction& one, Prepared& prepared, Name const& name, End const& how, Asker const& asker,
                     TimeMs now, Answer const& head, Over over) {
  if (!prepared.home->serves) return prepared.home->away;
  Run& run = runs_.emplace_back();
  run.xid = name.xid;
  run.origin = name.origin;
  run.outcome = how.outcome;
  run.home = prepared.home;
  run.object = prepared.object;
  run.parts = prepared.parts;
  run.absent = prepared.absent;
  run.transaction = one.id;
  run.began = how.prepared_at;
  run.tells = how.tells;
  run.has_outcome = how.outcome == log::Outcome::committed || how.is_a_persons;
  run.is_needed = how.keeps_outcome || !run.absent.empty();
  remember(run, asker);
  copy_message(head, 0, run.head);
  run.over = std::move(over);
  run.step = Step::deciding;
  std::size_t const held = prepared.held;
  free_room(*run.home, prepared.held);
  Status status = write_end(run, one, how, now);
  if (status.ok()) return {};
  if (held != 0 && run.home->log->hold(held, true)) prepared.held = held;
  runs_.pop_back();
  return status;
}

Status TwoPhase::write_end(Run& run, Transaction& one, End const& how, TimeMs now) {
  TransactionBook::Entry entry = entry_of(run, how.keeps_outcome ? Role::branch : Role::outcome);
  entry.decided = how.outcome;
  entry.decided_at = now;
  auto const append = [&](Records& records) {
    if (run.has_outcome)
      TransactionBook::append_prepared(records, entry);
    else
      TransactionBook::append_ended(records, run.object);
  };
  std::size_t const bytes = TransactionBook::bytes_of(entry);
  if (how.outcome == log::Outcome::committed) {
    Answer kept;
    Status status = parts_.transactions.keep(one, *run.home, now, kept, append, bytes);
    if (status.ok() && run.tells) run.answers.add(kept);
    run.until = await_durable(*run.home);
    return status;
  }
  if (!run.home->log->reserve(bytes + kGroupBytes, true)) return parts_.shortages.refuse_disk(*run.home, now);
  write_durably(parts_.alerting, *run.home, now, run.until, append);
  return {};
}

// ---------------------------------------------------------------------------
// Turns

bool TwoPhase::are_durable(Run const& run) {
  return std::ranges::all_of(run.parts, [](Part const& part) { return part.log->log->durable_lsn() >= part.until; });
}

bool TwoPhase::serve(Run const& run, HostedLog const*& away) {
  away = run.home->serves ? nullptr : run.home;
  for (Part const& part : run.parts)
    if (!part.log->serves) away = part.log;
  return away == nullptr;
}

void TwoPhase::advance(TimeMs now) {
  for (auto at = runs_.begin(); at != runs_.end();) {
    Went went = Went::on;
    while (went == Went::on) went = go_on(*at, now);
    at = went == Went::to_its_end ? runs_.erase(at) : std::next(at);
  }
}

bool TwoPhase::wants_turn() const {
  return std::ranges::any_of(runs_, [](Run const& run) {
    HostedLog const* away = nullptr;
    switch (run.step) {
      case Step::preparing: return !serve(run, away) || are_durable(run);
      case Step::deciding: return run.home->log->durable_lsn() >= run.until;
      case Step::ending:
        return std::ranges::all_of(run.parts, &Part::is_ended)
                   ? are_durable(run)
                   : std::ranges::any_of(run.parts, [](Part const& part) {
                       return !part.is_ended && part.log->serves && part.again_at.value == 0;
                     });
      case Step::forgetting: return run.home->serves && run.again_at.value == 0;
    }
    return false;
  });
}

TimeMs TwoPhase::next_due() const {
  TimeMs next = TimeMs::max();
  for (Run const& run : runs_) {
    for (Part const& part : run.parts)
      if (!part.is_ended && part.again_at.value != 0) next = std::min(next, part.again_at);
    if (run.step == Step::forgetting && run.again_at.value != 0) next = std::min(next, run.again_at);
  }
  return next;
}

bool TwoPhase::is_under_way(std::string_view xid) const {
  return std::ranges::any_of(runs_, [xid](Run const& run) { return run.xid == xid; });
}

TwoPhase::Went TwoPhase::go_on(Run& run, TimeMs now) {
  switch (run.step) {
    case Step::preparing: return when_prepared(run, now);
    case Step::deciding: {
      bool const is_durable = run.home->log->durable_lsn() >= run.until;
      if (!is_durable) return Went::nowhere;
      if (run.outcome != log::Outcome::none) {
        run.step = Step::ending;
        return Went::on;
      }
      answer(run, run.over({}, {run.home, run.object, run.held, std::move(run.parts), {}}, run.head));
      return Went::to_its_end;
    }
    case Step::ending: {
      bool all = true;
      for (Part& part : run.parts) all = end_part(run, part, now) && all;
      if (!all) return Went::nowhere;
      if (run.has_outcome && !are_durable(run)) return Went::nowhere;
      if (Transaction* const one = parts_.transactions.find(run.transaction)) {
        if (run.outcome == log::Outcome::committed)
          parts_.transactions.count_committed();
        else if (one->why_over.ok())
          parts_.transactions.give_up(*one, now, {Code::rolled_back, "it was not committed"});
        if (run.over == nullptr) parts_.transactions.erase(run.transaction);
      }
      answer(run, {});
      if (run.over) static_cast<void>(run.over({}, {}, run.head));
      run.step = Step::forgetting;
      return Went::on;
    }
    case Step::forgetting: return forget(run, now);
  }
  return Went::nowhere;
}

TwoPhase::Went TwoPhase::when_prepared(Run& run, TimeMs now) {
  HostedLog const* away = nullptr;
  Transaction& one = *parts_.transactions.find(run.transaction);
  Status status;
  if (!serve(run, away)) {
    status = away->away;
  } else {
    if (!are_durable(run)) return Went::nowhere;
    status = run.outcome == log::Outcome::none ? write_branch(run, one, now) : write_outcome(run, one, now);
  }
  if (!status.ok()) give_up(run, now, status);
  return Went::on;
}

Status TwoPhase::write_branch(Run& run, Transaction const& one, TimeMs now) {
  Written branch{entry_of(run, Role::branch), parts_.transactions.bodies_of(one, *run.home)};
  branch.head.ops_count = static_cast<std::uint32_t>(branch.bodies.size());
  free_room(*run.home, run.held);
  if (!run.home->log->reserve(branch.bytes() + kGroupBytes, true)) return parts_.shortages.refuse_disk(*run.home, now);
  write_durably(parts_.alerting, *run.home, now, run.until,
                [&](Records& records) { run.object = branch.append(records); });
  // Found before, together with the bytes of the branch.
  std::size_t const bytes = Transactions::room_of(
      *one.in(*run.home), TransactionBook::bytes_of(entry_of(run, Role::outcome)) + TransactionBook::kRecordBytes);
  if (run.home->log->hold(bytes, true)) run.held = bytes;
  run.step = Step::deciding;
  return {};
}

Status TwoPhase::write_outcome(Run& run, Transaction& one, TimeMs now) {
  TransactionBook::Entry outcome = entry_of(run, Role::outcome);
  outcome.decided = log::Outcome::committed;
  outcome.decided_at = now;
  free_room(*run.home, run.held);
  Answer kept;
  Status status = parts_.transactions.keep(
      one, *run.home, now, kept,
      [&](Records& records) { run.object = TransactionBook::append_prepared(records, outcome); },
      TransactionBook::bytes_of(outcome));
  if (!status.ok()) return status;
  run.answers.add(kept);
  run.until = await_durable(*run.home);
  run.has_outcome = true;
  run.step = Step::deciding;
  return {};
}

// Home has written nothing of it, so it is known by now that it never will be carried out.
void TwoPhase::give_up(Run& run, TimeMs now, Status const& why) {
  run.outcome = log::Outcome::rolled_back;
  run.step = Step::ending;
  free_room(*run.home, run.held);
  Transaction& one = *parts_.transactions.find(run.transaction);
  for (Part& part : run.parts) part.transaction = TransactionId::none;
  parts_.transactions.give_up(one, now, why);
  Status status = Transactions::over(one.id, why);
  if (run.over)
    status = run.over(status, {}, run.head);
  else
    parts_.transactions.erase(one.id);
  run.transaction = TransactionId::none;
  run.over = nullptr;
  answer(run, status);
  run.connection = ConnectionId::none;
}

bool TwoPhase::end_part(Run& run, Part& part, TimeMs now) {
  if (part.is_ended) return true;
  if (!part.log->serves || now < part.again_at) return false;
  std::size_t const held = part.held;
  free_room(*part.log, part.held);
  auto const append = [&part](Records& records) { TransactionBook::append_ended(records, part.object); };
  bool is_done = false;
  if (run.outcome == log::Outcome::committed) {
    Answer kept;
    Transaction& one = *parts_.transactions.find(part.transaction);
    is_done = parts_.transactions.keep(one, *part.log, now, kept, append, TransactionBook::kRecordBytes).ok();
    if (is_done && run.tells) run.answers.add(kept);
    if (is_done && part.transaction != run.transaction) parts_.transactions.erase(part.transaction);
  } else {
    is_done = part.log->log->reserve(TransactionBook::kRecordBytes + kGroupBytes, true);
    if (is_done) {
      append_to_catalogue(*part.log, now, append);
      parts_.alerting.close_group(*part.log, now, run.has_outcome ? Durability::synced : Durability::written);
    } else {
      parts_.shortages.note_disk(*part.log, now);
    }
  }
  if (!is_done) {
    if (held != 0 && part.log->log->hold(held, true)) part.held = held;
    part.again_at = now + kAgainAfter;
    return false;
  }
  part.is_ended = true;
  part.until = await_durable(*part.log);
  return true;
}

TwoPhase::Went TwoPhase::forget(Run& run, TimeMs now) {
  if (!run.has_outcome || run.is_needed) return Went::to_its_end;
  if (!run.home->serves || now < run.again_at) return Went::nowhere;
  if (!run.home->log->reserve(TransactionBook::kRecordBytes + kGroupBytes, true)) {
    parts_.shortages.note_disk(*run.home, now);
    run.again_at = now + kAgainAfter;
    return Went::nowhere;
  }
  append_to_catalogue(*run.home, now, [&run](Records& records) { TransactionBook::append_ended(records, run.object); });
  // No client waits for it: a start would find the outcome once more, and no part.
  parts_.alerting.close_group(*run.home, now, Durability::written);
  return Went::to_its_end;
}

void TwoPhase::answer(Run& run, Status const& status) {
  if (run.connection == ConnectionId::none) return;
  if (status.ok() && run.tells) run.answers.tell(run.head);
  parts_.replies.end_commit(run.connection, run.command, run.head, {status, basis_of(run.home)});
}

// ---------------------------------------------------------------------------
// Declarations and starts

Status TwoPhase::check_tables(Declarations const& next) const {
  for (Run const& run : runs_) {
    Transaction const* const one = parts_.transactions.find(run.transaction);
    if (one == nullptr) continue;
    for (std::uint32_t const number : one->tables) {
      HostedTable const& table = parts_.tables[number];
      auto const declared = std::ranges::find(next, table.name, [](Declaration const& other) { return other->name; });
      if (declared == next.end() || !same_schema((*declared)->schema, latest_schema(table)))
        return {Code::bad_configuration,
                "table " + table.name +
                    " has a part in a transaction that is being committed in several logs, and "
                    "would be another one: reload again when that is over"};
    }
  }
  return {};
}

TwoPhase::Verdict TwoPhase::verdict(TransactionBook::Entry const& part) const {
  auto const of = [](log::Outcome outcome) {
    return outcome == log::Outcome::committed ? Verdict::carry_out : Verdict::give_up;
  };
  for (auto const& log : parts_.tables.logs()) {
    if (!log->keeps || log->log->store_id() != part.home.store_id) continue;
    for (auto const& [object, entry] : log->catalogue.transactions().all()) {
      // The same name may have been given before: what is about this part came later.
      if (entry.xid != part.xid || entry.role == Role::part || object.value < part.home.lsn.value) continue;
      return entry.decided == log::Outcome::none ? Verdict::in_doubt : of(entry.decided);
    }
    if (log->log->found_lsn() >= part.home.lsn) return Verdict::give_up;
  }
  // An operator has decided for one of its parts, which then has the outcome for the others.
  for (auto const& log : parts_.tables.logs())
    for (auto const& [object, entry] : log->catalogue.transactions().all())
      if (entry.xid == part.xid && entry.decided != log::Outcome::none && entry.decided_at >= part.prepared)
        return of(entry.decided);
  return Verdict::home_lost;
}

void TwoPhase::resolve(std::string_view xid, log::Outcome outcome, Part part) {
  auto at = std::ranges::find_if(
      runs_, [&](Run const& run) { return run.xid == xid && run.outcome == outcome && run.step == Step::ending; });
  if (at == runs_.end()) {
    at = runs_.emplace(runs_.end());
    at->xid = xid;
    at->outcome = outcome;
    at->step = Step::ending;
  }
  at->parts.push_back(part);
}

void TwoPhase::restore_outcomes() {
  for (auto const& log : parts_.tables.logs())
    for (auto const& [object, entry] : log->catalogue.transactions().all()) {
      if (entry.decided == log::Outcome::none || (entry.role != Role::outcome && entry.others.empty())) continue;
      auto at = std::ranges::find_if(runs_, [&entry = entry](Run const& run) {
        return run.xid == entry.xid && run.outcome == entry.decided && !run.has_outcome;
      });
      if (at == runs_.end()) {
        at = runs_.emplace(runs_.end());
        at->xid = entry.xid;
        at->outcome = entry.decided;
        at->step = Step::ending;
      }
      at->home = log.get();
      at->object = object;
      at->has_outcome = true;
      at->is_needed = entry.role == Role::branch || std::ranges::any_of(entry.others, [this](std::uint64_t other) {
                        return std::ranges::none_of(parts_.tables.logs(),
                                                    [other](auto const& one) { return one->log->store_id() == other; });
                      });
    }
}

}  // namespace fastjournal::engine
