// Changes in the tables folder, as the kernel tells them (inotify): files that were closed after writing, linked, renamed
// or removed. They are told once the folder has been quiet for a moment, so that a person who copies many files is told
// once. Names without .xml do not count, nor do folders within it. Lives on the thread of the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "platform/reactor/posix.h"
#include "platform/reactor/reactor.h"

namespace fastjournal::daemon {

class TablesWatch {
 public:
  // Quiet for so long, or so long after the first change.
  static constexpr std::int64_t kQuietUs = 500'000;
  static constexpr std::int64_t kMostUs = 5'000'000;
  // A folder that was renamed or removed is looked for so often.
  static constexpr std::int64_t kLookUs = 5'000'000;

  // From now on changes are noted. Before the files are read, so that none is missed.
  [[nodiscard]] Status begin(std::string folder);
  // Tells them, and those that were noted before, from turns of the loop.
  [[nodiscard]] Status tell(reactor::Reactor& reactor, std::function<void()> changed);

 private:
  void take_events();
  void fire();
  [[nodiscard]] bool counts(std::uint32_t what, std::string_view name) const;
  [[nodiscard]] bool watch();
  void set_timer(std::int64_t after_us);

  std::string folder_;
  reactor::UniqueFd events_;
  reactor::UniqueFd timer_;
  bool is_watched_{false};
  std::int64_t first_us_{0};  // of the changes that were not told; 0: there are none
  std::function<void()> changed_;
};

}  // namespace fastjournal::daemon
