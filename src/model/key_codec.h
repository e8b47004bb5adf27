// Keys as bytes: the key columns of a table, in the order of row-key, encoded so that comparing the bytes compares the
// keys. Rows are found, compared, sorted and logged by these bytes; the layout below is therefore part of the log's
// format.
//
//   integers, dates   big endian of the type's width, sign bit flipped
//   bool              1 byte; char: 3 bytes, big endian code point
//   float, double     big endian; sign bit flipped, negative ones inverted
//   string, buffer    in the last key column: as they are;
//                     before it: 00 becomes 00 FF, and 00 00 ends it
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// Limit of the encoded bytes, all key columns together.
inline constexpr std::size_t kKeyBytesMax = 1024;

// Appends the key of the message to `out`. An absent key column takes its default. missing_parameter: absent, without a
// default. bad_parameter, too_large: a bad value; also too_large: more than kKeyBytesMax in total. On failure `out` is
// unchanged.
[[nodiscard]] Status encode_key(Schema const& schema, Message const& message, std::string& out);

// The key's columns as parameters of the answer's current message; names are borrowed from the schema.
// `key` must come from encode_key with a schema of the same key columns.
void add_key(Schema const& schema, std::string_view key, Answer& out);

// The value of one key column (index in the schema) as text, as messages show it. False if it is not text, a character,
// a whole number, a boolean or a date. `out` borrows from `key` or `scratch`.
[[nodiscard]] bool key_text(Schema const& schema, std::string_view key, std::size_t column, std::string& scratch,
                            std::string_view& out);

// Appends a prefix of keys: a row's key begins with it if and only if its first key column begins with `text`.
// not_supported: the first key column is not a string.
[[nodiscard]] Status encode_key_prefix(Schema const& schema, std::string_view text, std::string& out);

}  // namespace fastjournal::model
