// State shared by the command handlers of one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "fastjournal/table.h"
#include "plugins/keyvalue/made.h"
#include "plugins/keyvalue/pairs.h"
#include "plugins/keyvalue/statistics.h"
#include "plugins/rows/clients.h"
#include "plugins/rows/holds.h"

namespace fastjournal::keyvalue {

// The keys in the records of one step, beyond those of the message: well below kStepBytesMax.
inline constexpr std::size_t kKeysPerStep = 8U << 10U;

using made::Options;

struct TableState : rows::Declared<Options> {
  TableState(std::shared_ptr<TableDeclaration const> its_declaration, std::uint64_t hash_seed)
      : Declared(std::move(its_declaration)),
        pairs(options.tombstone_keep, hash_seed),
        clients(hash_seed),
        holds(hash_seed) {}

  // At its limits; else SET is refused.
  [[nodiscard]] bool evicts() const { return options.when_full == made::WhenFullChoice::evict; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return pairs.memory_bytes() + clients.windows().memory_bytes() + holds.memory_bytes();
  }
  // Under which a transaction holds what this key leads to: its main key.
  [[nodiscard]] static std::string_view key_held(std::string_view key, Pair const* pair) {
    return pair == nullptr ? key : pair->key;
  }
  // Not ok: a transaction holds it, and the command may not change it in this phase. `pair`: what is there, or null.
  [[nodiscard]] Status check_hold(std::string_view key, Pair const* pair, Decision const& decision) const {
    TransactionId const holder = holds.holder_of(key_held(key, pair));
    if (holder == TransactionId::none) return {};
    return rows::Holds::check(holder, decision, "this key of table " + table()).with("parameter", "key");
  }

  [[nodiscard]] Status no_value() const {
    return Status{Code::not_found, "table " + table() + " has no value under this key"}.with("parameter", "key");
  }
  // Not ok: another connection has it locked.
  [[nodiscard]] Status check_lock(Facts const& facts, ConnectionId connection, std::int64_t now) const {
    if (!facts.is_locked(now) || !facts.is_there(now)) return {};
    if (facts.lock == static_cast<std::uint64_t>(connection)) return {};
    return Status{Code::in_use, "somebody else has this value of table " + table() +
                                    " locked: try again after lock_end, or when it is unlocked"}
        .with("lock_end", std::to_string(facts.lock_until));
  }

  Pairs pairs;
  rows::Clients clients;
  rows::Holds holds;
  mutable Statistics statistics;
};

}  // namespace fastjournal::keyvalue
