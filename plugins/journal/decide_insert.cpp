// INSERT: a new row, or a merge into the one that waits (doc/merge.md). Without a row-key: always a new row.
#include <algorithm>

#include "model/key_codec.h"
#include "model/row_codec.h"
#include "plugins/journal/journal.h"
#include "timer/wheel.h"

namespace fastjournal::journal {
namespace {

// The smallest is first; in the middle of the list system's 0 to 255.
constexpr std::uint8_t kPriorityDefault = 100;
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

struct Journal::Wish {
  std::uint8_t priority{kPriorityDefault};
  std::int64_t now{0};
  std::int64_t date{0};
  bool has_date{false};  // it was asked for
  std::int64_t expires{0};
  std::int64_t inserted{0};  // the client's date
  bool has_inserted{false};  // given; without it the insert is of now, and never stale
  Sender sender{};
  std::string_view owner{};    // the client's name gets this origin as owner; empty: no change
  std::string_view evicted{};  // the client that it replaces; empty: none
  std::size_t message_bytes{0};
  std::string_view key{};
  std::string_view data{};
};

Status Journal::read_wish(Command const& command, std::int64_t now, Wish& wish) const {
  Message const& message = *command.message;
  Parameters parameters{message};
  wish.now = now;
  wish.priority = static_cast<std::uint8_t>(parameters.integer("priority", kPriorityDefault, 0, 255));
  // A past date is raised to now.
  wish.date = std::max(now, parameters.date("process_date", now, now));
  wish.has_date = parameters.has("process_date");
  wish.expires = parameters.date("expiration_date", 0, now);
  wish.inserted = parameters.date("insertion_date", now, now);
  wish.has_inserted = parameters.has("insertion_date");
  wish.sender.client = parameters.text("client", kClientBytesMax);
  wish.sender.sequence = parameters.unsigned_integer("sequence", 0);
  bool const has_client = parameters.has("client");
  if (has_client != parameters.has("sequence") || (has_client && wish.sender.client.empty()))
    parameters.refuse(
        Code::missing_parameter, has_client ? "sequence" : "client",
        "client and sequence go together: the client's name for this start of it, and a number that grows");
  if (wish.expires != 0 && wish.expires <= now)
    parameters.refuse(Code::expired, "expiration_date", "expiration_date is past: the row would never be handed out");
  if (!parameters.ok()) return parameters.take_status();

  reset(key_);
  reset(data_);
  if (Status status = model::encode_key(declaration_->schema, message, key_); !status.ok()) return status;
  if (Status status = model::encode_data(declaration_->schema, message, data_); !status.ok()) return status;
  wish.message_bytes = bytes_of(message);
  if (key_.size() + data_.size() > 2 * wish.message_bytes + kSlackBytes)
    return {Code::too_large,
            "table " + declaration_->name +
                ": the columns' default values are larger than the message they complete; give them in the message"};
  wish.key = key_;
  wish.data = data_;
  return {};
}

void Journal::answer_inserted(Decision& decision, ObjectId row, std::string_view result, std::uint32_t merges,
                              std::int64_t date) const {
  Answer& answer = decision.answer.message("INSERTED");
  answer.add("table", Value::of_text(declaration_->name)).add("row", row.value).add("result", Value::of_text(result));
  answer.add("merges", std::uint64_t{merges});
  if (date != 0) answer.add("process_date", date);
}

// The row of the key that is being processed, and has the latest data.
std::uint32_t Journal::newest_of(KeyRows const& rows) const {
  std::uint32_t newest = rows.processing;
  std::uint32_t row = newest;
  for (std::uint32_t i = 1; i < rows.processing_count; ++i) {
    row = state_.next_sibling(row);
    if (state_.view(row).facts.accepted > state_.view(newest).facts.accepted) newest = row;
  }
  return newest;
}

// Names belong to the origin that used them first: otherwise one insert with a large number would make another's
// numbers stale, and invented names would keep others out.
Status Journal::check_client(DedupWindows::Client const* client, std::string_view origin, Wish& wish) const {
  if (client != nullptr && !client->owner_id.is_none()) {
    if (client->origin->name == origin) return {};
    return Status{Code::not_allowed, "client \"" + std::string{wish.sender.client} + "\" of table " +
                                         declaration_->name + " belongs to another peer than " + std::string{origin} +
                                         ", which used this name first: choose another name, best 128 random bits"}
        .with("parameter", "client");
  }
  // From a test, or the daemon itself: without an origin there is no owner.
  wish.owner = origin;
  if (client != nullptr) return {};
  DedupWindows::Room const room = state_.clients().room_for(origin, options_.clients_max, wish.now);
  if (room.evicted != nullptr) wish.evicted = room.evicted->name;
  if (room.there) return {};
  return Status{Code::over_limit,
                "table " + declaration_->name + " remembers " + std::to_string(state_.clients().size()) +
                    " clients, of " + std::string{origin} + " " + std::to_string(state_.clients().size_of(origin)) +
                    ", and none of those that could make room was silent for an hour: use one client name for a "
                    "producer's life, or raise clients-max"}
      .with("parameter", "client");
}

void Journal::claim_client(Wish const& wish, Decision& decision) const {
  if (!wish.evicted.empty()) append_client_dropped(decision.records, wish.evicted);
  if (!wish.owner.empty() && !wish.sender.client.empty())
    append_client_owner(decision.records, ObjectId{}, {wish.sender.client, wish.owner, wish.now});
}

Verdict Journal::insert(Command const& command, Decision& decision) const {
  std::int64_t const now = decision.now.value;
  Wish wish;
  decision.status = read_wish(command, now, wish);
  if (!decision.status.ok()) return Verdict::done;

  if (!wish.sender.client.empty()) {
    DedupWindows::Client const* const client = state_.clients().find(wish.sender.client);
    decision.status = check_client(client, command.origin, wish);
    if (!decision.status.ok()) return Verdict::done;
    DedupWindows::Found const found = DedupWindows::look(client, wish.sender.sequence);
    if (found.answer == DedupWindows::Answer::below_window) {
      decision.status = Status{Code::stale_sequence, "sequence " + std::to_string(wish.sender.sequence) +
                                                         " of client \"" + std::string{wish.sender.client} +
                                                         "\" is older than the " + std::to_string(kSequenceWindow) +
                                                         " that are remembered: it was done, or will never be"};
      return Verdict::done;
    }
    if (found.answer == DedupWindows::Answer::seen) {
      std::uint32_t const row = state_.find(found.row);
      bool const there = row != kNoRow;
      ++statistics_.duplicate;
      claim_client(wish, decision);
      answer_inserted(decision, found.row, "duplicate", there ? state_.view(row).facts.merges : 0,
                      there ? state_.row(row).date() : 0);
      return Verdict::done;
    }
  }

  // After the check for duplicates: a resent insert must be answered as a duplicate.
  if (state_.pause().standing == Standing::draining) {
    decision.status = refused_by_pause("inserts are refused");
    return Verdict::done;
  }
  KeyRows rows = state_.has_keys() ? state_.find_key(wish.key) : KeyRows{};
  std::uint32_t expired = kNoRow;
  if (rows.waiting != kNoRow && !is_visible(rows.waiting, now)) {
    expired = rows.waiting;
    rows.waiting = kNoRow;
  }
  bool const behind = rows.processing != kNoRow;
  std::uint32_t const latest = rows.waiting != kNoRow ? rows.waiting : newest_of(rows);
  if (latest != kNoRow && wish.has_inserted && wish.inserted < state_.view(latest).facts.accepted)
    return answer_stale(latest, wish, decision);
  if (rows.waiting != kNoRow) return merge_into(rows.waiting, behind, wish, decision);

  bool const full = options_.rows_max != 0 && state_.rows().size() >= options_.rows_max;
  if (full || state_.payloads_nearly_full() ||
      (options_.memory_max != 0 && state_.memory_bytes() >= options_.memory_max)) {
    decision.status = Status{
        Code::over_limit, "table " + declaration_->name + " is full: it has " + std::to_string(state_.rows().size()) +
                              " rows in " + std::to_string(state_.memory_bytes()) +
                              " bytes; finish or delete rows, or raise " + (full ? "rows-max" : "memory-max")};
    return Verdict::done;
  }
  claim_client(wish, decision);
  if (expired != kNoRow) append_remove(decision.records, state_.row(expired).id(), Reason::expired);
  if (behind) ++statistics_.behind;
  return insert_row(wish, behind, decision);
}

Verdict Journal::insert_row(Wish const& wish, bool behind, Decision& decision) const {
  RowBody body;
  body.priority = wish.priority;
  body.date = wish.date;
  body.sender = wish.sender;
  body.facts.arrival = wish.now;
  body.facts.inserted = body.facts.accepted = wish.inserted;
  body.facts.expires = wish.expires;
  body.facts.schema = declaration_->schema.version;
  body.facts.key_bytes = static_cast<std::uint32_t>(wish.key.size());
  body.facts.data_bytes = static_cast<std::uint32_t>(wish.data.size());
  body.key = wish.key;
  body.data = wish.data;
  Lsn const lsn = append_row(decision.records, ObjectId{}, body);
  answer_inserted(decision, object_of(lsn), behind ? "behind" : "inserted", 0, wish.date);
  return Verdict::done;
}

// The merged data: stated whole, or as the data of the insert if the whole is much longer than the message.
Status Journal::merged_data(std::uint32_t row, Wish const& wish, std::string& scratch, MergeBody& body) const {
  PayloadView const old = state_.view(row);
  Schema const& schema = declaration_->schema;
  std::string_view data = wish.data;
  std::size_t const whole_max = 2 * wish.message_bytes + kSlackBytes - wish.key.size();
  if (has_merge_rules_ && old.data.size() >= kPiecesFrom) {
    if (Status status = model::merge_pieces(*state_.schema(old.facts.schema), old.data, schema, wish.data, pieces_);
        !status.ok())
      return status;
    body.schema = schema.version;
    if (old.facts.schema == schema.version && pieces_.is_old_data()) return {};
    if (pieces_.size() > whole_max) {
      body.change = DataChange::by_rule;
      body.data = wish.data;
      return {};
    }
  }
  if (has_merge_rules_) {
    reset(scratch);
    if (Status status = model::merge_data(*state_.schema(old.facts.schema), old.data, schema, wish.data, scratch);
        !status.ok())
      return status;
    data = scratch;
  }
  body.schema = schema.version;
  if (old.facts.schema == schema.version && data == old.data) return {};
  bool const whole = data.size() <= whole_max;
  body.change = whole ? DataChange::whole : DataChange::by_rule;
  body.data = whole ? data : wish.data;
  return {};
}

Verdict Journal::merge_into(std::uint32_t index, bool behind, Wish const& wish, Decision& decision) const {
  Row const& row = state_.row(index);
  Facts const facts = state_.view(index).facts;
  MergeBody body;
  decision.status = merged_data(index, wish, merged_, body);
  if (!decision.status.ok()) return Verdict::done;

  body.priority = std::min(row.priority(), wish.priority);
  // A key that is updated every second must run all the same: it cannot be postponed for ever.
  std::int64_t const latest = std::max(row.date(), std::min(facts.arrival + options_.max_postpone, timer::kDateMax));
  body.date = std::min(std::max(row.date(), wish.date), latest);
  body.expires = facts.expires == 0 || wish.expires == 0 ? 0 : std::max(facts.expires, wish.expires);
  body.accepted = wish.inserted;
  body.merges = facts.merges == UINT32_MAX ? facts.merges : facts.merges + 1;
  body.sender = wish.sender;
  body.now = wish.now;
  claim_client(wish, decision);
  append_merge(decision.records, row.id(), body);
  if (behind) ++statistics_.behind;
  state_.remember(index);
  answer_inserted(decision, row.id(), behind ? "behind" : "merged", body.merges, body.date);
  // A date other than the requested one: the rule that gave it.
  if (wish.has_date && body.date != wish.date)
    decision.answer.add("date_by", Value::of_text(body.date > wish.date ? "waiting-row" : "max-postpone"));
  return Verdict::done;
}

Verdict Journal::answer_stale(std::uint32_t row, Wish const& wish, Decision& decision) const {
  ObjectId const id = state_.row(row).id();
  claim_client(wish, decision);
  if (!wish.sender.client.empty()) append_seen(decision.records, {wish.sender, id, wish.now});
  ++statistics_.stale;
  answer_inserted(decision, id, "stale", state_.view(row).facts.merges, state_.row(row).date());
  return Verdict::done;
}

}  // namespace fastjournal::journal
