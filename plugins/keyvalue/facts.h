// What is known of a pair beside its keys and its value, and how that is written: the same bytes stand in memory, in the
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

#include "base/bytes.h"
#include "model/varint.h"

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
  std::uint64_t lock{0};  // the connection that has it locked; 0: nobody
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

// The timestamp of whoever gives none.
[[nodiscard]] inline std::uint64_t timestamp_of(std::int64_t ms) { return static_cast<std::uint64_t>(ms) * 1000; }

// Returns the bytes written, at most kFactsBytesMax.
inline std::size_t write(char* to, Facts const& all) {
  using model::store_varint;
  using model::zigzag;
  auto flags = static_cast<std::uint16_t>(all.type);
  if (all.persist) flags |= kPersist;
  if (all.is_deleted) flags |= kDeleted;
  store_little(to + 2, static_cast<std::uint32_t>(all.created));
  store_little(to + 6, static_cast<std::uint16_t>(all.created >> 32));
  std::size_t at = 8;
  at += store_varint(to + at, all.value_bytes);
  auto const put = [&](bool is_there, std::uint16_t flag, std::uint64_t value) {
    if (!is_there) return;
    flags |= flag;
    at += store_varint(to + at, value);
  };
  put(all.modified != all.created, kModified, static_cast<std::uint64_t>(all.modified - all.created));
  put(all.timestamp != timestamp_of(all.modified), kTimestamp,
      zigzag(static_cast<std::int64_t>(all.timestamp - timestamp_of(all.modified))));
  put(all.expires != 0, kExpires, zigzag(all.expires - all.modified));
  put(all.ttl != 0, kTtl, static_cast<std::uint64_t>(all.ttl));
  put(all.worked_until != 0, kWorked, zigzag(all.worked_until - all.modified));
  put(all.lock != 0, kLock, all.lock);
  if (all.lock != 0) {
    store_little(to + at, static_cast<std::uint32_t>(all.lock_until));
    store_little(to + at + 4, static_cast<std::uint16_t>(all.lock_until >> 32));
    at += 6;
  }
  put(all.aliases != 0, kAliases, all.aliases);
  store_little(to, flags);
  return at;
}

// What most pairs do not have.
[[nodiscard]] inline bool take_rare(std::string_view& from, std::uint16_t flags, Facts& all) {
  using model::take_varint;
  std::uint64_t value = 0;
  auto const date = [&](std::uint16_t flag, std::int64_t& out) {
    if ((flags & flag) == 0) return true;
    if (!take_varint(from, value)) return false;
    out = all.modified + model::unzigzag(value);
    return true;
  };
  if (!date(kExpires, all.expires)) return false;
  value = 0;
  if ((flags & kTtl) != 0 && !take_varint(from, value)) return false;
  all.ttl = static_cast<std::int64_t>(value);
  if (!date(kWorked, all.worked_until)) return false;
  if ((flags & kLock) != 0) {
    if (!take_varint(from, all.lock) || from.size() < 6) return false;
    all.lock_until = static_cast<std::int64_t>(load_little<std::uint32_t>(from.data())) |
                     static_cast<std::int64_t>(load_little<std::uint16_t>(from.data() + 4)) << 32;
    from.remove_prefix(6);
  }
  value = 0;
  if ((flags & kAliases) != 0 && (!take_varint(from, value) || value > UINT8_MAX)) return false;
  all.aliases = static_cast<std::uint8_t>(value);
  return true;
}

// Takes them off the front; false: malformed.
[[nodiscard]] inline bool take(std::string_view& bytes, Facts& all) {
  using model::take_varint;
  std::string_view from = bytes;  // of this function alone, which is faster
  if (from.size() < 9) return false;
  auto const flags = load_little<std::uint16_t>(from.data());
  all = Facts{};
  all.type = static_cast<ValueType>(flags & kTypeMask);
  all.persist = (flags & kPersist) != 0;
  all.is_deleted = (flags & kDeleted) != 0;
  all.created = static_cast<std::int64_t>(load_little<std::uint32_t>(from.data() + 2)) |
                static_cast<std::int64_t>(load_little<std::uint16_t>(from.data() + 6)) << 32;
  from.remove_prefix(8);
  std::uint64_t value = 0;
  if (all.type > ValueType::boolean || flags >= 2 * kAliases || !take_varint(from, value) || value > UINT32_MAX)
    return false;
  all.value_bytes = static_cast<std::uint32_t>(value);
  value = 0;
  if ((flags & kModified) != 0 && !take_varint(from, value)) return false;
  all.modified = all.created + static_cast<std::int64_t>(value);
  value = 0;
  if ((flags & kTimestamp) != 0 && !take_varint(from, value)) return false;
  all.timestamp = timestamp_of(all.modified) + static_cast<std::uint64_t>(model::unzigzag(value));
  bytes = from;
  return flags < kExpires || take_rare(bytes, flags, all);
}

}  // namespace facts
}  // namespace fastjournal::keyvalue
