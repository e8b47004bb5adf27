// Key/value tables in the C API.
#include <array>

#include "clients/c/handles.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/key_value.h"

namespace {

using fastjournal::Code;
using fastjournal::Message;
using fastjournal::Param;
using fastjournal::Result;
using fastjournal::Status;
using fastjournal::Value;
using fastjournal::c::key_of;
using fastjournal::c::made;
using fastjournal::c::missing;
using fastjournal::c::on_connection;
using fastjournal::client::EraseResult;
using fastjournal::client::KeyValue;
using fastjournal::client::Reply;
using fastjournal::client::Stored;

Status set_key(fj_message& message, std::string_view key) {
  Message borrowed;
  fastjournal::client::set_key(borrowed, "key", key);
  Param const& param = borrowed.params().front();
  return message.set(param.name, param.value);
}

// In `scratch`; the key is borrowed.
Result<Message*> command_on_key(fj_connection& handle, char const* command, char const* table, void const* key,
                                size_t size) {
  if (table == nullptr) return missing("table");
  Result<std::string_view> const bytes = key_of(key, size);
  if (!bytes.ok()) return bytes.status();
  Message& out = handle.scratch;
  out.clear();
  out.command = command;
  out.set("table", std::string_view{table});
  fastjournal::client::set_key(out, "key", bytes.value());
  return &out;
}

int watch_or_not(fj_connection* connection, char const* table, void const* key, size_t size, int what, bool begins) {
  return on_connection(connection, [&]() -> Status {
    if (table == nullptr) return missing("table");
    if (what != FJ_KV_KEY && what != FJ_KV_PREFIX)
      return Status{Code::bad_parameter, "what: expected FJ_KV_KEY or FJ_KV_PREFIX"}.with("parameter", "what");
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
  if (key == nullptr && size != 0) return missing("key");
  auto const* const bytes = static_cast<char const*>(key);
  return size == FJ_NUL ? std::string_view{bytes} : std::string_view{bytes, size};
}

extern "C" {

fj_message* fj_kv_pair_new(char const* table, void const* key, size_t size) {
  return made<fj_message>([&](fj_message*& out) -> Status {
    if (table == nullptr) return missing("table");
    Result<std::string_view> const bytes = key_of(key, size);
    if (!bytes.ok()) return bytes.status();
    auto pair = std::make_unique<fj_message>("SET");
    if (Status set = pair->set("table", Value::of_text(table)); !set.ok()) return set;
    if (Status set = set_key(*pair, bytes.value()); !set.ok()) return set;
    out = pair.release();
    return {};
  });
}

int fj_kv_set(fj_connection* connection, fj_message const* pair, int* result, uint64_t* timestamp) {
  return on_connection(connection, [&]() -> Status {
    if (pair == nullptr) return missing("pair");
    if (pair->command != "SET")
      return Status{Code::bad_parameter, "a pair to set is made by fj_kv_pair_new; this message is " + pair->command}
          .with("parameter", "pair");
    Message& set = connection->scratch;
    set.clear();
    set.command = "SET";
    for (Param const& param : pair->message.params()) set.set(param.name, param.value);
    Result<Reply> const reply = connection->connection->call_numbered(set);
    if (!reply.ok()) return reply.status();
    Result<Stored> const stored = KeyValue::stored_of(reply.value());
    if (!stored.ok()) return stored.status();
    static constexpr std::array kResults{FJ_KV_STORED, FJ_KV_EXISTS, FJ_KV_MISMATCH, FJ_KV_STALE,
                                         FJ_KV_DUPLICATE};  // as SetResult
    if (result != nullptr) *result = kResults[static_cast<std::size_t>(stored.value().result)];
    if (timestamp != nullptr) *timestamp = stored.value().timestamp;
    return {};
  });
}

int fj_kv_get(fj_connection* connection, char const* table, void const* key, size_t size, fj_message** pair) {
  if (pair != nullptr) *pair = nullptr;
  return on_connection(connection, [&]() -> Status {
    if (pair == nullptr) return missing("pair");
    Result<Message*> const get = command_on_key(*connection, "GET", table, key, size);
    if (!get.ok()) return get.status();
    Result<Reply> const reply = connection->connection->call(*get.value());
    if (!reply.ok()) return reply.status();
    if (!has_pairs(reply.value()))
      return Status{Code::not_found, std::string{"table "} + table + " has no value under this key"};
    *pair = fastjournal::c::shown_of(reply.value().first()).release();
    return {};
  });
}

int fj_kv_delete(fj_connection* connection, char const* table, void const* key, size_t size, int* result) {
  return on_connection(connection, [&]() -> Status {
    Result<Message*> const erase = command_on_key(*connection, "DELETE", table, key, size);
    if (!erase.ok()) return erase.status();
    Result<Reply> const reply = connection->connection->call_numbered(*erase.value());
    if (!reply.ok()) return reply.status();
    Result<EraseResult> const erased = KeyValue::erased_of(reply.value());
    if (!erased.ok()) return erased.status();
    static constexpr std::array kResults{FJ_KV_DELETED, FJ_KV_ABSENT, FJ_KV_MISMATCH, FJ_KV_STALE,
                                         FJ_KV_DUPLICATE};  // as EraseResult
    if (result != nullptr) *result = kResults[static_cast<std::size_t>(erased.value())];
    return {};
  });
}

int fj_kv_add(fj_connection* connection, char const* table, void const* key, size_t size, int64_t by, int64_t* sum) {
  return on_connection(connection, [&]() -> Status {
    Result<Message*> const add = command_on_key(*connection, "ADD", table, key, size);
    if (!add.ok()) return add.status();
    add.value()->set_integer("by", by);
    Result<Reply> const reply = connection->connection->call_numbered(*add.value());
    if (!reply.ok()) return reply.status();
    Result<Stored> const stored = KeyValue::stored_of(reply.value());
    if (!stored.ok()) return stored.status();
    if (sum != nullptr) *sum = reply.value().first().integer("value").value_or(0);
    return {};
  });
}

fj_message* fj_kv_range_new(char const* table, char const* prefix) {
  return made<fj_message>([&](fj_message*& out) -> Status {
    if (table == nullptr) return missing("table");
    auto range = std::make_unique<fj_message>("GET");
    if (Status set = range->set("table", Value::of_text(table)); !set.ok()) return set;
    if (prefix != nullptr)
      if (Status set = range->set("prefix", Value::of_text(prefix)); !set.ok()) return set;
    out = range.release();
    return {};
  });
}

int fj_kv_page(fj_connection* connection, fj_message* range, fj_reply** pairs) {
  if (pairs != nullptr) *pairs = nullptr;
  return on_connection(connection, [&]() -> Status {
    if (range == nullptr) return missing("range");
    if (pairs == nullptr) return missing("pairs");
    if (range->command != "GET")
      return Status{Code::bad_parameter, "a range is made by fj_kv_range_new; this message is " + range->command}.with(
          "parameter", "range");
    // A page may be empty and have others behind it.
    while (!range->has_ended) {
      Message& get = connection->scratch;
      get.clear();
      get.command = "GET";
      for (Param const& param : range->message.params()) get.set(param.name, param.value);
      if (!range->after.empty()) {
        get.erase("after");
        fastjournal::client::set_key(get, "after", range->after);
      }
      Result<Reply> reply = connection->connection->call(get);
      if (!reply.ok()) return reply.status();
      std::string after = fastjournal::client::key_in(reply.value().messages.back(), "after");
      // Keys grow: a daemon that says otherwise would keep us here.
      range->has_ended = after.empty() || after <= range->after;
      range->after = std::move(after);
      if (!has_pairs(reply.value())) continue;
      *pairs = new fj_reply{std::move(reply).value()};
      return {};
    }
    return {Code::not_found, "the range has no more pairs"};
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
  return on_connection(connection, [&]() -> Status {
    Result<Message*> const lock = command_on_key(*connection, "LOCK", table, key, size);
    if (!lock.ok()) return lock.status();
    lock.value()->set("lock", Value::of_unsigned(lock_ms));
    Result<Reply> const reply = connection->connection->call(*lock.value());
    if (!reply.ok()) return reply.status();
    if (lock_end != nullptr) *lock_end = reply.value().first().integer("lock_end").value_or(0);
    return {};
  });
}

int fj_kv_unlock(fj_connection* connection, char const* table, void const* key, size_t size) {
  return on_connection(connection, [&]() -> Status {
    Result<Message*> const unlock = command_on_key(*connection, "UNLOCK", table, key, size);
    if (!unlock.ok()) return unlock.status();
    return connection->connection->call(*unlock.value()).status();
  });
}

int fj_kv_watch(fj_connection* connection, char const* table, void const* key, size_t size, int what) {
  return watch_or_not(connection, table, key, size, what, true);
}

int fj_kv_unwatch(fj_connection* connection, char const* table, void const* key, size_t size, int what) {
  return watch_or_not(connection, table, key, size, what, false);
}

}  // extern "C"
