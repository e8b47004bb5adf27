// Admission of connections: their number, in all and of each peer, and the places that are reserved for administrators,
// so that they cannot be locked out. One peer may have three quarters of all connections: on a small installation all
// clients connect from 127.0.0.1, and a smaller limit would lock them out instead. A quarter stays for other addresses
// and unix sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "fastjournal/protocol.h"
#include "fastjournal/status.h"

namespace fastjournal::server {

struct ConnectionLimits {
  std::size_t most{10'000};
  std::size_t reserved{16};     // in addition, for the administrator's socket
  std::size_t per_peer{7'500};  // of one origin (env::Peer)
  // A connection that sends no whole message for so long is closed: before the first message, and later. 0: never.
  std::int64_t first_message_us{30'000'000};
  std::int64_t idle_us{0};
};

// The message to a peer that gets no connection, or whose connection ends with this: there is no command to answer.
[[nodiscard]] std::string refusal_by(Protocol& protocol, std::string_view why, Code code = Code::over_limit);

class Admission {
 public:
  // The place of a connection, until it ends.
  enum class Place : std::uint8_t { none, ordinary, reserved };

  explicit Admission(ConnectionLimits limits) : limits_(limits) {}

  // over_limit: refused, with the reason. Administrators use ordinary places while there are any, then the reserved
  // ones.
  [[nodiscard]] Result<Place> enter(std::string const& origin, bool administrator);
  void leave(std::string const& origin, Place place);

 private:
  ConnectionLimits limits_;
  std::size_t ordinary_{0};
  std::size_t reserved_{0};
  std::map<std::string, std::size_t> by_origin_;  // connections in ordinary places
};

}  // namespace fastjournal::server
