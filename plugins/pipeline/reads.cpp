#include "plugins/pipeline/reads.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/failure.h"
#include "model/duration.h"
#include "model/plan/xml.h"
#include "model/value.h"
#include "plugins/pipeline/requests.h"
#include "plugins/pipeline/returns.h"

namespace fastjournal::pipeline {
namespace {

// Documents that one page looks at, shown or not; and bytes that it has at most.
constexpr std::uint32_t kWorkUnitsMax = 20'000;
constexpr std::uint64_t kAnswerBytesMax = 1U << 20U;
// Once there are so many bytes of traces, WHY adds no other.
constexpr std::size_t kTracesBytes = 128U << 10U;

// Pages of the archive that are read for one page of DOCUMENTS.
constexpr std::uint32_t kFetchesMax = 48;

// In brackets; empty: nothing failed.
std::string words_of(Failure const* failure) {
  if (failure == nullptr) return {};
  std::string const error{failure::error_of(failure->message)};
  return fmt::format(" ({}{})", failure->kind, error.empty() ? "" : ": " + error);
}

std::string why_ended(std::string const& name, State state, unsigned attempts, Failure const* failure) {
  std::string const why = words_of(failure);
  switch (state) {
    case State::sent: return name + ": it has arrived";
    case State::dropped: return fmt::format("{}: it was dropped{}", name, why);
    case State::dead: return fmt::format("{}: it is dead after {} failures{}: RETRY or DROP it", name, attempts, why);
    default: return fmt::format("{}: it failed for good{}: RETRY or DROP it", name, why);
  }
}

// Between blanks.
std::string names_of(plan::Plan const& plan, std::vector<plan::StepIndex> const& steps) {
  std::string out;
  for (plan::StepIndex const step : steps) out.append(out.empty() ? "" : " ").append(plan.step(step).name);
  return out;
}

}  // namespace

Status Reads::find(auto const& given, Request& request) const {
  Plans const& plans = shared_.documents.plans();
  request.plan = plans.newest_number();
  if constexpr (requires { given.status; }) {
    if (given.status > Which::done)
      request.state = state_named(name_of(*given.status));
    else if (given.status)
      request.which = *given.status;
  }
  if (given.version) {
    std::optional<std::uint8_t> const plan = plans.find_version(*given.version);
    if (!plan)
      return model::refused(Code::not_found, "version",
                            "there is no plan of version " + std::to_string(*given.version));
    request.plan = *plan;
  }
  if constexpr (requires { given.source; }) {
    if (request.plan == Plans::kNoPlan) return {};
    Plan const& plan = plans[request.plan];
    if (given.source.is_given) request.source = plan.source_named(given.source);
    if (given.source.is_given && !request.source)
      return model::refused(Code::not_found, "source",
                            "plan " + plan.rules.name + " has no source " + model::shown(given.source));
    if (given.destination.is_given) request.destination = plan.destination_named(given.destination);
    if (given.destination.is_given && !request.destination)
      return model::refused(
          Code::not_found, "destination",
          fmt::format("plan {} has no destination {}", plan.rules.name, model::shown(given.destination)));
  }
  return {};
}

bool Reads::is_stranded(std::uint32_t document) const {
  Store const& store = shared_.store();
  if (store[document].is_done) return false;
  for (std::uint16_t at = 0; at < store[document].cell_count; ++at) {
    Place const place = store.cell(store[document].first_cell + at).place;
    if (place == Place::listed || place == Place::resting || place == Place::under || place == Place::behind)
      return true;
  }
  return false;
}

bool Reads::fits(Request const& request, std::uint32_t number) const {
  Store const& store = shared_.store();
  Documents const& documents = shared_.documents;
  Document const& document = store[number];
  if (document.plan != request.plan) return false;
  if (request.source && document.source != *request.source) return false;
  if (request.which == Which::orphans && !documents.families().is_orphan(number)) return false;
  if (request.which == Which::done && !document.is_done) return false;
  if (request.which == Which::open && document.is_done) return false;
  if (request.which == Which::stranded && !is_stranded(number)) return false;
  bool const about_cells =
      request.state || request.destination || request.which == Which::failed || request.which == Which::in_doubt;
  if (!about_cells) return true;
  for (std::uint16_t at = 0; at < document.cell_count; ++at) {
    std::uint32_t const cell = document.first_cell + at;
    if (request.destination && documents.destination_of(cell) != *request.destination) continue;
    if (request.state && store.cell(cell).state != *request.state) continue;
    if (request.which == Which::failed && !is_failed(store.cell(cell).state)) continue;
    if (request.which == Which::in_doubt && store.cell(cell).place != Place::in_doubt) continue;
    return true;
  }
  return false;
}

bool Reads::fits(Request const& request, Archive::Pattern const& pattern) const {
  if (pattern.plan != request.plan || (request.source && pattern.source != *request.source)) return false;
  if (request.which != Which::all && request.which != Which::done) return false;
  if (!request.state && !request.destination) return true;
  std::vector<std::uint16_t> const& destinations = shared_.documents.plans()[pattern.plan].of_source(pattern.source);
  for (std::size_t at = 0; at < pattern.states.size(); ++at)
    if ((!request.destination || destinations[at] == *request.destination) &&
        (!request.state || pattern.states[at] == *request.state))
      return true;
  return false;
}

std::string Reads::states_of(Archive::Pattern const& pattern) const {
  std::string out;
  Plan const& plan = shared_.documents.plans()[pattern.plan];
  for (std::size_t at = 0; at < pattern.states.size(); ++at) {
    if (!out.empty()) out.push_back(' ');
    out += plan.destination(plan.of_source(pattern.source)[at]).name;
    out.push_back('=');
    out += name_of(pattern.states[at]);
  }
  return out;
}

std::size_t Reads::describe(std::uint32_t number, Answer& answer) const {
  Store const& store = shared_.store();
  Documents const& documents = shared_.documents;
  answer.message("DOCUMENT").add("table", std::string_view{shared_.table()});
  if (std::optional<Origin> const origin = store.origin_of(number)) {
    answer.add("document", store[number].id().value).add("parent", origin->parent.value);
    answer.add("original", origin->original.value).add("child", store.name_of(number));
  } else {
    runs_.describe(number, answer);
  }
  std::string const states = destination_states(shared_, number);
  answer.add("states", std::string_view{states});
  if (store[number].is_done) answer.add("done", std::int64_t{1});
  if (documents.families().is_orphan(number)) answer.add("orphan", std::int64_t{1});
  if (std::optional<std::uint64_t> const declared = documents.extras().declared_of(number))
    answer.add("children", *declared);
  describe_below(number, answer);
  return 300 + store.name_of(number).size() + states.size();
}

void Reads::describe_below(std::uint32_t number, Answer& answer) const {
  Documents const& documents = shared_.documents;
  if (Family const* const family = documents.families().family_now(number))
    answer.add("children_known", family->children).add("children_not_done", family->not_done);
  if (shared_.store()[number].is_child) return;
  if (Original const* const original = documents.families().original_of(shared_.store()[number].id())) {
    answer.add("missing_below", original->missing).add("in_hands_below", original->in_hands);
    if (original->failed > 0) answer.add("failed_below", original->failed);
  }
}

// Empty: nothing was made of it.
std::string Reads::why_below(std::uint32_t number) const {
  Documents const& documents = shared_.documents;
  Family const* const family = documents.families().family_now(number);
  if (family == nullptr || family->children == 0) return {};
  auto const deliveries = [](std::uint64_t count) {
    return fmt::format("; {}{}", count, count == 1 ? " delivery" : " deliveries");
  };
  std::string out =
      std::to_string(family->children) + (family->children == 1 ? " document was" : " documents were") +
      " made of it: " +
      (family->not_done == 0 ? std::string{"all are done"} : std::to_string(family->not_done) + " not done");
  Original const* const original =
      shared_.store()[number].is_child ? nullptr : documents.families().original_of(shared_.store()[number].id());
  if (original == nullptr) return out + ". ";
  if (original->missing > 0) out += deliveries(original->missing) + " missing";
  if (original->in_hands > 0) out += deliveries(original->in_hands) + " with workers";
  if (original->failed > 0) out += deliveries(original->failed) + " failed for good: DOCUMENTS status=failed";
  return out + ". ";
}

std::size_t Reads::describe(Archive::Number number, DocumentBody const& body, Answer& answer) const {
  Archive const& archive = shared_.documents.archive();
  answer.message("DOCUMENT").add("table", std::string_view{shared_.table()});
  runs_.describe(archive.id_of(number), body, answer);
  std::string const states = states_of(archive.pattern_of(number));
  answer.add("states", std::string_view{states}).add("done", std::int64_t{1});
  return 300 + body.name.size() + states.size();
}

Verdict Reads::documents(Command const& command, Decision& decision) const {
  made::Documents given;
  Request request;
  if (!given.read(command, decision) || decision.refuses(find(given, request))) return Verdict::done;
  Store const& store = shared_.store();
  Documents const& documents = shared_.documents;
  std::size_t shown = 0;
  std::uint32_t looked = 0;
  std::uint64_t bytes = 0;
  std::uint64_t after = 0;  // 0: the end was reached
  auto const has_room = [&] { return shown < given.count && looked < kWorkUnitsMax && bytes < kAnswerBytesMax; };
  auto const show = [&](std::uint32_t document) {
    bytes += describe(document, decision.answer);
    ++shown;
  };
  bool const of_cells = request.which == Which::failed || request.which == Which::in_doubt;
  if (of_cells) {
    // A document is shown once: by the first of its cells that fits.
    auto const& set = request.which == Which::failed ? documents.counts().failed() : documents.counts().in_doubt();
    auto at = set.lower_bound(given.after);
    std::uint32_t last = kNone;
    for (; at != set.end() && has_room(); ++at, ++looked) {
      std::uint32_t const document = store.cell(documents.cells().with(*at)).document;
      if (document != last && fits(request, document)) show(document);
      last = document;
    }
    while (at != set.end() && store.cell(documents.cells().with(*at)).document == last) ++at;
    if (at != set.end()) after = *at;
  } else if (request.which == Which::stranded || request.which == Which::open) {
    std::uint32_t at = documents.counts().not_done().next(given.after);
    for (; at != NumberSet::kEnd && has_room();
         at = documents.counts().not_done().next(std::uint64_t{at} + 1), ++looked)
      if (fits(request, at)) show(at);
    if (at != NumberSet::kEnd) after = at;
  } else {
    // Those in memory and those in the archive, in the order of their numbers.
    Archive const& archive = documents.archive();
    ObjectId last{given.after};
    std::uint32_t at = store.next(last);
    Archive::Number archived = archive.next(last);
    for (; (at != kNone || archived != Archive::kNone) && has_room(); ++looked) {
      if (archived == Archive::kNone || (at != kNone && store[at].id() < archive.id_of(archived))) {
        if (fits(request, at)) show(at);
        last = store[at].id();
      } else {
        if (fits(request, archive.pattern_of(archived))) {
          DocumentBody body;
          Verdict verdict = Verdict::done;
          bool const is_read = read_archived_document(shared_, archived, decision, body, verdict);
          // Other commands may push pages out meanwhile: what was read so far is answered then.
          bool const is_enough = verdict == Verdict::fetch && shown > 0 && decision.step >= kFetchesMax;
          if (is_enough) break;
          if (verdict == Verdict::fetch) {
            decision.work_units += looked;
            return verdict;
          }
          // Of one that cannot be read there is still its number.
          decision.status = {};
          if (!is_read) body = DocumentBody{};
          bytes += describe(archived, body, decision.answer);
          ++shown;
        }
        last = archive.id_of(archived);
        archived = archive.next(last);
      }
      at = store.next(last);
    }
    if (at != kNone || archived != Archive::kNone) after = last.value;
  }
  decision.work_units += looked;
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  if (after != 0) decision.answer.add("after", after);
  return Verdict::done;
}

Verdict Reads::destinations(Command const& command, Decision& decision) const {
  made::Destinations given;
  Request request;
  if (!given.read(command, decision) || decision.refuses(find(given, request))) return Verdict::done;
  if (request.plan == Plans::kNoPlan) {
    decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
    return Verdict::done;
  }
  Plan const& plan = shared_.documents.plans()[request.plan];
  std::size_t shown = 0;
  std::uint64_t bytes = 0;
  std::size_t at = given.after;
  for (; at < plan.targets.size() && bytes < kAnswerBytesMax; ++at) {
    auto const number = static_cast<std::uint16_t>(at);
    if (request.destination && number != *request.destination) continue;
    if (request.source && !std::ranges::binary_search(plan.of_source(*request.source), number)) continue;
    bytes += describe_destination(plan, number, request.source, decision.answer);
    ++shown;
  }
  decision.work_units += static_cast<std::uint32_t>(plan.targets.size());
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  if (at < plan.targets.size()) decision.answer.add("after", std::uint64_t{at});
  return Verdict::done;
}

std::size_t Reads::describe_destination(Plan const& plan, std::uint16_t number, std::optional<std::uint16_t> source,
                                        Answer& answer) const {
  plan::Destination const& destination = plan.destination(number);
  Plan::Target const& target = plan.targets[number];
  Plan::Counts const counts = plan.counts_at(number, source);
  std::string const branches = names_of(plan.rules, destination.branches);
  answer.message("DESTINATION").add("table", std::string_view{shared_.table()});
  answer.add("destination", std::string_view{destination.name});
  answer.add("guarantee", Value::of_text(plan::word_of(plan::kGuaranteeWords, plan.output(number).guarantee)));
  answer.add("mode", Value::of_text(kModeNames[static_cast<std::size_t>(target.mode)]));
  if (!target.reason.empty()) answer.add("reason", std::string_view{target.reason});
  // One document once: of those being sent, those in doubt have a count of their own.
  for (std::size_t state = 0; state < kStates; ++state) {
    bool const has_doubt = static_cast<State>(state) == State::sending;
    std::uint64_t const count = counts.states[state] - (has_doubt ? counts.in_doubt : 0);
    if (count > 0) answer.add(kStateNames[state], count);
  }
  if (counts.in_doubt > 0) answer.add("in_doubt", counts.in_doubt);
  if (counts.leased > 0) answer.add("with_workers", counts.leased);
  answer.add("step", std::string_view{plan.output(number).name});
  if (!branches.empty()) answer.add("branches", std::string_view{branches});
  return 500 + destination.name.size() + branches.size() + target.reason.size();
}

Verdict Reads::plans(Command const& command, Decision& decision) const {
  static_cast<void>(command);
  Plans const& plans = shared_.documents.plans();
  std::size_t shown = 0;
  for (std::size_t at = 0; at < kPlansMax; ++at) {
    auto const& plan = plans.all()[at];
    if (!plan) continue;
    Answer& answer = decision.answer.message("PLAN").add("table", std::string_view{shared_.table()});
    answer.add("plan", std::string_view{plan->rules.name}).add("version", std::uint64_t{plan->rules.version});
    answer.add("documents", plan->documents);
    if (at == plans.newest_number()) answer.add("newest", std::int64_t{1}).add("text", std::string_view{plan->text});
    if (plan->is_known()) answer.add("xml", std::string_view{plan::to_xml(plan->rules)});
    ++shown;
  }
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  return Verdict::done;
}

// The cursor is the number of a step.
Verdict Reads::steps(Command const& command, Decision& decision) const {
  made::Steps given;
  Request request;
  if (!given.read(command, decision) || decision.refuses(find(given, request))) return Verdict::done;
  std::size_t shown = 0;
  std::uint64_t bytes = 0;
  std::size_t at = given.after;
  std::size_t const end =
      request.plan == Plans::kNoPlan ? 0 : shared_.documents.plans()[request.plan].rules.steps.size();
  for (; at < end && shown < given.count && bytes < kAnswerBytesMax; ++at, ++shown)
    bytes += describe_step(shared_.documents.plans()[request.plan], static_cast<plan::StepIndex>(at), decision.answer);
  decision.work_units += static_cast<std::uint32_t>(shown);
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{shared_.table()});
  if (at < end) decision.answer.add("after", std::uint64_t{at});
  return Verdict::done;
}

std::size_t Reads::describe_step(Plan const& plan, plan::StepIndex number, Answer& answer) const {
  plan::Step const& step = plan.rules.step(number);
  std::string const behind = names_of(plan.rules, step.before);
  answer.message("STEP").add("table", std::string_view{shared_.table()});
  answer.add("plan", std::string_view{plan.rules.name}).add("version", std::uint64_t{plan.rules.version});
  answer.add("step", std::string_view{step.name});
  answer.add("kind", Value::of_text(step.is_source ? "source" : plan::word_of(plan::kKindWords, step.kind)));
  if (!step.is_source) answer.add("effect", Value::of_text(plan::word_of(plan::kEffectWords, step.effect)));
  if (!behind.empty()) answer.add("behind", std::string_view{behind});
  if (step.router != plan::Router::none)
    answer.add("router", Value::of_text(plan::word_of(plan::kRouterWords, step.router)));
  if (step.router == plan::Router::by_name) answer.add("copies_max", std::uint64_t{step.copies_max});
  if (step.is_output()) answer.add("guarantee", Value::of_text(plan::word_of(plan::kGuaranteeWords, step.guarantee)));
  if (step.any_path) answer.add("any_path", std::int64_t{1});
  return 300 + step.name.size() + behind.size();
}

// ---------------------------------------------------------------------------
// WHY

std::string Reads::why_cell(std::uint32_t number, std::int64_t now) const {
  Documents const& documents = shared_.documents;
  Cell const& cell = shared_.store().cell(number);
  bool const is_own = documents.ordinal_of(number) != kOriginalCell;
  Plan const& plan = documents.plan_of(cell.document);
  std::string const name = is_own ? plan.destination(documents.destination_of(number)).name : "its children";
  Mode const mode = is_own ? plan.targets[documents.destination_of(number)].mode : Mode::open;
  Failure const* const failure = documents.failure_of(number);
  if (is_terminal(cell.state)) return why_ended(name, cell.state, cell.attempts, failure);
  std::string const why = words_of(failure);
  bool const is_held = cell.place == Place::leased || cell.place == Place::in_doubt;
  if (!is_held && shared_.store()[cell.document].plan != documents.plans().newest_number())
    return name + ": a newer version of the plan is used: this one is not run any more";
  switch (cell.place) {
    case Place::in_doubt:
      return name + ": in doubt, as its worker was lost while it was being sent: RESOLVE it as sent or failed";
    case Place::leased: {
      rows::Lease const& lease = shared_.work().lease_of(number);
      std::string const doing = cell.state == State::sending   ? "is sending it"
                                : cell.state == State::batched ? "has it in a batch"
                                                               : "has it";
      return fmt::format("{}: {} {}, for {} more", name, shared_.work().leases().worker(lease), doing,
                         model::format_duration(std::max<std::int64_t>(0, lease.ends - now)));
    }
    case Place::resting:
      return name + ": it failed" + why + ", and is tried again in " +
             model::format_duration(std::max<std::int64_t>(0, (failure == nullptr ? now : failure->until) - now));
    case Place::behind:
      return fmt::format("{}: document {}, the version before, is missing there too, and goes first", name,
                         shared_.store()[documents.versions().before(cell.document)].id().value);
    case Place::under: return name + ": it waits for its original to be run again";
    case Place::listed: {
      std::string const failed = failure == nullptr ? "" : "it failed" + why + ", and ";
      if (mode == Mode::shut) return fmt::format("{}: {}the destination is shut: RESUME it", name, failed);
      if (mode == Mode::probing) return name + ": " + failed + "the destination is paused, as too much failed there";
      return fmt::format("{}: {}{}ready for the next worker", name, failed, failure == nullptr ? "" : "is ");
    }
    case Place::nowhere: break;
  }
  if (documents.families().is_orphan(cell.document))
    return name + ": its original has changed, and has no such child now";
  return name + ": nothing is to be done";
}

// A line that names the destination, and what its worker said, of each that has a trace.
std::string Reads::traces_of(std::uint32_t document) const {
  Documents const& documents = shared_.documents;
  std::string out;
  auto const add = [&](std::uint32_t cell, std::string_view name) {
    Failure const* const failure = documents.failure_of(cell);
    if (failure == nullptr || out.size() >= kTracesBytes) return;
    std::string_view const trace = failure::trace_of(failure->message);
    if (!trace.empty()) out.append(out.empty() ? "" : "\n").append(name).append(":\n").append(trace);
  };
  Document const& its = shared_.store()[document];
  for (std::uint16_t at = 0; at < its.cell_count; ++at) {
    std::uint32_t const cell = its.first_cell + at;
    add(cell, documents.plan_of(document).destination(documents.destination_of(cell)).name);
  }
  if (std::uint32_t const cell = documents.cell_of(document, kOriginalCell); cell != kNone) add(cell, "its children");
  return out;
}

// It has arrived everywhere, or was dropped.
Verdict Reads::why_archived(Archive::Number number, Decision& decision) const {
  DocumentBody body;
  Verdict verdict = Verdict::done;
  if (!read_archived_document(shared_, number, decision, body, verdict)) return verdict;
  Archive const& archive = shared_.documents.archive();
  Archive::Pattern const& pattern = archive.pattern_of(number);
  Plan const& plan = shared_.documents.plans()[pattern.plan];
  std::string text = "it is done. ";
  for (std::size_t at = 0; at < body.cells.size(); ++at) {
    Failure const* const failure = body.cells[at].failure ? &*body.cells[at].failure : nullptr;
    text +=
        why_ended(plan.destination(plan.of_source(pattern.source)[at]).name, body.cells[at].state, 0, failure) + ". ";
  }
  text.pop_back();
  std::string const states = states_of(pattern);
  Answer& answer = decision.answer.message("REASON").add("table", std::string_view{shared_.table()});
  answer.add("document", archive.id_of(number).value).add("states", std::string_view{states});
  answer.add("done", std::int64_t{1}).add("text", std::string_view{text});
  decision.work_units += static_cast<std::uint32_t>(body.cells.size());
  return Verdict::done;
}

Verdict Reads::why(Command const& command, Decision& decision) const {
  made::Why given;
  if (!given.read(command, decision)) return Verdict::done;
  Archive const& archive = shared_.documents.archive();
  if (Archive::Number const archived = archive.find(ObjectId{given.document}); archived != Archive::kNone)
    return why_archived(archived, decision);
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return Verdict::done;
  Store const& store = shared_.store();
  std::string text = store[document].is_done ? "it is done. " : "";
  if (store.is_gone(document))
    text += "Its source does not have it any more: it is to be deleted at each destination. ";
  for (std::uint16_t at = 0; at < store[document].cell_count; ++at)
    text += why_cell(store[document].first_cell + at, decision.now.value) + ". ";
  std::uint32_t const original = shared_.documents.cell_of(document, kOriginalCell);
  Families const& families = shared_.documents.families();
  bool const is_run = original != kNone && (families.original_of(store[document].id())->missing > 0 ||
                                            families.original_of(store[document].id())->undeclared > 0);
  if (is_run) text += why_cell(original, decision.now.value) + ". ";
  text += why_below(document);
  bool const undeclared = !store[document].is_done && families.family_of(document) != nullptr &&
                          !shared_.documents.extras().declared_of(document);
  if (undeclared) text += "It is not known whether it has more children: CHILDREN_DONE says so. ";
  if (!text.empty()) text.pop_back();
  Answer& answer = decision.answer.message("REASON").add("table", std::string_view{shared_.table()});
  answer.add("document", store[document].id().value)
      .add("states", std::string_view{destination_states(shared_, document)});
  if (store[document].is_done) answer.add("done", std::int64_t{1});
  if (ObjectId const newer = shared_.documents.versions().behind(document); !newer.is_none())
    answer.add("newer", newer.value);
  describe_below(document, answer);
  answer.add("text", std::string_view{text});
  if (std::string const traces = traces_of(document); !traces.empty())
    answer.add("error_trace", std::string_view{traces});
  decision.work_units += store[document].cell_count;
  return Verdict::done;
}

}  // namespace fastjournal::pipeline
