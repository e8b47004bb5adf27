// The progress lines of long work on files.
#include <boost/test/unit_test.hpp>

#include <sstream>

#include "clients/programs/fastjournal/progress.h"

namespace fastjournal::cli {

namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

struct Written {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, {}};
  std::chrono::steady_clock::time_point time;
  SteadyClock clock() {
    return [this] { return time; };
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_progress)

BOOST_FIXTURE_TEST_CASE(every_256_mib_and_nothing_below, Written) {
  tools::Progress const progress = progress_on(console, "fastjournal log verify: /log");
  for (std::uint64_t done = 0; done < 256; done += 16) progress("reading", done * kMiB, 300 * kMiB);
  BOOST_TEST(err.str().empty());
  for (std::uint64_t done = 256; done < 600; done += 16) progress("reading", done * kMiB, 600 * kMiB);
  // The next step counts from its own beginning.
  for (std::uint64_t done = 0; done <= 300; done += 100) progress("writing", done * kMiB, 300 * kMiB);
  BOOST_TEST(err.str() ==
             "fastjournal log verify: /log: reading, 256 of at most 600 MiB\n"
             "fastjournal log verify: /log: reading, 512 of at most 600 MiB\n"
             "fastjournal log verify: /log: writing, 300 of at most 300 MiB\n");
}

BOOST_FIXTURE_TEST_CASE(on_a_terminal_each_second_in_one_line_that_goes_away, Written) {
  console.progress = true;
  {
    tools::Progress const progress = progress_on(console, "backup", clock());
    progress("copying", 1 * kMiB, 30 * kMiB);
    BOOST_TEST(err.str() == "");
    time += std::chrono::milliseconds{1000};
    progress("copying", 2 * kMiB, 30 * kMiB);
    time += std::chrono::milliseconds{900};
    progress("copying", 3 * kMiB, 30 * kMiB);
    time += std::chrono::milliseconds{100};
    progress("copying", 4 * kMiB, 30 * kMiB);
    BOOST_TEST(err.str() == "\rbackup: copying, 2 of at most 30 MiB\x1b[K\rbackup: copying, 4 of at most 30 MiB\x1b[K");
  }
  BOOST_TEST(err.str().ends_with("MiB\x1b[K\r\x1b[K"));
}

BOOST_FIXTURE_TEST_CASE(programs_are_told_nothing, Written) {
  console.look.json = true;
  tools::Progress const progress = progress_on(console, "backup");
  progress("copying", 1000 * kMiB, 3000 * kMiB);
  BOOST_TEST(err.str() == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::cli
