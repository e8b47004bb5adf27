#include "server/admin/declarations.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/name_table.h"

namespace fastjournal::admin {
namespace {

using Kind = OwnCommand::Kind;
using Scope = OwnCommand::Scope;

constexpr OwnCommand for_changes(std::string_view name, std::string_view parameters) {
  return {.name = name, .parameters = parameters, .for_changes = true};
}

constexpr OwnCommand then_silent(OwnCommand command) {
  command.may_be_silent = true;
  return command;
}

constexpr OwnCommand resent(OwnCommand command) {
  command.may_be_resent = true;
  return command;
}

constexpr OwnCommand kCommands[] = {
    resent({"HELP", "command", {}, Scope::daemon, Kind::shared}),
    resent({"ALIVE", "serial timestamp", {}, Scope::daemon, Kind::shared}),
    // A client that shows a token may do so.
    {"AUTH", "token user"},
    // A sender may know its own rights.
    resent({"RIGHTS", "table"}),
    resent({"TABLES", "", Right::read, Scope::tables}),
    resent({"STATS", "table", Right::read, Scope::tables}),
    resent({"METRICS", "format table", Right::read, Scope::tables}),
    // A load balancer asks, which has no login.
    resent({"HEALTH", "what"}),
    resent({"OPENAPI", "", Right::read, Scope::tables}),
    resent({"ALERTS", "table", Right::read, Scope::tables}),
    {"LOWER", "name table", Right::manage, Scope::table},
    // LISTEN with mode=row, or to values, needs the right read instead (listen.cpp).
    resent(then_silent(
        {"LISTEN", "table {topic} mode credit worker {further} key key_binary prefix", Right::work, Scope::tables})),
    resent({"UNLISTEN", "table {topic} key key_binary prefix"}),
    resent({"WAITERS", "table after count", Right::read, Scope::table}),
    resent(then_silent({"WATCH", "table every", Right::read, Scope::tables})),
    resent({"UNWATCH", ""}),
    resent({"FETCH", "table from to count bytes snapshot cursor", Right::read, Scope::tables}),
    // Each command in it needs its own right as well.
    for_changes("BEGIN", "timeout"),
    // Of what this connection began; ROLLBACK also when it has lost its rights since.
    {"COMMIT", ""},
    {"ROLLBACK", ""},
    for_changes("TRANSACTION", "commands"),
    for_changes("XA_START", "xid how timeout"),
    for_changes("XA_END", "xid how"),
    for_changes("XA_PREPARE", "xid"),
    for_changes("XA_COMMIT", "xid one_phase"),
    for_changes("XA_ROLLBACK", "xid"),
    for_changes("XA_FORGET", "xid"),
    resent(for_changes("XA_RECOVER", "all after count")),
    for_changes("XA_TIMEOUT", "timeout"),
    {"XA_DECIDE", "xid outcome", Right::admin},
    resent({"DIGEST", "table stale", Right::admin}),
    then_silent({"BACKUP", "digest", Right::admin}),
    {"BACKUP_DONE", "", Right::admin},
    resent({"CLUSTER", "", Right::read}),
    {"STEP_DOWN", "log for", Right::admin},
    {"MOVE_TABLE", "table", Right::admin},
    {"RELOAD", "table dry_run", Right::admin},
    // Answered, since clients take silence for a failure; but not to a communicatord, which expects no answer.
    {"STOP", "", Right::admin, Scope::daemon, Kind::shared, true},
    {"RESTART", "", Right::admin, Scope::daemon, Kind::shared, true},
    {"LOG_ROTATE", "", Right::admin, Scope::daemon, Kind::shared, true},
    {"LOG", "", Right::admin, Scope::daemon, Kind::shared, true},
    // Never answered, or two services would answer each other for ever.
    {"READY", "", {}, Scope::daemon, Kind::silent},
    {"UNKNOWN", "", {}, Scope::daemon, Kind::silent},
    {"INVALID", "", {}, Scope::daemon, Kind::silent},
    {"STATUS", "", {}, Scope::daemon, Kind::silent},
    {"QUITTING", "", {}, Scope::daemon, Kind::silent},
    {"ABSOLUTELY", "", {}, Scope::daemon, Kind::silent},
    {"SERVICE_UNAVAILABLE", "", {}, Scope::daemon, Kind::silent},
};

constexpr OwnAnswer kAnswers[] = {
    {"ERROR",
     "command code message parameter right table user bound wait_ms transaction op cause result xa decided address "
     "node token retry"},
    {"AUTHENTICATED", "user rights grants table"},
    {"RIGHTS", "user rights grants table connection"},
    {"TABLE", "name type persistent log rows key columns types description", true},
    {"STATS",
     "table now connections watchers connections_ever connections_refused connections_messages connections_http "
     "connections_other "
     "connections_silent logins_accepted logins_refused "
     "logins_delayed handshakes handshakes_resumed handshakes_failed handshakes_open certificate_end_date messages "
     "invalid unknown "
     "strangers without_sender bytes_in bytes_out "
     "alerts "
     "alerts_dropped datagram_queries datagram_queries_dropped udp_messages udp_dropped udp_wrong_secret udp_ignored "
     "udp_refused transactions transactions_committed transactions_rolled_back transactions_timed_out "
     "transactions_in_doubt "
     "feed_datagrams feed_dropped "
     "feed_records feed_heartbeats wake_messages wake_messages_dropped client_memory client_memory_peak "
     "client_memory_limit clients_held clients_refused turns turn_us_max turn_longest_cause commits "
     "sync_us_p50 sync_us_p99 "
     "sync_us_max syncs_on_threads unsynced_ms wakes lateness_us_p50 lateness_us_p99 lateness_us_max announcements "
     "row_lateness_us_p50 row_lateness_us_p99 row_lateness_us_max deliveries deliver_lateness_us_p50 "
     "deliver_lateness_us_p99 deliver_lateness_us_max log_disk_bytes log_bytes log_live_bytes log_disk_bound "
     "log_containers log_bytes_restated log_scrubbed_bytes log_scrub_rounds log_damaged logs_mending starts "
     "durability ports nodes",
     true},
    {"METRICS", "text", true},
    {"HEALTHY", "what"},
    {"OPENAPI", "text"},
    {"ALERT", "table name priority message tags count first last manual_down", true},
    {"ALERTS", "count"},
    {"LOWERED", "name table"},
    {"LISTENING", "table {topic} key key_binary prefix"},
    {"UNLISTENED", "table {topic} key key_binary prefix code message address node token retry"},
    {"LISTEN", "table {topic} ready date missed"},
    {"WAITER",
     "table connection mode topic worker peer user since stalled until waiting state missed credit leases after", true},
    {"WATCHING", "table every"},
    {"UNWATCHED", "table"},
    {"FIGURES", "table now tables unchanged alerts"},
    {"RECORD", "table lsn previous object type version catalogue body"},
    {"FETCHED", "table number type store more feed snapshot next cursor"},
    {"GONE", "table kept_from reason"},
    {"BEGUN", "transaction timeout"},
    {"PROMISED", "op"},
    {"COMMITTED", "transaction xid ops", true},
    {"ROLLED_BACK", "transaction xid"},
    {"STARTED", "xid timeout"},
    {"ENDED", "xid"},
    {"PREPARED", "xid ops"},
    {"FORGOTTEN", "xid"},
    {"DECIDED", "xid outcome ops"},
    {"BRANCH", "xid state origin transaction ops tables ends_date log prepared_date in_doubt_for decided_date after",
     true},
    {"XA_TIMEOUT", "timeout most"},
    {"BRANCHES", "count"},
    {"DIGEST", "table log lsn digest"},
    {"BACKUP", "log folder store base end containers digest"},
    {"BACKUP_ELSEWHERE", "log"},
    {"BACKUP_BYTES", "table folder files"},
    {"BACKED_UP", ""},
    {"SHARED_LOG", "log standing this owner address token why bytes room", true},
    {"NODE", "log node address role behind differs", true},
    {"STEPPED_DOWN", "log for"},
    {"MOVING", "table from to bytes"},
    {"KEPT", "table log"},
    {"MOVE_STATUS", "table from to step copied bytes pause why", true},
    {"RELOADED", "changes count dry_run"},
    {"STOPPING", ""},
    {"RESTARTING", ""},
    {"LOG_ROTATED", ""},
    {"FLAG", "state unit section name priority message tags count date modified manual_down hostname version"},
};

}  // namespace

// A word of its parameters.
bool OwnCommand::takes_table() const {
  static constexpr std::string_view kTable = "table";
  std::size_t const at = parameters.find(kTable);
  return at != std::string_view::npos && (at == 0 || parameters[at - 1] == ' ') &&
         (at + kTable.size() == parameters.size() || parameters[at + kTable.size()] == ' ');
}

std::string_view OwnCommand::needed() const {
  return right ? name_of(*right) : for_changes ? kRightsToChangeNames : "none";
}

std::span<OwnCommand const> own_commands() { return kCommands; }

std::span<OwnAnswer const> own_answers() { return kAnswers; }

bool goes_with_listen(TypeDeclaration const& type, CommandDeclaration const& command,
                      ParameterDeclaration const& parameter) {
  static constexpr std::array<std::string_view, 4> kOfListen{"table", "request", "wait", "worker"};
  return !parameter.right && parameter.name != type.topic && parameter.name != command.deliver_count &&
         std::ranges::find(kOfListen, parameter.name) == kOfListen.end();
}

std::string with_topics(std::string_view parameters, engine::TableTypes const& types) {
  static constexpr std::string_view kTopic = "{topic} ";
  static constexpr std::string_view kFurther = "{further} ";
  std::vector<std::string_view> topics;
  std::vector<std::string_view> further;
  auto const note = [](std::vector<std::string_view>& names, std::string_view name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (auto const& [name, type] : types) {
    note(topics, type->topic());
    if (type->delivering() == NameTable::kAbsent) continue;
    TypeDeclaration const& declared = *type->declaration();
    CommandDeclaration const& command = declared.commands[type->delivering()];
    for (ParameterDeclaration const& parameter : command.parameters)
      if (goes_with_listen(declared, command, parameter)) note(further, parameter.name);
  }
  std::string out{parameters};
  out += ' ';
  auto const replace = [&out](std::string_view mark, std::vector<std::string_view> const& names) {
    std::size_t const at = out.find(mark);
    if (at == std::string::npos) return;
    std::string words;
    for (std::string_view const name : names) words.append(name).append(" ");
    out.replace(at, mark.size(), words);
  };
  replace(kTopic, topics);
  replace(kFurther, further);
  out.pop_back();
  return out;
}

}  // namespace fastjournal::admin
