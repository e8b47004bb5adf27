#include "plugins/journal/dependencies.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "model/key_codec.h"
#include "model/value.h"

namespace fastjournal::journal {
namespace {

using rows::After;

// Rows that wait for others, which the search for a circle looks at.
constexpr std::size_t kWaitersLookedAtMax = 10'000;
// Rows of one key that are looked at.
constexpr std::size_t kSiblingsMax = 1'000;
// Rows that a circle names.
constexpr std::size_t kNamedMax = 10;

Status too_many(std::string_view parameter) {
  return model::refused(Code::over_limit, parameter,
                        fmt::format("a row waits for more than {} rows and groups, expected at most that: let a row of "
                                    "its own wait for some of them, or make them a group",
                                    rows::kAfterMax));
}

// Parts between blanks, or lines.
template <typename Each>
Status each_part(std::string_view text, char separator, Each const& each) {
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(separator), text.size());
    if (end > 0)
      if (Status status = each(text.substr(0, end)); !status.ok()) return status;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace

std::string Dependencies::name_of(std::uint32_t row) const { return "row " + std::to_string(rows_.id_of(row).value); }

// ---------------------------------------------------------------------------
// Reading

void Dependencies::add(std::uint32_t row, Found& found) const {
  bool const is_parked = rows_.row(row).place() == rows::Place::parked;
  if (is_parked && found.after.policy == After::Policy::run) return;
  bool const fails = is_parked && found.after.policy == After::Policy::fail;
  found.after.all.push_back({rows_.id_of(row), fails ? After::Kind::broken : After::Kind::row});
}

Status Dependencies::read_rows(std::string_view given, Found& found) const {
  return each_part(given, ' ', [&](std::string_view part) -> Status {
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc{} || end != part.data() + part.size() || number == 0 || number % kLsnAlign != 0)
      return model::refused(Code::bad_parameter, "after",
                            fmt::format("after has {}, expected numbers of rows with blanks between, as INSERTED "
                                        "gives them",
                                        model::shown(part)));
    if (std::uint32_t const row = rows_.find(ObjectId{number}); row != rows::kNoRow) {
      if (found.after.all.size() == rows::kAfterMax) return too_many("after");
      add(row, found);
    } else if (!table_.last_lsn().is_none() && number > table_.last_lsn().value) {
      return model::refused(Code::unknown_row, "after",
                            fmt::format("after has row {}, which table {} never had: its last record is {}", number,
                                        settings_.table(), table_.last_lsn().value));
    }
    return {};
  });
}

Status Dependencies::read_keys(std::string_view given, Found& found) const {
  Schema const& schema = settings_.schema();
  if (schema.key.size() != 1)
    return model::refused(Code::not_supported, "after_keys",
                          fmt::format("table {} has {} columns in its row-key, and after_keys needs one: give the "
                                      "numbers of the rows in after",
                                      settings_.table(), schema.key.size()));
  Column const& column = schema.columns[schema.key.front()];
  char const separator = given.find('\n') == std::string_view::npos ? ' ' : '\n';
  std::string key;
  return each_part(given, separator, [&](std::string_view part) -> Status {
    Message message;
    message.add(column.name, Value::of_text(part));
    key.clear();
    if (Status status = model::encode_key(schema, message, key); !status.ok())
      return model::refused(
          Code::bad_parameter, "after_keys",
          fmt::format("after_keys has {}, which is no key: {}", model::shown(part), status.message()));
    for (std::uint32_t row = rows_.keys().find(key).first(); row != rows::kNoRow; row = rows_.keys().next(row)) {
      if (found.after.all.size() == rows::kAfterMax) return too_many("after_keys");
      add(row, found);
    }
    return {};
  });
}

Status Dependencies::read_group(Wanted const& wanted, std::string_view key, std::uint32_t row, bool keeps,
                                Found& found) const {
  std::string_view const name = wanted.group;
  if (name.empty()) return model::refused(Code::bad_parameter, "group", "group is empty, expected a name");
  rows::JobGroup const* const group = rows_.job_groups().find(name);
  if (group != nullptr && group->ended != 0 && !keeps)
    return model::refused(Code::wrong_state, "group",
                          fmt::format("group {} of table {} has ended, and takes no rows any more: take another name, "
                                      "or wait until it is gone (keep-groups)",
                                      name, settings_.table()));
  if (group == nullptr && rows_.job_groups().size() >= settings_.options().groups_max && !keeps)
    return model::refused(Code::over_limit, "group",
                          fmt::format("table {} has {} groups of jobs: let some end, lower keep-groups, or raise "
                                      "groups-max",
                                      settings_.table(), rows_.job_groups().size()));
  if (group != nullptr && group->ended == 0) found.group_id = group->id;
  if (group != nullptr && group->ended != 0) found.replaces = group->id;
  std::size_t looked = 0;
  std::uint32_t one = rows_.keys().has_keys() ? rows_.keys().find(key).first() : rows::kNoRow;
  for (; one != rows::kNoRow && looked < kSiblingsMax; one = rows_.keys().next(one), ++looked) {
    ObjectId const other = rows_.group_of(one);
    if (other.is_none() || other == found.group_id) continue;
    if (keeps) {
      found.group_id = found.replaces = ObjectId{};
      return {};
    }
    rows::JobGroup const* const its = rows_.job_groups().find(other);
    return model::refused(Code::wrong_state, "group",
                          fmt::format("{} of this key is of group {}, and cannot be of group {} too: insert it under "
                                      "another key, or once that row has ended",
                                      name_of(one), its == nullptr ? "" : its->name, name));
  }
  if (row == rows::kNoRow || rows_.group_of(row).is_none()) found.group = name;
  return {};
}

Status Dependencies::read_after_group(Wanted const& wanted, Found& found) const {
  std::string_view const name = wanted.after_group;
  rows::JobGroup const* const group = rows_.job_groups().find(name);
  if (group == nullptr)
    return model::refused(Code::unknown_row, "after_group",
                          fmt::format("table {} has no group {}: make it first, by GROUP or by its first row; one that "
                                      "ended is kept for keep-groups",
                                      settings_.table(), model::shown(name)));
  using Policy = After::Policy;
  Policy const policy = found.after.policy;
  auto const wait = [&](After::Kind kind) { found.after.all.push_back({group->id, kind}); };
  bool const has_ended = group->ended != 0;
  switch (wanted.after_group_is.value_or(made::AfterGroupIsChoice::ended)) {
    case made::AfterGroupIsChoice::ended:
      if (!has_ended) wait(After::Kind::group_ended);
      break;
    case made::AfterGroupIsChoice::done:
      if (group->is_well || (has_ended && policy == Policy::run)) break;
      wait(has_ended && policy == Policy::fail ? After::Kind::broken : After::Kind::group_done);
      break;
    case made::AfterGroupIsChoice::failed:
      if (!group->has_failed) wait(has_ended ? After::Kind::needless : After::Kind::group_failed);
      break;
  }
  return {};
}

Status Dependencies::look(Wanted const& wanted, std::string_view key, std::uint32_t row, Decision& decision,
                          Found& found) const {
  bool const keeps = decision.phase == Phase::keep;
  bool const waits = wanted.after.is_given || wanted.after_keys.is_given || wanted.after_group.is_given;
  if (wanted.when_failed && !waits)
    return model::refused(Code::bad_parameter, "when_failed",
                          "when_failed goes with after, after_keys or after_group: without them nothing is waited for");
  if (wanted.after_group_is && !wanted.after_group.is_given)
    return model::refused(Code::missing_parameter, "after_group",
                          "after_group_is needs the group's name in after_group");
  switch (wanted.when_failed.value_or(made::InsertWhenFailed::wait)) {
    case made::InsertWhenFailed::wait: found.after.policy = After::Policy::wait; break;
    case made::InsertWhenFailed::fail: found.after.policy = After::Policy::fail; break;
    case made::InsertWhenFailed::go_on: found.after.policy = After::Policy::run; break;
  }
  if (wanted.group.is_given)
    if (Status status = read_group(wanted, key, row, keeps, found); !status.ok()) return status;
  // What was promised has been looked at then: what cannot be found any more has ended.
  if (Status status = read_rows(wanted.after, found); !status.ok() && !keeps) return status;
  if (wanted.after_keys.is_given)
    if (Status status = read_keys(wanted.after_keys, found); !status.ok() && !keeps) return status;
  if (wanted.after_group.is_given) {
    // It is of the group that it waits for.
    if (wanted.group == std::string_view{wanted.after_group}) {
      if (!keeps)
        return model::refused(Code::bad_parameter, "after_group",
                              fmt::format("the row would wait for itself: it is of group {}, and waits for that group",
                                          std::string_view{wanted.group}));
    } else if (Status status = read_after_group(wanted, found); !status.ok() && !keeps) {
      return status;
    }
  }
  std::vector<After::One>& all = found.after.all;
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (row != rows::kNoRow && rows_.row(row).place() == rows::Place::blocked) {
    After const before = rows_.places().waits().after_of(row);
    found.waits_for = before.all.size();
    for (After::One const& one : all) found.waits_for += std::ranges::binary_search(before.all, one) ? 0 : 1;
  } else {
    found.waits_for = all.size();
  }
  if (found.waits_for > rows::kAfterMax) {
    if (!keeps) return too_many("after");
    all.clear();
  }
  if (Status status = check_circle(key, row, decision, found); !status.ok()) {
    if (!keeps) return status;
    // It came about since it was promised.
    all.clear();
  }
  return {};
}

rows::Extras Dependencies::extras_of(Found const& found, Decision& decision) {
  rows::Extras out;
  if (!found.after.all.empty()) out.after = found.after;
  if (found.group.empty()) return out;
  out.group = found.group_id;
  if (!found.group_id.is_none()) return out;
  if (!found.replaces.is_none()) model::append_record(decision.records, found.replaces, rows::GroupDroppedBody{});
  rows::GroupBody body;
  body.name = found.group;
  body.made = decision.now.value;
  out.group = object_of(model::append_record(decision.records, ObjectId{}, body));
  return out;
}

void Dependencies::hold(Wanted const& wanted, Hold& hold) const {
  if (!wanted.group.is_given) return;
  if (rows::JobGroup const* const group = rows_.job_groups().find(std::string_view{wanted.group}); group != nullptr)
    hold.objects.push_back(group->id);
}

// ---------------------------------------------------------------------------
// Circles

// From those that wait for a row to those that wait for these, the nearest first.
struct Dependencies::Search {
  struct Step {
    std::uint32_t row;  // kNoRow: a group
    ObjectId group;
    std::size_t from;  // the step that it waits for, or is of; SIZE_MAX: the begin
  };
  std::vector<Step> steps{};
  absl::flat_hash_map<std::uint64_t, std::size_t> seen{};  // by id

  void add(ObjectId id, Step step) {
    if (seen.emplace(id.value, steps.size()).second) steps.push_back(step);
  }
};

Status Dependencies::check_circle(std::string_view key, std::uint32_t row, Decision& decision,
                                  Found const& found) const {
  if (found.after.all.empty() && (found.group.empty() || row == rows::kNoRow)) return {};
  Search search;
  auto const add_row = [&](std::uint32_t one, std::size_t from) {
    search.add(rows_.id_of(one), {one, {}, from});
    if (!rows_.row(one).has_siblings()) return;
    std::size_t looked = 0;
    std::uint32_t other = rows_.keys().of(one).first();
    for (; other != rows::kNoRow && looked < kSiblingsMax; other = rows_.keys().next(other), ++looked)
      if (other != one) search.add(rows_.id_of(other), {other, {}, from});
  };
  if (row != rows::kNoRow)
    add_row(row, SIZE_MAX);
  else if (rows_.keys().has_keys())
    if (std::uint32_t const first = rows_.keys().find(key).first(); first != rows::kNoRow) add_row(first, SIZE_MAX);
  std::size_t const begins = search.steps.size();
  if (!found.group_id.is_none() && !found.group.empty())
    search.add(found.group_id, {rows::kNoRow, found.group_id, SIZE_MAX});

  std::size_t looked = 0;
  std::size_t circle = SIZE_MAX;  // the step that the row would wait for
  for (std::size_t at = 0; at < search.steps.size() && looked <= kWaitersLookedAtMax && circle == SIZE_MAX; ++at) {
    Search::Step const step = search.steps[at];
    auto const take = [&](std::uint32_t waiter) {
      if (auto const known = search.seen.find(rows_.id_of(waiter).value);
          known != search.seen.end() && known->second < begins)
        circle = at;
      add_row(waiter, at);
      return ++looked <= kWaitersLookedAtMax && circle == SIZE_MAX;
    };
    rows::Waits const& waits = rows_.places().waits();
    if (step.row != rows::kNoRow) {
      ObjectId const id = rows_.id_of(step.row);
      waits.each_waiter(id, After::Kind::row, take);
      if (ObjectId const group = rows_.group_of(step.row); !group.is_none())
        search.add(group, {rows::kNoRow, group, at});
    } else {
      for (After::Kind const kind : {After::Kind::group_ended, After::Kind::group_done, After::Kind::group_failed})
        waits.each_waiter(step.group, kind, take);
    }
  }
  decision.work_units += static_cast<std::uint32_t>(looked);
  if (looked > kWaitersLookedAtMax)
    return model::refused(Code::over_limit, "after",
                          fmt::format("more than {} rows wait for this one: whether it would wait for itself is not "
                                      "searched for any further; insert it under another key, or before them",
                                      kWaitersLookedAtMax));
  for (After::One const& one : found.after.all) {
    if (circle != SIZE_MAX) break;
    if (auto const known = search.seen.find(one.id.value); known != search.seen.end()) circle = known->second;
  }
  if (circle == SIZE_MAX) return {};

  // From what it would wait for to itself.
  std::string text;
  std::string const self = row == rows::kNoRow ? std::string{"the row"} : name_of(row);
  std::size_t named = 0;
  for (std::size_t at = circle; at != SIZE_MAX && at >= begins; at = search.steps[at].from, ++named) {
    if (named >= kNamedMax) continue;
    Search::Step const& step = search.steps[at];
    std::string name = "group ";
    if (step.row != rows::kNoRow) {
      name = name_of(step.row);
    } else if (rows::JobGroup const* const group = rows_.job_groups().find(step.group); group != nullptr) {
      name += group->name;
    }
    text += (named == 0 ? " would wait for " : ", which waits for ") + name;
  }
  if (named > kNamedMax) text += fmt::format(", and {} more", named - kNamedMax);
  if (circle < begins && search.steps[circle].row != row)
    text = " would wait for " + name_of(search.steps[circle].row) + ", of the same key";
  else if (named == 0)
    text = " would wait for itself";
  else
    text += ", which waits for " + self;
  return model::refused(Code::bad_parameter, "after", self + text + ": rows that wait for each other never run");
}

}  // namespace fastjournal::journal
