// A row's payload: facts, key, data and last error, in this order. The same bytes are in the row's record and in the
// digest, so the layout is defined only here:
//
//   flags     1 byte: which of the optional facts follow; kPadded in memory only
//   arrival   6 bytes, little endian
//   schema    varint: the version the data was written with
//   key, data lengths as varints
//   [inserted]   zigzag varint, relative to arrival
//   [accepted]   zigzag varint, relative to inserted
//   [expires]    zigzag varint, relative to arrival
//   [merges]     varint
//   [parked_at]  zigzag varint, relative to arrival
//   [error]      varint: its length, with a trace (base/failure.h)
//   [failures]   varint (here, not in the row's header: few rows have any, and its 32 bytes are full)
//   key data error
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "fastjournal/limits.h"
#include "model/body.h"
#include "model/varint.h"

namespace fastjournal::rows {

struct Facts {
  std::int64_t arrival{0};    // when the daemon accepted the row
  std::int64_t inserted{0};   // the client's date of the first insert
  std::int64_t accepted{0};   // the client's date of the last insert that was accepted
  std::int64_t expires{0};    // 0: never
  std::int64_t parked_at{0};  // 0: not parked
  std::uint32_t merges{0};
  std::uint8_t failures{0};  // attempts that ended in an error, since the last merge
  std::uint16_t schema{0};
  std::uint32_t key_bytes{0};
  std::uint32_t data_bytes{0};
  std::uint32_t error_bytes{0};

  bool operator==(Facts const&) const = default;
  [[nodiscard]] bool is_expired(std::int64_t now) const { return expires != 0 && expires <= now; }
};

// Larger payloads leave room for all facts, so that a changed fact does not move 16 MiB of data.
inline constexpr std::size_t kFactsBytesMax = 64;
inline constexpr std::size_t kPaddedFrom = 4096;
// Larger data is merged in pieces, and the row grows in place: the cost of a small merge does not depend on the size of
// the row.
inline constexpr std::size_t kPiecesFrom = 16384;

namespace payload {

inline constexpr unsigned char kInserted = 1;
inline constexpr unsigned char kAccepted = 2;
inline constexpr unsigned char kExpires = 4;
inline constexpr unsigned char kMerges = 8;
inline constexpr unsigned char kParkedAt = 16;
inline constexpr unsigned char kError = 32;
inline constexpr unsigned char kPadded = 64;
inline constexpr unsigned char kFailures = 128;

// Two facts that are needed of every row, read without the others.
inline std::int64_t arrival_at(char const* front) {
  return static_cast<std::int64_t>(load_little<std::uint32_t>(front + 1)) |
         static_cast<std::int64_t>(load_little<std::uint16_t>(front + 5)) << 32;
}
inline bool has_merges(char const* front) { return (static_cast<unsigned char>(front[0]) & kMerges) != 0; }

// True: they are padded.
bool fields(auto& io, auto& facts) {
  auto has = io.flags(std::uint8_t{UINT8_MAX});
  io.six(facts.arrival).number(facts.schema).number(facts.key_bytes).number(facts.data_bytes);
  io.relative(facts.inserted, has(kInserted, facts.inserted != facts.arrival), facts.arrival, facts.arrival);
  io.relative(facts.accepted, has(kAccepted, facts.accepted != facts.inserted), facts.inserted, facts.inserted);
  io.relative(facts.expires, has(kExpires, facts.expires != 0), facts.arrival, 0);
  io.number(facts.merges, has(kMerges, facts.merges != 0));
  io.relative(facts.parked_at, has(kParkedAt, facts.parked_at != 0), facts.arrival, 0);
  io.number(facts.error_bytes, has(kError, facts.error_bytes != 0));
  io.number(facts.failures, has(kFailures, facts.failures != 0));
  return has(kPadded, false);
}

// Returns the bytes written, at most kFactsBytesMax.
[[gnu::flatten]] inline std::size_t write_facts(char* to, Facts const& facts) {
  model::Fields<model::BodyWriter> io{1, to};
  fields(io, facts);
  return static_cast<std::size_t>(io.place() - to);
}

// Reads the facts at the front of `from` (which may extend beyond the payload) and removes them; false: malformed.
[[nodiscard, gnu::flatten]] inline bool take_facts(std::string_view& from, Facts& facts) {
  model::Fields<model::BodyReader> io{1, from};
  bool const is_padded = fields(io, facts);
  if (!io.ok()) return false;
  from = is_padded ? from.substr(kFactsBytesMax) : io.left();
  return true;
}

}  // namespace payload

// The parts of a payload in memory. Views into the store: valid until the row changes.
struct PayloadView {
  Facts facts;
  std::string_view key;
  std::string_view data;
  std::string_view failure;  // the last one (base/failure.h)
};

}  // namespace fastjournal::rows
