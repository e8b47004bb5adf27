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

// Returns the bytes written, at most kFactsBytesMax.
inline std::size_t write_facts(char* to, Facts const& facts) {
  using model::store_varint;
  using model::zigzag;
  unsigned char flags = 0;
  store_little(to + 1, static_cast<std::uint32_t>(facts.arrival));
  store_little(to + 5, static_cast<std::uint16_t>(facts.arrival >> 32));
  std::size_t at = 7;
  at += store_varint(to + at, facts.schema);
  at += store_varint(to + at, facts.key_bytes);
  at += store_varint(to + at, facts.data_bytes);
  if (facts.inserted != facts.arrival) {
    flags |= kInserted;
    at += store_varint(to + at, zigzag(facts.inserted - facts.arrival));
  }
  if (facts.accepted != facts.inserted) {
    flags |= kAccepted;
    at += store_varint(to + at, zigzag(facts.accepted - facts.inserted));
  }
  if (facts.expires != 0) {
    flags |= kExpires;
    at += store_varint(to + at, zigzag(facts.expires - facts.arrival));
  }
  if (facts.merges != 0) {
    flags |= kMerges;
    at += store_varint(to + at, facts.merges);
  }
  if (facts.parked_at != 0) {
    flags |= kParkedAt;
    at += store_varint(to + at, zigzag(facts.parked_at - facts.arrival));
  }
  if (facts.error_bytes != 0) {
    flags |= kError;
    at += store_varint(to + at, facts.error_bytes);
  }
  if (facts.failures != 0) {
    flags |= kFailures;
    at += store_varint(to + at, facts.failures);
  }
  *to = static_cast<char>(flags);
  return at;
}

// Reads the facts at the front of `from` (which may extend beyond the payload) and removes them; false: malformed.
[[nodiscard]] inline bool take_facts(std::string_view& from, Facts& facts) {
  using model::take_varint;
  if (from.size() < 7) return false;
  auto const flags = static_cast<unsigned char>(from[0]);
  facts = Facts{};
  facts.arrival = static_cast<std::int64_t>(load_little<std::uint32_t>(from.data() + 1)) |
                  static_cast<std::int64_t>(load_little<std::uint16_t>(from.data() + 5)) << 32;
  std::string_view rest = from.substr(7);
  std::uint64_t schema = 0;
  std::uint64_t key = 0;
  std::uint64_t data = 0;
  std::uint64_t value = 0;
  if (!take_varint(rest, schema) || !take_varint(rest, key) || !take_varint(rest, data)) return false;
  if (schema > UINT16_MAX || key > UINT32_MAX || data > UINT32_MAX) return false;
  facts.schema = static_cast<std::uint16_t>(schema);
  facts.key_bytes = static_cast<std::uint32_t>(key);
  facts.data_bytes = static_cast<std::uint32_t>(data);
  auto const relative = [&](unsigned char flag, std::int64_t base, std::int64_t absent, std::int64_t& out) {
    out = absent;
    if ((flags & flag) == 0) return true;
    if (!take_varint(rest, value)) return false;
    out = base + model::unzigzag(value);
    return true;
  };
  auto const plain = [&](unsigned char flag, std::uint32_t& out) {
    if ((flags & flag) == 0) return true;
    if (!take_varint(rest, value) || value > UINT32_MAX) return false;
    out = static_cast<std::uint32_t>(value);
    return true;
  };
  if (!relative(kInserted, facts.arrival, facts.arrival, facts.inserted)) return false;
  if (!relative(kAccepted, facts.inserted, facts.inserted, facts.accepted)) return false;
  if (!relative(kExpires, facts.arrival, 0, facts.expires)) return false;
  if (!plain(kMerges, facts.merges)) return false;
  if (!relative(kParkedAt, facts.arrival, 0, facts.parked_at)) return false;
  if (!plain(kError, facts.error_bytes)) return false;
  std::uint32_t failures = 0;
  if (!plain(kFailures, failures) || failures > UINT8_MAX) return false;
  facts.failures = static_cast<std::uint8_t>(failures);
  from = (flags & kPadded) != 0 ? from.substr(kFactsBytesMax) : rest;
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
