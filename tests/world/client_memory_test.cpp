// The account of all memory that clients cause. A client above its share is no longer read, then closed. Small clients
// notice nothing, large honest messages are completed, and nothing is left on the account once a connection has ended.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "engine/waiting/subscriptions.h"
#include "server/session/client_memory.h"
#include "tests/world/asking.h"
#include "wire/framer.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::sim::client_memory_test {
namespace {

using server::ClientMemory;

constexpr std::size_t kFrame = 1U << 20U;
constexpr std::uint64_t kLimit = 16 * kFrame;
// Bytes that one answer may add before the limit is checked again.
constexpr std::uint64_t kOneAnswer = 3 * kFrame;

// Bytes that may remain: the buffers of the connection that asks.
constexpr std::uint64_t kKept = 16U << 10U;

struct Served : Asking {
  explicit Served(std::size_t frame_bytes_max = kFrame) {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml").ok());
    world.limits.frames.frame_bytes_max = frame_bytes_max;
    world.limits.client_memory_bytes = kLimit;
    world.limits.connections.most = 200;
    world.limits.connections.per_peer = 200;
    world.limits.connections.first_message_us = 0;
    start();
    empty = account();
  }
  std::uint64_t stat(std::string const& what) { return static_cast<std::uint64_t>(Asking::stat(what)); }
  std::uint64_t account() { return stat("client_memory"); }
  static std::string insert(std::string const& key, std::size_t bytes) {
    std::string const payload(bytes, 'p');
    Param const params[] = {
        {"table", Value::of_text("jobs")}, {"name", Value::of_text(key)}, {"payload", Value::of_text(payload)}};
    std::string frame;
    protocol::append_frame({.command = "INSERT", .params = params}, frame);
    return frame;
  }
  // Sends as much as one read of the reactor takes, and only if the server has read the last piece.
  void send_piece(std::string const& name, std::string& rest) {
    SimNetwork::Connection& to = world.connection(name);
    if (!to.to_server.empty() || to.closed_by_server) return;
    std::size_t const piece = std::min<std::size_t>(rest.size(), 64U << 10U);
    to.to_server = rest.substr(0, piece);
    rest.erase(0, piece);
  }
  std::uint64_t empty{0};
};

struct ServedLarger : Served {
  ServedLarger() : Served(4 * kFrame) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(client_memory)

BOOST_AUTO_TEST_CASE(who_has_more_than_a_share_of_what_is_short_is_greedy) {
  ClientMemory memory{100U << 20U, 100};
  ClientMemory::Account a1;
  ClientMemory::Account a2;
  ClientMemory::Account b;
  memory.open(a1, "a");
  memory.open(a2, "a");
  memory.open(b, "b");
  memory.set(a1, 70U << 20U);
  BOOST_TEST(!memory.is_greedy(a1));  // there is enough for all
  memory.set(b, 10U << 20U);
  BOOST_TEST(memory.is_short());
  BOOST_TEST(memory.is_greedy(a1));
  BOOST_TEST(!memory.is_greedy(b));  // its fair share is half of 75 MiB
  memory.set(a2, 6U << 20U);
  BOOST_TEST(!memory.is_greedy(a2));  // two connections of one peer: half of a half
  memory.set(a1, 0);
  memory.set(a2, 20U << 20U);
  memory.set(b, 60U << 20U);
  BOOST_TEST(memory.is_greedy(b));
  BOOST_TEST(!memory.is_greedy(a2));
  BOOST_TEST(ClientMemory::has_more(b, a2));
  memory.close(a1, "a");
  memory.close(a2, "a");
  memory.close(b, "b");
  BOOST_TEST(memory.total() == 0U);
}

BOOST_FIXTURE_TEST_CASE(unfinished_frames_stay_within_the_limit_and_small_clients_are_served, Served) {
  std::string const frame = insert("never", kFrame - 1000);
  std::vector<std::string> rest(60, frame.substr(0, kFrame - 5000));
  for (int round = 0; round < 40; ++round) {
    for (std::size_t i = 0; i < rest.size(); ++i) send_piece("greedy" + std::to_string(i), rest[i]);
    BOOST_TEST(ask("INSERT table=jobs;name=n" + std::to_string(round)).starts_with("INSERTED "));
    BOOST_REQUIRE(account() <= kLimit + kOneAnswer);
  }
  BOOST_TEST(stat("client_memory_peak") <= kLimit + kOneAnswer);
  // A large message from another address is accepted meanwhile.
  std::string honest = insert("large", kFrame - 1000);
  for (int round = 0; round < 100 && !honest.empty(); ++round) {
    send_piece("honest@192.0.2.9", honest);
    world.advance(DurationMs{5});
  }
  world.advance(DurationMs{100});
  BOOST_TEST(world.connection("honest@192.0.2.9").to_client.starts_with(protocol::kFrameMagic));
  BOOST_TEST(ask("PEEK table=jobs;name=large").starts_with("ROW "));
  // Clients that were allowed to go on and send nothing more are closed, and in the end there is room again.
  world.advance(DurationMs{600'000});
  BOOST_TEST(stat("client_memory") < kLimit - kLimit / 4);
  std::size_t told = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    SimNetwork::Connection const& one = world.connection("greedy" + std::to_string(i));
    if (one.to_client.find("code=over_limit") != std::string::npos && one.closed_by_server) ++told;
  }
  BOOST_TEST(told == stat("clients_refused"));
  BOOST_TEST(told > 0U);
  BOOST_TEST(std::any_of(world.told().begin(), world.told().end(), [](log::AlertNotice const& one) {
    return one.up && one.alert.name == "client-memory-short";
  }));
  for (std::size_t i = 0; i < rest.size(); ++i) world.close("greedy" + std::to_string(i));
  world.close("honest@192.0.2.9");
  BOOST_TEST(account() < empty + kKept);
  world.advance(DurationMs{20'000});
  BOOST_TEST(ask("ALERTS").starts_with("ALERTS count=0"));
}

// Together they need far more than the limit: each of them is paused in the middle of a message.
BOOST_FIXTURE_TEST_CASE(honest_clients_with_large_frames_all_come_to_their_end, Served) {
  std::vector<std::string> rest;
  for (int i = 0; i < 40; ++i) rest.push_back(insert("h" + std::to_string(i), kFrame - 1000));
  for (int round = 0; round < 1000; ++round) {
    bool more = false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (!rest[i].empty()) send_piece("honest" + std::to_string(i), rest[i]);
      more = more || !rest[i].empty();
    }
    world.advance(DurationMs{10});
    if (!more) break;
  }
  world.advance(DurationMs{5000});
  BOOST_TEST(stat("clients_refused") == 0U);
  for (std::size_t i = 0; i < rest.size(); ++i)
    BOOST_TEST(ask("PEEK table=jobs;name=h" + std::to_string(i)).starts_with("ROW "), i);
  BOOST_TEST(stat("client_memory_peak") <= kLimit + kOneAnswer);
}

BOOST_FIXTURE_TEST_CASE(those_who_never_read_stay_within_the_limit_too, Served) {
  for (int i = 0; i < 100; ++i)
    ask("INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + std::string(9000, 'p'));
  for (int i = 0; i < 60; ++i) {
    std::string const name = "deaf" + std::to_string(i);
    world.connection(name).room = 0;
    for (int lines = 0; lines < 20; ++lines) world.send(name, "LIST table=jobs;count=100");
  }
  for (int round = 0; round < 50; ++round) {
    world.advance(DurationMs{100});
    BOOST_TEST(ask("INSERT table=jobs;name=m" + std::to_string(round)).starts_with("INSERTED "));
  }
  BOOST_TEST(stat("client_memory_peak") <= kLimit + kOneAnswer);
  for (int i = 0; i < 60; ++i) world.close("deaf" + std::to_string(i));
  BOOST_TEST(account() < empty + kKept);
}

// The process itself gets no more memory, whatever the limits are.
BOOST_FIXTURE_TEST_CASE(where_memory_ends_what_adds_is_refused_until_there_is_some_again, ServedLarger) {
  std::string const first = ask("INSERT table=jobs;name=a");
  BOOST_TEST(first.starts_with("INSERTED "), first);
  BOOST_TEST(ask("INSERT table=jobs;name=b").starts_with("INSERTED "));
  std::string large = insert("large", 3 * kFrame);
  for (int round = 0; round < 6; ++round) {
    send_piece("sends", large);
    world.settle();
  }
  std::string begun = "INSERT table=jobs;name=begun;payload=" + std::string(200'000, 'p') + "\n";
  send_piece("begun", begun);
  world.settle();
  send_piece("begun", begun);
  world.settle();
  world.memory_ended = world.memory_stays_short = true;
  BOOST_TEST(ask("INSERT table=jobs;name=c").find("code=no_space") != std::string::npos);
  BOOST_TEST(ask("DELETE table=jobs;name=a").starts_with("DELETED "));
  BOOST_TEST(ask("PEEK table=jobs;name=b").starts_with("ROW "));
  BOOST_TEST(ask("NEXT table=jobs").starts_with("ROW "));
  BOOST_TEST(ask("ALERTS").find("name=memory-ended") != std::string::npos);
  // A message that had begun is read to its end, so that its client hears that it is refused.
  for (int round = 0; round < 4; ++round) {
    send_piece("begun", begun);
    world.advance(DurationMs{20});
  }
  BOOST_TEST(world.take_line("begun").value_or("").find("code=no_space") != std::string::npos);
  world.send("begun", "PEEK table=jobs;name=b");
  world.settle();
  BOOST_TEST(world.take_line("begun").value_or("").starts_with("ROW "));
  // Meanwhile clients that use much memory are not read.
  send_piece("sends", large);
  world.settle();
  send_piece("sends", large);
  world.settle();
  BOOST_TEST(world.connection("sends").paused);
  world.memory_stays_short = false;
  world.advance(DurationMs{1100});
  BOOST_TEST(!world.connection("sends").paused);
  while (!large.empty()) {
    send_piece("sends", large);
    world.settle();
  }
  BOOST_TEST(ask("PEEK table=jobs;name=large").starts_with("ROW "));
  BOOST_TEST(ask("INSERT table=jobs;name=c").starts_with("INSERTED "));
  world.advance(DurationMs{20'000});
  BOOST_TEST(ask("ALERTS").starts_with("ALERTS count=0"));
}

BOOST_FIXTURE_TEST_CASE(what_waits_and_listens_is_counted_and_short, Served) {
  std::string const zeros(5000, '0');
  BOOST_TEST(ask("NEXT table=jobs;count=" + zeros + "1;wait=60000;request=1").find("code=too_large") !=
             std::string::npos);
  for (int i = 0; i < 100; ++i) world.send("waits", "NEXT table=jobs;wait=60000;request=" + std::to_string(i));
  world.settle();
  std::uint64_t const waiting = account() - empty;
  BOOST_TEST(waiting >= 100 * work::Subscriptions::kWaitingCost);
  world.advance(DurationMs{61'000});
  BOOST_TEST(account() - empty < 100'000U);
  world.send("waits", "LISTEN table=jobs;mode=deliver;credit=1000");
  world.settle();
  BOOST_TEST(account() - empty > 8000U);
  world.send("waits", "UNLISTEN table=jobs");
  world.send("waits", "NEXT table=jobs;wait=60000;request=a");
  world.settle();
  ask("INSERT table=jobs;name=a");
  world.close("waits");
  BOOST_TEST(account() < empty + kKept);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::client_memory_test
