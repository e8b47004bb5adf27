// The log without files: its LSNs never repeat, however the daemon ended, and it takes no room.
#include <boost/test/unit_test.hpp>

#include <cstring>
#include <vector>

#include "log/catalogue.h"
#include "log/volatile_log.h"
#include "tests/unit/log/kept_catalogue.h"

namespace fastjournal::log {
namespace {

constexpr TableId kTable{1};

}  // namespace

BOOST_AUTO_TEST_SUITE(volatile_log)

BOOST_AUTO_TEST_CASE(a_start_goes_on_behind_everything_that_was_reserved_before) {
  KeptCatalogue book;
  std::uint64_t last = 0;
  for (std::uint32_t start = 1; start <= 20; ++start) {
    Lsn const first{std::max<std::uint64_t>(kLsnAlign, book.catalogue.numbers().below.value)};
    BOOST_TEST(first.value > last);
    VolatileLog log{start, 7, first};
    Catalogue::append_numbers(book, book.catalogue.numbers().object, Lsn{first.value + VolatileLog::kNumbersReserved});
    book.apply();
    log.reserve_numbers(book.catalogue.numbers().below);
    BOOST_REQUIRE(log.reserve(100, false));
    last = log.append(kTable, 1, 1, {}, 100).lsn.value;
    BOOST_TEST(last == first.value);
    BOOST_TEST(log.start() == start);
    BOOST_CHECK(log.durable_lsn() == log.end_lsn());
    BOOST_CHECK(log.base_lsn() <= Lsn{last});
  }
}

BOOST_AUTO_TEST_CASE(without_numbers_nothing_is_taken_and_more_are_asked_for_early) {
  VolatileLog log{1, 7, Lsn{8}};
  BOOST_TEST(!log.reserve(10, true));
  BOOST_TEST(log.needs_numbers());
  log.reserve_numbers(Lsn{8 + VolatileLog::kNumbersReserved});
  BOOST_TEST(!log.needs_numbers());
  log.reserve_numbers(Lsn{8 + VolatileLog::kNumbersReserved / 2 - 8});
  BOOST_TEST(log.needs_numbers());
  BOOST_TEST(log.reserve(10, false));
}

BOOST_AUTO_TEST_CASE(bodies_of_a_step_stay_where_they_are_until_the_next_one) {
  VolatileLog log{1, 7, Lsn{8}};
  log.reserve_numbers(Lsn{8 + VolatileLog::kNumbersReserved});
  for (std::size_t const bytes : {10U, 1000U, 40U << 20U, 10U}) {
    BOOST_REQUIRE(log.reserve(bytes, false));
    auto const one = log.append(kTable, 1, 1, {}, bytes / 2);
    auto const two = log.append(kTable, 1, 1, {}, bytes / 2);
    std::memset(one.body.data(), 1, one.body.size());
    std::memset(two.body.data(), 2, two.body.size());
    BOOST_TEST((one.body.front() == std::byte{1} && one.body.back() == std::byte{1}));
    BOOST_TEST(two.lsn.value == one.lsn.value + kLsnAlign);
  }
  BOOST_TEST(log.usage().disk_bytes == 0U);
}

BOOST_AUTO_TEST_CASE(what_was_reserved_is_an_object_that_is_compacted) {
  KeptCatalogue book;
  Catalogue::append_numbers(book, {}, Lsn{1U << 30U});
  book.apply();
  ObjectId const object = book.catalogue.numbers().object;
  Lsn const stood = book.catalogue.oldest_lsn();
  BOOST_CHECK(stood == book.catalogue.numbers().lsn);
  BOOST_TEST(book.catalogue.compact_one(Lsn{stood.value + 8}, book));
  book.apply();
  BOOST_CHECK(book.catalogue.numbers().object == object);
  BOOST_CHECK(book.catalogue.oldest_lsn() > stood);
  BOOST_CHECK(book.catalogue.numbers().below == Lsn{1U << 30U});
  BOOST_TEST(!book.catalogue.compact_one(Lsn{stood.value + 8}, book));
  // An older record of the numbers, read later, does not take them back.
  Catalogue::append_numbers(book, object, Lsn{8});
  book.apply();
  BOOST_CHECK(book.catalogue.numbers().below == Lsn{1U << 30U});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log
