#include "plugins/pipeline/reports.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "model/shortened.h"
#include "model/timer/wheel.h"
#include "model/value.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/failure.h"

namespace fastjournal::pipeline {
namespace {

// A record of a failure without trace takes up to 1,300 bytes.
constexpr std::uint32_t kLeasesPerStep = 8;
// Failures of all classes together, as a multiple of those of one class that the plan allows.
constexpr unsigned kClassesMax = 4;
constexpr std::string_view kTimedOut = "timeout";
constexpr std::string_view kLost = "lost";

plan::Retry const& retry_of(TableState const& shared, std::uint32_t cell) {
  static plan::Retry const of_originals{};
  std::uint32_t const document = shared.store().cell(cell).document;
  if (shared.documents.ordinal_of(cell) == kOriginalCell) return of_originals;
  return shared.documents.plan_of(document).output(shared.documents.destination_of(cell)).retry;
}

std::uint8_t one_more(std::uint8_t count) { return count == UINT8_MAX ? count : static_cast<std::uint8_t>(count + 1); }

// How long it rests after so many failures.
std::int64_t rest(plan::Retry const& retry, unsigned failures, ObjectId document, LeaseEpoch token) {
  rows::AttemptRules rules;
  rules.back_off_first = retry.first_ms;
  rules.back_off_factor = retry.factor;
  rules.back_off_max = retry.max_ms;
  rules.back_off_jitter = retry.jitter_percent;
  return rules.back_off(failures - 1, document, token);
}

}  // namespace

// ---------------------------------------------------------------------------
// What is recorded

void Reports::record_sent(std::uint32_t cell, Decision& decision) const {
  Documents const& documents = shared_.documents;
  std::uint32_t const document = shared_.store().cell(cell).document;
  model::append_record(decision.records, shared_.store()[document].id(),
                       StatusBody{{documents.ordinal_of(cell)}, State::sent, 0, {}});
  ++shared_.statistics.sent;
  shared_.statistics.deliveries.succeeded(decision.now.value);
  Plan const& plan = documents.plan_of(document);
  std::uint16_t const destination = documents.destination_of(cell);
  bool const opens = plan.targets[destination].mode == Mode::probing;
  if (opens) model::append_record(decision.records, plan.id, DestinationBody{destination, Mode::open, "", {}});
}

State Reports::record_failure(std::uint32_t cell, Wrong const& wrong, Decision& decision) const {
  Documents const& documents = shared_.documents;
  Store const& store = shared_.store();
  Cell const& its = store.cell(cell);
  ObjectId const id = store[its.document].id();
  std::uint16_t const ordinal = documents.ordinal_of(cell);
  plan::Retry const& retry = retry_of(shared_, cell);
  bool const is_own = ordinal != kOriginalCell;
  Mode const mode = is_own ? documents.plan_of(its.document).targets[documents.destination_of(cell)].mode : Mode::open;
  Failure const* const last = documents.failure_of(cell);
  Failure failure;
  failure.kind = wrong.kind;
  failure.message = wrong.message;
  // While its destination is paused, it is known that everything fails there.
  bool const counts = wrong.is_permanent || mode == Mode::open;
  bool const same = last != nullptr && last->kind == wrong.kind;
  failure.of_kind = same ? last->of_kind : std::uint8_t{0};
  std::uint8_t attempts = its.attempts;
  if (counts) {
    failure.of_kind = one_more(failure.of_kind);
    attempts = one_more(attempts);
  }
  // Counters end at 255.
  unsigned const most = std::min<unsigned>(retry.max_attempts, UINT8_MAX);
  bool const is_dead = counts && (failure.of_kind >= most || attempts >= std::min(most * kClassesMax, 255U));
  State const state = wrong.is_permanent ? State::error_doc : is_dead ? State::dead : State::error;
  if (state == State::error) {
    LeaseEpoch const token = its.place == Place::leased ? shared_.work().lease_of(cell).epoch : LeaseEpoch{};
    std::int64_t const span = rest(retry, std::max<unsigned>(failure.of_kind, 1), id, token);
    failure.until = std::min(decision.now.value + span, timer::kDateMax);
  }
  model::append_record(decision.records, id, StatusBody{{ordinal}, state, attempts, failure});
  ++shared_.statistics.failures;
  shared_.statistics.deliveries.failed(decision.now.value);
  if (is_failed(state)) ++shared_.statistics.dead;
  if (is_own && counts && !wrong.is_permanent && state == State::error) note_failure(cell, decision);
  return state;
}

// Enough different documents failed there within a while: it is not the documents.
void Reports::note_failure(std::uint32_t cell, Decision& decision) const {
  Options const& options = shared_.options;
  Documents const& documents = shared_.documents;
  std::uint32_t const document = shared_.store().cell(cell).document;
  if (options.failing == 0 || shared_.store()[document].plan != documents.plans().newest_number()) return;
  std::uint16_t const destination = documents.destination_of(cell);
  Plan const& plan = *shared_.plan();
  if (shared_.failing.size() != plan.targets.size()) shared_.failing.assign(plan.targets.size(), {});
  std::deque<Failing::One>& last = shared_.failing[destination].last;
  while (!last.empty() && last.front().at + options.failing_for <= decision.now.value) last.pop_front();
  DestinationBody::Spared const one{shared_.store()[document].id(), documents.ordinal_of(cell)};
  std::erase_if(last,
                [&](Failing::One const& other) { return other.cell == one || !documents.knows(other.cell.document); });
  last.push_back({decision.now.value, one});
  if (last.size() < options.failing) return;
  DestinationBody body{destination, Mode::probing, {}, {}};
  // What has arrived since has no failure that could be spared, and may not be in memory any more.
  for (Failing::One const& other : last)
    if (shared_.store().find(other.cell.document) != kNone) body.spared.push_back(other.cell);
  std::string const reason =
      fmt::format("{} documents failed there within {} s", last.size(), options.failing_for / 1000);
  body.reason = reason;
  model::append_record(decision.records, plan.id, body);
  ++shared_.statistics.pauses;
  last.clear();
}

// ---------------------------------------------------------------------------
// Reports

std::uint32_t Reports::find_reported(auto const& given, Decision& decision) const {
  LeaseEpoch const token{given.token};
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return kNone;
  std::uint32_t const cell = find_cell(shared_, document, given.destination, decision.status);
  if (cell == kNone) return kNone;
  Place const place = shared_.store().cell(cell).place;
  bool const has_lease = place == Place::leased || place == Place::in_doubt;
  if (has_lease && shared_.work().lease_of(cell).epoch == token) return cell;
  decision.status = stale(shared_, document, token);
  return kNone;
}

void Reports::answer(std::uint32_t document, std::uint32_t cell, State state, Decision& decision) const {
  decision.answer.message("RECORDED").add("table", std::string_view{shared_.table()});
  decision.answer.add("document", shared_.store()[document].id().value);
  decision.answer.add(
      "destination",
      std::string_view{shared_.documents.plan_of(document).destination(shared_.documents.destination_of(cell)).name});
  decision.answer.add("status", Value::of_text(name_of(state)));
}

Verdict Reports::sent(Command const& command, Decision& decision) const {
  made::Sent given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint32_t const cell = find_reported(given, decision);
  if (cell == kNone) {
    // Said twice, as the first answer was lost.
    if (decision.status.code() != Code::stale_epoch) return Verdict::done;
    Status status;
    std::uint32_t const document = find_document(shared_, given.document, status);
    std::uint32_t const its = find_cell(shared_, document, given.destination, status);
    if (shared_.store().cell(its).state != State::sent) return Verdict::done;
    decision.status = {};
    answer(document, its, State::sent, decision);
    return Verdict::done;
  }
  Cell const& its = shared_.store().cell(cell);
  plan::Step const& output = shared_.documents.plan_of(its.document).output(shared_.documents.destination_of(cell));
  if (its.state != State::sending && output.guarantee == plan::Guarantee::at_most_once)
    return decision.refuse({Code::wrong_state, shared_.name_of(its.document) +
                                                   " was not said to be about to be sent to " +
                                                   std::string{given.destination} +
                                                   ": say SENDING before you send, as it is at most once"});
  if (its.place == Place::leased && its.state == State::sending)
    shared_.statistics.sending_ms.add(static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, decision.now.value - shared_.work().lease_of(cell).began)));
  record_sent(cell, decision);
  answer(its.document, cell, State::sent, decision);
  return Verdict::done;
}

Verdict Reports::failed(Command const& command, Decision& decision) const {
  made::Failed given;
  if (!given.read(command, decision)) return Verdict::done;
  Wrong wrong;
  wrong.kind = given.class_word.empty() ? std::string_view{"error"} : given.class_word;
  std::string room;
  wrong.message = rows::failure_of(given.error, given.error_trace, decision, room);
  wrong.is_permanent = given.permanent;
  std::uint32_t const cell = find_reported(given, decision);
  if (cell == kNone) return Verdict::done;
  std::uint32_t const document = shared_.store().cell(cell).document;
  State const state = record_failure(cell, wrong, decision);
  answer(document, cell, state, decision);
  return Verdict::done;
}

// Without a destination: at all destinations of this lease.
Verdict Reports::dropped(Command const& command, Decision& decision) const {
  made::Dropped given;
  if (!given.read(command, decision)) return Verdict::done;
  std::string_view const reason = model::shortened(given.reason, kMessageBytesMax);
  Store const& store = shared_.store();
  Ordinals cells;
  std::uint32_t document = kNone;
  if (given.destination.is_given) {
    std::uint32_t const cell = find_reported(given, decision);
    if (cell == kNone) return Verdict::done;
    document = store.cell(cell).document;
    cells.push_back(shared_.documents.ordinal_of(cell));
  } else {
    LeaseEpoch const token{given.token};
    document = find_document(shared_, given.document, decision.status);
    if (document == kNone) return Verdict::done;
    cells = leased_by(shared_, document, token);
    std::erase(cells, kOriginalCell);
    if (cells.empty()) return decision.refuse(stale(shared_, document, token));
  }
  std::optional<Failure> why;
  std::string room;
  if (!reason.empty()) why = Failure{.kind = "dropped", .message = std::string{failure::kept_of(reason, {}, room)}};
  model::append_record(decision.records, store[document].id(), StatusBody{cells, State::dropped, 0, why});
  shared_.statistics.dropped += cells.size();
  decision.answer.message("RECORDED").add("table", std::string_view{shared_.table()});
  decision.answer.add("document", store[document].id().value);
  decision.answer.add("dropped_at", std::string_view{destination_names(shared_, document, cells)});
  decision.answer.add("status", Value::of_text(name_of(State::dropped)));
  return Verdict::done;
}

Verdict Reports::routed(Command const& command, Decision& decision) const {
  made::Routed given;
  if (!given.read(command, decision)) return Verdict::done;
  LeaseEpoch const token{given.token};
  std::string_view const router_name = given.router;
  std::string_view chosen = given.chosen;
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return Verdict::done;
  Plan const& plan = shared_.documents.plan_of(document);
  Store const& store = shared_.store();
  if (leased_by(shared_, document, token).empty()) return decision.refuse(stale(shared_, document, token));
  std::optional<std::uint16_t> const router = plan.step_named(router_name);
  if (!router || !plan.rules.step(*router).chooses())
    return decision.refuse(Status{router ? Code::bad_parameter : Code::not_found,
                                  fmt::format("plan {} has no router {} that chooses: one with by-name or round-robin",
                                              plan.rules.name, model::shown(router_name))}
                               .with("parameter", "router"));
  RoutedBody body;
  body.choice.router = *router;
  plan::Step const& step = plan.rules.step(*router);
  while (!chosen.empty()) {
    std::size_t const end = std::min(chosen.find(' '), chosen.size());
    std::string_view const name = chosen.substr(0, end);
    chosen.remove_prefix(std::min(end + 1, chosen.size()));
    if (name.empty()) continue;
    std::optional<std::uint16_t> const next = plan.step_named(name);
    if (!next || std::ranges::find(step.after, *next) == step.after.end())
      return decision.refuse(
          Status{Code::bad_parameter,
                 fmt::format("chosen has {}, and no step of that name is behind {}", model::shown(name), router_name)}
              .with("parameter", "chosen"));
    if (std::ranges::find(body.choice.taken, *next) == body.choice.taken.end()) body.choice.taken.push_back(*next);
  }
  std::ranges::sort(body.choice.taken);
  std::size_t const most = step.router == plan::Router::round_robin ? 1 : step.copies_max;
  if (body.choice.taken.empty() || body.choice.taken.size() > most)
    return decision.refuse(
        Status{Code::bad_parameter, fmt::format("chosen has {} steps, expected 1 to {} of those behind {}",
                                                body.choice.taken.size(), most, router_name)}
            .with("parameter", "chosen"));
  std::vector<plan::Choice> choices = shared_.documents.extras().choices_of(document);
  auto const before = std::ranges::find(choices, *router, &plan::Choice::router);
  bool const is_another = before != choices.end() && before->taken != body.choice.taken;
  if (before != choices.end()) choices.erase(before);
  choices.push_back(body.choice);
  bool leads_somewhere = false;
  for (std::uint16_t at = 0; at < store[document].cell_count; ++at) {
    std::uint32_t const cell = store[document].first_cell + at;
    State const state = store.cell(cell).state;
    plan::StepIndex const source = store[document].source;
    plan::Destination const& destination = plan.destination(shared_.documents.destination_of(cell));
    bool const is_way = plan::reaches(plan.rules, source, destination, choices);
    // What is being sent is past its routers.
    if (!is_way && (is_open(state) || state == State::batched)) body.dropped.push_back(at);
    if (is_way && state != State::dropped && plan::reaches(plan.rules, source, destination, choices, *router))
      leads_somewhere = true;
  }
  // What the choice before dropped stays so: by this one it would get nowhere.
  if (is_another && !leads_somewhere && !body.dropped.empty())
    return decision.refuse(
        Status{Code::wrong_state,
               fmt::format("{} was routed another way by {}, and what is behind this "
                           "one was dropped then: go on to {}, or FORCE it",
                           shared_.name_of(document), router_name, destination_names(shared_, document, body.dropped))}
            .with("parameter", "chosen"));
  model::append_record(decision.records, store[document].id(), body);
  shared_.statistics.dropped += body.dropped.size();
  decision.work_units += store[document].cell_count;
  decision.answer.message("RECORDED").add("table", std::string_view{shared_.table()});
  decision.answer.add("document", store[document].id().value);
  decision.answer.add("dropped_at", std::string_view{destination_names(shared_, document, body.dropped)});
  decision.answer.add("status", Value::of_text(name_of(State::dropped)));
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// Leases that end

// Its worker is gone, so nothing is known against the document: it is handed out again at once, and first. One that kills
// every worker who touches it is dead at last.
void Reports::record_lost(std::uint32_t cell, Decision& decision) const {
  Cell const& its = shared_.store().cell(cell);
  Failure const* const last = shared_.documents.failure_of(cell);
  Failure failure{.kind = std::string{kLost}, .message = "its worker is gone"};
  failure.of_kind = one_more(last != nullptr && last->kind == kLost ? last->of_kind : std::uint8_t{0});
  bool const is_dead = shared_.options.losses_max != 0 && failure.of_kind >= shared_.options.losses_max;
  State const as_it_was = its.state == State::sending || its.state == State::batched ? State::processing : its.state;
  if (is_dead) ++shared_.statistics.dead;
  model::append_record(
      decision.records, shared_.store()[its.document].id(),
      StatusBody{{shared_.documents.ordinal_of(cell)}, is_dead ? State::dead : as_it_was, its.attempts, failure});
}

void Reports::end_lease(std::uint32_t cell, Decision& decision) const {
  Documents const& documents = shared_.documents;
  Cell const& its = shared_.store().cell(cell);
  ++shared_.statistics.timed_out;
  shared_.statistics.deliveries.failed(decision.now.value);
  bool const is_gone = shared_.work().lease_of(cell).connection == 0;
  bool const is_sent = documents.ordinal_of(cell) != kOriginalCell && its.state == State::sending;
  if (append_doubt(shared_, cell, decision)) return;
  if (is_gone) {
    record_lost(cell, decision);
    return;
  }
  bool const is_permanent = is_sent && retry_of(shared_, cell).on_timeout == plan::OnTimeout::permanent;
  record_failure(cell, {kTimedOut, "its worker did not answer in time", is_permanent}, decision);
}

bool Reports::end_leases(Decision& decision) const {
  // If failures may pause a destination, those behind the one that does must see it.
  std::uint32_t const most = shared_.options.failing == 0 ? kLeasesPerStep : 1;
  std::uint32_t count = 0;
  for (auto const& [date, lease] : shared_.work().leases().ends()) {
    if (date > decision.now.value || count == most) break;
    end_lease(shared_.work().leases()[lease].row, decision);
    ++count;
  }
  // What was held by one of them may go now (Operators::forget_done).
  return count > 0;
}

}  // namespace fastjournal::pipeline
