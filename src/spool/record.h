// A row in a file of a spool folder, and how rows are found again between whatever else the file may hold: rows that
// were erased (zeros), halves of rows of producers that were killed, and damage. Pure.
//
//   bytes  what
//   4      "FJR" and 1, the version of this format
//   4      size of the body, 1 to kBodyBytesMax, little endian
//   8      XXH3-64 of the body, seeded with its size
//   size   the body: an INSERT as a msgpack map, as in a frame of the wire (doc/protocol.md)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::spool {

inline constexpr std::size_t kHeadBytes = 16;
inline constexpr std::size_t kBodyBytesMax = std::size_t{16} << 20U;
inline constexpr std::size_t kRecordBytesMax = kHeadBytes + kBodyBytesMax;

// Appends the record of an INSERT with these parameters to `out`. too_large: the body would exceed kBodyBytesMax; `out` is as it was.
[[nodiscard]] Status append_record(std::span<Param const> insert, std::string& out);

// What begins at a place of a file.
struct Found {
  enum class Kind : std::uint8_t {
    record,      // body and end are set
    unfinished,  // at `begin` a record begins whose end is not there: its producer may be about to write it
    nothing,     // no record up to the end
  };
  Kind kind{Kind::nothing};
  std::size_t begin{0};
  std::size_t end{0};  // of the record; otherwise everything before it needs no second look
  std::string_view body{};
  std::size_t damaged_bytes{0};  // neither a record nor zeros, between `from` and `begin`
};

// The first record at or behind `from`. A record that is not whole is passed over, as damaged, if another one is found
// behind it: bytes are appended in the order of the writes. With `is_settled` nobody writes any more, and nothing is
// unfinished.
[[nodiscard]] Found find_record(std::string_view bytes, std::size_t from, bool is_settled);

}  // namespace fastjournal::spool
