#include "plugins/pipeline/runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "base/failure.h"
#include "model/date.h"
#include "model/shortened.h"
#include "model/value.h"
#include "plugins/pipeline/returns.h"

namespace fastjournal::pipeline {
namespace {

// A NEXT of many documents ends when its answer is this long; the next one gets the rest.
constexpr std::uint64_t kNextBytesMax = 1U << 20U;
// Records of up to 350 bytes, and of up to 1,200, of which one step has so many.
constexpr int kSpansPerStep = 16;
constexpr std::size_t kCellsPerStep = 8;
// Bytes of the states that a refusal tells.
constexpr std::size_t kStatesShown = 1'000;
// What FOUND made of a document: Decision::carry[0], from its first step on.
enum Change : std::uint64_t { kRunNotLooked, kRunNew, kRunChanged, kRunAgain };

}  // namespace

void Runs::describe(std::uint32_t document, Answer& answer) const {
  Store const& store = shared_.store();
  answer.add("document", store[document].id().value);
  answer.add("source", std::string_view{shared_.documents.plan_of(document).rules.step(store[document].source).name});
  describe_content(document, answer);
}

void Runs::describe_content(std::uint32_t document, Answer& answer) const {
  Store const& store = shared_.store();
  answer.add("uri", store.name_of(document));
  if (store.is_gone(document))
    answer.add("operation", std::string_view{"delete"});
  else if (std::string_view const hash = store.hash_of(document); !hash.empty())
    answer.add("hash", hash);
  if (ObjectId const newer = shared_.documents.versions().behind(document); !newer.is_none())
    answer.add("newer", newer.value);
}

void Runs::describe(ObjectId document, DocumentBody const& body, Answer& answer) const {
  Plans const& plans = shared_.documents.plans();
  answer.add("document", document.value);
  if (std::optional<std::uint8_t> const plan = plans.find(body.plan); plan && plans[*plan].is_known())
    answer.add("source", std::string_view{plans[*plan].rules.step(body.source).name});
  if (body.name.empty())
    answer.add("damaged", std::int64_t{1});
  else
    answer.add("uri", answer.keep(body.name));
  if (!body.hash.empty()) answer.add("hash", answer.keep(body.hash));
}

Ordinals Runs::missing(std::uint32_t document, std::optional<std::uint16_t> destination) const {
  Ordinals out;
  Store const& store = shared_.store();
  for (std::uint16_t at = 0; at < store[document].cell_count; ++at) {
    std::uint32_t const cell = store[document].first_cell + at;
    bool const is_wanted = !destination || shared_.documents.destination_of(cell) == *destination;
    if (is_wanted && shared_.work().may_go(cell)) out.push_back(at);
  }
  std::uint32_t const original = shared_.documents.cell_of(document, kOriginalCell);
  if (original != kNone && !destination && shared_.work().may_go(original)) out.push_back(kOriginalCell);
  return out;
}

// ---------------------------------------------------------------------------
// FOUND

bool Runs::read(Command const& command, Decision& decision, Found& found) const {
  if (!found.made::Found::read(command, decision, shared_.options.times.range(command)) ||
      decision.refuses(rows::check_worker(command)))
    return false;
  if (found.hash == kGoneHash || (found.gone && !found.hash.empty()))
    decision.status =
        model::refused(Code::bad_parameter, "hash",
                       found.gone ? "hash and gone=1: what is gone has no content, expected one of them"
                                  : "hash is the word of the table for what is gone, expected another one, or gone=1");
  else if (found.uri.empty())
    decision.status = model::refused(Code::bad_parameter, "uri", "uri is empty, expected where the document is");
  if (!decision.status.ok()) return false;
  if (found.gone) found.hash = {kGoneHash, true};
  Plan const& plan = *shared_.plan();
  std::optional<std::uint16_t> const source = plan.source_named(found.source);
  found.from = source.value_or(0);
  if (!source)
    decision.status = model::refused(Code::not_found, "source",
                                     "plan " + plan.rules.name + " has no source " + model::shown(found.source));
  else if (found.gone && !plan.rules.step(*source).tells_deleted)
    decision.status =
        model::refused(Code::bad_parameter, "gone",
                       "gone=1 of source " + std::string{found.source} +
                           ", which has not deleted=\"tell\" in the plan: what is gone there stays where it arrived");
  return decision.status.ok();
}

Status Runs::check_room(Command const& command, Decision const& decision) const {
  static_cast<void>(command);
  static_cast<void>(decision);
  Options const& options = shared_.options;
  if (options.documents_max != 0 && shared_.documents.size() >= options.documents_max)
    return {Code::over_limit, "table " + shared_.table() + " has " + std::to_string(shared_.documents.size()) +
                                  " documents, and may have documents-max (" + std::to_string(options.documents_max) +
                                  "): FORGET some, or raise it"};
  if (options.memory_max != 0 && shared_.documents.memory_bytes() >= options.memory_max)
    return {Code::over_limit, "table " + shared_.table() + " uses " + std::to_string(shared_.documents.memory_bytes()) +
                                  " bytes of memory, and may use memory-max (" + std::to_string(options.memory_max) +
                                  "): FORGET documents, or raise it"};
  return {};
}

Status Runs::check_open() const {
  if (!shared_.plan()->drain) return {};
  Plan::Drain const& drain = *shared_.plan()->drain;
  std::string text = "table " + shared_.table() + " is draining by " + drain.by + " since " +
                     model::format_date(drain.since) + (drain.reason.empty() ? "" : ": " + drain.reason);
  return Status{Code::paused, std::move(text) +
                                  " (documents that are new or have changed are not taken; RESUME opens it "
                                  "again)"}
      .with("state", "draining")
      .with("by", drain.by)
      .with("since", std::to_string(drain.since))
      .with("reason", drain.reason);
}

Verdict Runs::found(Command const& command, Decision& decision) const {
  if (shared_.plan() == nullptr) return decision.refuse(shared_.no_plan());
  Found found;
  if (!read(command, decision, found)) return Verdict::done;
  Plan const& plan = *shared_.plan();
  plan::Step const& source = plan.rules.step(found.from);
  Store const& store = shared_.store();
  if (decision.carry[0] != kRunNotLooked)
    return hand_found(found, store.find(ObjectId{decision.carry[1]}), command, decision);
  std::uint32_t const known =
      source.remembers ? store.find(shared_.documents.plans().newest_number(), found.from, {}, found.uri) : kNone;
  if (known == kNone && source.remembers) {
    Archive::Number const archived = shared_.documents.archive().find(name_hash(plan.id, found.from, found.uri));
    if (archived != Archive::kNone)
      if (std::optional<Verdict> const verdict = found_archived(found, archived, decision)) return *verdict;
  }
  if (known == kNone && found.gone) {
    Answer& answer = decision.answer.message("DOCUMENT").add("table", std::string_view{shared_.table()});
    answer.add("source", std::string_view{source.name}).add("uri", found.uri);
    answer.add("operation", std::string_view{"delete"}).add("change", std::string_view{"unchanged"});
    return Verdict::done;
  }
  // Without hashes each is as it was, but for one that a former plan has told as gone.
  bool const is_one = known != kNone && source.hash == plan::Hash::none && !store.is_gone(known);
  bool const is_same = is_one || (known != kNone && store.hash_of(known) == found.hash);
  bool const stays = known != kNone && !is_same && source.keeps_versions &&
                     (!store[known].is_done || shared_.documents.counts().has_failed(known));
  if (!is_same && decision.refuses(check_open())) return Verdict::done;
  if (found.dry_run) {
    describe_found(found, known, is_same, decision.answer);
    return Verdict::done;
  }
  if (known == kNone || stays) {
    if (decision.refuses(check_room(command, decision))) return Verdict::done;
    DocumentBody body;
    body.plan = plan.id;
    body.source = found.from;
    body.hash = source.hash == plan::Hash::none ? std::string_view{} : found.hash;
    body.name = found.uri;
    body.is_forgotten = !source.remembers;
    body.cell_count = static_cast<std::uint16_t>(plan.of_source(found.from).size());
    if (stays) {
      body.before = store[known].id();
      body.generation = shared_.documents.extras().generation_of(known) + 1;
    }
    decision.carry[0] = stays ? kRunChanged : kRunNew;
    decision.carry[1] = object_of(model::append_record(decision.records, {}, body)).value;
    ++(stays ? shared_.statistics.changed : shared_.statistics.found);
    return Verdict::again;
  }
  decision.carry[1] = store[known].id().value;
  decision.carry[0] = is_same ? kRunAgain : kRunChanged;
  if (is_same) return hand_found(found, known, command, decision);
  ++shared_.statistics.changed;
  model::append_record(decision.records, store[known].id(), ChangedBody{found.hash});
  return Verdict::again;
}

// What has arrived and was not changed stays where it is.
std::optional<Verdict> Runs::found_archived(Found const& found, Archive::Number number, Decision& decision) const {
  DocumentBody body;
  Verdict verdict = Verdict::done;
  if (!read_archived_document(shared_, number, decision, body, verdict)) return verdict;
  if (body.name != found.uri) return std::nullopt;
  bool const is_same = shared_.plan()->rules.step(found.from).hash == plan::Hash::none || body.hash == found.hash;
  if (!is_same && decision.refuses(check_open())) return Verdict::done;
  if (!is_same && !found.dry_run) return bring_back(shared_, number, decision);
  Answer& answer = decision.answer.message("DOCUMENT").add("table", std::string_view{shared_.table()});
  describe(shared_.documents.archive().id_of(number), body, answer);
  answer.add("change", Value::of_text(is_same ? "unchanged" : "changed"));
  if (found.dry_run)
    answer.add("dry_run", std::int64_t{1});
  else
    ++shared_.statistics.unchanged;
  return Verdict::done;
}

// What a FOUND would come to.
void Runs::describe_found(Found const& found, std::uint32_t known, bool is_same, Answer& answer) const {
  answer.message("DOCUMENT").add("table", std::string_view{shared_.table()});
  if (known != kNone)
    describe(known, answer);
  else
    answer.add("uri", found.uri);
  std::string_view const change = known == kNone                   ? "new"
                                  : !is_same                       ? "changed"
                                  : shared_.store()[known].is_done ? "unchanged"
                                                                   : "processing";
  answer.add("change", Value::of_text(change)).add("dry_run", std::int64_t{1});
}

Verdict Runs::hand_found(Found const& found, std::uint32_t document, Command const& command, Decision& decision) const {
  Store const& store = shared_.store();
  std::string_view change = decision.carry[0] == kRunNew       ? "new"
                            : decision.carry[0] == kRunChanged ? "changed"
                                                               : "resume";
  // It was to be brought there again if it has changed: it has not.
  Ordinals clean;
  Ordinals taken;
  bool is_complete = true;
  for (std::uint16_t at = 0; at < store[document].cell_count; ++at) {
    std::uint32_t const cell = store[document].first_cell + at;
    if (store.cell(cell).state == State::dirty && store.cell(cell).place != Place::leased)
      clean.push_back(at);
    else if (!is_terminal(store.cell(cell).state))
      is_complete = false;
  }
  if (!clean.empty())
    model::append_record(decision.records, store[document].id(), StatusBody{clean, State::sent, 0, {}});
  for (std::uint16_t const at : missing(document, std::nullopt))
    if (std::ranges::find(clean, at) == clean.end()) taken.push_back(at);
  if (!shared_.documents.families().children_done(document)) is_complete = false;
  if (decision.carry[0] == kRunAgain && taken.empty()) change = is_complete ? "unchanged" : "processing";
  if (change == "unchanged") ++shared_.statistics.unchanged;
  Answer& answer = decision.answer.message("DOCUMENT").add("table", std::string_view{shared_.table()});
  describe(document, answer);
  answer.add("change", Value::of_text(change));
  if (taken.empty() || !found.hand_out) return Verdict::done;
  rows::Leases::Terms const terms = terms_for(command, decision, next_token(shared_, decision), found.lease);
  model::append_record(decision.records, store[document].id(), LeaseBody{taken, std::nullopt, terms});
  ++shared_.statistics.handed_out;
  answer.add("destinations", std::string_view{destination_names(shared_, document, taken)});
  if (taken.back() == kOriginalCell) answer.add("children", std::int64_t{1});
  answer.add("token", terms.epoch.value).add("lease_end", terms.ends);
  decision.take = Take::found;
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// NEXT

bool Runs::read(Command const& command, Decision& decision, Request& request) const {
  if (!request.made::Next::read(command, decision, shared_.options.times.range(command)) ||
      decision.refuses(rows::check_wait(command, request.wait)) || decision.refuses(rows::check_worker(command)))
    return false;
  Plan const& plan = *shared_.plan();
  if (request.source.is_given) request.from = plan.source_named(request.source);
  if (request.destination.is_given) request.to = plan.destination_named(request.destination);
  if (request.source.is_given && !request.from)
    decision.status = model::refused(Code::not_found, "source",
                                     "plan " + plan.rules.name + " has no source " + model::shown(request.source));
  else if (request.destination.is_given && !request.to)
    decision.status =
        model::refused(Code::not_found, "destination",
                       "plan " + plan.rules.name + " has no destination " + model::shown(request.destination));
  return decision.status.ok();
}

Verdict Runs::next(Command const& command, Decision& decision) const {
  if (shared_.plan() == nullptr) return decision.refuse(shared_.no_plan());
  Request request;
  if (!read(command, decision, request)) return Verdict::done;
  decision.durability = Durability::written;
  decision.wait_topic = request.source;
  std::uint64_t& handed = decision.carry[0];
  std::uint64_t& bytes = decision.carry[1];
  std::uint32_t const cell = handed == request.count ? kNone : shared_.work().first(request.from, request.to);
  if (cell == kNone) {
    if (handed > 0) return Verdict::done;
    return rows::give_nothing(shared_.table(), request.wait, shared_.work().next_due(), decision);
  }
  Store const& store = shared_.store();
  std::uint32_t const document = store.cell(cell).document;
  Ordinals const cells = missing(document, request.to);
  rows::Leases::Terms const terms = terms_for(command, decision, next_token(shared_, decision), request.lease);
  Answer& answer = decision.answer.message("DOCUMENT").add("table", std::string_view{shared_.table()});
  describe(document, answer);
  std::string const names = destination_names(shared_, document, cells);
  answer.add("destinations", std::string_view{names});
  bytes += 300 + names.size() + store.name_of(document).size();
  if (cells.back() == kOriginalCell) {
    answer.add("children", std::int64_t{1});
    ++shared_.statistics.runs_again;
  }
  bool const checks = std::ranges::any_of(cells, [&](std::uint16_t at) {
    return at != kOriginalCell && store.cell(store[document].first_cell + at).state == State::dirty;
  });
  if (checks) answer.add("check", std::int64_t{1});
  answer.add("token", terms.epoch.value).add("lease_end", terms.ends);
  model::append_record(decision.records, store[document].id(), LeaseBody{cells, std::nullopt, terms});
  ++shared_.statistics.handed_out;
  ++handed;
  decision.take = Take::found;
  return handed == request.count || bytes >= kNextBytesMax ? Verdict::done : Verdict::again;
}

void Runs::append_given_back(std::uint32_t cell, State to, Decision& decision) const {
  Cell const& its = shared_.store().cell(cell);
  Failure const* const failure = shared_.documents.failure_of(cell);
  StatusBody body{.cells = {shared_.documents.ordinal_of(cell)},
                  .to = to == State::batched ? State::processing : to,
                  .attempts = its.attempts};
  // Several of them with their traces would be more than a step may append.
  body.keeps_failure = failure != nullptr && failure::has_trace(failure->message);
  if (failure != nullptr && !body.keeps_failure) body.failure = *failure;
  model::append_record(decision.records, shared_.store()[its.document].id(), body);
}

// ---------------------------------------------------------------------------
// SENDING

Verdict Runs::sending(Command const& command, Decision& decision) const {
  made::Sending given;
  if (!given.read(command, decision) || decision.refuses(rows::check_worker(command))) return Verdict::done;
  LeaseEpoch const token{given.token};
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return Verdict::done;
  std::uint32_t const cell = find_cell(shared_, document, given.destination, decision.status);
  if (cell == kNone) return Verdict::done;
  Store const& store = shared_.store();
  Documents const& documents = shared_.documents;
  std::uint16_t const destination = documents.destination_of(cell);
  auto const answer = [&](std::string_view name) -> Answer& {
    decision.answer.message(name).add("table", std::string_view{shared_.table()});
    decision.answer.add("document", store[document].id().value);
    return decision.answer.add("destination",
                               std::string_view{documents.plan_of(document).destination(destination).name});
  };
  Cell const& its = store.cell(cell);
  if (is_terminal(its.state)) {
    answer("SKIP").add("status", Value::of_text(name_of(its.state)));
    return Verdict::done;
  }
  // What was made of an earlier version of its original is not sent any more.
  bool const is_mine = its.place == Place::leased && shared_.work().lease_of(cell).epoch == token &&
                       !documents.families().is_orphan(document);
  if (!is_mine) {
    ++shared_.statistics.stale;
    answer("CANCELLED").add("reason", Value::of_text(its.place == Place::in_doubt ? "in_doubt" : "stale"));
    return Verdict::done;
  }
  // A worker who has the one document that is tried out there goes on.
  Plan::Target const& target = documents.plan_of(document).targets[destination];
  if (target.mode == Mode::shut || (target.mode == Mode::probing && its.state != State::sending &&
                                    documents.plan_of(document).counts_at(destination).leased > 1)) {
    append_given_back(cell, its.state, decision);
    decision.durability = Durability::written;
    answer("CANCELLED").add("reason", Value::of_text("paused"));
    return Verdict::done;
  }
  plan::Step const& output = documents.plan_of(document).output(destination);
  plan::Retry const& retry = output.retry;
  std::int64_t const span = given.batched ? shared_.options.times.usual : retry.timeout_ms + retry.cancel_timeout_ms;
  rows::Leases::Terms const terms = terms_for(command, decision, token, span);
  model::append_record(decision.records, store[document].id(),
                       LeaseBody{{documents.ordinal_of(cell)}, given.batched ? State::batched : State::sending, terms});
  // At most once: it must be known before it may be sent.
  if (given.batched || output.guarantee == plan::Guarantee::at_least_once) decision.durability = Durability::written;
  ++shared_.statistics.sendings;
  answer("RUN").add("token", token.value).add("attempt", std::uint64_t{its.attempts} + 1);
  decision.answer.add("guarantee", Value::of_text(plan::word_of(plan::kGuaranteeWords, output.guarantee)));
  decision.answer.add("key", std::string_view{idempotency_key(shared_, document, destination)});
  if (!given.batched) decision.answer.add("deadline", terms.ends - retry.cancel_timeout_ms);
  decision.answer.add("lease_end", terms.ends);
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// HEARTBEAT, RELEASE

Verdict Runs::heartbeat(Command const& command, Decision& decision) const {
  made::Heartbeat given;
  if (!given.read(command, decision, shared_.options.times.range(command)) ||
      decision.refuses(rows::check_worker(command)))
    return Verdict::done;
  LeaseEpoch const token{given.token};
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return Verdict::done;
  Store const& store = shared_.store();
  Documents const& documents = shared_.documents;
  Ordinals const mine = leased_by(shared_, document, token);
  auto const answer = [&](std::string_view name) -> Answer& {
    decision.answer.message(name).add("table", std::string_view{shared_.table()});
    return decision.answer.add("document", store[document].id().value);
  };
  if (mine.empty()) {
    ++shared_.statistics.stale;
    answer("CANCELLED").add("reason", Value::of_text("stale"));
    return Verdict::done;
  }
  // What is being sent has the time that its step gives it, beyond which its worker is told to stop.
  std::map<std::int64_t, Ordinals> by_span;
  for (std::uint16_t const ordinal : mine) {
    std::uint32_t const cell = documents.cell_of(document, ordinal);
    if (ordinal == kOriginalCell || store.cell(cell).state != State::sending) {
      by_span[given.lease].push_back(ordinal);
      continue;
    }
    plan::Retry const& retry = documents.plan_of(document).output(documents.destination_of(cell)).retry;
    by_span[retry.timeout_ms + retry.cancel_timeout_ms].push_back(ordinal);
    rows::Lease const& lease = shared_.work().lease_of(cell);
    // Without a connection it ends with the grace, which says nothing of the time that its worker has.
    bool const is_late = lease.connection != 0 && decision.now.value >= lease.ends - retry.cancel_timeout_ms;
    if (decision.step > 0 || !is_late) continue;
    answer("CANCELLED").add("reason", Value::of_text("timed_out"));
    decision.answer.add("lease_end", lease.ends);
    return Verdict::done;
  }
  // One record for each span; few of them in a step.
  auto at = std::next(by_span.begin(), static_cast<std::ptrdiff_t>(decision.step) * kSpansPerStep);
  for (int count = 0; count < kSpansPerStep && at != by_span.end(); ++count, ++at)
    model::append_record(decision.records, store[document].id(),
                         LeaseBody{at->second, std::nullopt, terms_for(command, decision, token, at->first)});
  decision.durability = Durability::written;
  if (at != by_span.end()) return Verdict::again;
  answer("RECORDED").add("lease_end", decision.now.value + by_span.begin()->first);
  return Verdict::done;
}

Verdict Runs::release(Command const& command, Decision& decision) const {
  made::Release given;
  if (!given.read(command, decision)) return Verdict::done;
  LeaseEpoch const token{given.token};
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return Verdict::done;
  Store const& store = shared_.store();
  Ordinals const mine = leased_by(shared_, document, token);
  if (mine.empty() && decision.step == 0) return decision.refuse(stale(shared_, document, token));
  auto const is_sending = [&](std::uint16_t ordinal) {
    return store.cell(shared_.documents.cell_of(document, ordinal)).state == State::sending;
  };
  if (decision.step == 0 && std::ranges::all_of(mine, is_sending))
    return decision.refuse({Code::wrong_state, shared_.name_of(document) +
                                                   " is being sent: say SENT or FAILED of that destination first"});
  std::size_t count = 0;
  for (std::uint16_t const ordinal : mine) {
    if (is_sending(ordinal)) continue;
    if (++count > kCellsPerStep) return Verdict::again;
    std::uint32_t const cell = shared_.documents.cell_of(document, ordinal);
    append_given_back(cell, store.cell(cell).state, decision);
  }
  decision.answer.message("RECORDED").add("table", std::string_view{shared_.table()});
  decision.answer.add("document", store[document].id().value);
  return Verdict::done;
}

// As leases that end (Reports::end_lease), of all workers, but for what is counted there. carry: leases, in doubt.
Verdict Runs::kick(Command const& command, Decision& decision) const {
  made::Kick given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return Verdict::done;
  Store const& store = shared_.store();
  Documents const& documents = shared_.documents;
  Ordinals leased = leased_by(shared_, document, std::nullopt);
  if (given.destination.is_given) {
    std::uint32_t const cell = find_cell(shared_, document, given.destination, decision.status);
    if (cell == kNone) return Verdict::done;
    std::erase_if(leased, [&](std::uint16_t ordinal) { return ordinal != documents.ordinal_of(cell); });
  }
  if (leased.empty() && decision.step == 0) {
    std::string const states = destination_states(shared_, document);
    return decision.refuse(Status{
        Code::wrong_state,
        shared_.name_of(document) + " is with no worker" + (given.destination.is_given ? " for this destination" : "") +
            ", so there is no lease to take back: " + std::string{model::shortened(states, kStatesShown)}}
                               .with("document", std::to_string(store[document].id().value)));
  }
  std::size_t count = 0;
  for (std::uint16_t const ordinal : leased) {
    if (++count > kCellsPerStep) return Verdict::again;
    std::uint32_t const cell = documents.cell_of(document, ordinal);
    ++decision.carry[0];
    if (append_doubt(shared_, cell, decision)) {
      ++decision.carry[1];
      continue;
    }
    State const state = store.cell(cell).state;
    append_given_back(cell, state == State::sending ? State::processing : state, decision);
  }
  decision.answer.message("KICKED").add("table", std::string_view{shared_.table()});
  decision.answer.add("document", store[document].id().value).add("count", decision.carry[0]);
  if (decision.carry[1] > 0) decision.answer.add("in_doubt", decision.carry[1]);
  return Verdict::done;
}

}  // namespace fastjournal::pipeline
