#include "server/communicator/outbound_links.h"

#include <algorithm>
#include <utility>

namespace fastjournal::communicator {

void OutboundLinks::join(OutboundOptions options) {
  options_ = std::move(options);
  if (!options_.communicator.empty()) communicator_ = std::make_unique<OutboundLink>(network_, options_.communicator);
  if (!options_.alert_address.empty()) alert_peer_ = std::make_unique<OutboundLink>(network_, options_.alert_address);
}

void OutboundLinks::tick(std::int64_t now_us) {
  for (OutboundLink* const one : {communicator_.get(), alert_peer_.get()}) {
    if (one == nullptr) continue;
    std::string const why = one->tick(now_us);
    if (!why.empty()) notes_.note(why + "; it is tried again and again");
  }
}

std::int64_t OutboundLinks::next_us() const {
  std::int64_t next = INT64_MAX;
  for (OutboundLink const* const one : {communicator_.get(), alert_peer_.get()})
    if (one != nullptr) next = std::min(next, one->next_us());
  return next;
}

void OutboundLinks::give_up() {
  if (communicator_ != nullptr) communicator_->give_up();
}

OutboundLink const* OutboundLinks::opened(ConnectionId id) {
  OutboundLink* const one = find(id);
  if (one != nullptr) static_cast<void>(one->opened(id));
  return one;
}

void OutboundLinks::closed(ConnectionId id, std::string_view reason, std::int64_t now_us) {
  OutboundLink* const one = find(id);
  if (one == nullptr) return;
  if (one->is_open() || one->is_first_failure())
    notes_.note("the connection to " + one->address() + " is gone (" + std::string{reason} + "); it is made again");
  static_cast<void>(one->closed(id, now_us));
}

void OutboundLinks::heard(ConnectionId id) {
  if (OutboundLink* const one = find(id)) one->heard();
}

ConnectionId OutboundLinks::alerts() const {
  if (alert_peer_ != nullptr) return id_of(alert_peer_.get());
  return options_.alert_service.empty() ? ConnectionId::none : communicator();
}

OutboundLink* OutboundLinks::find(ConnectionId id) const {
  for (OutboundLink* const one : {communicator_.get(), alert_peer_.get()})
    if (one != nullptr && one->is(id)) return one;
  return nullptr;
}

}  // namespace fastjournal::communicator
