// The value of a key, with its type.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace fastjournal::client {

// Bytes, where a std::string is text.
struct Buffer {
  std::string bytes;
  friend bool operator==(Buffer const&, Buffer const&) = default;
};

// Its alternatives are in the order of ValueType.
using TypedValue = std::variant<std::monostate, Buffer, std::string, std::int64_t, double, bool>;

}  // namespace fastjournal::client
