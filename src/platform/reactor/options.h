// Options and counters of the reactor. Apart from reactor.h because each of its parts goes by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "platform/reactor/posix.h"
#include "platform/tls/context.h"

namespace fastjournal::reactor {

struct ReactorOptions {
  // One more non-blocking look for readable sockets before the turn ends, if it can find any, so that one sync covers
  // more commands.
  bool gather{true};
  std::size_t read_bytes_max{256U << 10U};       // per connection and look
  std::size_t turn_bytes_max{4U << 20U};         // of all connections; the others are read first in the next turn
  std::uint32_t accepts_max{64};                 // per listening socket and look
  std::size_t connections_max{0};                // 0: the limit of open files minus the daemon's own need
  std::size_t connections_reserved{0};           // the last ones, for reserved listeners; at most a quarter
  std::uint32_t handshakes_max{256};             // of TLS under way; more wait in the kernel's queue
  std::uint32_t handshakes_per_origin_max{128};  // more are accepted and wait
  std::uint32_t handshakes_waiting_max{1024};    // of these; more are closed
  std::uint32_t handshake_steps_max{8};          // per turn: each may cost a millisecond of the processor
  std::int64_t handshake_limit_us{10'000'000};   // of one; then it is ended. Of our own with the connecting before it
  // Of a connection that was closed before its peer had sent everything: what still comes is read and dropped, up to any
  // of these, so that the peer gets what it was told last.
  std::uint64_t linger_bytes_max{64U << 20U};
  std::int64_t linger_us{30'000'000};
  std::int64_t linger_quiet_us{2'000'000};  // without a byte
  std::size_t lingering_max{256};           // more: the oldest one ends
  // A descriptor that becomes readable when the wall clock is set. Tests use their own, as they may not set the clock.
  std::function<Result<UniqueFd>()> watch_clock{&watch_wall_clock};
  std::function<void(std::string_view)> warn{};  // for the administrator; few lines

  // The limit for listeners that are not reserved.
  [[nodiscard]] std::size_t unreserved_max() const { return connections_max - connections_reserved; }
};

struct ReactorCounters {
  std::uint64_t turns{0};
  std::uint64_t looks{0};  // for readable sockets; more than two per turn: something wakes the loop in vain
  std::uint64_t accepted{0};
  std::uint64_t refused{0};             // for lack of a descriptor
  std::uint64_t not_allowed{0};         // connections and datagrams of users whom the listener's list does not name
  std::uint64_t handshakes{0};          // of TLS that were completed, with peers who came here
  std::uint64_t handshakes_resumed{0};  // of these, without certificates
  std::uint64_t handshakes_failed{0};   // the peer's certificate, version, protocol, or its end
  std::uint64_t handshakes_late{0};     // ended because they took too long
  std::uint64_t handshakes_plain{0};    // the peer spoke no TLS
};

// A listener that speaks TLS.
struct TlsListening {
  std::shared_ptr<tls::ServerContext const> context;
  std::string plain_refusal;  // the message to peers that do not speak TLS
};

}  // namespace fastjournal::reactor
