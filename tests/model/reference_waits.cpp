#include "tests/model/reference_waits.h"

#include <algorithm>
#include <sstream>

namespace fastjournal::reference {
namespace {

// Behind those of all rows.
constexpr std::uint64_t kFirstGroup = 1ULL << 62U;

using Message = std::map<std::string, std::string>;

std::string value_in(Message const& message, std::string const& name) {
  auto const found = message.find(name);
  return found == message.end() ? std::string{} : found->second;
}

}  // namespace

// ---------------------------------------------------------------------------
// INSERT, GROUP, CANCEL

void ReferenceWaits::wait_for(std::uint64_t id, Policy policy, std::set<std::pair<std::uint64_t, Wait>>& after) const {
  auto const found = rows.find(id);
  if (found == rows.end()) return;
  bool const is_parked = found->second.state == WaitingRow::State::parked;
  if (is_parked && policy == Policy::go_on) return;
  after.emplace(id, is_parked && policy == Policy::fail ? Wait::broken : Wait::row);
}

std::string ReferenceWaits::look(Message const& message, std::string const& key, std::uint64_t waiting,
                                 Others& out) const {
  bool const waits = message.contains("after") || message.contains("after_keys") || message.contains("after_group");
  if (message.contains("when_failed") && !waits) return "bad_parameter";
  std::string const policy = value_in(message, "when_failed");
  out.policy = policy == "fail" ? Policy::fail : policy == "go-on" ? Policy::go_on : Policy::wait;
  out.group = value_in(message, "group");
  if (!out.group.empty()) {
    if (auto const mine = groups.find(out.group); mine != groups.end() && mine->second.has_ended) return "wrong_state";
    for (auto const& [number, other] : rows)
      if (other.key == key && !other.group.empty() && other.group != out.group) return "wrong_state";
  }
  std::istringstream numbers{value_in(message, "after")};
  for (std::uint64_t number = 0; numbers >> number;) wait_for(number, out.policy, out.after);
  std::istringstream keys{value_in(message, "after_keys")};
  for (std::string word; keys >> word;)
    for (auto const& [number, other] : rows)
      if (other.key == word) wait_for(number, out.policy, out.after);
  if (message.contains("after_group")) {
    std::string const name = value_in(message, "after_group");
    if (name == out.group) return "bad_parameter";
    auto const found = groups.find(name);
    if (found == groups.end()) return "unknown_row";
    ReferenceGroup const& group = found->second;
    std::string const is = value_in(message, "after_group_is");
    if (is == "done") {
      if (!group.is_well && !(group.has_ended && out.policy == Policy::go_on))
        out.after.emplace(group.id, group.has_ended && out.policy == Policy::fail ? Wait::broken : Wait::group_done);
    } else if (is == "failed") {
      if (!group.has_failed) out.after.emplace(group.id, group.has_ended ? Wait::needless : Wait::group_failed);
    } else if (!group.has_ended) {
      out.after.emplace(group.id, Wait::group_ended);
    }
  }
  if (out.after.empty() && (out.group.empty() || waiting == 0)) return {};
  return closes_circle(waiting, key, out.group, out.after) ? "bad_parameter" : "";
}

void ReferenceWaits::take(std::uint64_t row, Others const& others) {
  WaitingRow& into = rows.at(row);
  into.after.insert(others.after.begin(), others.after.end());
  if (!others.after.empty()) into.policy = others.policy;
  if (others.group.empty()) return;
  into.group = others.group;
  if (!groups.contains(others.group)) groups[others.group].id = kFirstGroup + ++groups_ever_;
}

std::string ReferenceWaits::change_group(std::string const& name, bool opens) {
  auto const found = groups.find(name);
  if (found == groups.end()) {
    if (!opens) return "unknown_row";
    groups[name] = {.id = kFirstGroup + ++groups_ever_, .is_open = true};
  } else if (found->second.has_ended) {
    return opens ? "wrong_state" : "";
  } else {
    found->second.is_open = opens;
  }
  return {};
}

std::vector<std::uint64_t> ReferenceWaits::to_cancel(std::string const& group, std::uint64_t behind,
                                                     std::uint64_t count) const {
  std::vector<std::uint64_t> out;
  for (auto const& [number, row] : rows)
    if (row.group == group && row.state != WaitingRow::State::parked && number > behind && out.size() < count)
      out.push_back(number);
  return out;
}

// ---------------------------------------------------------------------------
// Rows end

void ReferenceWaits::tell(std::uint64_t id, Wait kind, bool well, bool is_parked) {
  for (auto& [number, row] : rows) {
    if (row.after.erase({id, kind}) == 0) continue;
    if (well || row.policy == Policy::go_on) continue;
    bool const stays = is_parked && row.policy == Policy::wait;
    row.after.emplace(id, stays ? kind : Wait::broken);
  }
}

void ReferenceWaits::end(std::uint64_t row, bool well) {
  WaitingRow const gone = rows.at(row);
  rows.erase(row);
  if (!gone.group.empty()) ++(well ? groups.at(gone.group).done : groups.at(gone.group).failed);
  tell(row, Wait::row, well, false);
}

void ReferenceWaits::park(std::uint64_t row) {
  rows.at(row).state = WaitingRow::State::parked;
  rows.at(row).after.clear();
  tell(row, Wait::row, false, true);
}

void ReferenceWaits::free(std::uint64_t row) {
  rows.at(row).state = WaitingRow::State::waits;
  rows.at(row).after.clear();
}

void ReferenceWaits::fold(std::uint64_t row, std::uint64_t twin) {
  if (rows.at(twin).group.empty()) rows.at(twin).group = rows.at(row).group;
  rows.erase(row);
  for (auto& [number, other] : rows)
    if (other.after.erase({row, Wait::row}) > 0) other.after.emplace(twin, Wait::row);
}

std::uint64_t ReferenceWaits::count(std::string const& group, WaitingRow::State state, bool is_so) const {
  std::uint64_t out = 0;
  for (auto const& [number, row] : rows) out += row.group == group && (row.state == state) == is_so ? 1 : 0;
  return out;
}

bool ReferenceWaits::has_rows(std::string const& group) const {
  return std::any_of(rows.begin(), rows.end(), [&](auto const& one) { return one.second.group == group; });
}

std::int64_t ReferenceWaits::next_date() const {
  std::int64_t next = INT64_MAX;
  for (auto const& [name, group] : groups)
    if (group.has_ended && !has_rows(name)) next = std::min(next, group.ended + keep_groups);
  return next;
}

bool ReferenceWaits::settle_once(std::int64_t now, Fate const& fail, Fate const& end_well) {
  for (auto& [number, row] : rows) {
    bool broken = false;
    bool needless = false;
    for (auto const& [id, kind] : row.after) {
      broken = broken || (kind == Wait::broken && row.policy == Policy::fail);
      needless = needless || kind == Wait::needless;
    }
    if (!broken && !needless) continue;
    std::uint64_t const row_of_fate = number;
    (broken ? fail : end_well)(row_of_fate);
    return true;
  }
  for (auto& [name, group] : groups) {
    std::uint64_t const parked = count(name, WaitingRow::State::parked, true);
    std::uint64_t const unfinished = count(name, WaitingRow::State::parked, false);
    bool const fails = group.failed + parked > 0;
    if (fails && !group.has_failed) {
      group.has_failed = true;
      tell(group.id, Wait::group_failed, true, false);
      return true;
    }
    if (!group.is_open && !group.has_ended && unfinished == 0) {
      group.has_ended = true;
      group.ended = now;
      tell(group.id, Wait::group_ended, true, false);
      if (!group.has_failed)
        for (auto& [number, row] : rows)
          if (row.after.erase({group.id, Wait::group_failed}) > 0) row.after.emplace(group.id, Wait::needless);
      if (fails) tell(group.id, Wait::group_done, false, true);
      return true;
    }
    if (group.has_ended && !group.is_well && unfinished == 0 && !fails) {
      group.is_well = true;
      tell(group.id, Wait::group_done, true, false);
      return true;
    }
  }
  for (auto const& [name, group] : groups) {
    if (!group.has_ended || group.ended + keep_groups > now || has_rows(name)) continue;
    std::uint64_t const id = group.id;
    groups.erase(std::string{name});
    for (Wait const kind : {Wait::group_ended, Wait::group_done, Wait::group_failed}) tell(id, kind, false, false);
    return true;
  }
  return false;
}

bool ReferenceWaits::settle(std::int64_t now, Fate const& fail, Fate const& end_well) {
  bool changed = false;
  while (settle_once(now, fail, end_well)) changed = true;
  return changed;
}

// From the row, all that it waits for, as far as that goes; a key is one, and so is a group.
bool ReferenceWaits::closes_circle(std::uint64_t row, std::string const& key, std::string const& group,
                                   std::set<std::pair<std::uint64_t, Wait>> const& after) const {
  std::set<std::uint64_t> seen;
  std::vector<std::uint64_t> todo;
  for (auto const& [id, kind] : after) todo.push_back(id);
  if (row != 0)
    for (auto const& [id, kind] : rows.at(row).after) todo.push_back(id);
  std::set<std::string> mine{};
  for (auto const& [number, other] : rows)
    if (other.key == key && !other.group.empty()) mine.insert(other.group);
  if (!group.empty()) mine.insert(group);
  while (!todo.empty()) {
    std::uint64_t const id = todo.back();
    todo.pop_back();
    if (!seen.insert(id).second) continue;
    for (auto const& [name, one] : groups) {
      if (one.id != id) continue;
      if (mine.contains(name)) return true;
      for (auto const& [number, other] : rows)
        if (other.group == name) todo.push_back(number);
    }
    auto const found = rows.find(id);
    if (found == rows.end()) continue;
    if (found->second.key == key) return true;
    for (auto const& [number, other] : rows) {
      if (other.key != found->second.key) continue;
      todo.push_back(number);
      for (auto const& [wanted, kind] : other.after) todo.push_back(wanted);
    }
  }
  return false;
}

}  // namespace fastjournal::reference
