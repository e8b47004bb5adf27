// What happened in each minute of the last day and in each hour of the last 31 days: a ring that is in the log, for
// tables with keep-figures. A minute in which something happened is stated by one record, and its hour follows from it;
// what a compaction restates replaces what was there. The minute under way is counted beside the statistics: it is in no
// record, and lost with the process.
#pragma once

#include <cstdint>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/journal/figure_records.h"
#include "plugins/journal/settings.h"
#include "plugins/journal/statistics.h"
#include "plugins/rows/copy_room.h"
#include "plugins/rows/state.h"

namespace fastjournal::journal {

// Of one journal, beside its parts, which outlive it.
class Figures {
 public:
  static constexpr std::int64_t kMinuteMs = 60'000;
  static constexpr std::int64_t kHourMs = 60 * kMinuteMs;
  static constexpr std::uint32_t kMinutes = 24 * 60;
  static constexpr std::uint32_t kHours = 31 * 24;

  Figures(rows::State const& rows, Settings const& settings, Statistics const& statistics)
      : rows_(rows), settings_(settings), statistics_(statistics) {}

  [[nodiscard]] static bool knows(std::uint8_t type) { return type == static_cast<std::uint8_t>(RecordType::figures); }

  // -- the minute under way -------------------------------------------------
  // A record is applied. A minute that is over by now was stated, or nothing happened in it.
  void see(std::int64_t now) {
    if (settings_.options().keep_figures && now >= minute_ * kMinuteMs) [[unlikely]]
      minute_ = now / kMinuteMs + 1;
  }
  void leased(std::uint64_t lateness_ms) {
    if (minute_ != 0) lateness_ms_.add(lateness_ms);
  }
  // When it is to be stated; INT64_MAX: nothing happened.
  [[nodiscard]] std::int64_t next_due() const {
    return minute_ == 0 || base_ == Counted::of(statistics_) ? INT64_MAX : minute_ * kMinuteMs;
  }
  // True: it was.
  bool state_minute(Decision& decision) const;

  // -- records --------------------------------------------------------------
  [[nodiscard]] bool apply(RecordView const& record, ApplyContext const& context);
  // The clock was ahead: what is of later minutes than these is dropped.
  void lower_clock(std::int64_t to);
  [[nodiscard]] Lsn oldest_lsn() const { return oldest_ == UINT32_MAX ? kNoLsn : rows::Regions::start(oldest_); }
  [[nodiscard]] bool compact(Lsn below, rows::CopyRoom& room, Records& records) const;
  // A page from `after` on, which is where the next begins. True: that was the last.
  bool snapshot(std::uint64_t& after, rows::CopyRoom& page, Records& records) const;
  void digest(DigestSink& sink) const;
  [[nodiscard]] std::uint64_t live_bytes() const { return (minutes_.size() + hours_.size()) * kFigureBytesMax; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return (minutes_.capacity() + hours_.capacity()) * sizeof(Kept) + lateness_ms_.memory_bytes();
  }

  Verdict tell(Command const& command, Decision& decision) const;

 private:
  // Of the region from which on the log states it.
  struct Kept {
    Figure figure;
    std::uint32_t region{0};
  };
  using Ring = std::vector<Kept>;

  static void drop_old(Ring& ring, std::uint32_t most);
  static void put(Ring& ring, Figure const& figure, std::uint32_t region, std::uint32_t most);
  void find_oldest();
  void add_to_hour(Figure const& minute, std::uint32_t region);
  static bool restate(Ring const& ring, Span span, ObjectId id, Lsn below, rows::CopyRoom& room, Records& records);

  rows::State const& rows_;
  Settings const& settings_;
  Statistics const& statistics_;
  ObjectId id_{};
  Ring minutes_;  // by their begin
  Ring hours_;
  std::uint32_t oldest_{UINT32_MAX};  // of their regions
  // Derived: the minute under way by its end, in minutes since 1970, and what the statistics were at its begin.
  std::int64_t minute_{0};
  Counted base_{};
  Histogram lateness_ms_;
};

}  // namespace fastjournal::journal
