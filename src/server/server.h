// The server: sessions on one side, the engine on the other. It reads messages, has commands decided, and at the end of
// each turn commits the logs and only then sends. One thread. No socket, file or clock of its own: env/ brings them.
//
// This class puts the parts together and passes on what the network and the program around it say. Each part has its
// subject:
//
//   who is there       sessions.h, acceptor.h, listeners.h, table_listeners.h, authentication.h, audit.h
//   input              reader.h, input_line.h
//   commands           dispatch.h, table_commands.h, alias_commands.h, server/admin/commands.h, configuration.h
//   answers            replies.h, long_answers.h, engine_replies.h, watches.h, output.h
//   copies elsewhere   exports.h
//   bytes outside logs table_files.h, stored_commands.h, stored_answers.h
//   logs               served_logs.h, commit_pipeline.h
//   time               turn.h, turn_clock.h, health.h
//   memory of clients  client_memory.h, memory_guard.h
//   others             feeds.h, server/communicator/service.h
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/network.h"
#include "engine/engine.h"
#include "log/log_store.h"
#include "server/admin/backup.h"
#include "server/admin/commands.h"
#include "server/admin/registry.h"
#include "server/answers/engine_replies.h"
#include "server/answers/feeds.h"
#include "server/answers/replies.h"
#include "server/answers/stored_answers.h"
#include "server/answers/watches.h"
#include "server/audit.h"
#include "server/communicator/datagram_messages.h"
#include "server/communicator/outbound_links.h"
#include "server/communicator/refused_aliases.h"
#include "server/communicator/service.h"
#include "server/configuration.h"
#include "server/daemon_alerts.h"
#include "server/dialers.h"
#include "server/dispatch/alias_commands.h"
#include "server/dispatch/datagram_queries.h"
#include "server/dispatch/dispatch.h"
#include "server/dispatch/stored_commands.h"
#include "server/dispatch/table_commands.h"
#include "server/dispatch/whole_transactions.h"
#include "server/health.h"
#include "server/listeners.h"
#include "server/logs/commit_pipeline.h"
#include "server/logs/exports.h"
#include "server/logs/served_logs.h"
#include "server/logs/table_files.h"
#include "server/server_host.h"
#include "server/session/acceptor.h"
#include "server/session/authentication.h"
#include "server/session/client_memory.h"
#include "server/session/input_line.h"
#include "server/session/long_answers.h"
#include "server/session/memory_guard.h"
#include "server/session/output.h"
#include "server/session/reader.h"
#include "server/session/sessions.h"
#include "server/table_listeners.h"
#include "server/turn.h"
#include "server/turn_clock.h"

namespace fastjournal::server {

struct ServerLimits {
  ConnectionLimits connections{};
  protocol::FrameLimits frames{};
  // Unsent answers of one connection; above it the connection is not read, and it gets no pushes.
  std::size_t output_bytes{4U << 20U};
  // For the rows of all tables; above it additions are refused.
  std::uint64_t memory_bytes{UINT64_MAX};
  DurationMs transaction_timeout{engine::Transactions::kTimeout};
  // For everything that clients cause beside rows (client_memory.h).
  std::uint64_t client_memory_bytes{UINT64_MAX};
};

class Server final : public env::NetworkHandler,
                     private SessionEnd,
                     private AlertReceiver,
                     private admin::Reloading,
                     private admin::OwnFigures,
                     private admin::Peers {
 public:
  Server(env::Clock& clock, env::Network& network, engine::TableTypes const& types, ServerLimits limits,
         ServerHost& host);

  [[nodiscard]] engine::Engine& engine() { return engine_; }
  [[nodiscard]] TurnClock& clock() { return clock_; }
  [[nodiscard]] ClientMemory const& client_memory() const { return memory_; }
  [[nodiscard]] Exports const& exports() const { return exports_; }
  // Alerts that the program around the server finds.
  [[nodiscard]] DaemonAlerts& alerts() { return alerts_; }
  // Before the first connection comes by them.
  [[nodiscard]] Listeners& listeners() { return listeners_; }
  // Opens those of tables' files, after start_serving and the daemon's own.
  [[nodiscard]] Status listen_for_tables(std::vector<access::ListenDeclaration> const& declared);
  // Before start_serving.
  [[nodiscard]] communicator::OutboundLinks& links() { return links_; }
  // Sockets of the network whose datagrams are messages.
  [[nodiscard]] communicator::DatagramMessages& datagrams() { return datagrams_; }

  // Logs that recovered and are attached to the engine. After the last: start_serving.
  void add_log(log::LogStore& log) { pipeline_.add(log); }
  // A log that is shared with other nodes: it may come at any time, or never.
  void add_log(log::SharedLog& log, engine::FollowedLog& followed) { pipeline_.add(log, followed); }
  // Who has connections of its own: what is heard of them is passed on.
  void add_dialer(env::Dialer& dialer) { dialers_.add(dialer); }
  // Logs the changes by conf/, durably.
  [[nodiscard]] Status start_serving();
  // A clean end is near: logs that are shared are given to other nodes, so that their clients wait for none to be missed.
  // ServerHost::left() is called when that is over, in this call or in a later turn; within kLeaveUs.
  void leave();
  // Clean end: everything committed and sealed. Connections are closed by the network.
  [[nodiscard]] Status finish();
  // The meaning of an acknowledgement, for the banner.
  [[nodiscard]] std::string durability() const { return logs_.durability(); }
  // As the command RELOAD.
  [[nodiscard]] Result<std::vector<std::string>> reload() { return reload({}, false); }
  // The tables folder was changed, or may have been: it is loaded if that is wanted and all of it is good, else an alert
  // tells what waits.
  void tables_changed(bool loads);
  // The answer to RefusalFiles::keep_refused.
  void refused_kept(std::uint64_t ticket, Status const& status);
  // What ExportHost::run_export was given.
  void export_done(std::unique_ptr<ExportJob> job);
  // What HashRunner::run_hash was given.
  void hash_done(std::unique_ptr<access::HashJob> job) { authentication_.hash_done(std::move(job)); }

  void on_open(ConnectionId id, env::Peer const& peer) override;
  void on_bytes(ConnectionId id, std::string_view bytes) override;
  void on_writable(ConnectionId id) override;
  void on_end_of_input(ConnectionId id) override;
  void on_closed(ConnectionId id, std::string_view reason) override;
  void on_datagram(ConnectionId socket, std::string_view bytes) override;
  void on_local_datagram(ConnectionId socket, std::string_view bytes, std::string_view from,
                         env::Peer const& peer) override;
  void on_timer() override {}
  void on_clock_set() override;
  void on_turn_end() override;

 private:
  void session_ended(Session const& session) override;
  void tell_alert(log::AlertNotice const& notice) override;
  [[nodiscard]] Result<std::vector<std::string>> reload(std::string_view table, bool dry_run) override;
  // The alert, by what a reload would change, or refuse.
  void tell_waiting(Result<std::vector<std::string>> const& waiting);
  [[nodiscard]] Result<std::vector<std::string>> reload_all_or_nothing(std::string_view table, bool dry_run);
  // own_figures.cpp
  void tell(MetricSink& sink) override;
  void tell_texts(Answer& answer) override;
  void tell_logs(std::function<MetricSink&(std::string_view log)> const& sink_of) override;
  [[nodiscard]] Status readiness() override;
  [[nodiscard]] Peer peer_of(ConnectionId connection) override;

  void add_own_commands(engine::TableTypes const& types);
  [[nodiscard]] Status merge_half_empty_containers();
  [[nodiscard]] std::uint64_t restated_bytes() const;
  [[nodiscard]] Status end_commits();
  void go_on_leaving();
  void end_detached_readers();
  void schedule(bool again);

  env::Network& network_;
  ServerHost& host_;
  EngineReplies engine_replies_;
  engine::Engine engine_;
  DaemonAlerts alerts_;
  TurnClock clock_;
  Turn turn_;
  Feeds feeds_;
  ServedLogs logs_;

  Listeners listeners_;
  ClientMemory memory_;
  Sessions sessions_;
  MemoryGuard guard_;
  InputLine line_;
  Output output_;
  CommitPipeline pipeline_;
  TableFiles table_files_;
  StoredAnswers stored_answers_;
  Replies replies_;
  LongAnswers long_answers_;
  Audit audit_;
  Authentication authentication_;
  Acceptor acceptor_;
  TableListeners table_listeners_;
  Health health_;
  Watches watches_;
  Exports exports_;

  Dialers dialers_;
  communicator::OutboundLinks links_;
  communicator::Service service_;
  communicator::RefusedAliases refused_;
  communicator::DatagramMessages datagrams_;

  admin::Registry registry_;
  admin::Backup backup_;
  Configuration configuration_;
  StoredCommands stored_commands_;
  TableCommands table_commands_;
  DatagramQueries datagram_queries_;
  AliasCommands alias_commands_;
  Dispatch dispatch_;
  WholeTransactions whole_transactions_;
  Reader reader_;
  std::uint64_t turns_{0};
  std::int64_t leave_until_us_{INT64_MAX};
};

}  // namespace fastjournal::server
