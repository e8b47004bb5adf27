#include "plugins/pipeline/versions.h"

namespace fastjournal::pipeline {

std::uint32_t Versions::before(std::uint32_t document) const {
  Extras::More const* const more = extras_.of(store_[document].id());
  return more == nullptr || more->before.is_none() ? kNone : store_.find(more->before);
}

ObjectId Versions::behind(std::uint32_t document) const {
  auto const found = newer_.find(store_[document].id().value);
  return found == newer_.end() ? ObjectId{} : found->second;
}

std::uint32_t Versions::stop_following(ObjectId before) {
  auto const found = newer_.find(before.value);
  if (found == newer_.end()) return kNone;
  std::uint32_t const newer = store_.find(found->second);
  newer_.erase(found);
  if (newer == kNone) return kNone;
  extras_.at(newer).before = {};
  extras_.drop_without_content(store_[newer].id());
  return newer;
}

void Versions::forget(ObjectId document) {
  if (Extras::More const* const more = extras_.of(document); more != nullptr && !more->before.is_none())
    newer_.erase(more->before.value);
}

bool Versions::is_behind(std::uint32_t number) const {
  if (newer_.empty()) return false;
  std::uint32_t const document = store_.cell(number).document;
  std::uint32_t const older = before(document);
  if (older == kNone || store_[older].plan != store_[document].plan) return false;
  return !is_terminal(store_.cell(store_[older].first_cell + store_.ordinal_of(number)).state);
}

std::uint32_t Versions::misplaced_behind(std::uint32_t number) const {
  if (newer_.empty() || store_.ordinal_of(number) == kOriginalCell) return kNone;
  ObjectId const id = behind(store_.cell(number).document);
  std::uint32_t const newer = id.is_none() ? kNone : store_.find(id);
  if (newer == kNone || store_[newer].plan != plans_.newest_number()) return kNone;
  std::uint32_t const cell = store_[newer].first_cell + store_.ordinal_of(number);
  Place const place = store_.cell(cell).place;
  bool const waits = place == Place::listed || place == Place::resting;
  if (place != Place::behind && !waits) return kNone;
  return is_behind(cell) == (place == Place::behind) ? kNone : cell;
}

}  // namespace fastjournal::pipeline
