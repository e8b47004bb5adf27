// The limits of connections: too many in all, too many of one peer, the places reserved
// for administrators, and the time limits of silent connections.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "tests/world/world.h"

namespace fastjournal::sim::admission_test {
namespace {

struct Served {
  void start() {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    BOOST_REQUIRE(world.start().ok());
  }
  ConnectionId come(std::string_view peer = "sim:somebody", std::string_view origin = "ip:192.0.2.1") {
    ConnectionId const id = world.network().connect(peer, origin);
    world.settle();
    return id;
  }
  SimNetwork::Connection& at(ConnectionId id) { return world.network().at(id); }
  [[nodiscard]] bool is_closed(ConnectionId id) { return at(id).closed_by_server; }
  [[nodiscard]] std::string heard(ConnectionId id) { return at(id).to_client; }
  std::string ask(ConnectionId id, std::string const& line) {
    at(id).to_client.clear();
    at(id).to_server += line + "\n";
    world.settle();
    return at(id).to_client;
  }
  World world{7};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(admission)

BOOST_FIXTURE_TEST_CASE(idle_connections_leave_places_for_the_administrator, Served) {
  world.limits.connections = {.most = 20, .reserved = 2, .per_peer = 20};
  start();
  std::vector<ConnectionId> crowd;
  for (int i = 0; i < 20; ++i) crowd.push_back(come());
  BOOST_TEST(heard(crowd.back()).empty());
  ConnectionId const late = come();
  BOOST_TEST(is_closed(late));
  BOOST_TEST(heard(late).starts_with("ERROR code=over_limit;command=CONNECT;message=\"more than 20 connections"));
  ConnectionId const first = come("unix:admin");
  ConnectionId const second = come("unix:admin");
  BOOST_TEST(ask(first, "ALIVE").starts_with("ABSOLUTELY "));
  BOOST_TEST(ask(second, "ALIVE").starts_with("ABSOLUTELY "));
  ConnectionId const third = come("unix:admin");
  BOOST_TEST(is_closed(third));
  BOOST_TEST(heard(third).find("those kept for administrators (reserved-connections) are taken too") !=
             std::string::npos);
  // No other client gets one of these places, even when one is free again.
  world.network().drop(first);
  BOOST_TEST(is_closed(come()));
  BOOST_TEST(!is_closed(come("unix:admin")));
  // A place that becomes free is open to anybody.
  world.network().drop(crowd[3]);
  BOOST_TEST(!is_closed(come()));
  BOOST_TEST(is_closed(come()));
  BOOST_TEST(ask(second, "STATS").find(";connections_refused=4;") != std::string::npos, heard(second));
}

BOOST_FIXTURE_TEST_CASE(one_peer_cannot_take_all_places, Served) {
  world.limits.connections = {.most = 20, .reserved = 2, .per_peer = 5};
  start();
  std::vector<ConnectionId> crowd;
  for (int i = 0; i < 5; ++i) crowd.push_back(come());
  ConnectionId const late = come();
  BOOST_TEST(is_closed(late));
  BOOST_TEST(heard(late).find("more than 5 connections of ip:192.0.2.1; close some, or raise") != std::string::npos,
             heard(late));
  BOOST_TEST(!is_closed(come("sim:other", "ip:192.0.2.2")));
  world.network().drop(crowd[0]);
  BOOST_TEST(!is_closed(come()));
  // Administrators have the same limit per peer, and the reserved places on top.
  for (int i = 0; i < 7; ++i) BOOST_TEST(!is_closed(come("unix:admin")));
  BOOST_TEST(is_closed(come("unix:admin")));
}

BOOST_FIXTURE_TEST_CASE(whoever_says_no_first_message_is_shown_out, Served) {
  start();
  ConnectionId const silent = come();
  ConnectionId const slow = come();   // sends one byte at a time
  ConnectionId const begun = come();  // sent the beginning of a frame
  ConnectionId const blank = come();  // sends empty lines
  ConnectionId const admin = come("unix:admin");
  ConnectionId const good = come();
  ConnectionId const listener = come();
  at(begun).to_server = std::string{"FJM\x01\x00\x10\x00\x00xyz", 11};
  BOOST_TEST(ask(good, "ALIVE").starts_with("ABSOLUTELY "));
  BOOST_TEST(ask(listener, "LISTEN table=jobs").starts_with("LISTENING "));
  for (int second = 0; second < 29; ++second) {
    at(slow).to_server += "A";
    at(blank).to_server += "\n";
    world.advance(DurationMs{1000});
  }
  for (ConnectionId const id : {silent, slow, begun, blank, admin}) BOOST_TEST(!is_closed(id));
  world.advance(DurationMs{2000});
  for (ConnectionId const id : {silent, slow, begun, blank, admin}) {
    BOOST_TEST(is_closed(id));
    BOOST_TEST(
        heard(id) ==
        "ERROR code=over_limit;command=CONNECT;limit=first-message;message=no whole message came within 30 s (<limits "
        "first-message=\"...\">): closed;\n");
  }
  world.advance(DurationMs{86'400'000});
  BOOST_TEST(!is_closed(good));
  BOOST_TEST(!is_closed(listener));
  BOOST_TEST(ask(good, "STATS").find(";connections_silent=5;") != std::string::npos, heard(good));
}

BOOST_FIXTURE_TEST_CASE(whoever_sends_no_request_is_told_so_by_the_status_of_http, Served) {
  world.own_listeners = {{.address = "127.0.0.1:4080", .protocol = access::kHttp}};
  start();
  std::uint32_t const number = world.network().listener_at("127.0.0.1:4080");
  ConnectionId const silent = world.network().connect("sim:web", "ip:192.0.2.1", number);
  ConnectionId const begun = world.network().connect("sim:web", "ip:192.0.2.1", number);
  at(begun).to_server = "GET /health/live HTTP/1.1\r\n";
  ConnectionId const good = come();
  BOOST_TEST(ask(good, "STATS").find(";connections_http=2;connections_messages=1;") != std::string::npos, heard(good));
  world.advance(DurationMs{31'000});
  for (ConnectionId const id : {silent, begun}) {
    BOOST_TEST(is_closed(id));
    std::string const last = heard(id);
    BOOST_TEST(last.starts_with("HTTP/1.1 408 "), last);
    BOOST_TEST(last.find("Connection: close\r\n") != std::string::npos, last);
    BOOST_TEST(last.find("\"code\":\"timed_out\"") != std::string::npos, last);
  }
  BOOST_TEST(ask(good, "STATS").find(";connections_http=0;connections_messages=1;") != std::string::npos, heard(good));
}

BOOST_FIXTURE_TEST_CASE(without_a_limit_nobody_is_shown_out, Served) {
  world.limits.connections.first_message_us = 0;
  start();
  ConnectionId const silent = come();
  world.advance(DurationMs{86'400'000});
  BOOST_TEST(!is_closed(silent));
}

BOOST_FIXTURE_TEST_CASE(idle_connections_are_shown_out_where_that_is_asked_for, Served) {
  world.limits.connections.idle_us = 60'000'000;
  start();
  ConnectionId const idle = come();
  ConnectionId const busy = come();
  ConnectionId const waits = come();
  ConnectionId const listens = come();
  ConnectionId const half = come();  // it listens, and sent a message without an end
  ConnectionId const taking = come();
  ConnectionId const copies = come("unix:admin");
  BOOST_TEST(ask(copies, "BACKUP").starts_with("BACKUP "));
  BOOST_TEST(ask(idle, "ALIVE").starts_with("ABSOLUTELY "));
  BOOST_TEST(ask(listens, "LISTEN table=jobs").starts_with("LISTENING "));
  BOOST_TEST(ask(half, "LISTEN table=jobs").starts_with("LISTENING "));
  BOOST_TEST(ask(waits, "NEXT table=jobs;wait=600000;request=1").empty());
  // The client takes its answer byte by byte.
  at(taking).room = 1;
  at(taking).to_server += "ALIVE\n";
  for (int i = 0; i < 12; ++i) {
    BOOST_TEST(ask(busy, "ALIVE").starts_with("ABSOLUTELY "));
    at(half).to_server += "X";
    at(taking).room += 1;
    world.server().on_writable(taking);
    world.advance(DurationMs{10'000});
    BOOST_TEST(is_closed(idle) == (i >= 5), "after " << 10 * (i + 1) << " s");
  }
  BOOST_TEST(heard(idle).find("nothing was said for 60 s (<limits idle=") != std::string::npos, heard(idle));
  BOOST_TEST(is_closed(half));
  for (ConnectionId const id : {busy, waits, listens, taking, copies}) BOOST_TEST(!is_closed(id));
  // Once its NEXT is answered, it is as idle as others.
  world.advance(DurationMs{480'000 + 61'000});
  BOOST_TEST(heard(waits).starts_with("NOTHING "), heard(waits));
  BOOST_TEST(is_closed(waits));
  BOOST_TEST(!is_closed(listens));
}

// Closing a thousand silent connections takes few turns, and a quiet daemon is not woken.
BOOST_FIXTURE_TEST_CASE(watching_costs_a_turn_a_second_at_most, Served) {
  start();
  world.advance(DurationMs{10'000});
  std::int64_t const idle_wake = world.network().next_wake();
  std::vector<ConnectionId> crowd;
  for (int i = 0; i < 1000; ++i) {
    crowd.push_back(come());
    world.clock().advance(700);
  }
  world.advance(DurationMs{28'000});
  int turns = 0;
  while (world.network().next_wake() < world.clock().monotonic_us() + 10'000'000) {
    ++turns;
    world.clock().advance(std::max<std::int64_t>(0, world.network().next_wake() - world.clock().monotonic_us()));
    world.settle();
  }
  for (ConnectionId const id : crowd) BOOST_REQUIRE(is_closed(id));
  BOOST_TEST(turns <= 2);
  BOOST_TEST((world.network().next_wake() == INT64_MAX) == (idle_wake == INT64_MAX));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::admission_test
