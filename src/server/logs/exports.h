// Tables that are mirrored in SQL databases (<connect>): what they are made of (Exported) is written there after each
// change, once that is durable, beside the loop. Nothing waits for it, and it is never read back.
//
// For each table one state at most is on its way, and one mark says that there is a newer one: whatever is changed in
// between is in the next. A database that is away is an alert of the table, and is tried again. Owned by the server.
//
// A turn looks at the tables that changed, wait for their records to be durable, or are due: not at the others, of which
// there may be ten thousand.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/env/network.h"
#include "engine/engine.h"
#include "fastjournal/types.h"
#include "server/logs/export_job.h"
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
  Exports(Exports const&) = delete;
  Exports& operator=(Exports const&) = delete;

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
  [[nodiscard]] std::int64_t next_us() const { return due_.empty() ? INT64_MAX : due_.begin()->first; }
  // Tables that turns looked at since the start.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

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

  // Its next state is to be taken, as soon as it may.
  void want(std::size_t index);
  void take(One& one, std::int64_t now_us);
  void look_at_changed();
  void take_due(std::int64_t now_us);
  void send_durable();
  [[nodiscard]] static bool is_durable(One const& one);

  engine::Engine& engine_;
  ExportHost& host_;
  env::Network& network_;
  TurnClock& clock_;
  std::vector<One> all_;
  std::unordered_map<engine::HostedTable const*, std::size_t> by_table_;  // indices
  std::vector<engine::HostedTable*> changed_;                             // since the last turn
  std::set<std::pair<std::int64_t, std::size_t>> due_;  // wanted, not taken and not out: when it may be
  std::vector<std::size_t> waiting_;                    // taken, and not durable yet
  std::uint64_t looks_{0};
  std::uint64_t numbers_{0};
};

}  // namespace fastjournal::server
