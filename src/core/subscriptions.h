// Who waits for work of one table: listeners (LISTEN mode wake) and parked
// commands (NEXT with wait). Volatile: it belongs to connections, not to the
// log. No herd: work that becomes available wakes as many idle listeners as
// there are rows, the rest stay asleep; one that takes nothing within the
// table's wake-timeout is passed over (journal.md, "LISTEN").
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/table.h"
#include "fastjournal/types.h"

namespace fastjournal::core {

// A command whose verdict was `wait`.
struct ParkedCommand {
  std::uint16_t index{0};
  ConnectionId connection{};
  std::string worker;
  std::string topic;
  TimeMs deadline{};
  std::uint64_t serial{0};  // order of arrival; given by park
  Message message;          // owned
};

class Subscriptions {
 public:
  struct Wake {
    ConnectionId connection{};
    std::string topic;
    std::uint64_t ready{0};
    TimeMs due{};
  };

  // Parked commands a table keeps at the most; listeners likewise.
  static constexpr std::size_t kParkedMax = 100'000;
  static constexpr std::size_t kListenersMax = 100'000;

  [[nodiscard]] bool empty() const { return count_ == 0 && by_deadline_.empty(); }
  [[nodiscard]] std::size_t listeners() const { return count_; }
  [[nodiscard]] std::size_t parked() const { return by_deadline_.size(); }

  // False: too many. A second LISTEN of the same connection and topic arms it again.
  [[nodiscard]] bool listen(ConnectionId connection, std::string_view topic, Table const& table);
  [[nodiscard]] bool unlisten(ConnectionId connection, std::string_view topic);
  // The connection asked for work and found some / nothing.
  void took(ConnectionId connection, Take take);
  void closed(ConnectionId connection, Table const& table);
  void became_available(std::string_view topic, TimeMs due);
  // All that the table has, for every topic that somebody idle listens to.
  void became_available_again(Table const& table);

  [[nodiscard]] bool park(ParkedCommand command);
  // Parked commands to be decided again, as their wait is over or work may be
  // there for them; a topic's in order of arrival.
  [[nodiscard]] std::list<ParkedCommand> take_parked(TimeMs now, Table const& table);
  // One that found nothing after all: back to the front of its line (so several go back last first).
  void park_again(ParkedCommand command);

  // Listeners to be told now; they are counted as woken until `now` + wake_timeout.
  void wake(TimeMs now, DurationMs wake_timeout, Table const& table, std::vector<Wake>& out);

  // When take_parked or wake has something to do because time passed.
  [[nodiscard]] TimeMs next_deadline() const;
  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }

 private:
  using Line = std::list<ParkedCommand>;
  enum class State : std::uint8_t { armed, woken, busy };
  struct Listener {
    ConnectionId connection{};
    std::string topic;
    State state{State::armed};
    TimeMs deadline{};
    std::list<Listener*>::iterator place;  // in armed_[topic] while armed
  };
  struct Pending {
    std::uint64_t count{0};
    TimeMs due{};
  };

  void arm(Listener& listener, bool first);
  void disarm(Listener& listener);
  void add_pending(std::string_view topic, TimeMs due);
  void put_in_line(ParkedCommand command, bool first);
  Line::iterator take_out(Line& line, Line::iterator at, Line& out);
  void pass_over(TimeMs now, Table const& table);

  std::unordered_map<ConnectionId, std::list<Listener>> by_connection_;  // never iterated
  std::size_t count_{0};
  std::map<std::string, std::list<Listener*>, std::less<>> armed_;  // by topic, longest idle first
  std::set<std::pair<TimeMs, Listener*>> woken_;                    // by deadline; ties in any order
  std::map<std::string, Pending, std::less<>> pending_;             // work that nobody was told of yet
  std::map<std::string, Line, std::less<>> parked_;                 // by topic, in order of arrival
  std::map<std::pair<TimeMs, std::uint64_t>, Line::iterator> by_deadline_;
  std::unordered_map<ConnectionId, std::uint32_t> parked_of_;  // how many; never iterated
  std::uint64_t last_serial_{0};
};

}  // namespace fastjournal::core
