// The services behind the connection to a communicatord: each of them waits and has leases of its own. So the engine
// knows each by a connection number that no network uses, and handles it like any connection. If a service goes down
// without the name of its server, it is taken as down on all servers: a wrong guess costs a TOUCH within the grace;
// otherwise a lost worker would keep its rows for the whole lease.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/types.h"

namespace fastjournal::communicator {

class Senders {
 public:
  // Beyond it, the sender that was silent for longest counts as gone.
  static constexpr std::size_t kMax = 10'000;

  [[nodiscard]] static bool is_sender(ConnectionId id) { return static_cast<std::uint64_t>(id) >= kFirst; }

  // The sender's number, the same until it is gone. `left`: the sender that had to make room for it.
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

  // Removes the senders of this service, in order. `server` empty: on any server.
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
  // Networks count from 1, and never reach this.
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

}  // namespace fastjournal::communicator
