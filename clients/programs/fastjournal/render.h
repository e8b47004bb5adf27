// The output form of answers: tables for people, one JSON object per line for programs. Pure, unlike the rest of the
// command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/terminal_text.h"
#include "fastjournal/message.h"

namespace fastjournal::cli {

struct Look {
  bool json{false};
  bool terminal{false};   // bold headings, and cells cut, or columns left out, to fit the width
  std::size_t width{80};  // of the terminal
  bool utc{true};         // dates are in UTC, else in the zone of the reader
};

// One line per record under a heading of names, numbers aligned to the right; empty for no records. Dates are shown as
// dates; control characters are escaped. Parameters of the protocol (request, left, after) and `hidden` are left out.
[[nodiscard]] std::string render_table(std::span<Message const> records, Look const& look,
                                       std::string_view hidden = {});

// A trace, a line each, indented.
[[nodiscard]] std::string trace_lines(std::string_view trace);

// One parameter per line, for a record with many parameters.
[[nodiscard]] std::string render_sheet(Message const& record, Look const& look = {});

// One line `COMMAND name=value ...`, for live output.
[[nodiscard]] std::string render_line(Message const& record, Look const& look = {});

// The parameters as one JSON object and a LF, without request, left and after. Numbers are numbers; bytes are in the
// form read by `put --from` (text if they are UTF-8, else "base64:..."). `with_command` adds the member "command".
[[nodiscard]] std::string render_json(Message const& record, bool with_command = false);

}  // namespace fastjournal::cli
