// A table's latest records as its followers get them: each names the one before it, the newest are kept within the
// memory that the table allows, and the feed knows from which LSN on it has all of them.
#include "engine/feed/feed.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using namespace fastjournal::feed;

constexpr std::uint64_t kMuch = 1U << 20U;

void note(Feed& feed, std::uint64_t lsn, std::size_t bytes = 8) {
  std::vector<std::byte> const body(bytes, std::byte{static_cast<unsigned char>(lsn)});
  feed.note({TableId{7}, 1, 1, Lsn{lsn}, ObjectId{lsn}, body});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(feed_of_a_table)

BOOST_AUTO_TEST_CASE(each_record_names_the_one_before_it) {
  Feed feed{kMuch};
  for (std::uint64_t const lsn : {100U, 200U, 250U}) note(feed, lsn);
  BOOST_REQUIRE(feed.entries().size() == 3U);
  BOOST_TEST(feed.entries()[0].previous.is_none());
  BOOST_TEST((feed.entries()[1].previous == Lsn{100}));
  BOOST_TEST((feed.entries()[2].previous == Lsn{200}));
  BOOST_TEST((feed.entries()[2].view().body.size() == 8U && feed.entries()[2].view().table == TableId{7}));
}

BOOST_AUTO_TEST_CASE(a_record_is_found_at_or_above_an_lsn) {
  Feed feed{kMuch};
  for (std::uint64_t const lsn : {100U, 200U}) note(feed, lsn);
  BOOST_TEST((feed.find(Lsn{1})->lsn == Lsn{100}));
  BOOST_TEST((feed.find(Lsn{100})->lsn == Lsn{100}));
  BOOST_TEST((feed.find(Lsn{101})->lsn == Lsn{200}));
  BOOST_TEST((feed.find(Lsn{201}) == feed.entries().end()));
}

BOOST_AUTO_TEST_CASE(records_are_sent_once_and_in_order) {
  Feed feed{kMuch};
  BOOST_TEST(!feed.has_unsent());
  for (std::uint64_t const lsn : {100U, 200U}) note(feed, lsn);
  BOOST_TEST((feed.unsent()->lsn == Lsn{100}));
  feed.sent_one();
  BOOST_TEST((feed.sent_to() == Lsn{100} && feed.unsent()->lsn == Lsn{200}));
  feed.sent_one();
  BOOST_TEST(!feed.has_unsent());
  note(feed, 300);
  BOOST_TEST((feed.has_unsent() && feed.unsent()->lsn == Lsn{300}));
}

BOOST_AUTO_TEST_CASE(what_is_old_is_not_sent_and_what_was_below_it_is_not_kept) {
  Feed feed{kMuch};
  note(feed, 100);
  feed.begin(Lsn{90});
  BOOST_TEST(!feed.has_unsent());
  BOOST_TEST((feed.sent_to() == Lsn{100}));
  BOOST_TEST((feed.kept_from() == Lsn{90}));
  BOOST_TEST(feed.entries().size() == 1U);
  // The limit never moves back.
  feed.begin(Lsn{50});
  BOOST_TEST((feed.kept_from() == Lsn{90}));
}

BOOST_AUTO_TEST_CASE(the_oldest_go_when_memory_is_used_up_and_the_last_one_stays) {
  std::size_t const body = 1000;
  Feed feed{3 * (sizeof(Feed::Entry) + body)};
  for (std::uint64_t lsn = 100; lsn <= 300; lsn += 100) note(feed, lsn, body);
  BOOST_TEST(feed.entries().size() == 3U);
  BOOST_TEST(feed.kept_from().is_none());
  feed.sent_one();
  note(feed, 400, body);
  BOOST_TEST((feed.entries().front().lsn == Lsn{200}));
  BOOST_TEST((feed.kept_from() == Lsn{101}));
  BOOST_TEST(feed.forgotten() == 0U);
  BOOST_TEST((feed.unsent()->lsn == Lsn{200}));
  // Two records that were dropped before they were sent: followers learn from `previous` that they missed them.
  note(feed, 500, 2 * body);
  BOOST_TEST(feed.forgotten() == 2U);
  BOOST_TEST((feed.sent_to() == Lsn{300} && feed.unsent()->lsn == Lsn{400}));
  BOOST_TEST((feed.unsent()->previous == Lsn{300}));
  feed.keep(1);
  BOOST_TEST(feed.entries().size() == 1U);
  BOOST_TEST((feed.unsent()->lsn == Lsn{500} && feed.kept_from() == Lsn{401}));
}

BOOST_AUTO_TEST_SUITE_END()
