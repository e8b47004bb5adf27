// The topics of a table with work that no worker takes, for tables that send wakes as messages of another system
// (<wake-message>). A message is sent when a topic without work gets some, and again every wake-timeout while none is
// taken. Volatile and bounded, like subscriptions.h; rows that were due before are found in pages. Separate from the
// listeners, because a message concerns a domain and not a connection.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/types.h"

namespace fastjournal::work {

class WakeMessages {
 public:
  // The most topics that are watched; work in further ones is found when there is room.
  static constexpr std::size_t kTopicsMax = 10'000;
  // Objects that one page looks at.
  static constexpr std::uint32_t kWorkUnitsPerPage = 1024;

  // So many more objects of the topic can be leased.
  void came(std::string_view topic, std::uint64_t count = 1);
  // One of them was leased.
  void took(std::string_view topic);
  // Requests a look at all due rows; at most once a wake-timeout.
  void look_again() { wanted_ = true; }

  // The next topic for a message; nothing: none now. Valid until the next call.
  [[nodiscard]] std::optional<std::string_view> next(TimeMs now, DurationMs timeout, Work const& work);
  // Looks at a page of rows, if requested; true: there are more.
  [[nodiscard]] bool look(TimeMs now, DurationMs timeout, Work const& work);
  // The next date at which next or look has work.
  [[nodiscard]] TimeMs next_deadline() const;
  [[nodiscard]] std::size_t watched() const { return topics_.size(); }

 private:
  struct Topic {
    TimeMs deadline{};
    std::uint64_t serial{0};  // of the deadline; 0: no message was sent
    std::uint64_t came{0};    // since it was looked at
    bool noted{false};
    bool taken{false};  // since the last message
  };
  using Topics = std::map<std::string, Topic, std::less<>>;

  Topics::iterator watch(std::string_view topic);
  void note(Topics::iterator topic);
  void arm(Topics::iterator topic, TimeMs deadline);

  Topics topics_;
  std::deque<Topics::iterator> noted_;  // topics with new work
  std::map<std::pair<TimeMs, std::uint64_t>, Topics::iterator> by_deadline_;
  std::uint64_t last_serial_{0};
  std::vector<ObjectId> found_;
  ObjectId looked_to_{};
  TimeMs next_look_{};
  bool wanted_{true};  // what was due before this began
  bool looking_{false};
};

}  // namespace fastjournal::work
