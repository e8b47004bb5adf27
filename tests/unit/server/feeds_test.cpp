// A table's durable records are sent as datagrams, once for any number of followers. Tested with an engine on a log in
// memory and a network that can refuse datagrams. Followers and how they repair losses: tests/world/feed_test.cpp.
#include "server/answers/feeds.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/nobody.h"
#include "tests/unit/engine/memory_log.h"
#include "tests/unit/engine/tally.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::engine;
using namespace fastjournal::engine::test;
using server::Feeds;

// A network that opens sockets, except at the address "bad", and accepts datagrams while the test lets it.
struct Datagrams final : env::Network {
  Result<ConnectionId> connect(env::Address const&, env::ConnectOptions const&) override {
    return Status{Code::not_supported, "no connections"};
  }
  Result<env::Address> listen(env::Address const&, env::ListenOptions const&) override {
    return Status{Code::not_supported, "no connections"};
  }
  void stop_listening(std::uint32_t) override {}
  std::size_t send(ConnectionId, std::string_view) override { return 0; }
  Result<std::size_t> send_file(ConnectionId, env::File&, std::uint64_t, std::uint64_t) override {
    return std::size_t{0};
  }
  Result<std::size_t> send_with_descriptor(ConnectionId, std::string_view, env::File&) override {
    return std::size_t{0};
  }
  void end_output(ConnectionId) override {}
  void pause_reading(ConnectionId, bool) override {}
  void close(ConnectionId) override {}
  Result<ConnectionId> open_datagrams_to(env::DatagramAddress const& address) override {
    if (address.address.text == "bad") return Status{Code::io_error, "no such network"};
    open.insert(++last);
    return ConnectionId{last};
  }
  Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const&) override {
    return Status{Code::not_supported, "nothing is read"};
  }
  bool send_datagram(ConnectionId id, std::string_view bytes) override {
    BOOST_REQUIRE(open.contains(static_cast<std::uint64_t>(id)));
    if (takes) sent.emplace_back(bytes);
    return takes;
  }
  Result<env::DatagramSocket> receive_local_datagrams(env::Address const&, env::ListenOptions const&) override {
    return Status{Code::not_supported, "nothing is read"};
  }
  bool send_local_datagram(ConnectionId, std::string_view, std::string_view) override { return false; }
  void close_datagrams(ConnectionId id) override { open.erase(static_cast<std::uint64_t>(id)); }
  void wake_at(std::int64_t) override {}
  void turn_again() override {}

  std::set<std::uint64_t> open;
  std::uint64_t last{0};
  bool takes{true};
  std::vector<std::string> sent;
};

Declaration followed(std::string name, std::string address = "239.0.0.1:1") {
  auto table = tally_table(std::move(name));
  table->feed.emplace();
  table->feed->address = std::move(address);
  return table;
}

struct FeedsFixture {
  FeedsFixture() {
    types.emplace("tally", std::make_unique<TableType>(tally_plugin(), tally_type()));
    engine = std::make_unique<Engine>(types, nobody);
    engine->declare({followed("counts")});
    BOOST_REQUIRE(engine->recovery().attach(engine->add_log("shared"), log).ok());
    BOOST_REQUIRE(engine->finish_recovery(now).ok());
    feeds = std::make_unique<Feeds>(network, *engine);
    auto outlets = feeds->open({followed("counts")});
    BOOST_REQUIRE(outlets.ok());
    feeds->use(std::move(outlets.value()), now_us);
    turn();
    network.sent.clear();
  }
  void put(std::string_view name) {
    HostedTable* const table = engine->find_table("counts");
    Message message{"PUT"};
    message.set("name", name);
    Answer answer;
    Command const asked{TallyTable::kPut, &message, ConnectionId{1}, "w"};
    engine::Outcome const outcome = engine->serving().execute(*table, asked, now, answer);
    BOOST_REQUIRE((outcome.ok() && !outcome.is_later));
  }
  void turn() {
    static_cast<void>(engine->end_of_turn(now));
    BOOST_REQUIRE(log.commit().ok());
    static_cast<void>(engine->committed(now));
    feeds->send(now_us);
  }
  protocol::FeedDatagram read(std::size_t number) const {
    protocol::FeedDatagram out;
    BOOST_REQUIRE(number < network.sent.size());
    BOOST_REQUIRE(protocol::read_feed(network.sent[number], out));
    return out;
  }
  TableTypes types;
  fastjournal::test::Nobody nobody;
  MemoryLog log;
  std::unique_ptr<Engine> engine;
  Datagrams network;
  std::unique_ptr<Feeds> feeds;
  TimeMs now{1'000'000};
  std::int64_t now_us{5'000'000};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(change_feeds)

BOOST_FIXTURE_TEST_CASE(records_leave_once_they_are_durable, FeedsFixture) {
  put("a");
  put("b");
  feeds->send(now_us);
  BOOST_TEST(network.sent.empty());
  turn();
  BOOST_REQUIRE(network.sent.size() == 1U);
  protocol::FeedDatagram const datagram = read(0);
  BOOST_TEST(datagram.records.size() == 2U);
  BOOST_TEST(datagram.head.name == "counts");
  BOOST_TEST(datagram.head.store_id == log.store_id());
  BOOST_TEST(feeds->counters().records >= 2U);
  turn();
  BOOST_TEST(network.sent.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(each_datagram_names_the_record_before_it, FeedsFixture) {
  put("a");
  turn();
  put("b");
  turn();
  BOOST_REQUIRE(network.sent.size() == 2U);
  Lsn const first = read(0).records.back().view.lsn;
  BOOST_TEST((read(1).head.previous == first));
}

BOOST_FIXTURE_TEST_CASE(more_than_a_datagram_holds_goes_into_several, FeedsFixture) {
  for (int i = 0; i < 100; ++i) put("row " + std::to_string(i));
  turn();
  std::size_t records = 0;
  for (std::size_t i = 0; i < network.sent.size(); ++i) {
    BOOST_TEST(network.sent[i].size() <= protocol::kFeedDatagramBytesMax);
    records += read(i).records.size();
  }
  BOOST_TEST(network.sent.size() > 1U);
  BOOST_TEST(records == 100U);
}

BOOST_FIXTURE_TEST_CASE(what_the_kernel_does_not_take_is_counted_and_holds_nothing_up, FeedsFixture) {
  network.takes = false;
  put("a");
  turn();
  BOOST_TEST(feeds->counters().dropped == 1U);
  BOOST_TEST(!engine->find_table("counts")->feed->has_unsent());
  network.takes = true;
  put("b");
  turn();
  BOOST_REQUIRE(network.sent.size() == 1U);
  BOOST_TEST(read(0).records.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(what_was_only_written_asks_for_a_sync_after_a_while, FeedsFixture) {
  put("a");
  static_cast<void>(engine->end_of_turn(now));
  feeds->send(now_us);  // in the log, but not durable
  std::int64_t const at = feeds->next_us();
  BOOST_TEST(at > now_us);
  BOOST_TEST(at <= now_us + 10'000);
  BOOST_TEST(!feeds->wants_sync(at - 1));
  BOOST_TEST(feeds->wants_sync(at));
  BOOST_TEST(!feeds->wants_sync(at));
  turn();
  BOOST_TEST(network.sent.size() == 1U);
  BOOST_TEST(!feeds->wants_sync(now_us + 1'000'000));
}

BOOST_FIXTURE_TEST_CASE(a_quiet_feed_says_where_it_stands, FeedsFixture) {
  put("a");
  turn();
  Lsn const last = read(0).records.back().view.lsn;
  network.sent.clear();
  std::uint64_t const before = feeds->counters().heartbeats;
  for (std::int64_t const end = now_us + 3'000'000; feeds->next_us() <= end;) {
    BOOST_REQUIRE(feeds->next_us() > now_us);
    now_us = feeds->next_us();
    feeds->send(now_us);
  }
  BOOST_REQUIRE(network.sent.size() == 3U);
  BOOST_TEST(feeds->counters().heartbeats == before + 3);
  BOOST_TEST(read(0).records.empty());
  BOOST_TEST((read(0).head.previous == last));
}

BOOST_FIXTURE_TEST_CASE(a_feed_that_spoke_says_nothing_more_until_it_was_quiet_for_long_enough, FeedsFixture) {
  std::int64_t const from = now_us;
  now_us = from + 500'000;
  put("a");
  turn();
  network.sent.clear();
  for (std::int64_t const at : {999'999, 1'000'000, 1'499'999}) feeds->send(now_us = from + at);
  BOOST_TEST(network.sent.empty());
  feeds->send(now_us = from + 1'500'000);
  BOOST_TEST(network.sent.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_reload_keeps_the_socket_of_an_address_that_stays, FeedsFixture) {
  BOOST_TEST(network.open == std::set<std::uint64_t>{1});
  auto same = feeds->open({followed("counts"), followed("more", "239.0.0.2:2")});
  BOOST_REQUIRE(same.ok());
  feeds->use(std::move(same.value()), now_us);
  BOOST_TEST(network.open == (std::set<std::uint64_t>{1, 2}));
  auto moved = feeds->open({followed("counts", "239.0.0.9:9")});
  BOOST_REQUIRE(moved.ok());
  BOOST_TEST(network.open == (std::set<std::uint64_t>{1, 2, 3}));
  feeds->use(std::move(moved.value()), now_us);
  BOOST_TEST(network.open == std::set<std::uint64_t>{3});
}

BOOST_FIXTURE_TEST_CASE(a_feed_that_cannot_be_opened_changes_nothing_and_is_named, FeedsFixture) {
  auto const failed = feeds->open({followed("counts"), followed("fine", "239.0.0.2:2"), followed("lost", "bad")});
  BOOST_REQUIRE(!failed.ok());
  BOOST_TEST(failed.status().message().find("lost.xml") != std::string::npos, failed.status().message());
  BOOST_TEST(failed.status().message().find("no such network") != std::string::npos, failed.status().message());
  BOOST_TEST(network.open == std::set<std::uint64_t>{1});
  put("a");
  turn();
  BOOST_TEST(network.sent.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
