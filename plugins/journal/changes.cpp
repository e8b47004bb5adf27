#include "plugins/journal/changes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "plugins/journal/made.h"
#include "plugins/journal/row_answers.h"
#include "plugins/journal/texts.h"

namespace fastjournal::journal {
namespace {

// The most rows of one key that one command changes.
constexpr std::uint64_t kRowsOfKeyMax = 1000;
// Rows that one command looks at, as LIST.
constexpr std::uint64_t kBulkWorkUnitsMax = 10'000;

constexpr std::array<std::string_view, 9> kBulkNames = {"status", "domain", "prefix", "error",  "error_class",
                                                        "tag",    "count",  "after",  "dry_run"};

// Values kept between the steps, in Decision::carry.
enum Carried : std::size_t { kHits, kWorkUnits, kBehind };

}  // namespace

bool Changes::is_bulk(Command const& command) {
  return std::any_of(kBulkNames.begin(), kBulkNames.end(),
                     [&](std::string_view name) { return command.message->has(name); });
}

Verdict Changes::remove(Command const& command, Decision& decision) const {
  made::Delete given;
  if (!given.read(command, decision)) return Verdict::done;
  if (is_bulk(command)) return change_many(given, command, decision);
  ObjectId id;
  Status status = selection_.read_target(command, given.row, decision.now.value, id);
  if (!status.ok()) return decision.refuse(std::move(status));
  bool const by_key = id.is_none();
  std::uint32_t row = by_key ? rows::kNoRow : rows_.find(id);
  if (by_key) {
    // All rows of the key, one in each step.
    row = rows_.keys().find(selection_.key()).first();
    if (row == rows::kNoRow) {
      if (decision.step == 0) decision.status = selection_.unknown_key();
      return Verdict::done;
    }
  }
  if (!by_key || decision.step == 0) {
    for (std::uint32_t one = row; one != rows::kNoRow && decision.status.ok();
         one = by_key ? rows_.keys().next(one) : rows::kNoRow)
      if (decision.refuses(selection_.names().check_hold(rows_.id_of(one), decision))) return Verdict::done;
  }
  attempts_.remove(row, rows::Reason::deleted, decision);
  decision.answer.message("DELETED")
      .add("table", std::string_view{settings_.table()})
      .add("row", rows_.row(row).id().value);
  return by_key && ++decision.carry[0] < kRowsOfKeyMax ? Verdict::again : Verdict::done;
}

rows::Ended Changes::put_back(std::uint32_t row, Decision& decision) const {
  rows::Ended const ended = attempts_.put_back(row, decision);
  if (ended.how == rows::Ended::waits) ++statistics_.kicked;
  return ended;
}

void Changes::kick_row(std::uint32_t row, Decision& decision) const {
  answer_ended(settings_, rows_.id_of(row), "KICKED", put_back(row, decision), decision);
}

Verdict Changes::kick(Command const& command, Decision& decision) const {
  made::Kick given;
  if (!given.read(command, decision)) return Verdict::done;
  if (is_bulk(command)) return change_many(given, command, decision);
  ObjectId id;
  Status status = selection_.read_target(command, given.row, decision.now.value, id);
  if (!status.ok()) return decision.refuse(std::move(status));
  if (!id.is_none()) {
    decision.status = selection_.names().check_hold(id, decision);
    if (decision.status.ok()) kick_row(rows_.find(id), decision);
    return Verdict::done;
  }
  // The parked rows of the key, one in each step (the second is merged into the first); without any, the one that
  // waits; without that, those that are being processed: their leases are taken back.
  rows::KeyRows const rows = rows_.keys().find(selection_.key());
  bool const takes_back = decision.carry[1] != 0;
  if (rows.parked != rows::kNoRow && !takes_back) {
    kick_row(rows.parked, decision);
    return ++decision.carry[0] < kRowsOfKeyMax ? Verdict::again : Verdict::done;
  }
  if (decision.step > 0 && !takes_back) return Verdict::done;
  if (rows.waiting != rows::kNoRow && rows_.is_visible(rows.waiting, decision.now.value) && !takes_back) {
    kick_row(rows.waiting, decision);
    return Verdict::done;
  }
  if (rows.processing == rows::kNoRow) {
    if (!takes_back) decision.status = selection_.unknown_key();
    return Verdict::done;
  }
  for (std::uint32_t row = rows.processing; !takes_back && row != rows::kNoRow && decision.status.ok();
       row = rows_.keys().next(row))
    if (decision.refuses(selection_.names().check_hold(rows_.id_of(row), decision))) return Verdict::done;
  decision.carry[1] = 1;
  kick_row(rows.processing, decision);
  return ++decision.carry[0] < kRowsOfKeyMax && rows.processing_count > 1 ? Verdict::again : Verdict::done;
}

// Rows that KICK changes: parked ones, unless another status is given.
Status Changes::check_bulk(Command const& command, Filter& filter) const {
  bool const kicks = command.message->command == "KICK";
  if (Status status = selection_.check_filter(filter); !status.ok()) return status;
  if (command.message->has("row") ||
      std::any_of(settings_.schema().columns.begin(), settings_.schema().columns.end(),
                  [&](Column const& column) { return command.message->has(column.name); }))
    return Status{
        Code::bad_parameter,
        std::string{command.message->command} +
            (rows_.keys().has_keys() ? " takes a row or a key, or else a filter (status, domain, prefix, error, tag), "
                                     : " takes a row, or else a filter (status, domain, error, tag), ") +
            "not both"};
  if (!kicks && filter.is_empty())
    return Status{Code::missing_parameter, std::string{"a DELETE of many rows needs a filter: status, domain"} +
                                               (rows_.keys().has_keys() ? ", prefix, error or tag" : ", error or tag")}
        .with("parameter", "status");
  if (kicks && filter.status.empty()) filter.status = status_of(rows::Place::parked);
  return {};
}

Verdict Changes::change_many(auto const& given, Command const& command, Decision& decision) const {
  Filter filter = filter_of(given);
  if (decision.refuses(check_bulk(command, filter))) return Verdict::done;
  std::uint64_t& hits = decision.carry[kHits];
  std::uint64_t& work_units = decision.carry[kWorkUnits];
  std::uint64_t& behind = decision.carry[kBehind];
  if (decision.step == 0) behind = given.after;

  bool const kicks = command.message->command == "KICK";
  std::uint32_t row = selection_.next(filter, ObjectId{behind});
  for (; row != rows::kNoRow && work_units < kBulkWorkUnitsMax && hits < given.count;
       row = selection_.next(filter, ObjectId{behind})) {
    ++work_units;
    ++decision.work_units;
    behind = rows_.row(row).id().value;
    if (!selection_.fits(row, filter, decision.now.value)) continue;
    if (selection_.names().is_held(rows_.id_of(row))) continue;
    ++hits;
    if (given.dry_run) continue;
    if (kicks)
      put_back(row, decision);
    else
      attempts_.remove(row, rows::Reason::deleted, decision);
    return Verdict::again;
  }
  Answer& answer = decision.answer.message(kicks ? "KICKED" : "DELETED");
  answer.add("table", std::string_view{settings_.table()}).add("count", hits).add("looked", work_units);
  if (row != rows::kNoRow) answer.add("after", behind);
  if (given.dry_run) answer.add("dry_run", std::uint64_t{1});
  return Verdict::done;
}

}  // namespace fastjournal::journal
