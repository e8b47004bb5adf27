// Service of waiting clients at the end of a turn: rows for parked commands and deliver listeners, wakes, and
// announcements (subscriptions.h knows who is next). All of it is bounded: the next turn continues.
//
// `deliver` runs the type's own taking command for its listener, as for a parked command: one path for all leases.
// Credit is counted by the ids that lease_began reported meanwhile, so that any end of a lease returns it. Rows are
// announced by id at the end of a turn. Rows that were due before are announced in pages by id, and a row beyond the
// end of the page waits for its page, so that each is announced once.
#include <algorithm>
#include <utility>

#include "base/name_table.h"
#include "core/engine.h"
#include "core/engine_group.h"

namespace fastjournal::core {
namespace {

// For one table in one turn: rows handed out, answers to commands whose wait is over, announcements, and rows looked at
// for new row listeners. A few milliseconds each.
constexpr std::uint64_t kRowsPerTurn = 2048;
constexpr std::uint32_t kServedPerTurn = 2048;
constexpr std::uint32_t kAnnouncementsPerTurn = 16'384;
constexpr std::uint32_t kLooksPerTurn = 16'384;
constexpr std::uint32_t kLooksPerPage = 1024;
constexpr std::uint32_t kWakeMessagesPerTurn = 256;
constexpr std::uint64_t kLooksPerPush = 8;
constexpr std::int64_t kWakeTimeoutDefault = 5000;  // of table types that do not declare kWakeTimeoutOption

DurationMs wake_timeout(HostedTable const& table) {
  std::int64_t const timeout = table.declaration->option(kWakeTimeoutOption).integer;
  return DurationMs{timeout > 0 ? timeout : kWakeTimeoutDefault};
}

void begin_notice(Answer& message, HostedTable const& table, std::string_view topic) {
  message.clear();
  message.message("LISTEN").add("table", std::string_view{table.name});
  if (!topic.empty()) message.add(table.type->topic(), topic);
}

}  // namespace

// ---------------------------------------------------------------------------
// Listeners

namespace {

Status cannot_listen(HostedTable const& table, std::string_view why, std::string_view parameter) {
  return Status{Code::not_supported,
                "table " + table.name + " is of type " + table.type->name() + ", " + std::string{why}}
      .with("parameter", std::string{parameter});
}

// What the type lacks for this wish.
Status check_wish(HostedTable const& table, ListenWish const& wish) {
  if (table.can.topics == nullptr) return cannot_listen(table, "which has nothing that one could wait for", "table");
  if (wish.mode == ListenMode::wake && table.can.work == nullptr)
    return cannot_listen(table, "which hands out no work: listen with mode row", "mode");
  if (wish.mode == ListenMode::deliver && table.type->delivering() == NameTable::kAbsent)
    return cannot_listen(table, "which delivers nothing: listen with mode wake or row", "mode");
  return wish.topic.empty() ? Status{} : table.can.topics->check_topic(wish.topic);
}

}  // namespace

Status Engine::listen(HostedTable& table, ConnectionId connection, ListenWish const& wish) {
  if (Status status = check_wish(table, wish); !status.ok()) return status;
  if (!table.subscriptions.listen(connection, wish))
    return {Code::over_limit, "table " + table.name + " has too many listeners (" +
                                  std::to_string(Subscriptions::kListenersMax) + "; of one connection " +
                                  std::to_string(Subscriptions::kListensMax) + " topics)"};
  remember_table_of(connection, table);
  mark_dirty(table);
  return {};
}

Status Engine::unlisten(HostedTable& table, ConnectionId connection, std::string_view topic) {
  if (table.subscriptions.unlisten(connection, topic)) {
    mark_dirty(table);
    return {};
  }
  return {Code::wrong_state,
          "this connection does not listen to table " + table.name +
              (topic.empty() ? "" : ", " + table.type->topic() + " " + std::string{topic.substr(0, 64)})};
}

// The table is dropped: its waiting clients are notified.
void Engine::end_waiting(HostedTable& table) {
  Subscriptions::Ended const ended = table.subscriptions.end();
  Status const gone{Code::unknown_table, "table " + table.name + " was dropped while this waited"};
  for (auto const& command : ended.commands) {
    pushed_.clear();
    replies_.answer(table, command->connection, command->message, pushed_, gone);
  }
  for (auto const& [connection, topic] : ended.listeners) {
    pushed_.clear();
    pushed_.message("UNLISTENED").add("table", std::string_view{table.name});
    if (!topic.empty()) pushed_.add(table.type->topic(), std::string_view{topic});
    replies_.push(table, connection, pushed_, {}, ListenMode::wake);
  }
}

void Engine::writable(ConnectionId connection) {
  auto const tables = tables_of_.find(connection);
  if (tables == tables_of_.end()) return;
  for (std::uint32_t const number : tables->second) {
    HostedTable& table = *tables_[number];
    if (table.table == nullptr) continue;
    table.subscriptions.go_on(connection);
    mark_dirty(table);
  }
}

// ---------------------------------------------------------------------------
// The end of a turn

bool Engine::serve(HostedTable& table, TimeMs now) {
  table.subscriptions.pass_over(now);
  bool more = answer_overdue(table, now);
  if (table.can.work != nullptr) {
    table.subscriptions.share_again(*table.can.work);
    more = hand_out(table, now) || more;
    if (!more) wake_listeners(table, now);
  }
  if (!more) table.subscriptions.forget_pending();
  more = tell_wakes(table, now) || more;
  return announce(table) || more;
}

bool Engine::answer_overdue(HostedTable& table, TimeMs now) {
  for (std::uint32_t served = 0; served < kServedPerTurn; ++served) {
    ConnectionId const connection = table.subscriptions.first_overdue(now);
    if (connection == ConnectionId::none) return false;
    if (replies_.is_full(connection)) {
      table.subscriptions.stall(connection);
      continue;
    }
    std::unique_ptr<WaitingCommand> const parked = table.subscriptions.take_overdue();
    static_cast<void>(answer_parked(table, *parked, now, true));
  }
  return true;
}

// False: it found nothing and still waits.
bool Engine::answer_parked(HostedTable& table, WaitingCommand const& parked, TimeMs now, bool over) {
  Command const command{parked.index, &parked.message, parked.connection, parked.worker, parked.origin};
  Answer answer;
  Status status;
  Outcome const outcome = run(table, command, now, over, answer, status);
  if (outcome.verdict == Verdict::wait) return false;
  static_cast<void>(table.subscriptions.took(parked.connection, outcome.take));
  say_something(table, answer, status);
  replies_.answer(table, parked.connection, parked.message, answer, status);
  return true;
}

// Parked commands and deliver listeners in order of arrival, as long as there are rows.
bool Engine::hand_out(HostedTable& table, TimeMs now) {
  Subscriptions& waiting = table.subscriptions;
  std::uint64_t rows = 0;
  for (std::uint32_t served = 0;; ++served) {
    Subscriptions::Turn const turn = waiting.next(*table.can.work);
    if (turn.waiter == nullptr) return false;
    if (rows >= kRowsPerTurn || served == kServedPerTurn) return true;
    ConnectionId const connection = turn.waiter->connection();
    if (replies_.is_full(connection)) {
      waiting.stall(connection);
      continue;
    }
    bool const found = turn.waiter->command != nullptr ? answer_parked(table, *turn.waiter->command, now, false)
                                                       : deliver(table, turn, now);
    if (!found) {
      waiting.found_nothing(turn);
      continue;
    }
    std::uint64_t const left = table.can.work->available(turn.topic->name);
    std::uint64_t const taken = turn.ready - std::min(turn.ready, left);
    waiting.served(turn, taken);
    rows += taken;
  }
}

// Runs the command that delivers for a listener: as many rows as its credit allows, and its share of what is there.
bool Engine::deliver(HostedTable& table, Subscriptions::Turn const& turn, TimeMs now) {
  Subscriptions::Listener& listener = *turn.waiter->listener;
  std::uint64_t const count = std::min<std::uint64_t>(listener.free_credit(), turn.share);
  CommandType const& type = table.type->commands()[table.type->delivering()];
  Message message{type.name};
  message.set_integer(table.type->declaration()->commands[table.type->delivering()].deliver_count,
                      static_cast<std::int64_t>(count));
  if (!turn.topic->name.empty()) message.set(table.type->topic(), std::string_view{turn.topic->name});
  Command const command{static_cast<std::uint16_t>(table.type->delivering()), &message, listener.connection,
                        listener.worker};
  TimeMs const due = turn.topic->due;
  Status status;
  pushed_.clear();
  table.subscriptions.deliver_to(&listener);
  Outcome const outcome = run(table, command, now, true, pushed_, status);
  table.subscriptions.deliver_to(nullptr);
  if (!status.ok() || outcome.take != Take::found) return false;
  replies_.push(table, listener.connection, pushed_, due, ListenMode::deliver);
  return true;
}

void Engine::wake_listeners(HostedTable& table, TimeMs now) {
  Subscriptions& waiting = table.subscriptions;
  TimeMs const deadline = now + wake_timeout(table);
  for (;;) {
    Subscriptions::Wake const wake = waiting.next_wake(deadline, *table.can.work);
    if (wake.listener == nullptr) return;
    Subscriptions::Listener const& listener = *wake.listener;
    if (replies_.is_full(listener.connection)) {
      waiting.not_told(wake);
      waiting.stall(listener.connection);
      continue;
    }
    begin_notice(pushed_, table, listener.topic->name);
    pushed_.add("ready", table.can.work->available(listener.topic->name));
    pushed_.add("date", wake.due.value == 0 ? now.value : wake.due.value);
    replies_.push(table, listener.connection, pushed_, wake.due, ListenMode::wake);
  }
}

// After the listeners: rows that they took need no message.
bool Engine::tell_wakes(HostedTable& table, TimeMs now) {
  if (table.wakes == nullptr) return false;
  DurationMs const timeout = wake_timeout(table);
  bool const more = table.wakes->look(now, timeout, *table.can.work);
  for (std::uint32_t told = 0; told < kWakeMessagesPerTurn; ++told) {
    std::optional<std::string_view> const topic = table.wakes->next(now, timeout, *table.can.work);
    if (!topic) return more;
    replies_.tell_wake(table, *topic);
  }
  return true;
}

void Engine::tell_wakes_again(std::string_view service) {
  for (auto const& table : tables_) {
    if (table->table == nullptr || table->wakes == nullptr) continue;
    if (!service.empty() && table->declaration->wake_message->service != service) continue;
    *table->wakes = {};
    mark_dirty(*table);
  }
}

// ---------------------------------------------------------------------------
// Announcements

bool Engine::announce(HostedTable& table) {
  Subscriptions& waiting = table.subscriptions;
  std::uint32_t told = 0;
  tell_missed(table);
  while (Subscriptions::Event const* const event = waiting.first_event()) {
    if (told >= kAnnouncementsPerTurn) return true;
    begin_notice(pushed_, table, {});
    if (table.can.topics->announce(event->object, pushed_)) {
      told += tell_all(table, waiting.whole(), *event);
      if (event->topic != nullptr) {
        pushed_.add(table.type->topic(), std::string_view{event->topic->name});
        told += tell_all(table, *event->topic, *event);
      }
    }
    waiting.end_event();
  }
  waiting.count_lost();
  tell_missed(table);
  for (std::uint32_t looks = 0; Subscriptions::Listener* const listener = waiting.first_paging();
       looks += kLooksPerPage) {
    if (looks >= kLooksPerTurn) return true;
    tell_page(table, *listener);
  }
  return false;
}

// Returns how many were told.
std::uint32_t Engine::tell_all(HostedTable& table, Subscriptions::Topic& topic, Subscriptions::Event const& event) {
  std::uint32_t told = 0;
  for (Subscriptions::Listener* const listener : topic.rows) {
    // One of its pages will have that row.
    if (listener->paging && event.object > listener->paged_to) continue;
    if (!listener->stalled && replies_.is_full(listener->connection)) table.subscriptions.stall(listener->connection);
    if (listener->stalled) {
      table.subscriptions.note_missed(*listener, 1);
      continue;
    }
    replies_.push(table, listener->connection, pushed_, event.due, ListenMode::row);
    looks_ += kLooksPerPush;
    ++told;
  }
  return told;
}

void Engine::tell_missed(HostedTable& table) {
  while (Subscriptions::Listener* const listener = table.subscriptions.take_missed()) {
    if (replies_.is_full(listener->connection)) {
      table.subscriptions.stall(listener->connection);
      continue;
    }
    begin_notice(pushed_, table, listener->topic->name);
    pushed_.add("missed", std::exchange(listener->missed, 0));
    replies_.push(table, listener->connection, pushed_, {}, ListenMode::row);
  }
}

// One page, by id, of the rows that were due before the listener.
void Engine::tell_page(HostedTable& table, Subscriptions::Listener& listener) {
  Subscriptions& waiting = table.subscriptions;
  std::string_view const topic = listener.topic->name;
  found_.clear();
  ObjectId const next = table.can.topics->find_available(topic, listener.paged_to, kLooksPerPage, found_);
  looks_ += kLooksPerPage + kLooksPerPush * found_.size();
  ObjectId told = listener.paged_to;
  for (ObjectId const object : found_) {
    if (replies_.is_full(listener.connection)) {
      waiting.page_told(listener, told, false);
      waiting.stall(listener.connection);
      return;
    }
    begin_notice(pushed_, table, topic);
    if (table.can.topics->announce(object, pushed_))
      replies_.push(table, listener.connection, pushed_, {}, ListenMode::row);
    told = object;
  }
  waiting.page_told(listener, next, next.is_none());
}

}  // namespace fastjournal::core
