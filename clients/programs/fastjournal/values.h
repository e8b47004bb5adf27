// Converts typed dates, durations and column values to the daemon's form. Apart from the options so that each spelling
// can be tested.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "clients/cpp/journal.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::cli {

// `500ms`, `10s`, `5m`, `2h`, `3d`, or `0`, the only one without a unit; not negative, at most 100 years.
[[nodiscard]] Result<DurationMs> parse_duration(std::string_view text);

// `+DURATION` from now; `2026-11-21`, `2026-11-21T12:00`, `...:00`, `...:00.250`, optionally with `Z` (UTC, the
// default) or an offset `+01:00`, and a blank instead of T; milliseconds since 1970, not seconds; `now`.
[[nodiscard]] Result<client::Date> parse_date(std::string_view text);
// The same, or `never`.
[[nodiscard]] Result<client::Date> parse_expiration(std::string_view text);

// `name=value`; `name=@FILE` is the contents of the file, `name=@-` the rest of `in`, `name=@@...` a value that begins
// with one @. A plain value is text, the contents of a file or of `in` are binary; Buffers::encode converts them for
// the column. The views point into `arena`.
[[nodiscard]] Result<Param> parse_column(std::string_view word, std::istream& in, Arena& arena);
// The same, as a parameter of `message`.
[[nodiscard]] Status add_column(Message& message, std::string_view word, std::istream& in);

// The contents of the file, or the rest of `in` for "-".
[[nodiscard]] Result<std::string> file_bytes(std::string_view name, std::istream& in);

// Sets `name` in the protocol's form of dates.
void set_date(Message& message, std::string_view name, client::Date const& date);

}  // namespace fastjournal::cli
