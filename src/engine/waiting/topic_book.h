// The topics of one table that clients wait for, and the work that came for them since the last turn: what the line
// and the wakes hand out. Owned by Subscriptions. A topic is here while it is used, and is `pending` while it has to be
// looked at by the end of the turn.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/waiting/topic.h"
#include "fastjournal/capabilities.h"

namespace fastjournal::work {

class TopicBook {
 public:
  TopicBook();
  TopicBook(TopicBook const&) = delete;
  TopicBook& operator=(TopicBook const&) = delete;

  // The caller uses it once more, until it releases it.
  Topic& use(std::string_view name);
  void release(Topic& topic);
  // nullptr: unused.
  [[nodiscard]] Topic* find(std::string_view name);
  // The topic of those who wait for any work; always there.
  [[nodiscard]] Topic& whole() { return *whole_; }
  [[nodiscard]] bool whole_is_used() const { return whole_->uses > 1; }

  // It has to be looked at by the end of the turn.
  void mark(Topic& topic);
  // So many more rows can be leased; `due`: the date of the first, 0 if it was due before.
  void add(Topic& topic, std::uint64_t count, TimeMs due);
  // So many more rows of a topic can be leased; with the empty topic, of any topic that has some.
  void became_available_again(std::string_view name, std::uint64_t count);
  // Distributes what became available of any topic; once a turn, as it goes through all topics with waiting clients.
  void share_again(Work const& work);
  // That many rows were leased: no wake is needed for them.
  void took(Topic& topic, std::uint64_t rows);

  // Marked since the last turn.
  [[nodiscard]] std::vector<Topic*>& pending() { return pending_; }
  // Marked topics with a line, by the serial of its first entry, which may have left meanwhile.
  using Lines = std::set<std::pair<std::uint64_t, Topic*>>;
  [[nodiscard]] Lines& lines() { return lines_; }
  // End of a turn: all that could be handed out or notified was.
  void forget_pending();

 private:
  std::map<std::string, Topic, std::less<>> topics_;
  Topic* whole_;
  std::vector<Topic*> pending_;
  Lines lines_;
  std::uint64_t again_{0};  // rows of any topic that became available
  std::string again_from_;  // the last topic that got some of them
};

}  // namespace fastjournal::work
