#include "engine/transactions/branches.h"

#include <algorithm>
#include <charconv>

namespace fastjournal::engine {
namespace {

constexpr DurationMs kLookEvery{60'000};
constexpr std::string_view kAlert = "in-doubt";
constexpr std::uint8_t kAlertPriority = 70;

Status refusal(std::string_view xa, Code code, std::string text) {
  return Status{code, std::move(text)}.with("xa", std::string{xa});
}
Status wrong_order(std::string text) { return refusal("XAER_PROTO", Code::wrong_state, std::move(text)); }

std::string named(std::string_view xid) { return "branch " + std::string{xid}; }

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Of peers without a login it is an address or the number of a local user.
bool is_user(std::string_view origin) { return origin.starts_with("user:"); }

std::string_view word_of(log::Outcome outcome) {
  return outcome == log::Outcome::committed ? "committed" : "rolled_back";
}

Status cannot_prepare() {
  return refusal("XAER_RMERR", Code::not_supported,
                 "tables that are not kept on disk cannot be prepared: COMMIT by one_phase");
}

}  // namespace

Status Branches::check_xid(std::string_view xid) {
  std::size_t const first = xid.find(':');
  std::size_t const second = first == std::string_view::npos ? first : xid.find(':', first + 1);
  if (second != std::string_view::npos) {
    std::string_view const format = xid.substr(0, first);
    std::string_view const global = xid.substr(first + 1, second - first - 1);
    std::string_view const branch = xid.substr(second + 1);
    std::int32_t number = 0;
    auto const [end, error] = std::from_chars(format.data(), format.data() + format.size(), number);
    bool const is_number = error == std::errc{} && end == format.data() + format.size() && !format.empty();
    auto const is_part = [](std::string_view part) {
      return part.size() % 2 == 0 && part.size() <= 2 * kXidPartBytesMax && is_hex(part);
    };
    if (is_number && number >= 0 && !global.empty() && is_part(global) && is_part(branch)) return {};
  }
  return refusal("XAER_INVAL", Code::bad_parameter,
                 "xid is FORMAT:GTRID:BQUAL: a whole number from 0, and two strings of lower case hexadecimal digits, "
                 "for at most " +
                     std::to_string(kXidPartBytesMax) + " bytes each, of which GTRID is not empty")
      .with("parameter", "xid");
}

Status Branches::find(Caller const& caller, std::string_view xid, Found& found) {
  if (Status status = check_xid(xid); !status.ok()) return status;
  found = branches_.find(xid);
  if (found == branches_.end())
    return refusal("XAER_NOTA", Code::not_found, named(xid) + " is not known: it is over, or never began");
  if (parts_.two_phase.is_under_way(xid))
    return wrong_order(named(xid) + " is being prepared or ended in several logs: ask again");
  if ((found->second.origin == caller.origin && !found->second.is_home_lost) || caller.is_operator) return {};
  return refusal("XAER_NOTA", Code::not_allowed,
                 named(xid) + " belongs to another peer or user: it ends it, or an administrator does");
}

Status Branches::check_ends(Branch const& branch) {
  if (branch.is_home_lost)
    return refusal(
        "XAER_RMFAIL", Code::wrong_state,
        "the log that knows how this ended is not there, or is an older copy: an administrator decides it, with "
        "fastjournal tx commit or tx rollback");
  if (branch.associated > 0 || branch.is_suspended)
    return wrong_order("a connection is still associated with the branch, or has suspended it: XA_END comes first");
  if (branch.decided == log::Outcome::none) return {};
  bool const committed = branch.decided == log::Outcome::committed;
  return refusal(committed ? "XA_HEURCOM" : "XA_HEURRB", Code::wrong_state,
                 std::string{"an administrator has "} + (committed ? "committed" : "rolled back") +
                     " this branch: XA_FORGET ends it")
      .with("decided", std::string{word_of(branch.decided)});
}

Branches::Branch& Branches::add(std::string_view xid, std::string_view origin) {
  Branch& branch = branches_.emplace(std::string{xid}, Branch{}).first->second;
  branch.origin = origin;
  ++of_origin_[branch.origin];
  if (!is_user(origin)) ++of_peers_;
  return branch;
}

void Branches::erase(Found found) {
  if (auto const of = of_origin_.find(found->second.origin); --of->second == 0) of_origin_.erase(of);
  if (!is_user(found->second.origin)) --of_peers_;
  if (found->second.is_prepared()) --in_doubt_;
  if (found->second.transaction != TransactionId::none) parts_.transactions.erase(found->second.transaction);
  branches_.erase(found);
}

Status Branches::why_rolled_back(std::string_view xid, Transaction const& one) {
  Code const why = one.why_over.code();
  return refusal(why == Code::timed_out ? "XA_RBTIMEOUT"
                 : why == Code::closed  ? "XA_RBCOMMFAIL"
                                        : "XA_RBROLLBACK",
                 Code::rolled_back,
                 named(xid) + " was rolled back, and nothing of it was done: " + one.why_over.message())
      .with("cause", std::string{row_of(why).wire_name});
}

Status Branches::tell_rolled_back(Found found) {
  Status status = why_rolled_back(found->first, *parts_.transactions.find(found->second.transaction));
  erase(found);
  return status;
}

Status Branches::log_alone(HostedLog& log, TimeMs now, std::size_t bytes, bool removes,
                           std::function<void(Records&)> const& append) {
  if (!log.serves) return refusal("XAER_RMFAIL", log.away.code(), log.away.message());
  if (!log.log->reserve(bytes + kGroupBytes, removes)) {
    Status status = parts_.shortages.refuse_disk(log, now);
    return std::move(status).with("xa", "XA_RETRY");
  }
  append_to_catalogue(log, now, append);
  parts_.alerting.close_group(log, now, Durability::synced);
  return {};
}

Status Branches::check_share(Caller const& caller) const {
  auto const too_many = [](std::string const& whose, std::size_t most) {
    return refusal("XAER_RMERR", Code::over_limit,
                   whose + std::to_string(most) + " branches already: end some of them (XA_RECOVER with all=1 tells)");
  };
  if (branches_.size() >= kMost) return too_many("there are ", kMost);
  if (caller.is_operator) return {};
  auto const of = of_origin_.find(caller.origin);
  if (of != of_origin_.end() && of->second >= kMostOfOrigin) return too_many("this user or peer has ", kMostOfOrigin);
  if (!is_user(caller.origin) && of_peers_ >= kMostOfPeers)
    return too_many("peers that have not logged in have ", kMostOfPeers);
  if (branches_.size() >= kMost - kKept)
    return too_many("the rest is kept for administrators, and there are ", kMost - kKept);
  return {};
}

Status Branches::check_prepared(Caller const& caller, std::string_view origin, HostedLog const& log,
                                std::size_t bytes) const {
  std::uint64_t const there = log.catalogue.transactions().live_bytes();
  auto const too_many = [&log](std::string_view whose, std::uint64_t most) {
    return refusal("XAER_RMERR", Code::over_limit,
                   std::string{whose} + "prepared transactions of log " + log.name + " may have " +
                       std::to_string(most >> 20U) + " MiB, and have them: end some of them");
  };
  if (there + bytes > kPreparedBytesMax) return too_many("the ", kPreparedBytesMax);
  // One alone cannot have more than its share yet.
  if (caller.is_operator || there + bytes <= kPreparedBytesOfOrigin) return {};
  if (there + bytes > kPreparedBytesMax - kPreparedBytesKept)
    return too_many("the rest is kept for administrators: other ", kPreparedBytesMax - kPreparedBytesKept);
  std::uint64_t mine = bytes;
  for (auto const& [object, entry] : log.catalogue.transactions().all()) {
    if (entry.origin != origin) continue;
    mine += log::TransactionBook::bytes_of(entry);
    for (log::TransactionBook::Op const& op : entry.ops) mine += log::TransactionBook::bytes_of_op(op.body);
  }
  return mine > kPreparedBytesOfOrigin ? too_many("a user's or peer's ", kPreparedBytesOfOrigin) : Status{};
}

// ---------------------------------------------------------------------------
// Association

void Branches::associate(ConnectionId connection, Branch& branch) {
  ++branch.associated;
  worked_on_[connection] = &branch;
  parts_.transactions.attach(connection, *parts_.transactions.find(branch.transaction));
}

void Branches::leave(ConnectionId connection, Branch& branch) {
  --branch.associated;
  worked_on_.erase(connection);
  parts_.transactions.detach(connection);
}

Status Branches::start(Caller const& caller, std::string_view xid, Start how, DurationMs timeout, TimeMs now) {
  if (parts_.transactions.has(caller.connection))
    return refusal("XAER_PROTO", Code::wrong_state,
                   "this connection has a transaction already: COMMIT, ROLLBACK or XA_END comes first");
  if (how == Start::begin) {
    if (Status status = check_xid(xid); !status.ok()) return status;
    if (xid.starts_with(std::to_string(TwoPhase::kOwnFormat) + ":"))
      return refusal(
                 "XAER_INVAL", Code::bad_parameter,
                 "xid: format " + std::to_string(TwoPhase::kOwnFormat) + " is that of the daemon's own transactions")
          .with("parameter", "xid");
    if (branches_.contains(xid) || parts_.two_phase.is_under_way(xid))
      return refusal("XAER_DUPID", Code::in_use, named(xid) + " is known already");
    if (Status status = check_share(caller); !status.ok()) return status;
    Branch& branch = add(xid, caller.origin);
    Transaction& one = parts_.transactions.make(ConnectionId::none, timeout, now);
    branch.transaction = one.id;
    associate(caller.connection, branch);
    look_at_ = std::min(look_at_, now + kLookEvery);
    return {};
  }
  Found found;
  if (Status status = find(caller, xid, found); !status.ok()) return status;
  Branch& branch = found->second;
  if (branch.is_prepared() || branch.decided != log::Outcome::none)
    return wrong_order(named(xid) + " is prepared: no work can be added");
  if (branch.is_suspended != (how == Start::resume))
    return wrong_order(named(xid) + (branch.is_suspended ? " is suspended: resume it" : " is not suspended: join it"));
  branch.is_suspended = false;
  associate(caller.connection, branch);
  return {};
}

Status Branches::end(Caller const& caller, std::string_view xid, End how, TimeMs now) {
  Found found;
  if (Status status = find(caller, xid, found); !status.ok()) return status;
  Branch& branch = found->second;
  auto const works = worked_on_.find(caller.connection);
  if (works == worked_on_.end() || works->second != &branch)
    return wrong_order("this connection is not associated with " + named(xid));
  leave(caller.connection, branch);
  branch.is_suspended = branch.is_suspended || how == End::suspend;
  Transaction& one = *parts_.transactions.find(branch.transaction);
  // Its work is over, and the branch stays until its manager ends it.
  if (!one.why_over.ok()) return how == End::fail ? Status{} : why_rolled_back(xid, one);
  if (how == End::fail) parts_.transactions.give_up(one, now, {Code::rolled_back, "XA_END said that it failed"});
  return {};
}

void Branches::set_timeout(ConnectionId connection, std::optional<DurationMs> timeout) {
  if (timeout)
    timeouts_[connection] = *timeout;
  else
    timeouts_.erase(connection);
}

DurationMs Branches::timeout_of(ConnectionId connection) const {
  auto const found = timeouts_.find(connection);
  return found == timeouts_.end() ? parts_.transactions.limit() : found->second;
}

void Branches::connection_closed(ConnectionId connection, TimeMs now) {
  timeouts_.erase(connection);
  auto const works = worked_on_.find(connection);
  if (works == worked_on_.end()) return;
  Branch& branch = *works->second;
  leave(connection, branch);
  if (Transaction& one = *parts_.transactions.find(branch.transaction); one.why_over.ok())
    parts_.transactions.give_up(one, now, {Code::closed, "a connection that worked on it was lost"});
}

// ---------------------------------------------------------------------------
// Ends

Outcome Branches::prepare(Caller const& caller, std::string_view xid, TimeMs now, Answer& answer) {
  Found found;
  Status status = find(caller, xid, found);
  if (status.ok()) status = check_ends(found->second);
  if (!status.ok()) return status;
  Branch& branch = found->second;
  if (branch.is_prepared()) return wrong_order(named(xid) + " is prepared already");
  Transaction& one = *parts_.transactions.find(branch.transaction);
  if (!one.why_over.ok()) return tell_rolled_back(found);
  if (one.is_over_several_logs()) return Outcome::later(prepare_in_all(found, one, caller, now));
  HostedLog* const log = one.logs.empty() ? &parts_.tables.own_log() : one.only_log();
  Basis const basis = basis_of(log);
  if (!log->keeps) return {cannot_prepare(), basis};
  log::TransactionBook::Entry entry;
  entry.xid = found->first;
  entry.origin = branch.origin;
  entry.prepared = now;
  std::vector<std::string> const bodies = parts_.transactions.bodies_of(one, *log);
  entry.ops_count = static_cast<std::uint32_t>(bodies.size());
  std::size_t bytes = log::TransactionBook::bytes_of(entry);
  for (std::string const& body : bodies) bytes += log::TransactionBook::bytes_of_op(body);
  if (status = check_prepared(caller, branch.origin, *log, bytes); !status.ok()) return {std::move(status), basis};
  bool const adds = !one.logs.empty() && one.logs.front().adds;
  status = log_alone(*log, now, bytes, !adds, [&](Records& records) {
    branch.object = log::TransactionBook::append_prepared(records, entry);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      log::TransactionBook::append_op(records, branch.object, static_cast<std::uint32_t>(i), bodies[i]);
  });
  if (!status.ok()) return {std::move(status), basis};
  branch.log = log;
  branch.prepared = now;
  ++in_doubt_;
  parts_.transactions.prepared(one);
  look_at_ = std::min(look_at_, now + kLookEvery);
  answer.message("PREPARED").add("xid", std::string_view{found->first}).add("ops", std::uint64_t{one.ops.size()});
  return {{}, basis};
}

Outcome Branches::commit(Caller const& caller, std::string_view xid, bool one_phase, TimeMs now, Answer& answer) {
  Found found;
  Status status = find(caller, xid, found);
  if (status.ok()) status = check_ends(found->second);
  if (!status.ok()) return status;
  Branch& branch = found->second;
  if (branch.is_prepared() == one_phase)
    return wrong_order(named(xid) + (one_phase ? " is prepared: commit it without one_phase"
                                               : " is not prepared: XA_PREPARE comes first, or one_phase=1"));
  Transaction& one = *parts_.transactions.find(branch.transaction);
  if (!one.why_over.ok()) return tell_rolled_back(found);
  answer.message("COMMITTED").add("xid", std::string_view{found->first}).add("ops", std::uint64_t{one.ops.size()});
  if (one.is_over_several_logs() || branch.has_parts())
    return end_in_all(found, caller, log::Outcome::committed, false, now, answer);
  HostedLog* const log = branch.is_prepared() ? branch.log : one.only_log();
  Basis const basis = basis_of(log);
  ObjectId const object = branch.object;
  if (branch.is_prepared())
    status = parts_.transactions.keep(
        one, *log, now, answer, [object](Records& records) { log::TransactionBook::append_ended(records, object); });
  else if (log != nullptr)
    status = parts_.transactions.keep(one, *log, now, answer, {});
  if (status.ok()) {
    parts_.transactions.count_committed();
    erase(found);
    return {{}, basis};
  }
  answer.clear();
  // A prepared one stays in doubt.
  if (branch.is_prepared()) return {std::move(status).with("xa", "XA_RETRY"), basis};
  parts_.transactions.give_up(one, now, status);
  return {tell_rolled_back(found), basis};
}

Outcome Branches::roll_back(Caller const& caller, std::string_view xid, TimeMs now, Answer& answer) {
  Found found;
  Status status = find(caller, xid, found);
  if (status.ok()) status = check_ends(found->second);
  if (!status.ok()) return status;
  Branch& branch = found->second;
  if (branch.is_prepared() && branch.has_parts()) {
    answer.message("ROLLED_BACK").add("xid", std::string_view{found->first});
    return end_in_all(found, caller, log::Outcome::rolled_back, false, now, answer);
  }
  Basis const basis = basis_of(branch.is_prepared() ? branch.log : nullptr);
  if (branch.is_prepared()) {
    ObjectId const object = branch.object;
    status = log_alone(*branch.log, now, log::TransactionBook::kRecordBytes, true,
                       [object](Records& records) { log::TransactionBook::append_ended(records, object); });
    if (!status.ok()) return {std::move(status), basis};
  }
  Transaction& one = *parts_.transactions.find(branch.transaction);
  if (one.why_over.code() == Code::timed_out) return {tell_rolled_back(found), basis};
  if (one.why_over.ok()) parts_.transactions.give_up(one, now, {Code::rolled_back, "XA_ROLLBACK"});
  answer.message("ROLLED_BACK").add("xid", std::string_view{found->first});
  erase(found);
  return {{}, basis};
}

Outcome Branches::decide(Caller const& caller, std::string_view xid, log::Outcome outcome, TimeMs now, Answer& answer) {
  Found found;
  if (Status status = find({.is_operator = true}, xid, found); !status.ok()) return status;
  Branch& branch = found->second;
  if (!branch.is_prepared()) return wrong_order(named(xid) + " is not in doubt: there is nothing to decide");
  Transaction& one = *parts_.transactions.find(branch.transaction);
  bool const commits = outcome == log::Outcome::committed;
  answer.message("DECIDED")
      .add("xid", std::string_view{found->first})
      .add("outcome", Value::of_text(word_of(outcome)))
      .add("ops", std::uint64_t{one.ops.size()});
  if (branch.has_parts()) return end_in_all(found, caller, outcome, true, now, answer);
  HostedLog* const log = branch.log;
  Basis const basis = basis_of(log);
  log::TransactionBook::Entry entry;
  entry.object = branch.object;
  entry.xid = found->first;
  entry.origin = branch.origin;
  entry.prepared = branch.prepared;
  entry.decided = outcome;
  entry.decided_at = now;
  auto const append = [&entry, lost = branch.is_home_lost](Records& records) {
    // It is not reported.
    if (lost)
      log::TransactionBook::append_ended(records, entry.object);
    else
      log::TransactionBook::append_prepared(records, entry);
  };
  Answer ignored;
  std::size_t const bytes = log::TransactionBook::bytes_of(entry);
  std::size_t const held = std::exchange(branch.held, 0U);
  if (held != 0) log->log->free(held);
  Status status = commits ? parts_.transactions.keep(one, *log, now, ignored, append, bytes)
                          : log_alone(*log, now, bytes, true, append);
  if (!status.ok()) {
    answer.clear();
    if (held != 0 && log->log->hold(held, true)) branch.held = held;
    return {std::move(status), basis};
  }
  if (commits) parts_.transactions.count_committed();
  if (!commits) parts_.transactions.give_up(one, now, {Code::rolled_back, "decided by an administrator"});
  if (branch.is_home_lost) {
    erase(found);
    return {{}, basis};
  }
  --in_doubt_;
  branch.decided = outcome;
  branch.decided_at = now;
  parts_.transactions.erase(std::exchange(branch.transaction, TransactionId::none));
  return {{}, basis};
}

Outcome Branches::forget(Caller const& caller, std::string_view xid, TimeMs now, Answer& answer) {
  Found found;
  if (Status status = find(caller, xid, found); !status.ok()) return status;
  Branch const& branch = found->second;
  if (branch.decided == log::Outcome::none)
    return wrong_order(named(xid) + " was not decided by an administrator: there is nothing to forget");
  for (std::uint64_t const other : branch.others)
    if (std::ranges::none_of(parts_.tables.logs(), [other](auto const& log) { return log->log->store_id() == other; }))
      return refusal("XA_RETRY", Code::wrong_state,
                     named(xid) +
                         " has a part in a log that is not there, which waits for this outcome: start the daemon "
                         "with that log first");
  Basis const basis = basis_of(branch.log);
  ObjectId const object = branch.object;
  Status status = log_alone(*branch.log, now, log::TransactionBook::kRecordBytes, true,
                            [object](Records& records) { log::TransactionBook::append_ended(records, object); });
  if (!status.ok()) return {std::move(status), basis};
  answer.message("FORGOTTEN").add("xid", std::string_view{found->first});
  erase(found);
  return {{}, basis};
}

// ---------------------------------------------------------------------------
// In several logs

Status Branches::prepare_in_all(Found found, Transaction& one, Caller const& caller, TimeMs now) {
  for (TransactionLog const& part : one.logs)
    if (!part.log->keeps) return cannot_prepare();
  for (TransactionLog const& part : one.logs) {
    std::size_t bytes = 0;
    for (std::string const& body : parts_.transactions.bodies_of(one, *part.log))
      bytes += log::TransactionBook::bytes_of_op(body);
    if (Status status = check_prepared(caller, found->second.origin, *part.log, bytes); !status.ok()) return status;
  }
  auto over = [this, xid = found->first, now](Status const& status, TwoPhase::Prepared prepared,
                                              Answer& answer) -> Status {
    Found const at = branches_.find(xid);
    if (!status.ok()) return tell_rolled_back(at);
    Branch& branch = at->second;
    branch.log = prepared.home;
    branch.object = prepared.object;
    branch.held = prepared.held;
    branch.parts = std::move(prepared.parts);
    for (TwoPhase::Part const& part : branch.parts) branch.others.push_back(part.log->log->store_id());
    branch.prepared = now;
    ++in_doubt_;
    look_at_ = std::min(look_at_, now + kLookEvery);
    answer.message("PREPARED")
        .add("xid", std::string_view{xid})
        .add("ops", std::uint64_t{parts_.transactions.find(branch.transaction)->ops.size()});
    return {};
  };
  Status status = parts_.two_phase.prepare(one, {found->first, found->second.origin},
                                           {caller.connection, caller.command}, now, std::move(over));
  if (status.ok()) return {};
  std::string_view const xa = status.code() == Code::unavailable  ? "XAER_RMFAIL"
                              : status.code() == Code::over_limit ? "XAER_RMERR"
                                                                  : "XA_RETRY";
  return std::move(status).with("xa", std::string{xa});
}

Outcome Branches::end_in_all(Found found, Caller const& caller, log::Outcome outcome, bool is_decided, TimeMs now,
                             Answer& answer) {
  Branch& branch = found->second;
  Transaction& one = *parts_.transactions.find(branch.transaction);
  TwoPhase::Name const name{found->first, branch.origin};
  TwoPhase::Asker const asker{caller.connection, caller.command};
  bool const is_kept = is_decided && !branch.is_home_lost;
  auto over = [this, xid = found->first, outcome, is_kept, now](Status const& status, TwoPhase::Prepared const&,
                                                                Answer&) -> Status {
    Found const at = branches_.find(xid);
    if (!status.ok()) return tell_rolled_back(at);
    if (!is_kept) {
      erase(at);
      return {};
    }
    --in_doubt_;
    at->second.decided = outcome;
    at->second.decided_at = now;
    at->second.parts.clear();
    parts_.transactions.erase(std::exchange(at->second.transaction, TransactionId::none));
    return {};
  };
  Status status;
  if (!branch.is_prepared()) {
    status = parts_.two_phase.commit(one, name, asker, now, answer, std::move(over));
    if (!status.ok()) {
      parts_.transactions.give_up(one, now, status);
      status = tell_rolled_back(found);
    }
  } else {
    TwoPhase::Prepared prepared{branch.log, branch.object, branch.held, branch.parts, {}};
    for (std::uint64_t const other : branch.others)
      if (std::ranges::none_of(branch.parts,
                               [other](TwoPhase::Part const& part) { return part.log->log->store_id() == other; }))
        prepared.absent.push_back(other);
    status = parts_.two_phase.end(one, prepared, name,
                                  {.outcome = outcome,
                                   .is_a_persons = is_decided,
                                   .keeps_outcome = is_kept,
                                   .tells = outcome == log::Outcome::committed && !is_decided,
                                   .prepared_at = branch.prepared},
                                  asker, now, answer, std::move(over));
    branch.held = prepared.held;
    if (!status.ok())
      status = std::move(status).with("xa", status.code() == Code::unavailable ? "XAER_RMFAIL" : "XA_RETRY");
  }
  answer.clear();
  return Outcome::later(std::move(status));
}

// ---------------------------------------------------------------------------
// Branches in doubt

std::string_view Branches::state_of(Branch const& branch, Transaction const* transaction) {
  if (branch.decided != log::Outcome::none) return word_of(branch.decided);
  if (branch.is_prepared()) return "prepared";
  if (transaction != nullptr && !transaction->why_over.ok()) return "rollback_only";
  if (branch.is_suspended) return "suspended";
  return branch.associated == 0 ? "idle" : "active";
}

void Branches::recover(Caller const& caller, bool all, std::string_view after, std::size_t count, TimeMs now,
                       Answer& answer) const {
  std::size_t told = 0;
  for (auto at = after.empty() ? branches_.begin() : branches_.upper_bound(after); at != branches_.end(); ++at) {
    auto const& [xid, branch] = *at;
    if (!all && !branch.is_prepared()) continue;
    if ((branch.origin != caller.origin || branch.is_home_lost) && !caller.is_operator) continue;
    if (!all && parts_.two_phase.is_under_way(xid)) continue;
    if (told == count) {
      answer.add("after", std::string_view{std::prev(at)->first});
      return;
    }
    ++told;
    Transaction const* const one = parts_.transactions.find(branch.transaction);
    answer.message("BRANCH").add("xid", std::string_view{xid}).add("state", Value::of_text(state_of(branch, one)));
    answer.add("origin", std::string_view{branch.origin});
    if (one != nullptr) {
      answer.add("transaction", static_cast<std::uint64_t>(one->id)).add("ops", std::uint64_t{one->ops.size()});
      std::string tables;
      for (std::uint32_t const number : one->tables)
        tables.append(tables.empty() ? "" : ",").append(parts_.tables[number].name);
      if (!tables.empty()) answer.add("tables", std::string_view{tables});
    }
    if (branch.log == nullptr) {
      if (one != nullptr && one->why_over.ok()) answer.add("ends_date", one->ends.value);
      continue;
    }
    std::string logs = branch.log->name;
    for (TwoPhase::Part const& part : branch.parts) logs.append(",").append(part.log->name);
    answer.add("log", std::string_view{logs}).add("prepared_date", branch.prepared.value);
    if (branch.is_home_lost) answer.add("home", std::string_view{"lost"});
    if (branch.is_prepared())
      answer.add("in_doubt_for", (now - branch.prepared).value);
    else
      answer.add("decided_date", branch.decided_at.value);
  }
  if (told == 0) answer.message("BRANCHES").add("count", std::uint64_t{0});
}

void Branches::look(TimeMs now) {
  if (now < look_at_) return;
  for (auto at = branches_.begin(); at != branches_.end();) {
    auto const next = std::next(at);
    Transaction const* const one = parts_.transactions.find(at->second.transaction);
    bool const is_over = one != nullptr && !one->why_over.ok() && at->second.associated == 0;
    if (is_over && now > one->ends + kLongInDoubt) erase(at);
    at = next;
  }
  std::uint64_t count = 0;
  std::uint64_t lost = 0;
  std::string oldest;
  TimeMs since = TimeMs::max();
  for (auto const& [xid, branch] : branches_) {
    if (!branch.is_prepared() || (now < branch.prepared + kLongInDoubt && !branch.is_home_lost)) continue;
    ++count;
    lost += branch.is_home_lost ? 1 : 0;
    if (branch.prepared >= since) continue;
    since = branch.prepared;
    oldest = xid;
  }
  std::string const are = count == 1 ? " prepared transaction is in doubt" : " prepared transactions are in doubt";
  std::string const why = lost == 0
                              ? " for more than an hour"
                              : ", for more than an hour or because the log that knows how they ended is not there "
                                "or is an older copy";
  if (count > 0)
    parts_.alerting.raise(nullptr, kAlert, kAlertPriority,
                          std::to_string(count) + are + why + ", the first " + oldest +
                              ": what they hold waits for them; end them in their transaction manager, or with "
                              "fastjournal tx commit or tx rollback",
                          {});
  else
    parts_.alerting.lower(nullptr, kAlert);
  look_at_ = branches_.empty() ? TimeMs::max() : now + kLookEvery;
}

}  // namespace fastjournal::engine
