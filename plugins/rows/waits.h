// The rows that wait for others to end (`blocked`, rows.h): one edge for each row, or group of jobs, that a row waits for.
// An edge is in the list of what is waited for, which is found by its id and need not be there as a row: a replay may
// learn of it later. So what ends an edge is a record alone, and a replay from any base comes to the same.
//
// All rows that wait for the same are released together. A long list is put aside whole, and released a part at a time
// by advance(), so that no turn waits for 100,000 rows; what is recorded and told of a row does not depend on how far
// that is. A row that fails because another one failed is only noted here: the timers fail it by a record, so that a
// chain of failures is no recursion.
//
// Derived from the rows' extras (extras.h). Only rows that wait are here: others cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "fastjournal/types.h"
#include "plugins/rows/extras.h"
#include "plugins/rows/key_index.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

// What became of something that others wait for.
enum class Outcome : std::uint8_t {
  well,      // a row is done; or what was waited for of a group has come
  failed,    // it has ended, and not well: it cannot come any more
  parked,    // a row was given up, and may be put back to work
  needless,  // what was waited for can never come, and that is well: rows that wait for it need not run
};

// Of one table, beside its rows, which outlive it. Of a blocked row `next` is its first edge, and `prev` the number of
// those that have not ended.
class Waits {
 public:
  using Done = std::vector<std::uint32_t>;

  explicit Waits(Rows& rows) : rows_(rows) {}

  // -- reading ------------------------------------------------------------
  [[nodiscard]] bool empty() const { return edges_ == 0; }
  // Whether rows wait for this row.
  [[nodiscard]] bool has_waiters(ObjectId id) const {
    bool has = false;
    each_waiter(id, After::Kind::row, [&](std::uint32_t) {
      has = true;
      return false;
    });
    return has;
  }
  // What a blocked row waits for now, in the order of ids; as its record states it.
  [[nodiscard]] After after_of(std::uint32_t row) const;
  [[nodiscard]] std::size_t count_of(std::uint32_t row) const { return rows_[row].prev; }
  // Calls for rows that wait for this, as long as it returns true. In no order that may be seen.
  template <typename Each>
  void each_waiter(ObjectId id, After::Kind kind, Each const& each) const {
    if (edges_ == 0 || !each_in(find(key_of(id, kind)), each)) return;
    if (auto const found = lists_.find(id.value); found != lists_.end() && kind == After::Kind::row)
      for (std::uint64_t const other : found->second)
        if (!each_in(find(other), each)) return;
  }
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  // Of these, such as have not ended.
  [[nodiscard]] std::uint64_t open() const { return open_; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return slabs_.size() * (kSlabEdges * sizeof(Edge) + sizeof(void*)) + (index_ ? index_->memory_bytes() : 0) +
           (lists_.size() + finals_.size() + pending_.size()) * 64 + (doomed_.size() + needless_.size()) * 8;
  }
  // Rows that fail, or end, because of what they waited for: for the timers.
  [[nodiscard]] absl::btree_set<std::uint32_t> const& doomed() const { return doomed_; }
  [[nodiscard]] absl::btree_set<std::uint32_t> const& needless() const { return needless_; }
  // There is work for release(), or for the timers.
  [[nodiscard]] bool has_work() const {
    return edges_ != 0 && (!pending_order_.empty() || !doomed_.empty() || !needless_.empty());
  }

  // -- rows ---------------------------------------------------------------
  // A row waits for these too, and all of it under this policy; its place is `blocked`. A row that waited for nothing
  // has no edge before: reset() first.
  void reset(std::uint32_t row) {
    rows_[row].next = kNone;
    rows_[row].prev = 0;
  }
  void add(std::uint32_t row, After const& after);
  // A blocked row does not wait any more.
  void forget(std::uint32_t row);

  // -- what is waited for -------------------------------------------------
  // Rows of which nothing is waited for any more come to `released`, at most so many edges are looked at; the others
  // later.
  void ended(ObjectId id, After::Kind kind, Outcome outcome, std::size_t budget, Done& released);
  // A row went on as another one.
  void moved(ObjectId from, ObjectId to);
  // The rest of long lists. True: more remains.
  bool release(std::size_t& budget, Done& released);

  static constexpr std::size_t kAtOnce = 256;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kSlabEdges = 512;

  static constexpr std::uint32_t kLoose = UINT32_MAX - 1;

  struct Edge {
    std::uint32_t low{0};  // of the id / kLsnAlign that is waited for
    std::uint16_t high{0};
    After::Kind kind{After::Kind::row};
    After::Policy policy{After::Policy::wait};
    std::uint32_t row{kNone};     // that waits
    std::uint32_t next{kNone};    // in the list of what is waited for; of a free edge: the next one
    std::uint32_t prev{kNone};    // there; kLoose: it is in no list
    std::uint32_t of_row{kNone};  // the next edge of the row

    [[nodiscard]] ObjectId id() const {
      return ObjectId{(std::uint64_t{low} | std::uint64_t{high} << 32U) * kLsnAlign};
    }
    void set_id(ObjectId id) {
      low = static_cast<std::uint32_t>(id.value / kLsnAlign);
      high = static_cast<std::uint16_t>(id.value / kLsnAlign >> 32U);
    }
    [[nodiscard]] std::uint64_t key() const { return key_of(id(), kind); }
    [[nodiscard]] bool is_linked() const { return prev != kLoose; }
  };
  static_assert(sizeof(Edge) == 24);

  // A list that ended, and is not looked through yet.
  struct Pending {
    std::uint32_t head{kNone};
    Outcome outcome{Outcome::well};
    ObjectId id{};  // of what ended: as what the rows of the list went on
  };
  // What becomes of an edge.
  enum class Fate : std::uint8_t { stays, ends, breaks, is_needless };

  [[nodiscard]] Edge& at(std::uint32_t edge) { return slabs_[edge / kSlabEdges][edge % kSlabEdges]; }
  [[nodiscard]] Edge const& at(std::uint32_t edge) const { return slabs_[edge / kSlabEdges][edge % kSlabEdges]; }
  // Ids are multiples of kLsnAlign: there is room for the kind.
  [[nodiscard]] static std::uint64_t key_of(ObjectId id, After::Kind kind) {
    return id.value | static_cast<std::uint64_t>(kind);
  }
  [[nodiscard]] static std::uint32_t hash_of(std::uint64_t key);
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const;
  [[nodiscard]] ObjectId final_of(ObjectId id) const {
    auto const found = finals_.find(id.value);
    return found == finals_.end() ? id : ObjectId{found->second};
  }
  template <typename Each>
  bool each_in(std::uint32_t edge, Each const& each) const {
    for (; edge != kNone; edge = at(edge).next)
      if (!each(at(edge).row)) return false;
    return true;
  }
  [[nodiscard]] static Fate fate_of(After::Policy policy, Outcome outcome);
  // Of an edge, whose list may be put aside; then `id` is that of what ended.
  [[nodiscard]] Fate fate_of(Edge const& edge, ObjectId& id) const;
  std::uint32_t take();
  void free(std::uint32_t edge);
  void link(std::uint32_t edge);
  void unlink(std::uint32_t edge);
  void end_list(std::uint64_t key, ObjectId id, Outcome outcome, std::size_t& budget, Done& released);
  // True: the list is done.
  bool drain(Pending& pending, std::size_t& budget, Done& released);
  // The edge is in no list from here on. True: its row waits for nothing any more.
  bool settle(std::uint32_t edge, Fate fate, ObjectId id);
  void break_edge(Edge& edge, Fate fate, ObjectId id);
  void note(std::uint32_t row);

  Rows& rows_;
  std::vector<std::unique_ptr<Edge[]>> slabs_;
  std::optional<KeyIndex> index_;  // from what is waited for to the first edge of its list
  std::uint32_t free_{kNone};
  std::uint32_t end_{0};
  std::uint64_t edges_{0};
  std::uint64_t open_{0};
  absl::flat_hash_map<std::uint64_t, Pending> pending_;
  std::deque<std::uint64_t> pending_order_;
  // Of rows that went on as others: as which, and the other way round.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> finals_;
  absl::flat_hash_map<std::uint64_t, std::vector<std::uint64_t>> lists_;
  absl::btree_set<std::uint32_t> doomed_;
  absl::btree_set<std::uint32_t> needless_;
};

}  // namespace fastjournal::rows
