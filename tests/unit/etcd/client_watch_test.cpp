// Watches of the client over connections that are lost, and users with their tokens.
#include <boost/test/unit_test.hpp>

#include "tests/unit/etcd/client_harness.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::etcd;
using test::ClientHarness;
using NewsKind = WatchNews::Kind;

constexpr std::int64_t kClientWatchMs = ClientHarness::kMs;
constexpr std::string_view kWatch = "/etcdserverpb.Watch/Watch";

struct ClientWatchFixture : ClientHarness {};
struct WithUser : ClientHarness {
  WithUser() : ClientHarness({.user = "journal", .password = "secret"}) {
    etcd.user = "journal";
    etcd.password = "secret";
    etcd.token = "token.1";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(etcd_client_watch, ClientWatchFixture)

BOOST_AUTO_TEST_CASE(a_watch_tells_the_past_from_its_revision_on_and_then_what_happens) {
  etcd.put({"a"});
  etcd.put({"b", "c"});
  etcd.put({"other"});
  WatchId const watch = client.watch({.key = "a", .end = "d", .revision = 3});
  settle();
  BOOST_TEST(told(watch) == "3:b 3:c");
  etcd.put({"b"});
  settle();
  BOOST_TEST(told(watch) == "3:b 3:c 5:b");
}

BOOST_AUTO_TEST_CASE(a_watch_goes_on_over_a_lost_connection_without_gap_or_double) {
  WatchId const watch = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  pass(1'000 * kClientWatchMs);
  etcd.put({"a"});
  settle();
  etcd.put({"b"});
  serve();  // it is on its way, and lost
  lose(made());
  etcd.put({"c"});
  settle();
  BOOST_TEST(client.endpoint() == "10.0.0.2:2379");
  BOOST_TEST(told(watch) == "2:a 3:b 4:c");
}

BOOST_AUTO_TEST_CASE(revisions_in_parts_are_told_whole_over_a_lost_connection) {
  WatchId const watch = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  pass(1'000 * kClientWatchMs);
  etcd.part_events = 2;
  etcd.put({"a"});
  etcd.put({"b", "c", "d", "e"});
  etcd.serve(server());
  // Two of three parts: 2:a and 3:b, 3:c and 3:d.
  std::string const bytes = server().output();
  std::size_t const last =
      bytes.rfind(std::string{"\x12\x01"
                              "e"});
  BOOST_REQUIRE(last != std::string::npos || bytes.size() > 20);
  BOOST_TEST(client.received(made(), std::string_view{bytes}.substr(0, bytes.size() - 10)));
  turn();
  BOOST_TEST(told(watch) == "2:a");
  lose(made());
  settle();
  BOOST_TEST(told(watch) == "2:a 3:b 3:c 3:d 3:e");
  for (WatchNews const& one : news)
    if (one.kind == NewsKind::events) BOOST_TEST((one.events.size() == 1U || one.events.size() == 4U));
}

BOOST_AUTO_TEST_CASE(what_was_compacted_meanwhile_is_told_as_that) {
  WatchId const watch = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  etcd.put({"a"});
  settle();
  lose(made());
  etcd.put({"b"});
  etcd.put({"c"});
  // Up to what was told: nothing is missing.
  etcd.compacted = 2;
  pass(1'000 * kClientWatchMs);
  BOOST_TEST(told(watch) == "2:a 3:b 4:c");
  lose(made());
  etcd.put({"d"});
  etcd.put({"e"});
  // Up to the next: a deletion there may be gone, and etcd would not say so.
  etcd.compacted = 5;
  pass(1'000 * kClientWatchMs);
  BOOST_TEST(told(watch) == "2:a 3:b 4:c");
  BOOST_REQUIRE(!news.empty());
  BOOST_TEST((news.back().kind == NewsKind::compacted));
  BOOST_TEST(news.back().revision == 5);
  // It is over.
  etcd.put({"f"});
  pass(5'000 * kClientWatchMs);
  BOOST_TEST(told(watch) == "2:a 3:b 4:c");
}

BOOST_AUTO_TEST_CASE(a_watch_that_is_ended_begins_again_after_a_wait) {
  WatchId const watch = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  std::int32_t stream = 0;
  for (auto const& [id, call] : server().calls())
    if (call.path == kWatch) stream = id;
  server().finish(stream, 14, "etcdserver: server stopped");
  hear();
  settle();
  etcd.put({"a"});
  settle();
  BOOST_TEST(told(watch) == "2:a");
  BOOST_TEST(client.counters().connected == 1U);
}

BOOST_AUTO_TEST_CASE(a_watch_that_is_ended_again_and_again_waits_longer) {
  etcd.held = {std::string{kWatch}};
  client.watch({.key = "a"});
  settle();
  int begun = 0;
  for (std::int64_t const end = now + 10'000 * kClientWatchMs; now < end; now += 50 * kClientWatchMs) {
    settle();
    while (std::int32_t const stream = server().find(kWatch)) {
      server().finish(stream, 2, "?");
      ++begun;
    }
  }
  BOOST_TEST(begun >= 10);
  BOOST_TEST(begun <= 15);
}

BOOST_AUTO_TEST_CASE(a_member_that_loses_its_leader_ends_watches_and_is_left) {
  WatchId const watch = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  for (auto const& [id, call] : server().calls())
    if (call.path == kWatch) server().finish(id, 14, "etcdserver: no leader");
  hear();
  turn();
  BOOST_TEST((made() == ConnectionId::none));
  etcd.put({"a"});
  pass(100 * kClientWatchMs);
  BOOST_TEST(client.endpoint() == "10.0.0.2:2379");
  BOOST_TEST(told(watch) == "2:a");
}

BOOST_AUTO_TEST_CASE(a_watch_that_is_refused_is_over_with_a_reason) {
  client.watch({.key = "a"});
  settle();
  etcd.cancel_watches(server(), "mvcc: watcher range is empty");
  settle();
  BOOST_REQUIRE(!news.empty());
  BOOST_TEST((news.back().kind == NewsKind::refused));
  BOOST_TEST(news.back().why == "mvcc: watcher range is empty");
}

BOOST_AUTO_TEST_CASE(nothing_more_is_told_of_a_watch_that_is_given_up) {
  WatchId const one = client.watch({.key = "a", .end = "z", .revision = 2});
  WatchId const other = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  etcd.put({"a"});
  serve();
  hear();
  client.unwatch(one);
  client.unwatch(one);
  etcd.put({"b"});
  settle();
  BOOST_TEST(told(one).empty());
  BOOST_TEST(told(other) == "2:a 3:b");
  std::size_t reset = 0;
  for (auto const& [id, call] : server().calls()) reset += call.is_reset ? 1U : 0U;
  BOOST_TEST(reset == 1U);
  lose(made());
  pass(1'000 * kClientWatchMs);
  BOOST_TEST(told(one).empty());
}

BOOST_AUTO_TEST_CASE(watches_have_a_limit) {
  ClientHarness narrow{{.watches_max = 1}};
  narrow.client.watch({.key = "a"});
  WatchId const more = narrow.client.watch({.key = "b"});
  narrow.turn();
  BOOST_REQUIRE(narrow.news.size() == 1U);
  BOOST_TEST(narrow.news[0].id == more);
  BOOST_TEST((narrow.news[0].kind == NewsKind::refused));
}

BOOST_AUTO_TEST_SUITE_END()

// ---------------------------------------------------------------------------

BOOST_FIXTURE_TEST_SUITE(etcd_client_user, WithUser)

BOOST_AUTO_TEST_CASE(requests_and_watches_show_the_token) {
  RequestId const id = put("a");
  WatchId const watch = client.watch({.key = "a", .revision = 2});
  settle();
  BOOST_TEST(is(id, Outcome::done));
  BOOST_TEST(told(watch) == "2:a");
  BOOST_TEST(etcd.headers.at("/etcdserverpb.KV/Put").at("token") == "token.1");
  BOOST_TEST(etcd.authentications == 1);
  // It is kept over connections.
  lose(made());
  pass(1'000 * kClientWatchMs);
  RequestId const next = put("b");
  settle();
  BOOST_TEST(is(next, Outcome::done));
  BOOST_TEST(etcd.authentications == 1);
}

BOOST_AUTO_TEST_CASE(a_token_that_is_over_is_renewed_and_requests_are_sent_again) {
  WatchId const watch = client.watch({.key = "a", .end = "z", .revision = 2});
  settle();
  etcd.token = "token.2";
  std::vector<RequestId> const ids{put("a"), put("b"), put("c")};
  settle();
  for (RequestId const id : ids) BOOST_TEST(is(id, Outcome::done));
  for (char const* const key : {"a", "b", "c"}) BOOST_TEST(etcd.puts.at(key) == 1);
  BOOST_TEST(etcd.authentications == 2);
  BOOST_TEST(client.counters().connected == 1U);
  // A watch that begins with an old token is denied, and gets another.
  etcd.token = "token.3";
  lose(made());
  pass(1'000 * kClientWatchMs);
  etcd.put({"d"});
  pass(1'000 * kClientWatchMs);
  BOOST_TEST(told(watch).ends_with(":d"));
  BOOST_TEST(etcd.authentications == 3);
}

BOOST_AUTO_TEST_CASE(a_token_that_is_never_good_ends_in_a_refusal) {
  settle();
  etcd.held = {"/etcdserverpb.KV/Put"};
  RequestId const id = put("a", 60'000 * kClientWatchMs);
  client.watch({.key = "a"});
  settle();
  news.clear();
  etcd.cancel_watches(server(), "etcdserver: permission denied");
  settle();
  etcd.cancel_watches(server(), "etcdserver: permission denied");
  settle();
  for (int i = 0; i < 3; ++i) {
    std::int32_t const stream = server().find("/etcdserverpb.KV/Put");
    if (stream != 0) server().finish(stream, 16, "etcdserver: invalid auth token");
    hear();
    settle();
  }
  BOOST_TEST(is(id, Outcome::refused));
  BOOST_TEST((answer(id).refusal == Refusal::not_allowed));
}

BOOST_AUTO_TEST_CASE(a_watch_that_no_token_permits_is_refused) {
  etcd.denies_watches = true;
  client.watch({.key = "a"});
  settle();
  BOOST_REQUIRE(news.size() == 1U);
  BOOST_TEST((news[0].kind == NewsKind::refused));
  BOOST_TEST(news[0].why ==
             "watch at 10.0.0.1:2379: rpc error: code = PermissionDenied desc = etcdserver: permission denied");
  BOOST_TEST(etcd.authentications == 3);
}

BOOST_AUTO_TEST_CASE(a_wrong_password_refuses_requests_and_is_told) {
  etcd.password = "other";
  RequestId const id = put("a", 60'000 * kClientWatchMs);
  settle();
  BOOST_TEST(is(id, Outcome::refused));
  BOOST_TEST((answer(id).refusal == Refusal::not_allowed));
  BOOST_TEST(client.state().text() ==
             "not_allowed: etcd at 10.0.0.1:2379: user \"journal\": etcdserver: authentication failed, invalid user ID "
             "or password");
  // An attempt costs the server 100 ms of its processor.
  BOOST_TEST(client.next_us() == now + 1'000 * kClientWatchMs);
  etcd.password = "secret";
  RequestId const later = put("b", 60'000 * kClientWatchMs);
  pass(1'000 * kClientWatchMs);
  BOOST_TEST(is(later, Outcome::done));
}

BOOST_AUTO_TEST_CASE(a_cluster_without_authentication_is_used_all_the_same) {
  etcd.user.clear();
  RequestId const id = put("a");
  settle();
  BOOST_TEST(is(id, Outcome::done));
  BOOST_TEST(!etcd.headers.at("/etcdserverpb.KV/Put").contains("token"));
  // It is turned on.
  etcd.user = "journal";
  RequestId const next = put("b");
  settle();
  BOOST_TEST(is(next, Outcome::done));
}

BOOST_AUTO_TEST_SUITE_END()
