#include "server/server.h"

#include <algorithm>
#include <span>

#include "fastjournal/limits.h"
#include "server/names.h"
#include "wire/first_line.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::server {
namespace {

// The most containers of live objects that are copied forward before serving.
constexpr std::uint64_t kCopiedAtStart = 2;
// Towards a link a value stays below this.
constexpr std::size_t kOutboundValueBytesMax = 16U << 10U;

// A connection that may finish its message (server_memory.cpp) does not continue after such an answer.
constexpr std::size_t kLetOnBytes = 256U << 10U;
// In units of the turn's budget: a message from its bytes to its answer, without the work of its table.
constexpr std::uint64_t kLooksPerMessage = 32;
constexpr std::size_t kBytesPerLook = 64;

}  // namespace

Server::Server(env::Clock& clock, env::Network& network, core::TableTypes const& types, ServerLimits limits,
               ServerHost& host)
    : network_(network),
      types_(types),
      limits_(limits),
      host_(host),
      time_(clock),
      engine_(types, *this),
      listeners_(1),
      admission_(limits.connections),
      silence_(limits.connections.first_message_us, limits.connections.idle_us),
      memory_(limits.client_memory_bytes, limits.connections.most + limits.connections.reserved),
      budget_(clock),
      feeds_(network, engine_) {
  name_commands();
  engine_.limit_memory(limits.memory_bytes);
}

Status Server::start_serving() {
  if (Status status = begin_time(); !status.ok()) return status;
  Result<Aliases> aliases = read_aliases(engine_.declarations());
  if (!aliases.ok()) return aliases.status();
  aliases_ = std::move(aliases).value();
  Result<Feeds::Outlets> feeds = feeds_.open(engine_.declarations());
  if (!feeds.ok()) return feeds.status();
  feeds_.use(std::move(feeds).value(), time_.monotonic_us());
  if (Status status = engine_.finish_recovery(time_.now()); !status.ok()) return status;
  for (ServedLog const& served : logs_)
    if (Status status = served.log->commit(); !status.ok()) return status;
  // Half-empty containers of many starts are merged before the next start needs room, even if the daemon never serves.
  // That is little work; the rest of a long log is copied while serving.
  std::uint64_t most = 0;
  for (ServedLog const& served : logs_) {
    core::LogUsage const usage = served.log->usage();
    if (usage.containers != 0) most += kCopiedAtStart * (usage.disk_bytes / usage.containers);
  }
  while (restated_bytes() < most && engine_.committed(time_.now())) {
    for (ServedLog const& served : logs_)
      if (Status status = served.log->commit(); !status.ok()) return status;
  }
  static_cast<void>(engine_.take_notices());  // receivers get all current alerts
  unwell_ =
      engine_.alert_is_up(kClockJump) || time_.off_us() < -TimeKeeper::kStepUs || engine_.check_shortages(time_.now());
  slew_at_us_ = time_.monotonic_us() + TimeKeeper::kSlewEveryUs;
  schedule(true);
  return {};
}

std::uint64_t Server::restated_bytes() const {
  std::uint64_t sum = 0;
  for (auto const& log : engine_.logs()) sum += log->bytes_restated;
  return sum;
}

Status Server::finish() {
  if (dead_) return {};
  for (ServedLog const& served : logs_) {
    if (served.standing != core::Standing::serving) continue;
    host_.wait_for_sync(*served.log);
    if (Status status = served.log->commit(); !status.ok()) return status;
    if (Status status = served.log->look(); !status.ok()) return status;
  }
  leave_links();
  leave();
  for (ServedLog const& served : logs_)
    if (served.standing == core::Standing::serving)
      if (Status status = served.log->seal(); !status.ok()) return status;
  return {};
}

Result<Aliases> Server::read_aliases(core::Declarations const& tables) const {
  Result<Aliases> aliases = Aliases::read(tables);
  if (!aliases.ok()) return aliases;
  for (Aliases::Alias const& alias : aliases->all()) {
    std::string const& name = alias.declared->command;
    if (commands_.has(name))
      return Status{Code::bad_configuration, alias.table->at("alias " + name) + ": the alias " + name +
                                                 " has the name of a command of the daemon: choose another"};
  }
  return aliases;
}

Result<std::vector<std::string>> Server::reload(std::string_view table, bool dry_run) {
  begin_turn();
  record_.note("RELOAD", table, TurnBudget::kLooksPerTurn);
  Result<core::Declarations> next = host_.read_declarations();
  if (next.ok() && !table.empty()) next = declarations_with(table, next.value());
  if (!next.ok()) return next.status();
  if (Status status = engine_.check_reload(next.value()); !status.ok()) return status;
  Result<Aliases> aliases = read_aliases(next.value());
  if (!aliases.ok()) return aliases.status();
  if (dry_run) return engine_.preview_reload(next.value());
  Result<Feeds::Outlets> feeds = feeds_.open(next.value());
  if (!feeds.ok()) return feeds.status();
  Result<std::vector<std::string>> changes = engine_.reload(next.value(), turn_now());
  if (changes.ok()) aliases_ = std::move(aliases).value();
  feeds_.use(std::move(feeds).value(), time_.monotonic_us());
  return changes;
}

// The current declarations, with one table of `next`.
Result<core::Declarations> Server::declarations_with(std::string_view table, core::Declarations const& next) const {
  core::Declarations out = engine_.declarations();
  auto const is_it = [table](core::Declaration const& declaration) { return declaration->name == table; };
  auto const fresh = std::find_if(next.begin(), next.end(), is_it);
  bool const known = std::erase_if(out, is_it) > 0;
  if (fresh != next.end()) out.push_back(*fresh);
  if (known || fresh != next.end()) return out;
  return Status{Code::unknown_table, "no table \"" + std::string{table.substr(0, 64)} +
                                         "\" runs, and the tables folder declares none of this name"};
}

// ---------------------------------------------------------------------------
// Connections

void Server::on_open(ConnectionId id, env::Peer const& peer) {
  begin_turn();
  if (open_link(id, peer)) return;
  auto session = std::make_unique<Session>(id, peer, limits_.frames);
  Result<Admission::Place> const place = admission_.enter(session->origin, listener_of(*session).is_administrators());
  if (!place.ok()) return refuse(id, peer.text, place.status());
  session->place = place.value();
  session->rights = listener_of(*session).rights;
  ++counters_.connections;
  silence_.begin(*session, time_.monotonic_us());
  memory_.open(session->account, session->origin);
  count(*session);
  sessions_.emplace(id, std::move(session));
}

void Server::on_bytes(ConnectionId id, std::string_view bytes) {
  auto const found = sessions_.find(id);
  if (found == sessions_.end() || found->second->ending || dead_) return;
  begin_turn();
  Session& session = *found->second;
  counters_.bytes_in += bytes.size();
  if (session.link)
    if (OutboundLink* const one = link_of(id)) one->heard();
  if (session.in.empty() && !budget_.is_over()) {
    read_messages(session, bytes);
    return;
  }
  if (!take_in(session, bytes)) return close_for_memory(session, "the process has no memory for what it sends");
  if (!session.in_line && !session.full && !budget_.is_over()) return read_messages(session, session.in);
  count(session);
  if (!session.full) stand_in_line(session, first_in_line_);
}

void Server::on_writable(ConnectionId id) {
  auto const found = sessions_.find(id);
  if (found != sessions_.end() && !dead_) flush(*found->second);
}

void Server::on_end_of_input(ConnectionId id) {
  auto const found = sessions_.find(id);
  if (found == sessions_.end()) return;
  found->second->input_ended = true;
  mark_dirty(*found->second);  // closed once its answers are out
}

void Server::on_closed(ConnectionId id, std::string_view reason) {
  begin_turn();
  static_cast<void>(close_link(id, reason));
  auto const found = sessions_.find(id);
  if (found == sessions_.end()) return;
  forget(*found->second);
  bool const communicator = found->second->communicator;
  sessions_.erase(found);
  end_session(id, communicator);
}

void Server::close(Session& session) {
  ConnectionId const id = session.id;
  static_cast<void>(close_link(id, "it ended"));
  forget(session);
  bool const communicator = session.communicator;
  sessions_.erase(id);
  network_.close(id);
  end_session(id, communicator);
  network_.turn_again();  // the decisions about its leases must be committed
}

void Server::end_session(ConnectionId id, bool communicator) {
  static_cast<void>(end_backup(id));
  engine_.connection_closed(id, turn_now());
  if (communicator) end_senders(senders_.leave_all());
}

Session* Server::session_of(ConnectionId connection) const {
  ConnectionId const id = Senders::is_sender(connection) && communicator_ != nullptr ? communicator_->id() : connection;
  auto const found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

// ---------------------------------------------------------------------------
// Messages

// `unread` is either the input that just arrived (session.in is empty) or session.in.
void Server::read_messages(Session& session, std::string_view unread) {
  bool const own = !session.in.empty();
  std::size_t consumed = 0;
  bool whole = false;
  std::uint64_t const slice_end = budget_.looks() + TurnBudget::kLooksPerSlice;
  bool has_more = true;
  while (session.unsent() <= limits_.output_bytes && !is_stopped(session) && !budget_.is_over() &&
         budget_.looks() < slice_end) {
    wire::Framer::Piece piece = session.framer.next(unread.substr(consumed));
    consumed += piece.consumed;
    if (piece.kind == wire::Framer::Kind::need_more) {
      has_more = false;
      break;
    }
    whole = true;
    std::uint64_t const looks_before = engine_.looks();
    std::size_t const room_before = session.out.capacity();
    if (piece.kind == wire::Framer::Kind::bad) {
      session.binary = piece.is_frame;
      if (turn_away(session, piece.status)) return;
      budget_.spend(kLooksPerMessage);
      continue;
    }
    session.binary = piece.kind == wire::Framer::Kind::frame;
    Status status = session.binary ? wire::parse_frame(piece.bytes, message_) : wire::parse_line(piece.bytes, message_);
    if (!session.is_known && status.ok() && !message_.command.empty()) {
      if (!session.binary) status = wire::check_first_line(piece.bytes, message_);
      session.is_known = status.ok();
    }
    if (status.ok()) {
      if (!message_.command.empty() && !refuse_large(session, piece.bytes.size())) handle(session);
    } else if (turn_away(session, status)) {
      return;
    }
    std::uint64_t const looks = kLooksPerMessage + (engine_.looks() - looks_before) + answer_.params().size() +
                                piece.bytes.size() / kBytesPerLook;
    if (status.ok() && record_.is_heaviest(looks)) note_command(looks);
    budget_.spend(looks);
    if (session.out.size() > kLetOnBytes) session.let_on_until_us = 0;
    // Of its account, only this grows here.
    if (session.out.capacity() != room_before) count(session);
  }
  if (whole) heard(session);
  if (own) {
    session.in.erase(0, consumed);
    if (session.in.empty()) clear_buffer(session.in);
    if (session.in.empty() && (memory_ended_ || memory_.is_short())) session.in.shrink_to_fit();
  } else {
    session.in.assign(unread.substr(consumed));
  }
  if (consumed > 0) session.let_on_until_us = 0;
  count(session);
  bool const stopped = is_stopped(session);
  if (stopped) stop(session);
  session.full = stopped || session.unsent() > limits_.output_bytes;
  if (has_more && !session.full && !session.in.empty()) stand_in_line(session, line_);
  if (!session.in_line) pause_reading(session);
}

void Server::note_command(std::uint64_t looks) {
  core::HostedTable const* const table = engine_.find_table(message_.text("table"));
  record_.note(message_.command.substr(0, 64), table == nullptr ? std::string_view{} : table->name, looks);
}

void Server::pause_reading(Session& session) {
  bool const pause = session.full || session.in_line || session.ending;
  if (pause == session.reading_paused) return;
  session.reading_paused = pause;
  network_.pause_reading(session.id, pause);
}

void Server::stand_in_line(Session& session, std::deque<ConnectionId>& line) {
  if (session.in_line) return;
  session.in_line = true;
  line.push_back(session.id);
  to_pause_.push_back(session.id);
}

// In turns, a slice each, beginning with those that had none since they sent something, so that no client waits for all
// commands of another. Reading from the network stops only for those that are left, to save calls.
void Server::read_those_in_line() {
  while (!budget_.is_over() && !dead_) {
    std::deque<ConnectionId>& line = first_in_line_.empty() ? line_ : first_in_line_;
    if (line.empty()) break;
    Session* const session = session_of(line.front());
    line.pop_front();
    if (session == nullptr || !session->in_line) continue;
    session->in_line = false;
    if (session->ending) continue;
    read_messages(*session, session->in);
    if (session->input_ended && !session->reading_paused && !session->in_line) mark_dirty(*session);
  }
  for (ConnectionId const id : to_pause_)
    if (Session* const session = session_of(id)) pause_reading(*session);
  to_pause_.clear();
  if (!first_in_line_.empty() || !line_.empty()) network_.turn_again();
}

// A connection whose first line is not a message is closed with the reason, and nothing after that line is read: it may
// be the request of a web page. False: an ordinary mistake, and the connection stays open.
bool Server::turn_away(Session& session, Status const& why) {
  if (session.is_known || session.binary) {
    reply_invalid(session, why);
    return false;
  }
  ++counters_.strangers;
  std::string const what = why.code() == Code::too_large
                               ? "the line is longer than " + std::to_string(limits_.frames.line_bytes_max) + " bytes"
                               : why.message();
  reply_invalid(session, {why.code(), what + "; a connection begins with a message: this one is closed"});
  end_after_answers(session);
  return true;
}

void Server::end_after_answers(Session& session) {
  session.ending = true;
  silence_.end(session);
  clear_buffer(session.in);
  session.reading_paused = true;
  network_.pause_reading(session.id, true);
}

void Server::handle(Session& session) {
  ++counters_.messages;
  touched_ = nullptr;
  touches_all_ = false;
  if (!memory_ended_ && host_.has_memory_ended()) begin_memory_end();
  if (has_names_to_check(message_) && refuse_names(session)) return;
  if (session.link && !prepare_from_link(session)) return;
  answer_.clear();
  Status status;
  std::uint32_t const known = commands_.find(message_.command);
  if (known == kOfTables) {
    if (run_table_command(speaker_of(session, speaker(session)), message_, answer_, status))
      reply(session, message_, answer_, status);
    else
      ++session.waiting;
  } else if (known != NameTable::kAbsent) {
    SystemCommand const& command = system_commands_[known];
    status = check_right(session, command);
    if (status.ok()) (this->*command.handler)(session, message_, answer_, status);
    if (!answer_.empty() || !status.ok()) reply(session, message_, answer_, status);
  } else if (Aliases::Alias const* const alias = aliases_.find(message_.command)) {
    handle_alias(session, *alias);
  } else {
    ++counters_.unknown;
    answer_.message("UNKNOWN").add("command", message_.command);
    reply(session, message_, answer_, status);
  }
}

bool Server::refuse_names(Session& session) {
  if (Status const status = check_head_names(message_); !status.ok()) {
    reply_invalid(session, status);
    return true;
  }
  Value const* const request = message_.find("request");
  if (request == nullptr) return false;
  Status const status = check_echo("request", *request, kRequestBytesMax);
  if (status.ok()) return false;
  message_.erase("request");
  answer_.clear();
  if (Aliases::Alias const* const alias = aliases_.find(message_.command))
    refuse_alias(session, *alias, status);
  else
    reply(session, message_, answer_, status);
  return true;
}

bool Server::run_table_command(Speaker const& speaker, Message const& message, Answer& answer, Status& status) {
  core::HostedTable* const table = table_of(message, status);
  if (table == nullptr) return true;
  std::uint32_t const index = table->type->find_command(message.command);
  if (index == NameTable::kAbsent) {
    status = Status{Code::not_supported, "table " + table->name + " is of type " + table->type->name() +
                                             ", which has no command " + std::string{message.command}};
    return true;
  }
  core::CommandType const& type = table->type->commands()[index];
  // Checked here too, to save a Status for most messages.
  if (!speaker.rights.has(type.right)) {
    status = check_right(speaker, type.right, type.name);
    return true;
  }
  status = check_parameters(*table, type, message);
  if (!status.ok()) return true;
  std::string_view const named = message.text("worker");
  if (named.size() > kWorkerBytesMax) {
    status = Status{Code::too_large, "worker has more than " + std::to_string(kWorkerBytesMax) + " bytes"}.with(
        "parameter", "worker");
    return true;
  }
  Command const command{.index = static_cast<std::uint16_t>(index),
                        .message = &message,
                        .connection = speaker.connection,
                        .worker = named.empty() ? speaker.worker : named,
                        .origin = speaker.origin};
  return engine_.execute(*table, command, turn_now(), answer, status);
}

void Server::handle_alias(Session& session, Aliases::Alias const& alias) {
  Status status = translate(alias, message_, translated_);
  if (status.ok()) static_cast<void>(run_table_command(speaker_of(session, session.id), translated_, answer_, status));
  if (status.ok())
    answer_alias(session, alias, message_, true);
  else
    refuse_alias(session, alias, status);
}

void Server::answer_alias(Session& session, Aliases::Alias const& alias, Message const& theirs, bool accepted) {
  answer_.clear();
  acknowledge(alias, theirs, accepted, answer_);
  reply(session, theirs, answer_, {});
}

core::HostedTable* Server::table_of(Message const& message, Status& status, bool* absent) {
  Value const* const name = message.find("table");
  if (absent != nullptr) *absent = name == nullptr;
  if (name == nullptr) {
    if (absent == nullptr)
      status = Status{Code::missing_parameter, std::string{message.command} + " needs the parameter table"}.with(
          "parameter", "table");
    else
      touch_all();
    return nullptr;
  }
  core::HostedTable* const table = engine_.find_table(name->bytes);
  if (table == nullptr) {
    status =
        Status{Code::unknown_table, "no table \"" + std::string{name->bytes.substr(0, 64)} + "\"; TABLES lists them"};
    return nullptr;
  }
  if (!table->log->serves) {
    status = Status{Code::unavailable, "table " + table->name + " is not available: " + table->log->why_not};
    return nullptr;
  }
  touch(*table);
  return table;
}

// Unknown names are refused: ignored, a misspelt option would look as if it had been applied.
Status Server::check_parameters(core::HostedTable const& table, core::CommandType const& command,
                                Message const& message) {
  for (Param const& param : message.params()) {
    if ((command.takes_columns && table.columns.has(param.name)) || command.parameters.has(param.name)) continue;
    std::string text = command.name + " has no parameter \"" + std::string{param.name.substr(0, 64)} + "\"";
    if (command.takes_columns) text += " and table " + table.name + " no such column";
    return Status{Code::unknown_parameter, std::move(text)}.with("parameter", std::string{param.name.substr(0, 64)});
  }
  for (std::string const& name : command.required)
    if (!message.has(name))
      return Status{Code::missing_parameter, command.name + " needs the parameter " + name}.with("parameter", name);
  return {};
}

void Server::write(Session& session, wire::Outgoing const& message) {
  mark_dirty(session);
  append(session, message);
}

void Server::append_text(Session& session, wire::Outgoing const& message) {
  // A communicatord parses a value in quadratic time: 60 KB stall it, and with it every service that it connects.
  bool const too_large =
      session.link && std::any_of(message.params.begin(), message.params.end(), [](Param const& param) {
        return wire::line_bytes(param.value).value_or(0) >= kOutboundValueBytesMax;
      });
  Status const status = too_large ? Status{Code::too_large, "a value is too large for this way"}
                                  : wire::append_line(message, session.out);
  if (!status.ok()) write_what_fits(session, message, status);
}

// A row must be sent also if one of its values cannot be: the others are sent, and `omitted` names the rest, which a
// frame or a PEEK over another connection returns. Only here, where form and limit of the connection are known: tables
// know nothing of peers.
void Server::write_what_fits(Session& session, wire::Outgoing const& message, Status const& why) {
  std::size_t const most = session.link ? kOutboundValueBytesMax : SIZE_MAX;
  std::vector<Param> params;
  std::string omitted;
  for (Param const& param : message.params) {
    if (wire::line_bytes(param.value).value_or(SIZE_MAX) < most)
      params.push_back(param);
    else
      omitted.append(omitted.empty() ? "" : ",").append(param.name);
  }
  wire::Outgoing fitting = message;
  params.push_back({"omitted", Value::of_text(omitted)});
  fitting.params = params;
  if (!omitted.empty() && wire::append_line(fitting, session.out).ok()) return;
  std::string const text = "the answer cannot be written as text (" + why.message() + "); ask with msgpack framing";
  params.assign({{"code", Value::of_text(row_of(Code::not_supported).wire_name)},
                 {"command", Value::of_text(message.command)},
                 {"message", Value::of_text(text)}});
  for (Param const& param : message.params)
    if ((param.name == "request" || param.name == "left") && wire::line_bytes(param.value)) params.push_back(param);
  fitting.command = "ERROR";
  fitting.params = params;
  // Receivers whose name no line can carry were refused before (names.h).
  static_cast<void>(wire::append_line(fitting, session.out));
}

void Server::reply(Session& session, Message const& command, Answer& answer, Status const& status) {
  mark_dirty(session);
  if (touched_ != nullptr) rest_on(session, *touched_);
  if (touches_all_) rest_on_all(session);
  tell(session, command, answer, status);
}

void Server::tell(Session& session, Message const& command, Answer& answer, Status const& status) {
  if (!status.ok()) {
    answer.message("ERROR").add("command", command.command).add("code", row_of(status.code()).wire_name);
    answer.add("message", std::string_view{status.message()});
    for (auto const& [name, value] : status.facts()) answer.add(name, std::string_view{value});
  }
  wire::Outgoing out{.server = command.from_service.empty() ? std::string_view{} : command.from_server,
                     .service = command.from_service};
  bool const unheard = session.communicator && command.from_service.empty();
  Value const* const request = command.find("request");
  std::size_t const count = answer.heads().size();
  for (std::size_t i = 0; i < count; ++i) {
    Answer::Head const& head = answer.heads()[i];
    // Without a receiver it would go to the communicatord itself, which knows only these answers.
    if (unheard && head.command != "COMMANDS" && head.command != "ABSOLUTELY") continue;
    out.command = head.command;
    out.params = std::span<Param const>{answer.params()}.subspan(head.first, answer.params_end(i) - head.first);
    bool const counted = count > 1 || std::ranges::find(counted_answers_, head.command) != counted_answers_.end();
    if (request != nullptr || counted) {
      outgoing_.assign(out.params.begin(), out.params.end());
      if (request != nullptr) outgoing_.push_back({"request", *request});
      if (counted) outgoing_.push_back({"left", Value::of_unsigned(count - 1 - i)});
      out.params = outgoing_;
    }
    write(session, out);
  }
}

void Server::reply_invalid(Session& session, Status const& status) {
  ++counters_.invalid;
  if (session.communicator) return;  // its sender cannot be known
  session.binary = false;            // a person can read text, whatever was sent
  Param const params[] = {{"code", Value::of_text(row_of(status.code()).wire_name)},
                          {"message", Value::of_text(status.message())}};
  write(session, {.command = "INVALID", .params = params});
}

// ---------------------------------------------------------------------------
// Later answers and pushes

void Server::answer(core::HostedTable const& table, ConnectionId connection, Message const& command, Answer& answer,
                    Status const& status) {
  Session* const session = session_of(connection);
  if (session == nullptr) return;
  if (session->waiting != 0) --session->waiting;
  mark_dirty(*session);
  rest_on(*session, *table.log->log);
  tell(*session, command, answer, status);
  count(*session);
}

void Server::push(core::HostedTable const& table, ConnectionId connection, Answer& messages, TimeMs due,
                  core::ListenMode mode) {
  auto const found = sessions_.find(connection);
  if (found == sessions_.end()) return;
  Session& session = *found->second;
  mark_dirty(session);
  rest_on(session, *table.log->log);
  std::span<Param const> const params{messages.params()};
  for (std::size_t i = 0; i < messages.heads().size(); ++i) {
    Answer::Head const& head = messages.heads()[i];
    write(session,
          {.command = head.command, .params = params.subspan(head.first, messages.params_end(i) - head.first)});
  }
  if (due.value != 0) session.pushed.push_back({due, mode, session.out.size()});
  count(session);
}

bool Server::is_full(ConnectionId connection) {
  Session* const session = session_of(connection);
  if (session == nullptr) return false;
  bool const stopped = is_stopped(*session);
  if (!stopped && session->unsent() <= limits_.output_bytes) return false;
  if (stopped) stop(*session);
  session->told_full = true;
  return true;
}

}  // namespace fastjournal::server
