// Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.
// clang-format off
// Options as parameters of commands, and words of enums. Internal to the library.
#pragma once

#include "clients/cpp/answers.h"
#include "clients/cpp/made_daemon.h"

namespace fastjournal::client {

inline void set_options(Message& command, FetchOptions const& options) {
  set_number(command, "from", options.from);
  set_number(command, "to", options.to);
  command.set_integer("count", options.count);
  command.set_integer("bytes", options.bytes);
  set_flag(command, "snapshot", options.snapshot);
  set_if_any(command, "cursor", options.cursor);
}

}  // namespace fastjournal::client
