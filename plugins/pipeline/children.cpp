#include "plugins/pipeline/children.h"

#include <algorithm>
#include <string>

#include "model/value.h"

namespace fastjournal::pipeline {
namespace {

// What CHILD made of a child: Decision::carry[0], from its first step on.
enum Made : std::uint64_t { kChildNotLooked, kChildNew, kChildChanged, kChildAgain };

}  // namespace

std::uint32_t Children::original_of(std::uint32_t document) const {
  std::optional<Origin> const origin = shared_.store().origin_of(document);
  return origin ? shared_.store().find(origin->original) : document;
}

int Children::depth_of(std::uint32_t document) const {
  int depth = 0;
  for (std::uint32_t at = document; at != kNone && depth <= kDepthMax; ++depth) {
    std::optional<Origin> const origin = shared_.store().origin_of(at);
    if (!origin) break;
    at = shared_.store().find(origin->parent);
  }
  return depth;
}

bool Children::is_run_by(std::uint32_t document, LeaseEpoch token) const {
  // What is made of an orphan would be one.
  if (shared_.documents.families().is_orphan(document)) return false;
  if (!leased_by(shared_, document, token).empty()) return true;
  std::uint32_t const original = original_of(document);
  if (original == kNone) return false;
  std::uint32_t const cell = shared_.documents.cell_of(original, kOriginalCell);
  return cell != kNone && shared_.store().cell(cell).place == Place::leased &&
         shared_.work().lease_of(cell).epoch == token;
}

DocumentBody Children::make(std::uint32_t parent, std::string_view name, std::optional<std::uint16_t> maker,
                            std::string_view generation) const {
  Store const& store = shared_.store();
  Plan const& plan = shared_.documents.plan_of(parent);
  std::optional<Origin> const origin = store.origin_of(parent);
  DocumentBody out;
  out.plan = plan.id;
  out.source = store[parent].source;
  out.parent = store[parent].id();
  out.original = origin ? origin->original : store[parent].id();
  out.maker = maker.value_or(store[parent].source);
  out.hash = generation;
  out.name = name;
  out.cell_count = store[parent].cell_count;
  if (!maker) return out;
  // It reaches what is behind the step that made it.
  std::vector<std::uint16_t> const& destinations = plan.of_source(out.source);
  for (std::uint16_t const destination : destinations) {
    bool const is_way = plan::reaches(plan.rules, out.source, plan.destination(destination), {}, out.maker);
    CellBody cell;
    cell.state = is_way ? State::processing : State::dropped;
    out.cells.push_back(cell);
  }
  return out;
}

Verdict Children::child(Command const& command, Decision& decision) const {
  made::Child given;
  if (!given.read(command, decision, shared_.options.times.range(command)) ||
      decision.refuses(rows::check_worker(command)))
    return Verdict::done;
  LeaseEpoch const token{given.token};
  std::string_view const name = given.child;
  if (name.empty())
    return decision.refuse(
        model::refused(Code::bad_parameter, "child",
                       "child is empty, expected what tells it from its siblings each time: a number, a key"));
  std::uint32_t const parent = find_document(shared_, given.document, decision.status);
  if (parent == kNone) return Verdict::done;
  Store const& store = shared_.store();
  if (decision.carry[0] != kChildNotLooked)
    return hand_child(store.find(ObjectId{decision.carry[1]}), token, given.lease, command, decision);
  std::uint32_t const original = original_of(parent);
  if (original == kNone || !is_run_by(parent, token)) return decision.refuse(stale(shared_, parent, token));
  if (depth_of(parent) >= kDepthMax)
    return decision.refuse(Status{Code::over_limit, shared_.name_of(parent) + " is itself " +
                                                        std::to_string(kDepthMax) +
                                                        " levels below its original: that is the limit"}
                               .with("parameter", "child"));
  std::optional<std::uint16_t> maker;
  if (given.step.is_given) {
    Plan const& plan = shared_.documents.plan_of(parent);
    maker = plan.step_named(given.step);
    if (!maker)
      return decision.refuse(model::refused(Code::not_found, "step",
                                            "plan " + plan.rules.name + " has no step " + model::shown(given.step)));
  }
  std::string const generation = std::to_string(shared_.documents.extras().generation_of(original));
  std::uint32_t const known = store.find(store[parent].plan, store[parent].source, store[parent].id(), name);
  if (known == kNone) {
    bool const is_full =
        shared_.options.documents_max != 0 && shared_.documents.size() >= shared_.options.documents_max;
    if (is_full)
      return decision.refuse({Code::over_limit, "table " + shared_.table() + " has documents-max (" +
                                                    std::to_string(shared_.options.documents_max) + ") documents"});
    DocumentBody const body = make(parent, name, maker, generation);
    decision.carry[0] = kChildNew;
    decision.carry[1] = object_of(model::append_record(decision.records, {}, body)).value;
    return Verdict::again;
  }
  decision.carry[1] = store[known].id().value;
  if (store.hash_of(known) == generation) {
    decision.carry[0] = kChildAgain;
    return hand_child(known, token, given.lease, command, decision);
  }
  decision.carry[0] = kChildChanged;
  model::append_record(decision.records, store[known].id(), ChangedBody{generation});
  DocumentBody const body = make(parent, name, maker, generation);
  Ordinals beside;
  for (std::uint16_t at = 0; at < body.cells.size(); ++at)
    if (body.cells[at].state == State::dropped) beside.push_back(at);
  if (!beside.empty())
    model::append_record(decision.records, store[known].id(), StatusBody{beside, State::dropped, 0, {}});
  return Verdict::again;
}

Verdict Children::hand_child(std::uint32_t child, LeaseEpoch token, std::int64_t lease_ms, Command const& command,
                             Decision& decision) const {
  Store const& store = shared_.store();
  Documents const& documents = shared_.documents;
  std::uint32_t const original = original_of(child);
  rows::Leases::Terms const terms = terms_for(command, decision, token, lease_ms);
  // The run holds its original, too: it is not handed out again meanwhile. Renewed when half of its time is over.
  std::uint32_t const standing = documents.cell_of(original, kOriginalCell);
  bool const is_held = standing != kNone && store.cell(standing).place == Place::leased &&
                       (shared_.work().lease_of(standing).epoch != token ||
                        shared_.work().lease_of(standing).ends >= decision.now.value + lease_ms / 2);
  Ordinals taken;
  bool is_mine = false;
  for (std::uint16_t at = 0; at < store[child].cell_count; ++at) {
    std::uint32_t const number = store[child].first_cell + at;
    Cell const& cell = store.cell(number);
    bool const has_token = cell.place == Place::leased && shared_.work().lease_of(number).epoch == token;
    is_mine = is_mine || has_token;
    if (is_terminal(cell.state) || cell.place == Place::in_doubt) continue;
    if (cell.place != Place::leased || has_token) taken.push_back(at);
  }
  if (decision.carry[0] == kChildAgain && is_mine && command.message->integer("again").value_or(0) != 1)
    return decision.refuse(Status{Code::in_use, "child " + model::shown(store.name_of(child)) +
                                                    " was made in this run already: siblings need different names; say "
                                                    "again=1 to repeat a command whose answer was lost"}
                               .with("parameter", "child"));
  if (!is_held)
    model::append_record(decision.records, store[original].id(), LeaseBody{{kOriginalCell}, std::nullopt, terms});
  Answer& answer = decision.answer.message(taken.empty() ? "SKIP" : "DOCUMENT");
  answer.add("table", std::string_view{shared_.table()}).add("document", store[child].id().value);
  decision.durability = decision.carry[0] == kChildNew ? Durability::synced : Durability::written;
  if (taken.empty()) {
    // All that is below it has arrived, too: it need not be taken apart again.
    if (store[child].is_done) answer.add("subtree", std::int64_t{1});
    return Verdict::done;
  }
  model::append_record(decision.records, store[child].id(), LeaseBody{taken, std::nullopt, terms});
  answer.add("parent", store.origin_of(child)->parent.value).add("original", store[original].id().value);
  answer.add("child", store.name_of(child));
  answer.add("change", Value::of_text(decision.carry[0] == kChildNew       ? "new"
                                      : decision.carry[0] == kChildChanged ? "changed"
                                                                           : "resume"));
  answer.add("destinations", std::string_view{destination_names(shared_, child, taken)});
  answer.add("token", token.value).add("lease_end", terms.ends);
  return Verdict::done;
}

Verdict Children::children_done(Command const& command, Decision& decision) const {
  made::ChildrenDone given;
  if (!given.read(command, decision)) return Verdict::done;
  LeaseEpoch const token{given.token};
  std::uint64_t const count = given.count;
  std::uint32_t const document = find_document(shared_, given.document, decision.status);
  if (document == kNone) return Verdict::done;
  Store const& store = shared_.store();
  if (!is_run_by(document, token)) return decision.refuse(stale(shared_, document, token));
  Family const* const family = shared_.documents.families().family_now(document);
  std::uint64_t const known = family == nullptr ? 0 : family->children;
  if (known != count)
    return decision.refuse(Status{Code::bad_parameter, "count is " + std::to_string(count) + ", and " +
                                                           shared_.name_of(document) + " has " + std::to_string(known) +
                                                           " children: each is said by CHILD before"}
                               .with("parameter", "count"));
  model::append_record(decision.records, store[document].id(), DeclaredBody{count});
  // The run of an original is over; what it made of its children goes on.
  std::uint32_t const cell = store[document].is_child ? kNone : shared_.documents.cell_of(document, kOriginalCell);
  bool const ends =
      cell != kNone && store.cell(cell).place == Place::leased && shared_.work().lease_of(cell).epoch == token;
  if (ends)
    model::append_record(decision.records, store[document].id(), StatusBody{{kOriginalCell}, State::processing, 0, {}});
  decision.answer.message("RECORDED").add("table", std::string_view{shared_.table()});
  decision.answer.add("document", store[document].id().value).add("children", count);
  return Verdict::done;
}

}  // namespace fastjournal::pipeline
