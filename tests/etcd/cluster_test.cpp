// The client against three real etcd processes: every request, errors, leases, watches, users, and members that are
// killed and stopped. Ports are free ones, data is in a temporary folder, processes are ended by their ids.
#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>

#include "log/etcd/client/client.h"
#include "tests/etcd/etcd_nodes.h"
#include "tests/etcd/poll_network.h"

BOOST_AUTO_TEST_SUITE(etcd_cluster)

using namespace fastjournal;
using namespace fastjournal::etcd;
using etcd::Answer;
using NewsKind = WatchNews::Kind;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kPatience = 30 * kSecond;

std::int64_t now_us() {
  auto const since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

// A client with its loop.
struct Peer final : env::NetworkHandler {
  explicit Peer(ClientOptions options) : client(network, std::move(options)) {}

  void on_open(ConnectionId id, env::Peer const&) override { BOOST_TEST(client.opened(id)); }
  void on_bytes(ConnectionId id, std::string_view bytes) override { BOOST_TEST(client.received(id, bytes)); }
  void on_writable(ConnectionId id) override { BOOST_TEST(client.writable(id)); }
  void on_end_of_input(ConnectionId id) override { BOOST_TEST(client.ended(id)); }
  void on_closed(ConnectionId id, std::string_view reason) override { BOOST_TEST(client.closed(id, reason)); }
  void on_timer() override {}
  void on_turn_end() override {}

  void turn(std::int64_t wait_us_max = 100'000) {
    network.turn(*this, std::clamp<std::int64_t>(client.next_us() - now_us(), 0, wait_us_max));
    client.tick(now_us());
    client.end_turn();
    for (Answer& answer : client.take_answers()) {
      BOOST_REQUIRE(!answers.contains(answer.id));
      if (on_answer) on_answer(answer);
      answers[answer.id] = std::move(answer);
    }
    for (WatchNews& one : client.take_news()) news.push_back(std::move(one));
  }
  void until(std::function<bool()> const& is_so, std::string const& what) {
    std::int64_t const end = now_us() + kPatience;
    while (!is_so()) {
      if (now_us() >= end) BOOST_FAIL("not within 30 s: " << what << " (" << client.state().text() << ")");
      turn();
    }
  }
  Answer ask(Request request, std::int64_t timeout_us = 10 * kSecond) {
    RequestId const id = client.send(std::move(request), timeout_us);
    until([&] { return answers.contains(id); }, "an answer");
    return answers.at(id);
  }
  // The body of one that is done.
  template <typename Body>
  Body body(Request request) {
    Answer const answer = ask(std::move(request));
    BOOST_REQUIRE_MESSAGE(answer.outcome == Outcome::done, answer.why);
    return std::get<Body>(answer.body);
  }
  void refused(Request request, Refusal refusal) {
    Answer const answer = ask(std::move(request));
    BOOST_TEST_CONTEXT(answer.why) {
      BOOST_TEST((answer.outcome == Outcome::refused));
      BOOST_TEST((answer.refusal == refusal));
    }
  }
  std::vector<KeyValue> pairs(std::string const& key, std::string const& end) {
    return body<RangeAnswer>(Range{.key = key, .end = end}).pairs;
  }

  test::PollNetwork network;
  Client client;
  std::function<void(Answer const&)> on_answer;
  std::map<RequestId, Answer> answers;
  std::vector<WatchNews> news;
};

struct Trio {
  explicit Trio(std::vector<std::string> words = {"--unsafe-no-fsync"})
      : nodes(3, std::move(words)), peer({.endpoints = nodes.endpoints()}) {
    peer.until([this] { return peer.client.state().ok(); }, "a connection");
  }

  std::size_t leader() {
    std::uint64_t const leader = peer.body<LookAnswer>(Look{}).leader;
    for (MembersAnswer::Member const& one : peer.body<MembersAnswer>(Members{}).members)
      if (one.id == leader) return nodes.index_of(one.client_urls.at(0).substr(7));
    throw std::runtime_error("no leader");
  }

  test::EtcdNodes nodes;
  Peer peer;
};

std::string told(Peer const& peer, WatchId id) {
  std::string out;
  for (WatchNews const& one : peer.news)
    if (one.id == id)
      for (WatchNews::Event const& event : one.events) out += (event.is_deleted ? " -" : " ") + event.pair.key;
  return out;
}

std::string sequence_key(int number) {
  std::string const digits = std::to_string(number);
  return "l/" + std::string(6 - digits.size(), '0') + digits;
}

Transaction append(std::string const& key, std::string value) {
  return {.compares = {{key, Compare::What::version, Compare::Is::equal, 0}},
          .then = {Put{key, std::move(value)}},
          .otherwise = {Range{key}}};
}

BOOST_AUTO_TEST_CASE(every_request_is_answered) {
  Trio cluster;
  Peer& peer = cluster.peer;
  auto const lease = peer.body<LeaseAnswer>(Grant{60});
  BOOST_TEST(lease.lease != 0);
  BOOST_TEST(lease.ttl_s == 60);
  BOOST_TEST(peer.body<LeaseAnswer>(KeepAlive{lease.lease}).ttl_s == 60);

  Answer const put = peer.ask(Put{"a", std::string{"1\0\xFF", 3}, lease.lease});
  BOOST_REQUIRE(put.outcome == Outcome::done);
  BOOST_TEST(put.header.cluster != 0U);
  BOOST_TEST(put.header.member != 0U);
  BOOST_TEST(put.header.term != 0U);
  std::int64_t const first = put.header.revision;
  for (char const* const key : {"b", "c", "d"}) peer.body<PutAnswer>(Put{key, "x"});
  peer.body<PutAnswer>(Put{"a", "2", lease.lease});

  auto const one = peer.body<RangeAnswer>(Range{"a"});
  BOOST_TEST((one.pairs == std::vector<KeyValue>{{"a", "2", first, first + 4, 2, lease.lease}}));
  BOOST_TEST(one.count == 1);
  auto const old = peer.body<RangeAnswer>(Range{.key = "a", .revision = first});
  BOOST_TEST((old.pairs == std::vector<KeyValue>{{"a", std::string{"1\0\xFF", 3}, first, first, 1, lease.lease}}));
  auto const two = peer.body<RangeAnswer>(Range{.key = "a", .end = std::string(1, '\0'), .limit = 2});
  BOOST_TEST(two.pairs.size() == 2U);
  BOOST_TEST(two.more);
  BOOST_TEST(two.count == 4);
  auto const down = peer.body<RangeAnswer>(Range{.key = "a", .end = "c", .keys_only = true, .descending = true});
  BOOST_REQUIRE(down.pairs.size() == 2U);
  BOOST_TEST(down.pairs[0].key == "b");
  BOOST_TEST(down.pairs[0].value.empty());
  auto const count = peer.body<RangeAnswer>(Range{.key = "a", .end = "z", .is_serializable = true, .count_only = true});
  BOOST_TEST(count.count == 4);
  BOOST_TEST(count.pairs.empty());
  BOOST_TEST(peer.body<RangeAnswer>(Range{"nothing"}).pairs.empty());

  BOOST_TEST(peer.body<DeleteAnswer>(Delete{.key = "c", .end = "e"}).deleted == 2);
  BOOST_TEST(peer.body<DeleteAnswer>(Delete{.key = "c", .end = "e"}).deleted == 0);

  auto const members = peer.body<MembersAnswer>(Members{}).members;
  BOOST_REQUIRE(members.size() == 3U);
  std::set<std::string> names;
  for (MembersAnswer::Member const& member : members) names.insert(member.name);
  BOOST_TEST(names == (std::set<std::string>{"node0", "node1", "node2"}));
  auto const look = peer.body<LookAnswer>(Look{});
  BOOST_TEST(look.version == peer.client.version());
  BOOST_TEST(look.db_bytes > 0);
  BOOST_TEST(look.db_bytes_in_use > 0);
  BOOST_TEST(look.leader != 0U);
  BOOST_TEST(!look.has_no_space_alarm);

  BOOST_TEST((peer.ask(Revoke{lease.lease}).outcome == Outcome::done));
  BOOST_TEST(peer.body<RangeAnswer>(Range{"a"}).pairs.empty());
  peer.refused(Revoke{lease.lease}, Refusal::no_lease);
  BOOST_TEST(peer.body<LeaseAnswer>(KeepAlive{lease.lease}).ttl_s == 0);
}

BOOST_AUTO_TEST_CASE(a_transaction_does_one_of_two_things) {
  Trio cluster;
  Peer& peer = cluster.peer;
  auto const done = peer.body<TransactionAnswer>(append("k", "first"));
  BOOST_TEST(done.succeeded);
  BOOST_REQUIRE(done.answers.size() == 1U);
  BOOST_TEST(std::holds_alternative<PutAnswer>(done.answers[0]));
  auto const not_done = peer.body<TransactionAnswer>(append("k", "second"));
  BOOST_TEST(!not_done.succeeded);
  KeyValue const there = std::get<RangeAnswer>(not_done.answers.at(0)).pairs.at(0);
  BOOST_TEST(there.value == "first");
  using What = etcd::Compare::What;
  using Is = etcd::Compare::Is;
  std::int64_t const revision = there.mod_revision;
  for (auto const& [compare, holds] :
       std::vector<std::pair<etcd::Compare, bool>>{{{"k", What::mod_revision, Is::equal, revision}, true},
                                                   {{"k", What::create_revision, Is::greater, revision}, false},
                                                   {{"k", What::create_revision, Is::less, revision + 1}, true},
                                                   {{"k", What::version, Is::not_equal, 1}, false},
                                                   {{"k", What::lease, Is::equal, 0}, true},
                                                   {{"none", What::mod_revision, Is::equal, 0}, true}})
    BOOST_TEST(peer.body<TransactionAnswer>(Transaction{{compare}, {Range{"k"}}, {}}).succeeded == holds);
  auto const swapped = peer.body<TransactionAnswer>(
      Transaction{{{"k", What::mod_revision, Is::equal, revision}}, {Delete{"k"}, Put{"n", "v"}}, {}});
  BOOST_TEST(std::get<DeleteAnswer>(swapped.answers.at(0)).deleted == 1);
}

BOOST_AUTO_TEST_CASE(refusals_say_why) {
  Trio cluster;
  Peer& peer = cluster.peer;
  std::int64_t revision = 0;
  for (int i = 0; i < 5; ++i) revision = peer.ask(Put{"k", "v"}).header.revision;
  BOOST_TEST((peer.ask(Compact{revision - 1}).outcome == Outcome::done));
  peer.refused(Range{.key = "k", .revision = revision - 2}, Refusal::compacted);
  peer.refused(Compact{revision - 2}, Refusal::compacted);
  peer.refused(Range{.key = "k", .revision = revision + 100}, Refusal::future_revision);
  peer.refused(Put{"k", "v", 12345}, Refusal::no_lease);
  peer.refused(Transaction{{}, {Put{"k", "v", 12345}}, {}}, Refusal::no_lease);
  peer.refused(Put{"k", std::string(1'600'000, 'x')}, Refusal::too_large);
  peer.refused(Put{"k", std::string(5'000'000, 'x')}, Refusal::too_large);  // for gRPC already
  peer.refused(Transaction{{}, std::vector<Operation>(200, Range{"k"}), {}}, Refusal::too_large);
  peer.refused(Transaction{{}, {Put{"k", "1"}, Put{"k", "2"}}, {}}, Refusal::other);
  peer.refused(Put{"", "v"}, Refusal::other);
  BOOST_TEST(peer.client.state().ok());
  BOOST_TEST(peer.client.counters().connected == 1U);
}

BOOST_AUTO_TEST_CASE(the_keys_of_a_lease_are_deleted_with_it) {
  Trio cluster;
  Peer& peer = cluster.peer;
  auto const lease = peer.body<LeaseAnswer>(Grant{2});
  peer.body<PutAnswer>(Put{"own", "node", lease.lease});
  WatchId const watch = peer.client.watch({.key = "own"});
  peer.until([&] { return !peer.news.empty(); }, "the beginning of the watch");
  // Renewed over more than its time.
  for (std::int64_t const end = now_us() + 4 * kSecond; now_us() < end;) {
    BOOST_TEST(peer.body<LeaseAnswer>(KeepAlive{lease.lease}).ttl_s == lease.ttl_s);
    for (std::int64_t const next = now_us() + kSecond / 2; now_us() < next;) peer.turn();
  }
  BOOST_TEST(peer.pairs("own", "").size() == 1U);
  std::int64_t const begin = now_us();
  peer.until([&] { return told(peer, watch) == " -own"; }, "the end of the lease");
  BOOST_TEST(now_us() - begin >= kSecond);
  BOOST_TEST(peer.pairs("own", "").empty());
}

// ---------------------------------------------------------------------------
// Watches

BOOST_AUTO_TEST_CASE(a_watch_tells_past_and_present_and_large_revisions) {
  Trio cluster;
  Peer& peer = cluster.peer;
  // More than etcd sends in one message.
  std::int64_t const first = peer.ask(Put{"w/00", "v"}).header.revision;
  std::string expected = " w/00";
  for (int i = 10; i < 80; ++i) {
    std::string const key = "w/" + std::to_string(i);
    peer.body<PutAnswer>(Put{key, std::string(60'000, 'x')});
    expected += " " + key;
  }
  WatchId const watch = peer.client.watch({.key = "w/", .end = "w0", .revision = first});
  peer.until([&] { return told(peer, watch) == expected; }, "the past");
  peer.body<TransactionAnswer>(Transaction{{}, {Put{"w/a", "1"}, Put{"w/b", "2"}, Put{"x", "3"}, Delete{"w/10"}}, {}});
  expected += " w/a w/b -w/10";
  peer.until([&] { return told(peer, watch) == expected; }, "the present");
  BOOST_TEST(peer.news.back().events.size() == 3U);
  peer.client.unwatch(watch);
  peer.body<PutAnswer>(Put{"w/c", "v"});
  BOOST_TEST(told(peer, watch) == expected);
}

BOOST_AUTO_TEST_CASE(from_now_on_says_since_when) {
  Trio cluster;
  Peer& peer = cluster.peer;
  std::int64_t const revision = peer.ask(Put{"k", "v"}).header.revision;
  WatchId const watch = peer.client.watch({.key = "k"});
  peer.until([&] { return !peer.news.empty(); }, "progress");
  BOOST_TEST((peer.news[0].kind == NewsKind::progress));
  BOOST_TEST(peer.news[0].revision == revision);
  peer.body<PutAnswer>(Put{"k", "v"});
  peer.until([&] { return told(peer, watch) == " k"; }, "the event");
}

BOOST_AUTO_TEST_CASE(a_watch_of_what_was_compacted_is_over) {
  Trio cluster;
  Peer& peer = cluster.peer;
  std::int64_t revision = 0;
  for (int i = 0; i < 10; ++i) revision = peer.ask(Put{"k", "v"}).header.revision;
  peer.ask(Compact{revision});
  peer.client.watch({.key = "k", .revision = revision - 5});
  peer.until([&] { return !peer.news.empty(); }, "news");
  BOOST_TEST((peer.news[0].kind == NewsKind::compacted));
  BOOST_TEST(peer.news[0].revision == revision);
  // From the next on nothing is missing.
  WatchId const watch = peer.client.watch({.key = "k", .revision = revision + 1});
  peer.body<PutAnswer>(Put{"k", "v"});
  peer.until([&] { return told(peer, watch) == " k"; }, "the event");
}

// etcd 3.4.23 tells nothing of the deletion if it is asked from its revision on.
BOOST_AUTO_TEST_CASE(a_deletion_at_the_compacted_revision_is_not_missed_without_a_word) {
  Trio cluster;
  Peer& peer = cluster.peer;
  peer.body<PutAnswer>(Put{"k", "v"});
  std::int64_t const deleted = peer.ask(Delete{"k"}).header.revision;
  peer.body<PutAnswer>(Put{"other", "v"});
  peer.ask(Compact{deleted});
  WatchId const watch = peer.client.watch({.key = "k", .end = "l", .revision = deleted});
  peer.until([&] { return !peer.news.empty() && peer.news.back().kind != NewsKind::progress; }, "news");
  bool const is_told = told(peer, watch) == " -k";
  BOOST_TEST((is_told || peer.news.back().kind == NewsKind::compacted));
}

// ---------------------------------------------------------------------------
// Members that fail

BOOST_AUTO_TEST_CASE(appends_over_the_death_of_the_leader_are_there_once_and_as_answered) {
  constexpr int kAppends = 2000;
  constexpr std::size_t kInFlight = 16;
  Trio cluster;
  Peer& peer = cluster.peer;
  WatchId const watch = peer.client.watch({.key = "l/", .end = "l0", .revision = 2});
  std::size_t const leader = cluster.leader();

  std::map<RequestId, int> asked;
  std::map<int, std::int64_t> not_before;  // the newest revision that was known when it was sent
  std::int64_t newest = 0;
  std::int64_t last_done = now_us();
  std::int64_t gap = 0;
  std::size_t under_way = 0;
  int done = 0;
  peer.on_answer = [&](Answer const& answer) {
    --under_way;
    if (answer.outcome != Outcome::done) return;
    ++done;
    newest = std::max(newest, answer.header.revision);
    gap = std::max(gap, now_us() - last_done);
    last_done = now_us();
  };
  int next = 0;
  bool is_killed = false;
  while (next < kAppends || under_way > 0) {
    while (next < kAppends && under_way < kInFlight) {
      not_before[next] = newest;
      asked[peer.client.send(append(sequence_key(next), std::to_string(next)), 2 * kSecond)] = next;
      ++next;
      ++under_way;
    }
    peer.turn();
    if (!is_killed && next >= kAppends / 2) {
      cluster.nodes.kill(leader);
      is_killed = true;
      last_done = now_us();
      gap = 0;
    }
  }
  peer.on_answer = nullptr;

  std::map<std::string, KeyValue> there;
  for (KeyValue& pair : peer.pairs("l/", "l0")) there[pair.key] = std::move(pair);
  std::map<Outcome, int> outcomes;
  int unknown_done = 0;
  for (auto const& [id, number] : asked) {
    Answer const& answer = peer.answers.at(id);
    ++outcomes[answer.outcome];
    auto const found = there.find(sequence_key(number));
    BOOST_TEST_CONTEXT(number << ": " << answer.why) switch (answer.outcome) {
      case Outcome::done:
        BOOST_REQUIRE(found != there.end());
        BOOST_TEST(found->second.version == 1);
        BOOST_TEST(found->second.value == std::to_string(number));
        BOOST_TEST(found->second.mod_revision == answer.header.revision);
        BOOST_TEST(found->second.mod_revision > not_before[number]);
        BOOST_TEST(std::get<TransactionAnswer>(answer.body).succeeded);
        break;
      case Outcome::unknown: unknown_done += found != there.end() ? 1 : 0; break;
      case Outcome::unavailable:
      case Outcome::refused: BOOST_TEST((found == there.end())); break;
    }
  }
  BOOST_TEST_MESSAGE("done " << outcomes[Outcome::done] << ", unknown " << outcomes[Outcome::unknown] << " (of which "
                             << unknown_done << " are there), unavailable " << outcomes[Outcome::unavailable]
                             << "; no answer for " << gap / 1000 << " ms, connections lost "
                             << peer.client.counters().lost);
  BOOST_TEST(outcomes[Outcome::done] > kAppends / 2);
  BOOST_TEST(outcomes[Outcome::refused] == 0);

  // The watch told of each once, in the order of revisions.
  auto const events = [&] {
    std::vector<std::pair<std::int64_t, std::string>> out;
    for (WatchNews const& one : peer.news)
      if (one.id == watch)
        for (WatchNews::Event const& event : one.events) out.emplace_back(event.pair.mod_revision, event.pair.key);
    return out;
  };
  peer.until([&] { return events().size() >= there.size(); }, "the watch to catch up");
  std::vector<std::pair<std::int64_t, std::string>> expected;
  for (auto const& [key, pair] : there) expected.emplace_back(pair.mod_revision, key);
  std::sort(expected.begin(), expected.end());
  BOOST_TEST((events() == expected));
}

BOOST_AUTO_TEST_CASE(a_stopped_member_is_left_and_none_of_its_answers_is_a_lie) {
  Trio cluster;
  Peer& peer = cluster.peer;
  WatchId const watch = peer.client.watch({.key = "k"});
  peer.until([&] { return !peer.news.empty(); }, "the beginning of the watch");
  peer.body<PutAnswer>(Put{"k", "v"});
  std::size_t const used = cluster.nodes.index_of(peer.client.endpoint());
  cluster.nodes.signal(used, SIGSTOP);
  std::int64_t const begin = now_us();
  Answer const answer = peer.ask(Put{"k", "w"}, kSecond / 2);
  BOOST_TEST((answer.outcome == Outcome::unknown));
  peer.until([&] { return peer.client.state().ok() && cluster.nodes.index_of(peer.client.endpoint()) != used; },
             "another member");
  BOOST_TEST_MESSAGE("left after " << (now_us() - begin) / 1000 << " ms");
  BOOST_TEST(now_us() - begin < 5 * kSecond);
  peer.until([&] { return peer.ask(Put{"k", "x"}).outcome == Outcome::done; }, "a put elsewhere");
  peer.until([&] { return told(peer, watch).size() >= 4; }, "the watch elsewhere");
  cluster.nodes.signal(used, SIGCONT);
}

BOOST_AUTO_TEST_CASE(without_a_quorum_requests_wait_and_are_unavailable_and_it_comes_back) {
  Trio cluster;
  Peer& peer = cluster.peer;
  peer.body<PutAnswer>(Put{"k", "v"});
  cluster.nodes.kill(0);
  cluster.nodes.kill(1);
  // What is sent before the last one knows may be unknown.
  peer.until(
      [&] {
        return peer.ask(Put{"k", "w"}, kSecond).outcome == Outcome::unavailable &&
               peer.client.state().message().find("no leader") != std::string::npos;
      },
      "no leader");
  Answer const waited = peer.ask(Put{"k", "x"}, kSecond / 2);
  BOOST_TEST((waited.outcome == Outcome::unavailable));
  BOOST_TEST_MESSAGE(waited.why);
  cluster.nodes.start(0);
  peer.until([&] { return peer.ask(Put{"k", "y"}, kSecond).outcome == Outcome::done; }, "the quorum");
  BOOST_TEST(peer.pairs("k", "").at(0).value == "y");
}

// etcd 3.4.23 ends connections without a word (GOAWAY): what was under way is unknown, and no more than that.
BOOST_AUTO_TEST_CASE(a_member_that_is_shut_down_is_left_for_the_next_at_once) {
  Trio cluster;
  Peer& peer = cluster.peer;
  // Not the leader: without one, requests would be unavailable for a while.
  std::size_t const leader = cluster.leader();
  std::size_t used = cluster.nodes.index_of(peer.client.endpoint());
  if (used == leader) {
    Peer other{{.endpoints = {cluster.nodes.endpoints()[(leader + 1) % 3], cluster.nodes.endpoints()[leader]}}};
    other.until([&] { return other.client.state().ok(); }, "a connection");
    used = (leader + 1) % 3;
  }
  Peer mine{{.endpoints = {cluster.nodes.endpoints()[used], cluster.nodes.endpoints()[leader]}}};
  mine.body<PutAnswer>(Put{"k", "v"});
  BOOST_TEST(mine.client.endpoint() == cluster.nodes.endpoints()[used]);
  std::map<Outcome, int> outcomes;
  std::size_t under_way = 0;
  bool is_told = false;
  mine.on_answer = [&](Answer const& answer) {
    --under_way;
    ++outcomes[answer.outcome];
  };
  for (int sent = 0; sent < 1000 || under_way > 0;) {
    for (; sent < 1000 && under_way < 8; ++sent, ++under_way) mine.client.send(Put{"k", "v"}, 5 * kSecond);
    mine.turn();
    if (sent >= 300 && !std::exchange(is_told, true)) cluster.nodes.signal(used, SIGTERM);
  }
  mine.on_answer = nullptr;
  BOOST_TEST_MESSAGE("done " << outcomes[Outcome::done] << ", unavailable " << outcomes[Outcome::unavailable]
                             << ", unknown " << outcomes[Outcome::unknown]);
  BOOST_TEST(outcomes[Outcome::unknown] <= 8);
  BOOST_TEST(outcomes[Outcome::done] + outcomes[Outcome::unknown] == 1000);
  BOOST_TEST(mine.client.endpoint() == cluster.nodes.endpoints()[leader]);
}

// ---------------------------------------------------------------------------
// Users, and a full store

BOOST_AUTO_TEST_CASE(a_user_has_a_token_that_is_renewed) {
  Trio cluster;
  cluster.nodes.add_user();
  Peer peer{{.endpoints = cluster.nodes.endpoints(), .user = "journal", .password = "pass"}};
  WatchId const watch = peer.client.watch({.key = "j/", .end = "j0", .revision = 2});
  peer.body<PutAnswer>(Put{"j/a", "v"});
  peer.until([&] { return told(peer, watch) == " j/a"; }, "the event");
  peer.refused(Put{"k", "v"}, Refusal::not_allowed);
  cluster.peer.refused(Put{"j/a", "v"}, Refusal::not_allowed);  // without a user
  WatchId const other = peer.client.watch({.key = "k", .revision = 2});
  peer.until([&] { return !peer.news.empty() && peer.news.back().id == other; }, "the refusal");
  BOOST_TEST((peer.news.back().kind == NewsKind::refused));
  // Members that start anew know no tokens.
  for (std::size_t node = 0; node < 3; ++node) cluster.nodes.kill(node);
  for (std::size_t node = 0; node < 3; ++node) cluster.nodes.start(node);
  peer.until([&] { return peer.ask(Put{"j/b", "v"}).outcome == Outcome::done; }, "a put after the restart");
  peer.until([&] { return told(peer, watch) == " j/a j/b"; }, "the event after the restart");
  Peer wrong{{.endpoints = cluster.nodes.endpoints(), .user = "journal", .password = "other"}};
  wrong.refused(Put{"j/a", "v"}, Refusal::not_allowed);
  BOOST_TEST((wrong.client.state().code() == Code::not_allowed));
}

BOOST_AUTO_TEST_CASE(a_full_store_says_so_and_takes_deletions) {
  Trio cluster{{"--unsafe-no-fsync", "--quota-backend-bytes", "4000000"}};
  Peer& peer = cluster.peer;
  std::map<RequestId, std::string> asked;
  std::size_t under_way = 0;
  bool is_full = false;
  peer.on_answer = [&](Answer const& answer) {
    --under_way;
    if (answer.outcome == Outcome::done) return;
    BOOST_TEST((answer.refusal == Refusal::no_space));
    BOOST_TEST((answer.outcome == Outcome::unknown));
    is_full = true;
  };
  for (int next = 0; !is_full || under_way > 0;) {
    for (; !is_full && under_way < 32; ++next, ++under_way)
      asked[peer.client.send(Put{sequence_key(next), std::string(20'000, 'x')}, 10 * kSecond)] = sequence_key(next);
    peer.turn();
  }
  peer.on_answer = nullptr;
  std::set<std::string> there;
  for (KeyValue const& pair : peer.body<RangeAnswer>(Range{.key = "l/", .end = "l0", .keys_only = true}).pairs)
    there.insert(pair.key);
  int done = 0;
  int unknown = 0;
  for (auto const& [id, key] : asked) {
    bool const is_done = peer.answers.at(id).outcome == Outcome::done;
    if (is_done) BOOST_TEST(there.contains(key));
    ++(is_done ? done : unknown);
  }
  BOOST_TEST_MESSAGE("done " << done << ", no space " << unknown << ", of which "
                             << static_cast<int>(there.size()) - done << " are there");
  peer.until([&] { return peer.body<LookAnswer>(Look{}).has_no_space_alarm; }, "the alarm");
  BOOST_TEST(peer.body<DeleteAnswer>(Delete{.key = "l/", .end = "l0"}).deleted == static_cast<int>(there.size()));
}

BOOST_AUTO_TEST_SUITE_END()
