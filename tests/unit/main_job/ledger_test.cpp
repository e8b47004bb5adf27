// The ledger, which counts by id. For each way in which a page can be lost or a row be done twice there is a list of
// events that must be reported, and beside it a correct list that must not.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

#include "clients/lib/journal.h"
#include "clients/main_job/ledger.h"

namespace fastjournal::main_job {
namespace {

constexpr std::int64_t kLeaseUs = 10'000'000;

struct ClientOracle {
  Ledger ledger;

  void insert(std::int64_t us, std::string const& uri, std::uint64_t row,
              client::PutResult result = client::PutResult::inserted) {
    ledger.add(
        "producer",
        {.kind = EventKind::insert, .us = us, .row = row, .number = static_cast<std::int64_t>(result), .text = uri});
  }
  void lease(std::int64_t us, std::string const& worker, std::string const& uri, std::uint64_t row,
             std::uint64_t epoch) {
    ledger.add(worker,
               {.kind = EventKind::leased, .us = us, .row = row, .epoch = epoch, .number = kLeaseUs, .text = uri});
  }
  void end(EventKind kind, std::int64_t us, std::string const& worker, std::uint64_t row, std::uint64_t epoch) {
    ledger.add(worker, {.kind = kind, .us = us, .row = row, .epoch = epoch, .text = "a"});
  }
  // A lease at `us`, work for 10 us, done at us + 20.
  void whole_work(std::int64_t us, std::string const& worker, std::string const& uri, std::uint64_t row,
                  std::uint64_t epoch) {
    lease(us, worker, uri, row, epoch);
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

BOOST_AUTO_TEST_CASE(a_page_that_is_inserted_merged_and_done_is_right) {
  insert(100, "a", 7);
  insert(200, "a", 7, client::PutResult::merged);
  BOOST_TEST(ledger.counts().finished == 0U);
  whole_work(300, "one", "a", 7, 1);
  is_right();
  Counts const& counts = ledger.counts();
  BOOST_TEST(counts.pages == 1U);
  BOOST_TEST(counts.finished == 1U);
  BOOST_TEST(counts.inserted == 1U);
  BOOST_TEST(counts.merged == 1U);
  BOOST_TEST(counts.done == 1U);
  BOOST_TEST((ledger.keys_done() == std::vector<std::string>{"a"}));
}

BOOST_AUTO_TEST_CASE(the_order_in_which_the_books_are_read_does_not_matter) {
  whole_work(300, "one", "a", 7, 1);
  BOOST_TEST(ledger.counts().finished == 0U);
  insert(100, "a", 7);
  BOOST_TEST(ledger.counts().finished == 1U);
  is_right();
}

BOOST_AUTO_TEST_CASE(a_row_nobody_did_is_lost) {
  insert(100, "a", 7);
  insert(110, "b", 8);
  whole_work(300, "one", "a", 7, 1);
  BOOST_TEST(lost() == 1U);
}

BOOST_AUTO_TEST_CASE(an_insert_into_a_row_that_was_leased_before_is_lost) {
  insert(100, "a", 7);
  whole_work(300, "one", "a", 7, 1);
  insert(310, "a", 7, client::PutResult::merged);
  BOOST_TEST(lost() == 1U);
}

BOOST_AUTO_TEST_CASE(an_insert_behind_a_row_in_work_needs_work_of_its_own) {
  insert(100, "a", 7);
  lease(300, "one", "a", 7, 1);
  insert(310, "a", 9, client::PutResult::behind);
  end(EventKind::worked, 320, "one", 7, 1);
  end(EventKind::done, 330, "one", 7, 1);
  BOOST_TEST(lost() == 1U);
  whole_work(400, "two", "a", 9, 2);
  is_right();
}

BOOST_AUTO_TEST_CASE(a_lease_that_was_read_late_does_not_stand_for_the_row_behind_it) {
  // The lease was granted before the insert, but the backend read its answer afterwards.
  insert(100, "a", 7);
  insert(310, "a", 9, client::PutResult::behind);
  whole_work(320, "one", "a", 7, 1);
  BOOST_TEST(lost() == 1U);
}

BOOST_AUTO_TEST_CASE(stale_and_duplicate_inserts_ask_for_no_work) {
  insert(100, "a", 7);
  whole_work(300, "one", "a", 7, 1);
  insert(400, "a", 7, client::PutResult::duplicate);
  insert(410, "a", 7, client::PutResult::stale);
  is_right();
  BOOST_TEST(ledger.counts().unchanged == 2U);
}

BOOST_AUTO_TEST_CASE(a_row_completed_twice_is_double) {
  insert(100, "a", 7);
  whole_work(300, "one", "a", 7, 1);
  whole_work(400, "two", "a", 7, 2);
  BOOST_TEST(lost() == 0U);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_row_in_two_hands_at_once_is_double_even_if_done_once) {
  insert(100, "a", 7);
  lease(300, "one", "a", 7, 1);
  lease(305, "two", "a", 7, 2);
  end(EventKind::worked, 310, "one", 7, 1);
  end(EventKind::refused, 320, "one", 7, 1);
  end(EventKind::worked, 330, "two", 7, 2);
  end(EventKind::done, 340, "two", 7, 2);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_row_and_the_one_behind_it_in_two_hands_at_once_are_double) {
  insert(100, "a", 7);
  lease(300, "one", "a", 7, 1);
  insert(301, "a", 9, client::PutResult::behind);
  whole_work(305, "two", "a", 9, 2);
  end(EventKind::worked, 350, "one", 7, 1);
  end(EventKind::done, 360, "one", 7, 1);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_lease_that_ended_by_time_may_be_followed_by_another) {
  insert(100, "a", 7);
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
  insert(100, "a", 7);
  insert(101, "b", 8);
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
  // The page of the other backend was inserted again while it was leased: the row folded into the newer one.
  insert(340, "b", 11, client::PutResult::behind);
  whole_work(1500, "one", "b", 11, 4);
  is_right();
  BOOST_TEST(ledger.check().folded == 1U);
  BOOST_TEST(ledger.counts().again == 1U);
}

BOOST_AUTO_TEST_CASE(a_done_on_its_way_is_seen) {
  insert(100, "a", 7);
  lease(300, "two", "a", 7, 1);
  end(EventKind::worked, 310, "two", 7, 1);
  BOOST_TEST(ledger.in_hand("two").between);
  end(EventKind::done, 320, "two", 7, 1);
  BOOST_TEST(!ledger.in_hand("two").between);
  BOOST_TEST(ledger.in_hand("nobody").rows.empty());
}

BOOST_AUTO_TEST_CASE(an_epoch_given_twice_or_falling_or_unknown_is_double) {
  insert(100, "a", 7);
  insert(100, "b", 8);
  whole_work(300, "one", "a", 7, 1);
  lease(400, "one", "b", 8, 1);
  BOOST_TEST(doubled() == 1U);

  ClientOracle falling;
  falling.insert(100, "a", 7);
  falling.lease(300, "one", "a", 7, 5);
  falling.ledger.ended("one", 310);
  falling.whole_work(400, "two", "a", 7, 4);
  BOOST_TEST(falling.doubled() == 1U);

  ClientOracle unknown;
  unknown.insert(100, "a", 7);
  unknown.end(EventKind::done, 300, "one", 7, 1);
  BOOST_TEST(unknown.doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(work_on_a_page_that_nobody_inserted_is_double) {
  whole_work(300, "one", "a", 7, 1);
  BOOST_TEST(doubled() == 1U);
}

BOOST_AUTO_TEST_CASE(a_parked_page_is_finished_but_not_done) {
  insert(100, "a", 7);
  lease(300, "one", "a", 7, 1);
  end(EventKind::parked, 310, "one", 7, 1);
  is_right();
  BOOST_TEST(ledger.counts().parked == 1U);
  BOOST_TEST(ledger.keys_done().empty());
}

BOOST_AUTO_TEST_CASE(the_best_second_is_any_second) {
  BOOST_TEST(ledger.best_second() == 0U);
  std::uint64_t row = 7;
  for (std::int64_t const us : {900'000, 1'100'000, 1'500'000, 1'899'999, 3'000'000}) {
    insert(1, "a", row);
    whole_work(us, "one", "a", row, row);
    ++row;
  }
  BOOST_TEST(ledger.best_second() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::main_job
