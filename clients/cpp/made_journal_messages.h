// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
// clang-format off
// Options as parameters of commands, and words of enums. Internal to the library.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/made_journal.h"

namespace fastjournal::client {

inline constexpr std::array<std::string_view, 7> kPutResultWords{"inserted", "merged", "behind", "duplicate", "stale",
    "expired", "unique"};

inline void set_options(Message& command, PutOptions const& options) {
  set_number(command, "priority", options.priority);
  set_date(command, "process_date", options.process_date);
  set_date(command, "expiration_date", options.expiration_date);
  set_date(command, "insertion_date", options.insertion_date);
  set_if_any(command, "client", options.client);
  set_number(command, "sequence", options.sequence);
  set_if_any(command, "after", options.after);
  set_if_any(command, "after_keys", options.after_keys);
  set_if_any(command, "when_failed", options.when_failed);
  set_if_any(command, "group", options.group);
  set_if_any(command, "after_group", options.after_group);
  set_if_any(command, "after_group_is", options.after_group_is);
  set_if_any(command, "tags", options.tags);
  set_number(command, "max_attempts", options.max_attempts);
  set_if_any(command, "back_off", options.back_off);
  set_span(command, "lease", options.lease);
  set_span(command, "unique_for", options.unique_for);
}

inline void set_options(Message& command, NextOptions const& options) {
  command.set_integer("count", options.count);
  set_span(command, "lease", options.lease);
  set_span(command, "wait", options.wait);
  set_if_any(command, "domain", options.domain);
  set_if_any(command, "worker", options.worker);
}

inline void set_options(Message& command, ReleaseOptions const& options) {
  set_date(command, "process_date", options.process_date);
  set_error(command, "error", options.error, 1024);
  set_error(command, "error_trace", options.error_trace, 65536);
  set_error(command, "error_class", options.error_class, 128);
  set_truth(command, "failed", options.failed);
}

inline void set_options(Message& command, WhichRows const& options) {
  set_number(command, "row", options.row);
  set_columns(command, options.columns);
}

inline void set_options(Message& command, RowFilter const& options) {
  set_if_any(command, "status", options.status);
  set_if_any(command, "domain", options.domain);
  set_if_any(command, "prefix", options.prefix);
  set_if_any(command, "error", options.error);
  set_if_any(command, "error_class", options.error_class);
  set_if_any(command, "tag", options.tag);
}

inline Row row_from(Message const& message) {
  Row out;
  out.table = message.text("table");
  out.row = number(message, "row");
  out.epoch = number(message, "epoch");
  out.columns = columns_in(message, is_row_parameter);
  out.priority = static_cast<std::uint8_t>(number(message, "priority"));
  out.process_date = date(message, "process_date");
  out.insertion_date = date(message, "insertion_date");
  out.lease_end = date(message, "lease_end");
  out.timeouts = number(message, "timeouts");
  out.attempts = number(message, "attempts");
  out.omitted = message.text("omitted");
  out.status = message.text("status");
  out.worker = message.text("worker");
  out.error = message.text("error");
  out.error_trace = message.text("error_trace");
  out.merges = number(message, "merges");
  out.expiration_date = date_if_any(message, "expiration_date");
  out.accepted_date = date_if_any(message, "accepted_date");
  return out;
}

}  // namespace fastjournal::client
