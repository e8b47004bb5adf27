#include "plugins/pipeline/migrations.h"

#include <algorithm>

#include "base/failure.h"
#include "model/value.h"
#include "plugins/pipeline/returns.h"

namespace fastjournal::pipeline {
namespace {

// Documents that one command looks at, and bytes of records that one step has.
constexpr std::uint64_t kMigrationWorkUnitsMax = 100'000;
constexpr std::size_t kStepBytes = 6'000;
// A larger record of a document goes over without the texts of its failures, which the older version keeps.
constexpr std::size_t kRecordBytesMax = 8'000;
// Decision::carry: went over, were there, stay, cursor.
constexpr std::size_t kOver = 0;
constexpr std::size_t kThere = 1;
constexpr std::size_t kStay = 2;
constexpr std::size_t kMigrationCursor = 3;

// OLD=NEW between blanks; none: a word is no such pair.
std::optional<plan::Renamed> renamed_in(std::string_view text) {
  plan::Renamed out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    std::size_t const equal = word.find('=');
    if (equal == std::string_view::npos || equal == 0 || equal + 1 == word.size()) return std::nullopt;
    if (!out.emplace(word.substr(0, equal), word.substr(equal + 1)).second) return std::nullopt;
  }
  return out;
}

}  // namespace

bool Migrations::find_way(made::Migrate const& given, Decision& decision, Way& way) const {
  std::uint32_t const version = given.version;
  std::optional<plan::Renamed> const renamed = renamed_in(given.rename);
  if (!renamed) {
    decision.status =
        model::refused(Code::bad_parameter, "rename",
                       "rename is " + model::shown(given.rename) + ", expected OLD=NEW between blanks, each OLD once");
    return false;
  }
  Plans const& plans = shared_.documents.plans();
  std::optional<std::uint8_t> const from = plans.find_version(version);
  if (!from || *from == plans.newest_number()) {
    decision.status = Status{from ? Code::wrong_state : Code::not_found,
                             "table " + shared_.table() + " has no older plan of version " + std::to_string(version)}
                          .with("parameter", "version");
    return false;
  }
  way.from = *from;
  Plan const& older = plans[*from];
  Plan const& newer = *plans.newest();
  plan::Migration const migration = plan::migrate(older.rules, newer.rules, *renamed);
  if (!migration.findings.empty()) {
    plan::Finding const& first = migration.findings.front();
    decision.status =
        Status{Code::bad_parameter, std::string{first.name} + ": " + first.what}.with("parameter", "rename");
    return false;
  }
  for (plan::Carried const& source : migration.sources)
    if (!source.before.empty() && !source.now.empty())
      way.sources.emplace(*older.source_named(source.before), *newer.source_named(source.now));
  for (plan::Carried const& destination : migration.destinations)
    if (!destination.before.empty() && !destination.now.empty())
      way.destinations[*newer.destination_named(destination.now)].push_back(
          *older.destination_named(destination.before));
  return true;
}

std::uint32_t Migrations::successor_of(Way const& way, std::uint32_t document) const {
  Store const& store = shared_.store();
  auto const source = way.sources.find(store[document].source);
  if (source == way.sources.end()) return kNone;
  ObjectId parent{};
  if (std::optional<Origin> const origin = store.origin_of(document)) {
    std::uint32_t const older = store.find(origin->parent);
    std::uint32_t const newer = older == kNone ? kNone : successor_of(way, older);
    if (newer == kNone) return kNone;
    parent = store[newer].id();
  }
  return store.find(shared_.documents.plans().newest_number(), source->second, parent, store.name_of(document));
}

// Of its original, which is all that may be there.
Archive::Number Migrations::archived_successor(Way const& way, std::uint32_t document) const {
  Store const& store = shared_.store();
  std::optional<Origin> const origin = store.origin_of(document);
  std::uint32_t const original = origin ? store.find(origin->original) : document;
  auto const source = way.sources.find(store[document].source);
  if (original == kNone || source == way.sources.end()) return Archive::kNone;
  return shared_.documents.archive().find(
      name_hash(shared_.documents.plans().newest()->id, source->second, store.name_of(original)));
}

// Of several destinations that become one, one that was reached is enough.
CellBody Migrations::carried(Way const& way, std::uint32_t document, std::uint16_t destination) const {
  CellBody out;
  auto const befores = way.destinations.find(destination);
  if (befores == way.destinations.end()) return out;
  Documents const& documents = shared_.documents;
  bool is_first = true;
  for (std::uint16_t const before : befores->second) {
    std::optional<std::uint16_t> const ordinal = documents.cells().ordinal_at(document, before);
    if (!ordinal) continue;
    std::uint32_t const number = documents.cell_of(document, *ordinal);
    Cell const& cell = shared_.store().cell(number);
    // What is not sent begins anew; what failed for good, stays so until an operator acts.
    State const state = is_terminal(cell.state) ? cell.state : State::processing;
    bool const is_better = state == State::sent || (out.state != State::sent && !is_terminal(state));
    if (!is_first && !is_better) continue;
    is_first = false;
    out.state = state;
    out.attempts = is_terminal(state) ? cell.attempts : std::uint8_t{0};
    out.failure.reset();
    if (Failure const* const failure = documents.failure_of(number); failure != nullptr && is_terminal(state))
      out.failure = *failure;
    // The older version keeps it.
    if (out.failure) out.failure->message = std::string{failure::error_of(out.failure->message)};
  }
  return out;
}

Migrations::Fate Migrations::look_at(Way const& way, std::uint32_t document, bool is_dry, DocumentBody& body) const {
  Documents const& documents = shared_.documents;
  Store const& store = shared_.store();
  Plan const& newer = *documents.plans().newest();
  auto const source = way.sources.find(store[document].source);
  if (source == way.sources.end() || store[document].is_forgotten || documents.families().is_orphan(document))
    return Fate::stays;
  if (successor_of(way, document) != kNone) return Fate::is_there;
  for (std::uint16_t at = 0; at < store[document].cell_count; ++at) {
    Place const place = store.cell(store[document].first_cell + at).place;
    if (place == Place::leased || place == Place::in_doubt) return Fate::stays;
  }
  body.plan = newer.id;
  body.source = source->second;
  if (std::optional<Origin> const origin = store.origin_of(document)) {
    std::uint32_t const parent = successor_of(way, store.find(origin->parent));
    std::uint32_t const original = successor_of(way, store.find(origin->original));
    if (parent == kNone && is_dry) {
      std::uint32_t const older = store.find(origin->parent);
      DocumentBody ignored;
      return older == kNone ? Fate::stays : look_at(way, older, is_dry, ignored);
    }
    // They went over before, as their numbers are smaller; or they stay.
    if (parent == kNone || original == kNone) return Fate::stays;
    body.parent = store[parent].id();
    body.original = store[original].id();
    body.maker = body.source;
    // Its original may have been found anew.
    if (documents.extras().generation_of(original) != documents.extras().generation_of(document)) return Fate::stays;
  }
  body.hash = store.hash_of(document);
  body.name = store.name_of(document);
  body.generation = store[document].is_child ? 0 : documents.extras().generation_of(document);
  body.declared = documents.extras().declared_of(document);
  body.is_forgotten = !newer.rules.step(body.source).remembers && !store[document].is_child;
  std::vector<std::uint16_t> const& destinations = newer.of_source(body.source);
  body.cell_count = static_cast<std::uint16_t>(destinations.size());
  for (std::uint16_t const destination : destinations) body.cells.push_back(carried(way, document, destination));
  return Fate::goes_over;
}

Verdict Migrations::migrate(Command const& command, Decision& decision) const {
  made::Migrate given;
  Way way;
  if (!given.read(command, decision) || !find_way(given, decision, way)) return Verdict::done;
  std::uint64_t& cursor = decision.carry[kMigrationCursor];
  if (decision.step == 0) cursor = given.after;
  Store const& store = shared_.store();
  std::size_t bytes = 0;
  std::uint64_t work_units = 0;
  std::string written;
  Archive const& archive = shared_.documents.archive();
  auto const bring = [&](Archive::Number number) {
    decision.work_units += static_cast<std::uint32_t>(work_units);
    return bytes > 0 ? Verdict::again : bring_back(shared_, number, decision);
  };
  std::uint32_t document = store.next(ObjectId{cursor});
  for (; work_units < kMigrationWorkUnitsMax && bytes < kStepBytes && decision.carry[kOver] < given.count;
       ++work_units) {
    // Those in the archive that are of the older plan go over as the others, once they are back.
    Archive::Number const archived = archive.next(ObjectId{cursor});
    bool const is_next =
        archived != Archive::kNone && (document == kNone || archive.id_of(archived) < store[document].id());
    if (is_next && archive.pattern_of(archived).plan == way.from && !given.dry_run) return bring(archived);
    if (is_next) {
      if (archive.pattern_of(archived).plan == way.from)
        ++decision.carry[way.sources.contains(archive.pattern_of(archived).source) ? kOver : kStay];
      cursor = archive.id_of(archived).value;
      continue;
    }
    if (document == kNone) break;
    ObjectId const id = store[document].id();
    if (store[document].plan == way.from) {
      Archive::Number const successor = archived_successor(way, document);
      if (successor != Archive::kNone && !given.dry_run) return bring(successor);
      DocumentBody body;
      Fate fate = look_at(way, document, given.dry_run, body);
      if (successor != Archive::kNone && !store[document].is_child) fate = Fate::is_there;
      ++decision.carry[fate == Fate::goes_over ? kOver : fate == Fate::is_there ? kThere : kStay];
      if (fate == Fate::goes_over && !given.dry_run) {
        written.clear();
        model::write_body(written, body);
        if (written.size() > kRecordBytesMax)
          for (CellBody& cell : body.cells) cell.failure.reset();
        model::append_record(decision.records, {}, body);
        bytes += written.size() + 32;
      }
    }
    cursor = id.value;
    document = store.next(id);
    // What is made of it finds it only once it is there.
    if (bytes > 0 && document != kNone && store[document].is_child) break;
  }
  decision.work_units += static_cast<std::uint32_t>(work_units);
  bool const is_over = document == kNone && archive.next(ObjectId{cursor}) == Archive::kNone;
  bool const is_enough = is_over || work_units == kMigrationWorkUnitsMax || decision.carry[kOver] >= given.count;
  if (!is_enough) return Verdict::again;
  Answer& answer = decision.answer.message("CHANGED").add("table", std::string_view{shared_.table()});
  answer.add("count", decision.carry[kOver]).add("there", decision.carry[kThere]).add("stay", decision.carry[kStay]);
  if (!is_over) answer.add("after", cursor);
  if (given.dry_run) answer.add("dry_run", std::int64_t{1});
  return Verdict::done;
}

}  // namespace fastjournal::pipeline
