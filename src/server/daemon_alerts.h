// Alerts of the daemon itself. They are logged by the end of a turn, which follows at once. Owned by the server, for
// its parts that raise some.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/env/network.h"
#include "engine/engine.h"

namespace fastjournal::server {

class DaemonAlerts {
 public:
  DaemonAlerts(engine::Engine& engine, env::Network& network) : engine_(engine), network_(network) {}

  void raise(std::string_view name, std::uint8_t priority, std::string_view message, std::string_view tags) {
    engine_.alerting().raise(nullptr, name, priority, message, tags);
    network_.turn_again();
  }
  void lower(std::string_view name) {
    if (!is_up(name)) return;
    engine_.alerting().lower(nullptr, name);
    network_.turn_again();
  }
  [[nodiscard]] bool is_up(std::string_view name) const { return engine_.alerting().is_up(nullptr, name); }

 private:
  engine::Engine& engine_;
  env::Network& network_;
};

}  // namespace fastjournal::server
