#include "plugins/pipeline/requests.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/hex.h"
#include "model/timer/wheel.h"
#include "model/value.h"
#include "plugins/rows/attempts.h"

namespace fastjournal::pipeline {

std::uint32_t find_document(TableState const& shared, std::uint64_t number, Status& status) {
  std::uint32_t const found = shared.store().find(ObjectId{number});
  if (found == kNone) status = shared.no_document(ObjectId{number});
  return found;
}

std::uint32_t find_cell(TableState const& shared, std::uint32_t document, std::string_view name, Status& status) {
  Plan const& plan = shared.documents.plan_of(document);
  std::optional<std::uint16_t> const destination = plan.destination_named(name);
  std::optional<std::uint16_t> const ordinal =
      destination ? shared.documents.cells().ordinal_at(document, *destination) : std::nullopt;
  if (ordinal) return shared.documents.cell_of(document, *ordinal);
  std::string const source = plan.rules.step(shared.store()[document].source).name;
  status = Status{destination ? Code::bad_parameter : Code::not_found,
                  destination ? "documents of source " + source + " do not get to " + std::string{name}
                              : "plan " + plan.rules.name + " has no destination " + model::shown(name) +
                                    ": DESTINATIONS lists them"}
               .with("parameter", "destination");
  return kNone;
}

Ordinals leased_by(TableState const& shared, std::uint32_t number, std::optional<LeaseEpoch> token, bool late) {
  Ordinals out;
  Documents const& documents = shared.documents;
  auto const look = [&](std::uint16_t ordinal) {
    std::uint32_t const cell = documents.cell_of(number, ordinal);
    if (cell == kNone) return;
    Place const place = shared.store().cell(cell).place;
    if (place != Place::leased && !(late && place == Place::in_doubt)) return;
    if (!token || shared.work().lease_of(cell).epoch == *token) out.push_back(ordinal);
  };
  for (std::uint16_t at = 0; at < shared.store()[number].cell_count; ++at) look(at);
  look(kOriginalCell);
  return out;
}

LeaseEpoch next_token(TableState const& shared, Decision const& decision) {
  LeaseEpoch const last = shared.work().last_epoch();
  LeaseEpoch const first = LeaseEpoch::of(decision.start, 1);
  return last < first ? first : LeaseEpoch{last.value + 1};
}

rows::Leases::Terms terms_for(Command const& command, Decision const& decision, LeaseEpoch token,
                              std::int64_t span_ms) {
  rows::Leases::Terms terms;
  terms.epoch = token;
  terms.began = decision.now.value;
  terms.ends = std::min(decision.now.value + span_ms, timer::kDateMax);
  terms.connection = static_cast<std::uint64_t>(rows::holder_of(command));
  terms.start = decision.start;
  terms.worker = command.worker;
  return terms;
}

Status stale(TableState const& shared, std::uint32_t document, LeaseEpoch token) {
  ++shared.statistics.stale;
  return Status{Code::stale_epoch, "token " + std::to_string(token.value) + " has no lease of " +
                                       shared.name_of(document) +
                                       ": it ended, or the document has changed, and what it did is not recorded"}
      .with("document", std::to_string(shared.store()[document].id().value));
}

std::string destination_states(TableState const& shared, std::uint32_t number) {
  std::string out;
  Document const& document = shared.store()[number];
  for (std::uint16_t at = 0; at < document.cell_count; ++at) {
    std::uint32_t const cell = document.first_cell + at;
    Cell const& its = shared.store().cell(cell);
    if (!out.empty()) out.push_back(' ');
    out += shared.documents.plan_of(number).destination(shared.documents.destination_of(cell)).name;
    out.push_back('=');
    out += its.place == Place::in_doubt ? std::string_view{"in_doubt"} : name_of(its.state);
  }
  return out;
}

bool append_doubt(TableState const& shared, std::uint32_t cell, Decision& decision) {
  Documents const& documents = shared.documents;
  Cell const& its = shared.store().cell(cell);
  std::uint16_t const ordinal = documents.ordinal_of(cell);
  if (ordinal == kOriginalCell || its.state != State::sending) return false;
  plan::Step const& output = documents.plan_of(its.document).output(documents.destination_of(cell));
  if (output.guarantee != plan::Guarantee::at_most_once) return false;
  model::append_record(decision.records, shared.store()[its.document].id(), HeldBody{{ordinal}, decision.now.value});
  ++shared.statistics.in_doubt;
  return true;
}

std::string destination_names(TableState const& shared, std::uint32_t document, Ordinals const& ordinals) {
  std::string out;
  Plan const& plan = shared.documents.plan_of(document);
  for (std::uint16_t const ordinal : ordinals) {
    if (ordinal == kOriginalCell) continue;
    if (!out.empty()) out.push_back(' ');
    out += plan.destination(plan.of_source(shared.store()[document].source)[ordinal]).name;
  }
  return out;
}

std::string idempotency_key(TableState const& shared, std::uint32_t document, std::uint16_t destination) {
  Plan const& plan = shared.documents.plan_of(document);
  Store const& store = shared.store();
  std::string identity = plan.rules.name + '\n' + std::to_string(plan.rules.version) + '\n';
  identity += plan.rules.step(store[document].source).name + '\n' + plan.destination(destination).name + '\n';
  // A child's version is the generation in which it was made: its original may have changed since.
  identity += std::to_string(shared.documents.extras().generation_of(document)) + ' ';
  // From the document up to its original.
  std::uint32_t at = document;
  for (;;) {
    std::string_view const name = store.name_of(at);
    identity += std::to_string(name.size()) + ' ';
    identity += name;
    std::optional<Origin> const origin = store.origin_of(at);
    std::uint32_t const parent = origin ? store.find(origin->parent) : kNone;
    if (parent == kNone) break;
    at = parent;
  }
  if (at == document) identity += store.hash_of(at);
  Hash128 const hash = hash128(identity);
  std::string out;
  append_hex(out, hash.high);
  append_hex(out, hash.low);
  return out;
}

}  // namespace fastjournal::pipeline
