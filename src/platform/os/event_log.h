// The log of a program for people (not the durable log). The only door to spdlog.
//
// Where standard error is the journal of systemd (JOURNAL_STREAM), each line begins with its priority as in sd-daemon(3)
// instead of the program's name and the level, which the journal knows; a line with fields goes to it as an entry that
// has them, as in sd_journal_send(3). Elsewhere fields are left out: all that an operator needs is in the text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::os {

// To standard error, where each line begins with the program's name, if `file` is empty. `level`: trace, debug, info,
// warn, error, as in spdlog.
[[nodiscard]] Status open_event_log(std::string const& program, std::string const& file, std::string_view level);
// Opens the file again by its name, after a log rotation.
[[nodiscard]] Status reopen_event_log();

// For filters of journalctl. The name: capital letters, digits and underscores, FASTJOURNAL_ first. The value: any
// bytes.
struct LogField {
  std::string_view name;
  std::string value;
};
using LogFields = std::initializer_list<LogField>;
void log_info(std::string_view text, LogFields fields = {});
void log_warning(std::string_view text, LogFields fields = {});
void log_error(std::string_view text, LogFields fields = {});
// An entry as the journal takes it in one datagram: lines NAME=value, and for values of any bytes the name, their number
// (8 bytes, little-endian) and they. `priority`: as in syslog(3). Source of the format: JOURNAL_NATIVE_PROTOCOL of systemd.
[[nodiscard]] std::string journal_entry(std::string_view program, int priority, std::string_view text,
                                        LogFields fields);
// The reason for which a program ends, to standard error, also before there is a log; one line or several.
void print_failure(std::string_view program, std::string_view text);

}  // namespace fastjournal::os
