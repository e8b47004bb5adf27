// The connection of libfastjournal against a scripted daemon: answers in any order and in pieces, losses at bad
// moments, limits. Each case is a promise of the header.
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "clients/cpp/client.h"
#include "clients/cpp/transaction.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/talk.h"
#include "wire/commands.h"

namespace fastjournal::client {
namespace {

Options options_for(FakeServer const& server, Framing framing = Framing::msgpack) {
  Options out;
  out.server = server.address();
  out.framing = framing;
  // Retries come at once, so that tests wait for events and not for time.
  out.back_off = {Milliseconds{1}};
  out.time_limit = Milliseconds{kScriptLimitMs};
  return out;
}

Params insert_params() { return {text("table", "pages"), text("uri", "a")}; }
Params numbered_insert(std::int64_t sequence) {
  return {text("table", "pages"), text("uri", "a"), text("client", "c1"), number("sequence", sequence)};
}

constexpr Framing kFramings[] = {Framing::msgpack, Framing::text};

}  // namespace

BOOST_AUTO_TEST_SUITE(client_connection)

BOOST_AUTO_TEST_CASE(an_answer_that_comes_byte_by_byte_is_whole) {
  for (Framing const framing : kFramings) {
    FakeServer server([framing](Peer& peer) {
      Message const peek = peer.expect("PEEK");
      want(peer.binary() == (framing == Framing::msgpack), "wrong framing");
      want(peek.text("uri") == "http://example.com/;\"x\"", "wrong value");
      for (char const byte : peer.bytes("ROW", {number("row", 812), text("uri", "a;b\nc")}, &peek))
        peer.send({&byte, 1});
    });
    auto connection = connected(options_for(server, framing));
    Result<Reply> const reply =
        connection->call("PEEK", {text("table", "pages"), text("uri", "http://example.com/;\"x\"")});
    BOOST_REQUIRE_MESSAGE(reply.ok(), reply.status().text());
    BOOST_TEST(reply->messages.size() == 1U);
    BOOST_TEST(reply->first().command == "ROW");
    BOOST_TEST(reply->first().integer("row").value() == 812);
    BOOST_TEST(reply->first().text("uri") == "a;b\nc");
  }
}

BOOST_AUTO_TEST_CASE(an_answer_of_several_messages_ends_where_left_is_zero) {
  FakeServer server([](Peer& peer) {
    Message const tables = peer.expect("TABLES");
    std::string all;
    for (int left = 2; left >= 0; --left) all += peer.bytes("TABLE", {number("left", left)}, &tables);
    // The answer to the next command may come in the same packet, and must not be lost.
    peer.send(all);
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
  });
  auto connection = connected(options_for(server));
  Reply const tables = value_of(connection->call("TABLES"));
  BOOST_TEST(tables.messages.size() == 3U);
  BOOST_TEST(connection->call("ALIVE")->first().command == "ABSOLUTELY");
}

BOOST_AUTO_TEST_CASE(a_next_that_waits_may_be_overtaken) {
  for (Framing const framing : kFramings) {
    FakeServer server([](Peer& peer) {
      Message const next = peer.expect("NEXT");
      Message const put = peer.expect("INSERT");
      peer.answer(put, "INSERTED", {number("row", 8)});
      peer.answer(next, "ROW", {number("row", 8), number("left", 0)});
    });
    auto connection = connected(options_for(server, framing));
    Ticket const waiting = sent(*connection, "NEXT", {text("table", "pages"), number("wait", 5000)});
    Reply const put = value_of(connection->call("INSERT", insert_params()));
    BOOST_TEST(put.first().command == "INSERTED");
    Reply const row = value_of(connection->receive(waiting));
    BOOST_TEST(row.first().command == "ROW");
  }
}

BOOST_AUTO_TEST_CASE(tickets_may_be_received_in_any_order) {
  FakeServer server([](Peer& peer) {
    for (int i = 0; i < 3; ++i) {
      Message const peek = peer.expect("PEEK");
      peer.answer(peek, "ROW", {{"row", *peek.find("row")}});
    }
  });
  auto connection = connected(options_for(server));
  std::vector<Ticket> tickets;
  for (std::int64_t row = 0; row < 3; ++row) tickets.push_back(sent(*connection, "PEEK", {number("row", row)}));
  for (std::size_t const row : {2U, 0U, 1U})
    BOOST_TEST(connection->receive(tickets[row])->first().integer("row").value() == static_cast<std::int64_t>(row));
}

BOOST_AUTO_TEST_CASE(pushes_between_answers_wait_in_their_order) {
  FakeServer server([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING", {text("table", "pages")});
    Message const stats = peer.expect("STATS");
    peer.push("LISTEN", {text("table", "pages"), number("date", 1)});
    peer.answer(stats, "STATS", {number("left", 1)});
    peer.answer(stats, "STATS", {number("left", 0)});
    peer.push("ROW", {text("table", "pages"), number("row", 5), number("epoch", 9)});
  });
  auto connection = connected(options_for(server));
  BOOST_REQUIRE(connection->listen("pages").ok());
  BOOST_TEST(connection->call("STATS")->messages.size() == 2U);
  BOOST_TEST(pushed(*connection).command == "LISTEN");
  BOOST_TEST(pushed(*connection).integer("epoch").value() == 9);
}

BOOST_AUTO_TEST_CASE(a_refusal_becomes_a_status_with_its_facts) {
  for (Framing const framing : kFramings) {
    FakeServer server([](Peer& peer) {
      peer.answer(peer.expect("DONE"), "ERROR",
                  {text("command", "DONE"), text("code", "stale_epoch"), text("message", "row 8 is leased to w2"),
                   text("holder", "w2"), number("epoch", 77)});
      peer.answer(peer.expect("DANCE"), "UNKNOWN", {text("command", "DANCE")});
      peer.answer(peer.expect("PEEK"), "ERROR", {text("code", "from_the_future"), text("message", "no")});
    });
    auto connection = connected(options_for(server, framing));
    Result<Reply> const done = connection->call("DONE", {number("row", 8)});
    BOOST_REQUIRE(!done.ok());
    BOOST_TEST((done.status().code() == Code::stale_epoch));
    BOOST_TEST(done.status().message() == "row 8 is leased to w2");
    auto const& facts = done.status().facts();
    BOOST_TEST(
        (std::find(facts.begin(), facts.end(), std::pair<std::string, std::string>{"holder", "w2"}) != facts.end()));
    BOOST_TEST(
        (std::find(facts.begin(), facts.end(), std::pair<std::string, std::string>{"epoch", "77"}) != facts.end()));
    BOOST_TEST((connection->call("DANCE").status().code() == Code::unknown_command));
    Result<Reply> const unknown_code = connection->call("PEEK");
    BOOST_TEST(!unknown_code.ok());
    BOOST_TEST(unknown_code.status().message().find("from_the_future") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_in_the_middle_of_an_answer_does_not_end_it) {
  FakeServer server([](Peer& peer) {
    Message const next = peer.expect("NEXT");
    peer.answer(next, "ROW", {number("row", 1), number("left", 2)});
    peer.answer(next, "ERROR", {text("code", "not_supported"), text("message", "a NUL"), number("left", 1)});
    peer.answer(next, "ROW", {number("row", 3), number("left", 0)});
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
  });
  auto connection = connected(options_for(server));
  BOOST_TEST((connection->call("NEXT").status().code() == Code::not_supported));
  BOOST_TEST(connection->call("ALIVE").ok());
}

BOOST_AUTO_TEST_CASE(an_invalid_without_request_is_the_answer_to_the_oldest_that_keeps_its_turn) {
  FakeServer server([](Peer& peer) {
    Message const next = peer.expect("NEXT");
    static_cast<void>(peer.expect("INSERT"));
    Message const alive = peer.expect("ALIVE");
    peer.push("INVALID", {text("code", "too_large"), text("message", "the line is longer than 1048576 bytes")});
    peer.answer(alive, "ABSOLUTELY");
    peer.answer(next, "NOTHING");
  });
  auto connection = connected(options_for(server));
  Ticket const waiting = sent(*connection, "NEXT", {number("wait", 1000)});
  Ticket const put = sent(*connection, "INSERT");
  Ticket const alive = sent(*connection, "ALIVE");
  BOOST_TEST((connection->receive(put).status().code() == Code::too_large));
  BOOST_TEST(connection->receive(alive).ok());
  BOOST_TEST(connection->receive(waiting)->first().command == "NOTHING");
}

BOOST_AUTO_TEST_CASE(a_missing_answer_is_timed_out_and_rows_that_come_late_are_released) {
  std::atomic<bool> released{false};
  FakeServer server([&](Peer& peer) {
    Message const next = peer.expect("NEXT");
    // The next command shows that the client has given up this one.
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.answer(next, "ROW", {text("table", "pages"), number("row", 4), number("epoch", 6), number("left", 0)});
    while (!released) {
      Message const message = peer.next();
      if (message.command == "ALIVE")
        peer.answer(message, "ABSOLUTELY");
      else if (message.command == "RELEASE" && message.integer("row") == 4 && message.integer("epoch") == 6 &&
               !message.has("error"))
        released = true;
      else
        throw std::runtime_error("unexpected " + std::string(message.command));
    }
  });
  Options options = options_for(server);
  options.time_limit = Milliseconds{1};
  auto connection = connected(options);
  Result<Reply> const next = connection->call("NEXT", {text("table", "pages")});
  BOOST_TEST((next.status().code() == Code::timed_out));
  BOOST_TEST(next.status().message().find(server.address()) != std::string::npos);
  // Whether it takes 1 ms or more, each call reads what has arrived, in the end the late row.
  auto const limit = std::chrono::steady_clock::now() + Milliseconds{kScriptLimitMs};
  while (!released && std::chrono::steady_clock::now() < limit) static_cast<void>(connection->call("ALIVE"));
  BOOST_TEST(released.load());
}

BOOST_AUTO_TEST_CASE(after_a_loss_only_what_may_be_sent_twice_is_sent_again) {
  for (Framing const framing : kFramings) {
    FakeServer server([](Peer& peer) {
      std::int64_t const sequence = peer.expect("INSERT").integer("sequence").value();
      static_cast<void>(peer.expect("INSERT"));
      static_cast<void>(peer.expect("KICK"));
      static_cast<void>(peer.expect("NEXT"));
      peer.accept();
      Message const again = peer.expect("INSERT");
      if (again.integer("sequence") != sequence) throw std::runtime_error("another sequence");
      peer.answer(again, "INSERTED", {text("result", "duplicate"), number("row", 3)});
      peer.answer(peer.expect("NEXT"), "NOTHING");
      peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    });
    auto connection = connected(options_for(server, framing));
    Ticket const numbered = sent(*connection, "INSERT", numbered_insert(41));
    Ticket const plain = sent(*connection, "INSERT", insert_params());
    Ticket const kick = sent(*connection, "KICK", {number("row", 1)});
    Ticket const next = sent(*connection, "NEXT", {text("table", "pages")});
    Reply const put = value_of(connection->receive(numbered));
    BOOST_TEST(put.resent);
    BOOST_TEST(put.first().text("result") == "duplicate");
    for (Ticket const lost : {plain, kick}) {
      Status const status = connection->receive(lost).status();
      BOOST_TEST((status.code() == Code::closed));
      BOOST_TEST(status.message().find("not known") != std::string::npos);
    }
    BOOST_TEST(connection->receive(next)->first().command == "NOTHING");
    BOOST_TEST(!connection->call("ALIVE")->resent);
    BOOST_TEST(connection->connects() == 2U);
  }
}

BOOST_AUTO_TEST_CASE(nothing_of_a_transaction_is_sent_again_and_what_follows_a_loss_is_refused) {
  for (bool const commits : {true, false}) {
    FakeServer server([commits](Peer& peer) {
      peer.answer(peer.expect("BEGIN"), "BEGUN", {number("transaction", 1)});
      static_cast<void>(peer.expect("INSERT"));
      peer.accept();
      if (commits) peer.answer(peer.expect("BEGIN"), "BEGUN", {number("transaction", 2)});
      peer.answer(peer.expect("INSERT"), "INSERTED", {text("result", "inserted"), number("row", 3)});
    });
    auto connection = connected(options_for(server));
    BOOST_TEST(connection->call("BEGIN").ok());
    // Outside of a transaction it would be sent again, as it is numbered.
    BOOST_TEST((connection->call("INSERT", numbered_insert(41)).status().code() == Code::closed));
    BOOST_TEST((connection->call("INSERT", numbered_insert(42)).status().code() == Code::rolled_back));
    BOOST_TEST((connection->call(commits ? "COMMIT" : "ROLLBACK").status().code() == Code::rolled_back));
    if (commits) BOOST_TEST(connection->call("BEGIN").ok());
    BOOST_TEST(connection->call("INSERT", numbered_insert(43)).ok());
  }
}

BOOST_AUTO_TEST_CASE(a_transaction_that_did_not_begin_needs_no_end) {
  for (std::string const begin : {"BEGIN", "XA_START"})
    for (bool const is_lost : {true, false}) {
      FakeServer server([&](Peer& peer) {
        Message const message = peer.expect(begin);
        if (is_lost)
          peer.accept();
        else
          peer.answer(message, "ERROR", {text("code", "over_limit"), text("message", "full")});
        peer.answer(peer.expect("INSERT"), "INSERTED", {text("result", "inserted"), number("row", 3)});
      });
      auto connection = connected(options_for(server));
      BOOST_TEST((connection->call(begin).status().code() == (is_lost ? Code::closed : Code::over_limit)));
      BOOST_TEST(connection->call("INSERT", numbered_insert(41)).ok());
    }
}

BOOST_AUTO_TEST_CASE(a_transaction_is_one_message_whose_answers_are_those_of_its_commands) {
  for (Framing const framing : kFramings) {
    FakeServer server([](Peer& peer) {
      Message const message = peer.expect("TRANSACTION");
      std::string decoded;
      std::vector<Message> commands;
      if (!protocol::read_commands(*message.find("commands"), 10, decoded, commands).ok() || commands.size() != 2)
        throw std::runtime_error("no two commands");
      if (commands[0].command != "DONE" || commands[1].text("name") != "a") throw std::runtime_error("other commands");
      peer.answer(message, "COMMITTED", {number("transaction", 1), number("ops", 2), number("left", 2)});
      peer.answer(message, "COMPLETED", {number("row", 7), number("op", 1), number("left", 1)});
      peer.answer(message, "INSERTED", {number("row", 8), number("op", 2), number("left", 0)});
      Message const refused = peer.expect("TRANSACTION");
      peer.answer(refused, "ERROR", {text("code", "in_transaction"), text("message", "held"), text("op", "1")});
    });
    auto connection = connected(options_for(server, framing));
    Transaction transaction(*connection);
    transaction.add("DONE", {text("table", "jobs"), number("row", 7), number("epoch", 1)});
    Message insert("INSERT");
    insert.set("table", "jobs");
    insert.set("name", "a");
    transaction.add(insert);
    BOOST_TEST(transaction.size() == 2U);
    std::vector<Message> const answers = value_of(transaction.commit());
    BOOST_REQUIRE_EQUAL(answers.size(), 2U);
    BOOST_TEST(answers[0].command == "COMPLETED");
    BOOST_TEST(answers[1].integer("row").value() == 8);
    BOOST_TEST(transaction.size() == 0U);
    transaction.add(insert);
    BOOST_TEST((transaction.commit().status().code() == Code::in_transaction));
  }
}

BOOST_AUTO_TEST_CASE(half_an_answer_before_a_loss_does_not_count) {
  FakeServer server([](Peer& peer) {
    Message const list = peer.expect("LIST");
    peer.answer(list, "ROW", {number("row", 1), number("left", 1)});
    std::string const half = peer.bytes("ROW", {number("row", 2), number("left", 0)}, &list);
    peer.send(std::string_view(half).substr(0, half.size() / 2));
    peer.accept();
    Message const again = peer.expect("LIST");
    peer.answer(again, "ROW", {number("row", 7), number("left", 0)});
  });
  auto connection = connected(options_for(server));
  Reply const rows = value_of(connection->call("LIST"));
  BOOST_REQUIRE(rows.messages.size() == 1U);
  BOOST_TEST(rows.first().integer("row").value() == 7);
}

BOOST_AUTO_TEST_CASE(a_done_that_was_resent_takes_unknown_row_as_done) {
  FakeServer server([](Peer& peer) {
    std::vector<Param> const gone{text("code", "unknown_row"), text("message", "no such row")};
    peer.answer(peer.expect("DONE"), "ERROR", gone);
    static_cast<void>(peer.expect("DONE"));
    peer.accept();
    peer.answer(peer.expect("DONE"), "ERROR", gone);
  });
  auto connection = connected(options_for(server));
  BOOST_TEST((connection->call("DONE", {number("row", 1)}).status().code() == Code::unknown_row));
  Reply const resent = value_of(connection->call("DONE", {number("row", 1)}));
  BOOST_TEST(resent.first().command == "COMPLETED");
}

BOOST_AUTO_TEST_CASE(a_new_connection_subscribes_again_before_anything_else) {
  FakeServer server([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING");
    peer.answer(peer.expect("LISTEN"), "LISTENING");
    peer.answer(peer.expect("UNLISTEN"), "UNLISTENED");
    static_cast<void>(peer.expect("STATS"));
    peer.accept();
    Message const again = peer.expect("LISTEN");
    if (again.text("table") != "pages" || again.text("mode") != "wake")
      throw std::runtime_error("another subscription");
    peer.answer(again, "LISTENING");
    peer.push("LISTEN", {text("table", "pages")});
    peer.answer(peer.expect("STATS"), "STATS", {number("left", 0)});
    // While no call is made, the connection is lost again, and the subscription is refused.
    peer.accept();
    peer.answer(peer.expect("LISTEN"), "ERROR", {text("code", "unknown_table"), text("message", "gone")});
  });
  auto connection = connected(options_for(server));
  BOOST_REQUIRE(connection->listen("pages", {text("mode", "wake")}).ok());
  BOOST_REQUIRE(connection->listen("other").ok());
  BOOST_REQUIRE(connection->unlisten("other").ok());
  BOOST_TEST(connection->call("STATS").ok());
  BOOST_TEST(pushed(*connection).command == "LISTEN");
  Message const refused = pushed(*connection);
  BOOST_TEST(refused.command == "ERROR");
  BOOST_TEST(refused.text("code") == "unknown_table");
}

BOOST_AUTO_TEST_CASE(an_end_that_nobody_noticed_costs_the_next_command_nothing) {
  std::atomic<bool> ended{false};
  FakeServer server([&](Peer& peer) {
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.close();
    ended = true;
    ended.notify_all();
    peer.accept();
    // INSERT may not be sent twice, and it was not.
    peer.answer(peer.expect("INSERT"), "INSERTED");
  });
  auto connection = connected(options_for(server));
  BOOST_REQUIRE(connection->call("ALIVE").ok());
  ended.wait(false);
  BOOST_TEST(connection->call("INSERT", insert_params()).ok());
}

BOOST_AUTO_TEST_CASE(without_back_off_a_loss_is_final) {
  FakeServer server([](Peer& peer) { static_cast<void>(peer.expect("ALIVE")); });
  Options options = options_for(server);
  options.back_off.clear();
  auto connection = connected(options);
  BOOST_TEST((connection->call("ALIVE").status().code() == Code::closed));
  BOOST_TEST((connection->call("ALIVE").status().code() == Code::closed));
  BOOST_TEST((connection->wait_push(kForever).status().code() == Code::closed));
}

BOOST_AUTO_TEST_CASE(a_daemon_that_stays_away_is_unavailable_when_the_time_is_over) {
  auto server = std::make_unique<FakeServer>([](Peer& peer) { static_cast<void>(peer.expect("ALIVE")); });
  Options options = options_for(*server);
  options.time_limit = Milliseconds{100};
  auto connection = connected(options);
  Ticket const alive = sent(*connection, "ALIVE");
  BOOST_REQUIRE(connection->flush().ok());
  server.reset();
  Status const status = connection->receive(alive).status();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.message().find("cannot connect to " + options.server) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(addresses_are_checked_and_nobody_there_is_said) {
  for (std::string const address :
       {"", "localhost", "localhost:", ":4050", "1:2:3", "[::1:4050", "127.0.0.1:http", "unix:"}) {
    BOOST_TEST_CONTEXT("address '" << address << "'") {
      Status const status = Connection::open({.server = address}).status();
      BOOST_TEST((status.code() == Code::bad_parameter));
      BOOST_TEST(status.message().find("is no address") != std::string::npos);
    }
  }
  Status const absent = Connection::open({.server = "/nowhere/at/all.sock"}).status();
  BOOST_TEST((absent.code() == Code::unavailable));
  BOOST_TEST(absent.message() == "cannot connect to /nowhere/at/all.sock: No such file or directory");
}

BOOST_AUTO_TEST_CASE(a_unix_socket_carries_the_same) {
  test::TemporaryFolder const folder;
  FakeServer server([](Peer& peer) { peer.answer(peer.expect("ALIVE"), "ABSOLUTELY"); }, folder / "daemon.sock");
  auto connection = connected(options_for(server));
  BOOST_TEST(connection->call("ALIVE").ok());
}

// Keys and signals end the wait, but not the command: the next wait gets its answer.
BOOST_AUTO_TEST_CASE(a_wait_for_an_answer_can_be_ended) {
  FakeServer server([](Peer& peer) {
    Message const alive = peer.expect("ALIVE");
    peer.expect("STATS");
    peer.answer(alive, "ABSOLUTELY");
    peer.wait_for_end();
  });
  auto connection = connected(options_for(server));
  int const wake = ::eventfd(1, EFD_CLOEXEC);
  Ticket const ticket = sent(*connection, "ALIVE");
  BOOST_TEST(!connection->wait_answer(ticket, kForever, wake));
  BOOST_TEST(!connection->wait_answer(ticket, Milliseconds{1}));
  BOOST_REQUIRE(connection->send(Message("STATS")).ok());
  BOOST_TEST(connection->wait_answer(ticket, kForever));
  BOOST_TEST(connection->receive(ticket)->first().command == "ABSOLUTELY");
  ::close(wake);
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_connection_can_be_ended) {
  auto server = std::make_unique<FakeServer>([](Peer& peer) { peer.accept(); });
  Options options = options_for(*server);
  options.time_limit = kForever;
  auto connection = connected(options);
  int const wake = ::eventfd(1, EFD_CLOEXEC);
  server->abandon();
  server.reset();
  Result<Ticket> sent = connection->send(Message("ALIVE"), wake);
  BOOST_TEST((sent.status().code() == Code::timed_out));
  ::close(wake);
}

BOOST_AUTO_TEST_CASE(tickets_that_nobody_receives_are_limited) {
  FakeServer server([](Peer& peer) { peer.wait_for_end(); });
  Options options = options_for(server);
  options.in_flight_max = 2;
  auto connection = connected(options);
  BOOST_TEST(connection->send(Message("ALIVE")).ok());
  BOOST_TEST(connection->send(Message("ALIVE")).ok());
  BOOST_TEST((connection->send(Message("ALIVE")).status().code() == Code::over_limit));
}

BOOST_AUTO_TEST_CASE(pushes_beyond_the_limit_are_counted_but_leased_rows_are_kept) {
  FakeServer server([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING");
    Message const alive = peer.expect("ALIVE");
    for (int i = 0; i < 5; ++i) peer.push("LISTEN", {number("date", i)});
    peer.push("ROW", {number("row", 1), number("epoch", 2)});
    peer.answer(alive, "ABSOLUTELY");
  });
  Options options = options_for(server);
  options.pushes_max = 2;
  auto connection = connected(options);
  BOOST_REQUIRE(connection->listen("pages").ok());
  BOOST_REQUIRE(connection->call("ALIVE").ok());
  BOOST_TEST(connection->pushes_dropped() == 3U);
  for (std::string_view const command : {"LISTEN", "LISTEN", "ROW"})
    BOOST_TEST(connection->wait_push(Milliseconds{0})->command == command);
}

BOOST_AUTO_TEST_CASE(waiting_for_a_push_ends_with_the_limit_or_the_other_descriptor) {
  FakeServer server([](Peer& peer) {
    peer.answer(peer.expect("LISTEN"), "LISTENING");
    peer.wait_for_end();
  });
  auto connection = connected(options_for(server));
  BOOST_REQUIRE(connection->listen("pages").ok());
  BOOST_TEST((connection->wait_push(Milliseconds{0}).status().code() == Code::timed_out));
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  BOOST_REQUIRE(::write(ends[1], "x", 1) == 1);
  BOOST_TEST((connection->wait_push(kForever, ends[0]).status().code() == Code::timed_out));
  ::close(ends[0]);
  ::close(ends[1]);
}

BOOST_AUTO_TEST_CASE(what_neither_side_could_read_is_not_sent) {
  FakeServer server([](Peer& peer) { peer.answer(peer.expect("ALIVE"), "ABSOLUTELY"); });
  auto connection = connected(options_for(server, Framing::text));
  BOOST_TEST((connection->call("PEEK", {text("uri", std::string_view("a\0b", 3))}).status().code() == Code::invalid));
  BOOST_TEST(connection->call("ALIVE").ok());
}

BOOST_AUTO_TEST_CASE(large_messages_pass_in_both_directions_at_once) {
  // More than the buffers of both sockets: a sender that does not read meanwhile would block for ever.
  constexpr int kCount = 40;
  std::string const large(1U << 20U, 'x');
  FakeServer server([&](Peer& peer) {
    for (int i = 0; i < kCount; ++i) {
      Message const peek = peer.expect("PEEK");
      peer.answer(peek, "ROW", {text("data", peek.text("data"))});
    }
  });
  auto connection = connected(options_for(server));
  std::size_t received = 0;
  Pipeline pipeline(*connection, kCount, [&](std::uint64_t nr, Result<Reply> reply) {
    BOOST_TEST(nr == received);
    if (reply.ok() && reply->first().text("data") == large) ++received;
  });
  for (int i = 0; i < kCount; ++i) {
    Message peek("PEEK");
    peek.set("data", large);
    BOOST_REQUIRE(pipeline.send(peek).ok());
  }
  pipeline.finish();
  BOOST_TEST(received == static_cast<std::size_t>(kCount));
}

BOOST_AUTO_TEST_CASE(the_memory_of_an_answer_carries_nothing_into_the_next) {
  std::string const large(100'000, 'x');
  FakeServer server([&](Peer& peer) {
    for (int round = 0; round < 3; ++round) {
      Message const first = peer.expect("INSERT");
      peer.answer(first, "INSERTED", {number("row", 1), text("result", large), number("merges", 4)});
      peer.answer(peer.expect("PEEK"), "ERROR", {text("code", "unknown_row"), text("message", "gone")});
      peer.answer(peer.expect("PEEK"), "ROW", {number("row", round)});
      // May not be sent twice, though the entry before could.
      static_cast<void>(peer.expect("KICK"));
      peer.accept();
      // Sent again, byte for byte.
      peer.answer(peer.expect("ALIVE"), "ABSOLUTELY", {text("mark", "m")});
      static_cast<void>(peer.expect("ALIVE"));
      peer.accept();
      Message const again = peer.expect("ALIVE");
      if (!again.has("serial") || again.has("client") || again.params().size() != 2)
        throw std::runtime_error("not what was sent");
      peer.answer(again, "ABSOLUTELY", {text("mark", "n")});
    }
  });
  auto connection = connected(options_for(server));
  for (int round = 0; round < 3; ++round) {
    Message insert("INSERT");
    insert.set("client", "c");
    insert.set_integer("sequence", round);
    insert.set("data", large);
    Reply inserted = value_of(connection->call(insert));
    BOOST_TEST(inserted.first().text("result") == large);
    connection->recycle(std::move(inserted));
    BOOST_TEST((connection->call("PEEK").status().code() == Code::unknown_row));
    Reply row = value_of(connection->call("PEEK"));
    BOOST_TEST(row.messages.size() == 1U);
    BOOST_TEST(row.first().integer("row").value_or(-1) == round);
    BOOST_TEST(!row.first().has("merges"));
    BOOST_TEST(!row.resent);
    connection->recycle(std::move(row));
    BOOST_TEST((connection->call("KICK").status().code() == Code::closed));
    Reply alive = value_of(connection->call("ALIVE"));
    BOOST_TEST(!alive.resent);
    connection->recycle(std::move(alive));
    Reply resent = value_of(connection->call("ALIVE", {{"serial", Value::of_integer(round)}}));
    BOOST_TEST(resent.resent);
    BOOST_TEST(resent.first().text("mark") == "n");
    connection->recycle(std::move(resent));
  }
}

BOOST_AUTO_TEST_CASE(a_pipeline_keeps_its_depth_and_its_order) {
  constexpr std::size_t kDepth = 8;
  constexpr std::size_t kCount = 100;
  FakeServer server([](Peer& peer) {
    std::vector<Message> held;
    for (std::size_t i = 0; i < kCount; ++i) {
      held.push_back(peer.expect("INSERT"));
      if (held.size() < kDepth && i + 1 < kCount) continue;
      if (!peer.silent()) throw std::runtime_error("more than the depth in flight");
      for (Message const& one : held) peer.answer(one, "INSERTED", {number("row", *one.integer("n"))});
      held.clear();
    }
  });
  auto connection = connected(options_for(server));
  std::vector<std::int64_t> rows;
  Pipeline pipeline(*connection, kDepth,
                    [&](std::uint64_t, Result<Reply> reply) { rows.push_back(reply->first().integer("row").value()); });
  for (std::size_t i = 0; i < kCount; ++i) {
    Message insert("INSERT");
    insert.set_integer("n", static_cast<std::int64_t>(i));
    BOOST_REQUIRE(pipeline.send(insert).ok());
  }
  pipeline.finish();
  BOOST_REQUIRE(rows.size() == kCount);
  BOOST_TEST(std::is_sorted(rows.begin(), rows.end()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::client
