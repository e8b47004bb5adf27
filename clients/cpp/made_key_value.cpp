// Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.
// clang-format off
// The calls of made_key_value.h.
#include <cstdint>
#include <optional>
#include <string_view>

#include "clients/cpp/answers.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/key_value.h"
#include "clients/cpp/made_key_value_messages.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

Result<Pair> pair_of(Message const& message) {
  std::optional<ValueType> const type = word_in<ValueType>(kValueTypeWords, message.text("type"));
  if (message.command != "PAIR" || !type) return unexpected(message, "PAIR of a known type");
  Pair out;
  out.table = message.text("table");
  out.key = key_in(message, "key");
  out.type = *type;
  if (Status read = read_value(message, out.value); !read.ok()) return read;
  out.timestamp = number(message, "timestamp");
  out.expires = date_if_any(message, "expiration_date");
  out.locked = number(message, "locked") != 0;
  out.worked_on = number(message, "worked_on") != 0;
  out.ttl = span_if_any(message, "ttl");
  out.lock_end = date_if_any(message, "lock_end");
  out.worked_on_end = date_if_any(message, "worked_on_end");
  out.persist = number(message, "persist") != 0;
  out.created = date(message, "creation_date");
  out.modified = date(message, "modification_date");
  out.accessed = date(message, "access_date");
  out.size = number(message, "size");
  out.main_key = key_in(message, "main_key");
  return out;
}

Message KeyValueCalls::erase_of(std::string_view key, EraseOptions const& options) const {
  Message command = command_on(table_, "DELETE");
  set_key(command, "key", key);
  set_options(command, options);
  return command;
}

Result<EraseResult> KeyValueCalls::erase(std::string_view key, EraseOptions const& options) {
  Message command = erase_of(key, options);
  return then(call_changing(connection_, command), [](Message const& answer) -> Result<EraseResult> {
    return known_word<EraseResult>(kEraseResultWords, answer, "result", "DELETED");
  });
}

Result<Stored> KeyValueCalls::invert(std::string_view key) {
  Message command = command_on(table_, "NOT");
  set_key(command, "key", key);
  return then(call_changing(connection_, command), KeyValue::stored_of);
}

Result<Stored> KeyValueCalls::truncate(std::string_view key, std::uint64_t size) {
  Message command = command_on(table_, "TRUNCATE");
  set_key(command, "key", key);
  command.set("size", Value::of_unsigned(size));
  return then(call_changing(connection_, command), KeyValue::stored_of);
}

Result<Stored> KeyValueCalls::rename(std::string_view key, std::string_view new_key, bool overwrite) {
  Message command = command_on(table_, "RENAME");
  set_key(command, "key", key);
  set_key(command, "new_key", new_key);
  set_flag(command, "overwrite", overwrite);
  return then(call_changing(connection_, command), KeyValue::stored_of);
}

Result<Stored> KeyValueCalls::alias(std::string_view key, std::string_view new_key) {
  Message command = command_on(table_, "ALIAS");
  set_key(command, "key", key);
  set_key(command, "new_key", new_key);
  return then(call_changing(connection_, command), KeyValue::stored_of);
}

Result<TimeMs> KeyValueCalls::lock(std::string_view key, DurationMs lock) {
  Message command = command_on(table_, "LOCK");
  set_key(command, "key", key);
  command.set_integer("lock", lock.value);
  return then(connection_.call(command), [](Message const& answer) -> Result<TimeMs> {
    return TimeMs{date(answer, "lock_end")};
  });
}

Status KeyValueCalls::unlock(std::string_view key) {
  Message command = command_on(table_, "UNLOCK");
  set_key(command, "key", key);
  return connection_.call(command).status();
}

}  // namespace fastjournal::client
