// The commands and answers of a blob table as packets tell them: the same for streams and for datagrams.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::blob {

// `command` about this key; the digits are in the message's arena.
void begin_command(std::string_view command, bcdb::Key const& key, Message& message);
// A query of version 1: its sender opens the data file by its name, and is not told which file it is.
void begin_query(bcdb::Key const& key, Message& message);

// An outgoing message, to be looked at.
struct Told {
  explicit Told(Outgoing const& message) : command(message.command), params(message.params) {}

  [[nodiscard]] Value const* find(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] std::uint64_t number(std::string_view name) const;

  std::string_view command;
  std::span<Param const> params;
};

// Of BLOB.
[[nodiscard]] bcdb::Response response_of(Told const& blob, std::uint32_t echo);
// A table that may have two files says so in each BLOB (`files` is 2), also when there is no such blob: its responses have
// flags.
[[nodiscard]] inline bool has_flags(Told const& blob) { return blob.number("files") == 2; }
// Of BLOB, STORED and ATTACHED: all but op and echo.
[[nodiscard]] bcdb::Reply reply_of(Told const& answer);
// Why there is none.
[[nodiscard]] bcdb::Reply failure_of(Code code, std::string_view message);

}  // namespace fastjournal::blob
