// How answers look: as a table for a person, as one JSON object a line for a
// program. Pure, apart from everything else that the command line does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"

namespace fastjournal::cli {

struct Look {
  bool json{false};
  bool terminal{false};   // bold heads, and cells cut so that a line fits
  std::size_t width{80};  // of the terminal
};

// Control characters escaped, and bytes that are no UTF-8: nothing that a row carries may steer the terminal, and one bad
// byte hides nothing else.
[[nodiscard]] std::string printable(std::string_view text);

// One line a record under a line of names, numbers to the right; empty for no
// records. Dates are written as such; control characters are escaped. What only steers the conversation
// (request, left, after) and `hidden` is left out.
[[nodiscard]] std::string render_table(std::span<Message const> records, Look const& look,
                                       std::string_view hidden = {});

// One parameter a line, for a record with many.
[[nodiscard]] std::string render_sheet(Message const& record);

// One line `COMMAND name=value ...`, for what is watched.
[[nodiscard]] std::string render_line(Message const& record);

// The parameters as one JSON object and a LF, without request, left and after: numbers as numbers, bytes as `put
// --lines` reads them (their text if they are UTF-8, else "base64:..."); `with_command` adds the member "command".
[[nodiscard]] std::string render_json(Message const& record, bool with_command = false);

}  // namespace fastjournal::cli
