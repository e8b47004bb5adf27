// The parts of the program with connections of their own (env::Dialer), as the server's network knows them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/env/dialer.h"

namespace fastjournal::server {

class Dialers {
 public:
  // They outlive the server.
  void add(env::Dialer& dialer) { all_.push_back(&dialer); }

  bool opened(ConnectionId id) {
    return std::ranges::any_of(all_, [&](env::Dialer* one) { return one->opened(id); });
  }
  bool received(ConnectionId id, std::string_view bytes) {
    return std::ranges::any_of(all_, [&](env::Dialer* one) { return one->received(id, bytes); });
  }
  bool writable(ConnectionId id) {
    return std::ranges::any_of(all_, [&](env::Dialer* one) { return one->writable(id); });
  }
  bool ended(ConnectionId id) {
    return std::ranges::any_of(all_, [&](env::Dialer* one) { return one->ended(id); });
  }
  bool closed(ConnectionId id, std::string_view reason) {
    return std::ranges::any_of(all_, [&](env::Dialer* one) { return one->closed(id, reason); });
  }

  void tick(std::int64_t now_us) {
    for (env::Dialer* const one : all_) one->tick(now_us);
  }
  void end_turn() {
    for (env::Dialer* const one : all_) one->end_turn();
  }
  [[nodiscard]] std::int64_t next_us() const {
    std::int64_t next = INT64_MAX;
    for (env::Dialer const* const one : all_) next = std::min(next, one->next_us());
    return next;
  }

 private:
  std::vector<env::Dialer*> all_;
};

}  // namespace fastjournal::server
