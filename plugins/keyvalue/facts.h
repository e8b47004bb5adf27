// The facts of a pair beside its keys and its value, and their encoding: the same bytes stand in memory, in the
// pair's record and in the digest.
//
//   flags      2 bytes, little endian: the type, persist, deleted, and which of the optional facts follow
//   created    6 bytes
//   value      varint: its length
//   [modified]   varint, relative to created
//   [timestamp]  zigzag varint, relative to modified, in microseconds
//   [expires]    zigzag varint, relative to modified
//   [ttl]        varint
//   [worked]     zigzag varint, relative to modified
//   [lock]       varint: the connection; 6 bytes: its end, so that a later one has the same size
//   [aliases]    varint: how many
#pragma once

#include <cstdint>
#include <string_view>

#include "model/body.h"

namespace fastjournal::keyvalue {

// Numbers of the FJ protocol, and of the log.
enum class ValueType : std::uint8_t { nothing = 0, buffer = 1, string = 2, integer = 3, real = 4, boolean = 5 };

struct Facts {
  ValueType type{ValueType::nothing};
  bool persist{false};         // its changes are synced before they are answered
  bool is_deleted{false};      // a tombstone: older writes must not bring the key back
  std::int64_t created{0};     // dates are ms
  std::int64_t modified{0};    // not before created
  std::uint64_t timestamp{0};  // of the writer, in microseconds: the last one wins
  std::int64_t expires{0};     // 0: never
  std::int64_t ttl{0};         // ms; not 0: reading it moves `expires`
  std::int64_t worked_until{0};
  std::uint64_t lock{0};  // the connection that has it locked; 0: none
  std::int64_t lock_until{0};
  std::uint32_t value_bytes{0};
  std::uint8_t aliases{0};  // keys beside the main one

  bool operator==(Facts const&) const = default;
  [[nodiscard]] bool is_there(std::int64_t now) const { return !is_deleted && (expires == 0 || expires > now); }
  [[nodiscard]] bool is_locked(std::int64_t now) const { return lock != 0 && lock_until > now; }
};

inline constexpr std::size_t kFactsBytesMax = 80;

namespace facts {

inline constexpr std::uint16_t kTypeMask = 7;
inline constexpr std::uint16_t kPersist = 8;
inline constexpr std::uint16_t kDeleted = 16;
inline constexpr std::uint16_t kModified = 32;
inline constexpr std::uint16_t kTimestamp = 64;
inline constexpr std::uint16_t kExpires = 128;
inline constexpr std::uint16_t kTtl = 256;
inline constexpr std::uint16_t kWorked = 512;
inline constexpr std::uint16_t kLock = 1024;
inline constexpr std::uint16_t kAliases = 2048;

// The timestamp of a write without one.
[[nodiscard]] inline std::uint64_t timestamp_of(std::int64_t ms) { return static_cast<std::uint64_t>(ms) * 1000; }

[[gnu::always_inline]] inline void fields(auto& io, auto& all) {
  auto has = io.flags(std::uint16_t{2 * kAliases - 1});
  has.value(kTypeMask, all.type);
  io.must(all.type <= ValueType::boolean);
  io.set(all.persist, has(kPersist, all.persist)).set(all.is_deleted, has(kDeleted, all.is_deleted));
  io.six(all.created).number(all.value_bytes);
  if (!io.ok()) return;  // here, so that the fields below are read without asking again
  std::int64_t since_created = all.modified - all.created;
  io.number(since_created, has(kModified, since_created != 0)).set(all.modified, all.created + since_created);
  std::uint64_t const own = timestamp_of(all.modified);
  io.relative(all.timestamp, has(kTimestamp, all.timestamp != own), own, own);
  if (!has.from(kExpires)) return;
  io.relative(all.expires, has(kExpires, all.expires != 0), all.modified, 0);
  io.number(all.ttl, has(kTtl, all.ttl != 0));
  io.relative(all.worked_until, has(kWorked, all.worked_until != 0), all.modified, 0);
  if (has(kLock, all.lock != 0)) io.number(all.lock).six(all.lock_until);
  io.number(all.aliases, has(kAliases, all.aliases != 0));
}

// Returns the bytes written, at most kFactsBytesMax.
[[gnu::flatten]] inline std::size_t write(char* to, Facts const& all) {
  model::Fields<model::BodyWriter> io{1, to};
  fields(io, all);
  return static_cast<std::size_t>(io.place() - to);
}

// Takes them off the front, into fresh ones; false: malformed.
[[nodiscard, gnu::flatten]] inline bool take(std::string_view& bytes, Facts& all) {
  model::Fields<model::BodyReader> io{1, bytes};
  fields(io, all);
  bytes = io.left();
  return io.ok();
}

}  // namespace facts
}  // namespace fastjournal::keyvalue
