// Promises of open transactions about queues: messages that they will put there, and messages of them that they will
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

  // `name`: of a queue or an exchange, with the letter of its kind before it (of_queue, of_exchange, of_new).
  void add(TransactionId transaction, std::string const& name, Room room) {
    auto const [at, is_new] = all_.try_emplace(name);
    One& one = at->second;
    if (is_new) memory_ += name.size() + kNameCost;
    if (is_new && is_of_new(name)) ++new_queues_;
    if (names_[transaction].insert(name).second) memory_ += name.size() + kPromiseCost;
    Room& of = one.of[transaction];
    of.messages += room.messages;
    of.bytes += room.bytes;
    one.sum.messages += room.messages;
    one.sum.bytes += room.bytes;
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
      memory_ -= name.size() + kPromiseCost;
      if (!at->second.of.empty()) continue;
      memory_ -= name.size() + kNameCost;
      if (is_of_new(name)) --new_queues_;
      all_.erase(at);
    }
    names_.erase(found);
  }
  // Messages of other transactions that will be put there.
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
  // One that has promises of it; none: no one.
  [[nodiscard]] TransactionId holder(std::string const& name) const {
    auto const found = all_.find(name);
    return found == all_.end() ? TransactionId::none : found->second.of.begin()->first;
  }
  // This transaction makes the queue when it is kept, if there is none by then.
  [[nodiscard]] bool makes(TransactionId transaction, std::string_view queue) const {
    auto const found = names_.find(transaction);
    return found != names_.end() && found->second.contains(of_new(queue));
  }
  [[nodiscard]] bool is_new(std::string_view queue) const { return all_.contains(of_new(queue)); }
  // Queues that will be made, each once.
  [[nodiscard]] std::uint64_t new_queues() const { return new_queues_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_; }
  [[nodiscard]] static std::string of_queue(std::string_view name) { return "q" + std::string{name}; }
  [[nodiscard]] static std::string of_exchange(std::string_view name) { return "e" + std::string{name}; }
  // Beside of_queue.
  [[nodiscard]] static std::string of_new(std::string_view name) { return "n" + std::string{name}; }

 private:
  struct One {
    std::map<TransactionId, Room> of{};
    Room sum{};
  };

  // Of a name, and of a transaction's promise of it, beside their texts.
  static constexpr std::uint64_t kNameCost = 160;
  static constexpr std::uint64_t kPromiseCost = 160;

  [[nodiscard]] static bool is_of_new(std::string_view name) { return name.starts_with('n'); }

  absl::flat_hash_map<std::string, One> all_;
  absl::flat_hash_map<TransactionId, std::set<std::string>> names_;
  std::uint64_t memory_{0};
  std::uint64_t new_queues_{0};
};

}  // namespace fastjournal::queue
