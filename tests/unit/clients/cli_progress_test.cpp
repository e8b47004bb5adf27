// How far a long work on files is.
#include <boost/test/unit_test.hpp>

#include <sstream>

#include "clients/cli/progress.h"

namespace fastjournal::cli {

BOOST_AUTO_TEST_SUITE(cli_progress)

BOOST_AUTO_TEST_CASE(every_256_mib_and_nothing_below) {
  constexpr std::uint64_t kMiB = 1U << 20U;
  std::ostringstream err;
  tools::Progress const progress = progress_on(err, "fastjournal log verify: /log");
  for (std::uint64_t done = 0; done < 256; done += 16) progress("reading", done * kMiB, 300 * kMiB);
  BOOST_TEST(err.str().empty());
  for (std::uint64_t done = 256; done < 600; done += 16) progress("reading", done * kMiB, 600 * kMiB);
  // The next step begins at its own beginning.
  for (std::uint64_t done = 0; done <= 300; done += 100) progress("writing", done * kMiB, 300 * kMiB);
  BOOST_TEST(err.str() ==
             "fastjournal log verify: /log: reading, 256 of at most 600 MiB\n"
             "fastjournal log verify: /log: reading, 512 of at most 600 MiB\n"
             "fastjournal log verify: /log: writing, 300 of at most 300 MiB\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::cli
