// The server: sessions on one side, the engine on the other. It reads messages, has commands decided, and at the end of
// each turn commits the logs and only then sends. One thread. No socket, file or clock of its own: env/ brings them.
//
// This class passes on what the network and the program around it say, and says what a turn is (on_turn_end). Its parts
// are in four assemblies, each of which uses those before it:
//
//   core.h         the engine, its time, its logs, and where their changes go
//   connections.h  sessions, from their bytes to the bytes that they are sent, and the memory of clients
//   commands.h     what becomes of a message
//   intake.h       what comes from outside: connections and who they are, their bytes, datagrams
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/network.h"
#include "engine/engine.h"
#include "log/log_store.h"
#include "server/admin/commands.h"
#include "server/answers/engine_replies.h"
#include "server/commands.h"
#include "server/connections.h"
#include "server/core.h"
#include "server/intake.h"
#include "server/server_host.h"
#include "server/turn.h"

namespace fastjournal::server {

class Server final : public env::NetworkHandler,
                     private SessionEnd,
                     private AlertReceiver,
                     private admin::Reloading,
                     private admin::OwnFigures,
                     private admin::Peers {
 public:
  Server(env::Clock& clock, env::Network& network, engine::TableTypes const& types, ServerLimits limits,
         ServerHost& host);

  [[nodiscard]] engine::Engine& engine() { return core_.engine; }
  [[nodiscard]] TurnClock& clock() { return core_.clock; }
  [[nodiscard]] ClientMemory const& client_memory() const { return connections_.sessions.memory(); }
  [[nodiscard]] Exports const& exports() const { return core_.exports; }
  // Alerts that the program around the server finds.
  [[nodiscard]] DaemonAlerts& alerts() { return core_.alerts; }
  // Before the first connection comes by them.
  [[nodiscard]] Listeners& listeners() { return connections_.listeners; }
  // Opens those of tables' files, after start_serving and the daemon's own.
  [[nodiscard]] Status listen_for_tables(std::vector<access::ListenDeclaration> const& declared);
  // Before start_serving.
  [[nodiscard]] communicator::OutboundLinks& links() { return connections_.links; }
  // Sockets of the network whose datagrams are messages.
  [[nodiscard]] communicator::DatagramMessages& datagrams() { return intake_.datagrams; }

  // Logs that recovered and are attached to the engine. After the last: start_serving.
  void add_log(log::LogStore& log) { connections_.pipeline.add(log); }
  // A log that is shared with other nodes: it may come at any time, or never.
  void add_log(log::SharedLog& log, engine::FollowedLog& followed) { connections_.pipeline.add(log, followed); }
  // A part with connections of its own: their events are passed on.
  void add_dialer(env::Dialer& dialer) { intake_.dialers.add(dialer); }
  // Logs the changes by conf/, durably.
  [[nodiscard]] Status start_serving();
  // A clean end is near: logs that are shared are given to other nodes, so that their clients wait for none to be missed.
  // ServerHost::left() is called when that is over, in this call or in a later turn; within kLeaveUs.
  void leave();
  // Clean end: everything committed, and clean-shutdown markers. Connections are closed by the network.
  [[nodiscard]] Status finish();
  // The meaning of an acknowledgement, for the banner.
  [[nodiscard]] std::string durability() const { return core_.logs.durability(); }
  // As the command RELOAD.
  [[nodiscard]] Result<std::vector<std::string>> reload() { return reload({}, false); }
  // The tables folder was changed, or may have been: it is loaded if that is wanted and all of it is good, else an alert
  // tells what waits.
  void tables_changed(bool loads);
  // The answer to RefusalFiles::keep_refused.
  void refused_kept(std::uint64_t ticket, Status const& status);
  // The job of ExportHost::run_export.
  void export_done(std::unique_ptr<ExportJob> job);
  // The job of HashRunner::run_hash.
  void hash_done(std::unique_ptr<access::HashJob> job) { intake_.authentication.hash_done(std::move(job)); }

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
  void go_on_leaving();
  void end_detached_readers();
  void schedule(bool again);

  env::Network& network_;
  ServerHost& host_;
  Turn turn_;
  EngineReplies engine_replies_;
  Core core_;
  Connections connections_;
  Commands commands_;
  Intake intake_;
  std::uint64_t turns_{0};
  std::int64_t leave_until_us_{INT64_MAX};
};

}  // namespace fastjournal::server
