// The subscriptions of the caller: the LISTENs and the WATCH that the library sends again after a loss, and after a
// table has moved. Apart from the connection because it needs no socket.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients/cpp/socket.h"
#include "fastjournal/message.h"

namespace fastjournal::client {

class Link;

struct Subscription {
  Message message;
  std::string table{};  // empty: a WATCH of all tables of home
  Link* link{nullptr};  // where it was sent; null: it waits to be sent
  Moment due{};         // not before
  unsigned pauses{0};   // since it was in force
  std::uint64_t nr{0};  // of the command by which the library sent it last

  [[nodiscard]] bool waits() const { return link == nullptr; }
  void wait_until(Moment moment) {
    link = nullptr;
    due = moment;
    nr = 0;
  }
};

class Subscriptions {
 public:
  using List = std::vector<Subscription>;

  [[nodiscard]] List& all() { return all_; }
  [[nodiscard]] List const& all() const { return all_; }
  // In place of an equal one, which it returns.
  std::optional<Subscription> put(Message const& message, Link* link);
  void erase(Message const& message);
  // Null: it is not kept any more.
  [[nodiscard]] Subscription* find(std::uint64_t nr);
  // The connection of the WATCH. Null: there is none.
  [[nodiscard]] Link* link_of_watch() const;
  [[nodiscard]] bool any_waits() const;
  [[nodiscard]] bool any_on(Link const& link) const;
  // All on it wait to be sent: it is lost.
  void lose(Link const& link);

 private:
  List all_;
};

// Whether it is an UNLISTENED or UNWATCHED by which a daemon tells that the table is not with it any more.
[[nodiscard]] bool is_followed(Message const& push);
// Whether an UNLISTENED (of a table, and of a domain, a queue or a key, if it names one) or an UNWATCHED ends it.
[[nodiscard]] bool is_ended_by(Subscription const& subscription, Message const& push);

// A CHANGED with missed=1, for a watch of keys that was put in force again and answered so: what changed in between was
// not told. Nothing for other subscriptions.
[[nodiscard]] std::optional<Message> missed_of(Message const& answer);

}  // namespace fastjournal::client
