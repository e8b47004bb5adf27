// The ledger, which counts by id. For each way in which a page can be lost or a row be done twice there is a list of
// events that must be reported, and beside it a correct list that must not.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

#include "clients/demo/main_job/ledger.h"

namespace fastjournal::main_job {
namespace {

constexpr std::int64_t kLeaseUs = 10'000'000;

struct ClientOracle {
  Ledger ledger;

  void save(std::int64_t us, std::string const& uri, std::int64_t duration_us = 3) {
    ledger.add("producer", {.kind = EventKind::saved, .us = us, .number = duration_us, .text = uri});
  }
  void lease(std::int64_t us, std::string const& worker, std::string const& uri, std::uint64_t row, std::uint64_t epoch,
             std::uint64_t changes = 1) {
    ledger.add(worker, {.kind = EventKind::leased,
                        .us = us,
                        .row = row,
                        .epoch = epoch,
                        .number = kLeaseUs,
                        .count = changes,
                        .text = uri});
  }
  void end(EventKind kind, std::int64_t us, std::string const& worker, std::uint64_t row, std::uint64_t epoch,
           std::uint64_t unsure = 0) {
    ledger.add(worker, {.kind = kind, .us = us, .row = row, .epoch = epoch, .count = unsure, .text = "a"});
  }
  // A lease at `us`, work for 10 us, done at us + 20.
  void whole_work(std::int64_t us, std::string const& worker, std::string const& uri, std::uint64_t row,
                  std::uint64_t epoch, std::uint64_t changes = 1) {
    lease(us, worker, uri, row, epoch, changes);
    end(EventKind::worked, us + 10, worker, row, epoch);
    end(EventKind::done, us + 20, worker, row, epoch);
  }
  [[nodiscard]] std::size_t lost() const { return ledger.check().lost.size(); }
  [[nodiscard]] std::size_t doubled() const { return ledger.check().doubled.size(); }
  void is_right() const {
    BOOST_TEST(lost() == 0U);
    BOOST_TEST(doubled() == 0U);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(main_job_ledger, ClientOracle)

BOOST_AUTO_TEST_CASE(a_page_that_is_saved_merged_and_done_is_right) {
  save(100, "a");
  save(200, "a");
  BOOST_TEST(ledger.counts().finished == 0U);
  whole_work(300, "one", "a", 7, 1, 2);
  is_right();
  Counts const& counts = ledger.counts();
  BOOST_TEST(counts.pages == 1U);
  BOOST_TEST(counts.finished == 1U);
  BOOST_TEST(counts.saved == 2U);
  BOOST_TEST(counts.done == 1U);
  BOOST_TEST((ledger.keys_done() == std::vector<std::string>{"a"}));
}

BOOST_AUTO_TEST_CASE(the_order_in_which_the_books_are_read_does_not_matter) {
  whole_work(300, "one", "a", 7, 1);
  BOOST_TEST(ledger.counts().finished == 0U);
  save(100, "a");
  BOOST_TEST(ledger.counts().finished == 1U);
  is_right();
}

BOOST_AUTO_TEST_CASE(a_row_nobody_did_is_lost) {
  save(100, "a");
  save(110, "b");
  whole_work(300, "one", "a", 7, 1);
  BOOST_TEST(lost() == 1U);
}

BOOST_AUTO_TEST_CASE(a_change_that_is_in_no_row_is_lost) {
  save(100, "a");
  whole_work(300, "one", "a", 7, 1);
  BOOST_TEST(ledger.counts().finished == 1U);
  save(310, "a");
  BOOST_TEST(ledger.counts().finished == 0U);
  BOOST_TEST(doubled() == 0U);
  BOOST_REQUIRE(lost() == 1U);
  BOOST_TEST(ledger.check().lost[0] == "a: 2 changes were saved, but its rows that are done have 1");
}

BOOST_AUTO_TEST_CASE(a_change_that_counts_twice_is_double) {
  save(100, "a");
  save(110, "b");
  save(120, "b");
  // Merged twice into one row, and inserted twice.
  whole_work(300, "one", "a", 7, 1, 2);
  whole_work(400, "one", "b", 8, 2, 2);
  whole_work(500, "one", "b", 9, 3);
  BOOST_TEST(lost() == 0U);
  BOOST_REQUIRE(doubled() == 2U);
  BOOST_TEST(ledger.check().doubled[0] == "a: 1 changes were saved, but its rows that are done have 2");
  BOOST_TEST(ledger.counts().finished == 0U);
}

BOOST_AUTO_TEST_CASE(a_change_behind_a_row_in_work_needs_work_of_its_own) {
  save(100, "a");
  lease(300, "one", "a", 7, 1);
  save(310, "a");
  end(EventKind::worked, 320, "one", 7, 1);
  end(EventKind::done, 330, "one", 7, 1);
  BOOST_TEST(lost() == 1U);
  whole_work(400, "two", "a", 9, 2);
  is_right();
}

BOOST_AUTO_TEST_CASE(a_row_completed_twice_is_double) {
  save(100, "a");
  whole_work(300, "one", "a", 7, 1);
  whole_work(400, "two", "a", 7, 2);
  BOOST_TEST(lost() == 0U);
  // By its id, and by its changes.
  BOOST_TEST(doubled() == 2U);
}

BOOST_AUTO_TEST_CASE(a_row_in_two_hands_at_once_is_double_even_if_done_once) {
  save(100, "a");
  lease(300, "one", "a", 7, 1);
  lease(305, "two", "a", 7, 2);
  end(EventKind::worked, 310, "one", 7, 1);
  end(EventKind::refused, 320, "one", 7, 1);
  end(EventKind::worked, 330, "two", 7, 2);
  end(EventKind::done, 340, "two", 7, 2);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_row_and_the_one_behind_it_in_two_hands_at_once_are_double) {
  save(100, "a");
  lease(300, "one", "a", 7, 1);
  save(301, "a");
  whole_work(305, "two", "a", 9, 2);
  end(EventKind::worked, 350, "one", 7, 1);
  end(EventKind::done, 360, "one", 7, 1);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_lease_that_ended_by_time_may_be_followed_by_another) {
  save(100, "a");
  lease(300, "one", "a", 7, 1);
  whole_work(300 + kLeaseUs, "two", "a", 7, 2);
  end(EventKind::worked, 400 + kLeaseUs, "one", 7, 1);
  end(EventKind::refused, 410 + kLeaseUs, "one", 7, 1);
  is_right();
  Verdict const verdict = ledger.check();
  BOOST_TEST(verdict.timed_out == 1U);
  BOOST_TEST(verdict.came_back == 1U);
  BOOST_TEST(ledger.counts().refused == 1U);
}

BOOST_AUTO_TEST_CASE(what_a_killed_backend_held_comes_back_or_is_lost) {
  save(100, "a");
  save(101, "b");
  lease(300, "two", "a", 7, 1);
  lease(300, "two", "b", 8, 2);
  BOOST_TEST(ledger.in_hand("two").rows.size() == 2U);
  BOOST_TEST(!ledger.in_hand("two").between);
  ledger.ended("two", 350);
  whole_work(1400, "one", "a", 7, 3);
  BOOST_TEST(lost() == 1U);
  BOOST_TEST(doubled() == 0U);
  BOOST_TEST(ledger.check().timed_out == 2U);
  BOOST_TEST(ledger.check().came_back == 1U);
  // The page of the other backend was changed again while it was leased: the row folded into the newer one.
  save(340, "b");
  whole_work(1500, "one", "b", 11, 4, 2);
  is_right();
  BOOST_TEST(ledger.check().folded == 1U);
  BOOST_TEST(ledger.counts().again == 1U);
}

BOOST_AUTO_TEST_CASE(a_done_on_its_way_is_seen) {
  save(100, "a");
  lease(300, "two", "a", 7, 1);
  end(EventKind::worked, 310, "two", 7, 1);
  BOOST_TEST(ledger.in_hand("two").between);
  end(EventKind::done, 320, "two", 7, 1);
  BOOST_TEST(!ledger.in_hand("two").between);
  BOOST_TEST(ledger.in_hand("nobody").rows.empty());
}

BOOST_AUTO_TEST_CASE(an_epoch_given_twice_or_falling_or_unknown_is_double) {
  save(100, "a");
  save(100, "b");
  whole_work(300, "one", "a", 7, 1);
  lease(400, "one", "b", 8, 1);
  BOOST_TEST(doubled() == 1U);

  ClientOracle falling;
  falling.save(100, "a");
  falling.lease(300, "one", "a", 7, 5);
  falling.ledger.ended("one", 310);
  falling.whole_work(400, "two", "a", 7, 4);
  BOOST_TEST(falling.doubled() == 1U);

  ClientOracle unknown;
  unknown.save(100, "a");
  unknown.end(EventKind::done, 300, "one", 7, 1);
  BOOST_TEST(unknown.doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(work_on_a_page_that_nobody_saved_is_double) {
  whole_work(300, "one", "a", 7, 1);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_parked_page_is_finished_but_not_done) {
  save(100, "a");
  lease(300, "one", "a", 7, 1);
  end(EventKind::parked, 310, "one", 7, 1);
  is_right();
  BOOST_TEST(ledger.counts().parked == 1U);
  BOOST_TEST(ledger.keys_done().empty());
}

BOOST_AUTO_TEST_CASE(leases_that_a_killed_daemon_forgot_may_be_given_again_at_once) {
  save(100, "a");
  save(100, "b");
  lease(300, "one", "a", 7, 1);
  ledger.daemon_killed(400);
  // An answer that was still to be read.
  lease(410, "one", "b", 8, 2);
  ledger.daemon_started(500);
  whole_work(600, "two", "a", 7, 3);
  whole_work(700, "two", "b", 8, 4);
  end(EventKind::worked, 800, "one", 7, 1);
  end(EventKind::refused, 810, "one", 7, 1);
  end(EventKind::refused, 820, "one", 8, 2);
  is_right();
  BOOST_TEST(ledger.check().timed_out == 2U);
  BOOST_TEST(ledger.check().came_back == 2U);
}

BOOST_AUTO_TEST_CASE(a_lease_that_outlived_the_daemon_is_one) {
  save(100, "a");
  save(110, "a");
  lease(300, "one", "a", 7, 1);
  ledger.daemon_killed(400);
  ledger.daemon_started(500);
  // DONE is accepted after another one got the row behind it.
  whole_work(600, "two", "a", 9, 2);
  end(EventKind::worked, 700, "one", 7, 1);
  end(EventKind::done, 710, "one", 7, 1);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(leases_of_the_new_daemon_are_not_cut) {
  save(100, "a");
  ledger.daemon_killed(200);
  ledger.daemon_started(300);
  lease(400, "one", "a", 7, 1);
  whole_work(500, "two", "a", 7, 2);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_done_that_was_sent_again_may_be_of_a_row_that_went_into_another) {
  for (bool const folded : {false, true}) {
    ClientOracle it;
    it.save(100, "a");
    it.save(101, "a");
    it.lease(300, "one", "a", 7, 1, 2);
    it.end(EventKind::worked, 310, "one", 7, 1);
    it.ledger.daemon_killed(320);
    it.ledger.daemon_started(500);
    it.save(400, "a");
    it.end(EventKind::done, 600, "one", 7, 1, 1);
    BOOST_TEST(it.lost() == 1U);
    it.whole_work(700, "two", "a", 9, 2, folded ? 3 : 1);
    it.is_right();
    BOOST_TEST(it.ledger.counts().finished == 1U);
  }
}

BOOST_AUTO_TEST_CASE(a_done_that_was_sent_again_hides_no_loss) {
  save(100, "a");
  save(101, "a");
  save(102, "a");
  lease(300, "one", "a", 7, 1);
  end(EventKind::worked, 310, "one", 7, 1);
  end(EventKind::done, 600, "one", 7, 1, 1);
  whole_work(700, "two", "a", 9, 2);
  BOOST_TEST(lost() == 1U);
  whole_work(800, "two", "a", 11, 3, 3);
  BOOST_TEST(lost() == 0U);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(saves_are_counted_by_the_time_of_their_begin) {
  save(100, "a", 5);
  save(200, "a", 900);
  save(300, "b", 7);
  BOOST_TEST(ledger.saves(0, 1000).count == 3U);
  BOOST_TEST(ledger.saves(0, 1000).slowest_us == 900U);
  BOOST_TEST(ledger.saves(201, 1000).p99_us == 7U);
  BOOST_TEST(ledger.saves(201, 301).slowest_us == 7U);
  BOOST_TEST(ledger.saves(200, 300).count == 1U);
  BOOST_TEST(ledger.saves(301, 1000).count == 0U);
  BOOST_TEST(ledger.first_us() == 100);
}

BOOST_AUTO_TEST_CASE(the_best_second_is_any_second) {
  BOOST_TEST(ledger.best_second() == 0U);
  std::uint64_t row = 7;
  for (std::int64_t const us : {900'000, 1'100'000, 1'500'000, 1'899'999, 3'000'000}) {
    save(1, "a");
    whole_work(us, "one", "a", row, row);
    ++row;
  }
  BOOST_TEST(ledger.best_second() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
