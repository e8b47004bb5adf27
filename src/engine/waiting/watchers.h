// Clients that watch values of one table: a value by its key, or all values whose keys begin alike. A watcher is told of
// the newest state: however often a value changed since it was told last, that is one notice, and none while its
// connection accepts no bytes. What it watches beyond its share is given up, the oldest first, and it is told so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/waiting/subscriptions.h"
#include "fastjournal/message.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::work {

class Watchers {
 public:
  // The most of a table, of a connection, and of those by prefix. A change looks at all prefixes of its key.
  static constexpr std::size_t kMax = 100'000;
  static constexpr std::size_t kOfConnectionMax = 10'000;
  static constexpr std::size_t kPrefixesMax = 1'024;
  // Keys of one prefix that wait to be told; beyond, all of them count as changed.
  static constexpr std::size_t kKeysMax = 1'024;

  // The `request` of the command that began a watch: text, a number, or none.
  struct Listener {
    enum class Kind : std::uint8_t { none, text, number };
    Kind kind{Kind::none};
    std::uint64_t number{0};
    std::string text{};
  };
  // The message to a connection.
  struct Notice {
    enum class Kind : std::uint8_t {
      key,       // the value of this key
      all,       // so many of this prefix that all are to be read again
      given_up,  // it is watched no more
    };
    Kind kind{Kind::key};
    WatchRequest what{};  // all, given_up
    std::string key{};    // key
    Listener listener{};
  };

  Watchers() = default;
  Watchers(Watchers const&) = delete;
  Watchers& operator=(Watchers const&) = delete;

  void tell(Keeper& keeper) { keeper_ = &keeper; }
  // A second one of the same is in place of the first. `listener`: of the command; null: it has none.
  void watch(ConnectionId connection, WatchRequest const& request, Value const* listener);
  // False: it does not watch that.
  bool unwatch(ConnectionId connection, WatchRequest const& request);
  void closed(ConnectionId connection);
  // Its connection accepts no more bytes, or accepts bytes again.
  void stall(ConnectionId connection);
  void go_on(ConnectionId connection);
  // All of the table.
  [[nodiscard]] std::vector<std::pair<ConnectionId, WatchRequest>> end();

  [[nodiscard]] bool empty() const { return clients_.empty(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  // True: a watcher is to be told.
  bool changed(std::string_view key);
  // The connection whose turn it is; none: there is nothing to tell.
  [[nodiscard]] ConnectionId next() const { return line_.empty() ? ConnectionId::none : line_.front(); }
  // The oldest notice of that connection, which goes to the end of the line.
  [[nodiscard]] Notice take();

 private:
  struct Watch {
    ConnectionId connection{};
    WatchRequest what{};
    Listener listener{};
    bool is_changed{false};        // and stands in `changed` of its client
    bool is_all{false};            // of a prefix: more keys than are remembered
    std::set<std::string> keys{};  // of a prefix: those that changed
  };
  using Watches = std::list<Watch>;
  struct Client {
    Watches watches;  // the oldest first
    std::list<Watches::iterator> changed;
    Watches given_up;  // and not told yet
    bool is_stalled{false};
    bool is_in_line{false};
    std::int64_t kept{0};  // bytes last reported
  };
  using Clients = std::map<ConnectionId, Client>;
  using Index = std::map<std::string, std::map<ConnectionId, Watches::iterator>, std::less<>>;

  [[nodiscard]] Index& index_of(WatchRequest const& what) { return what.is_prefix ? prefixes_ : keys_; }
  void note(Watches::iterator watch, std::string_view key);
  void stand_in_line(ConnectionId connection, Client& client);
  void keep(ConnectionId connection, Client& client, std::int64_t bytes);
  // False: it does not watch that.
  bool drop(ConnectionId connection, Client& client, WatchRequest const& request);
  // Out of the index and of those that changed.
  void leave(Client& client, Watches::iterator watch);
  void give_up(Client& client, Watches::iterator watch);
  void keep_to_limits(Client& client);

  Clients clients_;
  Index keys_;
  Index prefixes_;
  std::list<ConnectionId> line_;  // those to be told something
  std::size_t size_{0};
  std::size_t prefixes_size_{0};
  Keeper* keeper_{nullptr};
};

}  // namespace fastjournal::work
