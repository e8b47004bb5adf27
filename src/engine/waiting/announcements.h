// Rows to be announced to the row listeners of one table (LISTEN mode row): every listener is told of every row. Rows
// that were due before a listener came are announced to it in pages by id, and a row beyond the end of the page waits
// for its page, so that each is announced once. What a listener cannot be sent is counted and told as a number. Owned by
// Subscriptions. A listener is in one queue at most: of those that page, or of those that missed something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/waiting/topic_book.h"

namespace fastjournal::work {

struct Announcement {
  ObjectId object{};
  Topic* topic{nullptr};  // its own; nullptr: the whole table's listeners only
  TimeMs due{};
};

class Announcements {
 public:
  // The most rows that wait to be announced.
  static constexpr std::size_t kMax = 65'536;

  explicit Announcements(TopicBook& topics) : topics_(topics) {}
  Announcements(Announcements const&) = delete;
  Announcements& operator=(Announcements const&) = delete;

  void enter(Listener& listener);
  void remove(Listener& listener);
  // Its connection accepts no more bytes, or accepts bytes again: then the count of missed rows is sent first.
  void stall(Listener& listener);
  void go_on(Listener& listener);

  // A row became available; `topic`: its own if it is in use.
  void note(ObjectId object, Topic* topic, TimeMs due);
  // The oldest; the caller notifies the row listeners of its topic and of the whole table, then calls end_first.
  [[nodiscard]] Announcement const* first() const { return queue_.empty() ? nullptr : &queue_.front(); }
  void end_first();
  // Rows for which there was no room count as missed.
  void count_lost();
  // Those that still page through the rows that were due before; the first is next.
  [[nodiscard]] Listener* first_paging() { return paging_.empty() ? nullptr : paging_.front(); }
  void page_told(Listener& listener, ObjectId to, bool last);
  // One that missed rows and accepts bytes again; the count is sent to it. nullptr: none.
  [[nodiscard]] Listener* take_missed();
  void note_missed(Listener& listener, std::uint64_t rows);
  [[nodiscard]] std::uint64_t missed() const { return missed_ever_; }

 private:
  static void wait_in(Listeners& queue, Listener& listener);
  static void stop_waiting(Listener& listener);

  TopicBook& topics_;
  std::deque<Announcement> queue_;
  std::vector<Topic*> lost_;  // with more than can be remembered
  Listeners paging_;
  Listeners missed_;
  std::uint64_t missed_ever_{0};
};

}  // namespace fastjournal::work
