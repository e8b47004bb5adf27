// The rows of `put --from` that are refused. Their file has them as they were in the input, byte for byte and with the
// header of CSV first, so that it is edited and put again like any other input. The reasons are in another file beside
// it: in the same one they would have to be told apart from rows, and any line may be a row.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "clients/programs/fastjournal/call.h"
#include "clients/programs/fastjournal/record_reader.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// Of the file of reasons: the name of the other one, and this.
inline constexpr std::string_view kReasonsSuffix{".reasons"};

// Whether a refusal is due to this row only, so that the others may be tried.
[[nodiscard]] bool is_about_the_row(Code code);

class RefusedRows {
 public:
  // `call` must outlive it.
  explicit RefusedRows(Call& call) : call_(call) {}

  struct Sizes {
    std::uint64_t rows{0};
    std::uint64_t reasons{0};
  };

  // Where rows go, behind what is there. bad_parameter: there is another CSV in that file.
  [[nodiscard]] Status begin(std::string file, std::string header);
  // Drops what is behind these sizes: rows that a continued run will refuse again. io_error.
  [[nodiscard]] Status cut(Sizes sizes);
  // Before a state counts the rows. io_error.
  [[nodiscard]] Status sync();
  // io_error. The reason is also told, the first 100 times.
  [[nodiscard]] Status add(Record const& row, Status const& why);
  [[nodiscard]] std::string const& file() const { return file_; }
  [[nodiscard]] Sizes sizes() const { return sizes_; }

 private:
  [[nodiscard]] Status open();

  Call& call_;
  std::string file_;
  std::string header_;
  std::ofstream rows_;
  std::ofstream reasons_;
  Sizes sizes_;
  std::uint64_t told_{0};
  bool is_unsynced_{false};
};

// "refused.jsonl" and so on: the end of a file's name.
[[nodiscard]] std::string_view ending_of(RowFormat format);

}  // namespace fastjournal::cli
