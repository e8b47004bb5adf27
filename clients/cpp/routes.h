// Where the commands of each table go: to home, the daemon that Options::server names, or to the node that a daemon has
// told with `moved`. Apart from the connection because it needs no socket: a Link is only a name here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/cpp/client.h"

namespace fastjournal::client {

class Link;

struct Route {
  std::string address{};  // empty: home
  std::uint64_t token{0};
  // The open connection there. Null: there is none yet.
  Link* link{nullptr};
  // Nodes decide for the table in turn, so each of them can tell where it is.
  bool is_shared{false};
  // Some of its commands wait, or are in flight elsewhere: later ones must not overtake them.
  bool unsettled{false};
  bool blocked{false};  // of Connection::Body::send_waiting
};

// What `moved` says, in an ERROR or an UNLISTENED.
struct Moved {
  std::string address{};  // with "tls:" if that was so of the daemon that says it; empty: it does not know
  std::optional<std::uint64_t> token{};
};
// `told_by`: the address of the daemon that says it.
[[nodiscard]] Moved moved_of(Message const& message, std::string_view told_by);

// Of Options::server: at least one, possibly empty or malformed.
[[nodiscard]] std::vector<std::string> addresses_of(std::string_view server);

class Routes {
 public:
  explicit Routes(Link& home) : home_(home) {}

  // False: all tables are at home, and nothing waits for an order.
  [[nodiscard]] bool any() const { return !routes_.empty(); }
  // Null: at home.
  [[nodiscard]] Route* find(std::string_view table);
  // Made if it is not there yet, to home. References stay valid.
  [[nodiscard]] Route& of(std::string_view table);
  // The connection to which its commands go now. Null: it is still to be made.
  [[nodiscard]] Link* target_of(std::string_view table);

  // `link` says that the table has moved. False: ask again after a pause only, as this answer brings nothing new. An
  // older token than the known one is not followed, and neither is an unknown address.
  [[nodiscard]] bool follow(Route& route, Moved const& moved, Link const& link);
  // There is no connection to `address`: the routes to it lead home.
  void forget(std::string_view address);
  // `link` did not answer in time. It may hang for long: home knows whether another decides for the table by now.
  void doubt(std::string_view table, Link const& link);
  // Of home, which is lost: its routes lead to the next home, whatever its token is. Tokens begin anew where a log was
  // restored from a backup, and no daemon lives over that.
  void forget_home();
  [[nodiscard]] bool has_route_to(Link const& link) const;
  void unblock();

 private:
  Link& home_;
  std::map<std::string, Route, std::less<>> routes_;
};

}  // namespace fastjournal::client
