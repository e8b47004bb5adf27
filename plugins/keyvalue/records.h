// The records of pairs: their numbers, bodies and codec. Bodies state effects, never commands. Those of clients that
// number their commands, and of an accepted clock, are the ones of rows (plugins/rows/records.h).
//
// A record about a pair has the pair's id as its object, and its main key in the body. Records that state a pair or a
// tombstone whole begin an object: the id of a pair is the LSN of its last whole record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"
#include "plugins/keyvalue/pairs.h"
#include "plugins/rows/records.h"

namespace fastjournal::keyvalue {

enum class RecordType : std::uint8_t {
  pair = rows::kOwnRecords,  // a pair or a tombstone, whole: it begins, or is copied forward
  deleted = 33,              // a tombstone takes the place of a key, and of its value with all its keys
  gone = 34,                 // the pair, or the tombstone, is removed, with all its keys
  value = 35,                // a small value has another value
  size = 36,                 // the value is cut, or grows by zeros
  alias = 37,                // the value gets one more key
  rename = 38,               // a key is another one from now on; a tombstone stays
  dates = 39,                // another end, a read that moves it, or a mark that somebody works on it
  lock = 40,                 // a connection has it locked, or nobody
};

// Version 2 of rename: of a persistent value.
[[nodiscard]] constexpr std::uint8_t newest_version(std::uint8_t type) {
  if (type == static_cast<std::uint8_t>(RecordType::rename)) return 2;
  bool const is_own =
      type >= static_cast<std::uint8_t>(RecordType::pair) && type <= static_cast<std::uint8_t>(RecordType::lock);
  return is_own ? 1 : 0;
}

// When a key was deleted, or changed, and by which timestamp.
struct Stamp {
  std::int64_t at{0};
  std::uint64_t timestamp{0};
};

struct DeletedBody {
  Stamp stamp{};
  bool persist{false};
  std::string_view key{};  // or an alias, which alone is deleted then
};
struct ValueBody {
  Stamp stamp{};
  std::string_view key{};
  std::string_view value{};
};
struct SizeBody {
  Stamp stamp{};
  std::uint32_t bytes{0};
  std::string_view key{};
};
struct AliasBody {
  std::string_view key{};
  std::string_view alias{};
};
struct RenameBody {
  Stamp stamp{};
  std::string_view key{};  // or an alias, which alone is renamed then
  std::string_view next{};
  // Of the tombstone, as of the value. Version 1: it is not, or was not said.
  bool persist{false};
};
struct DatesBody {
  std::int64_t expires{0};
  std::int64_t ttl{0};
  std::int64_t worked_until{0};
  std::string_view key{};
};
struct LockBody {
  std::uint64_t connection{0};
  std::int64_t until{0};
  std::string_view key{};
};

// Each appends one record and returns its place.
Lsn append_pair(Records& records, Pair const& pair, Aliases const& aliases);
Lsn append_deleted(Records& records, DeletedBody const& body);
Lsn append_gone(Records& records, ObjectId pair, std::string_view key);
Lsn append_value(Records& records, ObjectId pair, ValueBody const& body);
Lsn append_size(Records& records, ObjectId pair, SizeBody const& body);
Lsn append_alias(Records& records, ObjectId pair, AliasBody const& body);
Lsn append_rename(Records& records, ObjectId pair, RenameBody const& body);
Lsn append_dates(Records& records, ObjectId pair, DatesBody const& body);
Lsn append_lock(Records& records, ObjectId pair, LockBody const& body);

// Bytes of a whole pair's record, its header included.
[[nodiscard]] std::uint64_t pair_record_bytes(Pair const& pair, Aliases const& aliases);
// A pair's canonical bytes, for the digest.
void write_pair(std::string& out, Pair const& pair, Aliases const& aliases);

// False: malformed.
[[nodiscard]] bool read_pair(std::string_view bytes, Pair& pair, Aliases& aliases);
[[nodiscard]] bool read_deleted(std::string_view bytes, DeletedBody& body);
[[nodiscard]] bool read_value(std::string_view bytes, ValueBody& body);
[[nodiscard]] bool read_size(std::string_view bytes, SizeBody& body);
[[nodiscard]] bool read_alias(std::string_view bytes, AliasBody& body);
[[nodiscard]] bool read_rename(std::string_view bytes, std::uint8_t version, RenameBody& body);
[[nodiscard]] bool read_dates(std::string_view bytes, DatesBody& body);
[[nodiscard]] bool read_lock(std::string_view bytes, LockBody& body);

}  // namespace fastjournal::keyvalue
