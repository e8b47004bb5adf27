// When to look whether a folder and its files are still where a start will look for them (FolderLock::look,
// File::look): of logs, and of bytes outside them. A file that was removed, or a folder that another one took the place
// of, takes what is written like any other: only looking tells.
//
// Output rests on a look that is no older than kLookEveryUs; and is not asked for years. A look after each sync
// would cost two system calls a turn; a look on a thread could not keep answers back. While the loop is idle nobody is
// acknowledged anything, so that rarer looks suffice.
#pragma once

#include <cstdint>

namespace fastjournal::env {

class LookTimes {
 public:
  static constexpr std::int64_t kLookEveryUs = 100'000;
  static constexpr std::int64_t kIdleLookEveryUs = 10'000'000;

  // Microseconds since the last look, if it is time for one, which this is; 0: it is not.
  [[nodiscard]] std::int64_t take(std::int64_t now_us) {
    std::int64_t const passed_us = now_us - looked_us_;
    if (passed_us < kLookEveryUs) return 0;
    looked_us_ = now_us;
    return passed_us;
  }
  // When a turn is wanted for it without another cause.
  [[nodiscard]] std::int64_t next_us() const { return looked_us_ + kIdleLookEveryUs; }

 private:
  std::int64_t looked_us_{0};
};

}  // namespace fastjournal::env
