// What a person types as dates, durations and column values, turned into what
// the daemon takes. Apart from the options so that each spelling can be tested.
#pragma once

#include <iosfwd>
#include <string_view>

#include "clients/lib/journal.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::cli {

// `500` and `500ms`, `10s`, `5m`, `2h`, `3d`; not negative, at most 100 years.
[[nodiscard]] Result<DurationMs> parse_duration(std::string_view text);

// `+DURATION` from now; `2026-11-21`, `2026-11-21T12:00`, `...:00`, `...:00.250`, with or without `Z`, always
// UTC, a blank in place of the T; milliseconds since 1970; `now`; `never`.
[[nodiscard]] Result<client::Date> parse_date(std::string_view text);

// `name=value`; `name=@FILE` is the file's bytes, `name=@-` what `in` has to its
// end, `name=@@...` a value that begins with one @. Files are binary, which suits string and buffer columns
// alike, unless `as_text`: a text message would carry them as base64. The views point into `arena`.
[[nodiscard]] Result<Param> parse_column(std::string_view word, std::istream& in, Arena& arena, bool as_text);

// Sets what one JSON object says on `insert`: columns, and INSERT's other parameters by their names (dates may
// be spelled as for parse_date). null is absent; arrays and objects are refused.
[[nodiscard]] Status parse_json_row(std::string_view line, Message& insert);

// Sets `name` as the protocol writes dates.
void set_date(Message& message, std::string_view name, client::Date const& date);

}  // namespace fastjournal::cli
