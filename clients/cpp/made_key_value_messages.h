// Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.
// clang-format off
// Options as parameters of commands, and words of enums. Internal to the library.
#pragma once

#include <array>
#include <string_view>

#include "clients/cpp/answers.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/made_key_value.h"

namespace fastjournal::client {

inline constexpr std::array<std::string_view, 6> kValueTypeWords{"void", "buffer", "string", "integer", "float",
    "boolean"};
inline constexpr std::array<std::string_view, 5> kSetResultWords{"stored", "exists", "mismatch", "stale", "duplicate"};
inline constexpr std::array<std::string_view, 5> kEraseResultWords{"deleted", "absent", "mismatch", "stale",
    "duplicate"};

inline void set_options(Message& command, SetOptions const& options) {
  if (!options.overwrite) command.set_integer("overwrite", 0);
  set_number(command, "if_timestamp", options.if_timestamp);
  if (options.if_value) command.set("if_value", value_of(*options.if_value));
  set_number(command, "timestamp", options.timestamp);
  set_date(command, "expiration_date", options.expires);
  set_span(command, "ttl", options.ttl);
  set_truth(command, "persist", options.persist);
  set_flag(command, "listen", options.watch);
  set_if_any(command, "client", options.client);
  set_number(command, "sequence", options.sequence);
}

inline void set_options(Message& command, GetOptions const& options) {
  if (!options.data) command.set_integer("data", 0);
  set_flag(command, "facts", options.facts);
  set_flag(command, "skip_worked_on", options.skip_worked_on);
  set_span(command, "worked_on", options.worked_on);
  set_date(command, "expiration_date", options.expires);
  set_span(command, "ttl", options.ttl);
  set_flag(command, "listen", options.watch);
}

inline void set_options(Message& command, Range const& options) {
  set_if_any(command, "prefix", options.prefix);
  set_if_any(command, "from", options.from);
  if (options.to) command.set("to", std::string_view{*options.to});
  set_if_any(command, "regex", options.regex);
  if (!options.after.empty()) set_key(command, "after", options.after);
  if (options.page > 0) command.set_integer("count", options.page);
  if (!options.data) command.set_integer("data", 0);
  set_flag(command, "facts", options.facts);
  set_flag(command, "skip_worked_on", options.skip_worked_on);
  set_span(command, "worked_on", options.worked_on);
}

inline void set_options(Message& command, EraseOptions const& options) {
  set_number(command, "if_timestamp", options.if_timestamp);
  set_number(command, "timestamp", options.timestamp);
  set_flag(command, "complete", options.complete);
  set_if_any(command, "client", options.client);
  set_number(command, "sequence", options.sequence);
}

}  // namespace fastjournal::client
