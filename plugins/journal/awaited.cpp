#include "plugins/journal/awaited.h"

#include <charconv>
#include <utility>

namespace fastjournal::journal {

std::string Awaited::topic_of(ObjectId row) { return std::string{kTopic} + std::to_string(row.value); }

bool Awaited::has_ended(std::string_view topic) const {
  std::string_view const number = topic.substr(kTopic.size());
  ObjectId row;
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), row.value);
  if (error != std::errc{} || end != number.data() + number.size()) return false;
  std::uint32_t const found = rows_.state().find(row);
  return found == rows::kNoRow || rows_.state().row(found).place() == rows::Place::parked;
}

Awaited::Outcome const* Awaited::outcome_of(ObjectId row) const {
  auto const found = outcomes_.find(row.value);
  return found == outcomes_.end() ? nullptr : &found->second;
}

void Awaited::await(ObjectId row) {
  if (!awaited_.try_emplace(row.value).second) return;
  order_.push_back(row.value);
  // Those that ended are still in the order.
  while (order_.size() > kAwaitedMax) {
    awaited_.erase(order_.front());
    order_.pop_front();
  }
}

void Awaited::say_result(ObjectId row, std::string_view result) {
  if (auto const found = awaited_.find(row.value); found != awaited_.end()) found->second = result;
}

void Awaited::know(ObjectId row, Outcome outcome, TableObserver& observer) {
  outcome_bytes_ += outcome.body.size();
  if (outcomes_.insert_or_assign(row.value, std::move(outcome)).second) outcome_order_.push_back(row.value);
  while (outcome_order_.size() > kOutcomesMax || outcome_bytes_ > kOutcomeBytesMax) {
    auto const oldest = outcomes_.find(outcome_order_.front());
    outcome_bytes_ -= oldest->second.body.size();
    outcomes_.erase(oldest);
    outcome_order_.pop_front();
  }
  awaited_.erase(row.value);
  if (awaited_.empty()) order_.clear();
  observer.available_again(topic_of(row), 1);
}

void Awaited::ends(std::uint32_t row, rows::RemoveBody const& body, TimeMs now, TableObserver& observer) {
  ObjectId const id = rows_.state().id_of(row);
  auto const found = awaited_.find(id.value);
  if (found == awaited_.end()) return;
  rows::RemoveBody said = body;
  said.kept_at = now.value;
  if (said.reason == rows::Reason::done) said.result = found->second;
  std::string room;
  Outcome outcome;
  model::write_body(outcome.body, rows_.ended_of(row, said, room));
  know(id, std::move(outcome), observer);
}

void Awaited::is_merged(std::uint32_t row, std::uint32_t into, TableObserver& observer) {
  ObjectId const id = rows_.state().id_of(row);
  if (!awaited_.contains(id.value) || into == rows::kNoRow) return;
  know(id, {.body = {}, .into = rows_.state().id_of(into)}, observer);
}

void Awaited::is_parked(std::uint32_t row, TableObserver& observer) {
  ObjectId const id = rows_.state().id_of(row);
  if (awaited_.contains(id.value)) observer.available_again(topic_of(id), 1);
}

}  // namespace fastjournal::journal
