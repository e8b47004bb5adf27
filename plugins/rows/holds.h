// Holds of open transactions on a table (Promises): objects, keys, and room in its limits. Derived state of the table
// that owns it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/status.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::rows {

class Holds {
 public:
  explicit Holds(std::uint64_t hash_seed) : keys_(0, NameHash{hash_seed}) {}

  // Nothing is held: the usual case.
  [[nodiscard]] bool empty() const { return of_.empty(); }
  // TransactionId::none: it is not held.
  [[nodiscard]] TransactionId holder_of(ObjectId object) const {
    if (objects_.empty()) return TransactionId::none;
    auto const found = objects_.find(object.value);
    return found == objects_.end() ? TransactionId::none : found->second;
  }
  [[nodiscard]] TransactionId holder_of(std::string_view key) const {
    if (keys_.empty()) return TransactionId::none;
    auto const found = keys_.find(key);
    return found == keys_.end() ? TransactionId::none : found->second;
  }
  // Room that is promised.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_; }
  // Objects held by it, in the order in which they came; null: none.
  [[nodiscard]] std::vector<ObjectId> const* objects_of(TransactionId transaction) const {
    auto const found = of_.find(transaction);
    return found == of_.end() ? nullptr : &found->second.objects;
  }

  // Whether a command may change what `holder` holds. Not ok: it may not, in this phase; `what` says what it is, for
  // people: "row 812 of table jobs".
  [[nodiscard]] static Status check(TransactionId holder, Decision const& decision, std::string const& what);

  void add(TransactionId transaction, Hold const& hold);
  void remove(TransactionId transaction);

 private:
  struct Held {
    std::vector<ObjectId> objects;
    std::vector<std::string> keys;
    std::uint64_t rows{0};
    std::uint64_t bytes{0};
    std::uint64_t memory{0};
  };

  absl::flat_hash_map<TransactionId, Held> of_;
  absl::flat_hash_map<std::uint64_t, TransactionId> objects_;
  absl::flat_hash_map<std::string, TransactionId, NameHash, std::equal_to<>> keys_;
  std::uint64_t rows_{0};
  std::uint64_t bytes_{0};
  std::uint64_t memory_{0};
};

}  // namespace fastjournal::rows
