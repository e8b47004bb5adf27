#include "plugins/pipeline/operators.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "model/shortened.h"
#include "model/value.h"
#include "plugins/pipeline/requests.h"
#include "plugins/pipeline/returns.h"

namespace fastjournal::pipeline {
namespace {

// Cells that one command looks at, whether they fit or not.
constexpr std::uint64_t kOperatorWorkUnitsMax = 100'000;
// Cells that one step changes: records of up to 100 bytes; and documents that one forgets.
constexpr std::uint64_t kChangesPerStep = 100;
constexpr std::uint32_t kForgottenPerStep = 200;
// Decision::carry of a command on many: changed, looked at, cursor.
constexpr std::size_t kChanged = 0;
constexpr std::size_t kLooked = 1;
constexpr std::size_t kCursor = 2;
constexpr std::size_t kArchived = 1;  // of FORGET: cursor in the archive

}  // namespace

// ---------------------------------------------------------------------------
// Many cells

Status Operators::find(auto const& given, Command const& command, Request& request) const {
  if (given.document) request.document = ObjectId{*given.document};
  request.destination = given.destination;
  request.kind = given.class_word;
  request.count = given.count;
  request.after = given.after;
  request.is_dry_run = given.dry_run;
  if constexpr (requires { given.if_changed; }) request.is_dirty = given.if_changed;
  if constexpr (requires { given.outcome; }) request.was_sent = given.outcome == made::OutcomeChoice::sent;
  if (given.status) request.state = state_named(name_of(*given.status));
  bool const names_some = request.document || !given.source.empty() || !request.destination.empty() ||
                          !request.kind.empty() || request.state || given.all;
  if (!names_some)
    return model::refused(Code::missing_parameter, "document",
                          std::string{command.message->command} +
                              " needs one of document, source, destination, class and status, or all=1");
  if (!given.source.empty() && shared_.plan() != nullptr) request.source = shared_.plan()->source_named(given.source);
  if (!given.source.empty() && !request.source)
    return model::refused(Code::not_found, "source", "the plan has no source " + model::shown(given.source));
  if (!request.destination.empty() &&
      (shared_.plan() == nullptr || !shared_.plan()->destination_named(request.destination)))
    return model::refused(
        Code::not_found, "destination",
        "the plan has no destination " + model::shown(request.destination) + ": DESTINATIONS lists them");
  if (request.document && shared_.store().find(*request.document) == kNone)
    return shared_.no_document(*request.document);
  return {};
}

bool Operators::fits(Request const& request, std::uint32_t number) const {
  Cell const& cell = shared_.store().cell(number);
  Documents const& documents = shared_.documents;
  if (cell.place == Place::leased) return false;
  if (shared_.store()[cell.document].plan != documents.plans().newest_number()) return false;
  bool const is_in_doubt = cell.place == Place::in_doubt;
  if (request.source && shared_.store()[cell.document].source != *request.source) return false;
  bool const is_own = documents.ordinal_of(number) != kOriginalCell;
  if (!request.destination.empty() &&
      (!is_own ||
       documents.plan_of(cell.document).destination(documents.destination_of(number)).name != request.destination))
    return false;
  if (request.state && cell.state != *request.state) return false;
  if (!request.kind.empty()) {
    Failure const* const failure = documents.failure_of(number);
    if (failure == nullptr || failure->kind != request.kind) return false;
  }
  switch (request.what) {
    case What::retry:
      if (request.is_dirty) return is_own && cell.state == State::sent;
      if (is_failed(cell.state)) return true;
      return cell.state == State::error && !is_in_doubt && (request.document || request.state == State::error);
    case What::force: return is_own && cell.state != State::force;
    case What::drop: return is_own && cell.state != State::dropped && cell.state != State::sent;
    case What::resolve: return is_in_doubt;
  }
  return false;
}

// Answered by a set that has all that can fit.
bool Operators::is_of_set(Request const& request) const {
  if (request.document) return false;
  if (request.what == What::resolve) return true;
  return request.what == What::retry && !request.is_dirty && (!request.state || is_failed(*request.state));
}

// The cursor is the key of a cell + 1.
std::uint32_t Operators::search_set(Request const& request, std::uint64_t& cursor, std::uint64_t& work_units) const {
  auto const& set =
      request.what == What::resolve ? shared_.documents.counts().in_doubt() : shared_.documents.counts().failed();
  for (auto at = set.lower_bound(cursor); at != set.end() && work_units < kOperatorWorkUnitsMax; ++at) {
    ++work_units;
    cursor = *at + 1;
    std::uint32_t const cell = shared_.documents.cells().with(*at);
    if (fits(request, cell)) return cell;
  }
  return kNone;
}

// Whether one of its states fits, as far as that is known without its page; how many do.
std::uint64_t Operators::fit_archived(Request const& request, Archive::Number number) const {
  bool const takes_any = request.what == What::force || (request.what == What::retry && request.is_dirty);
  Archive::Pattern const& pattern = shared_.documents.archive().pattern_of(number);
  if (!takes_any || pattern.plan != shared_.documents.plans().newest_number()) return 0;
  if (request.source && pattern.source != *request.source) return 0;
  Plan const& plan = *shared_.plan();
  std::uint64_t out = 0;
  for (std::size_t at = 0; at < pattern.states.size(); ++at) {
    State const state = pattern.states[at];
    bool const is_there =
        request.destination.empty() || plan.destination(plan.of_source(pattern.source)[at]).name == request.destination;
    // Only what was dropped may have a class.
    bool const may_have_class = request.kind.empty() || state == State::dropped;
    if (is_there && may_have_class && (!request.state || state == *request.state) &&
        (request.what == What::force || state == State::sent))
      ++out;
  }
  return out;
}

void Operators::change_cell(Request const& request, std::uint32_t number, Decision& decision) const {
  Cell const& cell = shared_.store().cell(number);
  ObjectId const id = shared_.store()[cell.document].id();
  std::uint16_t const ordinal = shared_.documents.ordinal_of(number);
  switch (request.what) {
    case What::retry:
      model::append_record(decision.records, id,
                           StatusBody{{ordinal},
                                      request.is_dirty           ? State::dirty
                                      : ordinal == kOriginalCell ? State::processing
                                                                 : State::restart,
                                      0,
                                      {}});
      break;
    case What::force: model::append_record(decision.records, id, StatusBody{{ordinal}, State::force, 0, {}}); break;
    case What::drop: model::append_record(decision.records, id, StatusBody{{ordinal}, State::dropped, 0, {}}); break;
    case What::resolve:
      if (request.was_sent)
        reports_.record_sent(number, decision);
      else
        model::append_record(decision.records, id, StatusBody{{ordinal}, State::restart, cell.attempts, {}});
      break;
  }
}

template <typename Given>
Verdict Operators::change(What what, Command const& command, Decision& decision) const {
  Given given;
  Request request{.what = what};
  if (!given.read(command, decision) || decision.refuses(find(given, command, request))) return Verdict::done;
  return change(request, decision);
}

Verdict Operators::change(Request const& request, Decision& decision) const {
  if (decision.step == 0) decision.carry[kCursor] = request.after;
  Store const& store = shared_.store();
  std::uint64_t& changed = decision.carry[kChanged];
  std::uint64_t& looked = decision.carry[kLooked];
  std::uint64_t& cursor = decision.carry[kCursor];
  std::uint64_t const looked_before = looked;
  auto const leave = [&](Verdict verdict) {
    decision.work_units +=
        static_cast<std::uint32_t>(std::min<std::uint64_t>(looked - looked_before, kOperatorWorkUnitsMax));
    return verdict;
  };
  std::uint64_t in_step = 0;
  auto const take = [&](std::uint32_t cell) {
    if (!request.is_dry_run) change_cell(request, cell, decision);
    ++changed;
    ++in_step;
  };
  bool is_at_end = false;
  if (is_of_set(request)) {
    while (changed < request.count && in_step < kChangesPerStep && !is_at_end) {
      std::uint32_t const cell = search_set(request, cursor, looked);
      if (cell != kNone) take(cell);
      is_at_end = cell == kNone && looked < kOperatorWorkUnitsMax;
      if (cell == kNone) break;
    }
  } else {
    // Documents whole, so that the cursor stands between them.
    while (changed < request.count && in_step < kChangesPerStep && looked < kOperatorWorkUnitsMax && !is_at_end) {
      std::uint32_t const document = request.document ? store.find(*request.document) : store.next(ObjectId{cursor});
      Archive const& archive = shared_.documents.archive();
      Archive::Number const archived = request.document ? Archive::kNone : archive.next(ObjectId{cursor});
      if (archived != Archive::kNone && (document == kNone || archive.id_of(archived) < store[document].id())) {
        std::uint64_t const fitting = fit_archived(request, archived);
        ++looked;
        if (fitting == 0 || request.is_dry_run) {
          std::uint64_t exact = fitting;
          if (fitting > 0 && !request.kind.empty()) {
            DocumentBody body;
            Verdict verdict = Verdict::done;
            if (!read_archived_document(shared_, archived, decision, body, verdict)) return leave(verdict);
            exact = static_cast<std::uint64_t>(std::ranges::count_if(
                body.cells, [&](CellBody const& cell) { return cell.failure && cell.failure->kind == request.kind; }));
          }
          changed += exact;
          in_step += exact;
          cursor = archive.id_of(archived).value;
          continue;
        }
        return leave(in_step > 0 ? Verdict::again : bring_back(shared_, archived, decision));
      }
      if (document == kNone) {
        is_at_end = true;
        break;
      }
      // What was changed does not fit any more: a step that is full leaves the rest of a document to the next one.
      auto const is_full = [&] { return !request.is_dry_run && in_step >= kChangesPerStep; };
      for (std::uint16_t at = 0; at < store[document].cell_count && !is_full(); ++at, ++looked)
        if (fits(request, store[document].first_cell + at)) take(store[document].first_cell + at);
      if (is_full()) break;
      std::uint32_t const original = shared_.documents.cell_of(document, kOriginalCell);
      if (original != kNone && fits(request, original)) take(original);
      ++looked;
      cursor = store[document].id().value;
      is_at_end = request.document.has_value();
    }
  }
  if (!is_at_end && changed < request.count && looked < kOperatorWorkUnitsMax && in_step > 0)
    return leave(Verdict::again);
  decision.answer.message("CHANGED").add("table", std::string_view{shared_.table()}).add("count", changed);
  if (!is_at_end) decision.answer.add("after", cursor);
  if (request.is_dry_run) decision.answer.add("dry_run", std::int64_t{1});
  return leave(Verdict::done);
}

Verdict Operators::retry(Command const& command, Decision& decision) const {
  return change<made::Retry>(What::retry, command, decision);
}
Verdict Operators::force(Command const& command, Decision& decision) const {
  return change<made::Force>(What::force, command, decision);
}
Verdict Operators::drop(Command const& command, Decision& decision) const {
  return change<made::Drop>(What::drop, command, decision);
}
Verdict Operators::resolve(Command const& command, Decision& decision) const {
  return change<made::Resolve>(What::resolve, command, decision);
}

// ---------------------------------------------------------------------------
// Destinations

Verdict Operators::set_mode(auto const& given, Mode mode, Decision& decision) const {
  std::string_view const name = given.destination;
  std::string_view const reason = model::shortened(given.reason, kReasonBytesMax);
  std::optional<std::uint16_t> const destination =
      shared_.plan() == nullptr ? std::nullopt : shared_.plan()->destination_named(name);
  if (!destination)
    return decision.refuse(Status{
        Code::not_found, fmt::format("the plan has no destination {}: DESTINATIONS lists them", model::shown(name))}
                               .with("parameter", "destination"));
  model::append_record(decision.records, shared_.plan()->id, DestinationBody{*destination, mode, reason, {}});
  decision.answer.message("CHANGED").add("table", std::string_view{shared_.table()}).add("destination", name);
  decision.answer.add("mode", Value::of_text(kModeNames[static_cast<std::size_t>(mode)]));
  return Verdict::done;
}

Verdict Operators::pause(Command const& command, Decision& decision) const {
  made::Pause given;
  if (!given.read(command, decision)) return Verdict::done;
  return set_mode(given, Mode::shut, decision);
}
// Without a destination it ends a DRAIN; without effect on an open table, so that a repeated command gets the same answer.
Verdict Operators::resume(Command const& command, Decision& decision) const {
  made::Resume given;
  if (!given.read(command, decision)) return Verdict::done;
  if (given.destination.is_given) return set_mode(given, Mode::open, decision);
  Plan const* const plan = shared_.plan();
  bool const drains = plan != nullptr && plan->drain.has_value();
  if (drains) model::append_record(decision.records, plan->id, DrainingBody{std::nullopt});
  decision.answer.message("RESUMED").add("table", std::string_view{shared_.table()});
  decision.answer.add("was", Value::of_text(drains ? "draining" : "open")).add("by", command.worker);
  return Verdict::done;
}

Verdict Operators::drain(Command const& command, Decision& decision) const {
  if (decision.refuses(rows::check_worker(command))) return Verdict::done;
  if (shared_.plan() == nullptr) return decision.refuse(shared_.no_plan());
  std::string_view const reason = model::shortened(command.message->text("reason"), kReasonBytesMax);
  model::append_record(decision.records, shared_.plan()->id,
                       DrainingBody{DrainBody{decision.now.value, command.worker, reason}});
  decision.answer.message("DRAINING").add("table", std::string_view{shared_.table()});
  decision.answer.add("by", command.worker).add("since", decision.now.value);
  if (!reason.empty()) decision.answer.add("reason", reason);
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// Forgetting

bool Operators::is_in_hands(std::uint32_t document) const {
  Store const& store = shared_.store();
  for (std::uint16_t at = 0; at < store[document].cell_count; ++at)
    if (store.cell(store[document].first_cell + at).place == Place::leased) return true;
  std::uint32_t const original = shared_.documents.cell_of(document, kOriginalCell);
  return original != kNone && store.cell(original).place == Place::leased;
}

std::uint32_t Operators::last_below(std::uint32_t document) const {
  for (std::uint32_t at = document;;) {
    Family const* const family = shared_.documents.families().family_of(at);
    if (family == nullptr || family->all.empty()) return at;
    std::uint32_t const child = shared_.store().find(family->all.back());
    if (child == kNone) return at;
    at = child;
  }
}

Verdict Operators::forget_unreadable(ObjectId document, Decision& decision) const {
  model::append_record(decision.records, document, ForgottenBody{});
  decision.answer.message("CHANGED").add("table", std::string_view{shared_.table()}).add("count", std::uint64_t{1});
  return Verdict::done;
}

// One document in a step: what is the last below it is known once that is gone.
Verdict Operators::forget(Command const& command, Decision& decision) const {
  made::Forget given;
  if (!given.read(command, decision)) return Verdict::done;
  if (given.document.has_value() == given.version.has_value())
    return decision.refuse(
        model::refused(Code::missing_parameter, "document", "FORGET needs document, or the version of an older plan"));
  Store const& store = shared_.store();
  ObjectId const id{given.document.value_or(0)};
  std::uint64_t& count = decision.carry[kChanged];
  auto const answer = [&](bool more) {
    decision.answer.message("CHANGED").add("table", std::string_view{shared_.table()}).add("count", count);
    if (more) decision.answer.add("more", std::int64_t{1});
    return Verdict::done;
  };
  std::uint32_t document = store.find(id);
  Archive const& archive = shared_.documents.archive();
  if (given.version) {
    std::optional<std::uint8_t> const plan = shared_.documents.plans().find_version(*given.version);
    if (!plan && decision.step > 0) return answer(false);
    if (!plan || *plan == shared_.documents.plans().newest_number())
      return decision.refuse(
          Status{plan ? Code::wrong_state : Code::not_found,
                 fmt::format("table {} has no older plan of version {}", shared_.table(), *given.version)}
              .with("parameter", "version"));
    document = kNone;
    std::uint32_t at = store.next(ObjectId{decision.carry[kCursor]});
    for (; at != kNone && document == kNone && ++decision.work_units < kOperatorWorkUnitsMax;
         at = store.next(store[at].id())) {
      if (store[at].plan == *plan && !is_in_hands(at)) document = at;
      if (document == kNone) decision.carry[kCursor] = store[at].id().value;
    }
    if (document == kNone && at == kNone) {
      // What it had in the archive: they need not be read for that.
      Archive::Number next = archive.next(ObjectId{decision.carry[kArchived]});
      for (std::uint32_t in_step = 0; next != Archive::kNone && in_step < kForgottenPerStep && count < given.count;
           next = archive.next(ObjectId{decision.carry[kArchived]})) {
        if (++decision.work_units >= kOperatorWorkUnitsMax) break;
        decision.carry[kArchived] = archive.id_of(next).value;
        if (archive.pattern_of(next).plan != *plan) continue;
        model::append_record(decision.records, archive.id_of(next), ForgottenBody{});
        ++count;
        ++in_step;
      }
      if (next == Archive::kNone) return answer(false);
      return count == given.count || decision.work_units >= kOperatorWorkUnitsMax ? answer(true) : Verdict::again;
    }
  } else if (document == kNone && decision.step == 0) {
    return decision.refuse(shared_.no_document(id));
  }
  if (document == kNone) return answer(false);
  if (count == given.count) return answer(true);
  std::uint32_t const last = last_below(document);
  if (is_in_hands(last) || is_in_hands(document)) {
    if (count > 0) return answer(true);
    return decision.refuse({Code::in_use, shared_.name_of(last) + " is with a worker: try again when it is not"});
  }
  if (last == document && store[last].is_child && !shared_.documents.families().is_orphan(last) &&
      store[last].plan == shared_.documents.plans().newest_number())
    return decision.refuse(
        {Code::wrong_state, fmt::format("{} is a child that its original ({}) has: FORGET that", shared_.name_of(last),
                                        store.origin_of(last)->original.value)});
  forget_one(last, decision);
  ++count;
  return Verdict::again;
}

// What it is made of is not missing it.
void Operators::forget_one(std::uint32_t document, Decision& decision) const {
  Store const& store = shared_.store();
  std::optional<Origin> const origin = store.origin_of(document);
  std::uint32_t const parent = origin ? store.find(origin->parent) : kNone;
  if (parent != kNone && shared_.documents.extras().declared_of(parent).value_or(0) > 0)
    model::append_record(decision.records, origin->parent, DeclaredBody{0});
  model::append_record(decision.records, store[document].id(), ForgottenBody{});
}

bool Operators::forget_done(Decision& decision) const {
  std::uint32_t count = 0;
  for (std::uint32_t const document : shared_.documents.counts().leaving()) {
    if (count == kForgottenPerStep) return true;
    // Its children first; each of them is known once the one before is gone.
    std::uint32_t const last = last_below(document);
    // A finished cell is unleased. A worker may still have an orphan, which is not sent any more.
    if (is_in_hands(last) && !shared_.documents.families().is_orphan(last)) continue;
    forget_one(last, decision);
    ++count;
  }
  return count > 0;
}

// ---------------------------------------------------------------------------
// Plans

bool Operators::has_to_retire() const {
  Plans const& plans = shared_.documents.plans();
  for (std::size_t at = 0; at < kPlansMax; ++at)
    if (plans.all()[at] && plans.all()[at]->documents == 0 && at != plans.newest_number()) return true;
  return false;
}

bool Operators::retire_plans(Decision& decision) const {
  Plans const& plans = shared_.documents.plans();
  bool any = false;
  for (std::size_t at = 0; at < kPlansMax; ++at) {
    auto const& plan = plans.all()[at];
    if (!plan || plan->documents > 0 || at == plans.newest_number()) continue;
    model::append_record(decision.records, plan->id, RetiredBody{});
    any = true;
  }
  return any;
}

bool Operators::has_to_take_plan() const {
  if (!shared_.options.read_plan) return false;
  Plan const* const newest = shared_.plan();
  if (shared_.documents.plans().is_full()) return false;
  return newest == nullptr || newest->rules.version < shared_.options.read_plan->version;
}

bool Operators::take_plan(Decision& decision) const {
  if (!has_to_take_plan()) return false;
  PlanBody body;
  body.text = shared_.options.plan;
  body.tells_deleted = tells_deleted(*shared_.options.read_plan);
  // A DRAIN lasts until RESUME.
  if (Plan const* const before = shared_.plan(); before != nullptr && before->drain)
    body.drain = DrainBody{before->drain->since, before->drain->by, before->drain->reason};
  model::append_record(decision.records, {}, body);
  return true;
}

}  // namespace fastjournal::pipeline
