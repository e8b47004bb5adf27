// The daemon's core and outer core composed with a simulated clock, disk and
// network: the same engine, server, log and plugins, in one thread, by seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "server/server.h"
#include "storage/data_folder.h"
#include "storage/file_log.h"
#include "tests/sim/sim_disk.h"
#include "tests/sim/sim_log.h"
#include "tests/world/sim_network.h"

namespace fastjournal::sim {

class World final : public server::ServerHost {
 public:
  explicit World(std::uint64_t seed);
  ~World() override;

  // A table type beside the journal; `file`: its TYPE.xml.
  void add_type(PluginDescriptor const& plugin, std::string const& file);
  // Tables come from an XML file; call before start, or before restart and RELOAD.
  [[nodiscard]] Status add_table(std::string const& file);
  void add_table(core::Declaration declaration);
  // From the next start or RELOAD on it is not declared any more.
  void remove_table(std::string_view name);
  // From the next start or RELOAD on it has a feed (nothing: none).
  void set_feed(std::string_view table, std::optional<FeedDeclaration> feed);
  // It is declared without row-key, and without the options that need one.
  void drop_key(std::string_view table);
  void set_wake_message(std::string_view table, WakeMessage message);
  // From the next start on tables that name this log have a simulated one. It outlives the daemon.
  SimLog& use_sim_log(std::string const& name);
  [[nodiscard]] Status start();
  // Power cut: unsynced sectors and names may be lost, by seed. Not started again.
  void power_cut();
  // kill -9: everything given to the kernel is still there.
  void kill();
  [[nodiscard]] Status stop();
  [[nodiscard]] bool is_running() const { return server_ != nullptr; }

  // Called with each new server, before it serves.
  std::function<void(server::Server&)> configure;
  [[nodiscard]] std::string const& stop_reason() const { return stop_reason_; }

  // Clients by name; the first use connects, `admin` by the administrator's socket, `NAME@192.0.2.7` from that
  // address. `line` without LF.
  void send(std::string const& name, std::string_view line);
  [[nodiscard]] std::optional<std::string> take_line(std::string const& name);
  // From its next connection on this client comes by a listener of its own, with these rights.
  void give_rights(std::string const& name, Rights rights);
  // The daemon has closed its connection.
  [[nodiscard]] bool is_closed(std::string const& name);
  void close(std::string const& name);
  // Its connection; it connects if it did not. "NAME@ADDRESS" comes from there.
  [[nodiscard]] SimNetwork::Connection& connection(std::string const& name);
  [[nodiscard]] ConnectionId id_of(std::string const& name) const { return clients_.at(name); }
  // Runs turns until nothing is left to do at this moment.
  void settle();
  // Time passes, stopping at every date that something is due.
  void advance(DurationMs span);
  // Somebody sets the clock of the wall, forward or back; the daemon hears of it, if it runs.
  void set_clock(DurationMs by);
  // The computer sleeps. Whatever is due then is due as it wakes.
  void suspend(DurationMs span);
  [[nodiscard]] TimeMs began() const { return began_; }
  [[nodiscard]] TimeMs now() { return server_->time().now(); }

  [[nodiscard]] core::Engine& engine() { return server_->engine(); }
  [[nodiscard]] server::Server& server() { return *server_; }
  [[nodiscard]] SimDisk& disk() { return disk_; }
  [[nodiscard]] storage::FileLog& log(std::string_view name = "shared") { return *logs_.find(name)->second; }
  [[nodiscard]] SimNetwork& network() { return network_; }
  [[nodiscard]] SimClock& clock() { return clock_; }
  [[nodiscard]] core::TableTypes const& types() const { return types_; }
  // Of a second engine that is fed what stands in the log.
  [[nodiscard]] Result<std::uint64_t> replayed_digest();
  // The last date that a log knows, while no daemon runs.
  [[nodiscard]] TimeMs last_logged();
  // The write or sync error that ended the daemon, if one did.
  [[nodiscard]] Status const& fatal_error() const { return fatal_; }
  // Alerts as they left the daemon, since it last started.
  [[nodiscard]] std::vector<core::AlertNotice> const& told() const { return told_; }
  // Lines in the daemon's log, since it last started.
  [[nodiscard]] std::vector<std::string> const& notes() const { return notes_; }
  [[nodiscard]] std::vector<std::string> const& informed() const { return informed_; }
  // What it was asked to keep of refused messages, "TABLE: text". Durable at once, or, held, with the outcome that is told.
  [[nodiscard]] std::vector<std::string> const& kept() const { return kept_; }
  void hold_refused() { refused_held_ = true; }
  void tell_kept(Status const& status);
  storage::LogOptions log_options;
  server::ServerLimits limits;  // from the next start on
  // From the next start on, as TableContext's; a replay in between has 0.
  std::uint64_t hash_seed{0};
  // Of the next starts.
  server::ClockRules clock_rules;
  // Memory ended; whether it can be had again.
  bool memory_ended{false};
  bool memory_stays_short{false};
  // Syncs on a thread do not end, unless somebody must wait for one: of all logs; of one.
  void hold_flushes(bool paused);
  void hold_syncs(core::LogStore& log, bool paused);

 private:
  Result<core::Declarations> read_declarations() override { return declarations_; }
  void stop(std::string_view reason) override { stop_reason_ = reason; }
  void restart(std::string_view reason) override { stop_reason_ = "restart: " + std::string{reason}; }
  [[nodiscard]] Status rotate_log() override { return {}; }
  void fatal(Status const& status) override { fatal_ = status; }
  void run_job(core::LogStore& log, core::Lane lane, std::unique_ptr<core::LogJob> job) override;
  void wait_for_sync(core::LogStore& log) override;
  void collect_work() override;
  void tell(core::AlertNotice const& notice) override { told_.push_back(notice); }
  [[nodiscard]] std::string data_folder() const override { return {}; }
  void note(std::string_view text) override { notes_.emplace_back(text); }
  void inform(std::string_view text) override { informed_.emplace_back(text); }
  void keep_refused(std::string_view table, std::string text, std::uint64_t ticket) override;
  [[nodiscard]] bool has_memory_ended() override { return memory_ended; }
  [[nodiscard]] bool restore_memory() override { return !(memory_ended = memory_ended && memory_stays_short); }
  [[nodiscard]] std::set<std::string> log_names() const;
  [[nodiscard]] Status open_logs();
  [[nodiscard]] Status open_sim_log(core::HostedLog& hosted, SimLog& log);
  void tear_down();
  void change_declaration(std::string_view table, std::function<void(TableDeclaration&)> const& change);

  std::uint64_t seed_;
  SimClock clock_;
  SimNetwork network_;
  SimDisk disk_;
  std::unique_ptr<storage::DataFolder> data_;
  core::TableTypes types_;
  core::Declarations declarations_;
  std::map<std::string, ConnectionId> clients_;
  std::map<std::string, std::pair<std::uint32_t, Rights>> listeners_;  // of clients with one of their own
  std::unique_ptr<server::Server> server_;
  // By name: "shared", and those that tables name.
  std::map<std::string, std::unique_ptr<storage::FileLog>, std::less<>> logs_;
  TimeMs began_{};
  Status fatal_;
  std::vector<core::AlertNotice> told_;
  std::vector<std::string> notes_;
  std::vector<std::string> informed_;
  std::vector<std::string> kept_;
  std::vector<std::uint64_t> keeping_;  // tickets
  bool refused_held_{false};
  std::string stop_reason_;
  // A sync on its way: its bytes reach the disk at its begin or at its end, and turns pass before it is told.
  struct FlushUnderWay {
    std::unique_ptr<core::LogJob> job;
    bool ran{false};
    std::uint64_t turns{0};
  };
  std::map<core::LogStore*, FlushUnderWay> flushes_;
  bool flushes_held_{false};
  std::set<core::LogStore*> held_;
  std::map<std::string, std::unique_ptr<SimLog>, std::less<>> sim_logs_;
  std::mt19937_64 flush_chance_;
};

}  // namespace fastjournal::sim
