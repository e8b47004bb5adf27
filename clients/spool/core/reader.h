// The records of a file of rows, one after the other, without a lock and in bounded memory. Erased parts are skipped
// without being read where the file system keeps them as holes. Others may append and erase meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clients/spool/core/record.h"
#include "fastjournal/status.h"

namespace fastjournal::spool {

class RecordReader {
 public:
  // Of an open file, which stays open. `path` is for errors.
  RecordReader(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  struct Record {
    std::string_view body;  // until the next call
    std::uint64_t begin;
    std::uint64_t end;
  };
  // Nothing: no more are whole by now. A file without a head has none.
  [[nodiscard]] Result<std::optional<Record>> next();
  // After the first next(). A file with more than the bytes of a head and without one is damaged at its beginning: its
  // producers write the head first, whole.
  [[nodiscard]] bool has_head() const { return seed_.has_value(); }
  // Of what was passed so far. What a producer may be about to end does not count.
  [[nodiscard]] std::uint64_t damaged_bytes() const { return damaged_bytes_; }

 private:
  [[nodiscard]] Status read_more();

  int const fd_;
  std::string const path_;
  std::optional<Seed> seed_{};
  std::string bytes_{};
  std::uint64_t bytes_at_{0};
  std::size_t from_{0};  // in bytes_
  bool is_at_end_{false};
  std::uint64_t damaged_bytes_{0};
};

}  // namespace fastjournal::spool
