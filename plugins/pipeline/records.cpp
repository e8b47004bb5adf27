#include "plugins/pipeline/records.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "base/failure.h"
#include "model/varint.h"
#include "plugins/rows/body.h"

namespace fastjournal::pipeline {
namespace {

// What a cell has, beside its state: one byte.
constexpr std::uint8_t kHasFailure = 1;
constexpr std::uint8_t kLeased = 2;
constexpr std::uint8_t kInDoubt = 4;
// What a document has.
constexpr std::uint8_t kIsChild = 1;
constexpr std::uint8_t kDeclared = 2;
constexpr std::uint8_t kOriginal = 4;
constexpr std::uint8_t kForgotten = 8;
constexpr std::uint8_t kFresh = 16;  // its cells are as at the beginning
constexpr std::uint8_t kBefore = 32;
constexpr std::uint8_t kUnchangedState = 0xFF;
// The failure of a status: none, in the record, or as it is.
constexpr std::uint8_t kFailureInRecord = 1;
constexpr std::uint8_t kFailureKept = 2;

// Appends to a text; rows::BodyReader reads it.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  Writer& byte(std::uint8_t value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  Writer& number(std::uint64_t value) {
    model::append_varint(out_, value);
    return *this;
  }
  Writer& six(std::int64_t value) {
    append_little(out_, static_cast<std::uint32_t>(value));
    append_little(out_, static_cast<std::uint16_t>(value >> 32));
    return *this;
  }
  Writer& id(ObjectId value) { return six(static_cast<std::int64_t>(value.value / kLsnAlign)); }
  Writer& eight(std::uint64_t value) {
    append_little(out_, value);
    return *this;
  }
  Writer& text(std::string_view value) {
    number(value.size());
    out_.append(value);
    return *this;
  }
  Writer& rest(std::string_view value) {
    out_.append(value);
    return *this;
  }
  Writer& numbers(std::vector<std::uint16_t> const& values) {
    number(values.size());
    for (std::uint16_t const value : values) number(value);
    return *this;
  }
  Writer& terms(rows::Leases::Terms const& value) {
    eight(value.epoch.value).six(value.began).six(value.ends).number(value.connection).number(value.start);
    return text(value.worker);
  }
  Writer& failure(Failure const& value) {
    return text(value.kind).text(value.message).byte(value.of_kind).six(value.until);
  }
  Writer& drain(DrainBody const& value) { return six(value.since).text(value.by).text(value.reason); }
  Writer& choice(plan::Choice const& value) { return number(value.router).numbers(value.taken); }

 private:
  std::string& out_;
};

class Reader : public rows::BodyReader {
 public:
  using rows::BodyReader::BodyReader;

  std::vector<std::uint16_t> numbers() {
    std::vector<std::uint16_t> out;
    std::uint64_t const count = number();
    if (count > plan::kDestinationsMax + 1) fail();
    for (std::uint64_t at = 0; at < count && ok(); ++at) out.push_back(number_as<std::uint16_t>());
    return out;
  }
  State state() {
    std::uint8_t const value = byte();
    if (value >= kStates) fail();
    return static_cast<State>(value);
  }
  rows::Leases::Terms terms() {
    rows::Leases::Terms out;
    out.epoch = LeaseEpoch{eight()};
    out.began = six();
    out.ends = six();
    out.connection = number();
    out.start = number_as<std::uint32_t>();
    out.worker = text();
    return out;
  }
  Failure failure() {
    Failure out;
    out.kind = text();
    out.message = text();
    out.of_kind = byte();
    out.until = six();
    return out;
  }
  DrainBody drain() {
    DrainBody out;
    out.since = six();
    out.by = text();
    out.reason = text();
    return out;
  }
  plan::Choice choice() {
    plan::Choice out;
    out.router = number_as<plan::StepIndex>();
    out.taken = numbers();
    return out;
  }
  CellBody cell() {
    CellBody out;
    out.state = state();
    out.attempts = byte();
    std::uint8_t const has = byte();
    if (has > (kHasFailure | kLeased | kInDoubt) || (has & kLeased && has & kInDoubt)) fail();
    if ((has & kHasFailure) != 0) out.failure = failure();
    if ((has & kLeased) != 0) out.hands = CellBody::Hands::leased;
    if ((has & kInDoubt) != 0) out.hands = CellBody::Hands::in_doubt;
    if (out.hands != CellBody::Hands::nobodys) out.lease = terms();
    return out;
  }
  Mode mode() {
    std::uint8_t const value = byte();
    if (value >= kModeNames.size()) fail();
    return static_cast<Mode>(value);
  }
};

void write(CellBody const& cell, Writer& out) {
  std::uint8_t has = cell.failure ? kHasFailure : 0;
  if (cell.hands == CellBody::Hands::leased) has |= kLeased;
  if (cell.hands == CellBody::Hands::in_doubt) has |= kInDoubt;
  out.byte(static_cast<std::uint8_t>(cell.state)).byte(cell.attempts).byte(has);
  if (cell.failure) out.failure(*cell.failure);
  if (cell.hands != CellBody::Hands::nobodys) out.terms(cell.lease);
}

bool has_trace(std::optional<Failure> const& failure) { return failure && failure::has_trace(failure->message); }
bool has_trace(DocumentBody const& body) {
  return std::ranges::any_of(body.cells, [](CellBody const& cell) { return has_trace(cell.failure); }) ||
         (body.original_cell && has_trace(body.original_cell->failure));
}

Lsn append(Records& records, RecordType type, ObjectId object, std::string_view body, std::uint8_t version = 1) {
  Records::Place const place = records.append(static_cast<std::uint8_t>(type), version, object, body.size());
  if (!body.empty()) std::memcpy(place.body.data(), body.data(), body.size());
  return place.lsn;
}

}  // namespace

Lsn append_drain(Records& records, ObjectId plan, std::optional<DrainBody> const& body) {
  std::string out;
  Writer writer{out};
  writer.byte(body ? 1 : 0);
  if (body) writer.drain(*body);
  return append(records, RecordType::drain, plan, out);
}

void write_plan(std::string& out, PlanBody const& body) {
  Writer writer{out};
  if (body.tells_deleted) writer.byte(body.drain ? 1 : 0);
  if (body.drain) writer.drain(*body.drain);
  writer.number(body.paused.size());
  for (PlanBody::Paused const& paused : body.paused)
    writer.number(paused.destination).byte(static_cast<std::uint8_t>(paused.mode)).text(paused.reason);
  writer.rest(body.text);
}

void write_document(std::string& out, DocumentBody const& body) {
  Writer writer{out};
  auto const flag = [](bool is_set, std::uint8_t bit) { return is_set ? bit : std::uint8_t{0}; };
  auto const has =
      static_cast<std::uint8_t>(flag(!body.parent.is_none(), kIsChild) | flag(body.declared.has_value(), kDeclared) |
                                flag(body.original_cell.has_value(), kOriginal) | flag(body.is_forgotten, kForgotten) |
                                flag(body.cells.empty(), kFresh) | flag(!body.before.is_none(), kBefore));
  writer.byte(has).id(body.plan).number(body.source).text(body.hash).text(body.name);
  if (!body.parent.is_none()) writer.id(body.parent).id(body.original).number(body.maker);
  writer.number(body.generation);
  if (!body.before.is_none()) writer.id(body.before);
  if (body.declared) writer.number(*body.declared);
  writer.number(body.choices.size());
  for (plan::Choice const& choice : body.choices) writer.choice(choice);
  writer.number(body.cell_count);
  for (CellBody const& cell : body.cells) write(cell, writer);
  if (body.original_cell) write(*body.original_cell, writer);
}

void write_archived(std::string& out, ArchivedBody const& body) {
  Writer writer{out};
  writer.number(body.extent.file).number(body.extent.begin).number(body.extent.end).eight(body.extent.hash);
  writer.number(body.patterns.size());
  for (ArchivedBody::Pattern const& pattern : body.patterns) {
    writer.id(pattern.plan).number(pattern.source).number(pattern.states.size());
    for (State const state : pattern.states) writer.byte(static_cast<std::uint8_t>(state));
  }
  writer.number(body.all.size());
  for (ArchivedBody::One const& one : body.all) {
    writer.number(one.document.is_none() ? 0 : std::uint64_t{one.pattern} + 1);
    if (!one.document.is_none()) writer.id(one.document).eight(one.name);
  }
}

Lsn append_plan(Records& records, ObjectId object, PlanBody const& body) {
  std::string out;
  write_plan(out, body);
  return append(records, RecordType::plan, object, out, body.tells_deleted ? 3 : body.drain ? 2 : 1);
}

Lsn append_document(Records& records, ObjectId object, DocumentBody const& body) {
  std::string out;
  write_document(out, body);
  std::uint8_t const version = body.hash == kGoneHash ? 4 : has_trace(body) ? 3 : body.before.is_none() ? 1 : 2;
  return append(records, RecordType::document, object, out, version);
}

Lsn append_changed(Records& records, ObjectId document, std::string_view hash) {
  return append(records, RecordType::changed, document, hash, hash == kGoneHash ? 2 : 1);
}

Lsn append_lease(Records& records, ObjectId document, LeaseBody const& body) {
  std::string out;
  Writer writer{out};
  writer.byte(body.to ? static_cast<std::uint8_t>(*body.to) : kUnchangedState).numbers(body.cells).terms(body.terms);
  return append(records, RecordType::lease, document, out);
}

Lsn append_status(Records& records, ObjectId document, StatusBody const& body) {
  std::string out;
  Writer writer{out};
  writer.byte(static_cast<std::uint8_t>(body.to)).byte(body.attempts).numbers(body.cells);
  writer.byte(body.keeps_failure ? kFailureKept : body.failure ? kFailureInRecord : std::uint8_t{0});
  if (body.failure) writer.failure(*body.failure);
  return append(records, RecordType::status, document, out, body.keeps_failure || has_trace(body.failure) ? 2 : 1);
}

Lsn append_held(Records& records, ObjectId document, HeldBody const& body) {
  std::string out;
  Writer{out}.six(body.at).numbers(body.cells);
  return append(records, RecordType::held, document, out);
}

Lsn append_routed(Records& records, ObjectId document, RoutedBody const& body) {
  std::string out;
  Writer{out}.choice(body.choice).numbers(body.dropped);
  return append(records, RecordType::routed, document, out);
}

Lsn append_declared(Records& records, ObjectId document, std::uint64_t children) {
  std::string out;
  Writer{out}.number(children);
  return append(records, RecordType::declared, document, out);
}

Lsn append_destination(Records& records, ObjectId plan, DestinationBody const& body) {
  std::string out;
  Writer writer{out};
  writer.number(body.destination).byte(static_cast<std::uint8_t>(body.mode)).text(body.reason);
  writer.number(body.spared.size());
  for (DestinationBody::Spared const& spared : body.spared) writer.id(spared.document).number(spared.cell);
  return append(records, RecordType::destination, plan, out);
}

Lsn append_forgotten(Records& records, ObjectId document) {
  return append(records, RecordType::forgotten, document, {});
}

Lsn append_clock(Records& records, ClockBody const& body) {
  std::string out;
  Writer{out}.six(body.from).six(body.to);
  return append(records, RecordType::clock, {}, out);
}

Lsn append_retired(Records& records, ObjectId plan) { return append(records, RecordType::retired, plan, {}); }

Lsn append_archived(Records& records, ObjectId page, ArchivedBody const& body) {
  std::string out;
  write_archived(out, body);
  return append(records, RecordType::archived, page, out);
}

bool read_plan(std::string_view bytes, std::uint8_t version, PlanBody& body) {
  Reader in{bytes};
  body.tells_deleted = version >= 3;
  std::uint8_t const has_drain = version >= 3 ? in.byte() : version == 2 ? 1 : 0;
  if (has_drain > 1) return false;
  if (has_drain == 1) body.drain = in.drain();
  std::uint64_t const count = in.number();
  if (count > plan::kDestinationsMax) return false;
  for (std::uint64_t at = 0; at < count; ++at) {
    PlanBody::Paused paused;
    paused.destination = in.number_as<std::uint16_t>();
    paused.mode = in.mode();
    paused.reason = in.text();
    body.paused.push_back(paused);
  }
  body.text = in.rest();
  return in.finished() && !body.text.empty();
}

bool read_document(std::string_view bytes, DocumentBody& body) {
  Reader in{bytes};
  std::uint8_t const has = in.byte();
  body.plan = in.id();
  body.source = in.number_as<std::uint16_t>();
  body.hash = in.text();
  body.name = in.text();
  if ((has & kIsChild) != 0) {
    body.parent = in.id();
    body.original = in.id();
    body.maker = in.number_as<std::uint16_t>();
  }
  body.is_forgotten = (has & kForgotten) != 0;
  body.generation = in.number_as<std::uint32_t>();
  if ((has & kBefore) != 0) body.before = in.id();
  if ((has & kDeclared) != 0) body.declared = in.number();
  std::uint64_t const choices = in.number();
  if (choices > plan::kStepsMax) return false;
  for (std::uint64_t at = 0; at < choices && in.ok(); ++at) body.choices.push_back(in.choice());
  body.cell_count = in.number_as<std::uint16_t>();
  if (body.cell_count > plan::kDestinationsMax) return false;
  std::size_t const cells = (has & kFresh) != 0 ? 0 : body.cell_count;
  for (std::size_t at = 0; at < cells && in.ok(); ++at) body.cells.push_back(in.cell());
  if ((has & kOriginal) != 0) body.original_cell = in.cell();
  bool const is_child = !body.parent.is_none();
  return in.finished() && has <= (kIsChild | kDeclared | kOriginal | kForgotten | kFresh | kBefore) &&
         !body.before.is_none() == ((has & kBefore) != 0) && is_child == ((has & kIsChild) != 0) &&
         is_child == !body.original.is_none() && !body.name.empty() && body.name.size() <= kNameBytesMax &&
         body.hash.size() <= kHashBytesMax;
}

bool read_lease(std::string_view bytes, LeaseBody& body) {
  Reader in{bytes};
  std::uint8_t const to = in.byte();
  if (to != kUnchangedState) {
    if (to >= kStates) return false;
    body.to = static_cast<State>(to);
  }
  body.cells = in.numbers();
  body.terms = in.terms();
  return in.finished() && !body.cells.empty();
}

bool read_status(std::string_view bytes, StatusBody& body) {
  Reader in{bytes};
  body.to = in.state();
  body.attempts = in.byte();
  body.cells = in.numbers();
  std::uint8_t const has = in.byte();
  if (has == kFailureInRecord) body.failure = in.failure();
  body.keeps_failure = has == kFailureKept;
  return in.finished() && !body.cells.empty();
}

bool read_held(std::string_view bytes, HeldBody& body) {
  Reader in{bytes};
  body.at = in.six();
  body.cells = in.numbers();
  return in.finished() && !body.cells.empty();
}

bool read_routed(std::string_view bytes, RoutedBody& body) {
  Reader in{bytes};
  body.choice = in.choice();
  body.dropped = in.numbers();
  return in.finished();
}

bool read_declared(std::string_view bytes, std::uint64_t& children) {
  Reader in{bytes};
  children = in.number();
  return in.finished();
}

bool read_destination(std::string_view bytes, DestinationBody& body) {
  Reader in{bytes};
  body.destination = in.number_as<std::uint16_t>();
  body.mode = in.mode();
  body.reason = in.text();
  std::uint64_t const count = in.number();
  if (count > bytes.size()) return false;
  for (std::uint64_t at = 0; at < count && in.ok(); ++at) {
    DestinationBody::Spared spared;
    spared.document = in.id();
    spared.cell = in.number_as<std::uint16_t>();
    body.spared.push_back(spared);
  }
  return in.finished();
}

bool read_archived(std::string_view bytes, ArchivedBody& body) {
  Reader in{bytes};
  body.extent.file = in.number_as<std::uint32_t>();
  body.extent.begin = in.number();
  body.extent.end = in.number();
  body.extent.hash = in.eight();
  std::uint64_t const patterns = in.number();
  if (patterns > bytes.size()) return false;
  for (std::uint64_t at = 0; at < patterns && in.ok(); ++at) {
    ArchivedBody::Pattern pattern;
    pattern.plan = in.id();
    pattern.source = in.number_as<std::uint16_t>();
    std::uint64_t const states = in.number();
    if (states > plan::kDestinationsMax) return false;
    for (std::uint64_t cell = 0; cell < states && in.ok(); ++cell) pattern.states.push_back(in.state());
    body.patterns.push_back(std::move(pattern));
  }
  std::uint64_t const count = in.number();
  if (count > bytes.size()) return false;
  for (std::uint64_t at = 0; at < count && in.ok(); ++at) {
    ArchivedBody::One one;
    std::uint64_t const pattern = in.number();
    if (pattern > body.patterns.size()) return false;
    if (pattern > 0) {
      one.pattern = static_cast<std::uint16_t>(pattern - 1);
      one.document = in.id();
      one.name = in.eight();
      if (one.document.is_none()) return false;
    }
    body.all.push_back(one);
  }
  return in.finished() && body.extent.file != 0 && body.extent.begin < body.extent.end;
}

bool read_drain(std::string_view bytes, std::optional<DrainBody>& body) {
  body.reset();
  Reader in{bytes};
  std::uint8_t const has = in.byte();
  if (has == 1) body = in.drain();
  return in.finished() && has <= 1;
}

bool read_clock(std::string_view bytes, ClockBody& body) {
  Reader in{bytes};
  body.from = in.six();
  body.to = in.six();
  return in.finished() && body.to <= body.from;
}

}  // namespace fastjournal::pipeline
