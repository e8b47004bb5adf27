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

bool Locks::read(Command const& command, Decision& decision, Request& request) const {
  model::Parameters parameters{*command.message};
  request.key = read_key(*command.message, parameters, "key", shared_.options.key_size_max, true, request.scratch);
  request.lock = parameters.integer("lock", 0, 1, shared_.options.lock_max);
  if (decision.refuses(parameters.take_status())) return false;
  std::int64_t const now = decision.now.value;
  request.handle = shared_.pairs.find(request.key);
  if (request.handle != kNoPair) request.pair = shared_.pairs.at(request.handle);
  if (request.handle == kNoPair || !request.pair.facts.is_there(now)) return !decision.refuses(shared_.no_value());
  bool const is_locked = request.pair.facts.is_locked(now);
  request.is_mine = is_locked && request.pair.facts.lock == static_cast<std::uint64_t>(command.connection);
  return !decision.refuses(shared_.check_lock(request.pair.facts, command.connection, now));
}

Verdict Locks::lock(Command const& command, Decision& decision) const {
  Request request;
  if (!read(command, decision, request)) return Verdict::done;
  if (decision.refuses(shared_.check_hold(request.key, &request.pair, decision))) return Verdict::done;
  std::int64_t const until = decision.now.value + request.lock;
  decision.durability = Durability::written;
  model::append_record(decision.records, request.pair.id(),
                       LockBody{static_cast<std::uint64_t>(command.connection), until, request.pair.key});
  Answer& answer = decision.answer.message("LOCKED");
  answer.add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", request.key);
  answer.add("lock_end", until);
  return Verdict::done;
}

Verdict Locks::unlock(Command const& command, Decision& decision) const {
  Request request;
  if (!read(command, decision, request)) return Verdict::done;
  if (!request.is_mine)
    return decision.refuse(
        Status{Code::wrong_state, "this connection has no lock on this value: it ended, or never began"}.with(
            "parameter", "key"));
  decision.durability = Durability::written;
  model::append_record(decision.records, request.pair.id(), LockBody{0, 0, request.pair.key});
  Answer& answer = decision.answer.message("UNLOCKED");
  answer.add("table", std::string_view{shared_.table()});
  add_key(answer, "key", "key_binary", request.key);
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
    model::append_record(decision.records, pair.id(), LockBody{0, 0, pair.key});
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
    model::append_record(decision.records, pair.id(), LockBody{0, 0, pair.key});
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
    model::append_record(decision.records, pair.id(), LockBody{pair.facts.lock, until, pair.key});
    bytes += 64 + pair.key.size();
    connection = lock->first;
    handle = lock->second;
    is_begun = 1;
  }
  return false;
}

}  // namespace fastjournal::keyvalue
