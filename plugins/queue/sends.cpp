#include "plugins/queue/sends.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "model/given.h"
#include "model/value.h"
#include "plugins/queue/names.h"
#include "plugins/queue/on_queue.h"
#include "plugins/rows/records.h"

namespace fastjournal::queue {
namespace {

// Of a row, beside its data; and of an index entry.
constexpr std::uint64_t kRowBytes = 96;
// First messages that one SEND drops of a full queue.
constexpr std::uint64_t kDroppedMax = 1'000;
// Decision::carry; append() has the others: the origin, and the message on the first of the queues.
constexpr std::size_t kDropped = 0;
constexpr std::size_t kNext = 1;  // of its queues; not 0: the message is on those before
// Of one step's rows of a message on several queues.
constexpr std::size_t kRowsOfStepBytes = 12U << 10U;
// Of the records of one row beside its body, the names of its queue and its group included.
constexpr std::size_t kRowRecordBytes = 128 + kNameBytesMax + kGroupBytesMax;
// Of the record of a shared body beside its body, and of what its client has.
constexpr std::size_t kSharedBodyRecordBytes = kPropertiesBytesMax + (4U << 10U);
// Of a body in the log, so that a row has room for the rest.
constexpr std::uint64_t kBodyInLogMax = model::kRowBytesMax - (256U << 10U);

Column const& body_column(Part part) { return shared_body_schema().columns[static_cast<std::size_t>(part)]; }

}  // namespace

// ---------------------------------------------------------------------------
// Reading

// Of a promised message the sizes were checked then, under the options of then.
Status Sends::read_body(bool keeps, Request& request) const {
  if (!request.has_content()) return {};
  if (request.body != nullptr && request.body_binary != nullptr)
    return model::refused(Code::bad_parameter, "body_binary",
                          "both body and body_binary are given, expected one of them");
  request.part = request.body != nullptr ? Part::body : Part::body_binary;
  request.content = request.body != nullptr ? *request.body : *request.body_binary;
  bool const is_in_log = !request.content.outside;
  if (is_in_log) {
    model::Cell cell;
    if (Status status = model::parse_value(body_column(request.part), request.content, decoded_, cell); !status.ok())
      return status;
    request.bytes = cell.bytes.size();
    request.content = request.body != nullptr ? Value::of_verbatim(cell.bytes) : Value::of_binary(cell.bytes);
  } else {
    request.bytes = request.content.stored->extent.size();
  }
  if (keeps) return {};
  if (is_in_log && request.bytes > kBodyInLogMax)
    return model::refused(Code::too_large, name_of(request.part),
                          fmt::format("the body has {} bytes, expected {} at most where it is kept in the log: in a "
                                      "table whose memory-per-message is 0",
                                      request.bytes, kBodyInLogMax));
  if (request.bytes <= shared_.options.message_size_max) return {};
  return model::refused(Code::too_large, name_of(request.part),
                        fmt::format("the body has {} bytes, and table {} takes {} at most: raise message-size-max, or "
                                    "send it in several messages",
                                    request.bytes, shared_.table(), shared_.options.message_size_max));
}

bool Sends::read(Command const& command, Decision& decision, Request& request) const {
  if (!request.made::Send::read(command, decision)) return false;
  if (request.queue.empty() == request.exchange.empty())
    decision.status = model::refused(request.queue.empty() ? Code::missing_parameter : Code::bad_parameter, "queue",
                                     request.queue.empty() ? "SEND needs where the message goes: queue, or exchange"
                                                           : "queue and exchange are given, expected one of them");
  if (!request.deduplication.empty() && !request.exchange.empty() && decision.status.ok())
    decision.status = model::refused(Code::bad_parameter, "deduplication",
                                     "deduplication is of messages to a queue, expected it with queue, not exchange");
  request.date = std::max(decision.now.value, request.process_date.value_or(0));
  request.expires = request.expiration_date.value_or(0);
  request.claim.sender = rows::sender_of(request.client, request.sequence, decision.status);
  if (decision.phase != Phase::keep && decision.status.ok()) {
    decision.status = shared_.options.check_priority(request.priority);
    if (request.lease && decision.status.ok()) decision.status = shared_.options.check_lease(*request.lease);
  }
  return decision.status.ok() && !decision.refuses(check_routing_key(request.routing_key)) &&
         !decision.refuses(check_group(request.group)) &&
         !decision.refuses(check_deduplication(request.deduplication)) &&
         !decision.refuses(check_properties(request.properties)) &&
         !decision.refuses(read_body(decision.phase == Phase::keep, request));
}

Status Sends::request_store(Command const& command, StoreRequest& request) const {
  Options const& options = shared_.options;
  if (options.memory_per_message == 0 && options.memory_per_queue == 0) return {};
  Message const& message = *command.message;
  std::uint64_t from = options.memory_per_message == 0 ? UINT64_MAX : options.memory_per_message;
  Queue const* const queue = shared_.queues.find(message.text("queue"));
  if (queue != nullptr && options.memory_per_queue != 0 && queue->bytes >= options.memory_per_queue)
    from = std::min(from, kSpillMin);
  std::uint64_t most = options.message_size_max;
  if (queue != nullptr && queue->settings.max_message_bytes != 0)
    most = std::min(most, queue->settings.max_message_bytes);
  // Two syncs for a value in a file are better than its bytes in the log, which compacts them.
  request.may_carry = false;
  request.must = false;
  for (std::size_t i = 0; i < message.params().size(); ++i) {
    Param const& param = message.params()[i];
    bool const is_text = param.name == name_of(Part::body);
    if ((!is_text && param.name != name_of(Part::body_binary)) || param.value.outside) continue;
    if (param.value.bytes.size() < from) continue;
    model::Cell cell;
    std::string decoded;
    if (Status status =
            model::parse_value(body_column(is_text ? Part::body : Part::body_binary), param.value, decoded, cell);
        !status.ok())
      return status;
    // Base64 is longer than its bytes.
    if (cell.bytes.size() < from) continue;
    if (cell.bytes.size() > most) return {};  // it is refused when it is decided
    bool const is_decoded = !decoded.empty() && cell.bytes.data() == decoded.data();
    std::string_view bytes = cell.bytes;
    if (is_decoded) bytes = request.kept.emplace_back(std::move(decoded));
    request.pieces.push_back({i, bytes, is_text});
  }
  return {};
}

// ---------------------------------------------------------------------------
// Deciding

Status Sends::find_queues(Request const& request, Decision& decision, bool& makes) const {
  bool const is_routed = decision.carry[kDropped] > 0 || decision.carry[kNext] > 0;
  // Steps of one SEND change messages, not bindings.
  if (is_routed && !request.exchange.empty()) return {};
  queues_.clear();
  if (!request.queue.empty()) {
    Queue const* const queue = shared_.queues.find(request.queue);
    if (queue != nullptr) {
      queue->named = decision.now.value;
      queues_.push_back(queue);
      return {};
    }
    bool const may_come = shared_.queues.find_any(request.queue) == nullptr;
    if (decision.phase == Phase::keep) {
      makes = may_come && shared_.promised.makes(decision.transaction, request.queue);
      return {};
    }
    makes = may_come && shared_.options.makes(request.queue);
    return makes ? check_name("queue", request.queue) : shared_.no_queue(request.queue);
  }
  Exchange const* const exchange = shared_.queues.find_exchange(request.exchange);
  if (exchange == nullptr) {
    if (decision.phase == Phase::keep) return {};
    return Status{Code::not_found, fmt::format("table {} has no exchange {}: DECLARE it with its kind", shared_.table(),
                                               request.exchange)}
        .with("parameter", "exchange");
  }
  shared_.queues.route(*exchange, request.routing_key, queues_, decision.work_units);
  if (decision.phase == Phase::keep) {
    queues_.resize(std::min(queues_.size(), kQueuesOfMessageMax));
    return {};
  }
  if (queues_.size() > kQueuesOfMessageMax)
    return Status{Code::over_limit, "exchange " + std::string{request.exchange} + " routes this message to more than " +
                                        std::to_string(kQueuesOfMessageMax) + " queues: bind some of them to another"};
  if (!queues_.empty() || !request.mandatory.value_or(false)) return {};
  return Status{Code::not_found, "exchange " + std::string{request.exchange} + " routes routing_key " +
                                     model::shown(request.routing_key) +
                                     " to no queue: BIND one, or say mandatory=0 if it may be dropped"}
      .with("parameter", "routing_key");
}

Status Sends::check_table(std::size_t more) const {
  Options const& options = shared_.options;
  std::uint64_t const messages = shared_.rows().rows().size();
  std::uint64_t const promised = shared_.table_of_rows.holds().rows();
  bool const is_full = options.messages_max != 0 && messages + promised + more > options.messages_max;
  bool const is_large = shared_.is_large();
  if (!is_full && !is_large && !shared_.rows().is_nearly_full()) return {};
  return {Code::over_limit,
          fmt::format("table {} is full: it has {} messages in {} bytes; take some, or raise {}", shared_.table(),
                      messages, shared_.memory_bytes(), is_large ? "memory-max" : "messages-max")};
}

std::int64_t Sends::date_on(Queue const& queue, Request const& request) const {
  if (request.process_date || queue.settings.delay == 0) return request.date;
  return std::min(request.date + queue.settings.delay, model::kDateMax);
}

Status Sends::check_expiry(Request const& request, std::int64_t date) {
  if (request.expires == 0 || request.expires > date) return {};
  return Status{Code::expired, fmt::format("expiration_date is {}, expected a date after now and after process_date "
                                           "({}): it would never be handed out",
                                           request.expires, date)}
      .with("parameter", "expiration_date");
}

Status Sends::check_size(Queue const& queue, Request const& request) const {
  std::uint64_t const most = queue.settings.max_message_bytes;
  if (most == 0 || request.bytes <= most) return {};
  return model::refused(Code::too_large, name_of(request.part),
                        fmt::format("the body has {} bytes, and queue {} of table {} takes messages of {} at most: "
                                    "DECLARE it with a larger max_message_bytes, or send it in several messages",
                                    request.bytes, queue.name, shared_.table(), most));
}

// What this transaction has promised itself is on the queue by now, or comes as its commands are kept.
bool Sends::is_full(Queue const& queue, Request const& request, Decision const& decision) const {
  Settings const& settings = queue.settings;
  if (settings.max_messages == 0 && settings.max_bytes == 0) return false;
  Promised::Room const room =
      shared_.promised.room(queue.name, decision.phase == Phase::keep ? decision.transaction : TransactionId::none);
  return (settings.max_messages != 0 && queue.messages + room.messages + 1 > settings.max_messages) ||
         (settings.max_bytes != 0 && queue.bytes + room.bytes + request.bytes > settings.max_bytes);
}

Status Sends::check_queues(Request const& request, Decision const& decision) const {
  for (Queue const* const queue : queues_) {
    Settings const& settings = queue->settings;
    if (Status status = check_size(*queue, request); !status.ok()) return status;
    if (Status status = check_expiry(request, date_on(*queue, request)); !status.ok()) return status;
    if (settings.max_bytes != 0 && request.bytes > settings.max_bytes)
      return {Code::over_limit, "the body has " + std::to_string(request.bytes) + " bytes, and queue " + queue->name +
                                    " of table " + shared_.table() + " takes " + std::to_string(settings.max_bytes) +
                                    " in all: DECLARE it with a larger max_bytes"};
    if (settings.drops || !is_full(*queue, request, decision)) continue;
    bool const by_messages = settings.max_messages != 0 && queue->messages + 1 > settings.max_messages;
    return {Code::over_limit, fmt::format("queue {} of table {} is full: it has {} messages of {} bytes; take some, or "
                                          "DECLARE it with a larger {} or when_full=drop",
                                          queue->name, shared_.table(), queue->messages, queue->bytes,
                                          by_messages ? "max_messages" : "max_bytes")};
  }
  return {};
}

// What consumers have is not dropped: a queue may be beyond its limit by that.
bool Sends::drop_first(Request const& request, Decision& decision) const {
  if (decision.carry[kDropped] >= kDroppedMax) return false;
  for (Queue const* const queue : queues_) {
    if (!queue->settings.drops || !is_full(*queue, request, decision)) continue;
    std::uint32_t const row = first_of(shared_, queue->name);
    if (row == rows::kNoRow) continue;
    ++decision.carry[kDropped];
    rows::GiveBackBody body;
    body.counters = shared_.rows().counters_of(row);
    body.error = "the queue was full";
    if (!dead_letter_policy_.move(row, body, decision))
      model::append_record(decision.records, shared_.rows().id_of(row), rows::RemoveBody{rows::Reason::failed});
    return true;
  }
  return false;
}

void Sends::promise(Request const& request, bool makes, Hold& hold) const {
  std::uint64_t const queues = makes ? 1 : queues_.size();
  std::uint64_t const in_log = request.content.outside ? 0 : request.bytes;
  hold.rows = queues;
  hold.bytes = request.bytes + queues * kRowBytes + 2 * request.deduplication.bytes.size();
  for (Queue const* const queue : queues_) hold.keys.push_back(Promised::of_queue(queue->name));
  if (makes) {
    hold.keys.push_back(Promised::of_queue(request.queue));
    hold.keys.push_back(Promised::of_new(request.queue));
    hold.record_bytes = in_log + 2 * kRowRecordBytes + kSharedBodyRecordBytes;
  }
  if (request.exchange.empty()) return;
  hold.keys.push_back(Promised::of_exchange(request.exchange));
  // Whatever is bound meanwhile.
  hold.record_bytes = 2 * in_log + kQueuesOfMessageMax * kRowRecordBytes + kSharedBodyRecordBytes;
}

bool Sends::is_duplicate(Command const& command, Request& request, Decision& decision) const {
  ObjectId id;
  rows::Before const before =
      rows::look_up(shared_.table_of_rows.clients().windows(), shared_.table(), command, shared_.options.clients_max,
                    decision.now.value, request.claim, id, decision);
  if (before != rows::Before::done) return before == rows::Before::over;
  ++shared_.statistics.duplicate;
  std::uint32_t const row = shared_.rows().find(id);
  answer(decision, id, id.is_none() ? 0 : 1, "duplicate", row == rows::kNoRow ? 0 : shared_.rows().row(row).date());
  return true;
}

bool Sends::is_known(Request const& request, Decision& decision) const {
  Deduplications::One const* const first =
      queues_.empty() ? nullptr
                      : shared_.deduplications.find(queues_.front()->id, request.deduplication, decision.now.value);
  if (first == nullptr) return false;
  ++shared_.statistics.duplicate;
  rows::append_claim(request.claim, decision.now.value, decision.records);
  if (request.claim.is_numbered())
    model::append_record(decision.records, {},
                         rows::SeenBody{request.claim.sender, first->message, decision.now.value});
  std::uint32_t const row = shared_.rows().find(first->message);
  answer(decision, first->message, 1, "duplicate", row == rows::kNoRow ? 0 : shared_.rows().row(row).date());
  return true;
}

Verdict Sends::send(Command const& command, Decision& decision) const {
  Request& request = request_;
  if (decision.step == 0) {
    request = {};
    if (!read(command, decision, request)) return Verdict::done;
  }
  bool const keeps = decision.phase == Phase::keep;
  bool const is_over = request.expires != 0 && request.expires <= decision.now.value;
  if (keeps && is_over) {
    answer(decision, {}, 0, "expired", request.date);
    return Verdict::done;
  }
  bool const goes_on = decision.carry[kNext] > 0;
  if (request.claim.is_numbered() && !goes_on && is_duplicate(command, request, decision)) return Verdict::done;
  // A resent message is a duplicate, also if it has expired.
  if (request.drop_expired && is_over) {
    if (decision.phase != Phase::promise) answer(decision, {}, 0, "expired", request.date);
    return Verdict::done;
  }
  if (!keeps && decision.refuses(check_expiry(request, request.date))) return Verdict::done;
  if (!request.mandatory && !request.exchange.empty()) {
    Exchange const* const exchange = shared_.queues.find_exchange(request.exchange);
    request.mandatory = exchange != nullptr && exchange->router.kind() == ExchangeKind::direct;
  }
  bool makes = false;
  if (decision.refuses(find_queues(request, decision, makes))) return Verdict::done;
  if (goes_on) return append(request, decision);
  bool const has_name = !request.deduplication.empty();
  if (has_name && decision.phase != Phase::promise && is_known(request, decision)) return Verdict::done;
  if (has_name && !keeps && shared_.deduplications.size() >= kDeduplicationsMax)
    return decision.refuse(
        {Code::over_limit, fmt::format("table {} remembers {} deduplications of the last five minutes, which is the "
                                       "most: try again later, or send without deduplication",
                                       shared_.table(), shared_.deduplications.size())});
  if (!keeps) decision.status = check_table(makes ? 1 : queues_.size());
  if (!decision.status.ok()) return Verdict::done;
  if (makes && !keeps && !shared_.has_place(command) && !shared_.promised.is_new(request.queue))
    return decision.refuse(
        {Code::over_limit, fmt::format("table {} has {} queues and exchanges, and {}: remove some, or raise queues-max",
                                       shared_.table(), shared_.named(),
                                       command.may_manage ? "queues-max allows no more"
                                                          : "the last eighth of queues-max is for those who manage")});
  if (makes && decision.phase != Phase::promise) {
    shared_.make_queue(request.queue, shared_.options.of_made_queue(), decision);
    return Verdict::again;
  }
  // A queue that got dead letters of what was dropped for this message is not full by them.
  if (!keeps && decision.carry[kDropped] == 0) decision.status = check_queues(request, decision);
  if (!decision.status.ok()) return Verdict::done;
  if (decision.phase == Phase::promise) {
    promise(request, makes, *decision.hold);
    return Verdict::done;
  }
  if (drop_first(request, decision)) return Verdict::again;
  return append(request, decision);
}

void Sends::write_content(Request const& request) const {
  writer_.set(Part::properties, request.properties);
  writer_.set(Part::exchange, request.exchange).set(Part::routing_key, request.routing_key);
  if (request.has_content()) writer_.set(request.part, request.content);
}

void Sends::finish(Schema const& schema) const {
  Status const status = writer_.write(schema, data_);
  FJ_CHECK(status.ok(), "every part of a message was checked when it was read");
}

ObjectId Sends::append_row(Request const& request, Queue const& queue, ObjectId origin, bool is_first,
                           Decision& decision) const {
  std::int64_t const now = decision.now.value;
  writer_.clear();
  writer_.set(Part::bytes, Value::of_unsigned(request.bytes)).set(Part::queue, std::string_view{queue.name});
  if (origin.is_none())
    write_content(request);
  else
    writer_.set(Part::origin, Value::of_unsigned(origin.value));
  writer_.set(Part::group, request.group);
  Schema const& schema = request.group.empty() ? shared_body_schema() : grouped_schema();
  finish(schema);
  rows::RowBody body;
  body.set_priority(request.priority);
  body.detail.lease = request.lease.value_or(0);
  body.detail.is_counted = shared_.options.message_counts;
  body.date = date_on(queue, request);
  if (is_first) body.sender = request.claim.sender;
  body.facts.arrival = body.facts.inserted = body.facts.accepted = now;
  std::int64_t const of_queue = queue.settings.expires;
  body.facts.expires = request.expires != 0 ? request.expires
                       : of_queue == 0      ? 0
                                            : std::min(body.date + of_queue, model::kDateMax);
  body.facts.schema = schema.version;
  body.facts.data_bytes = static_cast<std::uint32_t>(data_.size());
  body.data = data_;
  body.has_outside = request.content.outside && origin.is_none();
  return object_of(model::append_record(decision.records, ObjectId{}, body));
}

// A message of one queue is one record. One of several has its shared body in a record of its own, before the rows.
Verdict Sends::append(Request const& request, Decision& decision) const {
  auto& [dropped, next, origin, first] = decision.carry;
  if (next == 0) {
    rows::append_claim(request.claim, decision.now.value, decision.records);
    if (queues_.empty()) {
      if (request.claim.is_numbered())
        model::append_record(decision.records, {},
                             rows::SeenBody{request.claim.sender, ObjectId{}, decision.now.value});
      ++shared_.statistics.unrouted;
      answer(decision, {}, 0, "sent", 0);
      return Verdict::done;
    }
    if (queues_.size() > 1) {
      writer_.clear();
      writer_.set(Part::bytes, Value::of_unsigned(request.bytes));
      write_content(request);
      finish(shared_body_schema());
      origin =
          model::append_record(decision.records, ObjectId{}, SharedBodyRecord{request.content.outside, data_}).value;
    }
  }
  for (std::size_t bytes = 0; next < queues_.size() && bytes < kRowsOfStepBytes; bytes += kRowRecordBytes) {
    ObjectId const row = append_row(request, *queues_[next], ObjectId{origin}, next == 0, decision);
    if (!request.deduplication.empty())
      model::append_record(decision.records, ObjectId{},
                           DeduplicationBody{queues_[next]->id, row, decision.now.value, request.deduplication});
    if (next++ == 0) first = row.value;
  }
  if (next < queues_.size()) return Verdict::again;
  answer(decision, ObjectId{first}, queues_.size(), "sent", date_on(*queues_.front(), request));
  return Verdict::done;
}

void Sends::answer(Decision& decision, ObjectId message, std::size_t queues, std::string_view result,
                   std::int64_t date) const {
  Answer& out = decision.answer.message("SENT").add("table", Value::of_text(shared_.table()));
  if (!message.is_none()) out.add("message", message.value);
  out.add("queues", std::uint64_t{queues}).add("result", Value::of_text(result));
  if (date != 0) out.add("process_date", date);
}

}  // namespace fastjournal::queue
