// Commands of the daemon itself: HELP, figures, LISTEN, backups, reload, its end, and those that every service of a
// communicatord has.
#include <algorithm>
#include <array>

#include "fastjournal/limits.h"
#include "model/value.h"
#include "server/names.h"
#include "server/server.h"

namespace fastjournal::server {
namespace {

// A table's metrics as parameters of one STATS message.
class AnswerMetrics final : public MetricSink {
 public:
  explicit AnswerMetrics(Answer& answer) : answer_(answer) {}
  void integer(Metric const& metric, std::int64_t value) override { answer_.add(metric.name, value); }
  void real(Metric const& metric, double value) override { answer_.add(metric.name, Value::of_real(value)); }
  void histogram(Metric const& metric, Histogram const& values) override {
    core::tell_parts(metric, values,
                     [this](std::string const& name, std::uint64_t value) { answer_.add(answer_.keep(name), value); });
  }

 private:
  Answer& answer_;
};

constexpr std::string_view kind_name(CommandKind kind) {
  switch (kind) {
    case CommandKind::read: return "read";
    case CommandKind::add: return "add";
    case CommandKind::change: return "change";
    case CommandKind::remove: return "remove";
  }
  return "";
}

constexpr std::array<std::string_view, 3> kModes = {"wake", "row", "deliver"};  // by ListenMode
constexpr std::int64_t kCreditMax = 1024;

Status bad(std::string_view name, std::string text) {
  return Status{Code::bad_parameter, std::move(text)}.with("parameter", std::string{name});
}

// mode, credit and worker of a LISTEN.
Status read_wish(Message const& message, core::ListenWish& wish) {
  if (std::string_view const mode = message.text("mode"); !mode.empty()) {
    auto const found = std::find(kModes.begin(), kModes.end(), mode);
    if (found == kModes.end())
      return bad("mode", "mode is \"" + std::string{mode.substr(0, 32)} + "\": expected wake, row or deliver");
    wish.mode = static_cast<core::ListenMode>(found - kModes.begin());
  }
  bool const delivers = wish.mode == core::ListenMode::deliver;
  if (message.has("credit") && !delivers) return bad("credit", "credit goes with mode=deliver only");
  std::int64_t const credit = message.has("credit") ? message.integer("credit").value_or(0) : 1;
  if (credit < 1 || credit > kCreditMax)
    return bad("credit",
               "credit, the rows delivered at once, is a whole number from 1 to " + std::to_string(kCreditMax));
  if (delivers) wish.credit = static_cast<std::uint32_t>(credit);
  std::string_view const worker = message.text("worker");
  if (worker.size() > kWorkerBytesMax)
    return Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with(
        "parameter", "worker");
  if (!worker.empty()) wish.worker = worker;
  return {};
}

}  // namespace

// Where {topic} stands, what the types call theirs.
std::string with_topics(std::string_view parameters, core::TableTypes const& types) {
  std::string out{parameters};
  static constexpr std::string_view kTopic = "{topic} ";
  std::string topics;
  std::vector<std::string_view> told;
  for (auto const& [name, type] : types) {
    std::string const& topic = type->topic();
    if (topic.empty() || std::ranges::find(told, topic) != told.end()) continue;
    told.push_back(topic);
    topics += topic + " ";
  }
  out += ' ';
  if (std::size_t const at = out.find(kTopic); at != std::string::npos) out.replace(at, kTopic.size(), topics);
  out.pop_back();
  return out;
}

std::vector<Server::SystemCommand> Server::known_commands() {
  return {
      {"HELP", &Server::on_help, "command"},
      {"ALIVE", &Server::on_alive, "serial timestamp"},
      {"TABLES", &Server::on_tables, "", Right::read},
      {"STATS", &Server::on_stats, "table", Right::read},
      {"ALERTS", &Server::on_alerts, "table", Right::read},
      {"LOWER", &Server::on_lower, "name table", Right::manage},
      {"LISTEN", &Server::on_listen, "table {topic} mode credit worker", Right::work},
      {"UNLISTEN", &Server::on_unlisten, "table {topic}"},
      {"FETCH", &Server::on_fetch, "table from to count bytes snapshot cursor", Right::read},
      {"DIGEST", &Server::on_digest, "table", Right::admin},
      {"BACKUP", &Server::on_backup, "digest", Right::admin},
      {"BACKUP_DONE", &Server::on_backup_done, "", Right::admin},
      {"RELOAD", &Server::on_reload, "table dry_run", Right::admin},
      // Answered, since clients take silence for a failure; but not to a communicatord, which expects no answer.
      {"STOP", &Server::on_stop, "", Right::admin, true},
      {"RESTART", &Server::on_restart, "", Right::admin, true},
      {"LOG_ROTATE", &Server::on_log_rotate, "", Right::admin, true},
      {"LOG", &Server::on_log_rotate, "", Right::admin, true},
      // Never answered, or two services would answer each other for ever.
      {"READY", &Server::on_ignored, ""},
      {"UNKNOWN", &Server::on_ignored, ""},
      {"INVALID", &Server::on_ignored, ""},
      {"STATUS", &Server::on_status, ""},
      {"QUITTING", &Server::on_quitting, ""},
      {"ABSOLUTELY", &Server::on_ignored, ""},
      {"SERVICE_UNAVAILABLE", &Server::on_ignored, ""},
  };
}

void Server::name_commands() {
  for (auto const& [name, type] : types_)
    for (core::CommandType const& command : type->commands()) commands_.add(command.name, kOfTables);
  counted_answers_ = {"STATS", "TABLE", "ALERT"};
  for (auto const& [name, type] : types_)
    for (AnswerDeclaration const& answer : type->declaration()->answers)
      if (answer.is_counted) counted_answers_.push_back(answer.name);
  system_commands_ = known_commands();
  for (std::size_t i = 0; i < system_commands_.size(); ++i)
    commands_.add(system_commands_[i].name, static_cast<std::uint32_t>(i));
}

std::vector<std::pair<std::string_view, std::string_view>> Server::own_commands() {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (SystemCommand const& command : known_commands()) {
    bool const of_every_service = command.handler == &Server::on_help || command.handler == &Server::on_alive ||
                                  command.handler == &Server::on_stop || command.handler == &Server::on_restart ||
                                  command.handler == &Server::on_log_rotate ||
                                  command.handler == &Server::on_quitting || command.handler == &Server::on_status ||
                                  command.handler == &Server::on_ignored;
    if (!of_every_service) out.emplace_back(command.name, command.parameters);
  }
  return out;
}

std::vector<std::pair<std::string_view, std::string_view>> Server::own_answers() {
  return {
      {"ERROR", "command code message parameter right"},
      {"TABLE", "name type persistent log rows key columns types description"},
      {"STATS",
       "table now connections connections_ever connections_refused connections_silent messages invalid unknown "
       "strangers without_sender bytes_in bytes_out "
       "alerts "
       "alerts_dropped udp_messages udp_dropped udp_wrong_secret udp_ignored udp_refused feed_datagrams feed_dropped "
       "feed_records feed_heartbeats wake_messages wake_messages_dropped client_memory client_memory_peak "
       "client_memory_limit clients_held clients_refused turns turn_us_max turn_longest_cause commits "
       "sync_us_p50 sync_us_p99 "
       "sync_us_max syncs_on_threads wakes lateness_us_p50 lateness_us_p99 lateness_us_max announcements "
       "row_lateness_us_p50 row_lateness_us_p99 row_lateness_us_max deliveries deliver_lateness_us_p50 "
       "deliver_lateness_us_p99 deliver_lateness_us_max log_disk_bytes log_bytes log_live_bytes log_disk_bound "
       "log_containers log_bytes_restated log_scrubbed_bytes log_scrub_rounds log_damaged logs_mending starts "
       "durability"},
      {"ALERT", "table name priority message tags count first last manual_down"},
      {"ALERTS", "count"},
      {"LOWERED", "name table"},
      {"LISTENING", "table {topic}"},
      {"UNLISTENED", "table {topic}"},
      {"LISTEN", "table {topic} ready date missed"},
      {"RECORD", "table lsn previous object type version catalogue body"},
      {"FETCHED", "table number type store more feed snapshot next cursor"},
      {"GONE", "table kept_from reason"},
      {"DIGEST", "table log lsn digest"},
      {"BACKUP", "log folder store base end containers digest"},
      {"BACKED_UP", ""},
      {"RELOADED", "changes count dry_run"},
      {"STOPPING", ""},
      {"RESTARTING", ""},
      {"LOG_ROTATED", ""},
      {"FLAG", "state unit section name priority message tags count date modified manual_down hostname version"},
  };
}

std::vector<std::string_view> Server::command_names() {
  std::vector<std::string_view> out;
  for (SystemCommand const& command : known_commands()) out.push_back(command.name);
  return out;
}

void Server::on_ignored(Session&, Message const&, Answer&, Status&) {}

// It closes the connection soon: UNREGISTER would arrive too late.
void Server::on_quitting(Session& session, Message const&, Answer&, Status&) { session.quitting = true; }

// `all`: a communicatord passes on only listed commands, so that unanswered ones are listed too.
std::string Server::list_of_commands(bool all) const {
  std::vector<std::string_view> names;
  for (SystemCommand const& command : system_commands_)
    if (all || (command.handler != &Server::on_ignored && command.handler != &Server::on_status &&
                command.handler != &Server::on_quitting))
      names.push_back(command.name);
  for (auto const& [name, type] : types_)
    for (core::CommandType const& command : type->commands()) names.push_back(command.name);
  for (Aliases::Alias const& alias : aliases_.all()) names.push_back(alias.declared->command);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string list;
  for (std::string_view name : names) {
    if (!list.empty()) list += ',';
    list += name;
  }
  return list;
}

void Server::on_help(Session& session, Message const& message, Answer& answer, Status& status) {
  std::string_view const command = message.text("command");
  if (command.empty()) {
    answer.message("COMMANDS").add("list", std::string_view{list_of_commands(session.communicator)});
  } else {
    help_on(command, answer, status);
  }
}

// One HELP message for each type that has the command.
void Server::help_on(std::string_view command, Answer& answer, Status& status) const {
  std::uint32_t const system = commands_.find(command);
  if (system < system_commands_.size())
    answer.message("HELP")
        .add("command", command)
        .add("type", std::string_view{"daemon"})
        .add("right", system_commands_[system].right ? name_of(*system_commands_[system].right) : "none")
        .add("parameters", with_topics(system_commands_[system].parameters, types_));
  for (auto const& [name, type] : types_) {
    std::uint32_t const index = type->find_command(command);
    if (index == NameTable::kAbsent) continue;
    CommandDeclaration const& declared = type->declaration()->commands[index];
    std::string parameters;
    for (ParameterDeclaration const& parameter : declared.parameters) {
      if (!parameters.empty()) parameters += ' ';
      parameters += parameter.name + ":" + parameter.type + (parameter.required ? "!" : "");
    }
    if (declared.takes_columns) parameters += " COLUMNS";
    answer.message("HELP")
        .add("command", command)
        .add("type", std::string_view{name})
        .add("kind", kind_name(declared.kind))
        .add("right", name_of(declared.right));
    answer.add("parameters", std::string_view{parameters}).add("answers", std::string_view{declared.answers});
    answer.add("description", std::string_view{declared.description});
  }
  if (answer.empty())
    status =
        Status{Code::unknown_command, "no command \"" + std::string{command.substr(0, 64)} + "\"; HELP lists them"};
}

void Server::on_alive(Session&, Message const& message, Answer& answer, Status& status) {
  answer.message("ABSOLUTELY").add("reply_timestamp", time_.now_us() / 1'000'000);
  for (std::string_view name : {"serial", "timestamp"}) {
    Value const* const value = message.find(name);
    if (value == nullptr) continue;
    if (status = check_echo(name, *value, kEchoBytesMax); !status.ok()) return answer.clear();
    answer.add(name, *value);
  }
}

void Server::on_tables(Session&, Message const&, Answer& answer, Status& status) {
  touch_all();
  for (auto const& table : engine_.tables()) {
    if (table->table == nullptr) continue;
    answer.message("TABLE")
        .add("name", std::string_view{table->name})
        .add("type", std::string_view{table->type->name()});
    if (!table->declaration->persistent) answer.add("persistent", std::uint64_t{0});
    answer.add("log", std::string_view{table->log->name});
    if (table->log->serves) answer.add("rows", core::metric_of(*table, turn_now(), "rows"));
    std::string key;
    for (std::uint16_t const column : table->declaration->schema.key) {
      if (!key.empty()) key += ' ';
      key += table->declaration->schema.columns[column].name;
    }
    std::string columns;
    std::string types;
    for (Column const& column : table->declaration->schema.columns) {
      columns.append(columns.empty() ? "" : " ").append(column.name);
      types.append(types.empty() ? "" : " ").append(model::name_of(column.type));
    }
    answer.add("key", std::string_view{key}).add("columns", std::string_view{columns});
    answer.add("types", std::string_view{types});
    answer.add("description", std::string_view{table->declaration->description});
  }
  if (answer.empty())
    status = Status{Code::not_found, "there is no table; put an XML file into the tables folder and reload"};
}

void Server::on_stats(Session&, Message const& message, Answer& answer, Status& status) {
  bool absent = false;
  core::HostedTable* const one = table_of(message, status, &absent);
  if (one == nullptr && !absent) return;
  if (absent) own_stats(answer);
  for (auto const& table : engine_.tables()) {
    if (table->table == nullptr || !table->log->serves || (one != nullptr && table.get() != one)) continue;
    answer.message("STATS").add("table", std::string_view{table->name});
    AnswerMetrics sink{answer};
    core::Engine::metrics(*table, turn_now(), sink);
  }
}

void Server::own_stats(Answer& answer) {
  answer.message("STATS").add("now", turn_now().value);
  answer.add("connections", static_cast<std::uint64_t>(sessions_.size()))
      .add("connections_ever", counters_.connections);
  answer.add("connections_refused", counters_.connections_refused)
      .add("connections_silent", counters_.connections_silent);
  answer.add("messages", counters_.messages).add("invalid", counters_.invalid).add("unknown", counters_.unknown);
  answer.add("strangers", counters_.strangers).add("without_sender", counters_.without_sender);
  answer.add("bytes_in", counters_.bytes_in).add("bytes_out", counters_.bytes_out);
  answer.add("alerts", static_cast<std::uint64_t>(engine_.alerts().size()))
      .add("alerts_dropped", engine_.alerts_dropped());
  answer.add("udp_messages", counters_.udp_messages).add("udp_dropped", counters_.udp_dropped);
  answer.add("udp_wrong_secret", counters_.udp_wrong_secret)
      .add("udp_ignored", counters_.udp_ignored)
      .add("udp_refused", counters_.udp_refused);
  answer.add("feed_datagrams", feeds_.counters().datagrams).add("feed_dropped", feeds_.counters().dropped);
  answer.add("feed_records", feeds_.counters().records).add("feed_heartbeats", feeds_.counters().heartbeats);
  answer.add("wake_messages", counters_.wake_messages).add("wake_messages_dropped", counters_.wake_messages_dropped);
  add_memory_stats(answer);
  answer.add("turns", counters_.turns).add("turn_us_max", record_.longest_us());
  answer.add("turn_longest_cause", std::string_view{record_.cause()}).add("commits", counters_.commits);
  add_sync_stats(answer);
  // By ListenMode.
  static constexpr std::array<std::array<std::string_view, 4>, 3> kLateness = {{
      {"wakes", "lateness_us_p50", "lateness_us_p99", "lateness_us_max"},
      {"announcements", "row_lateness_us_p50", "row_lateness_us_p99", "row_lateness_us_max"},
      {"deliveries", "deliver_lateness_us_p50", "deliver_lateness_us_p99", "deliver_lateness_us_max"},
  }};
  for (std::size_t mode = 0; mode < kLateness.size(); ++mode) {
    Histogram const& lateness = lateness_us_[mode];
    answer.add(kLateness[mode][0], lateness.count()).add(kLateness[mode][1], lateness.percentile(50));
    answer.add(kLateness[mode][2], lateness.percentile(99)).add(kLateness[mode][3], lateness.max());
  }
  std::uint64_t disk = 0;
  std::uint64_t logical = 0;
  std::uint64_t containers = 0;
  std::uint64_t live = 0;
  std::uint64_t bound = 0;
  std::string starts;
  for (auto const& log : engine_.logs()) {
    if (!log->keeps || !log->serves) continue;
    core::LogUsage const usage = log->log->usage();
    std::uint64_t const container = usage.containers == 0 ? 0 : usage.disk_bytes / usage.containers;
    disk += usage.disk_bytes + usage.containers_pinned * container;
    logical += usage.logical_bytes;
    containers += usage.containers + usage.containers_pinned;
    std::uint64_t const mine = core::live_bytes(*log);
    live += mine;
    bound += 2 * mine + container * usage.containers_kept;
    if (!starts.empty()) starts += ' ';
    starts += log->name + ":" + std::to_string(log->log->start());
  }
  answer.add("log_disk_bytes", disk)
      .add("log_bytes", logical)
      .add("log_live_bytes", live)
      .add("log_disk_bound", bound)
      .add("log_containers", containers)
      .add("log_bytes_restated", restated_bytes());
  core::ScrubReport scrubbed;
  std::uint64_t mending = 0;
  for (ServedLog const& served : logs_) {
    core::LogDescription const log = served.log->describe();
    mending += log.is_mending ? 1 : 0;
    if (log.scrubbed == nullptr) continue;
    scrubbed.bytes += log.scrubbed->bytes;
    scrubbed.rounds += log.scrubbed->rounds;
    scrubbed.damaged += log.scrubbed->damaged;
  }
  answer.add("log_scrubbed_bytes", scrubbed.bytes)
      .add("log_scrub_rounds", scrubbed.rounds)
      .add("log_damaged", scrubbed.damaged)
      .add("logs_mending", mending);
  answer.add("starts", std::string_view{starts});
  answer.add("durability", std::string_view{durability()});
}

// Of the log with the slowest disk.
void Server::add_sync_stats(Answer& answer) const {
  std::array<std::uint64_t, 3> slowest{};
  std::uint64_t on_threads = 0;
  for (ServedLog const& served : logs_) {
    core::LogDescription const log = served.log->describe();
    if (log.syncs_elsewhere) ++on_threads;
    if (log.sync_us == nullptr) continue;
    slowest = std::max(slowest, {log.sync_us->percentile(99), log.sync_us->percentile(50), log.sync_us->max()});
  }
  answer.add("sync_us_p50", slowest[1]).add("sync_us_p99", slowest[0]).add("sync_us_max", slowest[2]);
  answer.add("syncs_on_threads", on_threads);
}

std::string Server::durability() const {
  std::string text;
  for (ServedLog const& served : logs_) {
    if (!text.empty()) text += "; ";
    text += "log " + served.log->name() + ": " + served.log->describe().durability;
  }
  std::string volatile_ones;
  for (auto const& table : engine_.tables())
    if (table->table != nullptr && !table->declaration->persistent) volatile_ones += " " + table->name;
  if (!volatile_ones.empty()) text += "; in memory only, gone with a stop:" + volatile_ones;
  return text;
}

void Server::on_listen(Session& session, Message const& message, Answer& answer, Status& status) {
  core::HostedTable* const table = table_of(message, status);
  if (table == nullptr) return;
  std::string const& topic = table->type->topic();
  core::ListenWish wish{.topic = topic.empty() ? std::string_view{} : message.text(topic), .worker = session.worker};
  status = read_wish(message, wish);
  if (status.ok()) status = engine_.listen(*table, session.id, wish);
  if (!status.ok()) return;
  session.listens = true;
  answer.message("LISTENING").add("table", std::string_view{table->name});
  if (!wish.topic.empty()) answer.add(topic, wish.topic);
}

void Server::on_unlisten(Session& session, Message const& message, Answer& answer, Status& status) {
  core::HostedTable* const table = table_of(message, status);
  if (table == nullptr) return;
  std::string const& name = table->type->topic();
  std::string_view const topic = name.empty() ? std::string_view{} : message.text(name);
  status = engine_.unlisten(*table, session.id, topic);
  if (!status.ok()) return;
  answer.message("UNLISTENED").add("table", std::string_view{table->name});
  if (!topic.empty()) answer.add(name, topic);
}

void Server::on_reload(Session&, Message const& message, Answer& answer, Status& status) {
  touch_all();
  std::int64_t const dry_run = message.has("dry_run") ? message.integer("dry_run").value_or(-1) : 0;
  if (dry_run != 0 && dry_run != 1) {
    status = Status{Code::bad_parameter, "dry_run: expected 0 or 1"}.with("parameter", "dry_run");
    return;
  }
  Result<std::vector<std::string>> changes = reload(message.text("table"), dry_run == 1);
  if (!changes.ok()) {
    status = changes.status();
    return;
  }
  std::string text;
  for (std::string const& change : changes.value()) text.append(text.empty() ? "" : "\n").append(change);
  answer.message("RELOADED").add("changes", std::string_view{text}).add("count", std::uint64_t{changes->size()});
  if (dry_run == 1) answer.add("dry_run", std::uint64_t{1});
}

// All logs at one moment: everything decided before is in the named files, below `end`.
void Server::on_backup(Session& session, Message const& message, Answer& answer, Status& status) {
  if (backup_) {
    status = Status{Code::in_use, "another backup is being made; one at a time"};
    return;
  }
  std::int64_t const digest = message.has("digest") ? message.integer("digest").value_or(-1) : 0;
  if (digest != 0 && digest != 1) {
    status = bad("digest", "digest: expected 0 or 1");
    return;
  }
  for (ServedLog const& served : logs_) {
    if (served.standing == core::Standing::serving) continue;
    status = Status{Code::unavailable, "log " + served.log->name() + " does not serve: " + served.log->why().message()};
    return;
  }
  backup_ = session.id;
  for (ServedLog& served : logs_) {
    core::LogStore& log = *served.log;
    Result<core::LogSnapshot> const pinned = pin(log);
    if (!pinned.ok()) return;
    std::string containers;
    for (std::uint32_t const index : pinned->containers)
      containers.append(containers.empty() ? "" : " ").append(std::to_string(index));
    answer.message("BACKUP").add("log", std::string_view{log.name()});
    answer.add("folder", std::string_view{host_.data_folder() + "/" + log.describe().folder});
    answer.add("store", pinned->store_id).add("base", pinned->base.value).add("end", pinned->end.value);
    answer.add("containers", std::string_view{containers});
    if (digest == 0) continue;
    for (auto const& hosted : engine_.logs())
      if (hosted->log == &log) answer.add("digest", std::string_view{core::digest_text(core::Engine::digest(*hosted))});
  }
}

void Server::on_backup_done(Session& session, Message const&, Answer& answer, Status& status) {
  if (backup_ != session.id)
    status = Status{Code::wrong_state, "this connection makes no backup"};
  else if (!end_backup(session.id))
    status = Status{Code::no_space,
                    "the disk was full, and the files that were held were needed: what was copied is no "
                    "backup; free disk space, then try again"};
  else
    answer.message("BACKED_UP");
}

bool Server::end_backup(ConnectionId id) {
  if (backup_ != id) return false;
  backup_.reset();
  bool pinned = true;
  for (ServedLog const& served : logs_) pinned = served.log->unpin() && pinned;
  return pinned;
}

// A communicatord expects no answer; a person at the socket does.
void Server::on_stop(Session& session, Message const&, Answer& answer, Status&) {
  host_.stop("the command STOP from " + session.peer);
  if (!session.communicator) answer.message("STOPPING");
}

void Server::on_restart(Session& session, Message const&, Answer& answer, Status&) {
  host_.restart("the command RESTART from " + session.peer);
  if (!session.communicator) answer.message("RESTARTING");
}

void Server::on_log_rotate(Session& session, Message const&, Answer& answer, Status& status) {
  status = host_.rotate_log();
  if (status.ok() && !session.communicator) answer.message("LOG_ROTATED");
}

}  // namespace fastjournal::server
