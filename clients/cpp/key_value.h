// The commands of a key/value table, typed.
//
//   KeyValue values(connection, "values");
//   values.set("greeting", "hello");
//   Result<std::optional<Pair>> pair = values.get("greeting");
//   if (pair.ok() && pair->has_value()) greet(std::get<std::string>(pair->value().value));
//
//   Scan scan = values.scan({.prefix = "site:"});
//   for (auto next = scan.next(); next.ok() && next->has_value(); next = scan.next()) use(next->value());
//
// A counter is exact, also when a connection is lost and the answer with it: changes without a condition are numbered
// (Connection::number).
//
//   values.add("visits", 5);
//
// Keys are bytes, and so are the values of Buffer; a std::string is UTF-8. Every call returns what Connection::call
// does when it fails.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/date.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

// Bytes, where a std::string is text.
struct Buffer {
  std::string bytes;
  friend bool operator==(Buffer const&, Buffer const&) = default;
};

enum class ValueType : std::uint8_t { nothing, buffer, string, integer, real, boolean };

// Its alternatives are in the order of ValueType.
using TypedValue = std::variant<std::monostate, Buffer, std::string, std::int64_t, double, bool>;

[[nodiscard]] inline ValueType type_of(TypedValue const& value) { return static_cast<ValueType>(value.index()); }
// As in messages: "void", "buffer", "string", "integer", "float", "boolean".
[[nodiscard]] std::string_view name_of(ValueType type);
[[nodiscard]] std::optional<ValueType> value_type_of(std::string_view name);

// What became of a change. Only `stored` changed something now.
enum class SetResult : std::uint8_t {
  stored,
  exists,     // a value is there already
  mismatch,   // another value is there than was expected
  stale,      // what is there, or was deleted, has a later timestamp
  duplicate,  // client and sequence are known: it was carried out before, with whatever result it had then
};

struct SetOptions {
  bool overwrite{true};                         // false: only if nothing is there, else `exists`
  std::optional<std::uint64_t> if_timestamp{};  // only if the value there has it (0: none is there), else `mismatch`
  std::optional<TypedValue> if_value{};         // only if this value is there, else `mismatch`
  std::optional<std::uint64_t> timestamp{};     // when it was written, in microseconds since 1970
  std::optional<Date> expires{};
  std::optional<DurationMs> ttl{};  // gone when it was not read or written for so long; excludes `expires`
  std::optional<bool> persist{};    // default: the table's
  bool watch{false};                // and from then on watch this key, as watch() does
  // Both or none: then the connection numbers it, unless it has a condition.
  std::string client{};
  std::optional<std::uint64_t> sequence{};
};

struct Stored {
  SetResult result{SetResult::stored};
  std::uint64_t timestamp{0};  // of the value that is there now; 0: none, or not told
  TypedValue value{};          // of add() and invert(): what is there now
  std::uint64_t count{0};      // of set_many(): pairs that were stored
  std::string key{};           // of set_many(): the one that exists, if any
  bool resent{false};          // the command was sent again after a loss: then `duplicate` is its own first sending
};

enum class EraseResult : std::uint8_t { deleted, absent, mismatch, stale, duplicate };

struct EraseOptions {
  std::optional<std::uint64_t> if_timestamp{};  // only if the value has it, else `mismatch`
  std::optional<std::uint64_t> timestamp{};     // when it was deleted, in microseconds since 1970
  bool complete{false};                         // nothing is remembered: an older set() brings the value back
  std::string client{};
  std::optional<std::uint64_t> sequence{};
};

struct Pair {
  std::string table;
  std::string key;
  ValueType type{ValueType::nothing};
  TypedValue value{};  // void if values were left out. A string that TRUNCATE cut within a character is no UTF-8
  std::uint64_t timestamp{0};
  std::optional<TimeMs> expires{};
  bool locked{false};     // by any client
  bool worked_on{false};  // by any client
  // With GetOptions::facts:
  std::optional<DurationMs> ttl{};
  std::optional<TimeMs> lock_end{};
  std::optional<TimeMs> worked_on_end{};
  bool persist{false};
  TimeMs created{};
  TimeMs modified{};
  TimeMs accessed{};       // to the second
  std::uint64_t size{0};   // bytes of the value; also without values
  std::string main_key{};  // this key is an alias of it; empty: it is none
};
// From a PAIR message; invalid for any other message.
[[nodiscard]] Result<Pair> pair_of(Message const& message);

struct GetOptions {
  bool data{true};                        // false: without the values
  bool facts{false};                      // with the facts of Pair
  bool skip_worked_on{false};             // not those that are worked on
  std::optional<DurationMs> worked_on{};  // mark what is shown: for so long others that skip such pairs do not see it
  std::optional<Date> expires{};          // of one key: changes it
  std::optional<DurationMs> ttl{};        // of one key: changes it; 0: none from then on
  bool watch{false};                      // of one key: and from then on watch it, as watch() does
};

// All that is given must hold. Keys are compared byte by byte.
struct Range {
  std::string prefix{};
  std::string from{};               // this key and those behind it
  std::optional<std::string> to{};  // keys before this one
  std::string regex{};              // RE2 syntax; a part of the key matches, as with grep
  std::string after{};              // keys behind this one: where an earlier scan ended
  std::uint32_t page{0};            // pairs a message, at most 1000; 0: as many as the daemon likes
  bool data{true};                  // as GetOptions
  bool facts{false};
  bool skip_worked_on{false};
  std::optional<DurationMs> worked_on{};
};

// The pairs of a range in the order of their keys, page by page. A key that is there all the time is shown exactly
// once, whatever others change meanwhile. Its connection must outlive it, and may be used for other commands between
// the calls.
class Scan {
 public:
  Scan(Connection& connection, std::string table, Range range)
      : connection_(&connection), table_(std::move(table)), range_(std::move(range)) {}

  // Empty: the end. After an error the same page may be asked for again.
  [[nodiscard]] Result<std::optional<Pair>> next();
  // The pairs of one page; empty: the end. Do not mix with next().
  [[nodiscard]] Result<std::vector<Pair>> next_page();
  // Range::after of a scan that goes on behind the last page; empty: there is no more.
  [[nodiscard]] std::string const& after() const { return range_.after; }
  [[nodiscard]] bool has_ended() const { return ended_; }

 private:
  Connection* connection_;
  std::string table_;
  Range range_;
  bool ended_{false};
  std::vector<Pair> page_;
  std::size_t taken_{0};
};

// A notice to a watch.
struct Change {
  enum class Kind : std::uint8_t {
    stored,     // the key has a value: a new one, or another
    absent,     // the key has none any more
    missed,     // so much changed, or the connection was lost: read the key, or all keys with the prefix, again
    unwatched,  // the daemon gave up this watch, as the connection watches too much
  };
  Kind kind{Kind::stored};
  std::string table;
  std::string key;        // or the prefix
  bool is_prefix{false};  // of missed and unwatched
  std::uint64_t timestamp{0};
};
// From a CHANGED push. Not ok: the refusal in an ERROR (a watch that failed after a reconnect).
[[nodiscard]] Result<Change> change_of(Message const& push);
// The next change of any table that the connection watches. Errors as for Connection::wait_push.
[[nodiscard]] Result<Change> wait_change(Connection& connection, Milliseconds limit, int wake_fd = -1);

class KeyValue {
 public:
  // `connection` must outlive it.
  KeyValue(Connection& connection, std::string table) : connection_(connection), table_(std::move(table)) {}

  [[nodiscard]] Result<Stored> set(std::string_view key, TypedValue const& value, SetOptions const& options = {});
  // All or none of at most 128 pairs, with keys that are UTF-8 and values that are no buffers. `if_timestamp`,
  // `if_value` and `watch` are for set() alone. Without `overwrite` one value that is there keeps all others out.
  [[nodiscard]] Result<Stored> set_many(std::span<std::pair<std::string, TypedValue> const> pairs,
                                        SetOptions const& options = {});
  // Empty: there is none.
  [[nodiscard]] Result<std::optional<Pair>> get(std::string_view key, GetOptions const& options = {});
  // In the order of the keys, any number of them; not one moment for all. Without the options of one key.
  [[nodiscard]] Result<std::vector<std::optional<Pair>>> get_many(std::span<std::string const> keys,
                                                                  GetOptions const& options = {});
  [[nodiscard]] Scan scan(Range range) { return {connection_, table_, std::move(range)}; }
  [[nodiscard]] Result<EraseResult> erase(std::string_view key, EraseOptions const& options = {});

  // To an integer or a float; a key that is not there counts as 0, and gets the type of `by`.
  [[nodiscard]] Result<Stored> add(std::string_view key, std::int64_t by = 1);
  [[nodiscard]] Result<Stored> add_real(std::string_view key, double by);
  // A boolean becomes the other one (NOT).
  [[nodiscard]] Result<Stored> invert(std::string_view key);
  // A string or a buffer has so many bytes from then on.
  [[nodiscard]] Result<Stored> truncate(std::string_view key, std::uint64_t size);
  // `exists`: the new key is taken, and `overwrite` does not say that its value goes.
  [[nodiscard]] Result<Stored> rename(std::string_view key, std::string_view new_key, bool overwrite = false);
  [[nodiscard]] Result<Stored> alias(std::string_view key, std::string_view new_key);

  // Until its end no other client changes the value; in_use: another client has it locked, see the fact lock_end. A
  // lock belongs to the connection: it is over when Connection::connects() has grown. One's own is renewed. Returns its
  // end.
  [[nodiscard]] Result<TimeMs> lock(std::string_view key, DurationMs lock);
  [[nodiscard]] Status unlock(std::string_view key);

  // From now on wait_change has changes of the key, or of all keys with the prefix, by any client; also after a
  // reconnect, which is told as `missed`. One notice for a key, whatever number of changes there was in between.
  [[nodiscard]] Status watch(std::string_view key);
  [[nodiscard]] Status watch_prefix(std::string_view prefix);
  [[nodiscard]] Status unwatch(std::string_view key);
  [[nodiscard]] Status unwatch_prefix(std::string_view prefix);

  // A command on this table that changes it, as the calls above send it: numbered, unless it has a condition.
  [[nodiscard]] Result<Stored> change(Message command);

  // For pipelining: the commands, and the meaning of their answers. Keys and values are borrowed.
  [[nodiscard]] Message set_of(std::string_view key, TypedValue const& value, SetOptions const& options = {}) const;
  [[nodiscard]] Message get_of(std::string_view key, GetOptions const& options = {}) const;
  [[nodiscard]] Message erase_of(std::string_view key, EraseOptions const& options = {}) const;
  [[nodiscard]] Message add_of(std::string_view key, TypedValue const& by) const;
  [[nodiscard]] static Result<Stored> stored_of(Reply const& reply);
  [[nodiscard]] static Result<std::optional<Pair>> found_of(Reply const& reply);
  [[nodiscard]] static Result<EraseResult> erased_of(Reply const& reply);

 private:
  [[nodiscard]] Message about(std::string_view command, std::string_view key) const;
  void remember_watch(std::string_view key);
  [[nodiscard]] Result<Reply> call(Message& command);

  Connection& connection_;
  std::string table_;
};

}  // namespace fastjournal::client
