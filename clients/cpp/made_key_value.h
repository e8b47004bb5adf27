// Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.
// clang-format off
// Values under keys: in the order of the keys, with expiry, locks, counters, and the last writer by timestamp.
// Options, records, calls: for key_value.h, which has what is special.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
#include "clients/cpp/typed_value.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

struct Stored;

enum class ValueType : std::uint8_t { nothing, buffer, string, integer, real, boolean };

// Only `stored` changed something now. exists: a value is there already. mismatch: another value is there than was
// expected. stale: what is there, or was deleted, has a later timestamp. duplicate: client and sequence are known: it
// was carried out before, with whatever result it had then.
enum class SetResult : std::uint8_t { stored, exists, mismatch, stale, duplicate };

enum class EraseResult : std::uint8_t { deleted, absent, mismatch, stale, duplicate };

// A pair. value: void if values were left out; a string that TRUNCATE cut within a character is no UTF-8. With
// GetOptions::facts: ttl, lock_end, worked_on_end, persist and the dates.
struct Pair {
  std::string table{};                    // the table
  std::string key{};                      // the key
  ValueType type{};                       // void, buffer, string, integer, float or boolean
  TypedValue value{};                     // the value
  std::uint64_t timestamp{0};             // when it was written, in microseconds since 1970
  std::optional<TimeMs> expires{};        // it is gone from then on
  bool locked{false};                     // somebody has it locked
  bool worked_on{false};                  // somebody works on it
  std::optional<DurationMs> ttl{};        // ms without a read or a write, after which it is gone
  std::optional<TimeMs> lock_end{};       // until then at most
  std::optional<TimeMs> worked_on_end{};  // until then
  bool persist{false};                    // its changes are synced
  TimeMs created{};                       // when the key got its first value
  TimeMs modified{};                      // when it was changed last
  TimeMs accessed{};                      // when it was read or written last, to the second
  std::uint64_t size{0};                  // bytes of the value
  std::string main_key{};                 // this key is an alias of it
};
// From a PAIR; invalid for any other message.
[[nodiscard]] Result<Pair> pair_of(Message const& message);

// client and sequence: both or none; then the connection numbers it, if it has no condition.
struct SetOptions {
  bool overwrite{true};  // false: only if the key is not there
  // only if the value that is there has this timestamp; 0: if none is there
  std::optional<std::uint64_t> if_timestamp{};
  std::optional<TypedValue> if_value{};  // only if this value is there
  // when this value was written, in microseconds since 1970: an older one never replaces a newer one; the order of
  // arrival if absent
  std::optional<std::uint64_t> timestamp{};
  std::optional<Date> expires{};  // the pair is gone from then on; 0 or absent: never
  // the pair is gone when it was not read or written for so long (1 to 999999999999)
  std::optional<DurationMs> ttl{};
  // 1: the answer, and that of each later change, comes once it is synced; 0: it may be lost with the computer's power
  std::optional<bool> persist{};
  // of one key. 1: this connection is told of each change from then on (CHANGED)
  bool watch{false};
  // the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
  std::string client{};
  std::optional<std::uint64_t> sequence{};  // the number of this command by this client
};

// expires, ttl and watch are of one key; ttl 0: none from then on.
struct GetOptions {
  bool data{true};             // false: without the values
  bool facts{false};           // with the dates, and who has it
  bool skip_worked_on{false};  // not those that somebody works on
  // marks what is shown: for so long others that skip such pairs do not see it (0 to 999999999999; 0 if absent)
  std::optional<DurationMs> worked_on{};
  std::optional<Date> expires{};  // the pair is gone from then on; 0: never
  // the pair is gone when it was not read or written for so long; 0: it has no such time (0 to 999999999999)
  std::optional<DurationMs> ttl{};
  // of a key or a prefix. 1: this connection is told of each change from then on (CHANGED)
  bool watch{false};
};

// All that is given must hold. Keys are compared byte by byte.
struct Range {
  std::string prefix{};             // keys that begin so (at most key-size-max bytes)
  std::string from{};               // this key and those behind it (at most key-size-max bytes)
  std::optional<std::string> to{};  // keys before this one
  std::string regex{};              // keys of which a part matches this expression (RE2) (at most 1024 bytes)
  std::string after{};              // keys behind this one, as the page before said
  std::uint32_t page{0};            // how many pairs at most
  bool data{true};                  // false: without the values
  bool facts{false};                // with the dates, and who has it
  bool skip_worked_on{false};       // not those that somebody works on
  // marks what is shown: for so long others that skip such pairs do not see it (0 to 999999999999; 0 if absent)
  std::optional<DurationMs> worked_on{};
};

struct EraseOptions {
  std::optional<std::uint64_t> if_timestamp{};  // only if the value has this timestamp
  // when it was deleted, in microseconds since 1970: a newer value stays, and an older SET that comes later is stale;
  // the order of arrival if absent
  std::optional<std::uint64_t> timestamp{};
  bool complete{false};  // nothing is remembered of it, and an older SET brings it back
  // the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
  std::string client{};
  std::optional<std::uint64_t> sequence{};  // the number of this command by this client
};

// The calls of key_value.h that are one command each.
class KeyValueCalls {
 public:
  // `connection` must outlive it.
  KeyValueCalls(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  // Deletes a value with all its keys.
  [[nodiscard]] Result<EraseResult> erase(std::string_view key, EraseOptions const& options = {});
  // Turns a boolean.
  [[nodiscard]] Result<Stored> invert(std::string_view key);
  // Cuts a string or a buffer, or lets it grow by zeros.
  [[nodiscard]] Result<Stored> truncate(std::string_view key, std::uint64_t size);
  // Gives a value another key, in one step. `exists`: the new key is taken, and `overwrite` does not say that its value
  // goes.
  [[nodiscard]] Result<Stored> rename(std::string_view key, std::string_view new_key, bool overwrite = false);
  // Gives a value one more key.
  [[nodiscard]] Result<Stored> alias(std::string_view key, std::string_view new_key);
  // Until its end, or that of the connection, nobody else changes the value. Returns until then at most. in_use:
  // another client has it locked, see the fact lock_end. A lock belongs to the connection: it is over when
  // Connection::connects() has grown. One's own is renewed.
  [[nodiscard]] Result<TimeMs> lock(std::string_view key, DurationMs lock);
  // Ends one's own lock.
  [[nodiscard]] Status unlock(std::string_view key);

  // For pipelining and transactions: what these calls send. Texts are borrowed.
  [[nodiscard]] Message erase_of(std::string_view key, EraseOptions const& options = {}) const;

 protected:
  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
