#include "plugins/rows/groups.h"

namespace fastjournal::rows {

void Groups::join(std::uint32_t row, std::string_view domain, std::string_view name) {
  std::string whole{domain};
  whole.append(1, '\0').append(name);
  auto found = all_.find(whole);
  if (found == all_.end()) {
    auto made = std::make_unique<Group>();
    made->name = std::move(whole);
    name_bytes_ += made->name.capacity();
    std::string_view const key = made->name;
    found = all_.emplace(key, std::move(made)).first;
  }
  ++found->second->rows;
  groups_.emplace(row, found->second.get());
  rows_[row].set_grouped(true);
}

Group* Groups::part(std::uint32_t row) {
  auto const at = groups_.find(row);
  Group* const group = at->second;
  groups_.erase(at);
  rows_[row].set_grouped(false);
  if (--group->rows > 0) return group;
  name_bytes_ -= group->name.capacity();
  all_.erase(all_.find(group->name));
  return nullptr;
}

void Groups::enter(std::uint32_t row) {
  Group& group = of(row);
  if (has_lease(rows_[row].place())) {
    ++group.leased;
    group.holder = row;
    return;
  }
  group.waiting.emplace(rows_[row].id().value, row);
  ++waiting_;
}

void Groups::leave(std::uint32_t row) {
  Group& group = of(row);
  if (has_lease(rows_[row].place())) {
    --group.leased;
    if (group.holder == row) group.holder = kNoRow;
    return;
  }
  if (!is_waiting(rows_[row].place())) return;
  group.waiting.erase({rows_[row].id().value, row});
  --waiting_;
  if (group.standing == row) group.standing = kNoRow;
}

std::uint32_t Groups::before(std::uint32_t row) const {
  Group const& group = *groups_.find(row)->second;
  if (group.leased > 0) return group.holder;
  return group.waiting.empty() || group.waiting.begin()->first >= rows_[row].id().value ? kNoRow
                                                                                        : group.waiting.begin()->second;
}

}  // namespace fastjournal::rows
