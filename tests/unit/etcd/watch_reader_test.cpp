// A watch over messages of etcd: whole revisions in order, no gap and no doubles over streams, and its ends.
#include "log/etcd/client/watch_reader.h"

#include <boost/test/unit_test.hpp>

#include "etcd/rpc.pb.h"

namespace {

using namespace fastjournal::etcd;
using Then = WatchReader::Then;
using NewsKind = WatchNews::Kind;
namespace pb = etcdserverpb;

struct Message {
  pb::WatchResponse in;

  explicit Message(std::int64_t revision) { in.mutable_header()->set_revision(revision); }
  Message& created() {
    in.set_created(true);
    return *this;
  }
  Message& canceled(std::string_view why, std::int64_t compacted = 0) {
    in.set_canceled(true);
    in.set_cancel_reason(std::string{why});
    in.set_compact_revision(compacted);
    return *this;
  }
  Message& part() {
    in.set_fragment(true);
    return *this;
  }
  Message& put(std::int64_t revision, std::string_view key, std::size_t bytes = 1) {
    pb::Event& event = *in.add_events();
    event.mutable_kv()->set_key(std::string{key});
    event.mutable_kv()->set_value(std::string(bytes, 'v'));
    event.mutable_kv()->set_mod_revision(revision);
    return *this;
  }
  Message& erase(std::int64_t revision, std::string_view key) {
    put(revision, key, 0);
    in.mutable_events(in.events_size() - 1)->set_type(pb::Event::DELETE);
    return *this;
  }
  [[nodiscard]] std::string bytes() const { return in.SerializeAsString(); }
};

pb::WatchCreateRequest asked(std::string const& bytes) {
  pb::WatchRequest out;
  BOOST_REQUIRE(out.ParseFromString(bytes));
  return out.create_request();
}

struct WatchReaderFixture {
  WatchReader reader{7, {.key = "l/", .end = "l0", .revision = 10}};
  std::string told;  // "10:a 11:-b |" and so on: an event each, a bar behind each piece of news

  WatchReader::Step read(Message const& message) {
    WatchReader::Step step = reader.read(message.bytes());
    for (WatchNews const& news : step.news) {
      BOOST_TEST(news.id == 7U);
      for (WatchNews::Event const& event : news.events)
        told += std::to_string(event.pair.mod_revision) + ":" + (event.is_deleted ? "-" : "") + event.pair.key + " ";
      if (news.kind == NewsKind::progress) told += "up to " + std::to_string(news.revision) + " ";
      if (news.kind == NewsKind::compacted) told += "compacted " + std::to_string(news.revision) + " ";
      if (news.kind == NewsKind::refused) told += "refused " + news.why + " ";
      if (news.kind == NewsKind::events) BOOST_TEST(news.revision == news.events.back().pair.mod_revision);
      told += "|";
    }
    return step;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(etcd_watch_reader, WatchReaderFixture)

BOOST_AUTO_TEST_CASE(a_stream_begins_one_revision_before_the_next) {
  pb::WatchCreateRequest const create = asked(reader.begin());
  BOOST_TEST(create.key() == "l/");
  BOOST_TEST(create.range_end() == "l0");
  BOOST_TEST(create.start_revision() == 9);
  BOOST_TEST(create.fragment());
  BOOST_TEST(create.progress_notify());
  WatchReader first{1, {.key = "k", .revision = 1}};
  BOOST_TEST(asked(first.begin()).start_revision() == 1);
  WatchReader now{1, {.key = "k"}};
  BOOST_TEST(asked(now.begin()).start_revision() == 0);
}

BOOST_AUTO_TEST_CASE(events_are_told_once_and_from_the_wished_revision_on) {
  static_cast<void>(reader.begin());
  read(Message{12}.created());
  read(Message{12}.put(9, "old").put(10, "a").erase(11, "b"));
  read(Message{20}.put(13, "c"));
  BOOST_TEST(told == "10:a 11:-b |13:c |");
  BOOST_TEST(asked(reader.begin()).start_revision() == 13);
  // The next stream begins with what was told.
  read(Message{20}.created());
  read(Message{20}.put(13, "c"));
  read(Message{20}.put(13, "c").put(14, "d"));
  BOOST_TEST(told == "10:a 11:-b |13:c |14:d |");
}

BOOST_AUTO_TEST_CASE(a_revision_in_parts_is_told_whole) {
  read(Message{30}.created());
  read(Message{30}.put(10, "a").put(11, "b1").put(11, "b2").part());
  BOOST_TEST(told == "10:a |");
  read(Message{30}.put(11, "b3").part());
  BOOST_TEST(told == "10:a |");
  read(Message{30}.put(11, "b4").put(12, "c").part());
  BOOST_TEST(told == "10:a |11:b1 11:b2 11:b3 11:b4 |");
  BOOST_TEST(reader.next() == 12);
  read(Message{30}.put(12, "c2").put(13, "d"));
  BOOST_TEST(told == "10:a |11:b1 11:b2 11:b3 11:b4 |12:c 12:c2 13:d |");
}

BOOST_AUTO_TEST_CASE(parts_of_a_lost_stream_are_forgotten) {
  read(Message{30}.created());
  read(Message{30}.put(10, "a").put(11, "b1").part());
  BOOST_TEST(asked(reader.begin()).start_revision() == 10);
  read(Message{30}.created());
  read(Message{30}.put(10, "a").put(11, "b1").put(11, "b2"));
  BOOST_TEST(told == "10:a |11:b1 11:b2 |");
}

BOOST_AUTO_TEST_CASE(from_now_on_is_one_moment_over_all_streams) {
  reader = WatchReader{7, {.key = "k"}};
  static_cast<void>(reader.begin());
  // Lost before it was created: now is later.
  static_cast<void>(reader.begin());
  read(Message{50}.created());
  BOOST_TEST(told == "up to 50 |");
  read(Message{51}.put(50, "before").put(51, "a"));
  BOOST_TEST(told == "up to 50 |51:a |");
  BOOST_TEST(asked(reader.begin()).start_revision() == 51);
}

BOOST_AUTO_TEST_CASE(progress_moves_the_next_revision_and_never_back) {
  read(Message{30}.created());
  read(Message{8});
  BOOST_TEST(told.empty());
  read(Message{40});
  BOOST_TEST(told == "up to 40 |");
  read(Message{40});
  BOOST_TEST(told == "up to 40 |");
  BOOST_TEST(asked(reader.begin()).start_revision() == 40);
}

BOOST_AUTO_TEST_CASE(a_compacted_watch_is_over) {
  read(Message{90}.created());
  WatchReader::Step const step = read(Message{90}.canceled("", 60));
  BOOST_TEST((step.then == Then::is_over));
  BOOST_TEST(told == "compacted 60 |");
  reader = WatchReader{7, {.key = "k", .revision = 5}};
  told.clear();
  BOOST_TEST(
      (read(Message{90}.canceled("etcdserver: mvcc: required revision has been compacted")).then == Then::is_over));
  BOOST_TEST(told == "compacted 90 |");
}

BOOST_AUTO_TEST_CASE(ends_are_told_apart_by_their_reason) {
  std::string const denied = "rpc error: code = PermissionDenied desc = etcdserver: permission denied";
  BOOST_TEST((read(Message{9}.created().canceled(denied)).then == Then::needs_token));
  BOOST_TEST((read(Message{9}.created().canceled("etcdserver: invalid auth token")).then == Then::needs_token));
  BOOST_TEST((read(Message{9}.canceled("etcdserver: no leader")).then == Then::begins_again));
  BOOST_TEST(told.empty());
  BOOST_TEST((read(Message{9}.canceled("mvcc: watcher range is empty")).then == Then::is_over));
  BOOST_TEST(told == "refused mvcc: watcher range is empty |");
}

BOOST_AUTO_TEST_CASE(a_stream_that_makes_no_sense_begins_again) {
  BOOST_TEST((reader.read("\xFF").then == Then::begins_again));
  read(Message{30}.created());
  BOOST_TEST((read(Message{30}.put(12, "b").put(11, "a")).then == Then::begins_again));
  reader = WatchReader{7, {.key = "k"}};
  BOOST_TEST((read(Message{30}.put(12, "b")).then == Then::begins_again));
  BOOST_TEST(told.empty());
}

BOOST_AUTO_TEST_CASE(a_revision_that_is_too_large_ends_the_watch) {
  read(Message{30}.created());
  Message const large = Message{30}.put(10, "a", 10'000'000).part();
  for (int part = 0; part < 6; ++part) BOOST_TEST((read(large).then == Then::goes_on));
  BOOST_TEST((read(large).then == Then::is_over));
  BOOST_TEST(told == "refused revision 10 has more than 67108864 bytes of events |");
}

BOOST_AUTO_TEST_SUITE_END()
