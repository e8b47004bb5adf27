#include "plugins/pipeline/applier.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/failure.h"
#include "model/plan/codec.h"

namespace fastjournal::pipeline {
namespace {

// Of a whole record, with its header: a document or a plan beside its texts, and each cell.
constexpr std::uint64_t kDocumentBytes = 64;
constexpr std::uint64_t kCellBytes = 3;

}  // namespace

Applier::Known Applier::look(ObjectId id, ApplyContext const& context, std::uint32_t& document) {
  document = store_.find(id);
  if (document != kNone) return Known::yes;
  if (id.value >= context.base.value) return Known::damage;
  ++ignored_;
  return Known::dropped;
}

void Applier::place(std::uint32_t& region, Lsn lsn, bool is_new) {
  if (!is_new) regions_.remove(region);
  region = rows::Regions::of(lsn);
  regions_.add(region);
}

bool Applier::apply(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  if (record.version == 0 || record.version > newest_version(record.type)) return false;
  date_ = context.now.value;
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::plan: return apply_plan(record, observer);
    case RecordType::document: return apply_document(record, observer);
    case RecordType::archived: return apply_archived(record, observer);
    case RecordType::destination: return apply_destination(record, context, observer);
    case RecordType::drain: return apply_drain(record, context);
    case RecordType::clock: {
      ClockBody body;
      if (!model::read_record(record, body)) return false;
      work_.lower_clock(body.from, body.to);
      return true;
    }
    case RecordType::retired: return apply_retired(record, context);
    default: break;
  }
  bool const is_forgotten = record.type == static_cast<std::uint8_t>(RecordType::forgotten);
  std::uint32_t const newer = is_forgotten ? versions_.stop_following(record.object) : kNone;
  for (std::uint16_t at = 0; newer != kNone && at < store_[newer].cell_count; ++at)
    if (std::uint32_t const cell = store_[newer].first_cell + at; store_.cell(cell).place == Place::behind)
      cells_.move(cell, observer);
  if (Archive::Number const number = archive_.find(record.object); number != Archive::kNone) {
    // Every other change brings it back first.
    if (!is_forgotten) return false;
    history_.note({.at = date_, .document = record.object, .what = Event::What::forgotten}, {});
    take_from_archive(number, observer);
    return true;
  }
  std::uint32_t document = kNone;
  Known const known = look(record.object, context, document);
  // Children that were compacted before it, and forgotten since.
  if (known == Known::dropped && is_forgotten) families_.forget_unknown(record.object);
  if (known != Known::yes) return known == Known::dropped;
  switch (static_cast<RecordType>(record.type)) {
    case RecordType::changed: return apply_changed(record, document, observer);
    case RecordType::lease: return apply_lease(record, context, document, observer);
    case RecordType::status: return apply_status(record, document, observer);
    case RecordType::held: return apply_held(record, document, observer);
    case RecordType::routed: return apply_routed(record, document, observer);
    case RecordType::declared: return apply_declared(record, document, observer);
    case RecordType::forgotten:
      note_document(document, {.what = Event::What::forgotten}, store_.name_of(document));
      forget(document, observer);
      return true;
    default: return false;
  }
}

bool Applier::apply_plan(RecordView const& record, TableObserver& observer) {
  PlanBody body;
  if (!model::read_record(record, body)) return false;
  std::optional<plan::Plan> rules = plan::decode(body.text);
  if (!rules) return false;
  std::optional<std::uint8_t> number = plans_.find(record.object);
  if (number && plans_[*number].is_known()) {
    place(plans_.at(*number).region, record.lsn, false);
    return plans_[*number].text == body.text;
  }
  auto plan = std::make_unique<Plan>(std::move(*rules), std::string{body.text});
  plan->id = record.object;
  for (PlanBody::Paused const& paused : body.paused) {
    if (paused.destination >= plan->targets.size()) return false;
    plan->targets[paused.destination].mode = paused.mode;
    plan->targets[paused.destination].reason = paused.reason;
  }
  if (body.drain) plan->drain = {body.drain->since, std::string{body.drain->by}, std::string{body.drain->reason}};
  place(plan->region, record.lsn, true);
  base_bytes_ += kDocumentBytes + body.text.size();
  std::uint8_t const newest = plans_.newest_number();
  bool const has_documents = number.has_value();
  if (has_documents)
    plans_.know(*number, std::move(plan));
  else
    number = plans_.add(std::move(plan));
  if (!number) return false;
  if (plans_.newest_number() != newest) {
    work_.start_again();
    std::vector<Plan::Target> const& targets = plans_[*number].targets;
    for (std::size_t at = 0; at < targets.size(); ++at)
      if (targets[at].mode == Mode::probing) work_.mode_changed(static_cast<std::uint16_t>(at), 0, observer);
  }
  if (has_documents) take_documents(*number, observer);
  return true;
}

bool Applier::apply_retired(RecordView const& record, ApplyContext const& context) {
  std::optional<std::uint8_t> const plan = plans_.find(record.object);
  if (!plan) return record.object.value < context.base.value && ++ignored_ > 0;
  if (plans_[*plan].documents > 0 || *plan == plans_.newest_number()) return false;
  // A replay may know it by its documents alone: it was not compacted any more.
  if (plans_[*plan].is_known()) {
    regions_.remove(plans_[*plan].region);
    base_bytes_ -= kDocumentBytes + plans_[*plan].text.size();
  }
  plans_.remove(*plan);
  return true;
}

// Their cells were in no place, and not counted.
void Applier::take_documents(std::uint8_t number, TableObserver& observer) {
  for (std::uint32_t at = store_.next({}); at != kNone; at = store_.next(store_[at].id())) {
    Document const& document = store_[at];
    if (document.plan != number) continue;
    for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell) {
      if (store_.cell(cell).place != Place::nowhere || is_terminal(store_.cell(cell).state)) {
        counts_.count(cell, 1);
        continue;
      }
      cells_.enter(cell, {}, observer);
    }
    counts_.finish(at, observer);
  }
  for (Archive::Pattern const& pattern : archive_.patterns())
    if (pattern.plan == number) counts_.count(pattern, static_cast<std::int64_t>(pattern.documents));
}

bool Applier::apply_archived(RecordView const& record, TableObserver& observer) {
  ArchivedBody body;
  if (!model::read_record(record, body)) return false;
  if (archive_.has_page(record.object)) {
    // Compacted.
    place(archive_.region_of_page(record.object), record.lsn, false);
    return true;
  }
  std::vector<std::uint8_t> numbers;
  for (ArchivedBody::Pattern const& pattern : body.patterns) {
    std::optional<std::uint8_t> plan = plans_.find(pattern.plan);
    if (!plan) plan = plans_.add(std::make_unique<Plan>(pattern.plan));
    if (!plan) return false;
    Plan const& its = plans_[*plan];
    bool const fits = !its.is_known() || (pattern.source < its.of_sources.size() &&
                                          its.of_source(pattern.source).size() == pattern.states.size());
    if (!fits || !std::ranges::all_of(pattern.states, [](State state) { return is_terminal(state); })) return false;
    numbers.push_back(*plan);
  }
  std::uint64_t count = 0;
  for (ArchivedBody::One const& one : body.all) {
    if (one.document.is_none()) continue;
    if (archive_.find(one.document) != Archive::kNone || archive_.find(one.name) != Archive::kNone) return false;
    if (std::uint32_t const document = store_.find(one.document); document != kNone) forget(document, observer);
    ++count;
  }
  if (count == 0) return false;
  std::uint32_t region = 0;
  place(region, record.lsn, true);
  archive_.add(record.object, region, body, numbers);
  for (ArchivedBody::One const& one : body.all) {
    if (one.document.is_none()) continue;
    Archive::Pattern const& pattern = archive_.pattern_of(archive_.find(one.document));
    ++plans_.at(pattern.plan).documents;
    counts_.count(pattern, 1);
  }
  observer.stored(body.extent, {});
  return true;
}

void Applier::take_from_archive(Archive::Number number, TableObserver& observer) {
  Archive::Pattern const pattern = archive_.pattern_of(number);
  --plans_.at(pattern.plan).documents;
  counts_.count(pattern, -1);
  Archive::Gone const gone = archive_.remove(number);
  if (!gone.is_page) return;
  regions_.remove(gone.region);
  observer.freed(gone.extent);
}

bool Applier::apply_document(RecordView const& record, TableObserver& observer) {
  DocumentBody body;
  if (!model::read_record(record, body)) return false;
  if (std::uint32_t const known = store_.find(record.object); known != kNone) {
    // Compacted: the state is known.
    place(store_.at(known).region, record.lsn, false);
    return true;
  }
  if (Archive::Number const archived = archive_.find(record.object); archived != Archive::kNone)
    take_from_archive(archived, observer);
  std::optional<std::uint8_t> plan = plans_.find(body.plan);
  if (!plan) plan = plans_.add(std::make_unique<Plan>(body.plan));
  if (!plan) return false;
  bool const is_found = record.object == object_of(record.lsn);
  Plan const& its = plans_[*plan];
  if (its.is_known() && (body.source >= its.of_sources.size() || its.of_source(body.source).size() != body.cell_count))
    return false;
  if (!body.before.is_none()) {
    versions_.follow(body.before, record.object);
    if (std::uint32_t const older = store_.find(body.before); older != kNone) {
      store_.take_name(older);
      store_.at(older).is_forgotten = true;
      counts_.look_at_leaving(older);
    }
  }
  std::uint32_t const number = store_.add(record.object, *plan, body);
  Document& document = store_.at(number);
  place(document.region, record.lsn, true);
  ++plans_.at(*plan).documents;
  base_bytes_ += kDocumentBytes + body.hash.size() + body.name.size() + kCellBytes * body.cell_count;
  counts_.add(number);
  extras_.add(record.object, body);
  if (is_found) note_document(number, {});
  families_.add(number, body.original_cell.has_value());
  if (body.parent.is_none() && body.original_cell)
    cells_.read(cells_.of(number, kOriginalCell), *body.original_cell, observer);
  for (std::uint16_t at = 0; at < body.cell_count; ++at)
    cells_.read(store_[number].first_cell + at, body.cells.empty() ? CellBody{} : body.cells[at], observer);
  counts_.finish(number, observer);
  counts_.finish_parent(number, observer);
  return true;
}

bool Applier::apply_changed(RecordView const& record, std::uint32_t number, TableObserver& observer) {
  ChangedBody body;
  if (!model::read_record(record, body)) return false;
  std::string const hash{body.hash};
  Document const& document = store_[number];
  std::vector<std::uint32_t> cells;
  for (std::uint16_t at = 0; at < document.cell_count; ++at) cells.push_back(document.first_cell + at);
  std::uint32_t const original_cell = cells_.of(number, kOriginalCell);
  if (original_cell != kNone) cells.push_back(original_cell);
  for (std::uint32_t const cell : cells) {
    cells_.leave(cell, observer);
    extras_.set_failure(cell, nullptr);
    store_.cell_at(cell).state = State::processing;
    store_.cell_at(cell).attempts = 0;
  }
  base_bytes_ += hash.size() - store_.hash_of(number).size();
  store_.set_hash(number, hash);
  families_.begin_generation(number);
  note_document(number, {.what = Event::What::changed});
  for (std::uint32_t const cell : cells) cells_.enter(cell, {}, observer);
  counts_.finish(number, observer);
  counts_.finish_parent(number, observer);
  return true;
}

bool Applier::apply_lease(RecordView const& record, ApplyContext const& context, std::uint32_t document,
                          TableObserver& observer) {
  LeaseBody body;
  if (!model::read_record(record, body) || !cells_.find(document, body.cells, found_)) return false;
  work_.see(body.terms.began);
  if (!body.to && !found_.empty() && store_.cell(found_.front()).place != Place::leased)
    note_document(document, {.what = Event::What::handed_out}, body.terms.worker);
  for (std::uint32_t const cell : found_) {
    bool const is_renewed = store_.cell(cell).place == Place::leased && work_.lease_of(cell).epoch == body.terms.epoch;
    if (is_renewed && (!body.to || *body.to == store_.cell(cell).state)) {
      work_.renew(cell, body.terms, observer);
      continue;
    }
    std::uint16_t const ordinal = store_.ordinal_of(cell);
    if (context.live && ordinal != kOriginalCell && store_.cell(cell).place == Place::listed) {
      std::uint16_t const destination = cells_.destination_of(cell);
      if (plan_of(document).targets[destination].mode == Mode::probing &&
          store_[document].plan == plans_.newest_number())
        work_.probe_taken(destination, work_.now() + probe_every_);
    }
    rows::Leases::Terms terms = body.terms;
    if (is_renewed) terms.began = work_.lease_of(cell).began;
    cells_.leave(cell, observer);
    if (body.to) store_.cell_at(cell).state = *body.to;
    cells_.enter(cell, {CellBody::Lease::leased, &terms}, observer);
    if (body.to) note_state(cell, terms.worker);
  }
  counts_.finish(document, observer);
  return true;
}

bool Applier::apply_status(RecordView const& record, std::uint32_t document, TableObserver& observer) {
  StatusBody body;
  if (!model::read_record(record, body) || !cells_.find(document, body.cells, found_)) return false;
  for (std::uint32_t const cell : found_) {
    bool const was_leased = store_.cell(cell).place == Place::leased;
    cells_.leave(cell, observer);
    store_.cell_at(cell).state = body.to;
    store_.cell_at(cell).attempts = body.attempts;
    if (!body.keeps_failure) extras_.set_failure(cell, body.failure ? &*body.failure : nullptr);
    cells_.enter(cell, {.first = was_leased}, observer);
    note_state(cell, {});
    if (is_failed(body.to)) tell_failed(cell, observer);
  }
  counts_.finish(document, observer);
  return true;
}

bool Applier::apply_held(RecordView const& record, std::uint32_t document, TableObserver& observer) {
  HeldBody body;
  if (!model::read_record(record, body) || !cells_.find(document, body.cells, found_)) return false;
  for (std::uint32_t const cell : found_) {
    if (store_.cell(cell).place != Place::leased) return false;
    rows::Leases::Terms terms = cells_.terms_of(cell);
    std::string const worker{terms.worker};
    terms.worker = worker;
    terms.ends = body.at;
    terms.connection = 0;
    cells_.leave(cell, observer);
    cells_.enter(cell, {CellBody::Lease::in_doubt, &terms}, observer);
    note(cell, Event::What::in_doubt, worker);
    if (store_.ordinal_of(cell) == kOriginalCell || !plan_of(document).is_known()) continue;
    observer.alert("document-in-doubt", 60,
                   named(document) + " was being sent to " +
                       plan_of(document).destination(cells_.destination_of(cell)).name +
                       " when its worker was lost: RESOLVE it as sent or failed",
                   "pipeline");
  }
  counts_.finish(document, observer);
  return true;
}

bool Applier::apply_routed(RecordView const& record, std::uint32_t document, TableObserver& observer) {
  RoutedBody body;
  if (!model::read_record(record, body) || !cells_.find(document, body.dropped, found_)) return false;
  std::vector<plan::Choice>& choices = extras_.at(document).choices;
  std::erase_if(choices, [&](plan::Choice const& choice) { return choice.router == body.choice.router; });
  choices.push_back(body.choice);
  note_choice(document, body.choice);
  for (std::uint32_t const cell : found_) {
    cells_.leave(cell, observer);
    store_.cell_at(cell).state = State::dropped;
    store_.cell_at(cell).attempts = 0;
    extras_.set_failure(cell, nullptr);
    cells_.enter(cell, {}, observer);
    note_state(cell, {});
  }
  counts_.finish(document, observer);
  return true;
}

bool Applier::apply_declared(RecordView const& record, std::uint32_t document, TableObserver& observer) {
  DeclaredBody body;
  if (!model::read_record(record, body)) return false;
  extras_.at(document).declared = body.children;
  note_document(document, {.what = Event::What::children_done, .count = body.children});
  counts_.finish(document, observer);
  return true;
}

bool Applier::apply_destination(RecordView const& record, ApplyContext const& context, TableObserver& observer) {
  DestinationBody body;
  if (!model::read_record(record, body)) return false;
  std::optional<std::uint8_t> const number = plans_.find(record.object);
  if (!number) return record.object.value < context.base.value && ++ignored_ > 0;
  for (DestinationBody::Spared const& spared : body.spared) {
    std::uint32_t document = kNone;
    Known const known = look(spared.document, context, document);
    if (known == Known::damage) return false;
    std::uint32_t const cell = known == Known::yes ? cells_.of(document, spared.cell) : kNone;
    if (cell == kNone || store_.cell(cell).state != State::error) continue;
    if (std::uint8_t& attempts = store_.cell_at(cell).attempts; attempts > 0) --attempts;
    if (Failure const* const failure = extras_.failure_of(cell); failure != nullptr && failure->of_kind > 0) {
      Failure less = *failure;
      --less.of_kind;
      extras_.set_failure(cell, &less);
    }
  }
  if (!plans_[*number].is_known()) return true;
  if (body.destination >= plans_[*number].targets.size()) return false;
  Plan::Target& target = plans_.at(*number).targets[body.destination];
  target.mode = body.mode;
  target.reason = body.reason;
  if (*number == plans_.newest_number())
    history_.note({.at = date_,
                   .version = plans_[*number].rules.version,
                   .destination = body.destination,
                   .what = Event::What::mode},
                  kModeNames[static_cast<std::size_t>(body.mode)], body.reason);
  if (*number != plans_.newest_number()) return true;
  // After a start one is tried at once.
  std::int64_t const probe_at = body.mode != Mode::probing ? INT64_MAX : context.live ? work_.now() + probe_every_ : 0;
  work_.mode_changed(body.destination, probe_at, observer);
  std::string const name = plans_[*number].destination(body.destination).name;
  if (body.mode == Mode::probing)
    observer.alert("destination-paused", 70, "destination " + name + " is paused: " + target.reason, "pipeline");
  else if (std::ranges::none_of(plans_[*number].targets, [](auto const& one) { return one.mode == Mode::probing; }))
    observer.lower_alert("destination-paused");
  return true;
}

bool Applier::apply_drain(RecordView const& record, ApplyContext const& context) {
  DrainingBody body;
  if (!model::read_record(record, body)) return false;
  std::optional<std::uint8_t> const number = plans_.find(record.object);
  if (!number) return record.object.value < context.base.value && ++ignored_ > 0;
  if (!plans_[*number].is_known()) return true;
  Plan& plan = plans_.at(*number);
  plan.drain.reset();
  std::optional<DrainBody> const& drain = body.drain;
  if (drain) plan.drain = {drain->since, std::string{drain->by}, std::string{drain->reason}};
  if (*number == plans_.newest_number())
    history_.note({.at = date_, .what = drain ? Event::What::drains : Event::What::resumed},
                  drain ? drain->by : std::string_view{}, drain ? drain->reason : std::string_view{});
  return true;
}

void Applier::forget(std::uint32_t number, TableObserver& observer) {
  Document const& document = store_[number];
  ObjectId const id = document.id();
  std::optional<Origin> const origin = store_.origin_of(number);
  cells_.forget(number, observer);
  families_.forget(number);
  versions_.forget(id);
  extras_.remove(id);
  counts_.forget(number);
  base_bytes_ -=
      kDocumentBytes + store_.hash_of(number).size() + store_.name_of(number).size() + kCellBytes * document.cell_count;
  regions_.remove(document.region);
  --plans_.at(document.plan).documents;
  store_.remove(number);
  if (!origin) return;
  if (std::uint32_t const parent = store_.find(origin->parent); parent != kNone) counts_.finish(parent, observer);
}

// ---------------------------------------------------------------------------
// What is told

std::string Applier::named(std::uint32_t document) const {
  return "document " + std::to_string(store_[document].id().value) + " (" + std::string{store_.name_of(document)} + ")";
}

void Applier::note(std::uint32_t cell, Event::What what, std::string_view first, std::string_view second) {
  Cell const& its = store_.cell(cell);
  Event event{.what = what, .state = its.state};
  event.attempts = its.attempts;
  if (Plan const& plan = plan_of(its.document); plan.is_known() && store_.ordinal_of(cell) != kOriginalCell) {
    event.version = plan.rules.version;
    event.destination = cells_.destination_of(cell);
  }
  note_document(its.document, std::move(event), first, second);
}

void Applier::note_document(std::uint32_t document, Event event, std::string_view first, std::string_view second) {
  if (!history_.is_kept()) return;
  event.at = date_;
  event.document = store_[document].id();
  event.generation = extras_.generation_of(document);
  if (std::optional<Origin> const origin = store_.origin_of(document)) {
    event.parent = origin->parent;
    event.original = origin->original;
  }
  history_.note(std::move(event), first, second, store_.hash_of(document));
}

void Applier::note_state(std::uint32_t cell, std::string_view worker) {
  State const state = store_.cell(cell).state;
  Failure const* const failure = extras_.failure_of(cell);
  bool const has_failure = failure != nullptr && (state >= State::dropped || state == State::error);
  note(cell, Event::What::state, has_failure ? std::string_view{failure->kind} : worker,
       has_failure ? failure::error_of(failure->message) : std::string_view{});
}

void Applier::note_choice(std::uint32_t document, plan::Choice const& choice) {
  plan::Plan const& rules = plan_of(document).rules;
  auto const name = [&](std::size_t step) {
    return step < rules.steps.size() ? std::string_view{rules.steps[step].name} : std::string_view{};
  };
  std::string chosen;
  for (auto const step : choice.taken) chosen.append(chosen.empty() ? "" : " ").append(name(step));
  note_document(document, {.what = Event::What::routed}, name(choice.router), chosen);
}

void Applier::tell_failed(std::uint32_t cell, TableObserver& observer) {
  std::uint32_t const number = store_.cell(cell).document;
  Failure const* const failure = extras_.failure_of(cell);
  std::string why;
  if (failure != nullptr) {
    std::string const error{failure::error_of(failure->message)};
    why = ": " + failure->kind + (error.empty() ? "" : ", ") + error;
  }
  bool const is_own = store_.ordinal_of(cell) != kOriginalCell && plan_of(number).is_known();
  std::string const where = is_own ? " does not reach " + plan_of(number).destination(cells_.destination_of(cell)).name
                                   : " cannot be run for its children";
  observer.alert("document-failed", 60, named(number) + where + why, "pipeline");
}

}  // namespace fastjournal::pipeline
