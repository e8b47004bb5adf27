// Values of a key/value table in the memory of this program, for those who read the same keys often.
//
//   auto opened = Connection::open({.server = "127.0.0.1:4050"});
//   if (!opened.ok()) return complain(opened.status());
//   KeyValueCache cache(std::move(opened).value(), "values", {.prefix = "site:"});
//   auto found = cache.get("site:1");  // from the daemon the first time, from then on from memory
//   if (found.ok() && found.value() != nullptr) use(found.value()->value);
//
// Its promise, for changes by others:
//   - A value that memory has is returned until the daemon's notice of a change (CHANGED) has arrived here, and never
//     after that. The daemon sends it when the change is durable, so for about one way through the network a value
//     may be old.
//   - A lost connection, notices that were lost, and a watch that the daemon gave up empty the memory.
//   - It is not reported when a connection is silently gone (power, a cable). So memory answers only for CacheOptions::
//     silence_max after the last answer of the daemon was asked for; then one get() asks the daemon.
//   - An expiration date is known here, by this computer's clock; where that is late, the notice ends the value. A
//     value with `ttl` is read anew after a tenth of it: the daemon moves its end only for reads that it sees.
//   - set(), erase() and forget() drop the key at once. Other keys of the same value (ALIAS) wait for their notices.
// A get() that asked the daemon returns what the daemon answered, as KeyValue::get does.
//
// The daemon does not see reads from memory: they do not count as an access for `when-full` `evict`.
//
// One watch on a prefix, and not one for each key: dropping a pair costs no UNLISTEN, keys beyond the 10,000 that a
// connection may watch can be kept, and there is no moment between a GET and its LISTEN. The price are notices of keys
// that are not kept, so name the narrowest prefix.
//
// There is no C form of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "clients/cpp/client.h"
#include "clients/cpp/key_value.h"

namespace fastjournal::client {

struct CacheOptions {
  std::string prefix{};                                  // keys that are kept; empty: all of the table
  std::size_t pairs_max{10'000};                         // also keys without a value
  std::size_t bytes_max{std::size_t{64} * 1024 * 1024};  // of keys and values, with 256 for each pair
  Milliseconds silence_max{5'000};                       // kForever: memory answers until a loss is noticed
  std::function<TimeMs()> date{};                        // for tests; empty: this computer's clock
};

struct CachedValue {
  TypedValue value{};
  std::uint64_t timestamp{0};
  std::optional<TimeMs> expires{};
};

struct CacheFigures {
  std::uint64_t hits{0};    // answered from memory
  std::uint64_t misses{0};  // the daemon was asked
  std::size_t pairs{0};     // kept now
  std::size_t bytes{0};
};

// Belongs to one thread at a time, like its connection.
class KeyValueCache {
 public:
  // The connection is its own, as the notices on it must reach no other reader. The watch begins with the first get().
  KeyValueCache(std::unique_ptr<Connection> connection, std::string table, CacheOptions options = {});
  KeyValueCache(KeyValueCache const&) = delete;
  KeyValueCache& operator=(KeyValueCache const&) = delete;

  // Null: there is none. The value stays as it is while it is held, also when the cache has dropped it. Errors as for
  // KeyValue::get and KeyValue::watch_prefix; memory answers without a connection only until the loss is noticed.
  [[nodiscard]] Result<std::shared_ptr<CachedValue const>> get(std::string_view key);

  // As those of KeyValue. The key is dropped whatever becomes of the change.
  [[nodiscard]] Result<Stored> set(std::string_view key, TypedValue const& value, SetOptions const& options = {});
  [[nodiscard]] Result<EraseResult> erase(std::string_view key, EraseOptions const& options = {});

  // For all other commands, on the same connection: forget() the keys that they change. Watches are not for them.
  [[nodiscard]] KeyValue& values() { return values_; }
  // The next get() asks the daemon.
  void forget(std::string_view key);
  void clear();

  [[nodiscard]] CacheFigures figures() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<CachedValue const> value;
    std::size_t bytes;
    TimeMs ask_at;  // from then on the daemon is asked
  };
  // The last used first.
  using Entries = std::list<Entry>;
  using Moment = std::chrono::steady_clock::time_point;

  [[nodiscard]] Entry const* fresh(std::string_view key);
  void keep(std::string_view key, std::shared_ptr<CachedValue const> value, TimeMs ask_at);
  void drop(Entries::iterator entry);
  void take_notices();
  void take(Message const& push);

  std::unique_ptr<Connection> connection_;
  KeyValue values_;
  CacheOptions options_;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> places_;  // its keys are those of the entries
  std::size_t bytes_{0};
  bool watching_{false};
  // When the last command that was answered was sent: until then the connection lived.
  std::optional<Moment> lived_until_;
  // What the connection had lost when the memory was last known to be complete.
  std::uint64_t connects_{0};
  std::uint64_t pushes_dropped_{0};
  std::uint64_t hits_{0};
  std::uint64_t misses_{0};
};

}  // namespace fastjournal::client
