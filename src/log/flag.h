// Name and lines of a flag file for the watcher of a communicator system. Values in, text out; the rules are those of
// the watcher's reader.
//
//   <flags folder>/<unit>_<section>_<name>.flag
//
// Each part is [a-z][a-z0-9-]*, without "--" and without a "-" at its end.
#pragma once

#include <string>
#include <string_view>

#include "log/alert_book.h"

namespace fastjournal::communicator {

inline constexpr std::string_view kUnit = "fastjournal";
// The section of alerts of the daemon itself.
inline constexpr std::string_view kDaemonSection = "daemon";
// The watcher reads only so many.
inline constexpr std::size_t kFlagsMax = 100;

// A table's name as a section: `_` becomes `-`. A name that would break the rules (`a__b`, `a_`), or that is the
// daemon's own section, gets a hash at its end, so that two tables never share one.
[[nodiscard]] std::string section_of(std::string_view table);

// Who raised it.
struct Origin {
  std::string hostname;
  std::string version;
  std::string unit{kUnit};
};
[[nodiscard]] std::string flag_file_name(log::Alert const& alert, Origin const& origin);

// `name=value` lines; in a value a LF is written `\n`, a backslash `\\`, with a blank behind one that ends it; other
// control characters are blanks. Dates are seconds.
[[nodiscard]] std::string flag_content(log::Alert const& alert, Origin const& origin);

}  // namespace fastjournal::communicator
