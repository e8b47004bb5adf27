#include "plugins/journal/lookups.h"

#include <algorithm>

#include "plugins/journal/made.h"
#include "plugins/journal/reasons.h"
#include "plugins/journal/row_answers.h"
#include "plugins/journal/texts.h"
#include "plugins/rows/failure.h"

namespace fastjournal::journal {
namespace {

// The most rows that one LIST looks at, whatever its filter.
constexpr std::uint32_t kListWorkUnitsMax = 10'000;
constexpr std::uint64_t kListBytesMax = 1U << 20U;
// The cost of a parameter beside its name and its bytes.
constexpr std::uint64_t kParameterBytes = 24;
// The cost of a row in an answer, compared with a skipped one.
constexpr std::uint32_t kWorkUnitsPerRowShown = 16;

// The size of the last message of an answer.
std::uint64_t bytes_of_last(Answer const& answer) {
  std::uint64_t bytes = 0;
  for (std::size_t i = answer.heads().back().first; i < answer.params().size(); ++i)
    bytes += answer.params()[i].name.size() + answer.params()[i].value.bytes.size() + kParameterBytes;
  return bytes;
}

Status refuse_page_of_row(Command const& command) {
  for (std::string_view const name : {"after", "count"})
    if (command.message->has(name))
      return Status{Code::bad_parameter, std::string{name} +
                                             " goes with the columns of a key, whose rows come in "
                                             "pages; row names one row"}
          .with("parameter", std::string{name});
  return {};
}

// The rows after `after` that may match a filter, by id: for a rare status, only rows with it.
class Candidates {
 public:
  // `found`: memory that is used again.
  Candidates(rows::State const& rows, Selection const& selection, Filter const& filter, ObjectId after,
             std::uint32_t& work_units, std::vector<std::uint32_t>& found)
      : rows_(rows), selection_(selection), filter_(filter), found_(found) {
    found_.clear();
    if (filter.tag.is_given && rows_.tag_index() != nullptr) return;
    if (filter.status == status_of(rows::Place::parked) && rows_.places().parked().size() <= kListWorkUnitsMax) {
      few_ = true;
      work_units += static_cast<std::uint32_t>(rows_.places().parked().size());
      for (auto const& [date, row] : rows_.places().parked()) add(row, after);
    } else if (filter.status == status_of(rows::Place::processing) && rows_.leases().end() <= kListWorkUnitsMax) {
      few_ = true;
      work_units += rows_.leases().end();
      for (std::uint32_t lease = 0; lease < rows_.leases().end(); ++lease)
        if (std::uint32_t const row = rows_.leases()[lease].row; row != rows::kNoRow) add(row, after);
    }
    std::sort(found_.begin(), found_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return rows_.row(a).id() < rows_.row(b).id(); });
  }

  // `after`: the last row that it returned.
  [[nodiscard]] std::uint32_t next(ObjectId after) {
    if (!few_) return selection_.next(filter_, after);
    return given_ < found_.size() ? found_[given_++] : rows::kNoRow;
  }

 private:
  void add(std::uint32_t row, ObjectId after) {
    if (rows_.row(row).id() > after) found_.push_back(row);
  }

  rows::State const& rows_;
  Selection const& selection_;
  Filter const& filter_;
  std::vector<std::uint32_t>& found_;
  std::size_t given_{0};
  bool few_{false};
};

}  // namespace

// The rows of the selected key, from the end of the page before, within the limits of one answer: count, bytes and
// work. `tell` returns whether it added the row.
void Lookups::tell_key(auto const& given, Command const& command, Decision& decision,
                       std::function<bool(std::uint32_t row)> const& tell) const {
  ObjectId after{given.after};
  // The waiting row is followed by those processed, and these by the parked ones.
  std::uint32_t row = rows_.keys().find(selection_.key()).first();
  if (!after.is_none()) {
    std::uint32_t const last = rows_.find(after);
    if (last == rows::kNoRow || rows_.view(last).key != selection_.key()) {
      decision.status = Status{Code::unknown_row, "row " + std::to_string(after.value) +
                                                      ", behind which this page begins, is no row of this key any "
                                                      "more: ask again without after"}
                            .with("parameter", "after");
      return;
    }
    // By the chain of the key, not by number: sorting it would look at all its rows for each page.
    row = rows_.keys().next(last);
  }
  std::uint64_t told = 0;
  std::uint64_t bytes = 0;
  for (std::uint32_t looked = 0;
       row != rows::kNoRow && looked < kListWorkUnitsMax && told < given.count && bytes < kListBytesMax; ++looked) {
    if (tell(row)) {
      ++told;
      bytes += bytes_of_last(decision.answer);
    }
    after = rows_.row(row).id();
    row = rows_.keys().next(row);
  }
  if (told == 0 && (row != rows::kNoRow || command.message->has("after")))
    decision.answer.message("NOTHING").add("table", std::string_view{settings_.table()});
  // With more to look at, the last message tells how to go on.
  if (row != rows::kNoRow) decision.answer.add("after", after.value);
}

Verdict Lookups::peek(Command const& command, Decision& decision) const {
  made::Peek given;
  if (!given.read(command, decision)) return Verdict::done;
  std::int64_t const now = decision.now.value;
  ObjectId id;
  if (decision.refuses(selection_.read_target(command, given.row, now, id))) return Verdict::done;
  if (!id.is_none() && decision.refuses(refuse_page_of_row(command))) return Verdict::done;
  if (!id.is_none()) {
    std::uint32_t const row = rows_.find(id);
    describe_row(rows_, settings_, command, row, decision.answer, StoredValue::As::bytes);
    add_schedule(rows_, schedules_, row, decision.answer);
    rows::add_trace(rows_.view(row).failure, decision.answer);
    return Verdict::done;
  }
  std::uint64_t outside = 0;
  tell_key(given, command, decision, [&](std::uint32_t row) {
    if (!rows_.is_visible(row, now)) return false;
    outside += describe_row(rows_, settings_, command, row, decision.answer,
                            outside < kOutsideBytesMax ? StoredValue::As::bytes : StoredValue::As::place);
    add_schedule(rows_, schedules_, row, decision.answer);
    rows::add_trace(rows_.view(row).failure, decision.answer);
    decision.work_units += kWorkUnitsPerRowShown;
    return true;
  });
  if (decision.status.ok() && decision.answer.empty()) decision.status = selection_.unknown_key();
  return Verdict::done;
}

ObjectId Lookups::look(auto const& given, Decision& decision,
                       std::function<bool(std::uint32_t row)> const& tell) const {
  Filter filter = filter_of(given);
  if (decision.refuses(selection_.check_filter(filter))) return {};
  ObjectId after{given.after};
  Candidates candidates{rows_, selection_, filter, after, decision.work_units, candidates_};
  std::uint32_t row = candidates.next(after);
  bool wants_more = true;
  for (std::uint32_t looked = 0; row != rows::kNoRow && looked < kListWorkUnitsMax && wants_more; ++looked) {
    after = rows_.row(row).id();
    ++decision.work_units;
    if (selection_.fits(row, filter, decision.now.value)) wants_more = tell(row);
    row = candidates.next(after);
  }
  return row == rows::kNoRow ? ObjectId{} : after;
}

Verdict Lookups::list(Command const& command, Decision& decision) const {
  made::List given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint64_t shown = 0;
  std::uint64_t bytes = 0;
  ObjectId const after = look(given, decision, [&](std::uint32_t row) {
    // A page of rows would be gigabytes.
    describe_row(rows_, settings_, command, row, decision.answer, StoredValue::As::place);
    add_schedule(rows_, schedules_, row, decision.answer);
    if (given.traces) rows::add_trace(rows_.view(row).failure, decision.answer);
    bytes += bytes_of_last(decision.answer);
    decision.work_units += kWorkUnitsPerRowShown;
    return ++shown < given.count && bytes < kListBytesMax;
  });
  if (!decision.status.ok()) return Verdict::done;
  if (shown == 0) decision.answer.message("NOTHING").add("table", std::string_view{settings_.table()});
  // With more to look at, the last message tells how to go on.
  if (!after.is_none()) decision.answer.add("after", after.value);
  return Verdict::done;
}

Verdict Lookups::count(Command const& command, Decision& decision) const {
  made::Count given;
  if (!given.read(command, decision)) return Verdict::done;
  std::uint64_t count = 0;
  ObjectId const after = look(given, decision, [&](std::uint32_t) { return ++count < given.count; });
  if (!decision.status.ok()) return Verdict::done;
  decision.answer.message("COUNTED").add("table", std::string_view{settings_.table()}).add("count", count);
  if (!after.is_none()) decision.answer.add("after", after.value);
  return Verdict::done;
}

void Lookups::tell_unknown(ObjectId row, Answer& answer) const {
  answer.message("REASON").add("table", std::string_view{settings_.table()});
  if (!row.is_none()) answer.add("row", row.value);
  answer.add("state", Value::of_text("unknown"));
  std::string text = row.is_none() ? "There is no row of this key: it" : "There is no such row: it";
  text += " is done, deleted, expired or was never there";
  if (pauses_.is_draining()) text += "; the table is " + pauses_.text() + ", so inserts are refused";
  answer.add("text", std::string_view{text + "."});
}

Verdict Lookups::why(Command const& command, Decision& decision) const {
  decision.work_units += rows::Order::kLookMax;  // to count the rows before it
  made::Why given;
  if (!given.read(command, decision)) return Verdict::done;
  Reasons reasons{rows_, settings_, pauses_, schedules_, command, decision.now.value, decision.answer};
  if (given.row) {
    ObjectId const id{*given.row};
    std::uint32_t const row = rows_.find(id);
    if (decision.refuses(refuse_page_of_row(command))) {
      return Verdict::done;
    } else if (row == rows::kNoRow) {
      tell_unknown(id, decision.answer);
    } else {
      reasons.tell(row);
    }
    return Verdict::done;
  }
  if (decision.refuses(selection_.read_key(command))) return Verdict::done;
  tell_key(given, command, decision, [&](std::uint32_t row) {
    reasons.tell(row);
    return true;
  });
  if (decision.status.ok() && decision.answer.empty()) tell_unknown(ObjectId{}, decision.answer);
  return Verdict::done;
}

}  // namespace fastjournal::journal
