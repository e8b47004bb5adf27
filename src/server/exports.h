// Tables that are mirrored in SQL databases (<connect>): what they are made of (Exported) is written there after each
// change, once that is durable, beside the loop. Nothing waits for it, and it is never read back.
//
// For each table one state at most is on its way, and one mark says that there is a newer one: whatever is changed in
// between is in the next. A database that is away is an alert of the table, and is tried again. Owned by the server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "env/network.h"
#include "fastjournal/types.h"
#include "server/export_job.h"
#include "server/server_host.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

inline constexpr std::string_view kExportFailed = "export-failed";

class Exports {
 public:
  // From the beginning of an export to that of the next of the same table.
  static constexpr std::int64_t kPauseUs = 1'000'000;
  // After failures in a row: twice as long each time, up to this.
  static constexpr std::int64_t kPauseMaxUs = 60'000'000;

  Exports(engine::Engine& engine, ExportHost& host, env::Network& network, TurnClock& clock)
      : engine_(engine), host_(host), network_(network), clock_(clock) {}

  // No table is mirrored: the usual case.
  [[nodiscard]] bool empty() const { return all_.empty(); }
  // At the start and after each reload, before another turn: every table that is to be mirrored is exported.
  void look();
  // Before the logs are committed: true if they should be synced, as a state waits for records that were only written.
  [[nodiscard]] bool wants_sync();
  // After that.
  void end_turn();
  void done(std::unique_ptr<ExportJob> job);
  // INT64_MAX: not before something changes.
  [[nodiscard]] std::int64_t next_us() const;

 private:
  struct One {
    std::uint64_t number{0};
    engine::HostedTable* table{nullptr};
    std::string connect{};
    std::string catalog{};
    bool is_wanted{true};
    std::uint64_t version{0};  // of the state that was taken last
    // Taken, and not durable yet.
    std::unique_ptr<ExportJob> waiting{};
    Lsn needed{};
    bool asked_to_sync{false};
    bool is_out{false};
    std::int64_t not_before_us{0};
    std::int64_t pause_us{0};  // after the last failure; 0: it did not fail
  };

  void take(One& one, std::int64_t now_us);
  void end(One const& one);
  [[nodiscard]] static bool is_durable(One const& one);

  engine::Engine& engine_;
  ExportHost& host_;
  env::Network& network_;
  TurnClock& clock_;
  std::vector<One> all_;
  std::uint64_t numbers_{0};
};

}  // namespace fastjournal::server
