// The log of a program for people (not the durable log). The only door to spdlog.
//
// Where standard error is the journal of systemd (JOURNAL_STREAM), each line begins with its priority as in sd-daemon(3)
// instead of the program's name and the level, which the journal knows.
#pragma once

#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::os {

// To standard error, where each line begins with the program's name, if `file` is empty. `level`: trace, debug, info,
// warn, error, as in spdlog.
[[nodiscard]] Status open_event_log(std::string const& program, std::string const& file, std::string_view level);
// Opens the file again by its name, after a log rotation.
[[nodiscard]] Status reopen_event_log();
void log_info(std::string_view text);
void log_warning(std::string_view text);
void log_error(std::string_view text);
// The reason for which a program ends, to standard error, also before there is a log; one line or several.
void print_failure(std::string_view program, std::string_view text);

}  // namespace fastjournal::os
