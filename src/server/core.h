// What there is without any connection: the engine, its time, its logs, and where their changes go. The first of the four
// assemblies of the server.
#pragma once

#include "base/env/clock.h"
#include "base/env/network.h"
#include "engine/engine.h"
#include "server/admin/backup.h"
#include "server/answers/feeds.h"
#include "server/audit.h"
#include "server/daemon_alerts.h"
#include "server/health.h"
#include "server/logs/exports.h"
#include "server/logs/served_logs.h"
#include "server/logs/table_files.h"
#include "server/server_host.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

class Core {
 public:
  // `replies` is used once the engine decides, not before.
  Core(env::Clock& system_clock, env::Network& network, engine::TableTypes const& types, ServerHost& host,
       work::ReplySink& replies);

  // Half-empty segments of many starts are merged before the next start needs room, even if the daemon never serves.
  [[nodiscard]] Status merge_half_empty_segments();
  // Transactions in several logs that are under way, at a clean end.
  [[nodiscard]] Status end_commits();
  [[nodiscard]] std::uint64_t compacted_bytes() const;

  engine::Engine engine;
  DaemonAlerts alerts;
  TurnClock clock;
  Audit audit;
  ServedLogs logs;
  TableFiles table_files;
  Exports exports;
  Feeds feeds;
  Health health;
  admin::Backup backup;
};

}  // namespace fastjournal::server
