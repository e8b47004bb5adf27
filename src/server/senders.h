// Who speaks over the connection to a communicatord: many services share it, and each waits and holds leases on its
// own. So the engine knows each of them by a connection number of its own, which no network gives. Waits, leases and
// their end are then those of any connection. A service that leaves without the name of a server leaves on all of them:
// a wrong guess costs a TOUCH within the grace; the other way, a page would be lost for a day.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/types.h"

namespace fastjournal::server {

class Senders {
 public:
  // Beyond it, the one that was silent for longest is as one that left.
  static constexpr std::size_t kMax = 10'000;

  [[nodiscard]] static bool is_sender(ConnectionId id) { return static_cast<std::uint64_t>(id) >= kFirst; }

  // The sender's number, the same until it leaves. `left`: who had to make room for it.
  [[nodiscard]] ConnectionId of(std::string_view server, std::string_view service, std::optional<ConnectionId>& left) {
    Name name{server, service};
    auto found = senders_.find(name);
    if (found != senders_.end()) {
      by_use_.erase(found->second.used);
    } else {
      if (senders_.size() >= kMax) left = forget(by_use_.begin()->second);
      found = senders_.emplace(std::move(name), Sender{ConnectionId{kFirst + ++last_}, 0}).first;
    }
    found->second.used = ++uses_;
    by_use_.emplace(found->second.used, found);
    return found->second.id;
  }

  // Those of this service leave, in order. `server` empty: whatever theirs is.
  [[nodiscard]] std::vector<ConnectionId> leave(std::string_view server, std::string_view service) {
    std::vector<ConnectionId> out;
    for (auto at = senders_.begin(); at != senders_.end();) {
      auto const next = std::next(at);
      if (at->first.second == service && (server.empty() || at->first.first == server)) out.push_back(forget(at));
      at = next;
    }
    return out;
  }
  [[nodiscard]] std::vector<ConnectionId> leave_all() {
    std::vector<ConnectionId> out = all();
    senders_.clear();
    by_use_.clear();
    return out;
  }
  [[nodiscard]] std::vector<ConnectionId> all() const {
    std::vector<ConnectionId> out;
    for (auto const& [name, sender] : senders_) out.push_back(sender.id);
    return out;
  }

 private:
  // Networks count from 1, and never come so far.
  static constexpr std::uint64_t kFirst = std::uint64_t{1} << 48U;

  struct Sender {
    ConnectionId id{};
    std::uint64_t used{0};
  };
  using Name = std::pair<std::string, std::string>;  // server, service
  using ByName = std::map<Name, Sender>;

  ConnectionId forget(ByName::iterator sender) {
    ConnectionId const id = sender->second.id;
    by_use_.erase(sender->second.used);
    senders_.erase(sender);
    return id;
  }

  ByName senders_;
  std::map<std::uint64_t, ByName::iterator> by_use_;  // the longest silent first
  std::uint64_t uses_{0};
  std::uint64_t last_{0};
};

}  // namespace fastjournal::server
