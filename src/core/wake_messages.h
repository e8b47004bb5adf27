// Which topics of a table have work that nobody takes, for tables whose wakes also leave as a message of another system
// (<wake-message>). A topic is told when work comes of which it had none, and again every wake-timeout while nobody
// takes any. Volatile and bounded, like those who wait (subscriptions.h); what was due before anybody counted is found
// in pages. Apart from the listeners, as what is told is a domain and not a connection.
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

namespace fastjournal::core {

class WakeMessages {
 public:
  // So many topics are watched; work of more is found once there is room.
  static constexpr std::size_t kTopicsMax = 10'000;
  // Objects that one page looks at.
  static constexpr std::uint32_t kLooksPerPage = 1024;

  // So many objects of the topic can be taken now that could not before.
  void came(std::string_view topic, std::uint64_t count = 1);
  // One of them was leased.
  void took(std::string_view topic);
  // All that is due is to be looked at; not more often than once a wake-timeout.
  void look_again() { wanted_ = true; }

  // The next topic to be told of; nothing: none at this moment. Valid until the next call.
  [[nodiscard]] std::optional<std::string_view> next(TimeMs now, DurationMs timeout, Work const& work);
  // Looks at a page, if it is to; true: there are more.
  [[nodiscard]] bool look(TimeMs now, DurationMs timeout, Work const& work);
  // When next or look has something to do because time passed.
  [[nodiscard]] TimeMs next_deadline() const;
  [[nodiscard]] std::size_t watched() const { return topics_.size(); }

 private:
  struct Topic {
    TimeMs deadline{};
    std::uint64_t serial{0};  // of the deadline; 0: it was never told
    std::uint64_t came{0};    // since it was looked at
    bool noted{false};
    bool taken{false};  // since it was told
  };
  using Topics = std::map<std::string, Topic, std::less<>>;

  Topics::iterator watch(std::string_view topic);
  void note(Topics::iterator topic);
  void arm(Topics::iterator topic, TimeMs deadline);

  Topics topics_;
  std::deque<Topics::iterator> noted_;  // work came for them
  std::map<std::pair<TimeMs, std::uint64_t>, Topics::iterator> by_deadline_;
  std::uint64_t last_serial_{0};
  std::vector<ObjectId> found_;
  ObjectId looked_to_{};
  TimeMs next_look_{};
  bool wanted_{true};  // what was due before this began
  bool looking_{false};
};

}  // namespace fastjournal::core
