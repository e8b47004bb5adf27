// Key/value tables in the C API.
#include <array>

#include "clients/c/handles.h"
#include "clients/cpp/answers.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/key_value.h"

using namespace fastjournal;
using namespace fastjournal::c;
using namespace fastjournal::client;

namespace {

// In `scratch`; the key is borrowed.
Result<Message*> command_on_key(fj_connection& handle, char const* command, char const* table, void const* key,
                                size_t size) {
  if (Status given = check({{table, "table"}}); !given.ok()) return given;
  return then(key_of(key, size), [&](std::string_view bytes) -> Result<Message*> {
    Message& out = command_on(handle, command, table);
    set_key(out, "key", bytes);
    return &out;
  });
}

Result<Reply> call_on_key(fj_connection& handle, char const* command, char const* table, void const* key, size_t size) {
  return then(command_on_key(handle, command, table, key, size),
              [&](Message* message) { return handle.connection->call(*message); });
}

int watch_or_not(fj_connection* connection, char const* table, void const* key, size_t size, int what, bool begins) {
  return on_connection(connection, {{table, "table"}}, [&]() -> Status {
    if (what != FJ_KV_KEY && what != FJ_KV_PREFIX) return refused("what", "what: expected FJ_KV_KEY or FJ_KV_PREFIX");
    Result<std::string_view> const bytes = key_of(key, size);
    if (!bytes.ok()) return bytes.status();
    KeyValue values(*connection->connection, table);
    if (what == FJ_KV_PREFIX) return begins ? values.watch_prefix(bytes.value()) : values.unwatch_prefix(bytes.value());
    return begins ? values.watch(bytes.value()) : values.unwatch(bytes.value());
  });
}

bool has_pairs(Reply const& reply) { return reply.first().command == "PAIR"; }

}  // namespace

Result<std::string_view> fastjournal::c::key_of(void const* key, size_t size) {
  if (key == nullptr && size != 0) return check({{key, "key"}});
  auto const* const bytes = static_cast<char const*>(key);
  return size == FJ_NUL ? std::string_view{bytes} : std::string_view{bytes, size};
}

extern "C" {

fj_message* fj_kv_pair_new(char const* table, void const* key, size_t size) {
  return made<fj_message>({{table, "table"}}, [&]() -> Result<std::unique_ptr<fj_message>> {
    Result<std::string_view> const bytes = key_of(key, size);
    if (!bytes.ok()) return bytes.status();
    Result<std::unique_ptr<fj_message>> pair = message_with("SET", {{"table", table}});
    if (!pair.ok()) return pair;
    Message borrowed;
    set_key(borrowed, "key", bytes.value());
    Param const& param = borrowed.params().front();
    if (Status set = pair.value()->set(param.name, param.value); !set.ok()) return set;
    return pair;
  });
}

int fj_kv_set(fj_connection* connection, fj_message const* pair, int* result, uint64_t* timestamp) {
  return on_connection(connection, {{pair, "pair"}}, [&]() -> Status {
    Status const made =
        copy(*connection, *pair, "SET", "pair", "a pair to set is made by fj_kv_pair_new; this message is ");
    if (!made.ok()) return made;
    Result<Stored> const stored = then(connection->connection->call_numbered(connection->scratch), KeyValue::stored_of);
    if (!stored.ok()) return stored.status();
    static constexpr std::array kResults{FJ_KV_STORED, FJ_KV_EXISTS, FJ_KV_MISMATCH, FJ_KV_STALE,
                                         FJ_KV_DUPLICATE};  // as SetResult
    if (result != nullptr) *result = kResults[static_cast<std::size_t>(stored.value().result)];
    if (timestamp != nullptr) *timestamp = stored.value().timestamp;
    return {};
  });
}

int fj_kv_get(fj_connection* connection, char const* table, void const* key, size_t size, fj_message** pair) {
  return on_connection(connection, {cleared(pair, "pair")}, [&] {
    return then(call_on_key(*connection, "GET", table, key, size), [&](Reply const& reply) -> Status {
      if (!has_pairs(reply)) return {Code::not_found, std::string{"table "} + table + " has no value under this key"};
      *pair = shown_of(reply.first()).release();
      return {};
    });
  });
}

int fj_kv_delete(fj_connection* connection, char const* table, void const* key, size_t size, int* result) {
  return on_connection(connection, {}, [&]() -> Status {
    Result<Message*> const erase = command_on_key(*connection, "DELETE", table, key, size);
    if (!erase.ok()) return erase.status();
    Result<EraseResult> const erased = then(connection->connection->call_numbered(*erase.value()), KeyValue::erased_of);
    if (!erased.ok()) return erased.status();
    static constexpr std::array kResults{FJ_KV_DELETED, FJ_KV_ABSENT, FJ_KV_MISMATCH, FJ_KV_STALE,
                                         FJ_KV_DUPLICATE};  // as EraseResult
    if (result != nullptr) *result = kResults[static_cast<std::size_t>(erased.value())];
    return {};
  });
}

int fj_kv_add(fj_connection* connection, char const* table, void const* key, size_t size, int64_t by, int64_t* sum) {
  return on_connection(connection, {}, [&]() -> Status {
    Result<Message*> const add = command_on_key(*connection, "ADD", table, key, size);
    if (!add.ok()) return add.status();
    add.value()->set_integer("by", by);
    return then(connection->connection->call_numbered(*add.value()), [&](Reply& reply) -> Status {
      Result<Stored> const stored = KeyValue::stored_of(reply);
      return stored.ok() ? store_integer(std::move(reply), "value", sum) : stored.status();
    });
  });
}

fj_message* fj_kv_range_new(char const* table, char const* prefix) {
  return made<fj_message>({{table, "table"}}, [&] {
    return message_with("GET", {{"table", table}, {"prefix", prefix}});
  });
}

int fj_kv_page(fj_connection* connection, fj_message* range, fj_reply** pairs) {
  return on_connection(connection, {{range, "range"}, cleared(pairs, "pairs")}, [&]() -> Status {
    Message& get = connection->scratch;
    // A page may be empty and have others behind it.
    for (;;) {
      Status const made =
          copy(*connection, *range, "GET", "range", "a range is made by fj_kv_range_new; this message is ");
      if (!made.ok()) return made;
      if (range->has_ended) return {Code::not_found, "the range has no more pairs"};
      if (!range->after.empty()) {
        get.erase("after");
        set_key(get, "after", range->after);
      }
      Result<Reply> reply = connection->connection->call(get);
      if (!reply.ok()) return reply.status();
      std::string after = key_in(reply.value().messages.back(), "after");
      // Keys grow: a daemon that says otherwise would keep us here.
      range->has_ended = after.empty() || after <= range->after;
      range->after = std::move(after);
      if (!has_pairs(reply.value())) continue;
      *pairs = new fj_reply{std::move(reply).value()};
      return {};
    }
  });
}

void const* fj_kv_key(fj_message const* message, size_t* size) {
  if (message == nullptr) return nullptr;
  for (char const* const name : {"key", "key_binary", "prefix"})
    if (void const* const bytes = fj_get_binary(message, name, size)) return bytes;
  return nullptr;
}

int fj_kv_lock(fj_connection* connection, char const* table, void const* key, size_t size, uint64_t lock_ms,
               int64_t* lock_end) {
  return on_connection(connection, {}, [&] {
    return then(command_on_key(*connection, "LOCK", table, key, size), [&](Message* lock) {
      lock->set("lock", Value::of_unsigned(lock_ms));
      return store_integer(connection->connection->call(*lock), "lock_end", lock_end);
    });
  });
}

int fj_kv_unlock(fj_connection* connection, char const* table, void const* key, size_t size) {
  return on_connection(connection, {}, [&] { return call_on_key(*connection, "UNLOCK", table, key, size).status(); });
}

int fj_kv_watch(fj_connection* connection, char const* table, void const* key, size_t size, int what) {
  return watch_or_not(connection, table, key, size, what, true);
}

int fj_kv_unwatch(fj_connection* connection, char const* table, void const* key, size_t size, int what) {
  return watch_or_not(connection, table, key, size, what, false);
}

}  // extern "C"
