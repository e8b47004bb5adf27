// The domains of a table: their names and rows, and the domain of each row. A domain exists while it has rows, and
// until its bucket is full again: recreated earlier it would have all its tokens, and a tenant of single rows no rate.
// A table without domains has one with the empty name for all rows.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_set.h>
#include "fastjournal/types.h"
#include "plugins/journal/bucket.h"
#include "plugins/journal/key_index.h"
#include "plugins/journal/rows.h"

namespace fastjournal::journal {

inline constexpr std::uint32_t kNoDomain = UINT32_MAX;
// The domain of rows without one; always exists.
inline constexpr std::uint32_t kNameless = 0;

// Due rows of one domain and class (rules.h: a priority, or all of them under aging) in their order. Two lists, as
// there are two ordered streams: rows that are due when inserted, and rows from the timer wheel. Rows that fit at the
// end of neither are put into a tree.
struct Queue {
  struct Before {
    Rows const* rows;
    std::int64_t aging;
    [[nodiscard]] std::int64_t date(Row const& row) const { return row.date() + row.priority() * aging; }
    [[nodiscard]] bool operator()(Row const& a, Row const& b) const {
      std::int64_t const left = date(a);
      std::int64_t const right = date(b);
      return left != right ? left < right : a.id() < b.id();
    }
    bool operator()(std::uint32_t a, std::uint32_t b) const { return (*this)((*rows)[a], (*rows)[b]); }
  };
  using Tree = absl::btree_set<std::uint32_t, Before>;
  struct List {
    std::uint32_t head{kNoRow};
    std::uint32_t tail{kNoRow};
  };

  std::array<List, 2> lists{};
  std::unique_ptr<Tree> tree{};  // made when first needed
  Queue* next{nullptr};          // ring of the queues that take turns; null: not in it
  Queue* prev{nullptr};
  std::uint32_t domain{kNameless};
  std::uint32_t size{0};
  std::uint32_t credit{0};  // rows left in its turn
  std::uint8_t klass{0};
};

struct Domain {
  struct ByDate {
    Rows const* rows;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return comes_before((*rows)[a], (*rows)[b]); }
  };

  Domain(std::string_view its_name, std::uint32_t its_number, Rows const& all_rows)
      : name(its_name), number(its_number), future(ByDate{&all_rows}) {}

  std::string name;
  std::uint32_t number;
  std::vector<std::unique_ptr<Queue>> queues{};  // by class
  absl::btree_set<std::uint32_t, ByDate> future;
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> lease_ends{};  // (date, row)
  std::uint32_t rows{0};
  std::uint32_t due{0};
  std::uint32_t leased{0};
  std::uint32_t ready{0};  // of the due rows, as many as its limits allow now
  std::uint32_t weight{1};
  bool at_limit{false};  // at a limit, and not in the rings
  Bucket bucket{};
  std::int64_t timer{0};     // when its bucket ends that; 0: not waiting
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

}  // namespace fastjournal::journal
