// A value in the spelling of people, from any framing. Apart because the library, the command line and its tables all
// need the same spelling.
#pragma once

#include <charconv>
#include <string>

#include "fastjournal/message.h"

namespace fastjournal::client {

// Text and binary unchanged, numbers in decimal, floats in the shortest exact form, booleans 0 and 1.
[[nodiscard]] inline std::string text_of(Value const& value) {
  switch (value.kind) {
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unsigned_integer: return std::to_string(value.unsigned_integer);
    case Value::Kind::boolean: return value.boolean ? "1" : "0";
    case Value::Kind::real: {
      char digits[32];
      auto const [end, error] = std::to_chars(digits, digits + sizeof digits, value.real);
      return {digits, end};
    }
    case Value::Kind::text:
    case Value::Kind::binary: break;
  }
  return std::string(value.bytes);
}

}  // namespace fastjournal::client
