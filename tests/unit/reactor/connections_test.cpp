// Connections over real loopback sockets: all bytes arrive in order, and each way in which a connection can end is
// reported once.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/reactor/fixture.h"

namespace fastjournal::reactor {
namespace {

// Text in which a lost, doubled or moved byte is noticed.
std::string counted_bytes(std::size_t size) {
  std::string out;
  out.reserve(size + 16);
  for (std::size_t i = 0; out.size() < size; ++i) out.append(std::to_string(i)).push_back(' ');
  out.resize(size);
  return out;
}

bool has_ipv6() {
  try {
    auto reactor = make_reactor();
    return reactor->listen({"[::1]:0"}, {}).ok();
  } catch (...) {
    return false;
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(connections)

BOOST_AUTO_TEST_CASE(lines_come_back_over_every_kind_of_socket) {
  TemporaryFolder const folder;
  Server server;
  std::vector<std::string> addresses{server.listen(), server.listen("unix:" + folder / "a.sock")};
  if (has_ipv6()) addresses.push_back(server.listen("[::1]:0"));
  server.start();
  for (std::string const& address : addresses) {
    BOOST_TEST_CONTEXT(address) {
      LineClient client{address};
      BOOST_TEST(client.send("one\ntwo\n"));
      BOOST_TEST(client.read_line().value() == "one");
      BOOST_TEST(client.read_line().value() == "two");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_listener_stops_and_its_connections_stay) {
  TemporaryFolder const folder;
  std::string const path = folder / "a.sock";
  Server server;
  std::string const first = server.listen(kLoopback, {.number = 1});
  std::string const second = server.listen(kLoopback, {.number = 2});
  std::string const local = server.listen("unix:" + path, {.number = 3});
  server.handler.bytes_hook = [&server](ConnectionId id, std::string_view bytes) {
    if (bytes == "stop\n") {
      server.reactor->stop_listening(2);
      server.reactor->stop_listening(3);
      server.reactor->stop_listening(4);
    }
    server.handler.answer(id, bytes);
  };
  server.start();
  LineClient two{second};
  LineClient three{local};
  BOOST_TEST(two.ask("a") == "a");
  BOOST_TEST(three.ask("b") == "b");
  LineClient one{first};
  BOOST_TEST(one.ask("stop") == "stop");
  BOOST_TEST(two.ask("c") == "c");
  BOOST_TEST(three.ask("d") == "d");
  BOOST_TEST(!std::filesystem::exists(path));
  // Somebody else may listen there now.
  BOOST_TEST(Reactor::can_listen({second}).ok());
  BOOST_TEST(!Reactor::can_listen({first}).ok());
}

BOOST_AUTO_TEST_CASE(one_listener_takes_the_place_of_another_and_nobody_is_refused) {
  TemporaryFolder const folder;
  std::string const path = folder / "a.sock";
  auto const mode = [&path] { return std::filesystem::status(path).permissions(); };
  Server server;
  std::string const tcp = server.listen(kLoopback, {.number = 1});
  std::string const local = server.listen("unix:" + path, {.number = 2, .unix_mode = 0600});
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "replace\n") {
      BOOST_TEST(server.listen(tcp, {.number = 3}) == tcp);
      server.reactor->stop_listening(1);
      BOOST_TEST(server.listen(local, {.number = 4, .unix_mode = 0660}) == local);
      server.reactor->stop_listening(2);
    }
    if (bytes == "undo\n") {
      server.listen(local, {.number = 5, .unix_mode = 0666});
      server.reactor->stop_listening(5);
    }
    server.handler.answer(id, bytes);
  };
  server.start();
  LineClient first{tcp};
  BOOST_TEST(first.ask("a") == "a");
  BOOST_TEST((mode() == static_cast<std::filesystem::perms>(0600)));
  BOOST_TEST(first.ask("replace") == "replace");
  BOOST_TEST((mode() == static_cast<std::filesystem::perms>(0660)));
  LineClient second{tcp};
  BOOST_TEST(second.ask("b") == "b");
  LineClient third{local};
  BOOST_TEST(third.ask("undo") == "undo");
  BOOST_TEST((mode() == static_cast<std::filesystem::perms>(0660)));
  LineClient fourth{local};
  BOOST_TEST(fourth.ask("c") == "c");
  server.finish();
  BOOST_TEST((server.handler.listeners == std::vector<std::uint32_t>{1, 3, 4, 4}));
  BOOST_TEST(server.reactor->counters().refused == 0U);
}

BOOST_AUTO_TEST_CASE(peers_are_named) {
  TemporaryFolder const folder;
  Server server;
  std::string const tcp = server.listen();
  std::string const local = server.listen(folder / "a.sock");
  server.start();
  LineClient first{tcp};
  first.send("x\n");
  first.read_line();
  LineClient second{local};
  second.send("x\n");
  second.read_line();
  server.finish();
  BOOST_REQUIRE(server.handler.opened.size() == 2U);
  BOOST_TEST(server.handler.opened[0].second.starts_with("127.0.0.1:"));
  BOOST_TEST(server.handler.opened[0].second != tcp);
  BOOST_TEST(server.handler.opened[1].second ==
             "unix:pid " + std::to_string(::getpid()) + " uid " + std::to_string(::getuid()));
}

BOOST_AUTO_TEST_CASE(many_connections_get_their_own_answers) {
  Server server;
  std::string const address = server.listen();
  server.start();
  std::vector<LineClient> clients;
  for (int i = 0; i < 300; ++i) clients.emplace_back(address);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < clients.size(); ++i)
      clients[i].send(std::to_string(i) + "." + std::to_string(round) + "\n");
    for (std::size_t i = 0; i < clients.size(); ++i)
      BOOST_REQUIRE(clients[i].read_line() == std::to_string(i) + "." + std::to_string(round));
  }
}

BOOST_AUTO_TEST_CASE(bytes_sent_one_by_one_arrive_whole) {
  Server server;
  std::string const address = server.listen();
  server.start();
  LineClient client{address};
  std::string const text = counted_bytes(500) + "\n";
  for (char const c : text) BOOST_REQUIRE(client.send({&c, 1}));
  BOOST_TEST(client.read_bytes(text.size()).value() == text);
}

BOOST_AUTO_TEST_CASE(many_megabytes_arrive_whole_and_in_order) {
  TemporaryFolder const folder;
  Server server;
  std::vector<std::string> const addresses{server.listen(), server.listen(folder / "a.sock")};
  server.start();
  std::string const text = counted_bytes(24U << 20U);
  for (std::string const& address : addresses) {
    BOOST_TEST_CONTEXT(address) {
      LineClient client{address};
      std::thread writer{[&] {
        client.send(text);
        client.end_output();
      }};
      std::string received;
      while (auto piece = client.read_bytes(1)) {
        received += *piece;
        if (received.size() == 1) break;
      }
      auto const rest = client.read_bytes(text.size() - 1);
      writer.join();
      BOOST_REQUIRE(rest.has_value());
      BOOST_TEST((received + *rest == text));
    }
  }
}

BOOST_AUTO_TEST_CASE(answers_are_sent_after_the_end_of_input) {
  TemporaryFolder const folder;
  Server server;
  std::vector<std::string> const addresses{server.listen(), server.listen(folder / "a.sock")};
  server.start();
  for (std::string const& address : addresses) {
    BOOST_TEST_CONTEXT(address) {
      LineClient client{address};
      std::string const text = counted_bytes(3U << 20U);
      std::thread writer{[&] {
        client.send(text);
        client.end_output();
      }};
      writer.join();
      BOOST_TEST((client.read_all() == text));
    }
  }
  server.finish();
  BOOST_TEST(server.handler.ended.size() == 2U);
  BOOST_TEST(server.handler.closed.empty());
  BOOST_TEST(server.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(a_reset_is_told_once) {
  Server server;
  std::string const address = server.listen();
  server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
  server.start();
  LineClient client{address};
  client.send("x\n");
  client.read_line();
  client.reset();
  server.join();
  BOOST_REQUIRE(server.handler.closed.size() == 1U);
  BOOST_TEST((server.handler.closed[0].first == server.handler.opened[0].first));
  BOOST_TEST(server.handler.closed[0].second == "Connection reset by peer");
  BOOST_TEST(server.handler.ended.empty());
}

BOOST_AUTO_TEST_CASE(a_peer_that_goes_for_good_after_its_end_of_input_is_noticed) {
  TemporaryFolder const folder;
  for (std::string const& listen : {kLoopback, folder / "a.sock"}) {
    BOOST_TEST_CONTEXT(listen) {
      Server server;
      std::string const address = server.listen(listen);
      // The connection stays open, as for a worker that waits for work.
      server.handler.end_of_input_hook = [&](ConnectionId id) { server.handler.answer(id, "seen\n"); };
      server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
      server.start();
      LineClient client{address};
      client.end_output();
      BOOST_TEST(client.read_line().value() == "seen");
      client.reset();
      server.join();
      BOOST_TEST(server.handler.ended.size() == 1U);
      BOOST_TEST(server.handler.closed.size() == 1U);
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_spins_while_a_peer_has_only_ended_its_input) {
  Server server;
  std::string const address = server.listen();
  server.handler.end_of_input_hook = [&](ConnectionId id) { server.handler.answer(id, "seen\n"); };
  server.start();
  LineClient half{address};
  half.end_output();
  half.read_line();
  LineClient other{address};
  for (int i = 0; i < 100; ++i) {
    other.send("x\n");
    other.read_line();
  }
  server.finish();
  // Two turns to open, one to end, a hundred to echo. Each may be split, but the loop must not spin.
  BOOST_TEST(server.handler.turns <= 110U);
  BOOST_TEST(server.reactor->counters().looks <= 2 * server.handler.turns + 5);
}

// A producer that does not wait for answers, as old senders do.
BOOST_AUTO_TEST_CASE(what_was_sent_before_a_close_is_read_though_answers_fail) {
  TemporaryFolder const folder;
  for (std::string const& listen : {kLoopback, folder / "a.sock"}) {
    BOOST_TEST_CONTEXT(listen) {
      ReactorOptions options;
      options.read_bytes_max = 64;  // many reads, so that sends fail between them
      Server server{options};
      std::string const address = server.listen(listen);
      constexpr int kPeers = 50;
      int gone = 0;
      auto const count = [&](ConnectionId) {
        if (++gone == kPeers) server.reactor->stop();
      };
      server.handler.closed_hook = count;
      server.handler.end_of_input_hook = [&](ConnectionId id) {
        server.reactor->close(id);
        count(id);
      };
      server.start();
      std::string const text = counted_bytes(5000);
      for (int i = 0; i < kPeers; ++i) {
        LineClient client{address};
        client.send(text);
      }
      server.join();
      BOOST_TEST(server.handler.bytes == kPeers * text.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_close_lets_the_last_answer_arrive_though_input_is_unread) {
  ReactorOptions options;
  options.read_bytes_max = 16;
  Server server{options};
  std::string const address = server.listen();
  int calls = 0;
  std::size_t sent = 0;
  std::size_t sent_after_close = 1;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view) {
    ++calls;
    sent = server.reactor->send(id, "too much\n");
    server.reactor->close(id);
    sent_after_close = server.reactor->send(id, "more");
    server.reactor->pause_reading(id, true);
    server.reactor->close(id);
  };
  server.start();
  LineClient client{address};
  client.send(std::string(100'000, 'x'));
  BOOST_TEST(client.read_line().value() == "too much");
  client.read_all();
  server.finish();
  BOOST_TEST(calls == 1);
  BOOST_TEST(sent == 9U);
  BOOST_TEST(sent_after_close == 0U);
  BOOST_TEST(server.handler.closed.empty());
  BOOST_TEST(server.reactor->connections() == 0U);
}

// As of a client of HTTP that reads the response when all of its body is sent, however early that was refused.
BOOST_AUTO_TEST_CASE(a_close_lets_the_last_answer_arrive_while_input_still_comes) {
  TemporaryFolder const folder;
  Server server;
  std::vector<std::string> const addresses{server.listen(), server.listen(folder / "a.sock")};
  int calls = 0;
  std::size_t sent = 0;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view) {
    ++calls;
    sent += server.reactor->send(id, "too much\n");
    server.reactor->close(id);
  };
  server.start();
  std::string const piece(1U << 20U, 'x');
  for (std::string const& address : addresses) {
    LineClient client{address};
    for (int pieces = 0; pieces < 20; ++pieces) BOOST_REQUIRE(client.send(piece));
    BOOST_TEST(client.read_line().value_or("(nothing)") == "too much");
  }
  server.finish();
  BOOST_TEST(calls == 2);
  BOOST_TEST(sent == 18U);
  BOOST_TEST(server.handler.closed.empty());
  BOOST_TEST(server.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(what_comes_after_a_close_is_read_within_limits) {
  ReactorOptions options;
  options.linger_bytes_max = 4U << 20U;
  options.lingering_max = 2;
  Server server{options};
  std::string const address = server.listen();
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view) { server.reactor->close(id); };
  server.start();
  LineClient endless{address};
  std::string const piece(1U << 20U, 'x');
  int pieces = 0;
  while (pieces < 200 && endless.send(piece)) ++pieces;
  BOOST_TEST(pieces < 200);
  // Those who neither send nor end make room for others.
  std::vector<std::unique_ptr<LineClient>> silent;
  for (int i = 0; i < 10; ++i) {
    silent.push_back(std::make_unique<LineClient>(address));
    BOOST_REQUIRE(silent.back()->send("x"));
    BOOST_TEST(!silent.back()->read_line().has_value());
  }
  server.finish();
  BOOST_TEST(server.reactor->lingering() <= 2U);
}

BOOST_AUTO_TEST_CASE(whoever_is_silent_after_a_close_is_let_go) {
  ReactorOptions options;
  options.linger_quiet_us = 1;
  Server server{options};
  std::string const address = server.listen();
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view) { server.reactor->close(id); };
  server.start();
  LineClient client{address};
  // Once it is let go, what it sends is answered by a reset.
  int sent = 0;
  while (sent < 10'000'000 && client.send("x")) ++sent;
  BOOST_TEST(sent < 10'000'000);
  server.finish();
  BOOST_TEST(server.reactor->lingering() == 0U);
}

BOOST_AUTO_TEST_CASE(thousands_come_and_go_and_no_id_is_given_twice) {
  TemporaryFolder const folder;
  Server server;
  std::vector<std::string> const addresses{server.listen(), server.listen(folder / "a.sock")};
  server.start();
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    LineClient client{addresses[static_cast<std::size_t>(i) % 2]};
    client.send("x\n");
    BOOST_REQUIRE(client.read_line() == "x");
    if (i % 3 == 0) client.reset();
  }
  // Once a new connection was answered and ended, the loop has seen the ends of all earlier ones.
  LineClient last{addresses[0]};
  last.send("x\n");
  last.end_output();
  BOOST_TEST(last.read_all().value() == "x\n");
  server.finish();
  std::set<ConnectionId> ids;
  for (auto const& [id, peer] : server.handler.opened) ids.insert(id);
  BOOST_TEST(ids.size() == kRounds + 1U);
  BOOST_TEST(ids.count(ConnectionId::none) == 0U);
  BOOST_TEST(server.reactor->connections() <= 2U);
}

BOOST_AUTO_TEST_CASE(unknown_ids_are_harmless) {
  auto reactor = make_reactor();
  for (std::uint64_t const id : {std::uint64_t{0}, std::uint64_t{1} << 32U, UINT64_MAX}) {
    BOOST_TEST(reactor->send(ConnectionId{id}, "x") == 0U);
    reactor->pause_reading(ConnectionId{id}, true);
    reactor->close(ConnectionId{id});
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
