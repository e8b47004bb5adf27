// Rows in a file or on standard input, cut into records. A record is a line; of CSV it may span several, as values in
// quotes may have newlines. What a record says is in row_parser.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::cli {

enum class RowFormat : std::uint8_t {
  json,   // an object a line
  csv,    // RFC 4180, with a header
  lines,  // name=value;name=value, as text messages have their parameters
};

// Bytes of a file, a pipe, a terminal or, in tests, of a stream.
class InputBytes {
 public:
  // Borrows the stream. Standard input is read by its descriptor, so that it can be waited for beside a socket.
  explicit InputBytes(std::istream& stream);
  // not_found, or io_error with the reason.
  [[nodiscard]] static Result<InputBytes> open(std::string const& path);
  InputBytes(InputBytes&& other) noexcept;
  InputBytes& operator=(InputBytes&&) = delete;
  InputBytes(InputBytes const&) = delete;
  InputBytes& operator=(InputBytes const&) = delete;
  ~InputBytes();

  // Waits for at least one byte. 0: the end.
  [[nodiscard]] Result<std::size_t> read(std::span<char> into);
  // read() would not wait.
  [[nodiscard]] bool is_ready();
  // Becomes readable with the input; -1: it cannot be waited for.
  [[nodiscard]] int fd() const { return fd_; }

 private:
  explicit InputBytes(int fd) : fd_(fd), is_owned_(true) {}

  std::istream* stream_{nullptr};
  int fd_{-1};
  bool is_owned_{false};
};

struct Record {
  std::string_view text;  // without its newline; one that ends in CR LF has the CR
  std::uint64_t line{0};  // of the input, from 1, in which it begins
};

class RecordReader {
 public:
  // A longer record ends the input with an error.
  static constexpr std::size_t kRecordBytesMax = std::size_t{64} << 20U;

  RecordReader(InputBytes bytes, std::optional<RowFormat> format) : bytes_(std::move(bytes)), format_(format) {}

  // Before anything else: reads the first line that is not blank. Without a given format it is JSON if that line begins
  // with {, name=value if it has = before any comma, and CSV otherwise. Of CSV that line is the header.
  [[nodiscard]] Status begin();
  [[nodiscard]] RowFormat format() const { return format_.value_or(RowFormat::json); }
  // Of CSV, with its newline.
  [[nodiscard]] std::string const& header() const { return header_; }

  // Whether next() would return without waiting for input.
  [[nodiscard]] bool is_ready();
  // Nothing: the end. too_large, or io_error: the input cannot be read on. Its view is valid until the next call of
  // next() or is_ready().
  [[nodiscard]] Result<std::optional<Record>> next();
  // Of the lines that next() has returned, and of the header.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] int fd() const { return bytes_.fd(); }

 private:
  // Whether the bytes that are there have a whole record.
  bool find_end();
  void fill();
  [[nodiscard]] std::string_view unread() const { return {buffer_.data() + at_, filled_ - at_}; }
  [[nodiscard]] std::optional<std::string_view> first_line();
  [[nodiscard]] bool opens_quote(std::size_t quote) const;

  InputBytes bytes_;
  std::optional<RowFormat> format_;
  std::string header_;
  std::string buffer_;  // [at_, filled_) is not returned yet
  std::size_t at_{0};
  std::size_t filled_{0};
  std::size_t scanned_{0};           // no end of the record before it
  std::optional<std::size_t> end_;   // of the record at at_: its newline, or filled_ at the end of the input
  bool is_quoted_{false};            // of CSV, at scanned_
  std::size_t quote_end_{SIZE_MAX};  // the last closing quote: one more behind it is a quote in the value
  bool has_ended_{false};
  Status failure_;
  std::uint64_t lines_{0};
};

[[nodiscard]] inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace fastjournal::cli
