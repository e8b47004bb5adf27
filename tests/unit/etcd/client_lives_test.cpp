// Random lives of a client: bytes come in pieces of any size, connections are refused, full, silent and lost at any
// byte, members lose their leader, are shut down, and forget tokens, the store is compacted. At the end each request
// was answered once, and held against what the cluster did; and a watch told each revision once, whole and in order.
//
// A request is `unknown` only if it went out whole: a second server reads all bytes that the network took, also those
// that were lost on their way.
#include <boost/test/unit_test.hpp>

#include <random>
#include <set>

#include "tests/support/seed.h"
#include "tests/unit/etcd/client_harness.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::etcd;
using test::ClientHarness;
using NewsKind = WatchNews::Kind;

constexpr std::int64_t kMs = ClientHarness::kMs;

struct Life {
  Life(std::uint64_t seed, bool with_user)
      : chance(seed), harness({.user = with_user ? "u" : "", .password = "p", .waiting_bytes_max = 3000}) {
    if (with_user) {
      harness.etcd.user = "u";
      harness.etcd.password = "p";
      harness.etcd.token = "t";
    }
    watch_from(2);
  }

  std::size_t up_to(std::size_t most) { return std::uniform_int_distribution<std::size_t>{0, most}(chance); }
  bool once_in(std::size_t times) { return up_to(times - 1) == 0; }

  void watch_from(std::int64_t revision) {
    watch = harness.client.watch({.key = "k", .end = "l", .revision = revision});
    from = revision;
  }

  void send() {
    std::string const key = "k" + std::to_string(++keys);
    std::string const value(once_in(20) ? up_to(100'000) : up_to(300), 'v');
    auto const timeout = static_cast<std::int64_t>(once_in(3) ? up_to(50) : up_to(4000)) * kMs;
    asked[harness.client.send(Put{key, value}, timeout)] = key;
  }

  void turn() {
    ConnectionId const before{harness.network.last};
    harness.turn();
    if (ConnectionId const id{harness.network.last}; id != before && !harness.is_over(id)) opening.push_back(id);
    take_news();
  }

  void take_news() {
    for (WatchNews const& news : std::exchange(harness.news, {})) {
      BOOST_REQUIRE(news.id == watch);
      switch (news.kind) {
        case NewsKind::events:
          for (WatchNews::Event const& event : news.events) told.emplace_back(event.pair.mod_revision, event.pair.key);
          BOOST_REQUIRE(news.revision == news.events.back().pair.mod_revision);
          complete.insert(news.revision);
          break;
        case NewsKind::progress: break;
        case NewsKind::compacted:
          // Read anew: what was until now is known without the watch.
          check_told(told.empty() ? from : told.back().first + 1);
          told.clear();
          ++compactions;
          watch_from(harness.etcd.revision + 1);
          break;
        case NewsKind::refused: BOOST_FAIL("the watch was refused: " << news.why); break;
      }
    }
  }

  // Each event of [from, end) was told, in order, once.
  void check_told(std::int64_t end) {
    std::vector<std::pair<std::int64_t, std::string>> expected;
    for (test::FakeEtcd::Event const& event : harness.etcd.history)
      if (event.revision >= from && event.revision < end) expected.emplace_back(event.revision, event.key);
    BOOST_REQUIRE((told == expected));
  }

  void open() {
    for (ConnectionId const id : std::exchange(opening, {})) {
      if (harness.is_over(id)) continue;
      if (once_in(6)) {
        harness.gone.insert(id);
        harness.client.closed(id, "Connection refused");
      } else if (!once_in(8)) {  // else nothing comes of it
        harness.open(id);
        seen[id] = std::make_unique<test::GrpcServer>();
      }
    }
  }

  // Bytes that the network took, and those on their way to the servers and back.
  void carry(bool all) {
    for (auto& [id, server] : harness.servers) {
      std::string const taken = std::exchange(harness.network.sent[id], {});
      BOOST_REQUIRE(seen.at(id)->receive(taken));
      static_cast<void>(seen.at(id)->output());
      if (harness.is_over(id)) continue;
      std::string& up = to_server[id];
      up += taken;
      std::size_t const given = all ? up.size() : std::min(up.size(), up_to(once_in(4) ? 20'000 : 200));
      BOOST_REQUIRE(server->receive(std::string_view{up}.substr(0, given)));
      up.erase(0, given);
      if (all || once_in(2)) harness.etcd.serve(*server);
      std::string& down = to_client[id];
      down += server->output();
      std::size_t const heard = all ? down.size() : std::min(down.size(), up_to(once_in(4) ? 20'000 : 200));
      if (heard > 0) BOOST_REQUIRE(harness.client.received(id, down.substr(0, heard)));
      down.erase(0, heard);
      if (!harness.is_over(id) && harness.network.room.contains(id) && (all || once_in(3))) {
        harness.network.room[id] += up_to(5000);
        if (all) harness.network.room.erase(id);
        BOOST_REQUIRE(harness.client.writable(id));
      }
    }
  }

  void trouble() {
    test::FakeEtcd& etcd = harness.etcd;
    switch (up_to(60)) {
      case 0:
        for (auto& [id, server] : harness.servers)
          if (harness.is_open(id) && once_in(2)) {
            harness.gone.insert(id);
            etcd.forget(*server);
            harness.client.closed(id, "reset");
          }
        break;
      case 1: harness.network.connects = once_in(3); break;
      case 2: harness.network.connects = true; break;
      case 3: etcd.leader = 0; break;
      case 4:
      case 5:
        if (etcd.leader == 0) ++etcd.term;
        etcd.leader = 5;
        break;
      case 6:
        etcd.status = 14;
        etcd.text = once_in(2) ? "etcdserver: no leader" : "etcdserver: too many requests";
        break;
      case 7:
      case 8: etcd.status = 0; break;
      case 9:
        for (auto& [id, server] : harness.servers)
          if (harness.is_open(id) && once_in(3)) server->go_away();
        break;
      case 10:
        if (!etcd.user.empty() && once_in(6)) etcd.token += "t";
        break;
      case 11:
        if (once_in(3)) etcd.compacted = std::max(etcd.compacted, etcd.revision - static_cast<std::int64_t>(up_to(5)));
        break;
      case 12: etcd.part_events = up_to(3); break;
      case 13: etcd.unanswered = {"/etcdserverpb.KV/Put"}; break;
      case 14:
      case 15: etcd.unanswered.clear(); break;
      case 16:
        for (auto& [id, server] : harness.servers)
          if (harness.is_open(id)) harness.network.room.try_emplace(id, up_to(3000));
        break;
      case 17: harness.now += static_cast<std::int64_t>(up_to(3000)) * kMs; break;
      default: break;
    }
  }

  void live(int steps) {
    for (int step = 0; step < steps; ++step) {
      if (once_in(3)) send();
      if (once_in(6)) {
        std::vector<std::string> many;
        for (std::size_t i = up_to(4); i < 5; ++i) many.push_back("k.other" + std::to_string(i));
        harness.etcd.put(many);
      }
      trouble();
      carry(false);
      open();
      harness.now += static_cast<std::int64_t>(up_to(40)) * kMs;
      turn();
    }
  }

  void heal() {
    test::FakeEtcd& etcd = harness.etcd;
    harness.network.connects = true;
    etcd.leader = 5;
    etcd.status = 0;
    etcd.unanswered.clear();
    for (int round = 0; round < 400; ++round) {
      carry(true);
      for (ConnectionId const id : std::exchange(opening, {}))
        if (!harness.is_over(id)) {
          harness.open(id);
          seen[id] = std::make_unique<test::GrpcServer>();
        }
      if (round % 4 == 0) harness.now += 100 * kMs;
      turn();
    }
  }

  void check() {
    std::set<std::string> sent_whole;
    for (auto const& [id, server] : seen)
      for (auto const& [stream, call] : server->calls())
        if (call.path == "/etcdserverpb.KV/Put" && call.has_ended && !call.requests.empty())
          for (std::string const& request : call.requests)
            // Field 1, the key.
            sent_whole.insert(request.substr(2, static_cast<std::size_t>(request[1])));
    BOOST_TEST(harness.answers.size() == asked.size());
    for (auto const& [id, key] : asked) {
      Answer const& answer = harness.answer(id);
      auto const found = harness.etcd.puts.find(key);
      int const times = found == harness.etcd.puts.end() ? 0 : found->second;
      ++outcomes[answer.outcome];
      BOOST_TEST_CONTEXT(key << ": " << answer.why) {
        BOOST_REQUIRE(times <= 1);
        if (answer.outcome == Outcome::done) BOOST_REQUIRE(times == 1);
        if (answer.outcome == Outcome::unavailable || answer.outcome == Outcome::refused) BOOST_REQUIRE(times == 0);
        // One that was given up on a full connection: the rest of it would have been sent.
        bool const was_given_up = answer.why.find("no answer within") != std::string::npos ||
                                  answer.why.find("the leader changed") != std::string::npos;
        if (answer.outcome == Outcome::unknown && !was_given_up) BOOST_REQUIRE(sent_whole.contains(key));
      }
    }
    check_told(harness.etcd.revision + 1);
    // Whole revisions: none was told in two pieces.
    std::set<std::int64_t> revisions;
    for (auto const& [revision, key] : told) revisions.insert(revision);
    for (std::int64_t const revision : revisions) BOOST_REQUIRE(revision <= *complete.rbegin());
    BOOST_TEST(harness.client.state().ok());
  }

  std::mt19937_64 chance;
  ClientHarness harness;
  WatchId watch{0};
  std::int64_t from{2};
  int keys{0};
  int compactions{0};
  std::map<RequestId, std::string> asked;
  std::map<Outcome, int> outcomes;
  std::vector<std::pair<std::int64_t, std::string>> told;
  std::set<std::int64_t> complete;
  std::vector<ConnectionId> opening;
  std::map<ConnectionId, std::unique_ptr<test::GrpcServer>> seen;
  std::map<ConnectionId, std::string> to_server;
  std::map<ConnectionId, std::string> to_client;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(etcd_client_lives)

BOOST_AUTO_TEST_CASE(whatever_happens_answers_are_true_and_watches_have_no_gap) {
  std::uint64_t const first = fastjournal::test::seed_or(1);
  std::uint64_t const lives = fastjournal::test::number_from("FJ_LIVES", 150);
  BOOST_TEST_MESSAGE("seeds " << first << " to " << first + lives - 1);
  std::map<Outcome, int> outcomes;
  int compactions = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = first; seed < first + lives; ++seed)
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed << " FJ_LIVES=1") {
      Life life{seed, seed % 2 == 0};
      life.live(400);
      life.heal();
      life.check();
      for (auto const& [outcome, times] : life.outcomes) outcomes[outcome] += times;
      compactions += life.compactions;
      lost += life.harness.client.counters().lost;
    }
  BOOST_TEST_MESSAGE("done " << outcomes[Outcome::done] << ", unavailable " << outcomes[Outcome::unavailable]
                             << ", unknown " << outcomes[Outcome::unknown] << ", refused " << outcomes[Outcome::refused]
                             << "; compactions told " << compactions << ", connections lost " << lost);
  if (lives < 100) return;
  BOOST_TEST(outcomes[Outcome::done] > 1000);
  BOOST_TEST(outcomes[Outcome::unavailable] > 500);
  BOOST_TEST(outcomes[Outcome::unknown] > 500);
  BOOST_TEST(compactions > 20);
  BOOST_TEST(lost > 300U);
}

BOOST_AUTO_TEST_SUITE_END()
