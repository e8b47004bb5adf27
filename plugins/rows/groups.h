// Groups of rows: those of one domain with the same name. They are handed out one at a time, in the order of their ids:
// of the waiting rows of a group only the first one may be in the wheel or in the order, and none while one of them is
// leased; the others are behind (places.h, which moves them). Parked rows wait for nobody, and nobody for them.
//
// Derived from the rows. Only rows that have a group are here: others cost nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/types.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

struct Group {
  std::string name{};                                                  // of the domain, NUL, its own
  absl::btree_set<std::pair<std::uint64_t, std::uint32_t>> waiting{};  // (id, row)
  std::uint32_t rows{0};
  std::uint32_t leased{0};         // one at most, but in a replay of a damaged log
  std::uint32_t holder{kNoRow};    // the one that was leased last
  std::uint32_t standing{kNoRow};  // of the waiting ones, the one that is not behind

  // The row that may stand among those without a group; kNoRow: none.
  [[nodiscard]] std::uint32_t next() const { return leased > 0 || waiting.empty() ? kNoRow : waiting.begin()->second; }
};

// Of one table, beside its rows, which outlive it. Names are chosen by clients: what is seen does not depend on the order
// of the hash.
class Groups {
 public:
  Groups(Rows& rows, std::uint64_t hash_seed) : rows_(rows), all_(0, NameHash{hash_seed}) {}

  void join(std::uint32_t row, std::string_view domain, std::string_view name);
  // Nullptr: it was the last one.
  Group* part(std::uint32_t row);
  // A row that waits, or is leased, was in no place; is in none any more. Its place is set.
  void enter(std::uint32_t row);
  void leave(std::uint32_t row);

  [[nodiscard]] Group& of(std::uint32_t row) { return *groups_.find(row)->second; }
  // What a row waits for, or would wait for if it waited: the leased row, or one with a smaller id; kNoRow: nothing.
  [[nodiscard]] std::uint32_t before(std::uint32_t row) const;
  [[nodiscard]] std::uint64_t memory_bytes() const {
    constexpr std::uint64_t kOfName = sizeof(std::string_view) + sizeof(void*) + 1;
    constexpr std::uint64_t kOfRow = 2 * sizeof(void*) + 1;
    return all_.capacity() * kOfName + all_.size() * sizeof(Group) + name_bytes_ + groups_.capacity() * kOfRow +
           waiting_ * 24;
  }

 private:
  Rows& rows_;
  absl::flat_hash_map<std::string_view, std::unique_ptr<Group>, NameHash, std::equal_to<>> all_;
  absl::flat_hash_map<std::uint32_t, Group*> groups_;  // by row
  std::uint64_t name_bytes_{0};
  std::uint64_t waiting_{0};
};

}  // namespace fastjournal::rows
