// The domains of a table: their names and rows, and the domain of each row. A domain exists while it has rows, and
// until its bucket is full again: recreated earlier it would have all its tokens, and a tenant of single rows no rate.
// A table without domains has one with the empty name for all rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_set.h>
#include "fastjournal/types.h"
#include "plugins/rows/bucket.h"
#include "plugins/rows/key_index.h"
#include "plugins/rows/queue.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

inline constexpr std::uint32_t kNoDomain = UINT32_MAX;
// The domain of rows without one; always exists.
inline constexpr std::uint32_t kNameless = 0;

struct Domain {
  struct ByDate {
    Rows const* rows;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return comes_before((*rows)[a], (*rows)[b]); }
  };

  Domain(std::string_view its_name, std::uint32_t its_number, Rows const& all_rows)
      : name(its_name), number(its_number), future(ByDate{&all_rows}), behind(ByDate{&all_rows}) {}

  std::string name;
  std::uint32_t number;
  std::vector<std::unique_ptr<Queue>> queues{};  // by class
  absl::btree_set<std::uint32_t, ByDate> future;
  absl::btree_set<std::uint32_t, ByDate> behind;                         // rows that wait for one of their group
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> lease_ends{};  // (date, row)
  std::uint32_t rows{0};
  std::uint32_t due{0};
  std::uint32_t leased{0};
  std::uint32_t ready{0};  // of the due rows, as many as its limits allow now
  std::uint32_t weight{1};
  bool at_limit{false};  // and so takes no turns
  Bucket bucket{};
  std::int64_t timer{0};  // when its bucket or its pause ends that; 0: not waiting
  std::int64_t paused_until{0};
  LeaseEpoch last_normal{};  // of a row that is not slow
};

class Domains {
 public:
  Domains(Rows const& rows, std::uint64_t hash_seed) : rows_(&rows), hash_seed_(hash_seed) { create({}); }

  [[nodiscard]] Domain& operator[](std::uint32_t number) { return *domains_[number]; }
  [[nodiscard]] Domain const& operator[](std::uint32_t number) const { return *domains_[number]; }
  // Numbers below may be domains (exists).
  [[nodiscard]] std::uint32_t end() const { return static_cast<std::uint32_t>(domains_.size()); }
  [[nodiscard]] bool exists(std::uint32_t number) const { return domains_[number] != nullptr; }
  // Without the nameless one.
  [[nodiscard]] std::uint32_t size() const { return names_.size(); }
  [[nodiscard]] std::uint32_t find(std::string_view name) const;
  [[nodiscard]] std::uint32_t of(std::uint32_t row) const {
    return numbers_.empty() ? kNameless : numbers_[row / kSlabRows][row % kSlabRows];
  }
  [[nodiscard]] Domain& at(std::uint32_t row) { return *domains_[of(row)]; }
  [[nodiscard]] Domain const& at(std::uint32_t row) const { return *domains_[of(row)]; }

  // Puts the row into this domain. Returns whether the domain is new.
  bool join(std::uint32_t row, std::string_view name);
  void drop(std::uint32_t number);

  [[nodiscard]] KeyIndex const& names() const { return names_; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return numbers_.size() * (kSlabRows * sizeof(std::uint32_t) + sizeof(void*)) + domains_.capacity() * sizeof(void*) +
           (names_.size() + 1) * (sizeof(Domain) + 16) + name_bytes_ + names_.memory_bytes();
  }

 private:
  static constexpr std::uint32_t kSlabRows = 1024;

  [[nodiscard]] std::uint32_t hash_of(std::string_view name) const;
  std::uint32_t create(std::string_view name);
  void set(std::uint32_t row, std::uint32_t number);

  Rows const* rows_;
  std::uint64_t hash_seed_;
  std::vector<std::unique_ptr<Domain>> domains_;
  std::vector<std::uint32_t> free_;
  KeyIndex names_;  // of all but the nameless one
  std::uint64_t name_bytes_{0};
  std::vector<std::unique_ptr<std::uint32_t[]>> numbers_;  // by row; none while every row is nameless
};

}  // namespace fastjournal::rows
