#include "plugins/pipeline/documents.h"

#include <optional>
#include <string>

#include "base/bytes.h"

namespace fastjournal::pipeline {
namespace {

// Documents that one search for those to compact looks at.
constexpr std::uint32_t kCompactWorkUnitsMax = 20'000;
constexpr std::size_t kHeaderBytes = 32;  // of a record
// In a whole record.
constexpr std::uint64_t kLeaseBytes = 80;

PlanBody plan_body(Plan const& plan) {
  PlanBody out;
  for (std::size_t at = 0; at < plan.targets.size(); ++at)
    if (plan.targets[at].mode != Mode::open)
      out.paused.push_back({static_cast<std::uint16_t>(at), plan.targets[at].mode, plan.targets[at].reason});
  out.text = plan.text;
  if (plan.drain) out.drain = DrainBody{plan.drain->since, plan.drain->by, plan.drain->reason};
  out.tells_deleted = tells_deleted(plan.rules);
  return out;
}

}  // namespace

bool Documents::knows(ObjectId document) const {
  return store().find(document) != kNone || archive().find(document) != Archive::kNone;
}

bool Documents::may_be_archived(std::uint32_t number) const {
  Document const& document = store()[number];
  if (!document.is_done || document.is_child || counts().is_to_leave(number) || !plan_of(number).is_known())
    return false;
  for (std::uint32_t cell = document.first_cell; cell < document.first_cell + document.cell_count; ++cell)
    if (is_failed(store().cell(cell).state)) return false;
  ObjectId const id = document.id();
  Extras::More const* const more = extras().of(id);
  bool const has_before = more != nullptr && !more->before.is_none();
  return document.cell_count > 0 && !has_before && families().is_alone(id) && versions().behind(number).is_none() &&
         archive().find(name_hash(plan_of(number).id, document.source, store().name_of(number))) == Archive::kNone;
}

// ---------------------------------------------------------------------------
// Space, people

std::uint64_t Documents::live_bytes() const {
  return parts_.base_bytes + archive().live_bytes() + work().leases().size() * kLeaseBytes + extras().live_bytes() +
         families().live_bytes();
}

std::uint64_t Documents::memory_bytes() const {
  return plans().memory_bytes() + store().memory_bytes() + archive().memory_bytes() + work().memory_bytes() +
         extras().memory_bytes() + families().memory_bytes() + versions().memory_bytes() + counts().memory_bytes() +
         history().memory_bytes();
}

DocumentBody Documents::body_of(std::uint32_t number) const {
  Document const& document = store()[number];
  DocumentBody out;
  out.plan = plans()[document.plan].id;
  out.source = document.source;
  if (std::optional<Origin> const origin = store().origin_of(number)) {
    out.parent = origin->parent;
    out.original = origin->original;
    out.maker = origin->maker;
  }
  out.hash = store().hash_of(number);
  out.name = store().name_of(number);
  out.is_forgotten = document.is_forgotten;
  if (Extras::More const* const more = extras().of(document.id())) {
    out.generation = more->generation;
    out.before = more->before;
    out.declared = more->declared;
    out.choices = more->choices;
  }
  out.cell_count = document.cell_count;
  for (std::uint16_t at = 0; at < document.cell_count; ++at)
    out.cells.push_back(cells().body_of(document.first_cell + at));
  std::uint32_t const original = cell_of(number, kOriginalCell);
  if (original != kNone) out.original_cell = cells().body_of(original);
  return out;
}

bool Documents::compact(Lsn below, rows::CopyRoom& room, Records& records) const {
  auto const is_below = [&](std::uint32_t region) { return rows::Regions::start(region) < below; };
  std::uint64_t left = parts_.regions.count_below(below);
  for (auto const& plan : plans().all()) {
    if (!plan || !plan->is_known() || !is_below(plan->region)) continue;
    PlanBody body = plan_body(*plan);
    if (!room.take(model::body_bytes(body) + kHeaderBytes)) return true;
    model::append_record(records, plan->id, body);
    --left;
  }
  std::uint32_t looked = 0;
  // Pages first: what is left then are documents.
  bool is_stopped = false;
  auto const compact_page = [&](Archive::Page const& page) {
    is_stopped = left == 0 || ++looked == kCompactWorkUnitsMax;
    if (is_stopped || !is_below(page.region)) return !is_stopped;
    ArchivedBody body = archive().body_of(page.id, plans());
    is_stopped = !room.take(model::body_bytes(body) + kHeaderBytes);
    if (is_stopped) return false;
    model::append_record(records, page.id, body);
    --left;
    return true;
  };
  std::uint64_t const first = compact_page_;
  compact_page_ = archive().for_each_page(first, archive().end(), compact_page);
  if (compact_page_ == archive().end()) compact_page_ = archive().for_each_page(0, first, compact_page);
  if (is_stopped) return left > 0;
  looked = 0;
  for (int round = 0; round < 2 && left > 0; ++round) {
    std::uint32_t number = store().next(ObjectId{compact_from_});
    for (; number != kNone && left > 0 && looked < kCompactWorkUnitsMax; ++looked) {
      Document const& document = store()[number];
      if (is_below(document.region)) {
        DocumentBody body = body_of(number);
        if (!room.take(model::body_bytes(body) + kHeaderBytes)) return true;
        model::append_record(records, document.id(), body);
        --left;
      }
      compact_from_ = document.id().value;
      number = store().next(document.id());
    }
    if (number == kNone) compact_from_ = 0;
    if (looked == kCompactWorkUnitsMax) break;
  }
  return left > 0;
}

void Documents::digest(DigestSink& sink) const {
  for (auto const& plan : plans().all()) {
    if (!plan || !plan->is_known()) continue;
    model::digest_object(sink, plan->id, plan_body(*plan));
  }
  for (std::uint32_t number = store().next({}); number != kNone; number = store().next(store()[number].id())) {
    model::digest_object(sink, store()[number].id(), body_of(number));
  }
  static_cast<void>(archive().for_each_page(0, archive().end(), [&](Archive::Page const& page) {
    model::digest_object(sink, page.id, archive().body_of(page.id, plans()));
    return true;
  }));
}

}  // namespace fastjournal::pipeline
