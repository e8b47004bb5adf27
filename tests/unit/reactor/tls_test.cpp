// TLS over real loopback sockets, from a client that is OpenSSL's own (tests/support/tls_client.h): the handler sees the
// same as without TLS, and a peer that is slow, wrong or cut off is ended with a reason and costs the others nothing.
#include <openssl/ssl.h>

#include <functional>
#include <future>
#include <thread>

#include "tests/unit/reactor/tls_fixture.h"

namespace fastjournal::reactor {
namespace {

// A client that is refused in the handshake, or by the first answer after it (TLS 1.3): the alert in words.
std::string refusal_of(std::string const& address, TlsClientOptions const& options) {
  TlsClient client{address, options};
  if (client.handshake()) static_cast<void>(echo(client, "x"));
  return client.error();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(connections_with_tls, Secured)

BOOST_AUTO_TEST_CASE(lines_come_back_with_every_version) {
  Server server;
  std::string const address = listen(server);
  server.start();
  for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClientOptions options = trusting();
    options.version_min = options.version_max = version;
    TlsClient client{address, options};
    shake(client);
    BOOST_TEST(client.version() == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"));
    BOOST_TEST(echo(client, "one") == "one");
    BOOST_TEST(echo(client, "two") == "two");
  }
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 2U);
  BOOST_TEST(server.reactor->counters().handshakes == 2U);
  BOOST_TEST(server.reactor->counters().handshakes_failed == 0U);
}

BOOST_AUTO_TEST_CASE(older_versions_are_refused) {
  Server server;
  std::string const address = listen(server);
  server.start();
  TlsClientOptions options = trusting();
  options.version_min = TLS1_VERSION;
  options.version_max = TLS1_1_VERSION;
  BOOST_TEST(refusal_of(address, options) == "alert protocol version");
  server.finish();
  BOOST_TEST(server.handler.opened.empty());
  BOOST_TEST(server.reactor->counters().handshakes_failed == 1U);
  BOOST_TEST(server.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(a_handshake_and_lines_that_come_byte_by_byte_are_read) {
  Server server;
  std::string const address = listen(server);
  server.start();
  TlsClientOptions options = trusting();
  options.piece_bytes = 1;
  TlsClient client{address, options};
  shake(client);
  BOOST_TEST(echo(client, "slowly") == "slowly");
}

BOOST_AUTO_TEST_CASE(the_handler_hears_of_nobody_before_the_handshake_is_done) {
  std::vector<std::string> warned;
  Server server{{.warn = [&](std::string_view text) { warned.emplace_back(text); }}};
  std::string const address = listen(server);
  server.start();
  {
    LineClient silent{address};
    TlsClient half{address, trusting()};
    half.greet();
    TlsClient done{address, trusting()};
    shake(done);
    BOOST_TEST(echo(done, "x") == "x");
  }
  TlsClient last{address, trusting()};
  shake(last);
  BOOST_TEST(echo(last, "x") == "x");
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 2U);
  for (auto const& [id, reason] : server.handler.closed)
    BOOST_TEST((id == server.handler.opened[0].first || id == server.handler.opened[1].first));
  // Both were ended by their peers; of several failures only the first is told.
  BOOST_TEST(server.reactor->counters().handshakes_failed == 2U);
  BOOST_TEST(warned.size() == 1U);
}

BOOST_AUTO_TEST_CASE(handshakes_under_way_end_with_their_listener) {
  Server server;
  std::string const address = listen(server, context(), 1);
  std::string const plain = server.listen(kLoopback, {.number = 2});
  server.handler.bytes_hook = [&server](ConnectionId id, std::string_view bytes) {
    if (bytes == "stop\n") server.reactor->stop_listening(1);
    server.handler.answer(id, bytes);
  };
  server.start();
  TlsClient done{address, trusting()};
  shake(done);
  LineClient silent{address};
  TlsClient half{address, trusting()};
  half.greet();
  BOOST_REQUIRE(half.wait_for_bytes());
  LineClient beside{plain};
  BOOST_TEST(beside.ask("stop") == "stop");
  // The client may take it for done, as what it waited for had been sent.
  if (half.handshake()) BOOST_TEST(echo(half, "x").starts_with("(no"));
  BOOST_TEST(silent.read_all().value_or("(it lasts)") == "");
  BOOST_TEST(echo(done, "x") == "x");
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 2U);
}

BOOST_AUTO_TEST_CASE(those_who_wait_for_a_handshake_end_with_their_listener) {
  Server server{{.handshakes_per_origin_max = 1, .handshake_limit_us = 3'600'000'000}};
  Context const with = context();
  std::string const address = listen(server, with, 1);
  std::string const stays = listen(server, with, 2);
  std::string const plain = server.listen(kLoopback, {.number = 3});
  server.handler.bytes_hook = [&server](ConnectionId id, std::string_view bytes) {
    if (bytes == "stop\n") server.reactor->stop_listening(1);
    server.handler.answer(id, bytes);
  };
  server.start();
  LineClient under_way{stays};
  LineClient waiting{address};
  LineClient beside{plain};
  BOOST_TEST(beside.ask("stop") == "stop");
  BOOST_TEST(waiting.read_all().value_or("(it lasts)") == "");
  under_way.close();
  TlsClient next{stays, trusting()};
  shake(next);
  BOOST_TEST(echo(next, "x") == "x");
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 2U);
}

BOOST_AUTO_TEST_CASE(slow_handshakes_cost_an_honest_client_nothing) {
  Server server{{.handshakes_max = 64}};
  std::string const address = listen(server);
  std::string const plain = server.listen();
  server.start();
  TlsClient busy{address, trusting()};
  shake(busy);
  LineClient beside{plain};
  std::vector<std::unique_ptr<TlsClient>> slow;
  for (int i = 0; i < 60; ++i) {
    slow.push_back(std::make_unique<TlsClient>(address, trusting()));
    if (i % 2 == 0) slow.back()->greet();
    BOOST_REQUIRE(echo(busy, "x") == "x");
    BOOST_REQUIRE(beside.ask("y") == "y");
  }
  TlsClient fresh{address, trusting()};
  shake(fresh);
  BOOST_TEST(echo(fresh, "z") == "z");
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 3U);
  // Nothing spins while they are under way.
  BOOST_TEST(server.reactor->counters().looks < 2000U);
}

BOOST_AUTO_TEST_CASE(a_handshake_ends_at_its_limit) {
  std::vector<std::string> warned;
  Server server{{.handshake_limit_us = 50'000, .warn = [&](std::string_view text) { warned.emplace_back(text); }}};
  std::string const address = listen(server);
  server.start();
  TlsClient done{address, trusting()};
  shake(done);
  LineClient silent{address};
  TlsClient half{address, trusting()};
  half.greet();
  BOOST_TEST(silent.read_all().value_or("(open)") == "");
  BOOST_TEST(half.line().read_all().has_value());
  BOOST_TEST(echo(done, "x") == "x");
  server.finish();
  BOOST_TEST(server.reactor->counters().handshakes_late == 2U);
  BOOST_TEST(server.handler.opened.size() == 1U);
  BOOST_REQUIRE(warned.size() == 1U);
  BOOST_TEST(warned[0].find("it took too long") != std::string::npos, warned[0]);
}

BOOST_AUTO_TEST_CASE(at_most_so_many_are_under_way_and_the_next_waits) {
  Server server{{.handshakes_max = 2, .handshake_limit_us = 300'000}};
  std::string const address = listen(server);
  server.start();
  LineClient first{address};
  LineClient second{address};
  TlsClient third{address, trusting()};
  shake(third);
  BOOST_TEST(echo(third, "x") == "x");
  server.finish();
  BOOST_TEST(server.reactor->counters().handshakes_late >= 1U);
  BOOST_TEST(server.handler.opened.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_slow_one_makes_room_long_before_its_limit) {
  Server server{{.handshakes_max = 2, .handshake_limit_us = 3'600'000'000}};
  std::string const address = listen(server);
  server.start();
  LineClient first{address};
  LineClient second{address};
  TlsClient third{address, trusting()};
  shake(third);
  BOOST_TEST(echo(third, "x") == "x");
  server.finish();
  BOOST_TEST(server.reactor->counters().handshakes_late == 1U);
}

BOOST_AUTO_TEST_CASE(a_crowd_is_served_a_few_steps_a_turn) {
  Server server{{.handshake_steps_max = 2}};
  std::string const address = listen(server);
  std::string const plain = server.listen();
  std::promise<void> go;
  std::vector<std::uint64_t> looks;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "wait\n") go.get_future().wait();
    if (bytes != "x\n") looks.push_back(server.reactor->counters().looks);
    server.handler.answer(id, bytes);
  };
  server.start();
  LineClient beside{plain};
  beside.send("wait\n");
  std::vector<std::unique_ptr<TlsClient>> crowd;
  for (int i = 0; i < 40; ++i) {
    crowd.push_back(std::make_unique<TlsClient>(address, trusting()));
    crowd.back()->greet();
  }
  go.set_value();
  for (auto const& one : crowd) BOOST_TEST(one->wait_for_bytes());
  beside.read_line();
  BOOST_TEST(beside.ask("all") == "all");
  for (auto const& one : crowd) shake(*one);
  for (auto const& one : crowd) BOOST_TEST(echo(*one, "x") == "x");
  server.finish();
  BOOST_REQUIRE(looks.size() == 2U);
  BOOST_TEST(looks[1] - looks[0] >= 20U);
  BOOST_TEST(server.handler.opened.size() == 41U);
}

BOOST_AUTO_TEST_CASE(many_megabytes_go_both_ways_at_once) {
  Server server;
  std::string const address = listen(server);
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  // More than all buffers of the kernel, and nothing is read before all is sent: the daemon has to wait for us.
  std::string const text = numbered(32U << 20U);
  BOOST_TEST(client.send(text));
  client.end_output();
  BOOST_TEST((client.read_all() == text));
  server.finish();
  BOOST_TEST(server.handler.bytes == text.size());
  BOOST_TEST(server.handler.short_sends > 0U);
  BOOST_TEST(server.handler.writable_calls > 0U);
  BOOST_TEST(server.handler.ended.size() == 1U);
  BOOST_TEST(server.handler.closed.empty());
}

BOOST_AUTO_TEST_CASE(what_is_decrypted_already_gets_a_turn) {
  // A record has up to 16 KiB, of which a turn takes 100 bytes.
  Server server{{.read_bytes_max = 100, .turn_bytes_max = 100}};
  std::string const address = listen(server);
  std::string const plain = server.listen();
  server.start();
  TlsClient client{address, trusting()};
  LineClient beside{plain};
  shake(client);
  std::string const text = numbered(50'000) + "\n";
  BOOST_TEST(client.send(text));
  BOOST_TEST(beside.ask("y") == "y");
  BOOST_TEST((client.read_bytes(text.size()) == text));
  server.finish();
  BOOST_TEST(server.handler.turns >= text.size() / 100);
}

BOOST_AUTO_TEST_CASE(a_paused_connection_reads_nothing_and_loses_nothing) {
  Server server{{.read_bytes_max = 1000}};
  std::string const address = listen(server);
  std::vector<ConnectionId> paused;
  bool is_paused = false;
  std::size_t read_while_paused = 0;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (is_paused) ++read_while_paused;
    server.handler.answer(id, bytes);
    server.reactor->pause_reading(id, true);
    is_paused = true;
    paused.push_back(id);
    server.reactor->wake_at(monotonic_us() + 100);
  };
  server.handler.timer_hook = [&] {
    is_paused = false;
    for (ConnectionId const id : paused) server.reactor->pause_reading(id, false);
    paused.clear();
  };
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  std::string const text = numbered(100'000);
  BOOST_TEST(client.send(text));
  client.end_output();
  BOOST_TEST((client.read_all() == text));
  server.finish();
  BOOST_TEST(read_while_paused == 0U);
  BOOST_TEST(server.handler.ended.size() == 1U);
}

BOOST_AUTO_TEST_CASE(answers_are_sent_after_the_end_of_input) {
  Server server;
  std::string const address = listen(server);
  server.start();
  for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClientOptions options = trusting();
    options.version_min = options.version_max = version;
    TlsClient client{address, options};
    shake(client);
    std::string const text = numbered(1U << 20U);
    BOOST_TEST(client.send(text));
    client.end_output();
    BOOST_TEST((client.read_all() == text));
  }
  server.finish();
  BOOST_TEST(server.handler.ended.size() == 2U);
  BOOST_TEST(server.handler.closed.empty());
  BOOST_TEST(server.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_cut_is_no_end_of_input) {
  Server server;
  std::string const address = listen(server);
  server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
  // An answer to a closed socket would be answered by a reset.
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "x\n") server.handler.answer(id, bytes);
  };
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  BOOST_TEST(echo(client, "x") == "x");
  BOOST_TEST(client.send("not all of it"));
  client.cut();
  server.join();
  BOOST_TEST(server.handler.ended.empty());
  BOOST_REQUIRE(server.handler.closed.size() == 1U);
  BOOST_TEST(server.handler.closed[0].second.find("was cut") != std::string::npos, server.handler.closed[0].second);
  BOOST_TEST(server.handler.bytes == 15U);
}

BOOST_AUTO_TEST_CASE(a_reset_is_told_once) {
  Server server;
  std::string const address = listen(server);
  server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  BOOST_TEST(echo(client, "x") == "x");
  client.line().reset();
  server.join();
  BOOST_REQUIRE(server.handler.closed.size() == 1U);
  BOOST_TEST(server.handler.closed[0].second == "Connection reset by peer");
}

BOOST_AUTO_TEST_CASE(a_record_that_was_changed_ends_the_connection) {
  Server server;
  std::string const address = listen(server);
  server.handler.closed_hook = [&](ConnectionId) { server.reactor->stop(); };
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  BOOST_TEST(echo(client, "x") == "x");
  BOOST_TEST(client.line().send(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x')));
  server.join();
  BOOST_REQUIRE(server.handler.closed.size() == 1U);
  BOOST_TEST(server.handler.closed[0].second == "decryption failed or bad record mac");
  BOOST_TEST(server.handler.ended.empty());
}

// A producer that does not wait for answers.
BOOST_AUTO_TEST_CASE(what_was_sent_before_the_end_is_read_though_answers_fail) {
  Server server{{.read_bytes_max = 64}};
  std::string const address = listen(server);
  constexpr int kPeers = 20;
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
  std::string const text = numbered(5000);
  for (int i = 0; i < kPeers; ++i) {
    TlsClient client{address, trusting()};
    shake(client);
    // The tickets of TLS 1.3 come with it: closed with unread bytes, a socket is reset.
    BOOST_REQUIRE(echo(client, "first") == "first");
    BOOST_REQUIRE(client.send(text));
  }
  server.join();
  BOOST_TEST(server.handler.bytes == kPeers * (text.size() + 6));
}

BOOST_AUTO_TEST_CASE(a_close_lets_the_last_answer_arrive_and_tells_the_end) {
  Server server{{.read_bytes_max = 16}};
  std::string const address = listen(server);
  std::size_t sent = 0;
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view) {
    sent += server.reactor->send(id, "too much\n");
    server.reactor->close(id);
  };
  server.start();
  TlsClient client{address, trusting()};
  shake(client);
  BOOST_TEST(client.send(std::string(100'000, 'x')));
  BOOST_TEST(client.read_all().value_or("(cut)") == "too much\n");
  server.finish();
  BOOST_TEST(sent == 9U);
  BOOST_TEST(server.handler.closed.empty());
  BOOST_TEST(server.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(sessions_are_resumed) {
  Server server;
  std::string const address = listen(server, context({}, tls::ClientCertificates::accepted));
  server.start();
  struct Kind {
    int version;
    bool tickets;
  };
  for (Kind const kind : {Kind{TLS1_3_VERSION, true}, Kind{TLS1_2_VERSION, true}, Kind{TLS1_2_VERSION, false}}) {
    TlsClientOptions options = trusting();
    options.version_min = options.version_max = kind.version;
    options.tickets = kind.tickets;
    options.certificate = authority.client("worker-7");
    TlsClient first{address, options};
    shake(first);
    BOOST_TEST(!first.was_resumed());
    BOOST_TEST(echo(first, "x") == "x");
    auto const session = first.session();
    options.session = session.get();
    TlsClient second{address, options};
    shake(second);
    BOOST_TEST(second.was_resumed());
    BOOST_TEST(echo(second, "y") == "y");
  }
  server.finish();
  BOOST_TEST(server.reactor->counters().handshakes == 6U);
  BOOST_TEST(server.reactor->counters().handshakes_resumed == 3U);
  // Who it is stands in the session.
  for (std::string const& user : server.handler.users) BOOST_TEST(user == "worker-7");
}

BOOST_AUTO_TEST_CASE(a_protocol_is_agreed_upon) {
  Server server;
  std::string const address = listen(server, context({"http/1.1"}));
  server.start();
  TlsClientOptions options = trusting();
  {
    options.protocols = "\x02h2\x08http/1.1";
    TlsClient client{address, options};
    shake(client);
    BOOST_TEST(client.protocol() == "http/1.1");
  }
  {
    options.protocols.clear();
    TlsClient client{address, options};
    shake(client);
    BOOST_TEST(client.protocol() == "");
    BOOST_TEST(echo(client, "x") == "x");
  }
  options.protocols = "\x02h2";
  BOOST_TEST(refusal_of(address, options) == "alert no application protocol");
}

BOOST_AUTO_TEST_CASE(a_client_without_a_certificate_is_nobody_or_refused) {
  for (auto const rule :
       {tls::ClientCertificates::none, tls::ClientCertificates::accepted, tls::ClientCertificates::required}) {
    Server server;
    std::string const address = listen(server, context({}, rule));
    server.start();
    std::string const refused = refusal_of(address, trusting());
    server.finish();
    if (rule == tls::ClientCertificates::required) {
      BOOST_TEST(refused == "alert certificate required");
      BOOST_TEST(server.handler.opened.empty());
    } else {
      BOOST_TEST(refused == "");
      BOOST_REQUIRE(server.handler.users.size() == 1U);
      BOOST_TEST(server.handler.users[0] == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_certificate_names_the_user) {
  Server server;
  std::string const address = listen(server, context({}, tls::ClientCertificates::required));
  server.start();
  std::string const longest(64, 'u');
  for (std::string const& name : {std::string{"Anna.B-c_7@example"}, longest}) {
    TlsClientOptions options = trusting();
    options.certificate = authority.client(name);
    TlsClient client{address, options};
    shake(client);
    BOOST_TEST(echo(client, "x") == "x");
  }
  server.finish();
  BOOST_REQUIRE(server.handler.users.size() == 2U);
  BOOST_TEST(server.handler.users[0] == "Anna.B-c_7@example");
  BOOST_TEST(server.handler.users[1] == longest);
}

BOOST_AUTO_TEST_CASE(a_wrong_certificate_is_refused_also_where_none_is_required) {
  Server server;
  std::string const address = listen(server, context({}, tls::ClientCertificates::accepted));
  server.start();
  Authority stranger{"Somebody else"};
  test::CertificateWish wish{.common_name = "anna", .names = {}, .addresses = {}, .for_clients = true};
  auto const refused_with = [&](test::Certificate const& certificate) {
    TlsClientOptions options = trusting();
    options.certificate = certificate;
    return refusal_of(address, options);
  };
  BOOST_TEST(refused_with(stranger.issue(wish)) == "alert unknown ca");
  wish.to_s = -60;
  BOOST_TEST(refused_with(authority.issue(wish)) == "alert certificate expired");
  wish.to_s = 60;
  wish.for_clients = false;
  BOOST_TEST(refused_with(authority.issue(wish)) == "alert unsupported certificate");
  wish.for_clients = true;
  for (std::string const& name : {std::string{}, std::string{"anna b"}, std::string{"anna\nadmin"},
                                  std::string("anna\0admin", 10), std::string{"ann\xC3\xA4"}}) {
    wish.common_name = name;
    std::string const refused = refused_with(authority.issue(wish));
    BOOST_TEST(!refused.empty(), "accepted: " << name);
  }
  server.finish();
  BOOST_TEST(server.handler.opened.empty());
  BOOST_TEST(server.reactor->counters().handshakes_failed == 8U);
}

BOOST_AUTO_TEST_CASE(new_certificates_are_for_new_connections) {
  Server server;
  std::string const address = listen(server, context(), 7);
  Authority other{"The next authority"};
  test::Certificate const next = other.issue();
  tls::ServerMaterial material;
  material.certificate = next.certificate;
  material.key = next.key;
  auto const made = tls::ServerContext::make(material, {});
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) {
    if (bytes == "change\n") server.reactor->use_certificates(7, made.value());
    if (bytes == "others\n") server.reactor->use_certificates(8, nullptr);
    server.handler.answer(id, bytes);
  };
  server.start();
  TlsClient old{address, trusting()};
  shake(old);
  TlsClient under_way{address, trusting()};
  under_way.greet();
  BOOST_TEST(echo(old, "others") == "others");
  BOOST_TEST(echo(old, "change") == "change");
  shake(under_way);
  TlsClient fresh{address, {.ca = other.certificate()}};
  shake(fresh);
  BOOST_TEST(echo(fresh, "x") == "x");
  BOOST_TEST(echo(old, "y") == "y");
  BOOST_TEST(echo(under_way, "z") == "z");
  TlsClient distrusting{address, trusting()};
  BOOST_TEST(!distrusting.handshake());
}

BOOST_AUTO_TEST_CASE(a_client_without_tls_is_told_so) {
  Server server;
  std::string const address = listen(server);
  server.start();
  for (std::string const& text :
       {std::string{"ALIVE\n"}, std::string{"GET / HTTP/1.1\r\n\r\n"}, std::string("FJM\x01", 4),
        std::string("\x80\x2e\x01", 3), std::string(70'000, 'x')}) {
    LineClient client{address};
    client.send(text);
    BOOST_TEST(client.read_all().value_or("(no answer)") == kNoTls);
  }
  server.finish();
  BOOST_TEST(server.handler.opened.empty());
  BOOST_TEST(server.reactor->counters().handshakes_plain == 5U);
  BOOST_TEST(server.reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(thousands_of_resumed_connections_come_and_go) {
  Server server;
  std::string const address = listen(server);
  server.start();
  TlsClient first{address, trusting()};
  shake(first);
  BOOST_TEST(echo(first, "x") == "x");
  std::shared_ptr<ssl_session_st> session = first.session();
  for (int i = 0; i < 500; ++i) {
    TlsClientOptions options;
    options.session = session.get();
    TlsClient client{address, options};
    shake(client);
    BOOST_REQUIRE(echo(client, "x") == "x");
    session = client.session();
    if (i % 3 == 0) client.line().reset();
    if (i % 3 == 1) client.end_output();
  }
  TlsClient last{address, trusting()};
  shake(last);
  last.end_output();
  BOOST_TEST(last.read_all().has_value());
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 502U);
  BOOST_TEST(server.reactor->connections() <= 3U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
