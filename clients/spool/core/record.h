// A file of rows: a head, then records, and how records are found again between whatever else the file may hold: rows
// that were erased (zeros), halves of rows of producers that were killed, and damage. Pure.
//
// The head, at offset 0, is never erased:
//
//   bytes  what
//   4      "FJS" and 1, the version of this format
//   4      zeros
//   8      the seed of this file, little endian, drawn by chance
//   8      XXH3-64 of the 16 bytes before it, little endian
//
// A record, anywhere behind it:
//
//   bytes  what
//   4      "FJR" and 1
//   4      size of the body, 1 to kBodyBytesMax, little endian
//   8      XXH3-64 of the body with the seed of the file, little endian
//   size   the body: a msgpack map, as in a frame of the wire (doc/protocol.md): an INSERT, or an ASIDE (aside.h)
//
// Why a seed: a value of a row comes from anywhere, and may spell a whole record. When the producer is killed in the
// middle of such a row, the search for the next record comes upon these bytes. Without the seed, which nobody knows who
// is not let into the folder, their checksum is wrong.
//
// A file without a whole head holds no rows: no producer writes rows before it has read the head. Two producers that
// find a file empty may both append a head: the first one counts, the other one is passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::spool {

// Of a file, in its head.
struct Seed {
  std::uint64_t value{0};

  friend bool operator==(Seed, Seed) = default;
};

inline constexpr std::size_t kFileHeadBytes = 24;
inline constexpr std::size_t kRecordHeadBytes = 16;
// Of a row as a producer saves it; a body has some space for what the forwarder adds.
inline constexpr std::size_t kRowBytesMax = std::size_t{16} << 20U;
inline constexpr std::size_t kBodyBytesMax = kRowBytesMax + (std::size_t{64} << 10U);
inline constexpr std::size_t kRecordBytesMax = kRecordHeadBytes + kBodyBytesMax;

[[nodiscard]] std::string head_of_file(Seed seed);
// Of a file that begins with these bytes. Nothing: no whole head is there.
[[nodiscard]] std::optional<Seed> seed_of_file(std::string_view bytes);

// Appends the record of a message with these parameters to `out`. too_large: the body would exceed kBodyBytesMax; `out`
// is as it was.
[[nodiscard]] Status append_record(std::string_view command, std::span<Param const> params, Seed seed,
                                   std::string& out);
// A whole record, for another file.
void seal_again(std::string& record, Seed seed);

// What begins at a place of a file.
struct Found {
  enum class Kind : std::uint8_t {
    record,      // body and end are set
    unfinished,  // at `begin` something begins whose end is not there: its producer may be about to write it
    nothing,     // no record up to the end
  };
  Kind kind{Kind::nothing};
  std::size_t begin{0};
  std::size_t end{0};  // of the record; otherwise everything before it needs no second look
  std::string_view body{};
  std::size_t damaged_bytes{0};  // neither a record, a head nor zeros, between `from` and `begin`
};

// The first record at or behind `from`. A record that is not whole is passed over, as damaged, if another one is found
// behind it: bytes are appended in the order of the writes. With `is_settled` there are no writers any more, and
// nothing is unfinished.
[[nodiscard]] Found find_record(std::string_view bytes, std::size_t from, Seed seed, bool is_settled);

}  // namespace fastjournal::spool
