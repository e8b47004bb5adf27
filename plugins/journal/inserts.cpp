#include "plugins/journal/inserts.h"

#include <algorithm>

#include "model/key_codec.h"
#include "model/parameters.h"
#include "model/row_codec.h"
#include "model/timer/wheel.h"
#include "plugins/journal/made.h"
#include "plugins/rows/claims.h"

namespace fastjournal::journal {
namespace {

static_assert(model::kDateMax == timer::kDateMax, "a row may wait as long as a message may say");

// The size of a record beyond twice its message (Records), less the headers and other records of the step.
constexpr std::size_t kSlackBytes = 8U << 10U;
// The most bytes of the records of an insert without merge rules, beside key and data: the row's facts, its client, who
// owns that name, whom it replaces, and an expired row that goes.
constexpr std::size_t kRecordsBytes = 2U << 10U;
// Of a row's memory, beside key and data.
constexpr std::size_t kRowBytes = 150;
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
  bool has_outside{false};  // columns of it
};

Status Inserts::read_request(Command const& command, Decision& decision, Request& request) const {
  Message const& message = *command.message;
  std::int64_t const asked = decision.asked().value;
  made::Insert given;
  if (!given.read(command, decision)) return std::move(decision.status);
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

  reset(key_);
  reset(data_);
  if (status = model::encode_key(settings_.schema(), message, key_); !status.ok()) return status;
  if (status = model::encode_data(settings_.schema(), message, data_); !status.ok()) return status;
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

Status Inserts::check_room() const {
  Options const& options = settings_.options();
  rows::Holds const& promised = table_.holds();
  std::uint64_t const to_come = promised.rows();
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
  hold.rows = 1;
  hold.bytes = request.key.size() + request.data.size() + kRowBytes;
  hold.record_bytes = hold.bytes + kRecordsBytes;
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
  rows::append_claim(request.claim, request.now, decision.records);
  if (expired != rows::kNoRow)
    model::append_record(decision.records, rows_.row(expired).id(), rows::RemoveBody{rows::Reason::expired});
  if (behind) ++statistics_.behind;
  return insert_row(request, behind, decision);
}

Verdict Inserts::insert_row(Request const& request, bool behind, Decision& decision) const {
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
  Lsn const lsn = model::append_record(decision.records, ObjectId{}, body);
  answer_inserted(decision, object_of(lsn), behind ? "behind" : "inserted", 0, body.date);
  return Verdict::done;
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
  rows::append_claim(request.claim, request.now, decision.records);
  model::append_record(decision.records, row.id(), body);
  if (behind) ++statistics_.behind;
  rows_.remember(index);
  answer_inserted(decision, row.id(), behind ? "behind" : "merged", body.merges, body.date);
  // A date other than the requested one: the rule that gave it.
  if (request.has_date && body.date != request.date)
    decision.answer.add("date_by", Value::of_text(body.date > request.date ? "waiting-row" : "max-postpone"));
  return Verdict::done;
}

// It was promised, and its date came before the end of the transaction.
Verdict Inserts::answer_expired(Request const& request, Decision& decision) const {
  decision.answer.message("INSERTED")
      .add("table", Value::of_text(settings_.table()))
      .add("result", Value::of_text("expired"))
      .add("process_date", request.due_at);
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
