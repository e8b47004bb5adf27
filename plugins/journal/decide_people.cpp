// Commands for people: DELETE, KICK, PEEK, LIST, by a row's number or by its key columns; a key may have several rows
// (parked ones, a waiting one). Commands for many rows are in decide_bulk.cpp.
#include <algorithm>

#include "model/key_codec.h"
#include "model/row_codec.h"
#include "plugins/journal/journal.h"

namespace fastjournal::journal {
namespace {

constexpr std::int64_t kListCountDefault = 100;
constexpr std::int64_t kListCountMax = 1000;
// The most rows that one LIST looks at, whatever its filter.
constexpr std::uint32_t kListLooksMax = 10'000;
constexpr std::uint64_t kAnswerBytesMax = 1U << 20U;
// The cost of a parameter beside its name and its bytes.
constexpr std::uint64_t kParameterBytes = 24;
// The cost of a row in an answer, compared with a skipped one.
constexpr std::uint32_t kLooksPerRowShown = 16;
// The most rows of one key that one DELETE or KICK changes.
constexpr std::uint64_t kRowsOfKeyMax = 1000;

}  // namespace

Status Journal::unknown_row(ObjectId row) const {
  return {Code::unknown_row, "table " + declaration_->name + " has no row " + std::to_string(row.value) +
                                 ": it is done, deleted, expired or was never there"};
}
Status Journal::unknown_key() const {
  return {Code::unknown_row,
          "table " + declaration_->name + " has no row of this key: it is done, deleted, expired or was never there"};
}

// An expired row is never shown; one that is being processed lasts until its lease ends.
bool Journal::is_visible(std::uint32_t index, std::int64_t now) const {
  Row const& row = state_.row(index);
  return !row.expires() || row.place() == Place::processing || !state_.view(index).facts.is_expired(now);
}

// By `row`, or by the key columns: then `row` is none.
Status Journal::read_target(Command const& command, std::int64_t now, ObjectId& row, std::string& key) const {
  Parameters parameters{*command.message};
  if (parameters.has("row")) {
    row = parameters.row();
    if (!parameters.ok()) return parameters.take_status();
    std::uint32_t const found = state_.find(row);
    return found == kNoRow || !is_visible(found, now) ? unknown_row(row) : Status{};
  }
  return read_key(command, key);
}

Status Journal::read_key(Command const& command, std::string& key) const {
  key.clear();
  if (state_.has_keys()) return model::encode_key(declaration_->schema, *command.message, key);
  std::string const reason = "table " + declaration_->name + " has no row-key: its rows are found by row, their number";
  for (Column const& column : declaration_->schema.columns)
    if (command.message->has(column.name))
      return Status{Code::bad_parameter, "column " + column.name + " finds no row, as " + reason}.with("parameter",
                                                                                                       column.name);
  return Status{Code::missing_parameter, "row is missing: " + reason}.with("parameter", "row");
}

// ---------------------------------------------------------------------------
// DELETE, KICK

Verdict Journal::remove(Command const& command, Decision& decision) const {
  if (is_bulk(command)) return change_many(command, decision);
  ObjectId id;
  Status status = read_target(command, decision.now.value, id, key_);
  if (!status.ok()) {
    decision.status = std::move(status);
    return Verdict::done;
  }
  bool const by_key = id.is_none();
  std::uint32_t row = by_key ? kNoRow : state_.find(id);
  if (by_key) {
    // All rows of the key, one in each step.
    KeyRows const rows = state_.find_key(key_);
    row = rows.waiting != kNoRow ? rows.waiting : rows.processing != kNoRow ? rows.processing : rows.parked;
    if (row == kNoRow) {
      if (decision.step == 0) decision.status = unknown_key();
      return Verdict::done;
    }
  }
  append_remove(decision.records, state_.row(row).id(), Reason::deleted);
  decision.answer.message("DELETED")
      .add("table", std::string_view{declaration_->name})
      .add("row", state_.row(row).id().value);
  return by_key && ++decision.carry[0] < kRowsOfKeyMax ? Verdict::again : Verdict::done;
}

// Due now, with its attempts reset. The counter of its life stays, so that a poison row is noticed.
Journal::Ended Journal::put_back(std::uint32_t index, Decision& decision) const {
  Row const& row = state_.row(index);
  GiveBackBody body;
  body.date = row.place() == Place::parked ? decision.now.value : std::min(row.date(), decision.now.value);
  body.counters.lifetime = row.lifetime();
  Ended const ended = give_back(index, body, decision);
  if (ended.how == Ended::waits) ++statistics_.kicked;
  return ended;
}

void Journal::kick_row(std::uint32_t index, Decision& decision) const {
  answer_ended(state_.row(index).id(), "KICKED", put_back(index, decision), decision);
}

Verdict Journal::kick(Command const& command, Decision& decision) const {
  if (is_bulk(command)) return change_many(command, decision);
  ObjectId id;
  Status status = read_target(command, decision.now.value, id, key_);
  if (!status.ok()) {
    decision.status = std::move(status);
    return Verdict::done;
  }
  if (!id.is_none()) {
    std::uint32_t const row = state_.find(id);
    if (state_.row(row).place() == Place::processing) {
      decision.status =
          Status{Code::wrong_state,
                 "row " + std::to_string(id.value) + " of table " + declaration_->name + " is being processed by " +
                     std::string{state_.leases().worker(state_.lease_of(row))} + ": nothing to kick"};
    } else {
      kick_row(row, decision);
    }
    return Verdict::done;
  }
  // The parked rows of the key, one in each step (the second is merged into the first); without any, the one that
  // waits.
  KeyRows const rows = state_.find_key(key_);
  if (rows.parked != kNoRow) {
    kick_row(rows.parked, decision);
    return ++decision.carry[0] < kRowsOfKeyMax ? Verdict::again : Verdict::done;
  }
  if (decision.step > 0) return Verdict::done;
  if (rows.waiting != kNoRow && is_visible(rows.waiting, decision.now.value)) {
    kick_row(rows.waiting, decision);
  } else if (rows.processing != kNoRow) {
    decision.status = Status{Code::wrong_state, "the row of this key is being processed: nothing to kick"};
  } else {
    decision.status = unknown_key();
  }
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// PEEK, LIST

void Journal::add_row_columns(std::uint32_t index, PayloadView const& view, Answer& answer) const {
  Row const& row = state_.row(index);
  Schema const& schema = *state_.schema(view.facts.schema);
  model::add_key(schema, view.key, answer);
  model::add_data(schema, view.data, answer);
  answer.add("priority", std::uint64_t{row.priority()}).add("process_date", row.date());
  answer.add("insertion_date", view.facts.inserted).add("timeouts", std::uint64_t{row.timeouts()});
  answer.add("attempts", std::uint64_t{row.timeouts()} + view.facts.failures);
}

void Journal::describe_row(std::uint32_t index, Answer& answer) const {
  Row const& row = state_.row(index);
  PayloadView const view = state_.view(index);
  answer.message("ROW").add("table", std::string_view{declaration_->name}).add("row", row.id().value);
  add_row_columns(index, view, answer);
  answer.add("status", Value::of_text(status_of(row.place())));
  if (view.facts.merges > 0) answer.add("merges", std::uint64_t{view.facts.merges});
  if (view.facts.expires != 0) answer.add("expiration_date", view.facts.expires);
  if (row.place() == Place::processing) {
    Lease const& lease = state_.lease_of(index);
    answer.add("lease_end", lease.ends).add("worker", state_.leases().worker(lease));
  }
  if (!view.error.empty()) answer.add("error", view.error);
}

// The size of the last message of an answer.
std::uint64_t Journal::bytes_of_last(Answer const& answer) {
  std::uint64_t bytes = 0;
  for (std::size_t i = answer.heads().back().first; i < answer.params().size(); ++i)
    bytes += answer.params()[i].name.size() + answer.params()[i].value.bytes.size() + kParameterBytes;
  return bytes;
}

// The rows of key_, from the end of the page before, within the limits of one answer: count, bytes and looks. `tell`
// returns whether it added the row.
void Journal::tell_key(Command const& command, Decision& decision,
                       std::function<bool(std::uint32_t row)> const& tell) const {
  Parameters parameters{*command.message};
  auto const count = static_cast<std::uint64_t>(parameters.integer("count", kRowsOfKeyMax, 1, kRowsOfKeyMax));
  ObjectId after{parameters.unsigned_integer("after", 0)};
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return;
  }
  // The waiting row is followed by those processed, and these by the parked ones.
  KeyRows const rows = state_.find_key(key_);
  std::uint32_t row = rows.waiting != kNoRow ? rows.waiting : rows.processing != kNoRow ? rows.processing : rows.parked;
  if (!after.is_none()) {
    std::uint32_t const last = state_.find(after);
    if (last == kNoRow || state_.view(last).key != key_) {
      decision.status = Status{Code::unknown_row, "row " + std::to_string(after.value) +
                                                      ", behind which this page begins, is no row of this key any "
                                                      "more: ask again without after"}
                            .with("parameter", "after");
      return;
    }
    // By the chain of the key, not by number: sorting it would look at all its rows for each page.
    row = state_.next_sibling(last);
  }
  std::uint64_t told = 0;
  std::uint64_t bytes = 0;
  for (std::uint32_t looked = 0; row != kNoRow && looked < kListLooksMax && told < count && bytes < kAnswerBytesMax;
       ++looked) {
    if (tell(row)) {
      ++told;
      bytes += bytes_of_last(decision.answer);
    }
    after = state_.row(row).id();
    row = state_.next_sibling(row);
  }
  if (told == 0 && (row != kNoRow || parameters.has("after")))
    decision.answer.message("NOTHING").add("table", std::string_view{declaration_->name});
  // With more to look at, the last message tells how to go on.
  if (row != kNoRow) decision.answer.add("after", after.value);
}

Status Journal::refuse_page_of_row(Command const& command) {
  for (std::string_view const name : {"after", "count"})
    if (command.message->has(name))
      return Status{Code::bad_parameter, std::string{name} +
                                             " goes with the columns of a key, whose rows come in "
                                             "pages; row names one row"}
          .with("parameter", std::string{name});
  return {};
}

Verdict Journal::peek(Command const& command, Decision& decision) const {
  std::int64_t const now = decision.now.value;
  ObjectId id;
  decision.status = read_target(command, now, id, key_);
  if (decision.status.ok() && !id.is_none()) decision.status = refuse_page_of_row(command);
  if (!decision.status.ok()) return Verdict::done;
  if (!id.is_none()) {
    describe_row(state_.find(id), decision.answer);
    return Verdict::done;
  }
  tell_key(command, decision, [&](std::uint32_t row) {
    if (!is_visible(row, now)) return false;
    describe_row(row, decision.answer);
    decision.looks += kLooksPerRowShown;
    return true;
  });
  if (decision.status.ok() && decision.answer.empty()) decision.status = unknown_key();
  return Verdict::done;
}

// The rows after `after` that may match a filter, by id: for a rare status, only rows with it.
class Journal::Candidates {
 public:
  Candidates(Journal const& table, Filter const& filter, ObjectId after, std::uint32_t& looks)
      : state_(table.state_), rows_(table.candidates_) {
    rows_.clear();
    if (filter.status == status_of(Place::parked) && state_.parked().size() <= kListLooksMax) {
      few_ = true;
      looks += static_cast<std::uint32_t>(state_.parked().size());
      for (auto const& [date, row] : state_.parked()) add(row, after);
    } else if (filter.status == status_of(Place::processing) && state_.leases().end() <= kListLooksMax) {
      few_ = true;
      looks += state_.leases().end();
      for (std::uint32_t lease = 0; lease < state_.leases().end(); ++lease)
        if (std::uint32_t const row = state_.leases()[lease].row; row != kNoRow) add(row, after);
    }
    std::sort(rows_.begin(), rows_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return state_.row(a).id() < state_.row(b).id(); });
  }

  // `after`: the last row that it returned.
  [[nodiscard]] std::uint32_t next(ObjectId after) {
    if (!few_) return state_.ids().next(after);
    return given_ < rows_.size() ? rows_[given_++] : kNoRow;
  }

 private:
  void add(std::uint32_t row, ObjectId after) {
    if (state_.row(row).id() > after) rows_.push_back(row);
  }

  State const& state_;
  std::vector<std::uint32_t>& rows_;
  std::size_t given_{0};
  bool few_{false};
};

Verdict Journal::list(Command const& command, Decision& decision) const {
  Parameters parameters{*command.message};
  auto const count = static_cast<std::uint64_t>(parameters.integer("count", kListCountDefault, 1, kListCountMax));
  ObjectId after{parameters.unsigned_integer("after", 0)};
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return Verdict::done;
  }
  Filter filter;
  decision.status = read_filter(command, filter);
  if (!decision.status.ok()) return Verdict::done;

  Candidates candidates{*this, filter, after, decision.looks};
  std::uint64_t shown = 0;
  std::uint64_t bytes = 0;
  std::uint32_t row = candidates.next(after);
  for (std::uint32_t looked = 0; row != kNoRow && looked < kListLooksMax && shown < count && bytes < kAnswerBytesMax;
       ++looked) {
    after = state_.row(row).id();
    ++decision.looks;
    if (fits(row, filter, decision.now.value)) {
      describe_row(row, decision.answer);
      ++shown;
      bytes += bytes_of_last(decision.answer);
      decision.looks += kLooksPerRowShown;
    }
    row = candidates.next(after);
  }
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{declaration_->name});
  // With more to look at, the last message tells how to go on.
  if (row != kNoRow) decision.answer.add("after", after.value);
  return Verdict::done;
}

}  // namespace fastjournal::journal
