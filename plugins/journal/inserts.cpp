#include "plugins/journal/inserts.h"

#include <algorithm>

#include "model/date.h"
#include "model/key_codec.h"
#include "model/parameters.h"
#include "model/row_codec.h"
#include "model/timer/wheel.h"
#include "plugins/journal/made.h"
#include "plugins/journal/schedule_columns.h"
#include "plugins/rows/claims.h"

namespace fastjournal::journal {
namespace {

static_assert(model::kDateMax == timer::kDateMax, "a row may wait as long as a message may say");

// The size of a record beyond twice its message (Records), less the headers and other records of the step.
constexpr std::size_t kSlackBytes = 8U << 10U;
// The most bytes of the records of an insert without merge rules, beside key and data: the row's facts, its client, who
// owns that name, whom it replaces, and an expired row that goes.
constexpr std::size_t kRecordsBytes = 2U << 10U;
// The most bytes of what an insert says of other rows: those that it waits for, and the record of a group.
constexpr std::size_t kOthersBytes = rows::kAfterMax * rows::After::kBytesOfOne + 512;
// Of a row's memory, beside key and data.
constexpr std::size_t kRowBytes = 150;
// Of a row that a schedule makes: its other records, beside key and data.
constexpr std::size_t kPlannedRecordBytes = 400;
// Memory that decide reuses for the next command.
constexpr std::size_t kScratchBytesMax = 64U << 10U;

std::size_t bytes_of(Message const& message) {
  std::size_t bytes = 0;
  for (Param const& param : message.params()) bytes += param.value.bytes.size() + 16;
  return bytes;
}

void reset(std::string& scratch) {
  scratch.clear();
  if (scratch.capacity() > kScratchBytesMax) scratch.shrink_to_fit();
}

}  // namespace

// Without has_inserted it is of now, and never stale.
struct Inserts::Request : model::InsertParameters {
  std::int64_t now{0};
  std::int64_t due_at{0};  // of a new row
  rows::Claim claim{};
  std::size_t message_bytes{0};
  std::string_view key{};
  std::string_view data{};
  bool has_outside{false};              // columns of it
  std::string_view extras{};            // of a new row, or what a merge changes of them
  bool has_others{false};               // it waits for rows, or is of a group: Inserts::wanted_
  std::optional<std::int64_t> lease{};  // how long leases of the row last
};

Status Inserts::read_request(Command const& command, Decision& decision, Request& request) const {
  Message const& message = *command.message;
  std::int64_t const asked = decision.asked().value;
  made::Insert given;
  if (!given.read(command, decision, settings_.options().words.priorities)) return std::move(decision.status);
  request.now = decision.now.value;
  static_cast<model::InsertParameters&>(request) =
      model::insert_of(given.priority, given.process_date, given.expiration_date, given.insertion_date, asked);
  Status status;
  request.claim.sender = rows::sender_of(given.client, given.sequence, status);
  if (!status.ok()) return status;
  // What was promised was found good then.
  if (decision.phase != Phase::keep) {
    status = model::check_insertion(request, asked, settings_.options().max_clock_skew);
    if (!status.ok()) {
      fast_clocks_.saw(command, request.inserted - asked);
      return status;
    }
  }
  if (status = model::check_expiration(request, asked); !status.ok()) return status;
  request.due_at = request.due();
  if (!request.has_inserted) request.inserted = request.now;

  if (status = read_extras(given, request); !status.ok()) return status;
  if (given.after.is_given || given.after_keys.is_given || given.group.is_given || given.after_group.is_given ||
      given.when_failed || given.after_group_is) [[unlikely]] {
    request.has_others = true;
    wanted_ = Dependencies::wanted_of(given);
  }
  return encode(message, request);
}

Status Inserts::read_extras(made::Insert const& given, Request& request) const {
  if (!given.tags.is_given && !given.max_attempts && !given.back_off.is_given && !given.lease && !given.unique_for)
      [[likely]]
    return {};
  rows::Extras extras;
  Result<std::string> tags = rows::check_tags(given.tags);
  if (!tags.ok()) return model::refused(Code::bad_parameter, "tags", "tags: " + tags.status().message());
  if (given.tags.is_given) extras.tags = tags.value();
  extras.max_attempts = given.max_attempts;
  if (given.back_off.is_given) {
    Result<rows::BackOff> back_off = rows::parse_back_off(given.back_off);
    if (!back_off.ok())
      return model::refused(Code::bad_parameter, "back_off", "back_off: " + back_off.status().message());
    extras.back_off = std::move(back_off).value();
  }
  rows::LeaseTimes const& times = settings_.options().times;
  if (given.lease && (*given.lease < times.min || *given.lease > times.max))
    return model::refused(Code::bad_parameter, "lease",
                          "lease is " + std::to_string(*given.lease) + ": a whole number from " +
                              std::to_string(times.min) + " to " + std::to_string(times.max) + " is expected");
  if (given.unique_for && !rows_.keys().has_keys())
    return model::refused(
        Code::bad_parameter, "unique_for",
        "table " + settings_.table() + " has no row-key, so each insert makes a row: leave unique_for out");
  extras.unique_for = given.unique_for;
  request.lease = given.lease;
  extras_ = rows::extras::write(extras);
  request.extras = extras_;
  return {};
}

Status Inserts::encode(Message const& message, Request& request) const {
  reset(key_);
  reset(data_);
  if (Status status = model::encode_key(settings_.schema(), message, key_); !status.ok()) return status;
  if (Status status = model::encode_data(settings_.schema(), message, data_); !status.ok()) return status;
  request.message_bytes = bytes_of(message);
  request.has_outside = std::ranges::any_of(message.params(), [](Param const& param) { return param.value.outside; });
  if (key_.size() + data_.size() > 2 * request.message_bytes + kSlackBytes)
    return {Code::too_large,
            "table " + settings_.table() +
                ": the columns' default values are larger than the message they complete; give them in the message"};
  request.key = key_;
  request.data = data_;
  return {};
}

void Inserts::answer_inserted(Decision& decision, ObjectId row, std::string_view result, std::uint32_t merges,
                              std::int64_t date) const {
  Answer& answer = decision.answer.message("INSERTED");
  answer.add("table", Value::of_text(settings_.table())).add("row", row.value).add("result", Value::of_text(result));
  answer.add("merges", std::uint64_t{merges});
  if (date != 0) answer.add("process_date", date);
}

// The row of the key that is being processed, and has the latest data.
std::uint32_t Inserts::newest_of(rows::KeyRows const& of_key) const {
  std::uint32_t newest = of_key.processing;
  std::uint32_t row = newest;
  for (std::uint32_t i = 1; i < of_key.processing_count; ++i) {
    row = rows_.keys().next(row);
    if (rows_.view(row).facts.accepted > rows_.view(newest).facts.accepted) newest = row;
  }
  return newest;
}

bool Inserts::is_answered_by_client(Command const& command, Request& request, Decision& decision) const {
  ObjectId id;
  rows::Before const before = rows::look_up(windows(), settings_.table(), command, settings_.options().clients_max,
                                            request.now, request.claim, id, decision);
  if (before != rows::Before::done) return before == rows::Before::over;
  std::uint32_t const row = rows_.find(id);
  bool const there = row != rows::kNoRow;
  ++statistics_.duplicate;
  answer_inserted(decision, id, "duplicate", there ? rows_.view(row).facts.merges : 0,
                  there ? rows_.row(row).date() : 0);
  return true;
}

Status Inserts::look_at_others(Request const& request, std::uint32_t row, Decision& decision) const {
  found_ = {};
  if (Status status = dependencies_.look(wanted_, request.key, row, decision, found_); !status.ok()) return status;
  std::size_t const bytes = found_.after.all.size() * rows::After::kBytesOfOne;
  if (decision.phase == Phase::keep ||
      request.key.size() + request.data.size() + bytes <= 2 * request.message_bytes + kSlackBytes)
    return {};
  return {Code::too_large, "table " + settings_.table() + ": this insert names few keys and waits for " +
                               std::to_string(found_.after.all.size()) +
                               " rows: give their numbers in after, or let a row of its own wait for some"};
}

std::string_view Inserts::with_others(Request const& request, Decision& decision) const {
  rows::Extras others = Dependencies::extras_of(found_, decision);
  // Not changed(): what a change removes must stay in it.
  rows::Extras all = rows::extras::read(request.extras);
  all.after = std::move(others.after);
  all.group = others.group;
  all_extras_ = rows::extras::write(all);
  return all_extras_;
}

Status Inserts::check_room(std::uint64_t beside) const {
  Options const& options = settings_.options();
  rows::Holds const& promised = table_.holds();
  std::uint64_t const to_come = promised.rows() + beside;
  bool const full = options.rows_max != 0 && rows_.rows().size() + to_come >= options.rows_max;
  if (!full && !rows_.is_nearly_full() &&
      (options.memory_max == 0 || table_.memory_bytes() + promised.bytes() < options.memory_max))
    return {};
  return Status{Code::over_limit,
                "table " + settings_.table() + " is full: it has " + std::to_string(rows_.rows().size()) + " rows in " +
                    std::to_string(table_.memory_bytes()) + " bytes" +
                    (promised.rows() == 0
                         ? std::string{}
                         : ", and room for " + std::to_string(promised.rows()) + " more is promised to transactions") +
                    "; finish or delete rows, or raise " + (full ? "rows-max" : "memory-max")};
}

Status Inserts::promise(Request const& request, Hold& hold) const {
  if (Status status = check_room(); !status.ok()) return status;
  if (rows::Unique const* const unique = table_.uniques().find(request.key, request.now);
      unique != nullptr && rows_.keys().find(request.key).first() == rows::kNoRow)
    return {Code::wrong_state, "table " + settings_.table() + ": row " + std::to_string(unique->row.value) +
                                   " of this key is done, and until " + model::format_date(unique->until) +
                                   " no further one is taken (unique-for)"};
  hold.rows = 1;
  hold.bytes = request.key.size() + request.data.size() + request.extras.size() + kRowBytes;
  hold.record_bytes = hold.bytes + kRecordsBytes;
  if (request.has_others) {
    // A key may have more rows by then.
    hold.record_bytes += kOthersBytes;
    dependencies_.hold(wanted_, hold);
  }
  if (!settings_.has_merge_rules() || !rows_.keys().has_keys()) return {};
  // Whichever of them waits by then.
  for (std::uint32_t row = rows_.keys().find(request.key).first(); row != rows::kNoRow; row = rows_.keys().next(row)) {
    rows::MergeBody body;
    if (Status status = merged_data(row, request, body); !status.ok()) return status;
  }
  hold.keys.emplace_back(request.key);
  hold.record_bytes = 0;
  return {};
}

Verdict Inserts::insert(Command const& command, Decision& decision) const {
  std::int64_t const now = decision.now.value;
  Request request;
  if (decision.refuses(read_request(command, decision, request))) return Verdict::done;

  bool const keeps = decision.phase == Phase::keep;
  bool const is_over = request.expires != 0 && request.expires <= now;
  if (keeps && is_over) return answer_expired(request, decision);
  if (request.claim.is_numbered() && is_answered_by_client(command, request, decision)) return Verdict::done;
  // After the check for duplicates: a resent insert must be answered as a duplicate.
  if (pauses_.is_draining() && !keeps) return decision.refuse(pauses_.refusal("inserts are refused"));
  if (TransactionId const holder = table_.holds().holder_of(request.key); holder != TransactionId::none) {
    if (decision.refuses(
            rows::Holds::check(holder, decision, "the key of this insert into table " + settings_.table())))
      return Verdict::done;
  }
  if (request.has_others) [[unlikely]] {
    std::uint32_t waiting = rows_.keys().has_keys() ? rows_.keys().find(request.key).waiting : rows::kNoRow;
    if (waiting != rows::kNoRow && !rows_.is_visible(waiting, now)) waiting = rows::kNoRow;
    if (decision.refuses(look_at_others(request, waiting, decision))) return Verdict::done;
  }
  if (decision.phase == Phase::promise) return decision.refuse(promise(request, *decision.hold));
  rows::KeyRows of_key = rows_.keys().has_keys() ? rows_.keys().find(request.key) : rows::KeyRows{};
  std::uint32_t expired = rows::kNoRow;
  if (of_key.waiting != rows::kNoRow && !rows_.is_visible(of_key.waiting, now)) {
    expired = of_key.waiting;
    of_key.waiting = rows::kNoRow;
  }
  bool const behind = of_key.processing != rows::kNoRow;
  std::uint32_t const latest = of_key.waiting != rows::kNoRow ? of_key.waiting : newest_of(of_key);
  if (latest != rows::kNoRow && request.has_inserted && request.inserted < rows_.view(latest).facts.accepted)
    return answer_stale(latest, request, decision);
  if (of_key.waiting != rows::kNoRow) return merge_into(of_key.waiting, behind, request, decision);

  if (!keeps) decision.status = check_room();
  if (!decision.status.ok()) return Verdict::done;
  if (!table_.uniques().empty() && !keeps) [[unlikely]]
    if (rows::Unique const* const unique = table_.uniques().find(request.key, now); unique != nullptr && !behind)
      return answer_unique(*unique, request, decision);
  rows::append_claim(request.claim, request.now, decision.records);
  if (expired != rows::kNoRow) expire(expired, decision);
  if (behind) ++statistics_.behind;
  insert_row(request, behind, decision);
  return Verdict::done;
}

Result<ObjectId> Inserts::make(Planned const& planned, Step& step, Decision& decision) const {
  std::int64_t const now = decision.now.value;
  Request request;
  request.now = request.inserted = now;
  request.priority = planned.priority;
  request.date = request.due_at = planned.due;
  request.expires = planned.expires;
  if (Status status = check_row(settings_.schema(), *planned.columns); !status.ok()) return status;
  if (Status status = encode(*planned.columns, request); !status.ok()) return status;
  std::size_t const bytes = request.key.size() + request.data.size();
  // So that what a merge states fits into a step.
  request.message_bytes = 0;
  if (TransactionId const holder = table_.holds().holder_of(request.key); holder != TransactionId::none)
    if (Status status = rows::Holds::check(holder, decision, "the key of this row of table " + settings_.table());
        !status.ok())
      return status;
  rows::KeyRows of_key = rows_.keys().has_keys() ? rows_.keys().find(request.key) : rows::KeyRows{};
  bool const merges = of_key.waiting != rows::kNoRow && rows_.is_visible(of_key.waiting, now);
  bool const is_known = rows_.keys().has_keys() && step.keys.contains(request.key);
  std::size_t const room = kPlannedRecordBytes + bytes + (merges && settings_.has_merge_rules() ? kSlackBytes : 0);
  if (is_known || (step.bytes != 0 && step.bytes + room > kStepBytesMax)) return ObjectId{};
  std::string const extras = rows::extras::write({.of_schedule = planned.of});
  request.extras = extras;
  std::size_t const messages = decision.answer.heads().size();
  ObjectId row;
  if (merges) {
    row = rows_.id_of(of_key.waiting);
    static_cast<void>(merge_into(of_key.waiting, of_key.processing != rows::kNoRow, request, decision));
    if (!decision.status.ok()) return std::move(decision.status);
  } else {
    if (Status status = check_room(step.rows); !status.ok()) return status;
    if (of_key.waiting != rows::kNoRow) expire(of_key.waiting, decision);
    row = insert_row(request, of_key.processing != rows::kNoRow, decision);
    ++step.rows;
  }
  decision.answer.cut(messages);
  step.bytes += room;
  if (rows_.keys().has_keys()) step.keys.emplace(request.key);
  return row;
}

ObjectId Inserts::insert_row(Request const& request, bool behind, Decision& decision) const {
  rows::RowBody body;
  body.priority = request.priority;
  body.date = request.due_at;
  body.sender = request.claim.sender;
  body.facts.arrival = request.now;
  body.facts.inserted = body.facts.accepted = request.inserted;
  body.facts.expires = request.expires;
  body.facts.schema = settings_.schema().version;
  body.facts.key_bytes = static_cast<std::uint32_t>(request.key.size());
  body.facts.data_bytes = static_cast<std::uint32_t>(request.data.size());
  body.key = request.key;
  body.data = request.data;
  body.has_outside = request.has_outside;
  std::string extras;
  if (!request.extras.empty() || request.lease || request.has_others) [[unlikely]] {
    // A change that leaves nothing is nothing.
    extras = rows::extras::changed({}, request.has_others ? with_others(request, decision) : request.extras);
    body.extras = extras;
    body.detail.lease = request.lease.value_or(0);
  }
  Lsn const lsn = model::append_record(decision.records, ObjectId{}, body);
  answer_inserted(decision, object_of(lsn), behind ? "behind" : "inserted", 0, body.date);
  if (request.has_others && found_.waits_for > 0) decision.answer.add("waits_for", std::uint64_t{found_.waits_for});
  return object_of(lsn);
}

// The merged data: stated whole, or as the data of the insert if the whole is much longer than the message.
Status Inserts::merged_data(std::uint32_t row, Request const& request, rows::MergeBody& body) const {
  rows::PayloadView const old = rows_.view(row);
  Schema const& schema = settings_.schema();
  std::string_view data = request.data;
  std::size_t const whole_max = 2 * request.message_bytes + kSlackBytes - request.key.size();
  if (settings_.has_merge_rules() && old.data.size() >= rows::kPiecesFrom) {
    if (Status status =
            model::merge_pieces(*rows_.schemas().find(old.facts.schema), old.data, schema, request.data, pieces_);
        !status.ok())
      return status;
    body.schema = schema.version;
    if (old.facts.schema == schema.version && pieces_.is_old_data()) return {};
    if (pieces_.size() > whole_max) {
      body.change = rows::DataChange::by_rule;
      body.data = request.data;
      return {};
    }
  }
  if (settings_.has_merge_rules()) {
    reset(merged_);
    if (Status status =
            model::merge_data(*rows_.schemas().find(old.facts.schema), old.data, schema, request.data, merged_);
        !status.ok())
      return status;
    data = merged_;
  }
  body.schema = schema.version;
  if (old.facts.schema == schema.version && data == old.data) return {};
  bool const whole = data.size() <= whole_max;
  body.change = whole ? rows::DataChange::whole : rows::DataChange::by_rule;
  body.data = whole ? data : request.data;
  return {};
}

Verdict Inserts::merge_into(std::uint32_t index, bool behind, Request const& request, Decision& decision) const {
  rows::Row const& row = rows_.row(index);
  rows::Facts const facts = rows_.view(index).facts;
  rows::MergeBody body;
  if (decision.refuses(merged_data(index, request, body))) return Verdict::done;

  body.priority = std::min(row.priority(), request.priority);
  // A key that is updated every second must run all the same: it cannot be postponed for ever.
  std::int64_t const latest =
      std::max(row.date(), std::min(facts.arrival + settings_.options().max_postpone, timer::kDateMax));
  body.date = std::min(std::max(row.date(), request.date), latest);
  body.expires = facts.expires == 0 || request.expires == 0 ? 0 : std::max(facts.expires, request.expires);
  body.accepted = request.inserted;
  body.merges = facts.merges == UINT32_MAX ? facts.merges : facts.merges + 1;
  body.sender = request.claim.sender;
  body.now = request.now;
  body.has_outside = request.has_outside && body.change != rows::DataChange::none;
  body.extras = request.has_others ? with_others(request, decision) : request.extras;
  body.lease = request.lease;
  rows::append_claim(request.claim, request.now, decision.records);
  model::append_record(decision.records, row.id(), body);
  if (behind) ++statistics_.behind;
  rows_.remember(index);
  answer_inserted(decision, row.id(), behind ? "behind" : "merged", body.merges, body.date);
  if (request.has_others && found_.waits_for > 0) decision.answer.add("waits_for", std::uint64_t{found_.waits_for});
  // A date other than the requested one: the rule that gave it.
  if (request.has_date && body.date != request.date)
    decision.answer.add("date_by", Value::of_text(body.date > request.date ? "waiting-row" : "max-postpone"));
  return Verdict::done;
}

// It was promised, and its date came before the end of the transaction.
void Inserts::expire(std::uint32_t row, Decision& decision) const {
  rows::RemoveBody body = rows_.removal(row, rows::Reason::expired);
  body.kept_at = settings_.options().attempts.kept_at(decision.now);
  model::append_record(decision.records, rows_.id_of(row), body);
}

Verdict Inserts::answer_expired(Request const& request, Decision& decision) const {
  decision.answer.message("INSERTED")
      .add("table", Value::of_text(settings_.table()))
      .add("result", Value::of_text("expired"))
      .add("process_date", request.due_at);
  return Verdict::done;
}

// A resent one is answered as a duplicate of the row that is done.
Verdict Inserts::answer_unique(rows::Unique const& unique, Request const& request, Decision& decision) const {
  if (settings_.options().when_unique == made::WhenUniqueChoice::refuse)
    return decision.refuse(Status{
        Code::wrong_state, "table " + settings_.table() + ": row " + std::to_string(unique.row.value) +
                               " of this key is done since " + model::format_date(unique.ended) + ", and until " +
                               model::format_date(unique.until) + " no further one is taken (unique-for)"});
  rows::append_claim(request.claim, request.now, decision.records);
  if (request.claim.is_numbered())
    model::append_record(decision.records, {}, rows::SeenBody{request.claim.sender, unique.row, request.now});
  ++statistics_.unique;
  decision.answer.message("INSERTED")
      .add("table", Value::of_text(settings_.table()))
      .add("row", unique.row.value)
      .add("result", Value::of_text("unique"))
      .add("ended_date", unique.ended)
      .add("unique_until", unique.until);
  return Verdict::done;
}

Verdict Inserts::answer_stale(std::uint32_t row, Request const& request, Decision& decision) const {
  ObjectId const id = rows_.row(row).id();
  rows::append_claim(request.claim, request.now, decision.records);
  if (request.claim.is_numbered())
    model::append_record(decision.records, {}, rows::SeenBody{request.claim.sender, id, request.now});
  ++statistics_.stale;
  answer_inserted(decision, id, "stale", rows_.view(row).facts.merges, rows_.row(row).date());
  return Verdict::done;
}

}  // namespace fastjournal::journal
