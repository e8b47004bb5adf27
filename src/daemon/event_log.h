// The daemon's own log for people (not the durable log). The only door to spdlog.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::daemon {

// To standard error if `file` is empty. `level`: trace, debug, info, warn, error, as in spdlog.
[[nodiscard]] Status open_event_log(std::string const& file, std::string_view level);
// Opens the file again by its name, after a log rotation.
[[nodiscard]] Status reopen_event_log();
void log_info(std::string_view text);
void log_warning(std::string_view text);
void log_error(std::string_view text);

}  // namespace fastjournal::daemon
