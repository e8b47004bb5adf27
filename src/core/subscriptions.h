// The clients that wait for work of one table: listeners (LISTEN) and parked commands (NEXT with wait). Volatile: they
// belong to connections, not to the log. This class knows who is next; the engine hands out and notifies
// (engine_listen.cpp).
//
//   wake     no herd: work that becomes available wakes as many idle listeners as there are rows, the rest stay
//            asleep; one that takes nothing within the table's wake-timeout is passed over
//   row      every listener is told of every row; what it cannot be sent is counted
//   deliver  listeners with credit stand in one line with the parked commands, in order of arrival; whoever
//            was served goes to its end
//
// A connection that accepts no more bytes is stalled: it is in no queue until it accepts bytes again, and costs the
// others nothing. Everything is O(log n) in the number of waiting clients, except changes to a connection's own
// listeners (kListensMax).
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/message.h"
#include "fastjournal/types.h"

namespace fastjournal::core {

enum class ListenMode : std::uint8_t { wake, row, deliver };

// The parameters of a LISTEN.
struct ListenWish {
  std::string_view topic{};
  ListenMode mode{ListenMode::wake};
  std::uint32_t credit{0};    // deliver: rows at once
  std::string_view worker{};  // deliver: as in NEXT
};

// Receives changes of the bytes that are kept for a connection because it waits or listens.
class Keeper {
 public:
  virtual void keeps(ConnectionId, std::int64_t) {}

 protected:
  ~Keeper() = default;
};

// A command whose verdict was `wait`.
struct WaitingCommand {
  std::uint16_t index{0};
  ConnectionId connection{};
  std::string worker;
  std::string origin;
  std::string topic;
  TimeMs deadline{};
  std::uint64_t serial{0};  // order of arrival; given by park
  Message message;          // owned
};

class Subscriptions {
 public:
  struct Topic;
  struct Listener;
  // An entry of the queue for work: a parked command or a deliver listener.
  struct Waiter {
    std::unique_ptr<WaitingCommand> command;
    Listener* listener{nullptr};
    [[nodiscard]] ConnectionId connection() const;
  };
  using Line = std::map<std::uint64_t, Waiter>;  // by order of arrival
  using Listeners = std::list<Listener*>;

  // A domain, or the whole table (empty name).
  struct Topic {
    std::string name;
    Line line;
    Listeners armed;  // wake: idle, the longest idle first
    Listeners rows;   // row
    bool pending{false};
    std::uint64_t count{0};   // rows that became available since the last turn and were not leased
    std::uint64_t owed{0};    // new listeners, to be notified of work of whatever age
    std::uint64_t freed{0};   // wakes given up by a listener: others get them, if there is work
    std::uint64_t woken{0};   // listeners that have a wake
    std::uint64_t shared{0};  // part of `count` from share_again, which other topics could have had
    TimeMs due{};             // date of the first of the rows; 0: it was due before
    std::uint64_t lost{0};    // row: events for which there was no room
    std::size_t round{0};     // of the queue: entries not served since all had a turn
    std::uint32_t uses{0};    // listeners, waiting commands and events of this topic
  };

  struct Listener {
    enum class State : std::uint8_t { idle, woken, busy };
    ConnectionId connection{};
    Topic* topic{nullptr};
    ListenMode mode{ListenMode::wake};
    bool stalled{false};  // its connection is
    // wake
    State state{State::busy};
    bool shared{false};  // listeners of any topic may take the work of this wake
    TimeMs deadline{};
    Listeners::iterator place;  // wake: in armed while idle; row: in rows
    // row
    bool paging{false};         // rows that were due before are announced first, by id
    ObjectId paged_to{};        // so far
    std::uint64_t missed{0};    // missed since the last report
    Listeners* waits{nullptr};  // paging_ or missed_, if it is in one of them
    Listeners::iterator waiting;
    // deliver
    std::uint32_t credit{0};
    std::uint64_t serial{0};          // in the queue, or of its wake; 0: neither
    std::vector<ObjectId> delivered;  // delivered rows that are still leased to its connection; sorted
    std::string worker;

    [[nodiscard]] std::uint32_t free_credit() const {
      return delivered.size() >= credit ? 0 : credit - static_cast<std::uint32_t>(delivered.size());
    }
  };

  // A row to be announced to row listeners.
  struct Event {
    ObjectId object{};
    Topic* topic{nullptr};  // its own; nullptr: the whole table's listeners only
    TimeMs due{};
  };

  struct Wake {
    Listener* listener{nullptr};
    TimeMs due{};        // 0: it was due before
    bool of_row{false};  // of one that became available
  };

  // The most of a table.
  static constexpr std::size_t kParkedMax = 100'000;
  static constexpr std::size_t kListenersMax = 100'000;
  // The most LISTENs (domains) of one connection for one table.
  static constexpr std::size_t kListensMax = 256;
  // The most rows that wait to be announced.
  static constexpr std::size_t kEventsMax = 65'536;

  // Of a waiting command: names and values of all parameters together, so that its message is one block of the arena.
  static constexpr std::size_t kParkedBytesMax = 3072;
  // Memory of one, with its place in the queue; the same of a listener, without its credit and names.
  static constexpr std::size_t kParkedCost = 5200;
  static constexpr std::size_t kListenerCost = 800;

  // Called before the first listener.
  void tell(Keeper& keeper) { keeper_ = &keeper; }
  [[nodiscard]] bool empty() const { return count_ == 0 && parked_ == 0; }
  [[nodiscard]] std::size_t listeners() const { return count_; }
  [[nodiscard]] std::size_t parked() const { return parked_; }
  [[nodiscard]] bool delivers() const { return deliver_listeners_ > 0; }

  // -- who comes and goes -----------------------------------------------------
  // False: too many. A second LISTEN of the same connection and topic changes its mode and credit.
  [[nodiscard]] bool listen(ConnectionId connection, ListenWish const& wish);
  [[nodiscard]] bool unlisten(ConnectionId connection, std::string_view topic);
  // The connection asked for work and found some, or none. True if others may be woken in its place.
  bool took(ConnectionId connection, Take take);
  void closed(ConnectionId connection);
  // The table is dropped. Returns all that waited: the commands by deadline, the listeners by connection.
  struct Ended {
    std::vector<std::unique_ptr<WaitingCommand>> commands;
    std::vector<std::pair<ConnectionId, std::string>> listeners;  // and their topics
  };
  [[nodiscard]] Ended end();
  // It accepts no more bytes, and leaves all queues; it accepts bytes again.
  void stall(ConnectionId connection);
  void go_on(ConnectionId connection);
  [[nodiscard]] bool park(WaitingCommand command);

  // -- what happens in the table ------------------------------------------------
  void became_available(ObjectId object, std::string_view topic, TimeMs due);
  // So many more rows of a topic can be leased; with the empty topic, of any topic that has some.
  void became_available_again(std::string_view topic, std::uint64_t count);
  // Distributes what became available of any topic; once a turn, as it goes through all topics with waiting clients.
  void share_again(Work const& work);
  void lease_began(ObjectId object, ConnectionId connection);
  // True if a listener has credit again.
  bool lease_ended(ObjectId object, ConnectionId connection);

  // -- the line for work ----------------------------------------------------------
  struct Turn {
    Topic* topic{nullptr};
    std::uint64_t serial{0};
    Waiter* waiter{nullptr};  // nullptr: nobody waits for the available work
    std::uint64_t ready{0};   // rows that it would find
    std::uint64_t share{0};   // share of them, so that all in the queue get some
  };
  // The connection of a parked command whose wait is over, the earliest first; none: no wait is over.
  [[nodiscard]] ConnectionId first_overdue(TimeMs now) const;
  // That command leaves the queue.
  [[nodiscard]] std::unique_ptr<WaitingCommand> take_overdue();
  // The first to arrive of those for whom there is work now.
  [[nodiscard]] Turn next(Work const& work);
  // It got `rows`: a command leaves the queue; a listener moves to its end, or leaves it without credit.
  void served(Turn const& turn, std::uint64_t rows);
  void found_nothing(Turn const& turn);  // none of this topic would get any: all keep their places
  // Rows leased from here on are delivered to it; nullptr: ends that.
  void deliver_to(Listener* listener) { delivering_ = listener; }

  // -- rows to be told of -----------------------------------------------------------
  // The oldest event; the caller notifies the row listeners of its topic and of the whole table, then calls end_event.
  [[nodiscard]] Event const* first_event() const { return events_.empty() ? nullptr : &events_.front(); }
  void end_event();
  // Rows for which there was no room count as missed.
  void count_lost();
  [[nodiscard]] Topic& whole() { return *whole_; }
  // Row listeners that still page through the rows that were due before; the first is next.
  [[nodiscard]] Listener* first_paging() { return paging_.empty() ? nullptr : paging_.front(); }
  void page_told(Listener& listener, ObjectId to, bool last);
  // A row listener that missed events and accepts bytes again; the count is sent to it. nullptr: none.
  [[nodiscard]] Listener* take_missed();
  void note_missed(Listener& listener, std::uint64_t rows);
  [[nodiscard]] std::uint64_t missed() const { return missed_ever_; }

  // -- wakes --------------------------------------------------------------------------
  // Listeners that took nothing in time move to the end of their queue.
  void pass_over(TimeMs now);
  // The next idle listener to be woken; it counts as woken until `deadline`. Nothing: there is none.
  [[nodiscard]] Wake next_wake(TimeMs deadline, Work const& work);
  // The listener of next_wake cannot be notified: another one will be.
  void not_told(Wake const& wake);
  // End of a turn: all that can be notified were.
  void forget_pending();

  // The next date at which take_overdue or pass_over has work.
  [[nodiscard]] TimeMs next_deadline() const;

  Subscriptions();

 private:
  struct Client {
    std::list<Listener> listeners;
    std::map<std::uint64_t, Topic*> parked;                // in lines, by serial
    std::vector<std::unique_ptr<WaitingCommand>> stalled;  // in order of arrival
    bool is_stalled{false};
    std::int64_t kept{0};  // bytes last reported
    [[nodiscard]] bool is_empty() const { return listeners.empty() && parked.empty() && stalled.empty(); }
  };
  using Clients = std::unordered_map<ConnectionId, Client>;

  void keep(ConnectionId connection, Client& client, std::int64_t bytes);
  [[nodiscard]] static std::int64_t cost_of(WaitingCommand const& command);
  [[nodiscard]] static std::int64_t cost_of(Listener const& listener);
  Topic& topic_of(std::string_view name);
  void release(Topic& topic);
  void mark_pending(Topic& topic);
  void add_pending(Topic& topic, std::uint64_t count, TimeMs due);
  // One listener of it is to be woken, if there is work.
  void owe_wake(Topic& topic);
  // If it has a wake, another listener for the same work gets it, as far as there is work for which none was woken.
  // `used`: it took something. True if it had one.
  bool pass_on_wake(Listener const& listener, bool used);
  [[nodiscard]] bool wakes_one(Topic& topic, Work const& work);
  // Into the queues of its mode and state; out of all of them.
  void enter(Listener& listener, bool first);
  void leave(Listener& listener);
  void wait_in(Listeners& queue, Listener& listener);
  void stop_waiting(Listener& listener);
  void put_in_line(Listener& listener);
  void put_in_line(std::unique_ptr<WaitingCommand> command, Client& client);
  std::unique_ptr<WaitingCommand> take_command(Topic& topic, Line::iterator at);
  void forget_if_empty(Clients::iterator client);

  Clients clients_;  // never iterated
  Keeper* keeper_{nullptr};
  std::size_t count_{0};
  std::size_t parked_{0};
  std::size_t deliver_listeners_{0};
  std::map<std::string, Topic, std::less<>> topics_;
  Topic* whole_{nullptr};
  std::vector<Topic*> pending_;  // topics with new work since the last turn
  std::uint64_t again_{0};       // rows of any topic that became available
  std::string again_from_;       // the last topic that got some of them
  std::size_t waking_{0};        // pending_ before this index was handled
  // Pending topics with a queue, by the serial of its first entry, which may have left meanwhile.
  std::set<std::pair<std::uint64_t, Topic*>> open_;
  std::map<std::pair<TimeMs, std::uint64_t>, Topic*> by_deadline_;  // parked commands in queues, by serial
  std::map<std::pair<TimeMs, std::uint64_t>, Listener*> woken_;     // by serial
  std::deque<Event> events_;
  std::vector<Topic*> lost_;  // more events than can be remembered
  Listeners paging_;
  Listeners missed_;
  Listener* delivering_{nullptr};
  std::uint64_t last_serial_{0};
  std::uint64_t missed_ever_{0};
};

}  // namespace fastjournal::core
