// The daemon's core and server with a simulated clock, disk and network: the same engine, server, log and plugins as in
// the real daemon, in one thread and determined by a seed.
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

#include "log/file/data_folder.h"
#include "log/file/file_log.h"
#include "server/server.h"
#include "tests/sim/sim_disk.h"
#include "tests/sim/sim_log.h"
#include "tests/support/zones.h"
#include "tests/world/sim_network.h"

namespace fastjournal::sim {

class World final : public server::ServerHost {
 public:
  explicit World(std::uint64_t seed);
  ~World() override;

  // Adds a table type to those of the daemon. `file`: its TYPE.xml.
  void add_type(PluginDescriptor const& plugin, std::string const& file);
  // Adds a table from an XML file. Takes effect with the next start or RELOAD.
  [[nodiscard]] Status add_table(std::string const& file);
  void add_table(engine::Declaration declaration);
  // As it is declared; null: it is not.
  [[nodiscard]] engine::Declaration declaration(std::string_view name) const;
  // The table is not declared any more. Takes effect with the next start or RELOAD.
  void remove_table(std::string_view name);
  // Gives the table a feed, or none. Takes effect with the next start or RELOAD.
  void set_feed(std::string_view table, std::optional<FeedDeclaration> feed);
  // It is to be in this log, from the next RELOAD and MOVE on.
  void set_log(std::string_view table, std::string const& log);
  // Opened whether a table is declared for them or not.
  std::set<std::string> more_logs;
  // Declares the table without row-key and the options that need one.
  void drop_key(std::string_view table);
  void set_wake_message(std::string_view table, WakeMessage message);
  // Tables that name this log get a simulated one from the next start on. It outlives the daemon.
  SimLog& use_sim_log(std::string const& name);
  // Tables that name this log get one that is shared with other worlds: made at each start, and gone with the daemon.
  using SharedLogMaker = std::function<std::shared_ptr<log::SharedLog>(log::Following&)>;
  void share_log(std::string const& name, SharedLogMaker make) { shared_log_makers_[name] = std::move(make); }
  [[nodiscard]] log::SharedLog& shared_log(std::string const& name) { return *shared_logs_.at(name); }
  [[nodiscard]] Status start();
  // Power cut: unsynced sectors and names may be lost, by seed. Does not start again.
  void power_cut();
  // kill -9: everything given to the kernel is still there.
  void kill();
  [[nodiscard]] Status stop();
  [[nodiscard]] bool is_running() const { return server_ != nullptr; }

  // Called with each new server before it serves.
  std::function<void(server::Server&)> configure;
  [[nodiscard]] std::string const& stop_reason() const { return stop_reason_; }

  // Clients by name, connected at first use: `admin` over the administrator's socket, `NAME@192.0.2.7` from that
  // address. `line` without LF.
  void send(std::string const& name, std::string_view line);
  [[nodiscard]] std::optional<std::string> take_line(std::string const& name);
  // From its next connection on, this client connects to a listener of its own with these rights.
  void give_rights(std::string const& name, Rights rights);
  // From its next connection on, this client connects to this address. It is that of a listener.
  void come_by(std::string const& name, std::string const& address);
  // Listeners of tables' files, from the next start or RELOAD on.
  std::vector<access::ListenDeclaration> table_listeners;
  // Those of the daemon's file, from the next start on: opened beside those that every world has.
  std::vector<access::ListenDeclaration> own_listeners;
  // True if the daemon has closed this client's connection.
  [[nodiscard]] bool is_closed(std::string const& name);
  void close(std::string const& name);
  // The same; what it causes happens in later turns.
  void drop(std::string const& name);
  // The client's connection, made at first use. "NAME@ADDRESS" connects from that address.
  [[nodiscard]] SimNetwork::Connection& connection(std::string const& name);
  [[nodiscard]] ConnectionId id_of(std::string const& name) const { return clients_.at(name); }
  // One turn. False: nothing is left to do at this moment.
  bool turn();
  // Runs turns until nothing is left to do at this moment.
  void settle();
  // Time passes; turns run at every date at which something is due.
  void advance(DurationMs span);
  // Sets the wall clock forward or back; a running daemon is told.
  void set_clock(DurationMs by);
  // The computer sleeps. What became due meanwhile is due when it wakes.
  void suspend(DurationMs span);
  [[nodiscard]] TimeMs began() const { return began_; }
  [[nodiscard]] TimeMs now() { return server_->clock().time().now(); }

  [[nodiscard]] engine::Engine& engine() { return server_->engine(); }
  [[nodiscard]] server::Server& server() { return *server_; }
  [[nodiscard]] SimDisk& disk() override { return disk_; }
  [[nodiscard]] log::file::FileLog& log(std::string_view name = "shared") { return *logs_.find(name)->second; }
  [[nodiscard]] SimNetwork& network() { return network_; }
  [[nodiscard]] SimClock& clock() { return clock_; }
  [[nodiscard]] engine::TableTypes const& types() const { return types_; }
  // The digest of a second engine that replays the log.
  [[nodiscard]] Result<std::uint64_t> replayed_digest();
  // The latest date in any log; call it while no daemon runs.
  [[nodiscard]] TimeMs last_logged();
  // The write or sync error that ended the daemon, if one did.
  [[nodiscard]] Status const& fatal_error() const { return fatal_; }
  // Alerts that the daemon told since its last start.
  [[nodiscard]] std::vector<log::AlertNotice> const& told() const { return told_; }
  // From the next start or RELOAD on.
  void set_users(access::Users users) { users_ = std::move(users); }
  void break_users(Status why) { users_ = std::move(why); }
  // Hashes of tokens are not computed until this ends.
  void hold_hashes(bool paused);
  [[nodiscard]] std::size_t hashes() const { return hashes_; }  // computed so far
  // Lines that the daemon logged since its last start.
  [[nodiscard]] std::vector<std::string> const& notes() const { return notes_; }
  [[nodiscard]] std::vector<std::string> const& informed() const { return informed_; }
  // Refused messages that the daemon was to keep, "TABLE: text". They are durable at once; with hold_refused(), when
  // tell_kept() says so.
  [[nodiscard]] std::vector<std::string> const& kept() const { return kept_; }
  void hold_refused() { refused_held_ = true; }
  void tell_kept(Status const& status);
  log::file::LogOptions log_options;
  server::ServerLimits limits;  // from the next start on
  // From the next start on, as in TableContext; a replay in between uses 0.
  std::uint64_t hash_seed{0};
  // From the next start on.
  server::ClockRules clock_rules;
  // The process is out of memory; whether it stays so.
  bool memory_ended{false};
  bool memory_stays_short{false};
  // Holds syncs on a thread back, except those that the loop waits for: of all logs, or of one.
  void hold_flushes(bool paused);
  // The same of jobs of byte files.
  void hold_byte_jobs(bool paused);
  void hold_syncs(log::LogStore& log, bool paused);
  // The database of exports: called with each, on the turn after it was begun. None: all goes well.
  std::function<Status(server::ExportJob const&)> database;
  // The same: exports are under way until this ends.
  void hold_exports(bool paused);
  [[nodiscard]] std::size_t exports_under_way() const { return export_jobs_.size(); }

 private:
  Result<Contents> read_declarations() override { return Contents{declarations_, table_listeners, own_listeners}; }
  [[nodiscard]] Result<server::Listener> open_listener(std::uint32_t number,
                                                       access::ListenDeclaration const& declared) override;
  [[nodiscard]] Status can_listen(access::ListenDeclaration const& declared) override;
  void stop(std::string_view reason) override { stop_reason_ = reason; }
  void restart(std::string_view reason) override { stop_reason_ = "restart: " + std::string{reason}; }
  [[nodiscard]] Status rotate_log() override { return {}; }
  void fatal(Status const& status) override { fatal_ = status; }
  void run_job(log::LogStore& log, log::Lane lane, std::unique_ptr<log::LogJob> job) override;
  void wait_for_sync(log::LogStore& log) override;
  void collect_work() override;
  std::string bytes_root() const override { return "/data"; }
  void run_byte_job(storage::ByteFiles& files, storage::Lane lane, std::unique_ptr<storage::Job> job) override;
  void collect_byte_work() override;
  void run_export(std::unique_ptr<server::ExportJob> job) override;
  void tell(log::AlertNotice const& notice) override { told_.push_back(notice); }
  [[nodiscard]] std::string folder_of(log::LogStore const& log) const override { return "/" + log.describe().folder; }
  void reload_refused(Status const& why) override { notes_.push_back("reload refused: " + why.message()); }
  void note(std::string_view text) override { notes_.emplace_back(text); }
  void inform(std::string_view text) override { informed_.emplace_back(text); }
  void keep_refused(std::string_view table, std::string text, std::uint64_t ticket) override;
  void run_hash(std::unique_ptr<access::HashJob> job) override;
  [[nodiscard]] Result<access::Users> read_users() override { return users_; }
  [[nodiscard]] access::DigestKey login_key() override { return {1}; }
  [[nodiscard]] bool has_memory_ended() override { return memory_ended; }
  [[nodiscard]] bool restore_memory() override { return !(memory_ended = memory_ended && memory_stays_short); }
  [[nodiscard]] std::set<std::string> log_names() const;
  [[nodiscard]] Status open_logs();
  [[nodiscard]] Status open_sim_log(engine::HostedLog& hosted, SimLog& log);
  void tear_down();
  void change_declaration(std::string_view table, std::function<void(TableDeclaration&)> const& change);

  std::uint64_t seed_;
  fastjournal::test::RuleZones zones_;
  SimClock clock_;
  SimNetwork network_;
  SimDisk disk_;
  std::unique_ptr<log::file::DataFolder> data_;
  engine::TableTypes types_;
  engine::Declarations declarations_;
  std::map<std::string, ConnectionId> clients_;
  std::map<std::string, std::pair<std::uint32_t, Rights>> listeners_;  // of clients with a listener of their own
  std::map<std::string, std::string> addresses_;                       // of clients that connect to one
  std::unique_ptr<server::Server> server_;
  // By name: "shared", and the logs that tables name.
  std::map<std::string, std::unique_ptr<log::file::FileLog>, std::less<>> logs_;
  TimeMs began_{};
  Status fatal_;
  std::vector<log::AlertNotice> told_;
  std::vector<std::string> notes_;
  std::vector<std::string> informed_;
  std::vector<std::string> kept_;
  std::vector<std::uint64_t> keeping_;  // tickets
  bool refused_held_{false};
  Result<access::Users> users_{access::Users{}};
  std::vector<std::unique_ptr<access::HashJob>> hash_jobs_;
  bool hashes_held_{false};
  std::vector<std::unique_ptr<server::ExportJob>> export_jobs_;
  bool exports_held_{false};
  std::size_t hashes_{0};
  std::string stop_reason_;
  // A sync under way: its bytes reach the disk when it begins or when it ends, and it is reported some turns later.
  struct FlushUnderWay {
    std::unique_ptr<log::LogJob> job;
    bool ran{false};
    std::uint64_t turns{0};
  };
  std::map<log::LogStore*, FlushUnderWay> flushes_;
  bool flushes_held_{false};
  std::set<log::LogStore*> held_;
  std::map<std::string, std::unique_ptr<SimLog>, std::less<>> sim_logs_;
  std::map<std::string, SharedLogMaker> shared_log_makers_;
  std::map<std::string, std::shared_ptr<log::SharedLog>> shared_logs_;
  std::mt19937_64 flush_chance_;
  // Jobs of byte files: run and given back some turns later, those of one lane of a table in their order.
  struct ByteJob {
    storage::ByteFiles* files;
    storage::Lane lane;
    std::unique_ptr<storage::Job> job;
    bool ran;
    std::uint64_t turns;
  };
  std::vector<ByteJob> byte_jobs_;
  bool byte_jobs_held_{false};
  std::mt19937_64 byte_chance_;
};

}  // namespace fastjournal::sim
