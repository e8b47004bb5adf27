#include "plugins/keyvalue/locks.h"

#include <string>

#include "model/parameters.h"
#include "model/row_codec.h"
#include "plugins/keyvalue/parameters.h"
#include "plugins/keyvalue/records.h"

namespace fastjournal::keyvalue {

struct Locks::Request {
  std::string scratch{};
  std::string_view key{};
  std::int64_t lock{0};
  Handle handle{kNoPair};
  Pair pair{};
  bool is_mine{false};
};

bool Locks::read(Command const& command, Decision& decision, Request& wish) const {
  model::Parameters parameters{*command.message};
  wish.key = read_key(*command.message, parameters, "key", shared_.options.key_bytes_max, true, wish.scratch);
  wish.lock = parameters.integer("lock", 0, 1, shared_.options.lock_max);
  if (!parameters.ok()) {
    decision.status = parameters.take_status();
    return false;
  }
  std::int64_t const now = decision.now.value;
  wish.handle = shared_.pairs.find(wish.key);
  if (wish.handle != kNoPair) wish.pair = shared_.pairs.at(wish.handle);
  if (wish.handle == kNoPair || !wish.pair.facts.is_there(now)) {
    decision.status =
        Status{Code::not_found, "table " + shared_.table() + " has no value under this key"}.with("parameter", "key");
    return false;
  }
  bool const is_locked = wish.pair.facts.is_locked(now);
  wish.is_mine = is_locked && wish.pair.facts.lock == static_cast<std::uint64_t>(command.connection);
  if (!is_locked || wish.is_mine) return true;
  decision.status = Status{Code::in_use, "somebody else has this value of table " + shared_.table() +
                                             " locked: try again after lock_end, or when it is unlocked"}
                        .with("lock_end", std::to_string(wish.pair.facts.lock_until));
  return false;
}

Verdict Locks::lock(Command const& command, Decision& decision) const {
  Request wish;
  if (!read(command, decision, wish)) return Verdict::done;
  decision.status = shared_.check_hold(wish.key, &wish.pair, decision);
  if (!decision.status.ok()) return Verdict::done;
  std::int64_t const until = decision.now.value + wish.lock;
  decision.durability = Durability::written;
  append_lock(decision.records, wish.pair.id(), {static_cast<std::uint64_t>(command.connection), until, wish.pair.key});
  Answer& answer = decision.answer.message("LOCKED");
  answer.add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", wish.key);
  answer.add("lock_end", until);
  return Verdict::done;
}

Verdict Locks::unlock(Command const& command, Decision& decision) const {
  Request wish;
  if (!read(command, decision, wish)) return Verdict::done;
  if (!wish.is_mine) {
    decision.status =
        Status{Code::wrong_state, "this connection has no lock on this value: it ended, or never began"}.with(
            "parameter", "key");
    return Verdict::done;
  }
  decision.durability = Durability::written;
  append_lock(decision.records, wish.pair.id(), {0, 0, wish.pair.key});
  Answer& answer = decision.answer.message("UNLOCKED");
  answer.add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", wish.key);
  return Verdict::done;
}

bool Locks::end_of(ConnectionId connection, Decision& decision) const {
  Pairs::Locks const& locks = shared_.pairs.locks();
  auto const number = static_cast<std::uint64_t>(connection);
  decision.durability = Durability::written;
  std::size_t bytes = 0;
  for (auto lock = locks.lower_bound({number, 0}); lock != locks.end() && lock->first == number; ++lock) {
    if (bytes >= kKeysPerStep) return true;
    Pair const pair = shared_.pairs.at(lock->second);
    append_lock(decision.records, pair.id(), {0, 0, pair.key});
    bytes += 64 + pair.key.size();
  }
  return false;
}

bool Locks::end_all(Decision& decision) const {
  decision.durability = Durability::written;
  std::size_t bytes = 0;
  for (auto const& [connection, handle] : shared_.pairs.locks()) {
    if (bytes >= kKeysPerStep) return true;
    Pair const pair = shared_.pairs.at(handle);
    append_lock(decision.records, pair.id(), {0, 0, pair.key});
    bytes += 64 + pair.key.size();
  }
  return false;
}

// A lock with a later end stays where it is (facts.h), so that each has its turn once.
bool Locks::extend(DurationMs by, Decision& decision) const {
  Pairs::Locks const& locks = shared_.pairs.locks();
  decision.durability = Durability::written;
  std::size_t bytes = 0;
  auto& [connection, handle, is_begun, unused] = decision.carry;
  auto lock = is_begun == 0 ? locks.begin() : locks.upper_bound({connection, static_cast<Handle>(handle)});
  for (; lock != locks.end(); ++lock) {
    if (bytes >= kKeysPerStep) return true;
    Pair const pair = shared_.pairs.at(lock->second);
    std::int64_t const until = std::min(pair.facts.lock_until + by.value, model::kDateMax);
    append_lock(decision.records, pair.id(), {pair.facts.lock, until, pair.key});
    bytes += 64 + pair.key.size();
    connection = lock->first;
    handle = lock->second;
    is_begun = 1;
  }
  return false;
}

}  // namespace fastjournal::keyvalue
