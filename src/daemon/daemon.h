// Puts the daemon together: configuration, plugins, logs, server, reactor.
// All I/O that is not in os/ and reactor/ is here; nothing is decided here.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alerts/teller.h"
#include "config/daemon_declaration.h"
#include "core/log_store.h"
#include "core/types.h"
#include "daemon/blocked_signals.h"
#include "daemon/options.h"
#include "os/background.h"
#include "os/ballast.h"
#include "os/clock.h"
#include "os/heap_ahead.h"
#include "os/posix_disk.h"
#include "os/table_types.h"
#include "reactor/reactor.h"
#include "server/server.h"
#include "storage/data_folder.h"

namespace fastjournal::daemon {

class Daemon final : public server::ServerHost {
 public:
  explicit Daemon(Options options);
  ~Daemon() override;

  // Reads everything; not ok: every mistake found, one a line.
  [[nodiscard]] Status prepare();
  // Instead of serving, after prepare.
  [[nodiscard]] Status write_message_files() const;
  // Recovers, prints the banner, serves until it is told to stop.
  [[nodiscard]] Status serve();
  // Whoever watches over the daemon should start it again.
  [[nodiscard]] bool wants_restart() const { return restart_; }

 private:
  void declare_administrator();
  [[nodiscard]] Status check_listening(bool in_data_folder);
  [[nodiscard]] server::ConnectionLimits connection_limits() const;
  // Whether it is the right one, before anything is made in it.
  [[nodiscard]] Status take_data_folder();
  [[nodiscard]] Status open_logs();
  [[nodiscard]] core::Declarations tables_to_forget() const;
  // If a signal says so: ends here, as kill -9 would, but for the word about it. Of reading there is nothing to
  // undo, and no way back through all that reads.
  void end_start_if_told() const;
  [[nodiscard]] Status start_listening(std::vector<std::string>& bound);
  [[nodiscard]] Status take_datagrams(config::UdpDeclaration const& udp, std::vector<std::string>& bound);
  [[nodiscard]] Status take_signals();
  void start_telling();
  void join_neighbours();
  void print_banner() const;
  void reload_by_signal();

  // -- server::ServerHost ------------------------------------------------
  [[nodiscard]] Result<core::Declarations> read_declarations() override;
  void stop(std::string_view reason) override;
  void restart(std::string_view reason) override;
  [[nodiscard]] Status rotate_log() override;
  [[noreturn]] void fatal(Status const& status) override;
  void run_job(core::LogStore& log, core::Lane lane, std::unique_ptr<core::LogJob> job) override;
  void wait_for_sync(core::LogStore& log) override;
  void collect_work() override;
  void tell(core::AlertNotice const& notice) override;
  [[nodiscard]] std::string data_folder() const override;
  void note(std::string_view text) override;
  void inform(std::string_view text) override;
  void keep_refused(std::string_view table, std::string text, std::uint64_t ticket) override;
  [[nodiscard]] bool has_memory_ended() override { return ballast_->is_gone(); }
  [[nodiscard]] bool restore_memory() override { return ballast_->restore(); }

  BlockedSignals signals_;  // before anything that has a thread
  Options options_;
  config::DaemonDeclaration declared_;
  std::string default_socket_;  // the administrator's, if no other was declared
  core::TableTypes types_;
  core::Declarations tables_;
  os::PosixClock clock_;
  std::unique_ptr<os::PosixDisk> disk_;
  std::unique_ptr<storage::DataFolder> data_;
  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<server::Server> server_;
  std::vector<std::unique_ptr<core::LogStore>> logs_;
  std::unique_ptr<os::PosixDisk> flags_;
  std::unique_ptr<alerts::Teller> teller_;  // ends before the flags and the reactor do
  bool restart_{false};
  os::HeapAhead heap_;
  std::optional<os::Ballast> ballast_;
  std::unique_ptr<os::Background> background_;  // ends before the logs do
  // For the logs whose syncs were slow once.
  std::map<core::LogStore*, std::unique_ptr<os::Background>> syncers_;
  std::vector<std::string> recovered_;  // a line of the banner for each log
};

}  // namespace fastjournal::daemon
