// A connection that the daemon opens: to a communicatord, or to the service that receives alerts. This class only
// connects and reconnects; service.h has the messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/env/network.h"

namespace fastjournal::communicator {

class OutboundLink {
 public:
  // Waits between attempts, as other services of a communicatord wait; the last one is repeated.
  static constexpr std::array<std::int64_t, 9> kWaitsUs{1'000'000,  1'000'000,  1'000'000,  3'000'000, 5'000'000,
                                                        10'000'000, 20'000'000, 30'000'000, 60'000'000};

  OutboundLink(env::Network& network, std::string address) : network_(network), address_(std::move(address)) {}

  // Tries to connect if it is time. Returns the reason of a failed attempt, once for each loss; else nothing.
  [[nodiscard]] std::string tick(std::int64_t now_us);
  // Called by the network; true if it is this connection.
  [[nodiscard]] bool opened(ConnectionId id);
  [[nodiscard]] bool closed(ConnectionId id, std::int64_t now_us);
  // A message was received: after a later loss attempts begin with the shortest wait.
  void heard() { attempts_ = 0; }
  // No more attempts.
  void give_up() { next_us_ = INT64_MAX; }

  [[nodiscard]] bool is(ConnectionId id) const { return id != ConnectionId::none && id == id_; }
  [[nodiscard]] bool is_open() const { return open_; }
  // The failure was not reported yet.
  [[nodiscard]] bool is_first_failure() { return !std::exchange(complained_, true); }
  [[nodiscard]] ConnectionId id() const { return id_; }
  [[nodiscard]] std::string const& address() const { return address_; }
  // The next date at which tick has work; INT64_MAX: never.
  [[nodiscard]] std::int64_t next_us() const { return id_ == ConnectionId::none ? next_us_ : INT64_MAX; }

 private:
  void wait(std::int64_t now_us);

  env::Network& network_;
  std::string address_;
  ConnectionId id_{ConnectionId::none};
  bool open_{false};
  bool complained_{false};
  std::size_t attempts_{0};
  std::int64_t next_us_{0};
};

}  // namespace fastjournal::communicator
