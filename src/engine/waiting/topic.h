// Topics of a table and their waiting clients: plain data that the line for work (line.h), the wakes (wakes.h)
// and the announcements (announcements.h) of one table share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"
#include "fastjournal/types.h"

namespace fastjournal::work {

enum class ListenMode : std::uint8_t { wake, row, deliver };

// The parameters of a LISTEN.
struct ListenRequest {
  std::string_view topic{};
  ListenMode mode{ListenMode::wake};
  std::uint32_t credit{0};    // deliver: rows at once
  std::string_view worker{};  // deliver: as in NEXT
  TimeMs since{};             // when it came
  // deliver: further parameters of the command that delivers, within kFurtherMax and kFurtherBytesMax. Borrowed.
  std::span<Param const> further{};
};
inline constexpr std::size_t kFurtherMax = 8;
inline constexpr std::size_t kFurtherBytesMax = 1024;  // names and values together: one block of an arena

struct Topic;

// A command whose verdict was `wait`.
struct WaitingCommand {
  std::uint16_t index{0};
  ConnectionId connection{};
  std::string worker;
  std::string origin;
  std::string topic;  // or several, between blanks
  bool waits_for_several{false};
  std::vector<Topic*> topics{};  // those in whose lines it stands
  TimeMs since{};                // when it came
  TimeMs deadline{};
  std::uint64_t serial{0};               // order of arrival; given by the line
  bool holds{true};                      // as in Command
  std::array<std::uint64_t, 4> carry{};  // of its decision
  Message message;                       // owned
};

struct Listener;

// An entry of the line for work: a waiting command or a deliver listener.
struct Waiter {
  WaitingCommand* command{nullptr};
  Listener* listener{nullptr};
  [[nodiscard]] ConnectionId connection() const;
};

using Listeners = std::list<Listener*>;

// A domain, or the whole table (empty name).
struct Topic {
  std::string name;
  std::map<std::uint64_t, Waiter> line;  // by order of arrival
  Listeners armed;                       // wake: idle, the longest idle first
  Listeners rows;                        // row
  bool pending{false};
  std::uint64_t count{0};   // rows that became available since the last turn and were not leased
  std::uint64_t owed{0};    // new listeners, to be notified of work of whatever age
  std::uint64_t freed{0};   // wakes given up by a listener: others get them, if there is work
  std::uint64_t woken{0};   // listeners that have a wake
  std::uint64_t shared{0};  // part of `count` from TopicBook::share_again, which other topics could have had
  TimeMs due{};             // date of the first of the rows; 0: it was due before
  std::uint64_t lost{0};    // row: announcements for which there was no room
  std::size_t round{0};     // of the line: entries not served since all had a turn
  std::uint32_t uses{0};    // listeners, waiting commands and announcements of this topic
};

// One LISTEN of a connection.
struct Listener {
  enum class State : std::uint8_t { idle, woken, busy };
  ConnectionId connection{};
  Topic* topic{nullptr};
  ListenMode mode{ListenMode::wake};
  bool stalled{false};  // its connection is
  TimeMs since{};       // the date of its last LISTEN
  // wake
  State state{State::busy};
  bool shared{false};  // listeners of any topic may take the work of this wake
  TimeMs deadline{};
  Listeners::iterator place;  // wake: in armed while idle; row: in rows
  // row
  bool paging{false};         // rows that were due before are announced first, by id
  ObjectId paged_to{};        // so far
  std::uint64_t missed{0};    // missed since the last report
  Listeners* waits{nullptr};  // the queue of Announcements in which it is, if any
  Listeners::iterator waiting;
  // deliver
  std::uint32_t credit{0};
  std::uint64_t serial{0};          // in the line, or of its wake; 0: neither
  std::vector<ObjectId> delivered;  // delivered rows that are still leased to its connection; sorted
  std::string worker;
  std::unique_ptr<Message> further;  // parameters of the command that delivers; null: none

  [[nodiscard]] std::uint32_t free_credit() const {
    return delivered.size() >= credit ? 0 : credit - static_cast<std::uint32_t>(delivered.size());
  }
};

// A client of a table as WAITERS reports it: one of its listeners, or its waiting commands with the oldest of them.
// Views of the subscriptions.
struct WaitingClient {
  ConnectionId connection{};
  Listener const* listener{nullptr};  // null: commands wait
  std::string_view topic{};
  std::string_view worker{};
  TimeMs since{};
  TimeMs until{};          // of the oldest command
  std::size_t waiting{0};  // commands
  bool is_stalled{false};  // it accepts no more bytes
};

// The names of its topics; of the same one more than once, if it names it so.
template <typename Visit>
void for_each_topic(WaitingCommand const& command, Visit const& visit) {
  std::string_view rest = command.topic;
  if (!command.waits_for_several) return visit(rest);
  while (!rest.empty()) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    if (end > 0) visit(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

inline ConnectionId Waiter::connection() const {
  return command != nullptr ? command->connection : listener->connection;
}

}  // namespace fastjournal::work
