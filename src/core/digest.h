// The contents of a table as one number: the same for the daemon's table, a replay of its log, and a replica.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "fastjournal/table.h"

namespace fastjournal::core {

// A sum of hashes, so that the order of objects does not matter.
class DigestSum final : public DigestSink {
 public:
  explicit DigestSum(std::uint64_t seed) : seed_(seed) {}
  void object(std::span<std::byte const> canonical) override { sum_ += hash64(as_text(canonical), seed_); }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t seed_;
  std::uint64_t sum_{0};
};

// Goes through all of its objects.
[[nodiscard]] inline std::uint64_t digest_of(Table const& table, std::string_view name) {
  DigestSum sum{hash64(name)};
  table.digest(sum);
  return sum.sum();
}

}  // namespace fastjournal::core
