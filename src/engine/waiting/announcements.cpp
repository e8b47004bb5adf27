#include "engine/waiting/announcements.h"

#include <utility>

namespace fastjournal::work {

void Announcements::wait_in(Listeners& queue, Listener& listener) {
  stop_waiting(listener);
  listener.waits = &queue;
  listener.waiting = queue.insert(queue.end(), &listener);
}

void Announcements::stop_waiting(Listener& listener) {
  if (listener.waits != nullptr) listener.waits->erase(listener.waiting);
  listener.waits = nullptr;
}

void Announcements::enter(Listener& listener) {
  Listeners& rows = listener.topic->rows;
  remove(listener);
  listener.place = rows.insert(rows.end(), &listener);
  listener.state = Listener::State::idle;
  if (listener.paging && !listener.stalled) wait_in(paging_, listener);
}

void Announcements::remove(Listener& listener) {
  if (listener.state == Listener::State::idle) listener.topic->rows.erase(listener.place);
  listener.state = Listener::State::busy;
  stop_waiting(listener);
}

void Announcements::stall(Listener& listener) { stop_waiting(listener); }

void Announcements::go_on(Listener& listener) {
  if (listener.paging) wait_in(paging_, listener);
  if (listener.missed > 0) wait_in(missed_, listener);
}

void Announcements::note(ObjectId object, Topic* topic, TimeMs due) {
  if (topic != nullptr && topic->rows.empty()) topic = nullptr;
  Topic& whole = topics_.whole();
  if (topic == nullptr && whole.rows.empty()) return;
  if (queue_.size() < kMax) {
    if (topic != nullptr) ++topic->uses;
    queue_.push_back({object, topic, due});
    return;
  }
  for (Topic* one : {topic, &whole}) {
    if (one == nullptr || one->rows.empty()) continue;
    if (one->lost++ > 0) continue;
    ++one->uses;
    lost_.push_back(one);
  }
}

void Announcements::end_first() {
  Topic* const topic = queue_.front().topic;
  queue_.pop_front();
  if (topic != nullptr) topics_.release(*topic);
}

void Announcements::count_lost() {
  for (Topic* topic : std::exchange(lost_, {})) {
    for (Listener* listener : topic->rows) note_missed(*listener, topic->lost);
    topic->lost = 0;
    topics_.release(*topic);
  }
}

void Announcements::note_missed(Listener& listener, std::uint64_t rows) {
  listener.missed += rows;
  missed_ever_ += rows;
  if (!listener.stalled) wait_in(missed_, listener);
}

Listener* Announcements::take_missed() {
  if (missed_.empty()) return nullptr;
  Listener& listener = *missed_.front();
  stop_waiting(listener);
  if (listener.paging) wait_in(paging_, listener);
  return &listener;
}

void Announcements::page_told(Listener& listener, ObjectId to, bool last) {
  listener.paged_to = to;
  listener.paging = !last;
  stop_waiting(listener);
  if (!last && !listener.stalled) wait_in(paging_, listener);
}

}  // namespace fastjournal::work
