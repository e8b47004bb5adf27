// A row's data: the columns that are no part of the key, as bytes in memory and
// in the log. Compact and written in one pass, because every insert does it:
//
//   row     = presence value*        of the columns beside the key, in the schema's order
//   presence = one bit a column, lowest first, in whole bytes; 1: a value follows
//   value   = signed integers and dates: zigzag varint; unsigned, char: varint; bool: 1 byte;
//             float: 4, double: 8 bytes, little endian; string, buffer: varint length, bytes;
//             void: nothing
//
// varint: 7 bits a byte, the lowest first, high bit: more follow. The schema
// that wrote the bytes must be the one that reads them: rows name its version.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::model {

// Appends the message's data columns to `out`; absent ones take their default.
// missing_parameter: required, absent and no default; bad_parameter, too_large: the value;
// too_large too: the whole is above kRowBytesMax (value.h). Whatever fails, `out` is as it was.
[[nodiscard]] Status encode_data(Schema const& schema, Message const& message, std::string& out);

// Back as parameters of the answer's current message: strings as text, buffers as binary, integers and dates as
// integer or unsigned, floats as real, bool as 0 or 1. Names are borrowed from the schema.
void add_data(Schema const& schema, std::string_view data, Answer& out);

// The value of one data column (its place in the schema) as text, as messages show it: false if the row has
// none, or it is no text, character, whole number, boolean or date. `out` borrows from `data` or `scratch`.
[[nodiscard]] bool data_text(Schema const& schema, std::string_view data, std::size_t column, std::string& scratch,
                             std::string_view& out);

// Whether `data` is a row of this schema from its first byte to its last: for those who read it from a log.
[[nodiscard]] bool is_data(Schema const& schema, std::string_view data);

// Appends what a merge leaves, by the MergeRule of each column of `schema`: old_data was written
// with old_schema, new_data with schema, and so is the result. A column that is absent in the new
// data is absent after replace and stays after the other rules. An old column of another type counts
// as absent. A sum that leaves the type or the limits: bad_parameter; an append, or the
// whole, that is too long: too_large; `out` is then as it was. `out` must be neither of the inputs.
[[nodiscard]] Status merge_data(Schema const& old_schema, std::string_view old_data, Schema const& schema,
                                std::string_view new_data, std::string& out);

// The same, told as pieces of both, one behind the other: for rows so large that they are changed where they are. Their
// blocks may grow by a quarter. What was appended is joined at once, not when the row is read, so every view is whole.
class Pieces {
 public:
  // Views of the old data, of the new, and of what is kept here.
  [[nodiscard]] std::vector<std::string_view> const& all() const { return pieces_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_old(std::string_view piece) const {
    return piece.data() >= old_.data() && piece.data() + piece.size() <= old_.data() + old_.size();
  }
  // What is kept of the old data stands in the order that it had.
  [[nodiscard]] bool keeps_order() const;
  // Nothing changes.
  [[nodiscard]] bool is_old_data() const;

 private:
  friend class PieceWriter;
  friend Status merge_pieces(Schema const&, std::string_view, Schema const&, std::string_view, Pieces&);

  std::string_view old_;
  std::string kept_;  // never grows beyond its first room: views stay
  std::vector<std::string_view> pieces_;
  std::size_t size_{0};
};
[[nodiscard]] Status merge_pieces(Schema const& old_schema, std::string_view old_data, Schema const& schema,
                                  std::string_view new_data, Pieces& out);

}  // namespace fastjournal::model
