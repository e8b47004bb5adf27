// The change feed and messages by UDP, in the simulator: random lives of a daemon whose followers receive datagrams
// over a bad network and must reach the same state; and one case for each rule. FJ_SEED and FJ_LIVES as in
// random_lives_test.cpp.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <random>

#include "base/base64.h"
#include "tests/support/seed.h"
#include "tests/world/asking.h"
#include "tests/world/follower.h"
#include "wire/feed.h"
#include "wire/text.h"

namespace fastjournal::sim::feed_test {
namespace {

std::string const kJobs = FJ_SOURCE_DIR "/tests/transcripts/jobs.xml";
std::string const kWiderJobs = FJ_SOURCE_DIR "/tests/transcripts/wider/jobs.xml";

struct Fed : Asking {
  explicit Fed(std::uint64_t seed = 7, FeedDeclaration declared = feed_that_keeps(1U << 20U))
      : Asking(seed), feed(declared) {
    BOOST_REQUIRE(world.add_table(kJobs).ok());
    world.set_feed("jobs", feed);
    start();
  }
  std::vector<std::string> ask_all(std::string const& line, std::string const& who = "main") {
    world.send(who, line);
    world.settle();
    std::vector<std::string> out;
    while (auto answer = world.take_line(who)) out.push_back(std::move(*answer));
    return out;
  }
  // Number of records that arrived; heartbeats are not counted.
  std::size_t records_that_arrive() {
    std::size_t count = 0;
    for (std::string const& bytes : world.network().take_datagrams()) {
      protocol::FeedDatagram datagram;
      BOOST_REQUIRE(protocol::read_feed(bytes, datagram));
      BOOST_TEST(bytes.size() <= protocol::kFeedDatagramBytesMax);
      count += datagram.records.size();
    }
    return count;
  }
  FeedDeclaration feed;
};

// One life with every kind of record, followers that join late or were away, and crashes.
class Life {
 public:
  Life(std::uint64_t seed, Fed& fed) : random_(seed), fed_(fed) {
    fed_.world.network().set_weather({.lost = 100, .doubled = 100, .late = 100, .refused = 20}, seed);
  }

  std::string run(int steps) {
    for (int step = 0; step < steps && wrong_.empty(); ++step) {
      act(draw(1000));
      if (follower_ == nullptr || draw(150) == 0) begin_to_follow();
      if (wrong_.empty() && draw(3) == 0) check(follower_->step());
      if (wrong_.empty() && draw(40) == 0) wrong_ = follower_->compare();
    }
    if (wrong_.empty()) wrong_ = follower_->compare();
    count();
    return wrong_;
  }

  replica::Counters sum;

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  void check(Status const& status) {
    if (!status.ok()) wrong_ = status.text();
  }
  void begin_to_follow() {
    count();
    follower_ = std::make_unique<Follower>(fed_.world, "jobs", random_());
  }
  void count() {
    if (follower_ == nullptr) return;
    replica::Counters const& one = follower_->replica().counters();
    sum.gaps += one.gaps;
    sum.fetches += one.fetches;
    sum.snapshots += one.snapshots;
    sum.duplicates += one.duplicates;
    sum.datagrams += one.datagrams;
    sum.records += one.records;
    sum.damaged += one.damaged;
  }

  void act(std::uint64_t dice) {
    if (dice < 8) {
      crash(draw(2) == 0);
    } else if (dice < 12) {
      check(fed_.world.stop());
      if (wrong_.empty()) fed_.start();
    } else if (dice < 22) {
      reload();
    } else if (dice < 30) {
      // Days: clients that were silent are dropped.
      fed_.world.advance(DurationMs{static_cast<std::int64_t>(draw(4)) * 86'400'000});
    } else if (dice < 120) {
      fed_.world.advance(DurationMs{static_cast<std::int64_t>(draw(30'000))});
    } else if (dice < 130) {
      std::string const word = draw(2) == 0 ? "RESUME" : draw(2) == 0 ? "PAUSE" : "DRAIN";
      fed_.ask_all(word + " table=jobs;reason=drawn", client());
    } else if (dice < 140) {
      fed_.world.close(client());
    } else if (dice < 500) {
      insert();
    } else if (dice < 700) {
      for (std::string const& line : fed_.ask_all("NEXT table=jobs;count=3", client())) take(line);
    } else {
      end_one();
    }
  }

  std::string client() { return "c" + std::to_string(draw(3)); }

  void insert() {
    std::string line = "INSERT table=jobs;name=k" + std::to_string(draw(60)) +
                       ";payload=" + std::string(draw(draw(10) == 0 ? 6000 : 100), 'x');
    if (draw(2) == 0)
      line += ";client=p" + std::to_string(draw(5)) +
              ";sequence=" + std::to_string(draw(8) == 0 ? draw(100'000) : draw(600));
    if (draw(3) == 0) line += ";process_date=+" + std::to_string(draw(60'000));
    if (draw(8) == 0) line += ";expiration_date=+" + std::to_string(1 + draw(90'000));
    fed_.ask_all(line, client());
  }
  void take(std::string const& line) {
    Message message;
    check(protocol::parse_line(line, message));
    if (message.command == "ROW")
      held_.push_back(";row=" + std::string{message.text("row")} + ";epoch=" + std::string{message.text("epoch")});
  }
  void end_one() {
    if (held_.empty()) return;
    std::size_t const which = draw(held_.size());
    std::string const tail = held_[which];
    std::string const words[] = {"DONE", "DONE", "DONE", "RELEASE", "FAIL", "TOUCH", "KICK"};
    std::string const word = words[draw(7)];
    fed_.ask_all(word + " table=jobs" + (word == "KICK" ? tail.substr(0, tail.find(";epoch")) : tail), client());
    if (draw(2) == 0) held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void reload() {
    wide_ = !wide_;
    check(fed_.world.add_table(wide_ ? kWiderJobs : kJobs));
    fed_.world.set_feed("jobs", fed_.feed);
    fed_.ask_all("RELOAD", "admin");
  }
  void crash(bool power) {
    fed_.world.send("c0", "INSERT table=jobs;name=unheard");
    fed_.world.send("c0", "NEXT table=jobs");
    if (draw(2) == 0) fed_.world.settle();
    if (power)
      fed_.world.power_cut();
    else
      fed_.world.kill();
    fed_.start();
    held_.clear();
  }

  std::mt19937_64 random_;
  Fed& fed_;
  std::unique_ptr<Follower> follower_;
  std::vector<std::string> held_;
  bool wide_{false};
  std::string wrong_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(feed)

BOOST_AUTO_TEST_CASE(followers_come_to_the_same_digest) {
  replica::Counters sum;
  std::uint64_t const first = test::seed_or(1);
  std::uint64_t const lives = test::number_from("FJ_LIVES", 60);
  for (std::uint64_t seed = first; seed < first + lives; ++seed) {
    // Some feeds keep so little that a follower that was away for a moment must start anew.
    FeedDeclaration feed = feed_that_keeps(seed % 3 == 0 ? 3'000U : 1U << 20U);
    feed.heartbeat_ms = 600'000;  // days pass
    Fed fed{seed, feed};
    Life life{seed, fed};
    std::string const wrong = life.run(400);
    BOOST_TEST(wrong.empty(), "FJ_SEED=" << seed << " FJ_LIVES=1: " << wrong);
    sum.gaps += life.sum.gaps;
    sum.snapshots += life.sum.snapshots;
    sum.fetches += life.sum.fetches;
    sum.duplicates += life.sum.duplicates;
    sum.damaged += life.sum.damaged;
    sum.records += life.sum.records;
  }
  BOOST_TEST_MESSAGE(lives << " lives: " << sum.records << " records, " << sum.gaps << " gaps, " << sum.fetches
                           << " fetches, " << sum.snapshots << " snapshots");
  BOOST_TEST(sum.damaged == 0U);
  if (lives < 20) return;
  // Each of these must have happened.
  BOOST_TEST(sum.gaps > lives);
  BOOST_TEST(sum.fetches > lives);
  BOOST_TEST(sum.snapshots > lives * 2);
  BOOST_TEST(sum.duplicates > lives);
}

BOOST_FIXTURE_TEST_CASE(many_small_records_share_a_datagram, Fed) {
  static_cast<void>(records_that_arrive());
  std::int64_t const before = stat("feed_datagrams");
  for (int i = 0; i < 50; ++i) world.send("main", "INSERT table=jobs;name=n" + std::to_string(i));
  BOOST_TEST(ask_all("ALIVE").size() == 51U);
  BOOST_TEST(records_that_arrive() == 50U);
  BOOST_TEST(stat("feed_datagrams") - before < 8);
}

BOOST_FIXTURE_TEST_CASE(nothing_leaves_before_it_is_durable, Fed) {
  ask("INSERT table=jobs;name=a");
  world.advance(DurationMs{100});
  static_cast<void>(records_that_arrive());
  // A lease is written but not synced: followers get it after a sync, and the feed asks for one soon.
  BOOST_TEST(ask("NEXT table=jobs").starts_with("ROW "));
  BOOST_TEST(records_that_arrive() == 0U);
  world.advance(DurationMs{11});
  BOOST_TEST(records_that_arrive() == 1U);
  world.disk().fail_call(Call::sync, 1, Failure::io_error);
  BOOST_TEST(ask("INSERT table=jobs;name=b") == "(nothing)");
  BOOST_TEST(records_that_arrive() == 0U);
}

BOOST_FIXTURE_TEST_CASE(what_is_fetched_is_synced_first, Fed) {
  ask("INSERT table=jobs;name=a");
  world.advance(DurationMs{100});
  BOOST_TEST(ask("NEXT table=jobs").starts_with("ROW "));
  BOOST_TEST(world.log().writer().has_unsynced());
  Follower follower{world, "jobs", 1};
  BOOST_TEST(follower.compare() == "");
  BOOST_TEST(!world.log().writer().has_unsynced());
  world.power_cut();
  start();
  BOOST_TEST(follower.compare() == "");
  BOOST_TEST(follower.replica().counters().snapshots == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_heartbeat_tells_of_a_lost_last_datagram, Fed) {
  Follower follower{world, "jobs", 1};
  BOOST_TEST(follower.compare() == "");
  world.network().set_weather({.lost = 1000}, 1);
  ask("INSERT table=jobs;name=a");
  BOOST_TEST(follower.hear());
  world.network().set_weather({}, 1);
  world.advance(DurationMs{1001});
  BOOST_TEST(!follower.hear());
  BOOST_TEST(follower.replica().counters().gaps == 1U);
  BOOST_TEST(follower.compare() == "");
  BOOST_TEST(stat("feed_heartbeats") > 0);
}

BOOST_FIXTURE_TEST_CASE(what_the_kernel_refuses_is_dropped_and_counted, Fed) {
  Follower follower{world, "jobs", 1};
  BOOST_TEST(follower.compare() == "");
  world.network().set_weather({.refused = 1000}, 1);
  BOOST_TEST(ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
  BOOST_TEST(stat("feed_dropped") == 1);
  BOOST_TEST(follower.compare() == "");
}

BOOST_FIXTURE_TEST_CASE(a_record_larger_than_a_datagram_is_announced_and_fetched, Fed) {
  Follower follower{world, "jobs", 1};
  BOOST_TEST(follower.compare() == "");
  ask("INSERT table=jobs;name=a;payload=" + std::string(5000, 'x'));
  BOOST_TEST(!follower.hear());
  BOOST_REQUIRE(follower.step().ok());
  BOOST_TEST(follower.replica().is_up_to_date());
  BOOST_TEST(follower.replica().counters().snapshots == 1U);
  BOOST_TEST(follower.compare() == "");
}

BOOST_AUTO_TEST_CASE(a_gap_larger_than_what_is_kept_ends_in_a_snapshot) {
  Fed fed{7, feed_that_keeps(2000)};
  Follower follower{fed.world, "jobs", 1};
  BOOST_TEST(follower.compare() == "");
  for (int i = 0; i < 100; ++i) fed.ask("INSERT table=jobs;name=n" + std::to_string(i));
  static_cast<void>(fed.world.network().take_datagrams());
  BOOST_TEST(fed.ask("FETCH table=jobs;from=1").starts_with("GONE kept_from="));
  BOOST_TEST(follower.compare() == "");
  BOOST_TEST(follower.replica().counters().snapshots == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_restart_keeps_what_a_follower_missed, Fed) {
  Follower follower{world, "jobs", 1};
  BOOST_TEST(follower.compare() == "");
  world.network().set_weather({.lost = 1000}, 1);
  for (int i = 0; i < 10; ++i) ask("INSERT table=jobs;name=n" + std::to_string(i));
  world.kill();
  start();
  BOOST_TEST(follower.compare() == "");
  BOOST_TEST(follower.replica().counters().snapshots == 1U);
  // A table of the same name in another store is not a continuation.
  World other{8};
  BOOST_TEST(other.log_options.store_id_seed != world.log_options.store_id_seed);
}

BOOST_FIXTURE_TEST_CASE(fetch_says_what_is_wrong, Fed) {
  BOOST_TEST(ask("FETCH table=jobs").starts_with("ERROR code=missing_parameter;"));
  BOOST_TEST(ask("FETCH table=jobs;from=1;snapshot=1").starts_with("ERROR code=missing_parameter;"));
  BOOST_TEST(ask("FETCH table=jobs;from=x").starts_with("ERROR code=bad_parameter;"));
  BOOST_TEST(ask("FETCH table=jobs;snapshot=1;cursor=nonsense").starts_with("ERROR code=bad_parameter;"));
  BOOST_TEST(ask("FETCH table=jobs;snapshot=1;cursor=99.0.0.0.0").starts_with("GONE "));
  BOOST_TEST(ask("FETCH table=gone;from=1").starts_with("ERROR code=unknown_table;"));
  world.set_feed("jobs", std::nullopt);
  BOOST_TEST(ask("admin", "RELOAD").find("feed sim -> none") != std::string::npos);
  BOOST_TEST(world.network().datagram_sockets() == 0U);
  BOOST_TEST(ask("FETCH table=jobs;from=1").starts_with("ERROR code=not_supported;"));
  BOOST_TEST(ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
  world.set_feed("jobs", feed);
  BOOST_TEST(ask("admin", "RELOAD").starts_with("RELOADED "));
  Follower follower{world, "jobs", 1};
  BOOST_TEST(follower.compare() == "");
}

BOOST_FIXTURE_TEST_CASE(digest_is_for_the_administrator, Fed) {
  BOOST_TEST(ask("DIGEST table=jobs").starts_with("ERROR code=not_allowed;"));
  Follower follower{world, "jobs", 1};
  ask("INSERT table=jobs;name=a");
  BOOST_TEST(follower.compare() == "");
  Message message;
  std::string const line = ask("admin", "DIGEST table=jobs");
  BOOST_REQUIRE(protocol::parse_line(line, message).ok());
  BOOST_TEST(static_cast<std::uint64_t>(*message.integer("lsn")) == follower.replica().position().value);
  BOOST_TEST(std::strtoull(std::string{message.text("digest")}.c_str(), nullptr, 16) == follower.replica().digest());
}

// Messages by UDP.
namespace {

struct Addressed : Fed {
  explicit Addressed(communicator::DatagramOptions options = {.secret = "open sesame", .messages_per_second = 10'000}) {
    socket = world.network().receive_datagrams({})->id;
    world.server().datagrams().take(socket, std::move(options));
  }
  void datagram(std::string const& text) {
    world.network().datagram_to_server(socket, text);
    world.settle();
  }
  ConnectionId socket{};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_right_secret_inserts_and_is_kept_nowhere, Addressed) {
  datagram("INSERT table=jobs;name=a;secret_code=open sesame");
  std::string const row = ask("PEEK table=jobs;name=a");
  BOOST_TEST(row.starts_with("ROW "), row);
  BOOST_TEST(row.find("sesame") == std::string::npos);
  BOOST_TEST(stat("udp_messages") == 1);
}

BOOST_FIXTURE_TEST_CASE(a_missing_or_wrong_secret_is_dropped_and_counted, Addressed) {
  for (std::string const tail : {"", ";secret_code=", ";secret_code=open sesam", ";secret_code=open sesame!"})
    datagram("INSERT table=jobs;name=a" + tail);
  BOOST_TEST(ask("PEEK table=jobs;name=a").starts_with("ERROR "));
  BOOST_TEST(stat("udp_wrong_secret") == 4);
}

BOOST_FIXTURE_TEST_CASE(what_adds_nothing_is_ignored_and_what_is_no_message_is_dropped, Addressed) {
  datagram("PING uri=x;secret_code=open sesame");
  datagram("STOP secret_code=open sesame");
  datagram("NEXT table=jobs;secret_code=open sesame");
  BOOST_TEST(stat("udp_ignored") == 3);
  BOOST_TEST(world.stop_reason() == "");
  datagram("INSERT table=jobs;na-me");
  datagram("INSERT table=jobs;secret_code=open sesame;name=" + std::string(1000, 'x'));
  BOOST_TEST(stat("udp_dropped") == 2);
  datagram("INSERT table=jobs;colour=red;secret_code=open sesame");
  BOOST_TEST(stat("udp_refused") == 1);
}

BOOST_AUTO_TEST_CASE(more_than_are_allowed_in_a_second_are_dropped) {
  Addressed one{{.secret = "", .messages_per_second = 10}};
  one.world.advance(DurationMs{5000});
  for (int i = 0; i < 30; ++i) one.datagram("INSERT table=jobs;name=n" + std::to_string(i));
  BOOST_TEST(one.stat("udp_dropped") == 20);
  one.world.advance(DurationMs{500});
  for (int i = 0; i < 30; ++i) one.datagram("INSERT table=jobs;name=m" + std::to_string(i));
  BOOST_TEST(one.stat("udp_dropped") == 45);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::feed_test
