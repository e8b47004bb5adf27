#include "tests/model/reference_waits.h"

#include <algorithm>

namespace fastjournal::reference {

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

bool ReferenceWaits::settle_once() {
  for (auto& [number, row] : rows) {
    bool broken = false;
    bool needless = false;
    for (auto const& [id, kind] : row.after) {
      broken = broken || (kind == Wait::broken && row.policy == Policy::fail);
      needless = needless || kind == Wait::needless;
    }
    if (broken) {
      park(number);
      return true;
    }
    if (needless) {
      end(number, true);
      return true;
    }
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
  return false;
}

void ReferenceWaits::settle() {
  while (settle_once()) {
  }
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
