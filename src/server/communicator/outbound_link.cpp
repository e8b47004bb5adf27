#include "server/communicator/outbound_link.h"

#include <algorithm>

namespace fastjournal::communicator {

std::string OutboundLink::tick(std::int64_t now_us) {
  if (next_us() > now_us) return {};
  Result<ConnectionId> const made = network_.connect({address_}, {});
  if (made.ok()) {
    id_ = made.value();
    return {};
  }
  wait(now_us);
  if (std::exchange(complained_, true)) return {};
  return made.status().message();
}

bool OutboundLink::opened(ConnectionId id) {
  if (!is(id)) return false;
  open_ = true;
  complained_ = false;
  return true;
}

bool OutboundLink::closed(ConnectionId id, std::int64_t now_us) {
  if (!is(id)) return false;
  id_ = ConnectionId::none;
  open_ = false;
  if (next_us_ != INT64_MAX) wait(now_us);
  return true;
}

void OutboundLink::wait(std::int64_t now_us) {
  next_us_ = now_us + kWaitsUs[std::min(attempts_, kWaitsUs.size() - 1)];
  ++attempts_;
}

}  // namespace fastjournal::communicator
