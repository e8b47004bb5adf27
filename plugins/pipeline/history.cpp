#include "plugins/pipeline/history.h"

#include <utility>

namespace fastjournal::pipeline {

void History::set_bytes_max(std::uint64_t bytes) {
  bytes_max_ = bytes;
  trim();
}

void History::note(Event event, std::string_view first, std::string_view second, std::string_view hash) {
  if (bytes_max_ == 0) return;
  event.first_bytes = static_cast<std::uint16_t>(first.size());
  event.hash_bytes = static_cast<std::uint16_t>(hash.size());
  event.texts.reserve(first.size() + second.size() + hash.size());
  event.texts.append(first).append(second).append(hash);
  bytes_ += bytes_of(event);
  events_.push_back(std::move(event));
  ++end_;
  trim();
}

void History::trim() {
  while (bytes_ > bytes_max_) {
    bytes_ -= bytes_of(events_.front());
    events_.pop_front();
  }
}

}  // namespace fastjournal::pipeline
