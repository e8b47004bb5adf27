// Parameters of a message as the numbers they must be, or an error that names
// the parameter, what was given and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::journal {

// Reads the parameters of one command; the first error stays.
class Parameters {
 public:
  explicit Parameters(Message const& message) : message_(message) {}

  [[nodiscard]] bool has(std::string_view name) const { return message_.has(name); }
  // The whole number, within [min, max]; `absent` if there is none.
  std::int64_t integer(std::string_view name, std::int64_t absent, std::int64_t min, std::int64_t max);
  std::uint64_t unsigned_integer(std::string_view name, std::uint64_t absent);
  // Milliseconds since 1970, or `+N`: N ms after now. What looks like seconds is refused.
  std::int64_t date(std::string_view name, std::int64_t absent, std::int64_t now);
  // At most `bytes_max` bytes.
  std::string_view text(std::string_view name, std::size_t bytes_max);
  // The row parameter, or LeaseEpoch's one integer.
  ObjectId row() { return ObjectId{unsigned_integer("row", 0)}; }
  LeaseEpoch epoch() { return LeaseEpoch{unsigned_integer("epoch", 0)}; }

  void refuse(Code code, std::string_view name, std::string text);
  [[nodiscard]] bool ok() const { return status_.ok(); }
  [[nodiscard]] Status take_status() { return std::move(status_); }

 private:
  void refuse_value(std::string_view name, Value const& value, std::string const& expected);

  Message const& message_;
  Status status_;
};

}  // namespace fastjournal::journal
