// A row's data: the columns outside the key, as bytes in memory and in the log. Compact, and written in one pass,
// because every insert does it:
//
//   row     = presence value*        of the columns beside the key, in the schema's order
//   presence = one bit a column, lowest first, in whole bytes; 1: a value follows
//   value   = signed integers and dates: zigzag varint; unsigned, char: varint; bool: 1 byte;
//             float: 4, double: 8 bytes, little endian; string, buffer: varint length, bytes;
//             void: nothing
//   string, buffer outside the log (Stores): varint kOutside, then its place: file 4, begin 8, length 8, hash 8 bytes
//
// varint: 7 bits a byte, the lowest first; the high bit is set if more bytes follow. Bytes must be read with the schema
// that wrote them; each row names its schema version.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "model/value.h"

namespace fastjournal::model {

// Appends the message's data columns to `out`; absent ones take their default. missing_parameter: required, absent and
// without a default. bad_parameter, too_large: a bad value; also too_large: more than kRowBytesMax (value.h) in total.
// On failure `out` is unchanged.
[[nodiscard]] Status encode_data(Schema const& schema, Message const& message, std::string& out);

// The reverse, as parameters of the answer's current message: strings as text, buffers as binary, integers and dates as
// integer or unsigned, floats as real, bool as 0 or 1. Names are borrowed from the schema. `as`: of values outside the
// log. Returns the bytes of these.
std::uint64_t add_data(Schema const& schema, std::string_view data, Answer& out,
                       StoredValue::As as = StoredValue::As::bytes);

// Places of the values outside the log, in their order, added to `found`.
void find_outside(Schema const& schema, std::string_view data, std::vector<Extent>& found);

// Appends the same row without its values outside the log. False: it has none, and nothing is appended.
[[nodiscard]] bool without_outside(Schema const& schema, std::string_view data, std::string& out);
// Appends a row without any values.
void append_no_data(Schema const& schema, std::string& out);

// The value of one data column (index in the schema) as text, as messages show it. False if it is absent, outside the
// log, or not text, a character, a whole number, a boolean or a date. `out` borrows from `data` or `scratch`.
[[nodiscard]] bool data_text(Schema const& schema, std::string_view data, std::size_t column, std::string& scratch,
                             std::string_view& out);

// The values of the first columns beside the key, as many as `cells` has, in the schema's order: absent ones are null.
// Bytes of outside values are their places. The cells borrow from `data`. False: malformed.
[[nodiscard]] bool read_cells(Schema const& schema, std::string_view data, std::span<std::optional<Cell>> cells);

// Whether `data` is exactly one row of this schema. For data read from a log.
[[nodiscard]] bool is_data(Schema const& schema, std::string_view data);

// Appends the result of a merge, by the MergeRule of each column of `schema`. old_data was written with old_schema;
// new_data and the result use schema. A column that is absent in the new data becomes absent under the rule replace,
// and keeps its old value under the other rules. An old column of another type counts as absent. bad_parameter: a sum
// beyond the type or the limits, or a value outside the log that would have to be compared or appended to. too_large: an append, or the whole row, is too long. On failure `out` is unchanged.
// `out` must not be one of the inputs.
[[nodiscard]] Status merge_data(Schema const& old_schema, std::string_view old_data, Schema const& schema,
                                std::string_view new_data, std::string& out);

// The same result as a sequence of pieces of both inputs, for rows so large that they are changed in place. Their
// blocks may grow by a quarter. Appended text is joined at once, not when the row is read, so every view is whole.
class Pieces {
 public:
  // Views of the old data, of the new data, and of bytes kept here.
  [[nodiscard]] std::vector<std::string_view> const& all() const { return pieces_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_old(std::string_view piece) const {
    return piece.data() >= old_.data() && piece.data() + piece.size() <= old_.data() + old_.size();
  }
  // The pieces of the old data are in their old order.
  [[nodiscard]] bool keeps_order() const;
  // Nothing changes.
  [[nodiscard]] bool is_old_data() const;

 private:
  friend class PieceWriter;
  friend Status merge_pieces(Schema const&, std::string_view, Schema const&, std::string_view, Pieces&);

  std::string_view old_;
  std::string kept_;  // never grows beyond its first capacity: views stay valid
  std::vector<std::string_view> pieces_;
  std::size_t size_{0};
};
[[nodiscard]] Status merge_pieces(Schema const& old_schema, std::string_view old_data, Schema const& schema,
                                  std::string_view new_data, Pieces& out);

}  // namespace fastjournal::model
