#include "clients/cli/progress.h"

#include <fmt/format.h>

#include <ostream>
#include <string_view>
#include <utility>

namespace fastjournal::cli {

tools::Progress progress_on(std::ostream& err, std::string what) {
  return [&err, what = std::move(what), told = std::uint64_t{0}](std::string_view step, std::uint64_t done,
                                                                 std::uint64_t total) mutable {
    // Another step, or the same once more.
    if (done < told) told = 0;
    if (done - told < kTellEveryBytes) return;
    told = done;
    err << fmt::format("{}: {}, {} of at most {} MiB\n", what, step, done >> 20U, total >> 20U) << std::flush;
  };
}

}  // namespace fastjournal::cli
