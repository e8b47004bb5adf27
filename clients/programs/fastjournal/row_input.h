// The rows that `put --from` names: opened, and in a format that is known. Apart because rows go to a daemon or to a
// spool.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "clients/programs/fastjournal/put.h"
#include "clients/programs/fastjournal/record_reader.h"
#include "clients/programs/fastjournal/row_parser.h"

namespace fastjournal::cli {

struct RowInput {
  RecordReader reader;
  RowParser parser;

  // Has read the beginning. bad_parameter, not_found, io_error.
  [[nodiscard]] static Result<std::unique_ptr<RowInput>> open(PutOptions const& given, std::istream& in);
  // What the rows come from, for a command line that goes on behind this line.
  [[nodiscard]] std::string command_behind(PutOptions const& given, std::string const& table,
                                           std::uint64_t lines) const;
};

// Where refused rows go: --refused, or a file named after `run`. bad_parameter: that is the input.
[[nodiscard]] Result<std::string> refused_file_of(PutOptions const& given, std::string const& table,
                                                  std::string_view run, RowFormat format);

}  // namespace fastjournal::cli
