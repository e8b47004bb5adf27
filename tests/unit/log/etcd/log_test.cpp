// What happens to a log on etcd that lives by chance (life.h) hardly come to: a watch that lost an event, a node that
// cannot read what others can, an owner that goes.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "log/etcd/etcd_log.h"
#include "tests/sim/sim_etcd.h"

namespace fastjournal::log::etcd::test {
namespace {

constexpr std::size_t kNone = SIZE_MAX;

// Passes on what a session says, but for one entry that its watch is to be told of.
class Losing final : public api::Cluster {
 public:
  explicit Losing(sim::EtcdCluster& cluster) : session_(cluster.connect()) {}
  api::RequestId send(api::Request request, std::int64_t timeout_us) override {
    return session_->send(std::move(request), timeout_us);
  }
  std::vector<api::Answer> take_answers() override { return session_->take_answers(); }
  api::WatchId watch(api::WatchWish wish) override { return session_->watch(std::move(wish)); }
  void unwatch(api::WatchId id) override { session_->unwatch(id); }
  std::vector<api::WatchNews> take_news() override {
    if (is_deaf) return {};
    std::vector<api::WatchNews> all = session_->take_news();
    for (api::WatchNews& news : all)
      std::erase_if(news.events, [&](api::WatchNews::Event const& event) {
        bool const is_entry = event.pair.key.find("/l/") != std::string::npos;
        return is_entry && loses != 0 && loses-- == 1;
      });
    return all;
  }
  bool is_deaf{false};   // its watches wait
  std::size_t loses{0};  // the next but so many entry + 1; 0: none

 private:
  std::unique_ptr<sim::EtcdSession> session_;
};

struct Reading final : Following {
  void on_reset(std::uint64_t, Lsn) override {
    ++resets;
    records = 0;
  }
  Status on_record(RecordView const&) override {
    if (cannot) return {Code::damaged, "it cannot"};
    ++records;
    return {};
  }
  std::size_t records{0};
  std::size_t resets{0};
  bool cannot{false};
};

struct Node {
  Node(sim::EtcdCluster& etcd, std::string const& name, EtcdLogOptions options) : cluster(etcd) {
    options.name = "shared";
    options.prefix = "/fastjournal/shared/";
    options.node = name;
    options.new_store_id = 4711;
    log = std::make_unique<EtcdLog>(cluster, options, reading);
  }
  Losing cluster;
  Reading reading;
  std::unique_ptr<EtcdLog> log;
};

struct Scene {
  explicit Scene(EtcdLogOptions const& options = {}, sim::EtcdOptions const& of_etcd = {}) : etcd(of_etcd) {
    for (char const* const name : {"a", "b"}) nodes.push_back(std::make_unique<Node>(etcd, name, options));
  }
  // So many milliseconds pass.
  void pass(int ms) {
    for (int at = 0; at < ms; ++at) {
      etcd.advance(1'000);
      for (auto const& node : nodes) {
        static_cast<void>(node->log->end_turn(etcd.now_us()));
        if (node->log->phase() == EtcdLog::Phase::fenced) node->log->follow_again(etcd.now_us());
      }
    }
  }
  // kNone: nobody.
  [[nodiscard]] std::size_t owner() const {
    for (std::size_t at = 0; at < nodes.size(); ++at)
      if (nodes[at]->log->state() == State::serving) return at;
    return kNone;
  }
  void append(std::size_t at) {
    EtcdLog& log = *nodes[at]->log;
    BOOST_REQUIRE(log.reserve(100, false));
    Records::Place const to = log.append(TableId{7}, 3, 1, {}, 40);
    std::ranges::fill(to.body, std::byte{1});
    log.end_group(Durability::synced);
    pass(20);
  }
  void append_removal(std::size_t at) {
    EtcdLog& log = *nodes[at]->log;
    BOOST_REQUIRE(log.reserve(100, true));
    std::ranges::fill(log.append(TableId{7}, 3, 1, {}, 40).body, std::byte{1});
    log.end_group(Durability::synced);
    pass(20);
  }
  sim::EtcdCluster etcd;
  std::vector<std::unique_ptr<Node>> nodes;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(etcd_log)

BOOST_AUTO_TEST_CASE(a_follower_whose_watch_lost_an_event_reads_anew) {
  Scene scene;
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  Node& follower = *scene.nodes[1 - owner];
  scene.append(owner);
  BOOST_TEST(follower.reading.records == 1U);
  std::size_t const resets = follower.reading.resets;
  follower.cluster.loses = 1;
  for (int at = 0; at < 3; ++at) scene.append(owner);
  BOOST_TEST(follower.reading.records == 1U);
  // It asks to be called for that.
  BOOST_TEST(follower.log->next_us() < scene.etcd.now_us() + 11'000'000);
  scene.pass(11'000);
  BOOST_TEST(follower.reading.resets == resets + 1);
  BOOST_TEST(follower.reading.records == 4U);
  BOOST_TEST((follower.log->phase() == EtcdLog::Phase::following));
}

// Before etcd takes nothing from anybody. Removals go on, so that it gets better.
BOOST_AUTO_TEST_CASE(nothing_is_added_while_etcd_is_nearly_full) {
  EtcdLogOptions options;
  options.quota_bytes = 1U << 20U;
  Scene scene{options};
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  EtcdLog& log = *scene.nodes[owner]->log;
  static_cast<void>(log.take_news());
  std::size_t rounds = 0;
  for (; rounds < 100 && log.reserve(16'000, false); ++rounds) {
    std::ranges::fill(log.append(TableId{7}, 3, 1, {}, 15'000).body, std::byte{1});
    log.end_group(Durability::synced);
    scene.pass(2'100);
  }
  BOOST_TEST(rounds > 20U);
  BOOST_TEST(rounds < 60U);
  BOOST_TEST(log.shortage().find("of its quota of 1048576 bytes in use") != std::string::npos, log.shortage());
  BOOST_TEST((log.why().code() == Code::no_space), log.why().text());
  std::vector<LogNews> const news = log.take_news();
  BOOST_TEST(std::ranges::count(news, "etcd-nearly-full", &LogNews::alert) == 1);
  BOOST_TEST(log.reserve(16'000, true));
  BOOST_TEST(log.reserve_to_compact(16'000));
  // What is not needed any more goes.
  log.set_base(log.end_lsn(), log.end_lsn());
  scene.append_removal(owner);
  log.set_base(log.end_lsn(), log.end_lsn());
  scene.pass(30'000);
  BOOST_TEST(log.reserve(16'000, false), log.shortage());
}

// What waits may wait for long: whoever comes then is told.
BOOST_AUTO_TEST_CASE(while_etcd_takes_nothing_and_something_waits_it_does_not_serve) {
  sim::EtcdOptions etcd;
  etcd.limits.quota_bytes = 100'000;
  Scene scene{{}, etcd};
  std::unique_ptr<sim::EtcdSession> const foreign = scene.etcd.connect();
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  scene.append(owner);
  EtcdLog& log = *scene.nodes[owner]->log;
  foreign->send(api::Put{"foreign", std::string(100'000, 'x'), 0}, 1'000'000);
  scene.pass(3'000);
  // Nothing waits so far: what is durable can be read.
  BOOST_TEST((log.state() == State::serving));
  BOOST_TEST(!log.reserve(100, false));
  scene.append_removal(owner);
  BOOST_TEST((log.state() == State::unavailable));
  BOOST_TEST((log.why().code() == Code::unavailable));
  BOOST_TEST(log.why().message().find("alarm NOSPACE") != std::string::npos, log.why().text());
  scene.pass(10'000);
  BOOST_TEST(log.is_owned());
  BOOST_TEST((log.state() == State::unavailable));
  scene.etcd.disarm();
  scene.pass(1'000);
  BOOST_TEST((log.state() == State::serving));
  BOOST_TEST((log.durable_lsn() == log.end_lsn()));
  BOOST_TEST(log.reserve(100, false), log.shortage());
}

BOOST_AUTO_TEST_CASE(who_steps_down_follows_the_next_owner) {
  Scene scene;
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  scene.append(owner);
  scene.nodes[owner]->log->step_down(0);
  BOOST_TEST((scene.nodes[owner]->log->state() == State::fenced));
  scene.pass(1'000);
  std::size_t const next = scene.owner();
  BOOST_REQUIRE(next != kNone);
  scene.append(next);
  scene.pass(100);
  BOOST_TEST(scene.nodes[1 - next]->reading.records == 2U);
  BOOST_TEST((scene.nodes[1 - next]->log->state() == State::following));
}

// In the middle of taking over, too: it does not keep a log that it does not serve.
BOOST_AUTO_TEST_CASE(a_log_that_is_given_away_is_no_alert_and_one_that_is_lost_is) {
  Scene scene;
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  auto const alert = [&](std::size_t at) {
    std::vector<LogNews> const news = scene.nodes[at]->log->take_news();
    return news.empty() ? std::string{"nothing"} : std::string{news.front().alert};
  };
  BOOST_TEST(alert(owner) == "nothing");
  scene.nodes[owner]->log->step_down(scene.etcd.now_us() + 5'000'000);
  BOOST_TEST(alert(owner) == "");
  scene.pass(3'000);
  std::size_t const next = scene.owner();
  BOOST_REQUIRE(next == 1 - owner);
  // It is stopped for longer than its lease.
  std::unique_ptr<Node> const away = std::move(scene.nodes[next]);
  scene.nodes.erase(scene.nodes.begin() + static_cast<std::ptrdiff_t>(next));
  scene.pass(6'000);
  BOOST_TEST(scene.owner() == 0U);
  for (int turn = 0; turn < 1'000 && away->log->phase() != EtcdLog::Phase::fenced; ++turn) {
    scene.etcd.advance(1'000);
    static_cast<void>(away->log->end_turn(scene.etcd.now_us()));
  }
  std::vector<LogNews> const news = away->log->take_news();
  BOOST_REQUIRE(!news.empty());
  BOOST_TEST(news.front().alert == "log-fenced");
}

BOOST_AUTO_TEST_CASE(who_steps_down_before_it_is_the_owner_keeps_nothing) {
  for (EtcdLog::Phase const phase : {EtcdLog::Phase::claiming, EtcdLog::Phase::settling, EtcdLog::Phase::clearing}) {
    Scene scene;
    Node& node = *scene.nodes[0];
    std::int64_t const end_us = scene.etcd.now_us() + 10'000'000;
    while (node.log->phase() != phase && scene.etcd.now_us() < end_us) {
      scene.etcd.advance(100);
      // The answer to its claim comes before its watch tells of it.
      node.cluster.is_deaf = phase == EtcdLog::Phase::settling && node.log->phase() == EtcdLog::Phase::claiming;
      static_cast<void>(node.log->end_turn(scene.etcd.now_us()));
    }
    BOOST_REQUIRE((node.log->phase() == phase));
    node.cluster.is_deaf = false;
    node.log->step_down(0);
    scene.pass(3'000);
    BOOST_TEST(scene.owner() != kNone, "phase " << static_cast<int>(phase));
    BOOST_TEST((node.log->state() != State::unavailable), "phase " << static_cast<int>(phase));
  }
}

// What one node cannot read, another one may.
BOOST_AUTO_TEST_CASE(who_cannot_read_the_log_leaves_it_to_others) {
  Scene scene;
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  Node& other = *scene.nodes[1 - owner];
  other.reading.cannot = true;
  scene.append(owner);
  BOOST_TEST((other.log->why().code() == Code::damaged));
  BOOST_TEST((other.log->state() == State::unavailable));
  scene.nodes[owner]->log->step_down(0);
  scene.pass(3'000);
  BOOST_TEST(scene.owner() == owner);
  scene.append(owner);
  BOOST_TEST(other.reading.records == 0U);
}

// Its claim was carried out while it begins to read once more.
BOOST_AUTO_TEST_CASE(who_owns_a_log_that_it_cannot_read_lets_it_go) {
  Scene scene;
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  Node& other = *scene.nodes[1 - owner];
  scene.append(owner);
  scene.nodes[owner]->log->step_down(0);
  std::int64_t const end_us = scene.etcd.now_us() + 10'000'000;
  while (other.log->phase() != EtcdLog::Phase::claiming && scene.etcd.now_us() < end_us) {
    scene.etcd.advance(100);
    static_cast<void>(other.log->end_turn(scene.etcd.now_us()));
  }
  BOOST_REQUIRE((other.log->phase() == EtcdLog::Phase::claiming));
  other.reading.cannot = true;
  scene.etcd.advance(100'000);
  other.log->follow_again(scene.etcd.now_us());
  scene.pass(3'000);
  BOOST_TEST((other.log->why().code() == Code::damaged));
  BOOST_TEST(scene.owner() == owner);
}

// Its numbers begin beyond those of the one before.
BOOST_AUTO_TEST_CASE(behind_a_new_owner_that_has_appended_nothing_nobody_is_late) {
  Scene scene;
  scene.pass(3'000);
  std::size_t const first = scene.owner();
  BOOST_REQUIRE(first != kNone);
  scene.append(first);
  scene.nodes[first]->log->step_down(scene.etcd.now_us() + 60'000'000);
  scene.pass(5'000);
  std::size_t const next = scene.owner();
  BOOST_REQUIRE(next == 1 - first);
  BOOST_TEST(scene.nodes[next]->log->end_lsn().value > scene.nodes[first]->log->applied().value);
  std::vector<log::Node> const& nodes = scene.nodes[first]->log->nodes();
  BOOST_REQUIRE(nodes.size() == 2U);
  BOOST_TEST(nodes[0].applied.value == nodes[1].applied.value);
}

BOOST_AUTO_TEST_CASE(without_etcd_the_reason_is_told) {
  Scene scene;
  auto const why = [&](std::size_t at) { return scene.nodes[at]->log->why().message(); };
  for (int member : {0, 1}) scene.etcd.kill(member);
  scene.pass(3'000);
  BOOST_TEST(why(0).starts_with("log shared cannot be read: "), why(0));
  for (int member : {0, 1}) scene.etcd.start(member);
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  BOOST_TEST(why(owner).empty(), why(owner));
  for (int member : {0, 1}) scene.etcd.kill(member);
  scene.pass(3'000);
  BOOST_TEST(why(owner).starts_with("log shared has no answer of etcd, and its lease may be over: "), why(owner));
}

BOOST_AUTO_TEST_CASE(a_clean_end_says_what_is_not_durable) {
  Scene scene;
  scene.pass(3'000);
  std::size_t const owner = scene.owner();
  BOOST_REQUIRE(owner != kNone);
  EtcdLog& log = *scene.nodes[owner]->log;
  BOOST_TEST(log.shut_down().ok());
  BOOST_REQUIRE(log.reserve(100, false));
  static_cast<void>(log.append(TableId{7}, 3, 1, {}, 0));
  log.end_group(Durability::synced);
  BOOST_TEST((log.shut_down().code() == Code::unavailable));
  scene.pass(100);
  BOOST_TEST(log.shut_down().ok());
}

BOOST_AUTO_TEST_CASE(nodes_tell_each_other_which_tables_they_declare_otherwise) {
  auto const tables = [](std::size_t count) {
    std::vector<DeclaredTable> out;
    for (std::size_t at = 0; at < count; ++at) out.push_back({fmt::format("t{:05}", at), at + 1});
    return out;
  };
  Scene scene;
  auto const other = [&](std::size_t at) {
    for (log::Node const& node : scene.nodes[at]->log->nodes())
      if (node.name == scene.nodes[1 - at]->log->node()) return node;
    return log::Node{};
  };
  std::vector<DeclaredTable> theirs = tables(20'000);
  scene.nodes[0]->log->declare(tables(20'000));
  scene.nodes[1]->log->declare(theirs);
  scene.pass(5'000);
  BOOST_TEST(other(0).declared != 0U);
  BOOST_TEST(other(0).differs == "");
  BOOST_TEST(other(1).differs == "");
  theirs[5].digest = 4711;
  theirs.erase(theirs.begin() + 3);
  scene.nodes[1]->log->declare(theirs);
  scene.pass(4'000);
  BOOST_TEST(other(0).differs == "t00003, t00005");
  BOOST_TEST(other(1).differs == "t00003, t00005");
  for (std::size_t at = 0; at < 12; ++at) theirs[at].digest = 4712;
  scene.nodes[1]->log->declare(theirs);
  scene.pass(4'000);
  BOOST_TEST(other(0).differs == "t00000, t00001, t00002, t00003, t00004, t00005, t00006, t00007 and 5 more");
  // Behind what a list holds.
  theirs = tables(20'000);
  theirs[19'999].digest = 4713;
  scene.nodes[1]->log->declare(theirs);
  scene.pass(4'000);
  BOOST_TEST(other(0).differs == "tables behind the first thousands");
  scene.nodes[1]->log->declare(tables(20'000));
  scene.pass(4'000);
  BOOST_TEST(other(0).differs == "");
  BOOST_TEST(other(1).differs == "");
  // A node alone says nothing of itself.
  scene.nodes[0]->log->declare(tables(1));
  scene.nodes[1]->log->declare({});
  scene.pass(4'000);
  BOOST_TEST(other(0).differs == "t00000");
  for (log::Node const& node : scene.nodes[0]->log->nodes())
    if (node.name == scene.nodes[0]->log->node()) BOOST_TEST(node.differs == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::etcd::test
