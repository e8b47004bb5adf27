// How logs stay short: the base follows the oldest live object, and old objects are compacted in small steps. A
// start copies until the bound is kept before it serves, so that a daemon that dies at each start does not need more
// room each time. Where space is short, removals leave the room that copying needs; copying, which gives back more than
// it takes, may use all of it. A log without rows is reset (when-empty). One with periods goes on in new files with
// each of them, and what is left in those of the period before the last one is copied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "engine/decider.h"
#include "engine/tables.h"

namespace fastjournal::engine {

// Of one log. Nothing is copied but what lies below the end of the oldest segment, and a round of copying ends when
// the base has come to where the log ended as it began.
class LogSpace {
 public:
  LogSpace(HostedLog& log, Decider& decider) : log_(log), decider_(decider) {}
  LogSpace(LogSpace const&) = delete;
  LogSpace& operator=(LogSpace const&) = delete;

  // After the log committed. True: another turn is wanted.
  [[nodiscard]] bool committed(TimeMs now);
  // When it wants to be called without a cause: an empty log may be reset, a period begins; max: not.
  [[nodiscard]] TimeMs next_due() const { return std::min(reset_due_, period_due_); }

 private:
  [[nodiscard]] bool is_empty();
  bool reset_if_empty(TimeMs now);
  bool begin_period(TimeMs now);
  [[nodiscard]] bool wants_look(TimeMs now);
  [[nodiscard]] bool is_from_before(log::LogUsage const& usage, Lsn period) const;
  void move_base();
  bool compact(TimeMs now);
  [[nodiscard]] bool must_compact(log::LogUsage const& usage) const;
  bool want_freed(log::LogUsage const& usage);
  std::size_t compact_catalogue(Lsn below, TimeMs now);
  std::size_t compact_tables(Lsn below, std::size_t bytes_max, TimeMs now);
  [[nodiscard]] bool compact_some(HostedTable& table, Lsn below, std::size_t budget, bool may_exceed, TimeMs now);

  HostedLog& log_;
  Decider& decider_;
  Lsn base_checked_at_{};                  // end of the log when the base was last moved
  Lsn rows_oldest_{};                      // live bytes of the tables, as of then
  bool compacting_{false};                 // compaction is in progress
  Lsn round_end_{};                        // end of the log when that began: the round ends when the base reaches it
  Lsn round_over_{};                       // end of the log when a round ended
  Lsn compact_below_{};                    // the segment that is being emptied ends here,
  std::uint64_t compacted_{0};             // and this much of it was copied
  Lsn emptied_below_{};                    // nothing in it is needed, and a sync was asked for that frees it
  TableId with_rows_{TableId::catalogue};  // a table that had rows when it was last looked at
  TimeMs reset_at_{};
  TimeMs reset_due_{TimeMs::max()};
  TimeMs period_due_{TimeMs::max()};
  TimeMs looked_at_{};
};

// Of all logs that are kept.
class Space {
 public:
  Space(Tables const& tables, Decider& decider) : tables_(tables), decider_(decider) {}
  Space(Space const&) = delete;
  Space& operator=(Space const&) = delete;

  // After every log committed. The next turn commits what is copied: true if another turn is wanted.
  [[nodiscard]] bool committed(TimeMs now);
  // A log waits for its turn to be reset, or for its next period.
  [[nodiscard]] TimeMs next_due() const { return due_; }

 private:
  Tables const& tables_;
  Decider& decider_;
  std::deque<LogSpace> logs_;  // as in Tables
  TimeMs due_{TimeMs::max()};
};

}  // namespace fastjournal::engine
