// The open batch alone, without a file: LSNs, groups and memory.
#include <boost/test/unit_test.hpp>

#include <cstring>

#include "log/file/open_batch.h"

namespace fastjournal::log::file::test {
namespace {

constexpr std::uint64_t kOpenBatchBlock = 512;
constexpr std::uint64_t kStore = 0x5EED;
constexpr Lsn kBegin{64U << 10U};

Lsn put(OpenBatch& batch, std::string_view body, TableId table = TableId{7}, std::uint8_t type = 3) {
  std::uint64_t const more = record_bytes(false, body.size());
  batch.reserve(more, round_up(batch.bytes_with(more), kOpenBatchBlock));
  Records::Place const place = batch.append(table, type, 1, {}, body.size());
  std::memcpy(place.body.data(), body.data(), body.size());
  return place.lsn;
}

struct OpenBatchFixture {
  OpenBatchFixture() { batch.begin(kBegin); }

  OpenBatch batch{64U << 10U};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(open_batch, OpenBatchFixture)

BOOST_AUTO_TEST_CASE(an_empty_batch_ends_where_it_begins_but_its_first_record_is_behind_the_header) {
  BOOST_TEST(batch.is_empty());
  BOOST_CHECK(batch.end_of_records() == kBegin);
  BOOST_CHECK(batch.end_lsn() == Lsn{kBegin.value + kBatchHeaderBytes});
  BOOST_CHECK(batch.record_after(kBegin) == batch.end_lsn());
  BOOST_CHECK(put(batch, "row") == Lsn{kBegin.value + kBatchHeaderBytes});
  BOOST_CHECK(batch.end_of_records() == batch.end_lsn());
}

BOOST_AUTO_TEST_CASE(what_is_closed_is_whole_blocks_with_every_record_and_the_end_of_each_group) {
  put(batch, "one");
  put(batch, "two");
  BOOST_TEST(batch.end_group());
  put(batch, std::string(700, 'x'));
  BOOST_TEST(batch.end_group());
  BOOST_TEST(!batch.end_group());
  BatchHeader header;
  header.generation = 3;
  std::span<std::byte const> const bytes = batch.close(header, kStore, kOpenBatchBlock);
  BOOST_TEST(bytes.size() == 2 * kOpenBatchBlock);
  BOOST_CHECK(header.lsn == kBegin);
  auto const found = decode_batch(bytes, kBegin, 3, kOpenBatchBlock);
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(is_intact(*found, kStore, bytes));
  std::vector<bool> last;
  for (std::uint64_t at = kBatchHeaderBytes; at < found->used;) {
    auto const record = decode_record(bytes.subspan(at, found->used - at), Lsn{kBegin.value + at});
    BOOST_REQUIRE(record.has_value());
    last.push_back(record->last_of_group);
    at += record->bytes;
  }
  BOOST_CHECK((last == std::vector<bool>{false, true, true}));
}

BOOST_AUTO_TEST_CASE(records_stay_where_they_are_when_the_memory_grows) {
  put(batch, "first");
  put(batch, std::string(1U << 20U, 'x'));
  BOOST_TEST(batch.end_group());
  BatchHeader header;
  std::span<std::byte const> const bytes = batch.close(header, kStore, kOpenBatchBlock);
  auto const record = decode_record(bytes.subspan(kBatchHeaderBytes), Lsn{kBegin.value + kBatchHeaderBytes});
  BOOST_REQUIRE(record.has_value());
  BOOST_TEST(std::memcmp(record->view.body.data(), "first", 5) == 0);
}

BOOST_AUTO_TEST_CASE(the_next_batch_begins_with_nothing_of_the_one_before) {
  put(batch, "declaration", TableId::catalogue, 1);
  BOOST_TEST(batch.describes());
  BOOST_TEST(batch.end_group());
  BatchHeader header;
  static_cast<void>(batch.close(header, kStore, kOpenBatchBlock));
  batch.begin(header.end());
  BOOST_TEST(batch.is_empty());
  BOOST_TEST(!batch.describes());
  BOOST_CHECK(batch.begin_lsn() == Lsn{kBegin.value + kOpenBatchBlock});
}

BOOST_AUTO_TEST_CASE(a_clock_describes_nothing) {
  put(batch, "12345678", TableId::catalogue, log::kClockRecord);
  BOOST_TEST(!batch.describes());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
