#include "server/server.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "server/admin/openapi.h"

namespace fastjournal::server {
namespace {

// The most that an end waits until shared logs are given to others.
constexpr std::int64_t kLeaveUs = 1'000'000;
constexpr std::string_view kTablesWaiting = "tables-waiting";

}  // namespace

Server::Server(env::Clock& clock, env::Network& network, engine::TableTypes const& types, ServerLimits limits,
               ServerHost& host)
    : network_(network),
      host_(host),
      turn_(clock),
      engine_replies_(&connections_),
      core_(clock, network, types, host, engine_replies_),
      connections_(core_, network, types, limits, host, *this, *this),
      commands_(core_, connections_, network, types, host, *this, turn_),
      intake_(core_, connections_, commands_, network, limits.connections, host, turn_) {
  add_own_commands(types);
  core_.engine.memory().limit(limits.memory_bytes);
  core_.engine.transactions().limit(limits.transaction_timeout, limits.client_memory_bytes / 2);
}

void Server::add_own_commands(engine::TableTypes const& types) {
  commands_.registry.add("HELP", admin::make_help(commands_.registry, types, commands_.configuration.aliases()));
  commands_.registry.add("ALIVE", admin::make_alive());
  commands_.registry.add("AUTH", admin::make_auth(intake_.authentication));
  commands_.registry.add("RIGHTS", admin::make_rights());
  commands_.registry.add("TABLES", admin::make_tables(core_.engine));
  commands_.registry.add("STATS", admin::make_stats(core_.engine, *this));
  commands_.registry.add("METRICS", admin::make_metrics(core_.engine, *this));
  commands_.registry.add("HEALTH", admin::make_health(*this));
  commands_.registry.add("OPENAPI", admin::make_openapi_command([&types] { return admin::make_openapi(types); }));
  commands_.registry.add("ALERTS", admin::make_alerts(core_.engine));
  commands_.registry.add("LOWER", admin::make_lower(core_.engine));
  commands_.registry.add("LISTEN", admin::make_listen(core_.engine));
  commands_.registry.add("UNLISTEN", admin::make_unlisten(core_.engine));
  commands_.registry.add("WAITERS", admin::make_waiters(core_.engine, *this));
  commands_.registry.add("WATCH", admin::make_watch(core_.engine, commands_.watches));
  commands_.registry.add("UNWATCH", admin::make_unwatch(commands_.watches));
  commands_.registry.add("FETCH", admin::make_fetch(core_.engine));
  commands_.registry.add("BEGIN", admin::make_begin(core_.engine));
  commands_.registry.add("COMMIT", admin::make_commit(core_.engine));
  commands_.registry.add("ROLLBACK", admin::make_rollback(core_.engine));
  commands_.registry.add("TRANSACTION",
                         {[this](admin::Request const& request) { return commands_.whole_transactions.run(request); }});
  for (std::string_view const name : {"XA_START", "XA_END", "XA_PREPARE", "XA_COMMIT", "XA_ROLLBACK", "XA_FORGET",
                                      "XA_RECOVER", "XA_TIMEOUT", "XA_DECIDE"})
    commands_.registry.add(name, admin::make_xa(core_.engine, name));
  commands_.registry.add("DIGEST", admin::make_digest(core_.engine));
  commands_.registry.add("BACKUP", admin::make_backup(core_.backup));
  commands_.registry.add("BACKUP_DONE", admin::make_backup_done(core_.backup));
  commands_.registry.add("CLUSTER", admin::make_cluster(core_.logs, core_.engine));
  commands_.registry.add("STEP_DOWN", admin::make_step_down(core_.logs));
  commands_.registry.add("MOVE_TABLE", admin::make_move(core_.engine));
  commands_.registry.add("RELOAD", admin::make_reload(*this));
  commands_.registry.add("STOP", admin::make_stop(host_));
  commands_.registry.add("RESTART", admin::make_restart(host_));
  commands_.registry.add("LOG_ROTATE", admin::make_log_rotate(host_));
  commands_.registry.add("LOG", admin::make_log_rotate(host_));
  commands_.registry.add("STATUS", admin::make_status(connections_.service));
  commands_.registry.add("QUITTING", admin::make_quitting(connections_.service));
  for (std::string_view const name : {"READY", "UNKNOWN", "INVALID", "ABSOLUTELY", "SERVICE_UNAVAILABLE"})
    commands_.registry.add(name, admin::make_ignored());
  FJ_CHECK(commands_.registry.is_complete(), "every declared command has its code");
}

// ---------------------------------------------------------------------------
// Start and end

Status Server::start_serving() {
  if (Status status = core_.clock.begin(); !status.ok()) return status;
  if (Status status = commands_.configuration.begin(); !status.ok()) return status;
  if (Status status = intake_.authentication.begin(); !status.ok()) return status;
  if (Status status = core_.engine.finish_recovery(core_.clock.time().now()); !status.ok()) return status;
  if (Status status = core_.table_files.begin(); !status.ok()) return status;
  if (Status status = core_.logs.commit(); !status.ok()) return status;
  if (Status status = core_.merge_half_empty_segments(); !status.ok()) return status;
  static_cast<void>(core_.engine.alerting().take_notices());  // receivers get all current alerts
  core_.health.begin();
  core_.alerts.lower(kTablesWaiting);  // a start loads all of them
  core_.exports.look();
  schedule(true);
  return {};
}

Status Server::listen_for_tables(std::vector<access::ListenDeclaration> const& declared) {
  Result<TableListeners::Next> opened = commands_.table_listeners.open(declared);
  if (!opened.ok()) return opened.status();
  commands_.table_listeners.use(std::move(opened).value());
  return {};
}

void Server::leave() {
  if (leave_until_us_ == INT64_MAX) leave_until_us_ = core_.clock.monotonic_us() + kLeaveUs;
  go_on_leaving();
}

void Server::go_on_leaving() {
  if (!core_.logs.leave() && core_.clock.monotonic_us() < leave_until_us_) return;
  leave_until_us_ = INT64_MAX;
  // What was just given up is told etcd with this turn.
  intake_.dialers.end_turn();
  host_.left();
}

Status Server::finish() {
  if (core_.logs.is_dead()) return {};
  if (Status status = core_.logs.settle(); !status.ok()) return status;
  if (Status status = core_.end_commits(); !status.ok()) return status;
  connections_.service.leave();
  connections_.pipeline.leave();
  if (Status status = core_.table_files.finish(); !status.ok()) return status;
  return core_.logs.shut_down();
}

Result<std::vector<std::string>> Server::reload(std::string_view table, bool dry_run) {
  Result<std::vector<std::string>> changes = reload_all_or_nothing(table, dry_run);
  if (!changes.ok() && !dry_run) host_.reload_refused(changes.status());
  if (changes.ok() && !dry_run && core_.alerts.is_up(kTablesWaiting)) tell_waiting(reload_all_or_nothing({}, true));
  return changes;
}

void Server::tables_changed(bool loads) {
  if (core_.logs.is_dead()) return;
  Result<std::vector<std::string>> waiting = reload_all_or_nothing({}, true);
  if (loads && waiting.ok() && !waiting->empty()) {
    Result<std::vector<std::string>> const changes = reload();
    for (std::size_t at = 0; changes.ok() && at < changes->size(); ++at)
      host_.inform("the tables folder was changed: " + changes.value()[at]);
    // What cannot be known before: an address that cannot be listened on.
    if (!changes.ok()) return tell_waiting(changes.status());
    waiting->clear();
  }
  tell_waiting(waiting);
}

void Server::tell_waiting(Result<std::vector<std::string>> const& waiting) {
  if (waiting.ok() && waiting->empty()) return core_.alerts.lower(kTablesWaiting);
  std::string text = waiting.ok() ? "files of tables wait to be loaded (fastjournal apply)"
                                  : "files of tables are not loaded, as these are wrong (fastjournal check)";
  for (std::string const& change : waiting.ok() ? waiting.value() : std::vector{waiting.status().message()})
    if (text.size() < log::kAlertMessageBytesMax) text += "; " + change;
  std::replace(text.begin(), text.end(), '\n', ' ');
  // What it said before may be mended.
  core_.alerts.lower(kTablesWaiting);
  core_.alerts.raise(kTablesWaiting, 30, text, "tables,manual");
}

Result<std::vector<std::string>> Server::reload_all_or_nothing(std::string_view table, bool dry_run) {
  turn_.begin();
  turn_.record().note("RELOAD", table, TurnBudget::kWorkUnitsPerTurn);
  // Everything is changed, or nothing: bad users or certificates leave the tables as they are, too.
  Result<access::Users> users = access::Users{};
  if (table.empty()) users = host_.read_users();
  if (!users.ok()) return users.status();
  Result<std::vector<std::string>> certificates =
      table.empty() ? host_.read_certificates() : std::vector<std::string>{};
  if (!certificates.ok()) return certificates;
  Result<std::vector<std::string>> changes =
      dry_run ? commands_.configuration.preview(table) : commands_.configuration.reload(table, core_.clock.now());
  if (!dry_run) core_.exports.look();
  if (!dry_run && changes.ok())
    for (std::string& failure : core_.table_files.declared_anew()) changes->push_back(std::move(failure));
  if (!dry_run && changes.ok()) core_.logs.retry_shared();
  if (!changes.ok() || !table.empty()) return changes;
  for (std::string& change : intake_.authentication.changes(users.value())) changes->push_back(std::move(change));
  for (std::string& change : certificates.value()) changes->push_back(std::move(change));
  if (!dry_run) {
    intake_.authentication.use(std::move(users).value());
    host_.use_certificates();
  }
  return changes;
}

// Many services share the connection to a communicatord.
admin::Peers::Peer Server::peer_of(ConnectionId connection) {
  Session const* const session = connections_.sessions.find(connections_.service.connection_of(connection));
  if (session == nullptr) return {};
  return {session->peer, session->who.user == nullptr ? std::string_view{} : std::string_view{session->who.user->name}};
}

void Server::refused_kept(std::uint64_t ticket, Status const& status) {
  if (core_.logs.is_dead()) return;
  commands_.alias_commands.refused_kept(ticket, status);
  network_.turn_again();
}

void Server::export_done(std::unique_ptr<ExportJob> job) {
  if (!core_.logs.is_dead()) core_.exports.done(std::move(job));
}

// ---------------------------------------------------------------------------
// Connections

void Server::on_open(ConnectionId id, env::Peer const& peer) {
  turn_.begin();
  if (intake_.dialers.opened(id)) return;
  communicator::OutboundLink const* const link = connections_.links.opened(id);
  if (link == nullptr) return intake_.acceptor.admit(id, peer);
  bool const communicator = id == connections_.links.communicator();
  connections_.sessions.open_link(
      id, peer, communicator ? communicator::kCommunicatorRights : communicator::kAlertPeerRights,
      communicator ? Called::communicator : Called::alert_peer,
      connections_.listeners.make_protocol(communicator ? protocol::MessagePeer::communicator
                                                        : protocol::MessagePeer::service));
  connections_.service.opened(*link);
}

void Server::on_bytes(ConnectionId id, std::string_view bytes) {
  Session* const session = connections_.sessions.find(id);
  if (session == nullptr && intake_.dialers.received(id, bytes)) return;
  if (session == nullptr || session->life.is_ending() || core_.logs.is_dead()) return;
  turn_.begin();
  if (session->is_link()) connections_.links.heard(id);
  intake_.reader.take(*session, bytes);
}

void Server::on_writable(ConnectionId id) {
  Session* const session = connections_.sessions.find(id);
  if (session == nullptr && intake_.dialers.writable(id)) return;
  if (session != nullptr && !core_.logs.is_dead()) connections_.output.flush(*session);
}

void Server::on_end_of_input(ConnectionId id) {
  Session* const session = connections_.sessions.find(id);
  if (session == nullptr && intake_.dialers.ended(id)) return;
  if (session == nullptr) return;
  session->in.end = UnreadInput::End::came;
  intake_.reader.input_ended(*session);
  connections_.sessions.mark_dirty(*session);  // closed once its answers are out
}

void Server::on_closed(ConnectionId id, std::string_view reason) {
  turn_.begin();
  if (intake_.dialers.closed(id, reason)) return;
  connections_.links.closed(id, reason, core_.clock.monotonic_us());
  Session* const session = connections_.sessions.find(id);
  if (session != nullptr && session->protocol->ends_output() && !core_.logs.is_dead()) {
    // It may have ended together with its input, which says that its value is whole.
    if (session->in.end != UnreadInput::End::open) intake_.reader.end_inputs();
    if (commands_.stored_commands.goes_on_alone(*session)) {
      session->out.end = UnsentOutput::End::gone;
      return;
    }
  }
  connections_.sessions.gone(id);
}

void Server::session_ended(Session const& session) {
  connections_.links.closed(session.id, "it ended", core_.clock.monotonic_us());
  core_.backup.ended(session.id);
  commands_.watches.ended(session.id);
  commands_.long_answers.session_ended(session.id);
  TimeMs const now = core_.clock.now();
  core_.engine.connection_closed(session.id, now, session.holds_leases);
  intake_.authentication.session_ended(session.id);
  commands_.stored_commands.session_ended(session);
  if (session.is_communicator()) connections_.service.ended(now);
}

void Server::on_datagram(ConnectionId socket, std::string_view bytes) {
  if (core_.logs.is_dead()) return;
  if (Message* const message = intake_.datagrams.read(socket, bytes, core_.clock.monotonic_us()))
    commands_.dispatch.handle_unanswered(*message, intake_.datagrams.table_of(socket), intake_.datagrams);
}

void Server::on_local_datagram(ConnectionId socket, std::string_view bytes, std::string_view from,
                               env::Peer const& peer) {
  if (core_.logs.is_dead()) return;
  turn_.begin();
  intake_.datagram_queries.take(socket, bytes, from, peer);
}

void Server::on_clock_set() {
  core_.clock.time().clock_was_set();
  core_.health.clock_was_set();
}

// ---------------------------------------------------------------------------
// The end of a turn

// Nothing is sent before what it rests on is durable. src/README.md has the same numbers.
void Server::on_turn_end() {
  using Part = TurnRecord::Part;
  if (core_.logs.is_dead()) return;
  ++turns_;
  turn_.begin();
  // 1. Dialers: what they give up is not waited for in this turn.
  intake_.dialers.tick(core_.clock.monotonic_us());
  // 2. Jobs on files that ended: commands that waited for them came before what is read now.
  if (!core_.table_files.collect()) return;
  end_detached_readers();
  bool again = commands_.stored_commands.run_stored();
  again = connections_.stored_answers.tell_fetched(commands_.stored_commands) || again;
  // 3. Input that is left, in turns, until the budget is used up: no client waits for all commands of another.
  intake_.reader.read_those_in_line();
  intake_.reader.end_inputs();
  intake_.authentication.end_turn();
  turn_.end_part(Part::commands);
  // 4. Timers, at a date read after the commands: what they made due is not a turn late.
  core_.clock.forget();
  TimeMs const now = core_.clock.now();
  again = core_.table_files.move_copied(now) || again;
  again = (core_.engine.next_due() <= now && core_.engine.run_timers(now)) || again;
  end_detached_readers();
  turn_.end_part(Part::timers);
  // 5. Commands that wait, and wakes: after all that can give them a row.
  again = core_.engine.end_of_turn(now) || again;
  turn_.end_part(Part::listeners);
  // 6. Long answers and figures show the state that is about to be committed.
  bool const tells = !commands_.long_answers.is_empty();
  again = (tells && commands_.long_answers.go_on(now)) || again;
  if (commands_.watches.send_due(now) || tells) turn_.end_part(Part::figures);
  // 7. Logs: one write and at most one sync for everything above. Copies elsewhere may need the sync.
  bool const is_waited_for = !core_.exports.empty() && core_.exports.wants_sync();
  if (core_.feeds.wants_sync(core_.clock.monotonic_us()) || is_waited_for) core_.logs.sync_soon();
  if (!connections_.pipeline.commit_turn()) return;
  intake_.dialers.end_turn();
  if (core_.logs.take_changed()) core_.exports.look();
  turn_.end_part(Part::log);
  // 8. What is durable goes elsewhere: SQL databases, files outside the logs, followers.
  if (!core_.exports.empty()) {
    core_.exports.end_turn();
    turn_.end_part(Part::exports);
  }
  if (!core_.table_files.end_turn()) return;
  core_.feeds.send(core_.clock.monotonic_us());
  // 9. What durable records replaced is dropped, and old objects that live are compacted, a few at a time.
  again = core_.engine.committed(now) || again;
  again = core_.engine.two_phase().wants_turn() || again;
  if (!core_.logs.check()) return;
  turn_.end_part(Part::copying);
  // 10. Silent connections are told that they end, so that this leaves with the rest.
  connections_.links.tick(core_.clock.monotonic_us());
  again = intake_.acceptor.end_silent() || again;
  // 11. Output leaves, as far as its logs are durable: then there is room for sessions that were stopped.
  connections_.pipeline.leave();
  intake_.datagram_queries.leave();
  connections_.guard.end_turn(connections_.output);
  if (leave_until_us_ != INT64_MAX) go_on_leaving();
  turn_.end_part(Part::sending);
  // 12. The next turn: at once if anything above has more to do, else at the first date.
  turn_.end();
  core_.clock.forget();
  schedule(again);
}

// They have a file open that is another one by now, or will be soon. Before anything more is answered.
void Server::end_detached_readers() {
  for (engine::HostedTable const* const table : core_.table_files.take_detached())
    connections_.sessions.for_each([&](Session& session) {
      if (!session.life.is_ending() && session.protocol->reads_by_name() &&
          connections_.listeners.of(session.listener).table == table->name)
        connections_.sessions.end_after_answers(session);
    });
}

void Server::schedule(bool again) {
  core_.health.check_if_due(core_.clock.monotonic_us(), connections_.guard);
  network_.wake_at(std::min(
      {core_.clock.time().monotonic_of(core_.engine.next_due()), connections_.links.next_us(), core_.feeds.next_us(),
       connections_.sessions.next_silent_us(), connections_.guard.next_us(), core_.health.next_us(),
       core_.logs.next_us(), intake_.dialers.next_us(), intake_.authentication.next_us(), commands_.watches.next_us(),
       core_.table_files.next_us(), commands_.stored_commands.next_us(), core_.exports.next_us(), leave_until_us_}));
  if (again) network_.turn_again();
}

void Server::tell_alert(log::AlertNotice const& notice) {
  core_.health.note(notice);
  host_.tell(notice);
  connections_.service.tell_alert(notice);
}

}  // namespace fastjournal::server
