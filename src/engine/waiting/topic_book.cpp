#include "engine/waiting/topic_book.h"

#include <algorithm>
#include <functional>

namespace fastjournal::work {

TopicBook::TopicBook() : whole_(&topics_[std::string{}]) { whole_->uses = 1; }

Topic& TopicBook::use(std::string_view name) {
  auto found = topics_.find(name);
  if (found == topics_.end()) {
    found = topics_.emplace(std::string{name}, Topic{}).first;
    found->second.name = found->first;
  }
  ++found->second.uses;
  return found->second;
}

void TopicBook::release(Topic& topic) {
  if (--topic.uses == 0) topics_.erase(topics_.find(topic.name));
}

Topic* TopicBook::find(std::string_view name) {
  auto const found = topics_.find(name);
  return found == topics_.end() ? nullptr : &found->second;
}

void TopicBook::mark(Topic& topic) {
  if (!topic.pending) {
    topic.pending = true;
    ++topic.uses;
    pending_.push_back(&topic);
  }
  if (!topic.line.empty()) lines_.insert({topic.line.begin()->first, &topic});
}

void TopicBook::add(Topic& topic, std::uint64_t count, TimeMs due) {
  if (topic.count == 0) topic.due = due;
  topic.count += count;
  mark(topic);
}

void TopicBook::became_available_again(std::string_view name, std::uint64_t count) {
  if (name.empty()) {
    again_ += count;
    return;
  }
  if (whole_is_used()) add(*whole_, count, {});
  if (Topic* const topic = find(name)) add(*topic, count, {});
}

void TopicBook::share_again(Work const& work) {
  if (again_ == 0) return;
  std::uint64_t left = std::min(again_, work.available({}));
  again_ = 0;
  std::uint64_t elsewhere = 0;
  // Each time from another topic on, so that no topic gets all.
  auto at = topics_.upper_bound(again_from_);
  for (std::size_t looked = topics_.size(); looked > 0; --looked) {
    if (at == topics_.end()) at = topics_.begin();
    Topic& topic = (at++)->second;
    if (topic.line.empty() && (topic.armed.empty() || left == 0)) continue;
    std::uint64_t const ready = work.available(topic.name);
    if (ready == 0) continue;
    // A line is served in the order of arrival while there is work, and takes nothing from others here.
    std::uint64_t const count = topic.line.empty() ? std::min<std::uint64_t>({topic.armed.size(), ready, left}) : ready;
    add(topic, count, {});
    if (&topic != whole_) elsewhere += count;
    if (!topic.line.empty()) continue;
    topic.shared += count;
    left -= count;
    again_from_ = topic.name;
  }
  // The count of the whole table includes those of the domains, and decreases with them.
  if (elsewhere > 0 && whole_is_used()) add(*whole_, elsewhere, {});
}

void TopicBook::took(Topic& topic, std::uint64_t rows) {
  for (Topic* one : {&topic, whole_}) {
    one->count -= std::min(one->count, rows);
    if (whole_ == &topic) break;
  }
}

void TopicBook::forget_pending() {
  for (Topic* topic : pending_) {
    topic->pending = false;
    topic->count = 0;
    topic->owed = 0;
    topic->freed = 0;
    topic->shared = 0;
    topic->due = {};
    topic->round = 0;
    release(*topic);
  }
  pending_.clear();
  lines_.clear();
}

}  // namespace fastjournal::work
