#include "plugins/journal/grouping.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <fmt/format.h>

#include "model/key_codec.h"
#include "plugins/journal/texts.h"

namespace fastjournal::journal {
namespace {

using rows::After;
using rows::JobGroup;

// Rows that an answer names of those that wait for a group.
constexpr std::size_t kWaitersNamedMax = 20;
// Rows around one that are looked at, for each that is shown.
constexpr std::size_t kLookedAtForEach = 50;
constexpr std::uint64_t kGraphBytesMax = 1U << 20U;

// "812 820"
void add_number(std::string& to, std::uint64_t number) {
  if (!to.empty()) to += ' ';
  to += std::to_string(number);
}

}  // namespace

Status Grouping::unknown(std::string_view name) const {
  return model::refused(Code::unknown_row, "group",
                        fmt::format("table {} has no group {}: it was never made, or ended and is kept no longer "
                                    "(keep-groups)",
                                    settings_.table(), name));
}

void Grouping::tell(JobGroup const& group, Answer& answer) const {
  answer.message("GROUP").add("table", std::string_view{settings_.table()});
  answer.add("group", std::string_view{group.name}).add("number", group.id.value);
  answer.add("state", Value::of_text(group.ended != 0 ? "ended" : group.is_open ? "open" : "closed"));
  answer.add("rows", group.unfinished()).add("done", group.done).add("failed", group.failed);
  answer.add("parked", group.parked).add("since", group.made);
  if (group.ended != 0)
    answer.add("ended_date", group.ended).add("until", group.ended + settings_.options().lifetimes.group);
  std::vector<std::uint64_t> waiting;
  for (After::Kind const kind : {After::Kind::group_ended, After::Kind::group_done, After::Kind::group_failed})
    rows_.places().waits().each_waiter(group.id, kind, [&](std::uint32_t row) {
      waiting.push_back(rows_.id_of(row).value);
      return waiting.size() < 50 * kWaitersNamedMax;
    });
  if (waiting.empty()) return;
  std::ranges::sort(waiting);
  std::string named;
  for (std::size_t i = 0; i < std::min(waiting.size(), kWaitersNamedMax); ++i) add_number(named, waiting[i]);
  answer.add("waiting", std::string_view{named});
}

Verdict Grouping::group(Command const& command, Decision& decision) const {
  made::Group given;
  if (!given.read(command, decision)) return Verdict::done;
  bool const opens = given.state.value_or(made::StateChoice::open) == made::StateChoice::open;
  JobGroup const* const group = rows_.job_groups().find(std::string_view{given.group});
  if (decision.step > 0) {
    constexpr std::array<std::string_view, 4> kResults = {"made", "opened", "closed", "unchanged"};
    if (group == nullptr) return decision.refuse(unknown(given.group));
    tell(*group, decision.answer);
    decision.answer.add("result", Value::of_text(kResults[decision.carry[0]]));
    return Verdict::done;
  }
  if (given.group.empty())
    return decision.refuse(model::refused(Code::bad_parameter, "group", "group is empty, expected a name"));
  if (group == nullptr) {
    if (!opens) return decision.refuse(unknown(given.group));
    if (rows_.job_groups().size() >= settings_.options().groups_max)
      return decision.refuse(
          {Code::over_limit, fmt::format("table {} has {} groups of jobs: let some end, lower keep-groups, or raise "
                                         "groups-max",
                                         settings_.table(), rows_.job_groups().size())});
    rows::GroupBody body;
    body.name = given.group;
    body.is_open = true;
    body.made = decision.now.value;
    model::append_record(decision.records, ObjectId{}, body);
    return Verdict::again;
  }
  decision.carry[0] = 3;
  if (group->ended != 0 && opens)
    return decision.refuse(
        model::refused(Code::wrong_state, "group",
                       fmt::format("group {} of table {} has ended: take another name, or wait until "
                                   "it is gone (keep-groups)",
                                   group->name, settings_.table())));
  if (group->ended == 0 && group->is_open != opens) {
    decision.carry[0] = opens ? 1 : 2;
    rows::GroupBody body = group->body();
    body.is_open = opens;
    model::append_record(decision.records, group->id, body);
  }
  return Verdict::again;
}

Verdict Grouping::groups(Command const& command, Decision& decision) const {
  made::Groups given;
  if (!given.read(command, decision)) return Verdict::done;
  if (given.group.is_given) {
    JobGroup const* const group = rows_.job_groups().find(std::string_view{given.group});
    if (group == nullptr) return decision.refuse(unknown(given.group));
    tell(*group, decision.answer);
    return Verdict::done;
  }
  std::uint64_t after = given.after;
  std::uint64_t told = 0;
  JobGroup const* group = rows_.job_groups().next(ObjectId{after});
  for (; group != nullptr && told < given.count; group = rows_.job_groups().next(ObjectId{after})) {
    tell(*group, decision.answer);
    decision.work_units += 16;
    after = group->id.value;
    ++told;
  }
  if (told == 0) decision.answer.message("NOTHING").add("table", std::string_view{settings_.table()});
  if (group != nullptr) decision.answer.add("after", after);
  return Verdict::done;
}

Verdict Grouping::cancel(Command const& command, Decision& decision) const {
  made::Cancel given;
  if (!given.read(command, decision)) return Verdict::done;
  JobGroup const* const group = rows_.job_groups().find(std::string_view{given.group});
  if (group == nullptr && decision.step == 0) return decision.refuse(unknown(given.group));
  std::uint64_t& cancelled = decision.carry[0];
  std::uint64_t& behind = decision.carry[1];
  if (decision.step == 0) {
    behind = given.after;
    if (group->is_open) {
      rows::GroupBody body = group->body();
      body.is_open = false;
      model::append_record(decision.records, group->id, body);
      return Verdict::again;
    }
  }
  bool more = false;
  if (group != nullptr) {
    auto at = group->rows.upper_bound(behind);
    for (; at != group->rows.end() && cancelled < given.count; at = group->rows.upper_bound(behind)) {
      behind = *at;
      ++decision.work_units;
      std::uint32_t const row = rows_.find(ObjectId{behind});
      if (row == rows::kNoRow || rows_.row(row).place() == rows::Place::parked) continue;
      if (selection_.names().is_held(ObjectId{behind})) continue;
      ++cancelled;
      if (given.how.value_or(made::HowChoice::delete_word) == made::HowChoice::delete_word)
        attempts_.remove(row, rows::Reason::deleted, decision);
      else
        attempts_.fail_untried(row, "its group was cancelled", decision);
      return Verdict::again;
    }
    more = at != group->rows.end();
  }
  decision.answer.message("CANCELLED")
      .add("table", std::string_view{settings_.table()})
      .add("group", std::string_view{given.group})
      .add("count", cancelled);
  if (more) decision.answer.add("after", behind);
  return Verdict::done;
}

// ---------------------------------------------------------------------------
// The graph

void Grouping::tell_node(std::uint32_t row, std::int64_t level, Answer& answer) const {
  rows::PayloadView const view = rows_.view(row);
  answer.message("NODE").add("table", std::string_view{settings_.table()}).add("row", rows_.id_of(row).value);
  answer.add("state", Value::of_text(status_of(rows_.row(row).place()))).add("level", level);
  Schema const& schema = *rows_.schemas().find(view.facts.schema);
  std::string text;
  std::string scratch;
  for (std::uint16_t const column : schema.key) {
    std::string_view part;
    if (!model::key_text(schema, view.key, column, scratch, part)) continue;
    if (!text.empty()) text += ' ';
    text += part;
  }
  if (!text.empty()) answer.add("text", std::string_view{text});
  if (rows_.row(row).place() == rows::Place::blocked) {
    std::string waits;
    std::string broken;
    std::string groups;
    for (After::One const& one : rows_.places().waits().after_of(row).all) {
      if (one.kind == After::Kind::row)
        add_number(waits, one.id.value);
      else if (one.kind == After::Kind::broken)
        add_number(broken, one.id.value);
      else if (JobGroup const* const group = rows_.job_groups().find(one.id); group != nullptr)
        add_group(groups, group->name);
    }
    if (!groups.empty()) answer.add("after_group", std::string_view{groups});
    if (!waits.empty()) answer.add("waits_for", std::string_view{waits});
    if (!broken.empty()) answer.add("broken", std::string_view{broken});
  }
  if (JobGroup const* const group = rows_.job_groups().find(rows_.group_of(row)); group != nullptr)
    answer.add("group", std::string_view{group->name});
}

// Rows wait for older ones, so one look at each gives the levels.
void Grouping::graph_group(made::Graph const& given, Decision& decision) const {
  JobGroup const* const group = rows_.job_groups().find(std::string_view{given.group});
  if (group == nullptr) {
    decision.status = unknown(given.group);
    return;
  }
  absl::btree_map<std::uint64_t, std::int64_t> levels;
  std::uint64_t bytes = 0;
  auto at = group->rows.upper_bound(given.after);
  std::uint64_t last = 0;
  for (; at != group->rows.end() && levels.size() < given.count && bytes < kGraphBytesMax; ++at) {
    last = *at;
    std::uint32_t const row = rows_.find(ObjectId{last});
    if (row == rows::kNoRow) continue;
    std::int64_t level = 0;
    if (rows_.row(row).place() == rows::Place::blocked)
      for (After::One const& one : rows_.places().waits().after_of(row).all) {
        ++decision.work_units;
        bytes += 12;
        if (auto const found = levels.find(one.id.value); found != levels.end())
          level = std::max(level, found->second + 1);
      }
    levels.emplace(last, level);
    tell_node(row, level, decision.answer);
    decision.work_units += 16;
    bytes += 400;
  }
  if (levels.empty()) decision.answer.message("NOTHING").add("table", std::string_view{settings_.table()});
  if (at != group->rows.end()) decision.answer.add("after", last);
}

void Grouping::graph_row(made::Graph const& given, Decision& decision) const {
  std::uint32_t const begin = rows_.find(ObjectId{*given.row});
  if (begin == rows::kNoRow) {
    decision.status = selection_.names().unknown(ObjectId{*given.row});
    return;
  }
  rows::Waits const& waits = rows_.places().waits();
  absl::btree_set<std::uint64_t> seen{*given.row};
  std::vector<std::pair<std::uint32_t, std::int64_t>> nodes{{begin, 0}};
  std::size_t looked = 0;
  std::size_t const most = given.count;
  auto const add = [&](std::uint32_t row, std::int64_t level) {
    ++looked;
    if (row != rows::kNoRow && nodes.size() < most && seen.insert(rows_.id_of(row).value).second)
      nodes.emplace_back(row, level);
    return nodes.size() < most && looked < most * kLookedAtForEach;
  };
  for (std::size_t at = 0; at < nodes.size() && looked < most * kLookedAtForEach; ++at) {
    auto const [row, level] = nodes[at];
    if (level <= 0 && rows_.row(row).place() == rows::Place::blocked)
      for (After::One const& one : waits.after_of(row).all)
        if (one.kind == After::Kind::row && !add(rows_.find(one.id), level - 1)) break;
    if (level < 0) continue;
    // By number, as the lists of those that wait are in no order.
    std::vector<std::uint64_t> waiting;
    waits.each_waiter(rows_.id_of(row), After::Kind::row, [&](std::uint32_t waiter) {
      waiting.push_back(rows_.id_of(waiter).value);
      return ++looked < most * kLookedAtForEach;
    });
    std::ranges::sort(waiting);
    for (std::uint64_t const waiter : waiting)
      if (!add(rows_.find(ObjectId{waiter}), level + 1)) break;
  }
  decision.work_units += static_cast<std::uint32_t>(looked + 16 * nodes.size());
  for (auto const& [row, level] : nodes) tell_node(row, level, decision.answer);
}

Verdict Grouping::graph(Command const& command, Decision& decision) const {
  made::Graph given;
  if (!given.read(command, decision)) return Verdict::done;
  if (given.group.is_given == given.row.has_value())
    return decision.refuse(model::refused(Code::missing_parameter, "group",
                                          "GRAPH takes a group, or else a row, and not both: give one of them"));
  if (given.row)
    graph_row(given, decision);
  else
    graph_group(given, decision);
  return Verdict::done;
}

}  // namespace fastjournal::journal
