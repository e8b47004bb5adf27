// Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.
// clang-format off
// Options as parameters of commands, and words of enums. Internal to the library.
#pragma once

#include <array>
#include <string_view>

#include "clients/cpp/answers.h"
#include "clients/cpp/error_text.h"
#include "clients/cpp/made_documents.h"

namespace fastjournal::client {

inline constexpr std::array<std::string_view, 6> kDocumentChangeWords{"", "new", "changed", "resume", "processing",
    "unchanged"};

inline void set_options(Message& command, FoundOptions const& options) {
  if (!options.hand_out) command.set_integer("hand_out", 0);
  set_flag(command, "dry_run", options.dry_run);
  set_flag(command, "gone", options.gone);
  set_span(command, "lease", options.lease);
  set_if_any(command, "worker", options.worker);
}

inline void set_options(Message& command, NextDocuments const& options) {
  set_if_any(command, "source", options.source);
  set_if_any(command, "destination", options.destination);
  command.set_integer("count", options.count);
  set_span(command, "lease", options.lease);
  set_span(command, "wait", options.wait);
  set_if_any(command, "worker", options.worker);
}

inline void set_options(Message& command, FailedOptions const& options) {
  set_error(command, "error", options.error, 1024);
  set_flag(command, "permanent", options.permanent);
  set_error(command, "error_trace", options.error_trace, 65536);
}

inline void set_options(Message& command, ShownDocuments const& options) {
  set_if_any(command, "status", options.status);
  set_if_any(command, "source", options.source);
  set_if_any(command, "destination", options.destination);
  set_number(command, "version", options.version);
}

inline void set_options(Message& command, ShownDestinations const& options) {
  set_if_any(command, "destination", options.destination);
  set_if_any(command, "source", options.source);
  set_number(command, "version", options.version);
}

inline void set_options(Message& command, ShownEvents const& options) {
  set_number(command, "document", options.document);
  set_flag(command, "children", options.children);
}

inline void set_options(Message& command, DocumentFilter const& options) {
  set_number(command, "document", options.document);
  set_if_any(command, "source", options.source);
  set_if_any(command, "destination", options.destination);
  set_if_any(command, "class", options.kind);
  set_if_any(command, "status", options.status);
  set_flag(command, "all", options.all);
  set_flag(command, "dry_run", options.dry_run);
}

}  // namespace fastjournal::client
