// A row that no daemon will take as it is, and the way back. Its record is an ASIDE in place of the INSERT:
//
//   code, reason      of the refusal, as in an ERROR (doc/protocol.md); the reason has at most 1 KiB
//   date              when it was set aside, ms since 1970
//   client, sequence  its identity then
//   record            the INSERT as it was saved: the body of its record
//
// A file of such records is a file of rows like any other: the forwarder unwraps what it finds there and sends it, as a
// new row of that file. So rows that were set aside are resent by moving their file among the closing ones, at once.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "clients/spool/core/record.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::spool {

struct Aside {
  std::string_view code{};
  std::string_view reason{};
  std::int64_t date_ms{0};
  std::string_view client{};
  std::int64_t sequence{0};
  std::string_view row{};  // its first kRowBytesMax bytes; more is no row of a producer
};

// Appends its record.
[[nodiscard]] Status append_aside(Aside const& aside, Seed seed, std::string& out);

// What the body of a record holds.
struct Unwrapped {
  bool is_aside{false};
  Aside aside{};           // if so
  std::string_view row{};  // the body of the row itself
};

// Fills `row` with the row, if it can be parsed: views point into the body. Errors: as parse_frame, `invalid` for what
// is no INSERT with a table, `too_large` for what no producer saves; is_aside is right all the same. A line of a list
// system that was set aside has another command: `of_lines`.
[[nodiscard]] Status unwrap(std::string_view body, Message& row, Unwrapped& out, std::string_view of_lines = {});

}  // namespace fastjournal::spool
