#include "server/session/admission.h"

namespace fastjournal::server {

std::string refusal_by(Protocol& protocol, std::string_view why, Code code) {
  // An ERROR always names a command.
  Param const params[] = {{"command", Value::of_text("CONNECT")},
                          {"code", Value::of_text(row_of(code).wire_name)},
                          {"message", Value::of_text(why)}};
  std::string out;
  protocol.write({.command = "ERROR", .params = params}, out);
  return out;
}

Result<Admission::Place> Admission::enter(std::string const& origin, bool administrator) {
  auto const found = by_origin_.find(origin);
  bool const peer_is_full = found != by_origin_.end() && found->second >= limits_.per_peer;
  bool const is_full = ordinary_ >= limits_.most;
  if (!peer_is_full && !is_full) {
    ++ordinary_;
    ++by_origin_[origin];
    return Place::ordinary;
  }
  if (administrator && reserved_ < limits_.reserved) {
    ++reserved_;
    return Place::reserved;
  }
  std::string text = peer_is_full && !is_full
                         ? "more than " + std::to_string(limits_.per_peer) + " connections of " + origin +
                               "; close some, or raise <limits connections-per-peer=\"...\">"
                         : "more than " + std::to_string(limits_.most) +
                               " connections; close some, or raise <limits connections=\"...\">";
  if (administrator) text += "; those kept for administrators (reserved-connections) are taken too";
  return Status{Code::over_limit, std::move(text)};
}

void Admission::leave(std::string const& origin, Place place) {
  if (place == Place::reserved) --reserved_;
  if (place != Place::ordinary) return;
  --ordinary_;
  auto const found = by_origin_.find(origin);
  if (--found->second == 0) by_origin_.erase(found);
}

}  // namespace fastjournal::server
