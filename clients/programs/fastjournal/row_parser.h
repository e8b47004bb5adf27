// A record of record_reader.h as parameters of an INSERT: columns, and priority, process_date,
// expiration_date, insertion_date, client and sequence by these names. Dates have the spellings of parse_date.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/record_reader.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

class RowParser {
 public:
  explicit RowParser(RowFormat format) : format_(format) {}

  // The header of CSV, before the first row. bad_parameter: it names no columns, or one twice.
  [[nodiscard]] Status set_header(std::string_view header);

  // Sets what the record has; views into it, or into the arena of `insert`. bad_parameter, or too_large for more than
  // Message::kParamsMax; `insert` may then have a part of it.
  //   JSON   null is absent; arrays and objects are refused; numbers and booleans keep their kind
  //   CSV    an empty value without quotes is absent; all others are text
  //   lines  all values are text
  // Text is as typed: Buffers::encode converts it. A row as the daemon shows it (with `row`) is taken without what
  // only describes it: its table, status, attempts, ...
  [[nodiscard]] Status parse(std::string_view record, Message& insert);

 private:
  [[nodiscard]] Status parse_csv(std::string_view record, Message& insert);
  [[nodiscard]] Status parse_parameters(std::string_view record, Message& insert);

  RowFormat format_;
  std::vector<std::string> columns_;  // of the header
  std::vector<Value> fields_;         // of one record; kept for their memory
  Message line_;
};

}  // namespace fastjournal::cli
