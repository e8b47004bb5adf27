#include "plugins/rows/job_groups.h"

#include <algorithm>

namespace fastjournal::rows {
namespace {

[[nodiscard]] std::uint64_t record_bytes(JobGroup const& group) { return 96 + group.name.size(); }

bool has_news(GroupBody const& body) { return body.fails_now || body.ends_now || body.is_well_now; }

}  // namespace

JobGroup const* JobGroups::find(std::string_view name) const {
  auto const found = names_.find(name);
  return found == names_.end() ? nullptr : found->second;
}

JobGroup const* JobGroups::find(ObjectId id) const {
  auto const found = all_.find(id.value);
  return found == all_.end() ? nullptr : found->second.get();
}

JobGroup const* JobGroups::next(ObjectId after) const {
  auto at = all_.upper_bound(after.value);
  while (at != all_.end() && !at->second->is_known) ++at;
  return at == all_.end() ? nullptr : at->second.get();
}

// ---------------------------------------------------------------------------
// Deciding

std::int64_t JobGroups::next_due(std::int64_t keep_ms) const {
  if (!todo_.empty()) return 0;
  return over_.empty() ? INT64_MAX : over_.begin()->first + keep_ms;
}

GroupBody JobGroups::next_body(JobGroup const& group, std::int64_t now) {
  GroupBody body = group.body();
  bool const fails = group.failed + group.parked > 0;
  body.fails_now = fails && !group.has_failed;
  body.has_failed = group.has_failed || fails;
  if (group.unfinished() > 0) return body;
  body.ends_now = group.ended == 0 && !group.is_open && group.pins == 0;
  if (body.ends_now) body.ended = std::max<std::int64_t>(now, 1);
  body.is_well_now = body.ended != 0 && !fails && !group.is_well;
  body.is_well = group.is_well || body.is_well_now;
  return body;
}

std::uint32_t JobGroups::decide(std::int64_t keep_ms, std::int64_t now, std::uint32_t max, Records& records) const {
  std::uint32_t count = 0;
  for (std::uint64_t const id : todo_) {
    if (count == max) return count;
    model::append_record(records, ObjectId{id}, next_body(*all_.find(id)->second, now));
    ++count;
  }
  if (count > 0) return count;
  for (auto const& [ended, id] : over_) {
    if (count == max || ended + keep_ms > now) break;
    model::append_record(records, ObjectId{id}, GroupDroppedBody{});
    ++count;
  }
  return count;
}

bool JobGroups::compact(Lsn below, CopyRoom& room, Records& records) const {
  if (regions_.count_below(below) == 0) return false;
  for (auto const& [id, group] : all_) {
    if (!group->is_known || Regions::start(group->region) >= below) continue;
    if (!room.take(record_bytes(*group))) return true;
    model::append_record(records, group->id, group->body());
  }
  return false;
}

void JobGroups::digest(DigestSink& sink) const {
  for (auto const& [id, group] : all_)
    if (group->is_known) model::digest_object(sink, group->id, group->body());
}

// ---------------------------------------------------------------------------
// Applying

JobGroup& JobGroups::make(ObjectId id) {
  std::unique_ptr<JobGroup>& made = all_[id.value];
  if (made == nullptr) {
    made = std::make_unique<JobGroup>();
    made->id = id;
    memory_ += kBytes;
  }
  return *made;
}

void JobGroups::forget(JobGroup& group) {
  todo_.erase(group.id.value);
  over_.erase({group.ended, group.id.value});
  if (group.is_known) {
    if (auto const found = names_.find(group.name); found != names_.end() && found->second == &group)
      names_.erase(found);
    regions_.remove(group.region);
    live_ -= record_bytes(group);
    memory_ -= 2 * group.name.size();
  }
  group.is_known = false;
  if (!group.rows.empty() || group.pins != 0) return;
  memory_ -= kBytes;
  all_.erase(group.id.value);
}

void JobGroups::look(JobGroup& group) {
  std::uint64_t const id = group.id.value;
  if (group.is_known && has_news(next_body(group, group.ended)))
    todo_.insert(id);
  else
    todo_.erase(id);
  if (group.is_known && group.ended != 0 && group.rows.empty() && group.pins == 0)
    over_.emplace(group.ended, id);
  else
    over_.erase({group.ended, id});
}

void JobGroups::apply(ObjectId id, GroupBody const& body, Lsn lsn) {
  JobGroup& group = make(id);
  over_.erase({group.ended, id.value});
  if (group.is_known) {
    regions_.remove(group.region);
  } else {
    group.is_known = true;
    group.name = body.name;
    names_[group.name] = &group;
    memory_ += 2 * group.name.size();
    live_ += record_bytes(group);
  }
  group.region = Regions::of(lsn);
  regions_.add(group.region);
  group.is_open = body.is_open;
  group.has_failed = body.has_failed;
  group.is_well = body.is_well;
  group.made = body.made;
  group.ended = body.ended;
  group.done = body.done;
  group.failed = body.failed;
  look(group);
}

bool JobGroups::drop(ObjectId id) {
  auto const found = all_.find(id.value);
  if (found == all_.end() || !found->second->is_known) return false;
  forget(*found->second);
  return true;
}

void JobGroups::join(ObjectId id, ObjectId row) {
  JobGroup& group = make(id);
  over_.erase({group.ended, id.value});
  group.rows.insert(row.value);
  memory_ += 10;
  look(group);
}

void JobGroups::leave(ObjectId id, ObjectId row, bool is_parked) {
  auto const found = all_.find(id.value);
  if (found == all_.end()) return;
  JobGroup& group = *found->second;
  memory_ -= 10 * group.rows.erase(row.value);
  if (is_parked) --group.parked;
  if (!group.is_known && group.rows.empty() && group.pins == 0) return forget(group);
  look(group);
}

void JobGroups::set_parked(ObjectId id, bool is_parked) {
  auto const found = all_.find(id.value);
  if (found == all_.end()) return;
  found->second->parked += is_parked ? 1 : static_cast<std::uint64_t>(-1);
  look(*found->second);
}

void JobGroups::count(ObjectId id, bool is_done) {
  auto const found = all_.find(id.value);
  if (found == all_.end() || !found->second->is_known) return;
  ++(is_done ? found->second->done : found->second->failed);
  look(*found->second);
}

void JobGroups::pin(ObjectId id, int by) {
  auto const found = all_.find(id.value);
  if (found == all_.end()) return;
  found->second->pins += static_cast<std::uint64_t>(by);
  look(*found->second);
}

void JobGroups::lower_clock(std::int64_t to) {
  over_.clear();
  for (auto const& [id, group] : all_) {
    group->made = std::min(group->made, to);
    if (group->ended != 0) group->ended = std::max<std::int64_t>(1, std::min(group->ended, to));
    look(*group);
  }
}

}  // namespace fastjournal::rows
