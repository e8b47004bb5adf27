#include "engine/waiting/wakes.h"

#include <algorithm>
#include <vector>

namespace fastjournal::work {

void Wakes::arm(Listener& listener, bool first) {
  Listeners& armed = listener.topic->armed;
  remove(listener);
  listener.state = Listener::State::idle;
  listener.place = armed.insert(first ? armed.begin() : armed.end(), &listener);
}

void Wakes::remove(Listener& listener) {
  Topic& topic = *listener.topic;
  if (listener.state == Listener::State::idle) topic.armed.erase(listener.place);
  if (listener.state == Listener::State::woken) {
    woken_.erase({listener.deadline, listener.serial});
    --topic.woken;
  }
  listener.state = Listener::State::busy;
  listener.serial = 0;
}

void Wakes::owe(Topic& topic) {
  ++topic.owed;
  topics_.mark(topic);
}

bool Wakes::pass_on(Listener const& listener, bool used) {
  if (listener.mode != ListenMode::wake || listener.state != Listener::State::woken) return false;
  if (listener.shared && !used) topics_.became_available_again({}, 1);
  ++listener.topic->freed;
  topics_.mark(*listener.topic);
  if (listener.topic == &topics_.whole() || !topics_.whole_is_used()) return true;
  ++topics_.whole().freed;
  topics_.mark(topics_.whole());
  return true;
}

void Wakes::pass_over(TimeMs now) {
  while (!woken_.empty() && woken_.begin()->first.first <= now) {
    Listener& listener = *woken_.begin()->second;
    static_cast<void>(pass_on(listener, false));
    arm(listener, false);
  }
}

bool Wakes::wakes_one(Topic& topic, Work const& work) {
  if (topic.armed.empty() || topic.count + topic.owed + topic.freed == 0) return false;
  std::uint64_t left = work.available(topic.name);
  topic.owed = std::min(topic.owed, left);
  left -= topic.owed;
  topic.count = std::min(topic.count, left);
  left -= topic.count;
  // Listeners of any domain may take the work of the whole table's.
  std::uint64_t const woken = &topic == &topics_.whole() ? woken_.size() : topic.woken;
  topic.freed = std::min(topic.freed, left - std::min(left, woken));
  return topic.count + topic.owed + topic.freed > 0;
}

Wake Wakes::next(TimeMs deadline, Work const& work) {
  std::vector<Topic*>& pending = topics_.pending();
  Topic& whole = topics_.whole();
  // Listeners of the topic first; those of the whole table are woken for the rest.
  if (looked_ == 0 && whole.pending && pending.back() != &whole) {
    std::erase(pending, &whole);
    pending.push_back(&whole);
  }
  for (; looked_ < pending.size(); ++looked_) {
    Topic& topic = *pending[looked_];
    if (!wakes_one(topic, work)) continue;
    bool const of_row = topic.owed + topic.freed == 0;
    --(of_row ? topic.count : topic.owed > 0 ? topic.owed : topic.freed);
    if (of_row && &topic != &whole && whole.count > 0) --whole.count;
    Listener& listener = *topic.armed.front();
    remove(listener);
    listener.state = Listener::State::woken;
    listener.shared = of_row && topic.shared > 0;
    if (listener.shared) --topic.shared;
    listener.deadline = deadline;
    listener.serial = ++last_serial_;
    woken_[{deadline, listener.serial}] = &listener;
    ++topic.woken;
    return {&listener, topic.due, of_row};
  }
  return {};
}

void Wakes::not_told(Wake const& wake) {
  Topic& topic = *wake.listener->topic;
  ++(wake.of_row ? topic.count : topic.owed);
  if (wake.listener->shared) ++topic.shared;
  if (wake.of_row && &topic != &topics_.whole()) ++topics_.whole().count;
}

}  // namespace fastjournal::work
