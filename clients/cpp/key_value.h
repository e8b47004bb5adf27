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
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/made_key_value.h"
#include "fastjournal/types.h"

namespace fastjournal::client {

[[nodiscard]] inline ValueType type_of(TypedValue const& value) { return static_cast<ValueType>(value.index()); }
// As in messages: "void", "buffer", "string", "integer", "float", "boolean".
[[nodiscard]] std::string_view name_of(ValueType type);
[[nodiscard]] std::optional<ValueType> value_type_of(std::string_view name);

struct Stored {
  SetResult result{SetResult::stored};
  std::uint64_t timestamp{0};  // of the value that is there now; 0: none, or not told
  TypedValue value{};          // of add() and invert(): what is there now
  std::uint64_t count{0};      // of set_many(): pairs that were stored
  std::string key{};           // of set_many(): the one that exists, if any
  bool resent{false};          // the command was sent again after a loss: then `duplicate` is its own first sending
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

// With the calls of made_key_value.h.
class KeyValue : public KeyValueCalls {
 public:
  using KeyValueCalls::KeyValueCalls;

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

  // To an integer or a float; a key that is not there counts as 0, and gets the type of `by`.
  [[nodiscard]] Result<Stored> add(std::string_view key, std::int64_t by = 1);
  [[nodiscard]] Result<Stored> add_real(std::string_view key, double by);

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
  [[nodiscard]] Message add_of(std::string_view key, TypedValue const& by) const;
  [[nodiscard]] static Result<Stored> stored_of(Reply const& reply);
  [[nodiscard]] static Result<std::optional<Pair>> found_of(Reply const& reply);
  [[nodiscard]] static Result<EraseResult> erased_of(Reply const& reply);

 private:
  [[nodiscard]] Message about(std::string_view command, std::string_view key) const;
  void remember_watch(std::string_view key);
};

}  // namespace fastjournal::client
