#include "server/server.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "server/admin/openapi.h"

namespace fastjournal::server {
namespace {

// The most containers of live objects that are copied forward before serving.
constexpr std::uint64_t kCopiedAtStart = 2;
// The most that an end waits until shared logs are given to others.
constexpr std::int64_t kLeaveUs = 1'000'000;
constexpr std::string_view kTablesWaiting = "tables-waiting";

}  // namespace

// Parts that use each other are given references to parts that are made later; none is used before all are there.
Server::Server(env::Clock& clock, env::Network& network, engine::TableTypes const& types, ServerLimits limits,
               ServerHost& host)
    : network_(network),
      host_(host),
      engine_replies_(sessions_, replies_, output_, guard_, service_),
      engine_(types, engine_replies_),
      alerts_(engine_, network),
      clock_(clock, engine_, alerts_, host),
      turn_(clock),
      feeds_(network, engine_),
      logs_(engine_, host, host, alerts_, network, clock_),
      listeners_(limits.frames),
      memory_(limits.client_memory_bytes, limits.connections.most + limits.connections.reserved),
      sessions_(network, clock_.time(), memory_, limits.connections, *this),
      guard_(memory_, sessions_, engine_, alerts_, host, network, clock_.time()),
      line_(network, sessions_),
      output_(network, sessions_, guard_, line_, engine_, service_, clock_.time(), limits.output_bytes),
      pipeline_(logs_, sessions_, output_, engine_, *this, network),
      table_files_(engine_, host, logs_, alerts_, network, clock_),
      stored_answers_(sessions_, table_files_, replies_, network),
      replies_(types, sessions_, pipeline_, guard_, output_, stored_answers_),
      long_answers_(sessions_, replies_, turn_),
      audit_(host, clock_.time()),
      authentication_(network, sessions_, listeners_, replies_, dispatch_, stored_commands_, audit_, clock_.time(),
                      host),
      acceptor_(network, sessions_, listeners_, authentication_, replies_, clock_.time(), host, limits.connections),
      table_listeners_(network, listeners_, sessions_, replies_, host),
      health_(clock_, engine_, alerts_, guard_, network),
      watches_(engine_, *this, sessions_, replies_, pipeline_, output_, guard_, clock_.time()),
      exports_(engine_, host, network, clock_),
      links_(network, host),
      service_(links_, replies_, engine_, host),
      refused_(engine_, host, host),
      registry_(types),
      backup_(logs_, table_files_, engine_),
      configuration_(engine_, host, registry_, feeds_, table_listeners_, clock_.time()),
      stored_commands_(sessions_, table_files_, dispatch_, network, clock_),
      table_commands_(engine_, clock_, listeners_, stored_commands_),
      datagram_queries_(network, listeners_, table_commands_),
      alias_commands_(configuration_.aliases(), refused_, table_commands_, sessions_, replies_, memory_, clock_,
                      engine_),
      dispatch_(engine_, clock_, listeners_, registry_, table_commands_, alias_commands_, service_, replies_,
                long_answers_, guard_, audit_, turn_),
      whole_transactions_(engine_, sessions_, dispatch_, table_commands_, stored_commands_),
      reader_(sessions_, line_, guard_, output_, replies_, dispatch_, authentication_, stored_commands_, engine_, logs_,
              turn_) {
  add_own_commands(types);
  engine_.memory().limit(limits.memory_bytes);
  engine_.transactions().limit(limits.transaction_timeout, limits.client_memory_bytes / 2);
}

void Server::add_own_commands(engine::TableTypes const& types) {
  registry_.add("HELP", admin::make_help(registry_, types, configuration_.aliases()));
  registry_.add("ALIVE", admin::make_alive());
  registry_.add("AUTH", admin::make_auth(authentication_));
  registry_.add("RIGHTS", admin::make_rights());
  registry_.add("TABLES", admin::make_tables(engine_));
  registry_.add("STATS", admin::make_stats(engine_, *this));
  registry_.add("METRICS", admin::make_metrics(engine_, *this));
  registry_.add("HEALTH", admin::make_health(*this));
  registry_.add("OPENAPI", admin::make_openapi_command([&types] { return admin::make_openapi(types); }));
  registry_.add("ALERTS", admin::make_alerts(engine_));
  registry_.add("LOWER", admin::make_lower(engine_));
  registry_.add("LISTEN", admin::make_listen(engine_));
  registry_.add("UNLISTEN", admin::make_unlisten(engine_));
  registry_.add("WAITERS", admin::make_waiters(engine_, *this));
  registry_.add("WATCH", admin::make_watch(engine_, watches_));
  registry_.add("UNWATCH", admin::make_unwatch(watches_));
  registry_.add("FETCH", admin::make_fetch(engine_));
  registry_.add("BEGIN", admin::make_begin(engine_));
  registry_.add("COMMIT", admin::make_commit(engine_));
  registry_.add("ROLLBACK", admin::make_rollback(engine_));
  registry_.add("TRANSACTION", admin::make_transaction(whole_transactions_));
  for (std::string_view const name : {"XA_START", "XA_END", "XA_PREPARE", "XA_COMMIT", "XA_ROLLBACK", "XA_FORGET",
                                      "XA_RECOVER", "XA_TIMEOUT", "XA_DECIDE"})
    registry_.add(name, admin::make_xa(engine_, name));
  registry_.add("DIGEST", admin::make_digest(engine_));
  registry_.add("BACKUP", admin::make_backup(backup_));
  registry_.add("BACKUP_DONE", admin::make_backup_done(backup_));
  registry_.add("CLUSTER", admin::make_cluster(logs_, engine_));
  registry_.add("STEP_DOWN", admin::make_step_down(logs_));
  registry_.add("MOVE_TABLE", admin::make_move(engine_));
  registry_.add("RELOAD", admin::make_reload(*this));
  registry_.add("STOP", admin::make_stop(host_));
  registry_.add("RESTART", admin::make_restart(host_));
  registry_.add("LOG_ROTATE", admin::make_log_rotate(host_));
  registry_.add("LOG", admin::make_log_rotate(host_));
  registry_.add("STATUS", admin::make_status(service_));
  registry_.add("QUITTING", admin::make_quitting(service_));
  for (std::string_view const name : {"READY", "UNKNOWN", "INVALID", "ABSOLUTELY", "SERVICE_UNAVAILABLE"})
    registry_.add(name, admin::make_ignored());
  FJ_CHECK(registry_.is_complete(), "every declared command has its code");
}

// ---------------------------------------------------------------------------
// Start and end

Status Server::start_serving() {
  if (Status status = clock_.begin(); !status.ok()) return status;
  if (Status status = configuration_.begin(); !status.ok()) return status;
  if (Status status = authentication_.begin(); !status.ok()) return status;
  if (Status status = engine_.finish_recovery(clock_.time().now()); !status.ok()) return status;
  if (Status status = table_files_.begin(); !status.ok()) return status;
  if (Status status = logs_.commit(); !status.ok()) return status;
  if (Status status = merge_half_empty_containers(); !status.ok()) return status;
  static_cast<void>(engine_.alerting().take_notices());  // receivers get all current alerts
  health_.begin();
  alerts_.lower(kTablesWaiting);  // a start loads all of them
  exports_.look();
  schedule(true);
  return {};
}

Status Server::listen_for_tables(std::vector<access::ListenDeclaration> const& declared) {
  Result<TableListeners::Next> opened = table_listeners_.open(declared);
  if (!opened.ok()) return opened.status();
  table_listeners_.use(std::move(opened).value());
  return {};
}

// Half-empty containers of many starts are merged before the next start needs room, even if the daemon never serves.
// That is little work; the rest of a long log is copied while serving.
Status Server::merge_half_empty_containers() {
  std::uint64_t most = 0;
  for (ServedLog const& served : logs_.all()) {
    log::LogUsage const usage = served.log->usage();
    if (usage.containers != 0) most += kCopiedAtStart * (usage.disk_bytes / usage.containers);
  }
  while (restated_bytes() < most && engine_.committed(clock_.time().now()))
    if (Status status = logs_.commit(); !status.ok()) return status;
  return {};
}

std::uint64_t Server::restated_bytes() const {
  std::uint64_t sum = 0;
  for (auto const& log : engine_.logs()) sum += log->bytes_restated;
  return sum;
}

void Server::leave() {
  if (leave_until_us_ == INT64_MAX) leave_until_us_ = clock_.monotonic_us() + kLeaveUs;
  go_on_leaving();
}

void Server::go_on_leaving() {
  if (!logs_.leave() && clock_.monotonic_us() < leave_until_us_) return;
  leave_until_us_ = INT64_MAX;
  // What was just given up is told etcd with this turn.
  dialers_.end_turn();
  host_.left();
}

Status Server::finish() {
  if (logs_.is_dead()) return {};
  if (Status status = logs_.settle(); !status.ok()) return status;
  if (Status status = end_commits(); !status.ok()) return status;
  service_.leave();
  pipeline_.leave();
  if (Status status = table_files_.finish(); !status.ok()) return status;
  return logs_.seal();
}

// Transactions in several logs that are under way: each step rests on what the one before it wrote. What cannot go on is
// resolved at the next start.
Status Server::end_commits() {
  constexpr int kSteps = 4;
  for (int step = 0; step < kSteps && engine_.two_phase().is_under_way(); ++step) {
    engine_.two_phase().advance(clock_.time().now());
    if (Status status = logs_.settle(); !status.ok()) return status;
  }
  return {};
}

Result<std::vector<std::string>> Server::reload(std::string_view table, bool dry_run) {
  Result<std::vector<std::string>> changes = reload_all_or_nothing(table, dry_run);
  if (!changes.ok() && !dry_run) host_.reload_refused(changes.status());
  if (changes.ok() && !dry_run && alerts_.is_up(kTablesWaiting)) tell_waiting(reload_all_or_nothing({}, true));
  return changes;
}

void Server::tables_changed(bool loads) {
  if (logs_.is_dead()) return;
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
  if (waiting.ok() && waiting->empty()) return alerts_.lower(kTablesWaiting);
  std::string text = waiting.ok() ? "files of tables wait to be loaded (fastjournal apply)"
                                  : "files of tables are not loaded, as these are wrong (fastjournal check)";
  for (std::string const& change : waiting.ok() ? waiting.value() : std::vector{waiting.status().message()})
    if (text.size() < log::kAlertMessageBytesMax) text += "; " + change;
  std::replace(text.begin(), text.end(), '\n', ' ');
  // What it said before may be mended.
  alerts_.lower(kTablesWaiting);
  alerts_.raise(kTablesWaiting, 30, text, "tables,manual");
}

Result<std::vector<std::string>> Server::reload_all_or_nothing(std::string_view table, bool dry_run) {
  turn_.begin();
  turn_.record().note("RELOAD", table, TurnBudget::kLooksPerTurn);
  // Everything is changed, or nothing: bad users or certificates leave the tables as they are, too.
  Result<access::Users> users = access::Users{};
  if (table.empty()) users = host_.read_users();
  if (!users.ok()) return users.status();
  Result<std::vector<std::string>> certificates =
      table.empty() ? host_.read_certificates() : std::vector<std::string>{};
  if (!certificates.ok()) return certificates;
  Result<std::vector<std::string>> changes =
      dry_run ? configuration_.preview(table) : configuration_.reload(table, clock_.now());
  if (!dry_run) exports_.look();
  if (!dry_run && changes.ok())
    for (std::string& failure : table_files_.declared_anew()) changes->push_back(std::move(failure));
  if (!dry_run && changes.ok()) logs_.retry_shared();
  if (!changes.ok() || !table.empty()) return changes;
  for (std::string& change : authentication_.changes(users.value())) changes->push_back(std::move(change));
  for (std::string& change : certificates.value()) changes->push_back(std::move(change));
  if (!dry_run) {
    authentication_.use(std::move(users).value());
    host_.use_certificates();
  }
  return changes;
}

// Many services share the connection to a communicatord.
admin::Peers::Peer Server::peer_of(ConnectionId connection) {
  Session const* const session = sessions_.find(service_.connection_of(connection));
  if (session == nullptr) return {};
  return {session->peer, session->user == nullptr ? std::string_view{} : std::string_view{session->user->name}};
}

void Server::refused_kept(std::uint64_t ticket, Status const& status) {
  if (logs_.is_dead()) return;
  alias_commands_.refused_kept(ticket, status);
  network_.turn_again();
}

void Server::export_done(std::unique_ptr<ExportJob> job) {
  if (!logs_.is_dead()) exports_.done(std::move(job));
}

// ---------------------------------------------------------------------------
// Connections

void Server::on_open(ConnectionId id, env::Peer const& peer) {
  turn_.begin();
  if (dialers_.opened(id)) return;
  communicator::OutboundLink const* const link = links_.opened(id);
  if (link == nullptr) return acceptor_.admit(id, peer);
  bool const communicator = id == links_.communicator();
  sessions_.open_link(
      id, peer, communicator ? communicator::kCommunicatorRights : communicator::kAlertPeerRights, communicator,
      listeners_.make_protocol(communicator ? protocol::MessagePeer::communicator : protocol::MessagePeer::service));
  service_.opened(*link);
}

void Server::on_bytes(ConnectionId id, std::string_view bytes) {
  Session* const session = sessions_.find(id);
  if (session == nullptr && dialers_.received(id, bytes)) return;
  if (session == nullptr || session->ending || logs_.is_dead()) return;
  turn_.begin();
  if (session->link) links_.heard(id);
  reader_.take(*session, bytes);
}

void Server::on_writable(ConnectionId id) {
  Session* const session = sessions_.find(id);
  if (session == nullptr && dialers_.writable(id)) return;
  if (session != nullptr && !logs_.is_dead()) output_.flush(*session);
}

void Server::on_end_of_input(ConnectionId id) {
  Session* const session = sessions_.find(id);
  if (session == nullptr && dialers_.ended(id)) return;
  if (session == nullptr) return;
  session->input_ended = true;
  reader_.input_ended(*session);
  sessions_.mark_dirty(*session);  // closed once its answers are out
}

void Server::on_closed(ConnectionId id, std::string_view reason) {
  turn_.begin();
  if (dialers_.closed(id, reason)) return;
  links_.closed(id, reason, clock_.monotonic_us());
  Session* const session = sessions_.find(id);
  if (session != nullptr && session->protocol->ends_output() && !logs_.is_dead()) {
    // It may have ended together with its input, which says that its value is whole.
    if (session->input_ended) reader_.end_inputs();
    if (stored_commands_.goes_on_alone(*session)) {
      session->peer_gone = true;
      return;
    }
  }
  sessions_.gone(id);
}

void Server::session_ended(Session const& session) {
  links_.closed(session.id, "it ended", clock_.monotonic_us());
  backup_.ended(session.id);
  watches_.ended(session.id);
  long_answers_.session_ended(session.id);
  TimeMs const now = clock_.now();
  engine_.connection_closed(session.id, now, session.holds_leases);
  authentication_.session_ended(session.id);
  stored_commands_.session_ended(session);
  if (session.communicator) service_.ended(now);
}

void Server::on_datagram(ConnectionId socket, std::string_view bytes) {
  if (logs_.is_dead()) return;
  if (Message* const message = datagrams_.read(socket, bytes, clock_.monotonic_us()))
    dispatch_.handle_unanswered(*message, datagrams_.table_of(socket), datagrams_);
}

void Server::on_local_datagram(ConnectionId socket, std::string_view bytes, std::string_view from,
                               env::Peer const& peer) {
  if (logs_.is_dead()) return;
  turn_.begin();
  datagram_queries_.take(socket, bytes, from, peer);
}

void Server::on_clock_set() {
  clock_.time().clock_was_set();
  health_.clock_was_set();
}

// ---------------------------------------------------------------------------
// The end of a turn

void Server::on_turn_end() {
  using Part = TurnRecord::Part;
  if (logs_.is_dead()) return;
  ++turns_;
  turn_.begin();
  dialers_.tick(clock_.monotonic_us());
  if (!table_files_.collect()) return;
  end_detached_readers();
  bool again = stored_commands_.run_stored();
  again = stored_answers_.tell_fetched(stored_commands_) || again;
  reader_.read_those_in_line();
  reader_.end_inputs();
  authentication_.end_turn();
  turn_.end_part(Part::commands);
  clock_.forget();
  TimeMs const now = clock_.now();
  again = table_files_.move_copied(now) || again;
  again = (engine_.next_due() <= now && engine_.run_timers(now)) || again;
  end_detached_readers();
  turn_.end_part(Part::timers);
  again = engine_.end_of_turn(now) || again;
  turn_.end_part(Part::listeners);
  bool const tells = !long_answers_.is_empty();
  again = (tells && long_answers_.go_on(now)) || again;
  if (watches_.send_due(now) || tells) turn_.end_part(Part::figures);
  bool const is_waited_for = !exports_.empty() && exports_.wants_sync();
  if (feeds_.wants_sync(clock_.monotonic_us()) || is_waited_for) logs_.sync_soon();
  if (!pipeline_.commit_turn()) return;
  dialers_.end_turn();
  if (logs_.take_changed()) exports_.look();
  turn_.end_part(Part::log);
  if (!exports_.empty()) {
    exports_.end_turn();
    turn_.end_part(Part::exports);
  }
  if (!table_files_.end_turn()) return;
  feeds_.send(clock_.monotonic_us());
  again = engine_.committed(now) || again;
  again = engine_.two_phase().wants_turn() || again;
  if (!logs_.check()) return;
  turn_.end_part(Part::copying);
  links_.tick(clock_.monotonic_us());
  again = acceptor_.end_silent() || again;
  pipeline_.leave();
  datagram_queries_.leave();
  guard_.end_turn(output_);
  if (leave_until_us_ != INT64_MAX) go_on_leaving();
  turn_.end_part(Part::sending);
  turn_.end();
  clock_.forget();
  schedule(again);
}

// They have a file open that is another one by now, or will be soon. Before anything more is answered.
void Server::end_detached_readers() {
  for (engine::HostedTable const* const table : table_files_.take_detached())
    sessions_.for_each([&](Session& session) {
      if (!session.ending && session.protocol->reads_by_name() && listeners_.of(session.listener).table == table->name)
        sessions_.end_after_answers(session);
    });
}

void Server::schedule(bool again) {
  health_.check_if_due(clock_.monotonic_us());
  network_.wake_at(std::min({clock_.time().monotonic_of(engine_.next_due()), links_.next_us(), feeds_.next_us(),
                             sessions_.next_silent_us(), guard_.next_us(), health_.next_us(), logs_.next_us(),
                             dialers_.next_us(), authentication_.next_us(), watches_.next_us(), table_files_.next_us(),
                             stored_commands_.next_us(), exports_.next_us(), leave_until_us_}));
  if (again) network_.turn_again();
}

void Server::tell_alert(log::AlertNotice const& notice) {
  health_.note(notice);
  host_.tell(notice);
  service_.tell_alert(notice);
}

}  // namespace fastjournal::server
