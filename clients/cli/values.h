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

// `500ms`, `10s`, `5m`, `2h`, `3d`, and `0`, which alone needs no unit; not negative, at most 100 years.
[[nodiscard]] Result<DurationMs> parse_duration(std::string_view text);

// `+DURATION` from now; `2026-11-21`, `2026-11-21T12:00`, `...:00`, `...:00.250`, followed by `Z` (UTC, as without) or
// an offset `+01:00`, a blank in place of the T; milliseconds since 1970, not seconds; `now`.
[[nodiscard]] Result<client::Date> parse_date(std::string_view text);
// The same, or `never`.
[[nodiscard]] Result<client::Date> parse_expiration(std::string_view text);

// `name=value`; `name=@FILE` is the file's bytes, `name=@-` what `in` has to its end, `name=@@...` a value that
// begins with one @. The former is text, the latter two binary: Buffers::encode makes of it what the column takes. The
// views point into `arena`.
[[nodiscard]] Result<Param> parse_column(std::string_view word, std::istream& in, Arena& arena);

// Sets what one JSON object says on `insert`: columns, and INSERT's other parameters by their names (dates may
// be spelled as for parse_date). null is absent; arrays and objects are refused. Strings are text: Buffers::encode.
[[nodiscard]] Status parse_json_row(std::string_view line, Message& insert);

// Sets `name` as the protocol writes dates.
void set_date(Message& message, std::string_view name, client::Date const& date);

}  // namespace fastjournal::cli
