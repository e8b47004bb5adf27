// Limits: a peer that does not read, peers that send without end, and more peers than descriptors.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/reactor/fixture.h"

namespace fastjournal::reactor {

BOOST_AUTO_TEST_SUITE(pressure)

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_read_delays_only_itself) {
  Server server;
  std::string const address = server.listen();
  std::string const flood(32U << 20U, 'f');
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    server.handler.answer(id, bytes == "FLOOD\n" ? std::string_view{flood} : bytes);
  };
  server.start();
  LineClient slow{address};
  slow.send("FLOOD\n");
  BOOST_TEST(slow.read_bytes(1).value() == "f");  // the flood has begun
  LineClient quick{address};
  for (int i = 0; i < 100; ++i) {
    quick.send("x\n");
    BOOST_REQUIRE(quick.read_line() == "x");
  }
  auto const rest = slow.read_bytes(flood.size() - 1);
  BOOST_REQUIRE(rest.has_value());
  BOOST_TEST((*rest == flood.substr(1)));
  server.finish();
  BOOST_TEST(server.handler.short_sends >= 1U);
  BOOST_TEST(server.handler.writable_calls >= 1U);
  // The loop must not spin while it waits for the slow peer.
  BOOST_TEST(server.handler.turns <= 110U + server.handler.writable_calls);
}

BOOST_AUTO_TEST_CASE(a_peer_that_goes_while_it_does_not_read_is_noticed) {
  TemporaryFolder const folder;
  for (std::string const& listen : {kLoopback, folder / "a.sock"}) {
    BOOST_TEST_CONTEXT(listen) {
      Server server;
      std::string const address = server.listen(listen);
      server.handler.bytes_hook = [&](ConnectionId id, std::string_view) {
        server.reactor->pause_reading(id, true);  // as sessions do when too much output waits for the peer
        server.handler.answer(id, std::string(32U << 20U, 'f'));
      };
      server.handler.turn_end_hook = [&] {
        // All output was taken: the session has room again.
        for (auto const& [id, peer] : server.handler.opened)
          if (server.handler.writable_calls > 0) server.reactor->pause_reading(id, false);
      };
      server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
      server.start();
      LineClient client{address};
      client.send("FLOOD\n");
      client.read_bytes(1);
      client.reset();
      server.join();
      BOOST_TEST(server.handler.closed.size() == 1U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_held_connection_gives_no_bytes_until_it_is_let_go) {
  Server server;
  std::string const address = server.listen();
  std::map<ConnectionId, std::string> seen;
  ConnectionId held{};
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    seen[id] += bytes;
    if (bytes == "HOLD\n") {
      held = id;
      server.reactor->pause_reading(id, true);
      server.reactor->pause_reading(id, true);
      server.handler.answer(id, "held\n");
    } else if (bytes == "ASK\n") {
      server.handler.answer(id, std::to_string(seen[held].size()) + "\n");
    } else if (bytes == "LET GO\n") {
      server.reactor->pause_reading(held, false);
    } else {
      server.handler.answer(id, bytes);
    }
  };
  server.start();
  LineClient first{address};
  first.send("HOLD\n");
  BOOST_TEST(first.read_line().value() == "held");
  first.send("later\n");
  LineClient second{address};
  for (int i = 0; i < 20; ++i) {
    second.send("ASK\n");
    BOOST_TEST(second.read_line().value() == "5");
  }
  second.send("LET GO\n");
  BOOST_TEST(first.read_line().value() == "later");
}

// All peers have more input than fits in a turn: turns stay bounded, and no peer is left behind.
BOOST_AUTO_TEST_CASE(a_full_turn_is_bounded_and_those_who_came_too_late_are_read_first) {
  constexpr std::size_t kPeers = 20;
  constexpr std::size_t kBytesEach = 16'000;
  for (bool const gather : {false, true}) {
    BOOST_TEST_CONTEXT("gather " << gather) {
      ReactorOptions options;
      options.gather = gather;
      options.read_bytes_max = 1000;
      options.turn_bytes_max = 3000;
      Server server{options};
      std::string const address = server.listen();
      std::map<ConnectionId, std::size_t> reads;
      std::size_t turn_bytes = 0;
      std::size_t turn_bytes_most = 0;
      std::size_t unfair_most = 0;
      bool let_go = false;
      std::size_t done = 0;
      server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
        if (bytes == "HOLD\n") {
          server.reactor->pause_reading(id, true);
          server.handler.answer(id, "held\n");
        } else if (bytes == "LET GO\n") {
          for (auto const& [one, peer] : server.handler.opened) {
            if (one != id) {
              server.reactor->pause_reading(one, false);
              reads[one] = 0;
            }
          }
          let_go = true;
        } else {
          turn_bytes += bytes.size();
          ++reads[id];
          // Compared while all peers have input left.
          std::size_t least = SIZE_MAX;
          std::size_t most = 0;
          for (auto const& [one, count] : reads) {
            least = std::min(least, count);
            most = std::max(most, count);
          }
          if (most < kBytesEach / options.read_bytes_max) unfair_most = std::max(unfair_most, most - least);
          done += bytes.size();
          if (done == kPeers * kBytesEach) server.reactor->stop();
        }
      };
      server.handler.turn_end_hook = [&] {
        turn_bytes_most = std::max(turn_bytes_most, turn_bytes);
        turn_bytes = 0;
      };
      server.start();
      std::vector<LineClient> clients;
      for (std::size_t i = 0; i < kPeers; ++i) {
        clients.emplace_back(address);
        clients.back().send("HOLD\n");
        BOOST_REQUIRE(clients.back().read_line() == "held");
        clients.back().send(std::string(kBytesEach, 'x'));
      }
      LineClient last{address};
      last.send("LET GO\n");
      server.join();
      BOOST_TEST(let_go);
      BOOST_TEST(done == kPeers * kBytesEach);
      BOOST_TEST(turn_bytes_most <= options.turn_bytes_max + options.read_bytes_max);
      BOOST_TEST(unfair_most <= 3U);  // 16 if the first ones in the kernel's list are always read first
    }
  }
}

BOOST_AUTO_TEST_CASE(peers_above_the_limit_are_refused_and_the_next_are_taken_when_there_is_room) {
  std::vector<std::string> warnings;
  ReactorOptions options;
  options.connections_max = 3;
  options.warn = [&](std::string_view text) { warnings.emplace_back(text); };
  Server server{options};
  std::string const address = server.listen();
  server.start();
  std::vector<LineClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(address);
    clients.back().send("x\n");
    BOOST_TEST(clients.back().read_line().value() == "x");
  }
  for (int i = 0; i < 4; ++i) {
    LineClient refused{address};
    BOOST_TEST(refused.read_all().has_value());
  }
  clients.pop_back();
  // The next connection may come before the loop has seen the end of the last one. Then it is refused, and tried again.
  std::optional<std::string> answer;
  for (int i = 0; i < 1000 && !answer; ++i) {
    LineClient next{address};
    next.send("y\n");
    answer = next.read_line();
  }
  BOOST_TEST(answer.value_or("") == "y");
  clients[0].send("z\n");
  BOOST_TEST(clients[0].read_line().value() == "z");
  server.finish();
  BOOST_TEST(server.reactor->counters().refused >= 4U);
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].find("the limit is 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_last_connections_are_for_the_reserved_listener_and_others_hear_why_there_is_none) {
  TemporaryFolder const folder;
  ReactorOptions options;
  options.connections_max = 8;
  options.connections_reserved = 2;
  Server server{options};
  std::string const address = server.listen(kLoopback, {.number = 1, .refusal = "no more\n"});
  std::string const reserved = server.listen(folder / "a.sock", {.number = 2, .reserved = true, .refusal = "none\n"});
  server.start();
  std::vector<LineClient> clients;
  auto const is_served = [&](std::string const& where) {
    clients.emplace_back(where);
    clients.back().send("x\n");
    return clients.back().read_line() == "x";
  };
  for (int i = 0; i < 6; ++i) BOOST_TEST(is_served(address));
  for (int i = 0; i < 4; ++i) {
    LineClient refused{address};
    BOOST_TEST(refused.read_all().value_or("(lost)") == "no more\n");
  }
  // The ordinary listener pauses meanwhile, but the reserved one does not.
  BOOST_TEST(is_served(reserved));
  BOOST_TEST(is_served(reserved));
  LineClient refused{reserved};
  BOOST_TEST(refused.read_all().value_or("(lost)") == "none\n");
  clients[0].send("z\n");
  BOOST_TEST(clients[0].read_line().value() == "z");
  server.finish();
  BOOST_TEST(server.reactor->connections_max() == 6U);
  BOOST_TEST(server.reactor->counters().refused == 5U);
}

BOOST_AUTO_TEST_CASE(no_more_than_a_quarter_of_the_connections_is_reserved) {
  ReactorOptions options;
  options.connections_max = 10;
  options.connections_reserved = 16;
  BOOST_TEST(make_reactor(options)->connections_max() == 8U);
}

BOOST_AUTO_TEST_CASE(without_descriptors_peers_are_refused_instead_of_left_hanging) {
  std::vector<std::string> warnings;
  ReactorOptions options;
  options.warn = [&](std::string_view text) { warnings.emplace_back(text); };
  Server server{options};
  std::string const address = server.listen();
  server.start();
  LineClient before{address};
  before.send("x\n");
  BOOST_TEST(before.read_line().value() == "x");

  // The test's own sockets count towards the process's limit: make one first, then use up all other descriptors.
  auto const parsed = parse_address(address);
  BOOST_REQUIRE(parsed.ok());
  UniqueFd const late{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  rlimit old{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &old) == 0);
  rlimit low = old;
  low.rlim_cur = 256;
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  std::vector<UniqueFd> fill;
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) fill.emplace_back(fd);

  BOOST_REQUIRE(::connect(late.get(), parsed->get(), parsed->length) == 0);
  char byte = 0;
  ssize_t const got = ::recv(late.get(), &byte, 1, 0);
  BOOST_TEST(got <= 0);
  before.send("y\n");
  BOOST_TEST(before.read_line().value() == "y");

  fill.clear();
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &old) == 0);
  LineClient after{address};
  after.send("z\n");
  BOOST_TEST(after.read_line().value() == "z");
  server.finish();
  BOOST_TEST(server.reactor->counters().refused == 1U);
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].find("Too many open files") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
