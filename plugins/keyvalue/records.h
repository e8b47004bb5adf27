// The records of pairs: their numbers, bodies and codec. Bodies state effects, never commands. Those of clients that
// number their commands, and of an accepted clock, are the ones of rows (plugins/rows/records.h).
//
// A record about a pair has the pair's id as its object, and its main key in the body. Records that state a pair or a
// tombstone whole begin an object: the id of a pair is the LSN of its last whole record.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "fastjournal/table.h"
#include "model/body.h"
#include "plugins/keyvalue/pairs.h"
#include "plugins/rows/records.h"

namespace fastjournal::keyvalue {

enum class RecordType : std::uint8_t {
  pair = rows::kOwnRecords,  // a pair or a tombstone, whole: it begins, or is compacted
  deleted = 33,              // a tombstone takes the place of a key, and of its value with all its keys
  gone = 34,                 // the pair, or the tombstone, is removed, with all its keys
  value = 35,                // a small value has another value
  size = 36,                 // the value is cut, or grows by zeros
  alias = 37,                // the value gets one more key
  rename = 38,               // a key is another one from now on; a tombstone stays
  dates = 39,                // another end, a read that moves it, or a mark that it is worked on
  lock = 40,                 // a connection has it locked, or none
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
void stamp_fields(auto& io, auto& stamp) { io.six(stamp.at).fixed(stamp.timestamp); }

// The facts of a record, to be written or to be read.
[[nodiscard]] inline Facts stated_facts(Pair const& pair, Aliases const& aliases) {
  Facts facts = pair.facts;
  facts.value_bytes = static_cast<std::uint32_t>(pair.value.size());
  facts.aliases = static_cast<std::uint8_t>(aliases.size());
  return facts;
}
[[nodiscard]] inline Facts& stated_facts(Pair& pair, Aliases&) { return pair.facts; }

// Of a Pair and its Aliases, const or not.
template <typename One, typename Others>
struct PairBody {
  static constexpr auto kType = RecordType::pair;
  One& pair;
  Others& aliases;
  static void fields(auto& io, auto& body) {
    auto&& facts = stated_facts(body.pair, body.aliases);
    facts::fields(io, facts);
    io.must(facts.aliases <= kAliasesMax);
    if constexpr (!std::is_const_v<Others>)
      if (facts.aliases != 0) body.aliases.resize(facts.aliases);
    std::uint64_t key_bytes = body.pair.key.size();
    io.number(key_bytes);
    std::array<std::uint64_t, UINT8_MAX> alias_bytes;
    for (unsigned i = 0; i < facts.aliases; ++i) io.number(alias_bytes[i] = body.aliases[i].size());
    io.sized(body.pair.key, key_bytes);
    for (unsigned i = 0; i < facts.aliases; ++i) io.sized(body.aliases[i], alias_bytes[i]);
    io.sized(body.pair.value, facts.value_bytes);
  }
};

template <typename One, typename Others>
PairBody(One&, Others&) -> PairBody<One, Others>;

struct DeletedBody {
  static constexpr auto kType = RecordType::deleted;
  Stamp stamp{};
  bool persist{false};
  std::string_view key{};  // or an alias, which alone is deleted then
  static void fields(auto& io, auto& body) {
    stamp_fields(io, body.stamp);
    io.byte(body.persist, true).rest(body.key);
  }
};
struct GoneBody {
  static constexpr auto kType = RecordType::gone;
  std::string_view key{};
  static void fields(auto& io, auto& body) { io.rest(body.key); }
};
struct ValueBody {
  static constexpr auto kType = RecordType::value;
  Stamp stamp{};
  std::string_view key{};
  std::string_view value{};
  static void fields(auto& io, auto& body) {
    stamp_fields(io, body.stamp);
    io.text(body.key).rest(body.value);
  }
};
struct SizeBody {
  static constexpr auto kType = RecordType::size;
  Stamp stamp{};
  std::uint32_t bytes{0};
  std::string_view key{};
  static void fields(auto& io, auto& body) {
    stamp_fields(io, body.stamp);
    io.number(body.bytes).rest(body.key);
  }
};
struct AliasBody {
  static constexpr auto kType = RecordType::alias;
  std::string_view key{};
  std::string_view alias{};
  static void fields(auto& io, auto& body) { io.text(body.key).rest(body.alias); }
};
struct RenameBody {
  static constexpr auto kType = RecordType::rename;
  Stamp stamp{};
  std::string_view key{};  // or an alias, which alone is renamed then
  std::string_view next{};
  // Of the tombstone, as of the value. Version 1: it is not, or was not said.
  bool persist{false};

  [[nodiscard]] std::uint8_t version() const { return persist ? 2 : 1; }
  static void fields(auto& io, auto& body) {
    io.set(body.persist, io.version() > 1);
    stamp_fields(io, body.stamp);
    io.text(body.key).rest(body.next);
  }
};
struct DatesBody {
  static constexpr auto kType = RecordType::dates;
  std::int64_t expires{0};
  std::int64_t ttl{0};
  std::int64_t worked_until{0};
  std::string_view key{};
  static void fields(auto& io, auto& body) {
    io.six(body.expires).number(body.ttl).six(body.worked_until).rest(body.key);
  }
};
struct LockBody {
  static constexpr auto kType = RecordType::lock;
  std::uint64_t connection{0};
  std::int64_t until{0};
  std::string_view key{};
  static void fields(auto& io, auto& body) { io.number(body.connection).six(body.until).rest(body.key); }
};

// Bytes of a whole pair's record, its header included.
[[nodiscard]] inline std::uint64_t pair_record_bytes(Pair const& pair, Aliases const& aliases) {
  return 32 + model::body_bytes(PairBody{pair, aliases});
}

}  // namespace fastjournal::keyvalue
