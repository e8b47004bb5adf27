// One value against one column: what a message brings (text, or a typed value
// of msgpack and JSON) becomes a Cell of the column's type, or an error that
// names the column, what was found and what was expected. The codecs of keys
// and rows, and the configuration's defaults, all go through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// The most user data that a row may carry, encoded.
inline constexpr std::size_t kRowBytesMax = std::size_t{16} << 20U;

// How values of a type are held and compared.
enum class CellKind : std::uint8_t { none, integer, unsigned_integer, real, bytes };

// void: none; bool, char and the unsigned integers: unsigned_integer; dates: integer.
[[nodiscard]] CellKind kind_of(ColumnType type);

// The limits in force for a column: those of its type, narrowed by its own. By kind_of(type): integers use
// `low` and `high`, unsigned ones the other pair. In the Column, value_min and value_max hold the bits of the type's
// kind: value_max of a signed column may be negative, value_min of a uint64 column above INT64_MAX.
struct IntegerLimits {
  std::int64_t low{0};
  std::int64_t high{0};
  std::uint64_t unsigned_low{0};
  std::uint64_t unsigned_high{0};
};
[[nodiscard]] IntegerLimits limits_of(Column const& column);

// As XML writes it, the first of its spellings: "int32", "time_ms".
[[nodiscard]] std::string_view name_of(ColumnType type);
// Any accepted spelling; nothing for others.
[[nodiscard]] std::optional<ColumnType> type_of_name(std::string_view name);

// A value of a column, checked. Which member counts is said by kind_of(type).
struct Cell {
  std::int64_t integer{0};
  std::uint64_t unsigned_integer{0};
  double real{0};            // finite, never -0.0; a float column's is exactly a float
  std::string_view bytes{};  // borrowed from the value, or from `scratch` of parse_value
};

// Checks type and limits. `scratch` takes the bytes of a buffer that came as base64 text, and the cell points
// there; nothing else uses it. bad_parameter or too_large; the status carries parameter=NAME.
[[nodiscard]] Status parse_value(Column const& column, Value const& value, std::string& scratch, Cell& out);

// The column's limits alone, for a cell of its type: what a sum or an append came to.
[[nodiscard]] Status check_limits(Column const& column, Cell const& cell);

// Whether the declaration makes sense by itself: limits that the type can hold and in the right order, a merge rule
// that suits the type, a default that fits all of it. bad_configuration with the reason if not.
[[nodiscard]] Status check_column(Column const& column);

// The double that is written like the float: 0.1f as 0.1 and not as 0.10000000149011612.
[[nodiscard]] double as_written(float value);

// Whole numbers, booleans, dates, characters and strings are known by a text, the one that messages show.
[[nodiscard]] bool has_text(ColumnType type);
// That text; borrows from the cell or from `scratch`. The type must have one.
[[nodiscard]] std::string_view text_of(ColumnType type, Cell const& cell, std::string& scratch);

// Writes a code point as UTF-8; returns how many of the four bytes it took.
std::size_t store_utf8(std::uint32_t point, char (&to)[4]);

// Valid UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);

// For messages: quoted, at most 40 bytes, control characters and broken bytes as \xNN, "..." where it was cut.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace fastjournal::model
