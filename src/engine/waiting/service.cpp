#include "engine/waiting/service.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/name_table.h"

namespace fastjournal::work {
namespace {

// For one table in one turn: rows handed out, and answers to commands whose wait is over. A few milliseconds each.
constexpr std::uint64_t kRowsPerTurn = 2048;
constexpr std::uint32_t kServedPerTurn = 2048;
constexpr std::uint32_t kWakeMessagesPerTurn = 256;
constexpr std::uint32_t kNoticesPerTurn = 4096;
constexpr std::int64_t kWakeTimeoutDefault = 5000;  // of table types that do not declare kWakeTimeoutOption

DurationMs wake_timeout(ServedTable const& table) {
  std::int64_t const timeout = table.declaration.option(kWakeTimeoutOption).integer;
  return DurationMs{timeout > 0 ? timeout : kWakeTimeoutDefault};
}

std::string named(ServedTable const& table) { return "table " + std::string{table.name}; }

Status cannot_listen(ServedTable const& table, std::string_view why, std::string_view parameter) {
  return Status{Code::not_supported, named(table) + " is of type " + table.type.name + ", " + std::string{why}}.with(
      "parameter", std::string{parameter});
}

// Not ok: the type lacks an ability that the request needs.
Status check_listen(ServedTable const& table, ListenRequest const& request) {
  if (table.can.topics == nullptr) return cannot_listen(table, "which has nothing that one could wait for", "table");
  if (request.mode == ListenMode::wake && table.can.work == nullptr)
    return cannot_listen(table, "which hands out no work: listen with mode row", "mode");
  if (request.mode == ListenMode::deliver && table.delivering == NameTable::kAbsent)
    return cannot_listen(table, "which delivers nothing: listen with mode wake or row", "mode");
  return request.topic.empty() ? Status{} : table.can.topics->check_topic(request.topic);
}

// As an ERROR tells it.
void tell_why(Answer& pushed, Status const& why) {
  // It was dropped, by its administrator.
  if (why.code() == Code::unknown_table) return;
  pushed.add("code", row_of(why.code()).wire_name);
  pushed.add("message", std::string_view{why.message()});
  if (why.code() != Code::moved && why.code() != Code::unavailable) return;
  for (auto const& [name, value] : why.facts())
    if (name != "table") pushed.add(name, std::string_view{value});
}

// Names and values.
std::size_t bytes_of_parameters(Message const& message) {
  std::size_t bytes = 0;
  for (Param const& param : message.params()) bytes += param.name.size() + param.value.bytes.size();
  return bytes;
}

}  // namespace

// ---------------------------------------------------------------------------
// Clients come and go

Status Service::listen(ServedTable const& table, ConnectionId connection, ListenRequest const& request) {
  if (Status status = check_listen(table, request); !status.ok()) return status;
  if (!table.subscriptions.listen(connection, request))
    return {Code::over_limit, named(table) + " has too many listeners (" +
                                  std::to_string(Subscriptions::kListenersMax) + "; of one connection " +
                                  std::to_string(Subscriptions::kListensMax) +
                                  " topics, and when three quarters are taken 2)"};
  return {};
}

Status Service::unlisten(ServedTable const& table, ConnectionId connection, std::string_view topic) {
  if (table.subscriptions.unlisten(connection, topic)) return {};
  return {Code::wrong_state,
          "this connection does not listen to " + named(table) +
              (topic.empty() ? "" : ", " + table.type.topic + " " + std::string{topic.substr(0, 64)})};
}

Status Service::wait(ServedTable const& table, Command const& command, Decided const& decided, TimeMs now) {
  Message const& message = *command.message;
  // Its answer comes out of order: without a number its command would be unknown.
  if (!message.has("request"))
    return Status{Code::missing_parameter, std::string{message.command} + " with wait needs the parameter request"}
        .with("parameter", "request");
  if (std::size_t const bytes = bytes_of_parameters(message); bytes > Subscriptions::kWaitingBytesMax)
    return {Code::too_large, std::string{message.command} + " with wait has parameters of " + std::to_string(bytes) +
                                 " bytes: at most " + std::to_string(Subscriptions::kWaitingBytesMax) + " may wait"};
  WaitingCommand waiting;
  waiting.index = command.index;
  waiting.connection = command.connection;
  waiting.worker = command.worker;
  waiting.origin = command.origin;
  waiting.holds = command.holds;
  waiting.topic = decided.wait_topic;
  waiting.waits_for_several = decided.waits_for_several;
  waiting.carry = decided.carry;
  waiting.since = now;
  waiting.deadline = decided.wait_until;
  waiting.message.command = message.command;
  for (Param const& param : message.params()) waiting.message.set(param.name, param.value);
  waiting.message.from_server = message.from_server;
  waiting.message.from_service = message.from_service;
  waiting.message.own();
  if (table.subscriptions.wait(std::move(waiting))) return {};
  return {Code::over_limit, named(table) +
                                " has too many waiting commands (when three quarters of the places are taken, a "
                                "connection has 2); ask without wait"};
}

void Service::end(ServedTable const& table, Status const& why) {
  Subscriptions::Ended const ended = table.subscriptions.end();
  for (auto const& command : ended.commands) {
    pushed_.clear();
    replies_.answer(command->connection, command->message, pushed_, {why, {.log = &table.log}});
  }
  for (auto const& [connection, topic] : ended.listeners) {
    pushed_.clear();
    pushed_.message("UNLISTENED").add("table", table.name);
    if (!topic.empty()) pushed_.add(table.type.topic, std::string_view{topic});
    tell_why(pushed_, why);
    replies_.push(table.log, connection, pushed_, {}, ListenMode::wake);
  }
  for (auto const& [connection, what] : table.watchers.end()) {
    pushed_.clear();
    pushed_.message("UNLISTENED").add("table", table.name);
    table.can.watched->name_watch(what, pushed_);
    tell_why(pushed_, why);
    replies_.push(table.log, connection, pushed_, {}, ListenMode::wake);
  }
}

// ---------------------------------------------------------------------------
// The end of a turn

bool Service::serve(ServedTable const& table, Runner& runner, TimeMs now) {
  table.subscriptions.wakes().pass_over(now);
  bool more = answer_overdue(table, runner, now);
  if (table.can.work != nullptr) {
    table.subscriptions.topics().share_again(*table.can.work);
    more = hand_out(table, runner) || more;
    if (!more) wake_listeners(table, now);
  }
  if (!more) table.subscriptions.end_turn();
  more = tell_wakes(table, now) || more;
  if (table.can.watched != nullptr) more = tell_watchers(table, now) || more;
  return announcer_.announce(table) || more;
}

bool Service::answer_overdue(ServedTable const& table, Runner& runner, TimeMs now) {
  for (std::uint32_t served = 0; served < kServedPerTurn; ++served) {
    ConnectionId const connection = table.subscriptions.line().first_overdue(now);
    if (connection == ConnectionId::none) return false;
    if (replies_.is_full(connection)) {
      table.subscriptions.stall(connection);
      continue;
    }
    std::unique_ptr<WaitingCommand> const waiting = table.subscriptions.take_overdue();
    static_cast<void>(answer_waiting(table, *waiting, runner, true));
  }
  return true;
}

// False: it found nothing and still waits.
bool Service::answer_waiting(ServedTable const& table, WaitingCommand const& waiting, Runner& runner, bool over) {
  Command const command{.index = waiting.index,
                        .message = &waiting.message,
                        .connection = waiting.connection,
                        .worker = waiting.worker,
                        .origin = waiting.origin,
                        .holds = waiting.holds};
  Answer answer;
  Decided decided = runner.run(command, over, waiting.carry, answer);
  if (decided.verdict == Verdict::wait) return false;
  static_cast<void>(table.subscriptions.took(waiting.connection, decided.take));
  say_something(table.type, table.name, answer, decided.status);
  replies_.answer(waiting.connection, waiting.message, answer, {std::move(decided.status), {.log = &table.log}});
  return true;
}

// The line in order of arrival, as long as there are rows.
bool Service::hand_out(ServedTable const& table, Runner& runner) {
  Subscriptions& subscriptions = table.subscriptions;
  std::uint64_t rows = 0;
  for (std::uint32_t served = 0;; ++served) {
    Line::Turn const turn = subscriptions.line().next(*table.can.work);
    if (turn.waiter == nullptr) return false;
    if (rows >= kRowsPerTurn || served == kServedPerTurn) return true;
    ConnectionId const connection = turn.waiter->connection();
    if (replies_.is_full(connection)) {
      subscriptions.stall(connection);
      continue;
    }
    bool found = false;
    if (turn.waiter->command != nullptr) {
      found = answer_waiting(table, *turn.waiter->command, runner, false);
    } else {
      Delivered const delivered = deliver(table, turn, runner);
      if (delivered == Delivered::refused) continue;
      found = delivered == Delivered::some;
    }
    if (!found) {
      subscriptions.line().found_nothing(turn);
      continue;
    }
    std::uint64_t const left = table.can.work->available(turn.topic->name);
    std::uint64_t const taken = turn.ready - std::min(turn.ready, left);
    subscriptions.served(turn, taken);
    rows += taken;
  }
}

// Runs the command that delivers for a listener: as many rows as its credit allows, and its share of what is there.
Service::Delivered Service::deliver(ServedTable const& table, Line::Turn const& turn, Runner& runner) {
  Listener& listener = *turn.waiter->listener;
  std::uint64_t const count = std::min<std::uint64_t>(listener.free_credit(), turn.share);
  CommandDeclaration const& type = table.type.commands[table.delivering];
  Message message{type.name};
  message.set_integer(type.deliver_count, static_cast<std::int64_t>(count));
  if (!turn.topic->name.empty()) message.set(table.type.topic, std::string_view{turn.topic->name});
  if (listener.further != nullptr)
    for (Param const& param : listener.further->params()) message.add(param.name, param.value);
  Command const command{static_cast<std::uint16_t>(table.delivering), &message, listener.connection, listener.worker};
  TimeMs const due = turn.topic->due;
  pushed_.clear();
  table.subscriptions.deliver_to(&listener);
  Decided const decided = runner.run(command, true, {}, pushed_);
  table.subscriptions.deliver_to(nullptr);
  Code const code = decided.status.code();
  if ((code == Code::bad_parameter || code == Code::too_large) && listener.further != nullptr) {
    end_refused(table, listener, decided.status);
    return Delivered::refused;
  }
  if (code != Code::ok || decided.take != Take::found) return Delivered::nothing;
  replies_.push(table.log, listener.connection, pushed_, due, ListenMode::deliver);
  return Delivered::some;
}

// The table refuses its parameters: it would never get anything, and hold up those behind it.
void Service::end_refused(ServedTable const& table, Listener const& listener, Status const& why) {
  ConnectionId const connection = listener.connection;
  std::string const topic = listener.topic->name;
  pushed_.clear();
  pushed_.message("UNLISTENED").add("table", table.name);
  if (!topic.empty()) pushed_.add(table.type.topic, std::string_view{topic});
  tell_why(pushed_, why);
  static_cast<void>(table.subscriptions.unlisten(connection, topic));
  replies_.push(table.log, connection, pushed_, {}, ListenMode::wake);
}

void Service::wake_listeners(ServedTable const& table, TimeMs now) {
  Wakes& wakes = table.subscriptions.wakes();
  TimeMs const deadline = now + wake_timeout(table);
  for (;;) {
    Wake const wake = wakes.next(deadline, *table.can.work);
    if (wake.listener == nullptr) return;
    Listener const& listener = *wake.listener;
    if (replies_.is_full(listener.connection)) {
      wakes.not_told(wake);
      table.subscriptions.stall(listener.connection);
      continue;
    }
    begin_notice(pushed_, table, listener.topic->name);
    pushed_.add("ready", table.can.work->available(listener.topic->name));
    pushed_.add("date", wake.due.value == 0 ? now.value : wake.due.value);
    replies_.push(table.log, listener.connection, pushed_, wake.due, ListenMode::wake);
  }
}

// After the listeners: rows that they took need no message.
bool Service::tell_wakes(ServedTable const& table, TimeMs now) {
  if (table.wakes == nullptr) return false;
  DurationMs const timeout = wake_timeout(table);
  bool const more = table.wakes->look(now, timeout, *table.can.work);
  for (std::uint32_t told = 0; told < kWakeMessagesPerTurn; ++told) {
    std::optional<std::string_view> const topic = table.wakes->next(now, timeout, *table.can.work);
    if (!topic) return more;
    replies_.tell_wake(table.log, *table.declaration.wake_message, table.type, *topic);
  }
  return true;
}

// Watchers of values, in turns.
bool Service::tell_watchers(ServedTable const& table, TimeMs now) {
  for (std::uint32_t told = 0; told < kNoticesPerTurn; ++told) {
    ConnectionId const connection = table.watchers.next();
    if (connection == ConnectionId::none) return false;
    if (replies_.is_full(connection))
      table.watchers.stall(connection);
    else
      tell_change(table, now);
  }
  return true;
}

void Service::tell_change(ServedTable const& table, TimeMs now) {
  ConnectionId const connection = table.watchers.next();
  Watchers::Notice const notice = table.watchers.take();
  pushed_.clear();
  pushed_.message("CHANGED").add("table", table.name);
  switch (notice.kind) {
    case Watchers::Notice::Kind::key: table.can.watched->tell_state(notice.key, now, pushed_); break;
    case Watchers::Notice::Kind::all:
      table.can.watched->name_watch(notice.what, pushed_);
      pushed_.add("missed", std::int64_t{1});
      break;
    case Watchers::Notice::Kind::given_up:
      table.can.watched->name_watch(notice.what, pushed_);
      pushed_.add("result", Value::of_text("unlistened"));
      break;
  }
  switch (notice.listener.kind) {
    case Watchers::Listener::Kind::none: break;
    case Watchers::Listener::Kind::text: pushed_.add("listener", std::string_view{notice.listener.text}); break;
    case Watchers::Listener::Kind::number: pushed_.add("listener", notice.listener.number); break;
  }
  replies_.push(table.log, connection, pushed_, {}, ListenMode::row);
}

}  // namespace fastjournal::work
