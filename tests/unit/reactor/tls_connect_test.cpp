// TLS connections that the reactor makes, to a listener with TLS of the same reactor: the handler sees the same as
// without TLS, and hears of none before its peer has shown a good certificate. Peers that are refused, refuse, are
// silent or speak something else are told as ends, with the reason in words.
#include <filesystem>
#include <fstream>

#include "tests/unit/reactor/tls_fixture.h"

namespace fastjournal::reactor {
namespace {

constexpr std::uint32_t kTrusting = 3;

// The number of its certificates, the name that is expected.
env::ConnectOptions with_tls(std::string name = {}, std::uint32_t certificates = kTrusting) {
  return {.tls = true, .certificates = certificates, .name = std::move(name)};
}

// A reactor with both ends: what comes to the server's end is echoed.
struct BothEnds : Secured {
  using ClientContext = std::shared_ptr<tls::ClientContext>;

  ClientContext client_context(Authority const& trusted, test::Certificate const& own = {}) {
    std::ofstream{folder / "ca.pem"} << trusted.certificate();
    tls::ClientFiles files{.ca = {folder / "ca.pem", "ca"}, .certificate = {"", "certificate"}, .key = {"", "key"}};
    if (!own.key.empty()) {
      std::ofstream{folder / "own.pem"} << own.certificate;
      test::write_private(folder / "own.key", own.key);
      files.certificate.path = folder / "own.pem";
      files.key.path = folder / "own.key";
    }
    auto made = tls::ClientContext::make(files, "", "");
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
    return made.value();
  }

  std::unique_ptr<Server> server(ReactorOptions options = {}) {
    auto out = std::make_unique<Server>(std::move(options));
    out->reactor->use_client_certificates(kTrusting, client_context(authority));
    // What never comes fails a test, and does not stop it.
    Reactor& reactor = *out->reactor;
    BOOST_REQUIRE(reactor.on_interval(20'000'000, [&reactor] { reactor.stop(); }).ok());
    return out;
  }

  // What became of one connection.
  struct Outcome {
    bool opened{false};
    std::string answer;  // to "hello"
    std::string reason;  // of its end; empty: it answered
  };
  // Runs the loop until one connection has echoed a line, or has ended.
  static Outcome talk(Server& both, std::string const& address, env::ConnectOptions const& options) {
    Outcome out;
    Result<ConnectionId> const made = both.reactor->connect({address}, options);
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
    ConnectionId const id = made.value();
    auto const others = both.handler.bytes_hook;
    both.handler.bytes_hook = [&](ConnectionId from, std::string_view bytes) {
      if (from != id) return others ? others(from, bytes) : both.handler.answer(from, bytes);
      out.answer.append(bytes);
      if (out.answer != "hello\n") return;
      both.reactor->close(id);
      both.reactor->stop();
    };
    both.handler.closed_hook = [&](ConnectionId from) {
      if (from != id) return;
      out.reason = both.handler.closed.back().second;
      both.reactor->stop();
    };
    both.handler.answer(id, "hello\n");  // sent in the first turn that can send it
    both.start();
    both.join();
    for (auto const& [opened, peer] : both.handler.opened)
      if (opened == id) out.opened = true;
    return out;
  }

  // A connection that is not opened, and why.
  static std::string refusal(Server& both, std::string const& address, env::ConnectOptions const& options) {
    Outcome const out = talk(both, address, options);
    BOOST_TEST(!out.opened);
    BOOST_TEST(out.answer == "");
    return out.reason;
  }

  TemporaryFolder folder;
};

bool begins(std::string const& text, std::string_view with) {
  BOOST_TEST(text.starts_with(with), text);
  return text.starts_with(with);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(connecting_with_tls, BothEnds)

BOOST_AUTO_TEST_CASE(many_megabytes_go_both_ways_and_then_both_ends) {
  auto const both = server();
  std::string const address = listen(*both);
  std::string const text = numbered(16U << 20U);
  ConnectionId id{};
  std::string received;
  both->handler.bytes_hook = [&](ConnectionId from, std::string_view bytes) {
    if (from != id) return both->handler.answer(from, bytes);
    received.append(bytes);
    if (received.size() == text.size()) both->reactor->end_output(id);
  };
  both->handler.closed_hook = [&](ConnectionId) { both->reactor->stop(); };
  // The server's end closes when it has echoed all.
  bool end_is_told = false;
  auto const end = [&](ConnectionId from) {
    if (from == id)
      end_is_told = true;
    else
      both->reactor->close(from);
  };
  both->handler.end_of_input_hook = end;
  Result<ConnectionId> const made = both->reactor->connect({address}, with_tls());
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
  id = made.value();
  both->handler.answer(id, text);
  both->start();
  both->join();
  BOOST_TEST((received == text));
  BOOST_TEST(end_is_told);
  BOOST_TEST(both->handler.short_sends > 0U);
  BOOST_REQUIRE(both->handler.opened.size() == 2U);
  BOOST_REQUIRE(both->handler.closed.size() == 1U);
  BOOST_TEST((both->handler.closed[0].first == id));
  BOOST_TEST(both->handler.closed[0].second == "closed by peer");
  BOOST_TEST(both->reactor->connections() == 0U);
  BOOST_TEST(both->reactor->counters().handshakes == 1U);
}

BOOST_AUTO_TEST_CASE(a_unix_socket_is_localhost) {
  auto const both = server();
  auto const bound = both->reactor->listen({"unix:" + (folder / "socket")}, {.number = 1}, {context(), kNoTls});
  BOOST_REQUIRE_MESSAGE(bound.ok(), bound.status().text());
  BOOST_TEST(talk(*both, bound->text, with_tls()).answer == "hello\n");
}

// ---------------------------------------------------------------------------
// Certificates

BOOST_AUTO_TEST_CASE(the_certificate_must_be_for_the_name_that_is_expected) {
  for (std::string const name : {"", "127.0.0.1", "localhost"}) {
    auto const both = server();
    BOOST_TEST(talk(*both, listen(*both), with_tls(name)).answer == "hello\n", name);
  }
  for (std::string const name : {"other.example", "127.0.0.2"}) {
    auto const both = server();
    BOOST_TEST(refusal(*both, listen(*both), with_tls(name)) ==
               "its certificate is for localhost, 127.0.0.1, not for " + name);
    BOOST_TEST(both->handler.opened.empty());
    BOOST_TEST(both->reactor->connections() <= 1U);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_authority_is_refused) {
  auto const both = server();
  Authority const other{"Somebody else"};
  both->reactor->use_client_certificates(4, client_context(other));
  begins(refusal(*both, listen(*both), with_tls("", 4)), "its certificate is not trusted (");
}

BOOST_AUTO_TEST_CASE(an_expired_certificate_is_refused) {
  auto const both = server();
  test::Certificate const old = authority.issue({.to_s = -60});
  tls::ServerMaterial material;
  material.certificate = old.certificate;
  material.key = old.key;
  auto const made = tls::ServerContext::make(material, {});
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
  begins(refusal(*both, listen(*both, made.value()), with_tls()), "its certificate expired on ");
}

// With TLS 1.3 the peer looks at our certificate when our handshake is done: the end comes after on_open.
BOOST_AUTO_TEST_CASE(a_certificate_that_is_missing_is_told_by_its_end) {
  auto const both = server();
  Outcome const out = talk(*both, listen(*both, context({}, tls::ClientCertificates::required)), with_tls());
  BOOST_TEST(out.answer == "");
  BOOST_TEST(out.reason == "it accepts only clients with a certificate");
  BOOST_TEST(both->reactor->counters().handshakes_failed == 1U);
}

// What is sent meanwhile is answered by a reset. It does not hide the reason, which came before it.
BOOST_AUTO_TEST_CASE(the_reason_is_told_though_sending_failed_before_it_was_read) {
  auto const both = server();
  std::string const address = listen(*both, context({}, tls::ClientCertificates::required));
  ConnectionId id{};
  int turns = 0;
  int sent = 0;
  both->handler.turn_end_hook = [&] {
    if (both->handler.opened.empty()) return;
    if (++turns == 1) both->reactor->pause_reading(id, true);
    if (both->reactor->counters().handshakes_failed == 1U && ++sent <= 3)
      static_cast<void>(both->reactor->send(id, "hello\n"));
    if (sent == 3) both->reactor->pause_reading(id, false);
    if (turns < 10'000) both->reactor->turn_again();
  };
  both->handler.closed_hook = [&](ConnectionId) { both->reactor->stop(); };
  Result<ConnectionId> const made = both->reactor->connect({address}, with_tls());
  BOOST_REQUIRE(made.ok());
  id = made.value();
  both->start();
  both->join();
  BOOST_TEST(sent >= 3);
  BOOST_REQUIRE(both->handler.closed.size() == 1U);
  BOOST_TEST(both->handler.closed[0].second == "it accepts only clients with a certificate");
}

BOOST_AUTO_TEST_CASE(our_certificate_is_shown_where_it_is_asked_for) {
  auto const both = server();
  both->reactor->use_client_certificates(4, client_context(authority, authority.client("node-1")));
  std::string const address = listen(*both, context({}, tls::ClientCertificates::required));
  BOOST_TEST(talk(*both, address, with_tls("", 4)).answer == "hello\n");
  BOOST_REQUIRE(both->handler.users.size() == 2U);
  BOOST_TEST(both->handler.users[0] + both->handler.users[1] == "node-1");

  auto const stranger = server();
  Authority other{"Somebody else"};
  stranger->reactor->use_client_certificates(4, client_context(authority, other.client("node-1")));
  Outcome const out =
      talk(*stranger, listen(*stranger, context({}, tls::ClientCertificates::required)), with_tls("", 4));
  BOOST_TEST(out.reason == "it does not trust this client's certificate");
}

BOOST_AUTO_TEST_CASE(new_certificates_are_for_new_connections_and_without_any_there_are_none) {
  auto const both = server();
  std::string const address = listen(*both);
  BOOST_TEST(!both->reactor->connect({address}, with_tls("", 4)).ok());
  both->reactor->use_client_certificates(4, client_context(authority));
  auto const made = both->reactor->connect({address}, with_tls("", 4));
  BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
  Authority const other{"Somebody else"};
  both->reactor->use_client_certificates(4, client_context(other));
  begins(refusal(*both, address, with_tls("", 4)), "its certificate is not trusted (");
  // The first goes on with those that it was made with.
  BOOST_REQUIRE(both->handler.closed.size() == 1U);
  BOOST_TEST((both->handler.closed[0].first != made.value()));
  both->reactor->use_client_certificates(4, nullptr);
  auto const none = both->reactor->connect({address}, with_tls("", 4));
  BOOST_REQUIRE(!none.ok());
  BOOST_TEST(none.status().message() == "connect " + address + " with TLS: there are no certificates of the number 4");
  BOOST_TEST(!both->reactor->connect({address}, with_tls(std::string(300, 'x'))).ok());
}

// A session that is resumed shows no certificate, so it is for the name alone with which it began.
BOOST_AUTO_TEST_CASE(a_session_is_resumed_for_its_own_name_only) {
  auto const context_of_all = context();
  auto const trusting_all = client_context(authority);
  std::uint64_t resumed = 0;
  for (std::string const name : {"localhost", "localhost", "127.0.0.1", "other.example"}) {
    Server both;
    both.reactor->use_client_certificates(kTrusting, trusting_all);
    Outcome const out = talk(both, listen(both, context_of_all), with_tls(name));
    BOOST_TEST((out.answer == "hello\n") == (name != "other.example"), name << ": " << out.reason);
    resumed += both.reactor->counters().handshakes_resumed;
  }
  BOOST_TEST(resumed == 1U);
}

BOOST_AUTO_TEST_CASE(a_protocol_is_agreed_upon_or_it_fails) {
  env::ConnectOptions options = with_tls();
  options.protocol = "h2";
  {
    auto const both = server();
    BOOST_TEST(talk(*both, listen(*both, context({"h2", "http/1.1"})), options).answer == "hello\n");
  }
  {
    auto const both = server();
    BOOST_TEST(refusal(*both, listen(*both, context({"http/1.1"})), options) ==
               "what this client speaks is not spoken at this address");
  }
  auto const both = server();
  Outcome const out = talk(*both, listen(*both), options);
  BOOST_TEST(!out.opened);
  BOOST_TEST(out.reason == "it does not speak h2 at this address");
}

// ---------------------------------------------------------------------------
// Peers without TLS

BOOST_AUTO_TEST_CASE(a_peer_that_speaks_something_else_is_told_so) {
  auto const both = server();
  both->handler.bytes_hook = [&](ConnectionId id, std::string_view) { both->handler.answer(id, "INVALID what;\n"); };
  BOOST_TEST(refusal(*both, both->listen(), with_tls()) == "it does not speak TLS");
}

BOOST_AUTO_TEST_CASE(a_peer_that_ends_in_the_handshake_is_told_once) {
  auto const both = server();
  both->handler.bytes_hook = [&](ConnectionId id, std::string_view) { both->reactor->close(id); };
  begins(refusal(*both, both->listen(), with_tls()), "it ended the connection during the TLS handshake");
  BOOST_TEST(both->handler.closed.size() == 1U);
  BOOST_TEST(both->reactor->connections() == 0U);
}

BOOST_AUTO_TEST_CASE(nobody_there_is_told_as_without_tls) {
  std::string address;
  {
    Server gone;
    address = gone.listen();
  }
  auto const both = server();
  BOOST_TEST(refusal(*both, address, with_tls()) == "Connection refused");
}

BOOST_AUTO_TEST_CASE(a_silent_peer_costs_the_limit_of_time) {
  auto const both = server({.handshakes_max = 1, .handshake_limit_us = 50'000});
  std::string const address = both->listen();
  both->handler.bytes_hook = [](ConnectionId, std::string_view) {};
  begins(refusal(*both, address, with_tls()), "it did not end the TLS handshake within 50 ms");
  // No matter of those who come here.
  BOOST_TEST(both->reactor->counters().handshakes_late == 0U);
}

// Before it is connected, and when it has sent what a handshake begins with.
BOOST_AUTO_TEST_CASE(one_that_is_closed_in_the_handshake_is_heard_of_no_more) {
  auto const both = server({.handshake_limit_us = 50'000});
  std::string const address = both->listen();
  Result<ConnectionId> const connecting = both->reactor->connect({address}, with_tls());
  BOOST_REQUIRE(connecting.ok());
  both->reactor->close(connecting.value());
  Result<ConnectionId> const made = both->reactor->connect({address}, with_tls());
  BOOST_REQUIRE(made.ok());
  both->handler.bytes_hook = [&](ConnectionId id, std::string_view) {
    BOOST_TEST((id != made.value()));
    both->reactor->close(made.value());
    both->reactor->wake_at(monotonic_us() + 100'000);  // after their limit
  };
  both->handler.timer_hook = [&] { both->reactor->stop(); };
  both->start();
  both->join();
  for (auto const& [id, reason] : both->handler.closed) BOOST_TEST((id != made.value() && id != connecting.value()));
  for (auto const& [id, peer] : both->handler.opened) BOOST_TEST((id != made.value() && id != connecting.value()));
}

// It shakes hands, and hears nothing: whether it is paused before it is connected or before it is open.
BOOST_AUTO_TEST_CASE(one_that_is_paused_before_it_is_open_reads_when_it_is_told_to) {
  struct Kind {
    bool tls;
    bool is_early;
  };
  for (Kind const kind : {Kind{true, true}, Kind{true, false}, Kind{false, true}}) {
    auto const both = server();
    std::string const address = kind.tls ? listen(*both) : both->listen();
    std::string received;
    ConnectionId id{};
    bool is_paused = false;
    auto const pause = [&](bool paused) {
      is_paused = paused;
      both->reactor->pause_reading(id, paused);
    };
    both->handler.bytes_hook = [&](ConnectionId from, std::string_view bytes) {
      if (from != id) {
        both->handler.answer(from, bytes);
        both->reactor->wake_at(monotonic_us() + 20'000);
        return;
      }
      BOOST_TEST(!is_paused);
      received.append(bytes);
      both->reactor->stop();
    };
    both->handler.timer_hook = [&] { pause(false); };
    Result<ConnectionId> const made = both->reactor->connect({address}, kind.tls ? with_tls() : env::ConnectOptions{});
    BOOST_REQUIRE(made.ok());
    id = made.value();
    if (kind.is_early) pause(true);
    both->handler.turn_end_hook = [&] {
      if (both->handler.turns > 1 || kind.is_early) return;
      BOOST_TEST(both->handler.opened.empty());
      pause(true);
    };
    both->reactor->turn_again();
    both->handler.answer(id, "hello\n");
    both->start();
    both->join();
    BOOST_TEST(received == "hello\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
