#include "plugins/journal/inserts.h"

#include <algorithm>

#include "model/key_codec.h"
#include "model/parameters.h"
#include "model/row_codec.h"
#include "timer/wheel.h"

namespace fastjournal::journal {
namespace {

static_assert(model::kDateMax == timer::kDateMax, "a row may wait as long as a message may say");

// The size of a record beyond twice its message (Records), less the headers and other records of the step.
constexpr std::size_t kSlackBytes = 8U << 10U;
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
struct Inserts::Wish : model::InsertParameters {
  std::int64_t now{0};
  rows::Sender sender{};
  std::string_view owner{};    // the client's name gets this origin as owner; empty: no change
  std::string_view evicted{};  // the client that it replaces; empty: none
  std::size_t message_bytes{0};
  std::string_view key{};
  std::string_view data{};
};

Status Inserts::read_wish(Command const& command, std::int64_t now, Wish& wish) const {
  Message const& message = *command.message;
  model::Parameters parameters{message};
  wish.now = now;
  static_cast<model::InsertParameters&>(wish) = model::read_insert(parameters, now);
  wish.sender.client = parameters.text("client", kClientBytesMax);
  wish.sender.sequence = parameters.unsigned_integer("sequence", 0);
  bool const has_client = parameters.has("client");
  if (has_client != parameters.has("sequence") || (has_client && wish.sender.client.empty()))
    parameters.refuse(
        Code::missing_parameter, has_client ? "sequence" : "client",
        "client and sequence go together: the client's name for this start of it, and a number that grows");
  model::check_expiration(wish, parameters, now);
  if (!parameters.ok()) return parameters.take_status();

  reset(key_);
  reset(data_);
  if (Status status = model::encode_key(settings_.schema(), message, key_); !status.ok()) return status;
  if (Status status = model::encode_data(settings_.schema(), message, data_); !status.ok()) return status;
  wish.message_bytes = bytes_of(message);
  if (key_.size() + data_.size() > 2 * wish.message_bytes + kSlackBytes)
    return {Code::too_large,
            "table " + settings_.table() +
                ": the columns' default values are larger than the message they complete; give them in the message"};
  wish.key = key_;
  wish.data = data_;
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

// Names belong to the origin that used them first: otherwise one insert with a large number would make another's
// numbers stale, and invented names would keep others out.
Status Inserts::check_client(rows::DedupWindows::Client const* client, std::string_view origin, Wish& wish) const {
  if (client != nullptr && !client->owner_id.is_none()) {
    if (client->origin->name == origin) return {};
    return Status{Code::not_allowed, "client \"" + std::string{wish.sender.client} + "\" of table " +
                                         settings_.table() + " belongs to another peer than " + std::string{origin} +
                                         ", which used this name first: choose another name, best 128 random bits"}
        .with("parameter", "client");
  }
  // From a test, or the daemon itself: without an origin there is no owner.
  wish.owner = origin;
  if (client != nullptr) return {};
  rows::DedupWindows::Room const room = windows().room_for(origin, settings_.options().clients_max, wish.now);
  if (room.evicted != nullptr) wish.evicted = room.evicted->name;
  if (room.there) return {};
  return Status{Code::over_limit,
                "table " + settings_.table() + " remembers " + std::to_string(windows().size()) + " clients, of " +
                    std::string{origin} + " " + std::to_string(windows().size_of(origin)) +
                    ", and none of those that could make room was silent for an hour: use one client name for a "
                    "producer's life, or raise clients-max"}
      .with("parameter", "client");
}

void Inserts::claim_client(Wish const& wish, Decision& decision) const {
  if (!wish.evicted.empty()) rows::append_client_dropped(decision.records, wish.evicted);
  if (!wish.owner.empty() && !wish.sender.client.empty())
    rows::append_client_owner(decision.records, ObjectId{}, {wish.sender.client, wish.owner, wish.now});
}

bool Inserts::is_answered_by_client(Command const& command, Wish& wish, Decision& decision) const {
  rows::DedupWindows::Client const* const client = windows().find(wish.sender.client);
  decision.status = check_client(client, command.origin, wish);
  if (!decision.status.ok()) return true;
  rows::DedupWindows::Found const found = rows::DedupWindows::look(client, wish.sender.sequence);
  switch (found.answer) {
    case rows::DedupWindows::Answer::fresh: return false;
    case rows::DedupWindows::Answer::below_window:
      decision.status =
          Status{Code::stale_sequence, "sequence " + std::to_string(wish.sender.sequence) + " of client \"" +
                                           std::string{wish.sender.client} + "\" is older than the " +
                                           std::to_string(rows::kSequenceWindow) +
                                           " that are remembered: it was done, or will never be"};
      return true;
    case rows::DedupWindows::Answer::seen: break;
  }
  std::uint32_t const row = rows_.find(found.row);
  bool const there = row != rows::kNoRow;
  ++statistics_.duplicate;
  claim_client(wish, decision);
  answer_inserted(decision, found.row, "duplicate", there ? rows_.view(row).facts.merges : 0,
                  there ? rows_.row(row).date() : 0);
  return true;
}

Status Inserts::check_room() const {
  Options const& options = settings_.options();
  bool const full = options.rows_max != 0 && rows_.rows().size() >= options.rows_max;
  if (!full && !rows_.is_nearly_full() && (options.memory_max == 0 || table_.memory_bytes() < options.memory_max))
    return {};
  return Status{Code::over_limit, "table " + settings_.table() + " is full: it has " +
                                      std::to_string(rows_.rows().size()) + " rows in " +
                                      std::to_string(table_.memory_bytes()) +
                                      " bytes; finish or delete rows, or raise " + (full ? "rows-max" : "memory-max")};
}

Verdict Inserts::insert(Command const& command, Decision& decision) const {
  std::int64_t const now = decision.now.value;
  Wish wish;
  decision.status = read_wish(command, now, wish);
  if (!decision.status.ok()) return Verdict::done;

  if (!wish.sender.client.empty() && is_answered_by_client(command, wish, decision)) return Verdict::done;
  // After the check for duplicates: a resent insert must be answered as a duplicate.
  if (pauses_.is_draining()) {
    decision.status = pauses_.refusal("inserts are refused");
    return Verdict::done;
  }
  rows::KeyRows of_key = rows_.keys().has_keys() ? rows_.keys().find(wish.key) : rows::KeyRows{};
  std::uint32_t expired = rows::kNoRow;
  if (of_key.waiting != rows::kNoRow && !rows_.is_visible(of_key.waiting, now)) {
    expired = of_key.waiting;
    of_key.waiting = rows::kNoRow;
  }
  bool const behind = of_key.processing != rows::kNoRow;
  std::uint32_t const latest = of_key.waiting != rows::kNoRow ? of_key.waiting : newest_of(of_key);
  if (latest != rows::kNoRow && wish.has_inserted && wish.inserted < rows_.view(latest).facts.accepted)
    return answer_stale(latest, wish, decision);
  if (of_key.waiting != rows::kNoRow) return merge_into(of_key.waiting, behind, wish, decision);

  decision.status = check_room();
  if (!decision.status.ok()) return Verdict::done;
  claim_client(wish, decision);
  if (expired != rows::kNoRow) rows::append_remove(decision.records, rows_.row(expired).id(), rows::Reason::expired);
  if (behind) ++statistics_.behind;
  return insert_row(wish, behind, decision);
}

Verdict Inserts::insert_row(Wish const& wish, bool behind, Decision& decision) const {
  rows::RowBody body;
  body.priority = wish.priority;
  body.date = wish.date;
  body.sender = wish.sender;
  body.facts.arrival = wish.now;
  body.facts.inserted = body.facts.accepted = wish.inserted;
  body.facts.expires = wish.expires;
  body.facts.schema = settings_.schema().version;
  body.facts.key_bytes = static_cast<std::uint32_t>(wish.key.size());
  body.facts.data_bytes = static_cast<std::uint32_t>(wish.data.size());
  body.key = wish.key;
  body.data = wish.data;
  Lsn const lsn = rows::append_row(decision.records, ObjectId{}, body);
  answer_inserted(decision, object_of(lsn), behind ? "behind" : "inserted", 0, wish.date);
  return Verdict::done;
}

// The merged data: stated whole, or as the data of the insert if the whole is much longer than the message.
Status Inserts::merged_data(std::uint32_t row, Wish const& wish, rows::MergeBody& body) const {
  rows::PayloadView const old = rows_.view(row);
  Schema const& schema = settings_.schema();
  std::string_view data = wish.data;
  std::size_t const whole_max = 2 * wish.message_bytes + kSlackBytes - wish.key.size();
  if (settings_.has_merge_rules() && old.data.size() >= rows::kPiecesFrom) {
    if (Status status =
            model::merge_pieces(*rows_.schemas().find(old.facts.schema), old.data, schema, wish.data, pieces_);
        !status.ok())
      return status;
    body.schema = schema.version;
    if (old.facts.schema == schema.version && pieces_.is_old_data()) return {};
    if (pieces_.size() > whole_max) {
      body.change = rows::DataChange::by_rule;
      body.data = wish.data;
      return {};
    }
  }
  if (settings_.has_merge_rules()) {
    reset(merged_);
    if (Status status =
            model::merge_data(*rows_.schemas().find(old.facts.schema), old.data, schema, wish.data, merged_);
        !status.ok())
      return status;
    data = merged_;
  }
  body.schema = schema.version;
  if (old.facts.schema == schema.version && data == old.data) return {};
  bool const whole = data.size() <= whole_max;
  body.change = whole ? rows::DataChange::whole : rows::DataChange::by_rule;
  body.data = whole ? data : wish.data;
  return {};
}

Verdict Inserts::merge_into(std::uint32_t index, bool behind, Wish const& wish, Decision& decision) const {
  rows::Row const& row = rows_.row(index);
  rows::Facts const facts = rows_.view(index).facts;
  rows::MergeBody body;
  decision.status = merged_data(index, wish, body);
  if (!decision.status.ok()) return Verdict::done;

  body.priority = std::min(row.priority(), wish.priority);
  // A key that is updated every second must run all the same: it cannot be postponed for ever.
  std::int64_t const latest =
      std::max(row.date(), std::min(facts.arrival + settings_.options().max_postpone, timer::kDateMax));
  body.date = std::min(std::max(row.date(), wish.date), latest);
  body.expires = facts.expires == 0 || wish.expires == 0 ? 0 : std::max(facts.expires, wish.expires);
  body.accepted = wish.inserted;
  body.merges = facts.merges == UINT32_MAX ? facts.merges : facts.merges + 1;
  body.sender = wish.sender;
  body.now = wish.now;
  claim_client(wish, decision);
  rows::append_merge(decision.records, row.id(), body);
  if (behind) ++statistics_.behind;
  rows_.remember(index);
  answer_inserted(decision, row.id(), behind ? "behind" : "merged", body.merges, body.date);
  // A date other than the requested one: the rule that gave it.
  if (wish.has_date && body.date != wish.date)
    decision.answer.add("date_by", Value::of_text(body.date > wish.date ? "waiting-row" : "max-postpone"));
  return Verdict::done;
}

Verdict Inserts::answer_stale(std::uint32_t row, Wish const& wish, Decision& decision) const {
  ObjectId const id = rows_.row(row).id();
  claim_client(wish, decision);
  if (!wish.sender.client.empty()) rows::append_seen(decision.records, {wish.sender, id, wish.now});
  ++statistics_.stale;
  answer_inserted(decision, id, "stale", rows_.view(row).facts.merges, rows_.row(row).date());
  return Verdict::done;
}

}  // namespace fastjournal::journal
