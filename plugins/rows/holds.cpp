#include "plugins/rows/holds.h"

#include <utility>

namespace fastjournal::rows {
namespace {

// Of an entry in a hash table, beside its key.
constexpr std::uint64_t kEntryBytes = 24;

}  // namespace

Status Holds::check(TransactionId holder, Decision const& decision, std::string const& what) {
  if (holder == TransactionId::none || decision.phase == Phase::keep) return {};
  bool const is_own = decision.phase == Phase::promise && holder == decision.transaction;
  std::string const number = std::to_string(static_cast<std::uint64_t>(holder));
  if (is_own)
    return {Code::wrong_state, what +
                                   " is changed by an earlier command of this transaction: a transaction changes "
                                   "a row or a key once"};
  return Status{Code::in_transaction, what + " is held by transaction " + number +
                                          ", which is not over: try again when it is committed or rolled back"}
      .with("transaction", number);
}

void Holds::add(TransactionId transaction, Hold const& hold) {
  Held& held = of_[transaction];
  std::uint64_t memory = sizeof(ObjectId) * hold.objects.size() * 2;
  for (ObjectId const object : hold.objects) {
    held.objects.push_back(object);
    objects_.emplace(object.value, transaction);
    memory += kEntryBytes;
  }
  for (std::string const& key : hold.keys) {
    held.keys.push_back(key);
    keys_.emplace(key, transaction);
    memory += kEntryBytes + 2 * (key.size() + sizeof(std::string));
  }
  held.rows += hold.rows;
  held.bytes += hold.bytes;
  held.memory += memory;
  rows_ += hold.rows;
  bytes_ += hold.bytes;
  memory_ += memory;
}

void Holds::remove(TransactionId transaction) {
  auto const found = of_.find(transaction);
  if (found == of_.end()) return;
  Held const held = std::move(found->second);
  of_.erase(found);
  for (ObjectId const object : held.objects) objects_.erase(object.value);
  for (std::string const& key : held.keys) keys_.erase(key);
  rows_ -= held.rows;
  bytes_ -= held.bytes;
  memory_ -= held.memory;
}

}  // namespace fastjournal::rows
