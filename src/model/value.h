// One value for one column: a message's value (text, or a typed value of msgpack and JSON) becomes a Cell of the
// column's type, or an error with the column, the value found and the values expected. The codecs of keys and rows, and
// the defaults in the configuration, all use this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fastjournal/declaration.h"
#include "fastjournal/extent.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// The limit of a row's encoded data.
inline constexpr std::size_t kRowBytesMax = std::size_t{16} << 20U;

// The representation of a type's values.
enum class CellKind : std::uint8_t { none, integer, unsigned_integer, real, bytes };

// bool, char and the unsigned integers are unsigned_integer; dates are integer; void is none.
[[nodiscard]] CellKind kind_of(ColumnType type);

// The limits in force for a column: those of its type, narrowed by its own. By kind_of(type): signed integers use `low`
// and `high`, unsigned ones the other pair. In the Column, value_min and value_max hold the bits of the type's kind:
// value_max of a signed column may be negative, value_min of a uint64 column above INT64_MAX.
struct IntegerLimits {
  std::int64_t low{0};
  std::int64_t high{0};
  std::uint64_t unsigned_low{0};
  std::uint64_t unsigned_high{0};
};
[[nodiscard]] IntegerLimits limits_of(Column const& column);

// The first of its spellings in XML: "int32", "time_ms".
[[nodiscard]] std::string_view name_of(ColumnType type);
// Accepts every spelling; empty for any other name.
[[nodiscard]] std::optional<ColumnType> type_of_name(std::string_view name);

// A checked value of a column. kind_of(type) tells which member is used.
struct Cell {
  std::int64_t integer{0};
  std::uint64_t unsigned_integer{0};
  double real{0};            // finite, never -0.0; exactly representable as float for a float column
  std::string_view bytes{};  // borrowed from the value, or from `scratch` of parse_value
  bool is_outside{false};    // of strings and buffers: the bytes are outside the log, and `bytes` is their place
};

// The place of a value outside the log, as cells and rows have it: file 4, begin 8, length 8, hash 8 bytes.
inline constexpr std::size_t kPlaceBytes = 28;
void append_place(Extent const& extent, std::string& out);
// Of kPlaceBytes bytes.
[[nodiscard]] Extent place_of(std::string_view bytes);

// Checks type and limits. A buffer given as base64 text is decoded into `scratch`, and the cell points there; otherwise
// `scratch` is unused. bad_parameter or too_large; the status has the fact parameter=NAME.
[[nodiscard]] Status parse_value(Column const& column, Value const& value, std::string& scratch, Cell& out);

// Checks the column's limits only, for a cell of its type: the result of a sum or an append.
[[nodiscard]] Status check_limits(Column const& column, Cell const& cell);

// Whether the declaration is consistent: limits within the type and in the right order, a merge rule that suits the
// type, a default that meets all of it. bad_configuration with the reason if not.
[[nodiscard]] Status check_column(Column const& column);

// The double with the float's decimal spelling: 0.1f becomes 0.1, not 0.10000000149011612.
[[nodiscard]] double as_written(float value);

// Whether messages show the type's values as text: whole numbers, booleans, dates, characters and strings.
[[nodiscard]] bool has_text(ColumnType type);
// That text; borrows from the cell or from `scratch`. Requires has_text(type).
[[nodiscard]] std::string_view text_of(ColumnType type, Cell const& cell, std::string& scratch);

// For messages: quoted, at most 40 bytes, control characters and invalid bytes as \xNN, "..." if cut.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace fastjournal::model
