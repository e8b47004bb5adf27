// Whether most attempts of the last minutes fail: each of them rests and is tried again, so for hours nothing else would
// look wrong. Derived, in memory of a fixed size: not logged. What stands is told with the table's next record, or by the
// look that the timers make while it stands.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/table.h"

namespace fastjournal::rows {

class Failing {
 public:
  // An attempt ended. What a worker gives back without an error was none.
  void succeeded(std::int64_t now) {
    if (now >= ends_) [[unlikely]]
      turn(now);
    ++ring_[at_].ended;
  }
  // A lease that ran out is one that failed.
  void failed(std::int64_t now, std::uint32_t count = 1);

  [[nodiscard]] bool is_failing() const { return standing_ == Standing::up; }
  // When look() has to be called; INT64_MAX: not.
  [[nodiscard]] std::int64_t next_look() const { return look_; }
  // Lowers the alert once it is over. An alert of before the start may stand, though nothing is tried any more.
  void look(std::int64_t now, TableObserver& observer);

  [[nodiscard]] bool has_news() const { return has_news_; }
  // Raises the alert. `what`: "attempts", "deliveries".
  void tell(std::string_view what, std::string const& table, std::string_view tags, TableObserver& observer);

 private:
  // Of before the start, nothing is known.
  enum class Standing : std::uint8_t { unknown, down, up };
  struct Bucket {
    std::uint32_t ended{0};
    std::uint32_t failed{0};
  };

  static constexpr std::int64_t kBucketMs = 30'000;
  static constexpr std::size_t kBuckets = 10;

  void turn(std::int64_t now);
  [[nodiscard]] Bucket sum() const;

  std::array<Bucket, kBuckets> ring_{};
  std::int64_t ends_{0};  // of the newest bucket
  std::int64_t look_{0};
  std::int64_t failed_at_{0};  // last; before the first failure: begun
  std::uint8_t at_{0};
  Standing standing_{Standing::unknown};
  bool has_news_{false};
};

}  // namespace fastjournal::rows
