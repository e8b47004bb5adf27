// Contents as one number: of a table the same for the daemon's, a replay of its log, and a replica; of a log with its
// catalogue, and of all logs together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "fastjournal/declaration.h"
#include "fastjournal/table.h"

namespace fastjournal::engine {

struct HostedLog;

// As people and programs compare it: 16 digits.
[[nodiscard]] std::string digest_text(std::uint64_t digest);

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

// Of what a table's file says, for the nodes of a cluster: one that says the same in other words has the same digest.
// Descriptions are not in it, nor the network card of a feed, nor secrets.
[[nodiscard]] std::uint64_t digest_of(TableDeclaration const& declaration);
// Of one log, whatever its name.
[[nodiscard]] std::uint64_t digest_of(HostedLog const& log);
// Of all logs that are kept: everything that a replay reproduces.
[[nodiscard]] std::uint64_t digest_of(std::vector<std::unique_ptr<HostedLog>> const& logs);

}  // namespace fastjournal::engine
