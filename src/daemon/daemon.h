// Composes the daemon: configuration, plugins, logs, server, reactor. All I/O outside of os/ and reactor/ is here;
// nothing is decided here.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/daemon_declaration.h"
#include "config/tables_folder.h"
#include "daemon/blocked_signals.h"
#include "daemon/certificates.h"
#include "daemon/options.h"
#include "daemon/parts.h"
#include "daemon/supervisor.h"
#include "daemon/tables_watch.h"
#include "engine/types.h"
#include "log/file/data_folder.h"
#include "log/log_store.h"
#include "platform/alerts/alert_sender.h"
#include "platform/os/background.h"
#include "platform/os/ballast.h"
#include "platform/os/clock.h"
#include "platform/os/file_access.h"
#include "platform/os/heap_ahead.h"
#include "platform/os/posix_disk.h"
#include "platform/os/table_types.h"
#include "platform/os/workers.h"
#include "platform/os/zones.h"
#include "platform/reactor/reactor.h"
#include "server/check_tables.h"
#include "server/server.h"

namespace fastjournal::daemon {

class Daemon final : public server::ServerHost {
 public:
  explicit Daemon(Options options);
  ~Daemon() override;

  // Reads everything. Not ok: every mistake found, one per line.
  [[nodiscard]] Status prepare();
  // Instead of serve, after prepare.
  [[nodiscard]] Status write_message_files() const;
  // Recovers, prints the banner, and serves until told to stop.
  [[nodiscard]] Status serve();
  // It could not start, or its loop broke.
  void ended_by(Status const& status) { supervisor_.failed(status.message()); }
  // Asks the supervisor of the daemon to start it again.
  [[nodiscard]] bool wants_restart() const { return restart_; }

 private:
  void declare_administrator();
  [[nodiscard]] Status check_listening(bool in_data_folder);
  [[nodiscard]] Status check_listening(std::vector<config::ListenDeclaration>& all, bool in_data_folder);
  // Sockets that the supervisor passed; each is named by a listener.
  [[nodiscard]] Status adopt_sockets();
  // Where <connect> of a table's file leads.
  [[nodiscard]] std::string export_place(std::string const& connect) const;
  [[nodiscard]] std::string address_of(config::ListenDeclaration const& declared) const;
  [[nodiscard]] bool is_passed(config::ListenDeclaration const& declared) const;
  void make_folder_of(config::ListenDeclaration const& socket) const;
  // By what only this computer knows: its users and groups. Not ok: it cannot be listened on as declared.
  [[nodiscard]] Status complete(env::ListenOptions& options, config::ListenDeclaration const& declared) const;
  [[nodiscard]] server::ConnectionLimits connection_limits() const;
  // Checks that it is the right folder, before anything is made in it.
  [[nodiscard]] Status take_data_folder();
  // logs.cpp
  [[nodiscard]] Status open_logs();
  [[nodiscard]] Status open_file_log(config::LogDeclaration const& log, os::ThreadWorkers& workers);
  [[nodiscard]] Status open_shared_log(config::LogDeclaration const& log);
  [[nodiscard]] Status read_cluster();
  // Of the folder of plugins, once it is named by a log or a table.
  [[nodiscard]] Status load_sql(TableDeclaration const& table);
  [[nodiscard]] engine::Declarations tables_to_forget() const;
  // If a signal says so: ends here, like kill -9 but with a message. Startup is crash-safe, so an orderly unwinding
  // adds nothing.
  void end_start_if_told() const;
  [[nodiscard]] Status read_tls();
  [[nodiscard]] std::function<std::unique_ptr<Protocol>()> protocol_of(config::ListenDeclaration const& listen) const;
  [[nodiscard]] std::shared_ptr<void> shared_by_connections(PluginProtocol const& protocol,
                                                            std::string const& table) const;
  [[nodiscard]] std::function<std::unique_ptr<Protocol>()> protocol_of_type(
      config::ListenDeclaration const& listen) const;
  [[nodiscard]] Status start_listening();
  // As clients write the address.
  [[nodiscard]] Result<env::Address> listen(config::ListenDeclaration const& declared, std::uint32_t number);
  [[nodiscard]] Status take_datagrams(config::UdpDeclaration const& udp);
  [[nodiscard]] Status take_signals();
  [[nodiscard]] Status tell_supervisor();
  // One line for people: tables, rows, connections, alerts.
  [[nodiscard]] std::string status_line() const;
  void start_sending_alerts();
  void join_neighbours();
  void print_banner() const;
  void reload_by_signal();

  // -- server::ServerHost ------------------------------------------------
  [[nodiscard]] Result<Contents> read_declarations() override;
  [[nodiscard]] Result<server::Listener> open_listener(std::uint32_t number,
                                                       config::ListenDeclaration const& declared) override;
  [[nodiscard]] Status can_listen(config::ListenDeclaration const& declared) override;
  [[nodiscard]] Result<std::vector<std::string>> read_certificates() override;
  void use_certificates() override;
  [[nodiscard]] Handshakes handshakes() const override;
  [[nodiscard]] std::int64_t certificate_end() const override { return certificates_.valid_until_s() * 1000; }
  void stop(std::string_view reason) override;
  void left() override;
  void restart(std::string_view reason) override;
  [[nodiscard]] Status rotate_log() override;
  [[noreturn]] void fatal(Status const& status) override;
  void run_job(log::LogStore& log, log::Lane lane, std::unique_ptr<log::LogJob> job) override;
  void wait_for_sync(log::LogStore& log) override;
  void collect_work() override;
  [[nodiscard]] env::Disk& disk() override { return *disk_; }
  [[nodiscard]] std::string bytes_root() const override { return data_folder(); }
  [[nodiscard]] Result<std::optional<env::Access>> access_of(TableDeclaration const& table) override {
    return os::file_access(table);
  }
  [[nodiscard]] env::Access usual_access() override { return os::usual_access(); }
  void run_byte_job(storage::ByteFiles& files, storage::Lane lane, std::unique_ptr<storage::Job> job) override;
  void collect_byte_work() override;
  void run_export(std::unique_ptr<server::ExportJob> job) override;
  void tell(log::AlertNotice const& notice) override;
  void reload_refused(Status const& why) override;
  [[nodiscard]] std::string data_folder() const;
  [[nodiscard]] std::string folder_of(log::LogStore const& log) const override;
  // Its disk, and where it is there.
  [[nodiscard]] log::file::LogPlace place_of(config::LogDeclaration const& log);
  void note(std::string_view text) override;
  void inform(std::string_view text) override;
  void keep_refused(std::string_view table, std::string text, std::uint64_t ticket) override;
  void run_hash(std::unique_ptr<access::HashJob> job) override;
  [[nodiscard]] Result<access::Users> read_users() override;
  [[nodiscard]] access::DigestKey login_key() override;
  [[nodiscard]] bool has_memory_ended() override { return ballast_->is_gone(); }
  [[nodiscard]] bool restore_memory() override { return ballast_->restore(); }

  BlockedSignals signals_;  // before any member with a thread
  Supervisor supervisor_;
  std::set<std::string, std::less<>> passed_;  // addresses of sockets that the supervisor passed
  Options options_;
  config::DaemonDeclaration declared_;
  // By protocol and table; made when first needed.
  mutable std::map<std::pair<std::string, std::string>, std::shared_ptr<void>> shared_by_connections_;
  std::string default_socket_;  // the administrator's, if no other was declared
  Certificates certificates_;
  EtcdCertificates etcd_certificates_;
  std::string etcd_password_;
  EtcdPart const* etcd_part_{nullptr};  // there is no log on etcd
  SqlPart const* sql_part_{nullptr};    // no table is mirrored
  engine::TableTypes types_;
  engine::Declarations tables_;
  std::vector<config::ListenDeclaration> table_listeners_;  // as they were declared at the start
  os::PosixClock clock_;
  os::SystemZones zones_;
  std::unique_ptr<os::PosixDisk> disk_;
  std::map<std::string, std::unique_ptr<os::PosixDisk>, std::less<>> log_disks_;  // of logs outside the data folder
  std::unique_ptr<log::file::DataFolder> data_;
  TablesWatch tables_watch_;
  config::KnownTables known_tables_{os::file_stamp};
  server::SoundTables sound_;  // those of the last look that found nothing wrong
  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<server::Server> server_;
  std::vector<std::unique_ptr<log::LogStore>> logs_;
  std::vector<std::unique_ptr<SharedLog>> shared_logs_;  // destroyed before the reactor
  std::unique_ptr<os::PosixDisk> flags_;
  std::unique_ptr<alerts::AlertSender> alert_sender_;  // destroyed before the flags and the reactor
  bool restart_{false};
  os::HeapAhead heap_;
  std::optional<os::Ballast> ballast_;
  std::unique_ptr<os::Background> background_;  // destroyed before the logs
  // For logs whose syncs have ever been slow.
  std::map<log::LogStore*, std::unique_ptr<os::Background>> syncers_;
  // For bytes outside the logs, whatever the number of tables. Commands wait for the first ones, answers for the next,
  // and none for the last.
  static constexpr std::size_t kByteStorers = 8;
  std::array<std::unique_ptr<os::Background>, kByteStorers + 2> byte_workers_;
  // For slow hashes of tokens, from the first login on.
  std::array<std::unique_ptr<os::Background>, access::Logins::kJobsMax> hashers_;
  std::size_t hashes_{0};  // begun
  // For exports, a database always by the same one: one that is away delays few others.
  Stop stop_exports_;
  std::array<std::unique_ptr<os::Background>, 4> exporters_;     // destroyed before
  std::map<std::string, std::size_t, std::less<>> exporter_of_;  // by <connect>
  std::vector<std::string> recovered_;                           // one line of the banner per log
};

}  // namespace fastjournal::daemon
