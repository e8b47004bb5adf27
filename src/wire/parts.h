// The characters of a message's parts, and their form in errors: one rule for text, JSON and msgpack, so that a message
// accepted in one form can be passed on in another. Internal to protocol/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::protocol {

// Character classes, one bit each.
inline constexpr std::uint8_t kNameFirst = 1;    // [A-Za-z_]
inline constexpr std::uint8_t kNameRest = 2;     // [A-Za-z0-9_]
inline constexpr std::uint8_t kBlank = 4;        // trimmed at both ends of a line
inline constexpr std::uint8_t kHeadEnd = 8;      // NUL, LF, space, ':': not in any part of the routing
inline constexpr std::uint8_t kSlash = 16;       // '/': not in a server, service or command
inline constexpr std::uint8_t kEscaped = 32;     // in a value: '\', LF, CR
inline constexpr std::uint8_t kUnwritable = 64;  // in a value: NUL

inline constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> out{};
  auto const add = [&out](char c, int what) {
    std::uint8_t& entry = out[static_cast<std::uint8_t>(c)];
    entry = static_cast<std::uint8_t>(entry | what);
  };
  for (char c = 'A'; c <= 'Z'; ++c) add(c, kNameFirst | kNameRest);
  for (char c = 'a'; c <= 'z'; ++c) add(c, kNameFirst | kNameRest);
  for (char c = '0'; c <= '9'; ++c) add(c, kNameRest);
  add('_', kNameFirst | kNameRest);
  for (char c : {' ', '\t', '\n', '\v', '\f', '\r'}) add(c, kBlank);
  for (char c : {'\0', '\n', ' ', ':'}) add(c, kHeadEnd);
  add('/', kSlash);
  for (char c : {'\\', '\n', '\r'}) add(c, kEscaped);
  add('\0', kUnwritable);
  return out;
}();

[[nodiscard]] inline bool is(char c, int classes) { return (kClasses[static_cast<std::uint8_t>(c)] & classes) != 0; }

[[nodiscard]] inline bool has_any(std::string_view bytes, int classes) {
  for (char const c : bytes)
    if (is(c, classes)) return true;
  return false;
}

// Whether all eight bytes are kNameRest, tested together: sums within each byte set its high bit.
[[nodiscard]] inline bool are_of_name(std::uint64_t eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  auto const within = [](std::uint64_t bytes, std::uint64_t low, std::uint64_t high) {
    return (bytes + kOnes * (0x80 - low)) & ~(bytes + kOnes * (0x7F - high));
  };
  std::uint64_t const low_bits = eight & ~kHighs;
  std::uint64_t const found =
      within(low_bits | kOnes * 0x20, 'a', 'z') | within(low_bits, '0', '9') | within(low_bits, '_', '_');
  return (found & ~eight & kHighs) == kHighs;
}

// [A-Za-z_][A-Za-z0-9_]*
[[nodiscard]] inline bool is_parameter_name(std::string_view name) {
  if (name.empty() || !is(name.front(), kNameFirst)) return false;
  std::size_t const size = name.size();
  char const* const end = name.data() + size;
  if (size >= 8) {
    // The last eight may overlap the eight before.
    for (char const* at = name.data(); at < end - 8; at += 8)
      if (!are_of_name(load_little<std::uint64_t>(at))) return false;
    return are_of_name(load_little<std::uint64_t>(end - 8));
  }
  if (size >= 4)
    return are_of_name(std::uint64_t{load_little<std::uint32_t>(name.data())} << 32U |
                       load_little<std::uint32_t>(end - 4));
  for (char const c : name)
    if (!is(c, kNameRest)) return false;
  return true;
}

// For an error's sentence: in quotes, at most 40 bytes, with '?' for everything but printable ASCII.
[[nodiscard]] std::string excerpt(std::string_view bytes);

// Whether a message being parsed can take a parameter of this name: there are at most kParamsMax.
[[nodiscard]] inline bool has_room_for(Message const& message, std::string_view name) {
  return message.params().size() < Message::kParamsMax || message.has(name);
}
[[nodiscard]] Status too_many_parameters();

// Sets a parameter of a message being parsed. False, with the reason in `status`, if the name is invalid or there are
// too many parameters. No returned Status: this runs once per parameter, and moving a Status costs more than the rest.
[[nodiscard]] bool set_parameter(Message& message, std::string_view name, Value const& value, Status& status);

// Whether the text form can express the routing and the command, and there is a command.
[[nodiscard]] Status check_head(Message const& message);

// Undoes the escapes \\ \n \r and, where `quoted`, \" ; any other backslash is kept. The result is in the arena, or is
// `value` itself if it has no backslash.
[[nodiscard]] std::string_view unescape(std::string_view value, bool quoted, Arena& arena);

}  // namespace fastjournal::protocol
