#include "plugins/rows/domains.h"

#include "base/check.h"
#include "base/hash.h"

namespace fastjournal::rows {

std::uint32_t Domains::hash_of(std::string_view name) const {
  return static_cast<std::uint32_t>(hash64(name, hash_seed_) >> 32U);
}

std::uint32_t Domains::find(std::string_view name) const {
  if (name.empty()) return kNameless;
  std::uint32_t const found =
      names_.find(hash_of(name), [&](std::uint32_t number) { return domains_[number]->name == name; });
  return found == kNoRow ? kNoDomain : found;
}

std::uint32_t Domains::create(std::string_view name) {
  std::uint32_t number = end();
  if (free_.empty()) {
    domains_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  domains_[number] = std::make_unique<Domain>(name, number, *rows_);
  if (!name.empty()) names_.insert(hash_of(name), number);
  if (name.size() >= sizeof(std::string) / 2) name_bytes_ += name.size();
  return number;
}

bool Domains::join(std::uint32_t row, std::string_view name) {
  std::uint32_t number = find(name);
  bool const fresh = number == kNoDomain;
  if (fresh) number = create(name);
  // The numbers begin with the first row of a named domain.
  if (number != kNameless || !numbers_.empty()) set(row, number);
  ++domains_[number]->rows;
  return fresh;
}

void Domains::set(std::uint32_t row, std::uint32_t number) {
  while (numbers_.size() * kSlabRows < rows_->end()) numbers_.push_back(std::make_unique<std::uint32_t[]>(kSlabRows));
  numbers_[row / kSlabRows][row % kSlabRows] = number;
}

void Domains::drop(std::uint32_t number) {
  Domain const& domain = *domains_[number];
  FJ_CHECK(number != kNameless && domain.rows == 0, "a domain that is dropped has no rows");
  names_.erase(hash_of(domain.name), number);
  if (domain.name.size() >= sizeof(std::string) / 2) name_bytes_ -= domain.name.size();
  domains_[number].reset();
  free_.push_back(number);
  if (names_.size() > 0) return;
  // The last one: frees the memory that only named domains need.
  domains_.resize(1);
  free_.clear();
  if (domains_[kNameless]->rows == 0) numbers_.clear();
}

}  // namespace fastjournal::rows
