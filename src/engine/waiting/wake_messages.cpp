#include "engine/waiting/wake_messages.h"

#include <algorithm>

namespace fastjournal::work {

WakeMessages::Topics::iterator WakeMessages::watch(std::string_view topic) {
  auto const found = topics_.find(topic);
  if (found != topics_.end() || topics_.size() >= kTopicsMax) {
    if (found == topics_.end()) look_again();
    return found;
  }
  return topics_.emplace(std::string{topic}, Topic{}).first;
}

void WakeMessages::note(Topics::iterator topic) {
  if (topic->second.noted) return;
  topic->second.noted = true;
  noted_.push_back(topic);
}

void WakeMessages::came(std::string_view topic, std::uint64_t count) {
  auto const at = watch(topic);
  if (at == topics_.end()) return;
  at->second.came += count;
  note(at);
}

void WakeMessages::took(std::string_view topic) {
  if (auto const at = topics_.find(topic); at != topics_.end()) at->second.taken = true;
}

void WakeMessages::arm(Topics::iterator topic, TimeMs deadline) {
  topic->second.deadline = deadline;
  topic->second.serial = ++last_serial_;
  topic->second.taken = false;
  by_deadline_.emplace(std::pair{deadline, topic->second.serial}, topic);
}

std::optional<std::string_view> WakeMessages::next(TimeMs now, DurationMs timeout, Work const& work) {
  while (!noted_.empty()) {
    auto const at = noted_.front();
    noted_.pop_front();
    Topic& topic = at->second;
    topic.noted = false;
    std::uint64_t const came = std::exchange(topic.came, 0);
    std::uint64_t const ready = work.available(at->first);
    bool const told = topic.serial != 0;
    if (ready == 0) {
      if (!told) topics_.erase(at);
      continue;
    }
    // A message was sent already: another one only if the earlier work was taken, and all of this is new.
    if (told && !(topic.taken && ready <= came)) continue;
    if (told) by_deadline_.erase({topic.deadline, topic.serial});
    arm(at, now + timeout);
    return at->first;
  }
  while (!by_deadline_.empty() && by_deadline_.begin()->first.first <= now) {
    auto const at = by_deadline_.begin()->second;
    by_deadline_.erase(by_deadline_.begin());
    bool const taken = at->second.taken;
    if (work.available(at->first) == 0) {
      topics_.erase(at);
      continue;
    }
    arm(at, now + timeout);
    if (!taken) return at->first;
  }
  return std::nullopt;
}

bool WakeMessages::look(TimeMs now, DurationMs timeout, Work const& work) {
  if (wanted_ && !looking_ && now >= next_look_) {
    wanted_ = false;
    looking_ = true;
    looked_to_ = {};
    next_look_ = now + timeout;
  }
  if (!looking_) return false;
  found_.clear();
  looked_to_ = work.find_available({}, looked_to_, kWorkUnitsPerPage, found_);
  for (ObjectId const object : found_) {
    auto const at = watch(work.topic_of(object));
    if (at != topics_.end() && at->second.serial == 0) note(at);
  }
  looking_ = !looked_to_.is_none();
  return looking_;
}

TimeMs WakeMessages::next_deadline() const {
  TimeMs next = wanted_ && !looking_ ? next_look_ : TimeMs::max();
  if (!by_deadline_.empty()) next = std::min(next, by_deadline_.begin()->first.first);
  return next;
}

}  // namespace fastjournal::work
