// What open transactions have promised of queues: messages that they will put there, and messages of them that they will
// end. Derived state; any number of transactions may have promises of one queue.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include "fastjournal/types.h"

namespace fastjournal::queue {

class Promised {
 public:
  struct Room {
    std::uint64_t messages{0};
    std::uint64_t bytes{0};
  };

  // `name`: of a queue or an exchange, with the letter of its kind before it (Promised::of_queue, of_exchange).
  void add(TransactionId transaction, std::string const& name, Room room) {
    One& one = all_[name];
    Room& of = one.of[transaction];
    of.messages += room.messages;
    of.bytes += room.bytes;
    one.sum.messages += room.messages;
    one.sum.bytes += room.bytes;
    names_[transaction].insert(name);
  }
  void remove(TransactionId transaction) {
    auto const found = names_.find(transaction);
    if (found == names_.end()) return;
    for (std::string const& name : found->second) {
      auto const at = all_.find(name);
      Room const& of = at->second.of[transaction];
      at->second.sum.messages -= of.messages;
      at->second.sum.bytes -= of.bytes;
      at->second.of.erase(transaction);
      if (at->second.of.empty()) all_.erase(at);
    }
    names_.erase(found);
  }
  // What will be put there by others than this transaction.
  [[nodiscard]] Room room(std::string_view queue, TransactionId except) const {
    if (all_.empty()) return {};
    auto const found = all_.find(of_queue(queue));
    if (found == all_.end()) return {};
    Room out = found->second.sum;
    if (auto const own = found->second.of.find(except); own != found->second.of.end()) {
      out.messages -= own->second.messages;
      out.bytes -= own->second.bytes;
    }
    return out;
  }
  // One that has promises of it; none: nobody.
  [[nodiscard]] TransactionId holder(std::string const& name) const {
    auto const found = all_.find(name);
    return found == all_.end() ? TransactionId::none : found->second.of.begin()->first;
  }
  [[nodiscard]] static std::string of_queue(std::string_view name) { return "q" + std::string{name}; }
  [[nodiscard]] static std::string of_exchange(std::string_view name) { return "e" + std::string{name}; }

 private:
  struct One {
    std::map<TransactionId, Room> of{};
    Room sum{};
  };

  absl::flat_hash_map<std::string, One> all_;
  absl::flat_hash_map<TransactionId, std::set<std::string>> names_;
};

}  // namespace fastjournal::queue
