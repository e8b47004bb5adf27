// Datagrams of the change feed: written and read back, damaged in every byte, and filled to the limit.
#include <boost/test/unit_test.hpp>

#include "base/bytes.h"
#include "wire/feed.h"

namespace fastjournal::protocol {
namespace {

RecordView record(std::uint64_t lsn, std::uint64_t object, std::string_view body, TableId table = TableId{3}) {
  return {table, 7, 1, Lsn{lsn}, ObjectId{object}, as_bytes(body)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(feed_datagrams)

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  FeedWriter writer;
  writer.begin({.store_id = 4711, .table = TableId{3}, .previous = Lsn{64}, .name = "pages"});
  BOOST_TEST(writer.is_empty());
  BOOST_TEST(writer.add(record(72, 72, "begins")));
  BOOST_TEST(writer.add(record(96, 72, "goes on")));
  BOOST_TEST(writer.add(record(120, 8, "", TableId::catalogue)));
  FeedDatagram read;
  BOOST_REQUIRE(read_feed(writer.finish(), read));
  BOOST_TEST(read.head.store_id == 4711U);
  BOOST_TEST((read.head.table == TableId{3}));
  BOOST_TEST(read.head.previous.value == 64U);
  BOOST_TEST(read.head.name == "pages");
  BOOST_REQUIRE(read.records.size() == 3U);
  BOOST_TEST(read.records[0].view.object.value == 72U);
  BOOST_TEST(as_text(read.records[0].view.body) == "begins");
  BOOST_TEST(read.records[1].view.lsn.value == 96U);
  BOOST_TEST(read.records[1].view.object.value == 72U);
  BOOST_TEST((read.records[1].view.table == TableId{3}));
  BOOST_TEST((read.records[2].view.table == TableId::catalogue));
  BOOST_TEST(read.records[2].view.type == 7);
}

BOOST_AUTO_TEST_CASE(no_changed_byte_and_no_cut_passes) {
  FeedWriter writer;
  writer.begin({.store_id = 1, .table = TableId{1}, .previous = Lsn{8}, .name = "t"});
  BOOST_TEST(writer.add(record(16, 16, "body")));
  std::string const good{writer.finish()};
  FeedDatagram read;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    BOOST_TEST(!read_feed(bad, read));
    BOOST_TEST(!read_feed(good.substr(0, at), read));
  }
  BOOST_TEST(!read_feed(good + "x", read));
  BOOST_TEST(read_feed(good, read));
}

BOOST_AUTO_TEST_CASE(a_full_datagram_takes_no_more_and_a_large_record_is_announced) {
  FeedWriter writer;
  std::string const body(500, 'x');
  writer.begin({.store_id = 1, .table = TableId{1}, .previous = Lsn{}, .name = "t"});
  BOOST_TEST(writer.add(record(16, 16, body)));
  BOOST_TEST(writer.add(record(640, 16, body)));
  BOOST_TEST(!writer.add(record(1280, 16, body)));
  BOOST_TEST(writer.finish().size() <= kFeedDatagramBytesMax);
  std::string const large(2000, 'x');
  writer.begin({.store_id = 1, .table = TableId{1}, .previous = Lsn{640}, .name = "t"});
  BOOST_TEST(writer.add(record(1280, 16, large)));
  FeedDatagram read;
  BOOST_REQUIRE(read_feed(writer.finish(), read));
  BOOST_TEST(read.records.at(0).announced);
  BOOST_TEST(read.records.at(0).view.body.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
