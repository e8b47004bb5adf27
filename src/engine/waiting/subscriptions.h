// The clients that wait at one table: listeners (LISTEN) and waiting commands (NEXT with wait). Volatile: they belong to
// connections, not to the log. This class knows who comes and goes and the memory that each takes; the line for work,
// the wakes and the announcements, which it owns, know who is next. Service (service.h) hands out and notifies.
//
//   wake     wakes.h: as many idle listeners are woken as there are rows
//   row      announcements.h: every listener is told of every row
//   deliver  line.h: listeners with credit stand in one line with the waiting commands
//
// A connection that accepts no more bytes is stalled: it is in no queue until it accepts bytes again, and costs the
// others nothing. Everything is O(log n) in the number of waiting clients, except changes to a connection's own
// listeners (kListensMax).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/waiting/announcements.h"
#include "engine/waiting/line.h"
#include "engine/waiting/topic.h"
#include "engine/waiting/topic_book.h"
#include "engine/waiting/wakes.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/types.h"

namespace fastjournal::work {

// Receives changes of the bytes that are kept for a connection because it waits or listens.
class Keeper {
 public:
  virtual void keeps(ConnectionId, std::int64_t) {}

 protected:
  ~Keeper() = default;
};

class Subscriptions {
 public:
  // The most of a table.
  static constexpr std::size_t kWaitingMax = 100'000;
  static constexpr std::size_t kListenersMax = 100'000;
  // The most LISTENs (domains) of one connection for one table.
  static constexpr std::size_t kListensMax = 256;

  // Of a waiting command: names and values of all parameters together, so that its message is one block of the arena.
  static constexpr std::size_t kWaitingBytesMax = 3072;
  // Memory of one, with its place in the line; the same of a listener, without its credit and names.
  static constexpr std::size_t kWaitingCost = 5200;
  static constexpr std::size_t kListenerCost = 800;
  // Of each topic of a waiting command beyond the first: its place in a line, and the topic itself.
  static constexpr std::size_t kFurtherTopicCost = 500;
  // Of a listener with further parameters: its message, which is one block of the arena.
  static constexpr std::size_t kFurtherCost = 4800;

  // Called before the first listener.
  void tell(Keeper& keeper) { keeper_ = &keeper; }
  [[nodiscard]] bool empty() const { return count_ == 0 && waiting_ == 0; }
  [[nodiscard]] std::size_t listeners() const { return count_; }
  [[nodiscard]] std::size_t waiting_commands() const { return waiting_; }
  [[nodiscard]] bool delivers() const { return deliver_listeners_ > 0; }

  // Those of the first connections above `after`, in order: whole connections, `count` or fewer of their entries, but
  // those of one at least. Looks at all clients. Returns the last connection if there are more; otherwise none.
  ConnectionId for_each_above(ConnectionId after, std::size_t count,
                              std::function<void(WaitingClient const&)> const& visit) const;
  [[nodiscard]] std::size_t clients() const { return clients_.size(); }

  // -- who comes and goes -----------------------------------------------------
  // False: too many. A second LISTEN of the same connection and topic changes its mode and credit.
  [[nodiscard]] bool listen(ConnectionId connection, ListenRequest const& request);
  [[nodiscard]] bool unlisten(ConnectionId connection, std::string_view topic);
  // False: too many.
  [[nodiscard]] bool wait(WaitingCommand command);
  // The connection asked for work and found some, or none. True if others may be woken in its place.
  bool took(ConnectionId connection, Take take) { return take != Take::no && count_ > 0 && end_wake(connection, take); }
  void closed(ConnectionId connection);
  // It accepts no more bytes, and leaves all queues; it accepts bytes again.
  void stall(ConnectionId connection);
  void go_on(ConnectionId connection);
  // The table is dropped. Returns all that waited: the commands by deadline, the listeners by connection.
  struct Ended {
    std::vector<std::unique_ptr<WaitingCommand>> commands;
    std::vector<std::pair<ConnectionId, std::string>> listeners;  // and their topics
  };
  [[nodiscard]] Ended end();

  // -- what happens in the table ------------------------------------------------
  void became_available(ObjectId object, std::string_view topic, TimeMs due);
  void lease_began(ObjectId object, ConnectionId connection);
  // True if a listener has credit again.
  bool lease_ended(ObjectId object, ConnectionId connection);

  // -- who is next --------------------------------------------------------------
  [[nodiscard]] TopicBook& topics() { return topics_; }
  [[nodiscard]] Line& line() { return line_; }
  [[nodiscard]] Wakes& wakes() { return wakes_; }
  [[nodiscard]] Announcements& announcements() { return announcements_; }
  [[nodiscard]] Announcements const& announcements() const { return announcements_; }
  // The command whose wait is over (Line::first_overdue) leaves the line.
  [[nodiscard]] std::unique_ptr<WaitingCommand> take_overdue();
  // This turn of the line got `rows`: a command leaves the line; a listener moves to its end, or leaves it without
  // credit.
  void served(Line::Turn const& turn, std::uint64_t rows);
  // Rows leased from here on are delivered to it; nullptr: ends that.
  void deliver_to(Listener* listener) { delivering_ = listener; }
  // End of a turn: all that can be notified were.
  void end_turn();
  // The next date at which time alone makes a wait or a wake end.
  [[nodiscard]] TimeMs next_deadline() const { return std::min(wakes_.next_deadline(), line_.next_deadline()); }

 private:
  struct Client {
    std::list<Listener> listeners;
    std::map<std::uint64_t, WaitingCommand*> waiting;      // commands in lines, by serial
    std::vector<std::unique_ptr<WaitingCommand>> stalled;  // in order of arrival
    bool is_stalled{false};
    std::int64_t kept{0};  // bytes last reported
    [[nodiscard]] bool is_empty() const { return listeners.empty() && waiting.empty() && stalled.empty(); }
  };
  using Clients = std::unordered_map<ConnectionId, Client>;

  static void tell(ConnectionId connection, Client const& client,
                   std::function<void(WaitingClient const&)> const& visit);
  void keep(ConnectionId connection, Client& client, std::int64_t bytes);
  void forget_if_empty(Clients::iterator client);
  // A wake of the connection ends, as it asked for work.
  bool end_wake(ConnectionId connection, Take take);
  // Into the queues of its mode and state; out of all of them.
  void enter(Listener& listener, bool first);
  void leave(Listener& listener);
  // Its topics, of a command that is stalled. `marks`: they have to be looked at.
  void use_topics(WaitingCommand const& command);
  void release_topics(WaitingCommand const& command, bool marks);
  void put_in_line(std::unique_ptr<WaitingCommand> command, Client& client);
  // It left the line for good.
  void forget(WaitingCommand const& command);

  TopicBook topics_;
  Line line_{topics_};
  Wakes wakes_{topics_};
  Announcements announcements_{topics_};
  Clients clients_;  // never iterated in its order
  Keeper* keeper_{nullptr};
  std::size_t count_{0};
  std::size_t waiting_{0};
  std::size_t deliver_listeners_{0};
  Listener* delivering_{nullptr};
};

}  // namespace fastjournal::work
