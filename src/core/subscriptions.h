// Who waits for work of one table: listeners (LISTEN) and parked commands (NEXT
// with wait). Volatile: it belongs to connections, not to the log. What is told
// and handed out is the engine's business (engine_listen.cpp); here stands who is next.
//
//   wake     no herd: work that becomes available wakes as many idle listeners as there are rows, the rest stay
//            asleep; one that takes nothing within the table's wake-timeout is passed over
//   row      every listener is told of every row; what it cannot be sent is counted
//   deliver  listeners with credit stand in one line with the parked commands, in order of arrival; whoever
//            was served goes to its end
//
// A connection that takes no more bytes is stalled: it stands in no line, until it takes bytes again. So it costs
// the others nothing. Everything is O(log n) in the number of those who wait, except what a
// connection does to its own listeners (kListensMax).
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

#include "fastjournal/message.h"
#include "fastjournal/capabilities.h"
#include "fastjournal/types.h"

namespace fastjournal::core {

enum class ListenMode : std::uint8_t { wake, row, deliver };

// What a LISTEN asks for.
struct ListenWish {
  std::string_view topic{};
  ListenMode mode{ListenMode::wake};
  std::uint32_t credit{0};    // deliver: rows at once
  std::string_view worker{};  // deliver: as in NEXT
};

// Who is told how many bytes are kept for a connection because it waits or listens: more, or fewer.
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
  // One in the line for work: a parked command or a deliver listener.
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
    std::uint64_t count{0};   // rows that became available since the last turn, and were not taken
    std::uint64_t owed{0};    // listeners to be told of work whenever it came: newcomers
    std::uint64_t freed{0};   // wakes that somebody had and has no more: others get them, if there is work for them
    std::uint64_t woken{0};   // listeners that have one
    std::uint64_t shared{0};  // of `count`, what share_again gave it: others could have had that
    TimeMs due{};             // of the first of the rows; 0: it was due before
    std::uint64_t lost{0};    // row: there was no room to remember them
    std::size_t round{0};     // of the line: those who were not served since everybody had a turn
    std::uint32_t uses{0};    // listeners, waiters and events that name it
  };

  struct Listener {
    enum class State : std::uint8_t { idle, woken, busy };
    ConnectionId connection{};
    Topic* topic{nullptr};
    ListenMode mode{ListenMode::wake};
    bool stalled{false};  // its connection is
    // wake
    State state{State::busy};
    bool shared{false};  // what it was woken for may be had by listeners of any topic
    TimeMs deadline{};
    Listeners::iterator place;  // wake: in armed while idle; row: in rows
    // row
    bool paging{false};         // what was due when it came is told first, by id
    ObjectId paged_to{};        // so far
    std::uint64_t missed{0};    // since it was told last
    Listeners* waits{nullptr};  // paging_ or missed_, if it stands there
    Listeners::iterator waiting;
    // deliver
    std::uint32_t credit{0};
    std::uint64_t serial{0};          // in the line, or of its being woken; 0: neither
    std::vector<ObjectId> delivered;  // delivered, and still leased to its connection; sorted
    std::string worker;

    [[nodiscard]] std::uint32_t free_credit() const {
      return delivered.size() >= credit ? 0 : credit - static_cast<std::uint32_t>(delivered.size());
    }
  };

  // A row of which row listeners are to be told.
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

  // A table keeps so many at the most.
  static constexpr std::size_t kParkedMax = 100'000;
  static constexpr std::size_t kListenersMax = 100'000;
  // LISTENs of one connection on one table: domains.
  static constexpr std::size_t kListensMax = 256;
  // Rows of which row listeners were not told yet.
  static constexpr std::size_t kEventsMax = 65'536;

  // Of a command that waits: name and value of all parameters together. So a message is one block of its arena.
  static constexpr std::size_t kParkedBytesMax = 3072;
  // What one costs, with its place in the line; the same of a listener, less its credit and names.
  static constexpr std::size_t kParkedCost = 5200;
  static constexpr std::size_t kListenerCost = 800;

  // Before anybody comes.
  void tell(Keeper& keeper) { keeper_ = &keeper; }
  [[nodiscard]] bool empty() const { return count_ == 0 && parked_ == 0; }
  [[nodiscard]] std::size_t listeners() const { return count_; }
  [[nodiscard]] std::size_t parked() const { return parked_; }
  [[nodiscard]] bool delivers() const { return deliver_listeners_ > 0; }

  // -- who comes and goes -----------------------------------------------------
  // False: too many. A second LISTEN of the same connection and topic changes its mode and credit.
  [[nodiscard]] bool listen(ConnectionId connection, ListenWish const& wish);
  [[nodiscard]] bool unlisten(ConnectionId connection, std::string_view topic);
  // The connection asked for work and found some / nothing. True if others may be woken in its place.
  bool took(ConnectionId connection, Take take);
  void closed(ConnectionId connection);
  // The table is dropped: nobody waits any more. Returns who did; the commands by deadline, the listeners by connection.
  struct Ended {
    std::vector<std::unique_ptr<WaitingCommand>> commands;
    std::vector<std::pair<ConnectionId, std::string>> listeners;  // and their topics
  };
  [[nodiscard]] Ended end();
  // It takes no more bytes: out of every line; it takes bytes again.
  void stall(ConnectionId connection);
  void go_on(ConnectionId connection);
  [[nodiscard]] bool park(WaitingCommand command);

  // -- what happens in the table ------------------------------------------------
  void became_available(ObjectId object, std::string_view topic, TimeMs due);
  // So much more can be taken of a topic; of the empty one by whoever waits for any that has something.
  void became_available_again(std::string_view topic, std::uint64_t count);
  // Gives out what became available of any topic: once a turn, as it goes through all that somebody waits for.
  void share_again(Work const& work);
  void lease_began(ObjectId object, ConnectionId connection);
  // True if somebody has credit again.
  bool lease_ended(ObjectId object, ConnectionId connection);

  // -- the line for work ----------------------------------------------------------
  struct Turn {
    Topic* topic{nullptr};
    std::uint64_t serial{0};
    Waiter* waiter{nullptr};  // nullptr: nobody waits for what is there
    std::uint64_t ready{0};   // rows that it would find
    std::uint64_t share{0};   // of them, so that everybody in the line gets some
  };
  // The connection of the parked command whose wait is over first; none: no wait is over.
  [[nodiscard]] ConnectionId first_overdue(TimeMs now) const;
  // That command leaves the line.
  [[nodiscard]] std::unique_ptr<WaitingCommand> take_overdue();
  // Whoever came first of those for whom there is work now.
  [[nodiscard]] Turn next(Work const& work);
  // It took `rows`: a command leaves the line, a listener goes to its end, or out of it without credit.
  void served(Turn const& turn, std::uint64_t rows);
  void found_nothing(Turn const& turn);  // nobody of this topic would: all keep their places
  // What is leased from here on is delivered to it; nullptr: no more.
  void deliver_to(Listener* listener) { delivering_ = listener; }

  // -- rows to be told of -----------------------------------------------------------
  // The oldest; the caller tells the row listeners of its topic and of the whole table, then calls end_event.
  [[nodiscard]] Event const* first_event() const { return events_.empty() ? nullptr : &events_.front(); }
  void end_event();
  // Rows for which there was no room count as missed.
  void count_lost();
  [[nodiscard]] Topic& whole() { return *whole_; }
  // Row listeners that go through what was due when they came; the first is to have its turn.
  [[nodiscard]] Listener* first_paging() { return paging_.empty() ? nullptr : paging_.front(); }
  void page_told(Listener& listener, ObjectId to, bool last);
  // A row listener that missed something and takes bytes again; it is told how much. nullptr: none.
  [[nodiscard]] Listener* take_missed();
  void note_missed(Listener& listener, std::uint64_t rows);
  [[nodiscard]] std::uint64_t missed() const { return missed_ever_; }

  // -- wakes --------------------------------------------------------------------------
  // Those who took nothing in time go to the end of their line.
  void pass_over(TimeMs now);
  // The next idle listener that is to be told of work; counts as woken until `deadline`. No listener: none.
  [[nodiscard]] Wake next_wake(TimeMs deadline, Work const& work);
  // The one that next_wake gave out cannot be told: another one is to be.
  void not_told(Wake const& wake);
  // End of a turn: whoever could be told was told.
  void forget_pending();

  // When take_overdue or pass_over has something to do because time passed.
  [[nodiscard]] TimeMs next_deadline() const;

  Subscriptions();

 private:
  struct Client {
    std::list<Listener> listeners;
    std::map<std::uint64_t, Topic*> parked;                // in lines, by serial
    std::vector<std::unique_ptr<WaitingCommand>> stalled;  // in order of arrival
    bool is_stalled{false};
    std::int64_t kept{0};  // as its keeper was told
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
  // One listener of it is to be told of work, if there is some.
  void owe_wake(Topic& topic);
  // If it has a wake, that goes to another who could take the same, as far as work is left that nobody was woken for.
  // `used`: it took something. True if it had one.
  bool pass_on_wake(Listener const& listener, bool used);
  [[nodiscard]] bool wakes_one(Topic& topic, Work const& work);
  // To where its mode and state want it; out of everything.
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
  std::vector<Topic*> pending_;  // work came for them since the last turn
  std::uint64_t again_{0};       // so much more can be taken of any topic
  std::string again_from_;       // the topic that was the last to get some of that
  std::size_t waking_{0};        // those of pending_ before it were looked at
  // Pending topics with a line, by the serial of the first in it; that may be one that left meanwhile.
  std::set<std::pair<std::uint64_t, Topic*>> open_;
  std::map<std::pair<TimeMs, std::uint64_t>, Topic*> by_deadline_;  // parked commands in lines, by serial
  std::map<std::pair<TimeMs, std::uint64_t>, Listener*> woken_;     // by serial
  std::deque<Event> events_;
  std::vector<Topic*> lost_;  // more came than can be remembered
  Listeners paging_;
  Listeners missed_;
  Listener* delivering_{nullptr};
  std::uint64_t last_serial_{0};
  std::uint64_t missed_ever_{0};
};

}  // namespace fastjournal::core
