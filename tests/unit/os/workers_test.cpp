// Threads that share pieces of work: each piece is done once, and its writes are seen.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <vector>

#include "platform/os/workers.h"

namespace {

using fastjournal::os::ThreadWorkers;

}  // namespace

BOOST_AUTO_TEST_SUITE(workers)

BOOST_AUTO_TEST_CASE(each_piece_is_done_once_with_any_number_of_threads) {
  for (std::size_t const threads : {0U, 1U, 3U}) {
    ThreadWorkers workers{threads};
    for (std::size_t count = 0; count < 200; ++count) {
      std::vector<int> done(count);
      workers.begin(count, [&](std::size_t i) { ++done[i]; });
      workers.finish();
      BOOST_REQUIRE(done == std::vector<int>(count, 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(finish_without_work_returns_at_once_and_does_nothing_again) {
  for (std::size_t const threads : {0U, 2U}) {
    ThreadWorkers workers{threads};
    workers.finish();
    int done = 0;
    workers.begin(1, [&](std::size_t) { ++done; });
    workers.finish();
    BOOST_TEST(done == 1);
    workers.finish();
    BOOST_TEST(done == 1);
    workers.begin(0, [&](std::size_t) { ++done; });
    workers.finish();
    BOOST_TEST(done == 1);
  }
}

BOOST_AUTO_TEST_CASE(pieces_are_done_while_the_caller_does_something_else) {
  ThreadWorkers workers{2};
  std::atomic<int> done{0};
  workers.begin(2, [&](std::size_t) { ++done; });
  while (done < 2) std::this_thread::yield();  // if they never come, the time limit of the test ends it
  workers.finish();
}

BOOST_AUTO_TEST_CASE(there_is_always_somebody_to_help) {
  BOOST_TEST(ThreadWorkers::threads_wanted() >= 1U);
  BOOST_TEST(ThreadWorkers::threads_wanted() <= 8U);
}

BOOST_AUTO_TEST_SUITE_END()
