// The files of a list system: its producers append lines to the file of the current hour, 0.msg to 23.msg (UTC), as in
//
//   priority=20;key_start_date=1540000010000000;uri=http://example.com/page
//
// A line is the parameters of a message; which one, such as LISTDATA, the forwarder is told. A table of the daemon
// declares it as an alias (doc/table-reference.md). A line that was settled is overwritten with LF. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "clients/spool/core/record.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::spool {

// Without its LF. What is longer is damage.
inline constexpr std::size_t kLineBytesMax = std::size_t{64} << 10U;

// The first line at or behind `from`, as find_record: `body` is the line without its LF. LF and zeros between lines are
// nothing; a last line without a LF is unfinished, or damage once there are no writers.
[[nodiscard]] Found find_line(std::string_view bytes, std::size_t from, bool is_settled);

// The message of a line, and its frame's body in `frame`. `row` owns its bytes. invalid: it is no list of parameters, or
// has some that the forwarder sets.
[[nodiscard]] Status read_line(std::string_view line, std::string_view command, Message& row, std::string& frame);

}  // namespace fastjournal::spool
