// The frames of the FJ protocol (doc/fj-protocol.md), and their bytes: requests of clients, replies of the daemon.
// Pure; for the plugin `keyvalue`, and for clients.
//
// Numbers of the header are big endian, values are opaque bytes.
//
//   request  'F' 'J', version 2, function 2, identifier 2, flags 2, timestamp 8,
//            [timeout 8], [count 2], key, [upper key], [value]
//   reply    'J' 'R', version 2, identifier 2, flags 2, timestamp 8,
//            [timeout 8], [count 2], [error], [cursor], pairs, each a key and a value
//
// A key, an error and a cursor is its size (1 or 2 bytes) and its bytes; a value is its size (1, 2 or 4 bytes), which
// counts the type, its type (1 byte) and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastjournal::fj {

// Its name in configurations, and in ALPN.
inline constexpr std::string_view kProtocol = "fj";

inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kRequestHeadBytes = 18;
inline constexpr std::size_t kReplyHeadBytes = 16;

enum class Function : std::uint16_t {
  nop = 0,
  quit = 1,
  set = 2,
  get = 3,
  remove = 4,
  add = 5,
  negate = 6,
  truncate = 7,
  lock = 8,
  unlock = 9,
  rename = 10,
  alias = 11,
};
inline constexpr std::uint16_t kFunctions = 12;
[[nodiscard]] std::string_view name_of(Function function);  // NOP, QUIT, SET, GET, DELETE, ...

// Bits of the flags of both, and of each.
namespace flag {
inline constexpr std::uint16_t kWideKey = 1U << 0U;  // sizes of keys have 2 bytes
inline constexpr unsigned kValueShift = 1;           // 2 bits: no value, sizes of 1, 2 or 4 bytes
inline constexpr std::uint16_t kValueMask = 3U << kValueShift;
inline constexpr std::uint16_t kTimeout = 1U << 3U;

inline constexpr std::uint16_t kUpdateTimeout = 1U << 4U;
inline constexpr std::uint16_t kOverwrite = 1U << 5U;
inline constexpr std::uint16_t kWorkedOn = 1U << 6U;
inline constexpr unsigned kQueryShift = 7;  // 2 bits
inline constexpr std::uint16_t kQueryMask = 3U << kQueryShift;
inline constexpr std::uint16_t kPersist = 1U << 9U;
inline constexpr std::uint16_t kData = 1U << 10U;
inline constexpr std::uint16_t kListen = 1U << 11U;
inline constexpr std::uint16_t kPersistToo = 1U << 12U;
inline constexpr std::uint16_t kTtl = 1U << 13U;

inline constexpr std::uint16_t kCount = 1U << 4U;
inline constexpr std::uint16_t kError = 1U << 5U;
inline constexpr std::uint16_t kLocked = 1U << 6U;
inline constexpr std::uint16_t kMarked = 1U << 7U;  // somebody works on it
inline constexpr std::uint16_t kNotice = 1U << 8U;
inline constexpr std::uint16_t kStale = 1U << 9U;
inline constexpr std::uint16_t kOfReplies = 0x03FFU;  // all others are zero
}  // namespace flag

enum class Query : std::uint8_t { key = 0, range = 1, regex = 2, cursor = 3 };

// Types of values.
enum class Type : std::uint8_t { nothing = 0, buffer = 1, string = 2, integer = 3, real = 4, boolean = 5 };
inline constexpr std::uint8_t kTypes = 6;
[[nodiscard]] std::string_view name_of(Type type);  // void, buffer, string, integer, float, boolean

struct TypedValue {
  std::uint8_t type{0};  // as sent: perhaps none of Type
  std::string_view bytes{};
};

// Views are into the bytes that it was read from, or those of the writer.
struct Request {
  std::uint16_t function{0};
  std::uint16_t identifier{0};
  std::uint16_t flags{0};  // without those of sizes and of the timeout, which follow from the rest when it is written
  std::uint64_t timestamp{0};
  std::optional<std::uint64_t> timeout{};
  std::uint16_t count{0};  // of a range
  std::string_view key{};
  std::string_view upper{};  // of a range, RENAME, ALIAS
  std::optional<TypedValue> value{};

  [[nodiscard]] bool has(std::uint16_t bit) const { return (flags & bit) != 0; }
  [[nodiscard]] Query query() const { return static_cast<Query>((flags & flag::kQueryMask) >> flag::kQueryShift); }
  void set_query(Query query) {
    flags = static_cast<std::uint16_t>((flags & ~flag::kQueryMask) | static_cast<unsigned>(query) << flag::kQueryShift);
  }
  [[nodiscard]] bool has_upper() const;
};

struct Pair {
  std::string_view key{};
  std::optional<TypedValue> value{};  // all pairs of a reply have one, or none
};
struct Reply {
  std::uint16_t identifier{0};
  std::uint16_t flags{0};  // without those of sizes, the timeout, the count and the error
  std::uint64_t timestamp{0};
  std::optional<std::uint64_t> timeout{};
  std::optional<std::string_view> error{};
  // Set: a reply with a count and a cursor. Else it has one pair at most.
  std::optional<std::string_view> cursor{};
  std::vector<Pair> pairs{};

  [[nodiscard]] bool has(std::uint16_t bit) const { return (flags & bit) != 0; }
};

// The front of some bytes.
struct Cut {
  enum class Kind : std::uint8_t {
    need_more,  // `bytes`: so many at least
    whole,      // `bytes`: of the frame
    broken,     // `bytes`: of the frame, if its end is known; 0: it is not. `problem` names the field
  };
  Kind kind{Kind::need_more};
  std::uint64_t bytes{0};
  std::string problem{};
  // As far as it could be read: of a whole one all of it.
  std::uint16_t identifier{0};
};

// A frame of more than `bytes_max` is broken, and its end is known.
[[nodiscard]] Cut read(std::string_view bytes, std::uint64_t bytes_max, Request& request);
[[nodiscard]] Cut read(std::string_view bytes, std::uint64_t bytes_max, Reply& reply);

// The smallest sizes that fit are chosen. Keys, errors and cursors have 65,535 bytes at most, and are cut there.
void write(Request const& request, std::string& out);
void write(Reply const& reply, std::string& out);

// A reply with a list whose pairs come one after the other, with sizes of 2 and 4 bytes, whatever they are.
struct List {
  std::uint16_t identifier{0};
  std::string cursor{};  // empty: there are no more
  std::uint16_t count{0};
  std::string_view pairs{};  // bytes, of append_pair
};
void append_pair(Pair const& pair, std::string& pairs);
void write(List const& list, std::string& out);

}  // namespace fastjournal::fj
