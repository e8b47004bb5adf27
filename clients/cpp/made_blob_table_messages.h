// Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.
// clang-format off
// Options as parameters of commands, and words of enums. Internal to the library.
#pragma once

#include "clients/cpp/answers.h"
#include "clients/cpp/key_text.h"
#include "clients/cpp/made_blob_table.h"

namespace fastjournal::client {

inline void set_options(Message& command, StoreOptions const& options) {
  set_hash(command, options.hash);
  set_if_any(command, "content_hash", options.content_hash);
  set_if_any(command, "client", options.client);
  set_number(command, "sequence", options.sequence);
}

inline void set_options(Message& command, BlobPart const& options) {
  set_number(command, "offset", options.offset);
  set_number(command, "length", options.length);
  set_hash(command, options.hash);
}

inline void set_options(Message& command, MaintainOptions const& options) {
  set_span(command, "age", options.age);
  set_number(command, "size", options.size);
  set_span(command, "unreferenced", options.unreferenced);
  set_flag(command, "cancel", options.cancel);
}

}  // namespace fastjournal::client
