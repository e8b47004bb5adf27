// The server: sessions on one side, the engine on the other. It reads
// messages, checks names against the declarations, has commands decided, and
// at the end of each turn commits the logs and only then sends. One thread. No
// socket, file or clock of its own: env/ brings them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/name_table.h"
#include "core/engine.h"
#include "core/flag.h"
#include "core/log_store.h"
#include "env/network.h"
#include "fastjournal/histogram.h"
#include "server/admission.h"
#include "server/aliases.h"
#include "server/client_memory.h"
#include "server/datagram_messages.h"
#include "server/feeds.h"
#include "server/outbound_link.h"
#include "server/senders.h"
#include "server/server_host.h"
#include "server/session.h"
#include "server/silence.h"
#include "server/time_keeper.h"
#include "server/turn_budget.h"
#include "server/turn_record.h"
#include "wire/outgoing.h"

namespace fastjournal::server {

// The wall clock is more than a second behind `now`.
inline constexpr std::string_view kClockJump = "clock-jump";
// It is ahead by so much that it may be wrong; a person lowers the alert.
inline constexpr std::string_view kClockAhead = "clock-ahead";
// A message of another system can never be accepted.
inline constexpr std::string_view kAliasRefused = "alias-refused";
// A connection was closed because clients took too much memory.
inline constexpr std::string_view kClientMemoryShort = "client-memory-short";
// The process could get no more memory.
inline constexpr std::string_view kMemoryEnded = "memory-ended";

struct ServerLimits {
  ConnectionLimits connections{};
  wire::FrameLimits frames{};
  // Unsent answers of one connection; above it the connection is not read, and it gets no pushes.
  std::size_t output_bytes{4U << 20U};
  // For the rows of all tables; above it additions are refused.
  std::uint64_t memory_bytes{UINT64_MAX};
  // For everything that clients cause beside rows (client_memory.h).
  std::uint64_t client_memory_bytes{UINT64_MAX};
};

// A listening address or socket.
struct Listener {
  std::string address;
  Rights rights{};  // of its connections; with admin they may use the reserved places

  [[nodiscard]] bool is_administrators() const { return rights.has(Right::admin); }
};

// Parameters of commands and answers of the daemon itself: where {topic} stands, the names that the types have for it.
[[nodiscard]] std::string with_topics(std::string_view parameters, core::TableTypes const& types);

// The line for a peer that is refused before its first message.
[[nodiscard]] std::string refusal_line(std::string_view why);

// Which clocks a start accepts (server_clock.cpp).
struct ClockRules {
  DurationMs behind_max{3'600'000};  // behind the log's last date
  bool accept{false};                // any clock: the administrator knows
};

// Services that the server connects to. Addresses as env::Address; empty: none.
struct OutboundOptions {
  std::string communicator;
  std::string service{"fastjournal"};  // our name there
  // The service that receives alerts (FLAG), over the communicatord or at an address of its own.
  std::string alert_service;
  std::string alert_address;
  core::Origin origin;
};

class Server final : public env::NetworkHandler, private core::ReplySink {
 public:
  Server(env::Clock& clock, env::Network& network, core::TableTypes const& types, ServerLimits limits,
         ServerHost& host);

  [[nodiscard]] core::Engine& engine() { return engine_; }
  [[nodiscard]] TimeKeeper& time() { return time_; }
  [[nodiscard]] ClientMemory const& client_memory() const { return memory_; }

  // Before the first log is opened.
  void judge_clock_by(ClockRules rules) { clock_rules_ = rules; }
  // When a log was read, before anything is written to it: not ok if the wall clock is too far behind its last date.
  [[nodiscard]] Status check_clock(core::HostedLog const& log);
  // A remark on the clock at this start, for people; empty: none.
  [[nodiscard]] std::string const& clock_note() const { return clock_note_; }

  // Logs that recovered and are attached to the engine. After the last: start_serving.
  // What it has to tell of how it was opened becomes alerts.
  void add_log(core::LogStore& log);
  // Logs the changes by conf/, durably.
  [[nodiscard]] Status start_serving();
  // Clean end: everything committed and sealed. Connections are closed by the network.
  [[nodiscard]] Status finish();
  // The meaning of an acknowledgement, for banner and STATS.
  [[nodiscard]] std::string durability() const;
  // As the command RELOAD. Returns one sentence for each change. `table`: only this table. `dry_run`: returns the
  // changes without making them.
  [[nodiscard]] Result<std::vector<std::string>> reload(std::string_view table = {}, bool dry_run = false);

  // Commands of the daemon that other services do not have: name and parameters.
  [[nodiscard]] static std::vector<std::pair<std::string_view, std::string_view>> own_commands();
  // The same for its answers and pushes; those of tables are declared by their types.
  [[nodiscard]] static std::vector<std::pair<std::string_view, std::string_view>> own_answers();
  // All commands of the daemon: no alias may have such a name.
  [[nodiscard]] static std::vector<std::string_view> command_names();
  // Datagrams at this socket of the network are messages.
  void take_messages(ConnectionId socket, DatagramOptions options);

  // What ServerHost::keep_refused was asked for is durable, or why it cannot be.
  void refused_kept(std::uint64_t ticket, Status const& status);

  // The number is that of env::ListenOptions, from 1. Call it before the first connection.
  void add_listener(std::uint32_t number, Listener listener);
  // Call it once, before start_serving.
  void join(OutboundOptions options);
  // Alerts of the daemon that are found by the program around the server. Sent at the end of a turn, which follows at
  // once.
  void raise_alert(std::string_view name, std::uint8_t priority, std::string_view message, std::string_view tags);
  void lower_alert(std::string_view name);

  void on_open(ConnectionId id, env::Peer const& peer) override;
  void on_bytes(ConnectionId id, std::string_view bytes) override;
  void on_writable(ConnectionId id) override;
  void on_end_of_input(ConnectionId id) override;
  void on_closed(ConnectionId id, std::string_view reason) override;
  void on_datagram(ConnectionId socket, std::string_view bytes) override;
  void on_timer() override {}
  void on_clock_set() override;
  void on_turn_end() override;

 private:
  struct ServedLog {
    core::LogStore* log{nullptr};
    core::Standing standing{core::Standing::serving};  // as of the last turn's end
    Lsn needed{};                                      // of this turn,
    bool is_behind{false};                             // which is not durable yet
    // Output that waits until the log is durable up to there, by LSN: sessions with such a mark, and alerts.
    std::deque<std::pair<Lsn, ConnectionId>> sessions{};
    std::deque<std::pair<Lsn, core::AlertNotice>> notices{};
  };

  // The sender of a command.
  struct Speaker {
    ConnectionId connection{};
    std::string_view worker{};
    std::string_view origin{};  // the owner of its names
    Rights rights{};
    std::string_view door{};  // the listener, in words
  };

  using SystemHandler = void (Server::*)(Session&, Message const&, Answer&, Status&);
  struct SystemCommand {
    std::string_view name;
    SystemHandler handler;
    std::string_view parameters;   // accepted names, separated by blanks
    std::optional<Right> right{};  // none: allowed to all connections
    bool life_cycle{false};        // a communicatord sends it to all services
  };

  // -- core::ReplySink -------------------------------------------------------------
  void answer(core::HostedTable const& table, ConnectionId connection, Message const& command, Answer& answer,
              Status const& status) override;
  void push(core::HostedTable const& table, ConnectionId connection, Answer& messages, TimeMs due,
            core::ListenMode mode) override;
  [[nodiscard]] bool is_full(ConnectionId connection) override;
  void keeps(ConnectionId connection, std::int64_t bytes) override;
  // By way of the communicatord (outbound_links.cpp).
  void tell_wake(core::HostedTable const& table, std::string_view topic) override;

  // -- messages (server.cpp) ------------------------------------------------------
  void read_messages(Session& session, std::string_view unread);
  [[nodiscard]] bool turn_away(Session& session, Status const& why);
  // Nothing more is read from it; it is closed when its output was sent.
  void end_after_answers(Session& session);
  // The rest of a session's input is read when it is its turn again.
  void stand_in_line(Session& session, std::deque<ConnectionId>& line);
  void read_those_in_line();
  void pause_reading(Session& session);
  // Notes the current message as a cause of the length of the turn.
  void note_command(std::uint64_t looks);
  void handle(Session& session);
  // Checks the names that every message of an answer repeats, before anything is done.
  [[nodiscard]] bool refuse_names(Session& session);
  // False: the answer comes later, through the ReplySink.
  [[nodiscard]] bool run_table_command(Speaker const& speaker, Message const& message, Answer& answer, Status& status);
  [[nodiscard]] bool adds(Message const& message);
  void handle_alias(Session& session, Aliases::Alias const& alias);
  void answer_alias(Session& session, Aliases::Alias const& alias, Message const& theirs, bool accepted);
  // -- aliases that are refused (refused_aliases.cpp) ------------------------------
  void refuse_alias(Session& session, Aliases::Alias const& alias, Status const& status);
  void tell_refused(Aliases::Alias const& alias, std::string_view peer, std::string_view why, std::string_view kept);
  [[nodiscard]] static Status check_parameters(core::HostedTable const& table, core::CommandType const& command,
                                               Message const& message);
  // The aliases of these tables; not ok: a name is taken.
  [[nodiscard]] Result<Aliases> read_aliases(core::Declarations const& tables) const;
  // Depends on the logs that the command touched (touch).
  void reply(Session& session, Message const& command, Answer& answer, Status const& status);
  void tell(Session& session, Message const& command, Answer& answer, Status const& status);
  void reply_invalid(Session& session, Status const& status);
  void write(Session& session, wire::Outgoing const& message);
  void write_what_fits(Session& session, wire::Outgoing const& message, Status const& why);

  // -- who comes and stays (server_admission.cpp) ----------------------------------
  void refuse(ConnectionId id, std::string_view peer, Status const& why);
  // Sends the reason and closes.
  void show_out(Session& session, std::string_view why);
  // Closes silent connections. True: more of them follow.
  [[nodiscard]] bool end_silent();
  void heard(Session& session);
  [[nodiscard]] Listener const& listener_of(Session const& session) const;
  void forget(Session& session);
  // -- bytes that clients cause (server_memory.cpp) -------------------------------
  [[nodiscard]] bool is_stopped(Session const& session) const;
  [[nodiscard]] bool may_go_on(Session& session);
  void count(Session& session);
  // False: there is no memory for it.
  [[nodiscard]] bool take_in(Session& session, std::string_view bytes);
  // The same for an answer; otherwise its connection is lost.
  void append(Session& session, wire::Outgoing const& message);
  void append_text(Session& session, wire::Outgoing const& message);
  // A message of so many bytes exceeds the free memory.
  [[nodiscard]] bool refuse_large(Session& session, std::size_t bytes);
  void begin_memory_end();
  void look_after_memory();
  void close_lost();
  void stop(Session& session);
  void go_on(Session& session);
  void relieve_memory();
  void give_back_buffers(Session& session);
  void let_on(std::int64_t now_us);
  [[nodiscard]] static std::uint64_t missing_bytes(Session const& session);
  bool close_greediest();
  void close_for_memory(Session& session, std::string_view why);
  bool check_client_memory();
  [[nodiscard]] std::int64_t next_memory_us() const;
  void add_memory_stats(Answer& answer) const;

  // -- clocks (server_clock.cpp) --------------------------------------------------
  [[nodiscard]] Status begin_time();
  void lose_time(TimeKeeper::Lost const& lost);

  // -- turns (server_turns.cpp) ---------------------------------------------------
  [[nodiscard]] TimeMs turn_now();
  void begin_turn();
  void end_part(TurnRecord::Part part);
  void end_turn();
  [[nodiscard]] bool end_logs_turn();
  void end_log_turn(ServedLog& served);
  void note_standing(ServedLog& served);
  void tell_news(core::LogStore& log);
  // The logs on which the answer to the current message depends: that of a table, or every log that serves.
  void touch(core::HostedTable const& table) { touched_ = table.log->log; }
  void touch_all() { touches_all_ = true; }
  // What is written to this session from here on is sent when the log is durable up to the end of this turn.
  static void rest_on(Session& session, core::Log const& log);
  void rest_on_all(Session& session);
  void leave();
  void leave_notices();
  void release(ServedLog& served);
  void close_marks(Session& session);
  void release(Session& session);
  [[nodiscard]] ServedLog* served_of(core::Log const* log);
  [[nodiscard]] std::uint64_t restated_bytes() const;
  [[nodiscard]] bool logs_are_well();
  // False, for callers that must stop here.
  bool die(Status const& status);
  // Not ok: the daemon acknowledges nothing from here on.
  [[nodiscard]] Result<core::LogSnapshot> pin(core::LogStore& log);
  void mark_dirty(Session& session);
  void flush(Session& session);
  void measure_pushes(Session& session);
  void close(Session& session);
  void schedule(bool again);
  // -- connections that we make (outbound_links.cpp) ------------------------------------
  [[nodiscard]] OutboundLink* link_of(ConnectionId id) const;
  void tick_links();
  [[nodiscard]] std::int64_t next_link_us() const;
  bool open_link(ConnectionId id, env::Peer const& peer);
  void end_session(ConnectionId id, bool communicator);
  [[nodiscard]] Session* session_of(ConnectionId connection) const;
  bool close_link(ConnectionId id, std::string_view reason);
  void leave_links();
  // False: it was refused, or cannot be answered.
  [[nodiscard]] bool prepare_from_link(Session& session);
  void drop_transport_parameters();
  // The sender of the message, for the engine.
  [[nodiscard]] ConnectionId speaker(Session const& session);
  // The owner of its names; valid until the next call.
  [[nodiscard]] std::string_view origin_of(Session const& session);
  // -- rights (server_rights.cpp) ----------------------------------------------------
  [[nodiscard]] Speaker speaker_of(Session const& session, ConnectionId connection);
  [[nodiscard]] Status check_right(Speaker const& speaker, Right right, std::string_view command) const;
  [[nodiscard]] Status check_right(Session const& session, SystemCommand const& command);
  void end_senders(std::vector<ConnectionId> const& senders);
  // The connection for alerts; null: none is configured.
  [[nodiscard]] OutboundLink const* flag_road() const;
  void tell_flag(core::AlertNotice const& notice);
  void tell_all_flags(Session& session);
  void send_flag(Session& session, core::AlertNotice const& notice);

  // Once a second (server_alerts.cpp): checks the clock and shortages.
  void check_health();
  void tell_alert(core::AlertNotice const& notice);

  // -- commands of the daemon itself (system_commands.cpp) --------------------------
  [[nodiscard]] static std::vector<SystemCommand> known_commands();
  void name_commands();
  void on_help(Session&, Message const&, Answer&, Status&);
  void on_alive(Session&, Message const&, Answer&, Status&);
  void on_tables(Session&, Message const&, Answer&, Status&);
  void on_stats(Session&, Message const&, Answer&, Status&);
  void on_alerts(Session&, Message const&, Answer&, Status&);
  void on_lower(Session&, Message const&, Answer&, Status&);
  void on_listen(Session&, Message const&, Answer&, Status&);
  void on_unlisten(Session&, Message const&, Answer&, Status&);
  void on_fetch(Session&, Message const&, Answer&, Status&);
  void on_digest(Session&, Message const&, Answer&, Status&);
  void digest_of_logs(Answer& answer);
  void on_backup(Session&, Message const&, Answer&, Status&);
  void on_backup_done(Session&, Message const&, Answer&, Status&);
  // The connection with a backup in progress, or its end.
  bool end_backup(ConnectionId id);
  void on_reload(Session&, Message const&, Answer&, Status&);
  [[nodiscard]] Result<core::Declarations> declarations_with(std::string_view table,
                                                             core::Declarations const& next) const;
  void on_stop(Session&, Message const&, Answer&, Status&);
  void on_restart(Session&, Message const&, Answer&, Status&);
  void on_quitting(Session&, Message const&, Answer&, Status&);
  void on_log_rotate(Session&, Message const&, Answer&, Status&);
  void on_ignored(Session&, Message const&, Answer&, Status&);
  void on_status(Session&, Message const&, Answer&, Status&);
  void help_on(std::string_view command, Answer& answer, Status& status) const;
  [[nodiscard]] std::string list_of_commands(bool all) const;
  void own_stats(Answer& answer);
  void add_sync_stats(Answer& answer) const;
  [[nodiscard]] core::HostedTable* table_of(Message const& message, Status& status, bool* absent = nullptr);

  env::Network& network_;
  core::TableTypes const& types_;
  ServerLimits limits_;
  ServerHost& host_;
  TimeKeeper time_;
  ClockRules clock_rules_;
  std::string clock_note_;
  core::Engine engine_;
  std::vector<ServedLog> logs_;
  OutboundOptions links_;
  std::unique_ptr<OutboundLink> communicator_;
  std::unique_ptr<OutboundLink> alert_peer_;
  Senders senders_;  // over the communicatord's connection

  std::vector<SystemCommand> system_commands_;
  // All commands except aliases: the index of one of ours, or kOfTables.
  NameTable commands_;
  // Of these each says how many follow, also one that is alone.
  std::vector<std::string_view> counted_answers_;
  static constexpr std::uint32_t kOfTables = NameTable::kAbsent - 1;

  std::vector<Listener> listeners_;  // by number; 0: connections opened by the daemon
  Admission admission_;
  Silence silence_;
  std::int64_t refusal_note_at_us_{0};
  std::unordered_map<ConnectionId, std::unique_ptr<Session>> sessions_;  // never iterated for its order
  std::vector<Session*> dirty_;                                          // with output to send, or to be closed
  std::vector<Session*> flushing_;
  ClientMemory memory_;
  std::vector<ConnectionId> stopped_;  // may include sessions that are gone
  std::vector<ConnectionId> let_on_;
  std::vector<ConnectionId> lost_;
  bool was_short_{false};
  bool memory_ended_{false};
  bool memory_end_told_{false};
  std::int64_t memory_ended_us_{0};
  std::int64_t let_on_at_us_{0};
  std::int64_t stuck_since_us_{0};
  std::int64_t refused_for_memory_us_{0};
  core::Log const* touched_{nullptr};
  bool touches_all_{false};
  TurnBudget budget_;
  TurnRecord record_;
  // Sessions with unread input: those that had no turn since it arrived, and those that had one. A session is in at
  // most one of them, once; sessions that are gone are skipped.
  std::deque<ConnectionId> first_in_line_;
  std::deque<ConnectionId> line_;
  std::vector<ConnectionId> to_pause_;  // queued in this turn
  Aliases aliases_;
  Feeds feeds_;
  // Lines that are being written to a file; their senders are answered afterwards.
  struct KeptRefusal {
    ConnectionId connection{};
    Message message;  // owned
    std::size_t bytes{0};
  };
  // By ticket; never iterated, bounded: kRefusalsMax and kRefusalBytesMax.
  std::unordered_map<std::uint64_t, KeptRefusal> refusals_;
  std::size_t refusal_bytes_{0};
  std::uint64_t last_ticket_{0};
  std::unordered_map<ConnectionId, DatagramSource> datagram_sources_;
  Message message_;     // the message being handled
  Message translated_;  // its translation, if it is an alias
  std::string origin_;  // of a service behind the communicatord
  Answer answer_;
  std::vector<Param> outgoing_;
  std::optional<ConnectionId> backup_;  // that makes a backup
  bool dead_{false};                    // a local log failed: nothing more is sent
  bool now_known_{false};
  TimeMs now_{};
  std::int64_t slew_at_us_{0};
  std::int64_t alias_note_at_us_{0};
  bool unwell_{false};  // the clock is off, or something is short: checked every second

  struct Counters {
    std::uint64_t connections{0};
    std::uint64_t connections_refused{0};
    std::uint64_t connections_silent{0};  // closed because they were silent
    std::uint64_t messages{0};
    std::uint64_t invalid{0};
    std::uint64_t unknown{0};
    std::uint64_t strangers{0};        // closed because their first line was not a message
    std::uint64_t without_sender{0};   // over the communicatord, and useless without an answer
    std::uint64_t clients_refused{0};  // closed because they used too much memory
    std::uint64_t turns{0};
    std::uint64_t commits{0};
    std::uint64_t bytes_in{0};
    std::uint64_t bytes_out{0};
    std::uint64_t udp_messages{0};
    std::uint64_t udp_dropped{0};  // unreadable, too large, or too many in a second
    std::uint64_t udp_wrong_secret{0};
    std::uint64_t udp_ignored{0};  // commands that add nothing
    std::uint64_t udp_refused{0};  // by the table
    std::uint64_t wake_messages{0};
    std::uint64_t wake_messages_dropped{0};  // not connected, too much unsent, or not possible in text
  } counters_;
  std::array<Histogram, 3> lateness_us_;  // by ListenMode: due -> push given to the kernel
};

}  // namespace fastjournal::server
