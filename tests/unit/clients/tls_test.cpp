// The library over TLS, against the daemon's reactor with a handler that answers every command: what is sent arrives, and
// whatever is wrong with a certificate is told with what to do about it.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <map>
#include <thread>

#include "clients/cpp/client.h"
#include "clients/cpp/socket.h"
#include "platform/reactor/reactor.h"
#include "tests/support/certificates.h"
#include "tests/support/in_child.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/value_of.h"
#include "wire/framer.h"
#include "wire/msgpack.h"

namespace fastjournal::client {
namespace {

using test::Authority;
using test::value_of;

// Answers ANSWER with the command's `data`; DROP ends the connection instead.
class Answers final : public env::NetworkHandler {
 public:
  explicit Answers(reactor::Reactor& reactor) : reactor_(reactor) {}

  std::vector<std::string> users;

  void on_open(ConnectionId, env::Peer const& peer) override { users.emplace_back(peer.user); }
  void on_bytes(ConnectionId id, std::string_view bytes) override {
    Peer& peer = peers_[id];
    peer.in.append(bytes);
    while (true) {
      protocol::Framer::Piece const piece = peer.framer.next(peer.in);
      if (piece.kind != protocol::Framer::Kind::frame) return;
      Message message;
      // Boost's checks are for one thread, and this is not the test's.
      if (!protocol::parse_frame(piece.bytes, message).ok() || message.command == "HANG_UP") {
        peers_.erase(id);
        reactor_.close(id);
        return;
      }
      Param const params[] = {{"data", Value::of_binary(message.text("data"))},
                              {"request", Value::of_integer(message.integer("request").value_or(0))}};
      protocol::append_frame({.command = "ANSWER", .params = params}, peer.out);
      peer.in.erase(0, piece.consumed);
      on_writable(id);
    }
  }
  void on_writable(ConnectionId id) override {
    Peer& peer = peers_[id];
    peer.out.erase(0, reactor_.send(id, peer.out));
  }
  void on_end_of_input(ConnectionId id) override { reactor_.close(id); }
  void on_closed(ConnectionId, std::string_view) override {}
  void on_timer() override {}
  void on_turn_end() override {}

 private:
  struct Peer {
    protocol::Framer framer{{}};
    std::string in;
    std::string out;
  };
  reactor::Reactor& reactor_;
  std::map<ConnectionId, Peer> peers_;
};

struct Daemon {
  Daemon() : reactor(std::move(reactor::Reactor::create({})).value()), handler(*reactor) {
    reactor->set_handler(handler);
    std::ofstream{folder / "ca.pem"} << authority.certificate();
  }
  ~Daemon() { finish(); }
  void finish() {
    if (!loop.joinable()) return;
    reactor->stop();
    loop.join();
    BOOST_TEST(end.ok(), end.text());
  }
  // The port.
  std::string serve(test::Certificate const& certificate,
                    tls::ClientCertificates clients = tls::ClientCertificates::none,
                    std::string const& address = "127.0.0.1:0") {
    tls::ServerMaterial material;
    material.files.client_certificates = clients;
    material.certificate = certificate.certificate;
    material.key = certificate.key;
    material.client_ca = authority.certificate();
    auto context = value_of(tls::ServerContext::make(material, {std::string{tls::kMessagesProtocol}}));
    return serve({context, "ERROR command=CONNECT;code=over_limit;message=use tls:\n"}, address);
  }
  std::string serve(reactor::TlsListening tls = {}, std::string const& address = "127.0.0.1:0") {
    auto bound = value_of(reactor->listen({address}, {.number = 1}, std::move(tls)));
    loop = std::thread{[this] { end = reactor->run(); }};
    return bound.text.substr(bound.text.rfind(':') + 1);
  }
  Options trusting(std::string const& server) const {
    return {.server = server, .ca_file = folder / "ca.pem", .connect_limit = Milliseconds{20'000}};
  }
  // Why there is no connection.
  static Status refusal(Options options) {
    auto const opened = Connection::open(std::move(options));
    return opened.status();
  }

  test::TemporaryFolder folder;
  Authority authority;
  std::unique_ptr<reactor::Reactor> reactor;
  Answers handler;
  std::thread loop;
  Status end;  // of the loop
};

std::unique_ptr<Connection> open(Options options) { return value_of(Connection::open(std::move(options))); }

std::string ask(Connection& connection, std::string_view data) {
  Result<Reply> const reply = connection.call("ECHO", {{"data", Value::of_binary(data)}});
  return reply.ok() ? std::string{reply->first().text("data")} : reply.status().text();
}

void check_says(Status const& status, Code code, std::string_view words) {
  BOOST_TEST((status.code() == code), status.text());
  BOOST_TEST(status.message().find(words) != std::string::npos, status.message());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(client_over_tls, Daemon)

BOOST_AUTO_TEST_CASE(answers_arrive_by_name_and_by_address) {
  std::string const port = serve(authority.issue());
  for (std::string const host : {"127.0.0.1", "localhost"}) {
    auto const connection = open(trusting("tls:" + host + ":" + port));
    BOOST_TEST(ask(*connection, "a") == "a");
    BOOST_TEST(ask(*connection, "b") == "b");
  }
}

BOOST_AUTO_TEST_CASE(large_messages_pass_in_both_directions_at_once) {
  std::string const port = serve(authority.issue());
  auto const connection = open(trusting("tls:127.0.0.1:" + port));
  std::vector<Ticket> tickets;
  std::vector<std::string> sent;
  for (int i = 0; i < 8; ++i) {
    sent.emplace_back(3U << 20U, static_cast<char>('a' + i));
    Message command("ECHO");
    command.set("data", Value::of_binary(sent.back()));
    Ticket const ticket = value_of(connection->send(command));
    tickets.push_back(ticket);
  }
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    Reply const reply = value_of(connection->receive(tickets[i]));
    BOOST_TEST((reply.first().text("data") == sent[i]));
  }
}

BOOST_AUTO_TEST_CASE(what_is_decrypted_already_is_not_waited_for) {
  std::string const server = "tls:127.0.0.1:" + serve(authority.issue());
  auto const tls = value_of(Socket::tls_for(server, {.ca = {folder / "ca.pem", "--ca"}, .certificate = {}, .key = {}}));
  Moment const until = moment_after(Milliseconds{20'000});
  Socket socket = value_of(Socket::connect(server, -1, until, tls));
  std::string const data(1000, 'x');
  Param const params[] = {{"data", Value::of_binary(data)}};
  std::string frame;
  protocol::append_frame({.command = "ECHO", .params = params}, frame);
  BOOST_TEST(socket.send(frame).value() == frame.size());
  std::string answer;
  bool one_record_was_waited_for = false;
  while (answer.size() < data.size()) {
    if (!socket.has_unread()) {
      BOOST_REQUIRE(answer.empty());
      one_record_was_waited_for = wait_for(socket.fd(), false, -1, until).readable;
    }
    char part[100];
    std::size_t const got = value_of(socket.receive(part));
    answer.append(part, got);
  }
  BOOST_TEST(one_record_was_waited_for);
}

BOOST_AUTO_TEST_CASE(a_new_connection_resumes_the_session) {
  std::string const port = serve(authority.issue());
  Options options = trusting("tls:127.0.0.1:" + port);
  options.back_off = {Milliseconds{1}};
  auto const connection = open(options);
  BOOST_TEST(ask(*connection, "a") == "a");
  BOOST_TEST((connection->call("HANG_UP").status().code() == Code::closed));
  BOOST_TEST(ask(*connection, "b") == "b");
  BOOST_TEST(connection->connects() == 2U);
  finish();
  BOOST_TEST(reactor->counters().handshakes == 2U);
  BOOST_TEST(reactor->counters().handshakes_resumed == 1U);
}

BOOST_AUTO_TEST_CASE(an_untrusted_certificate_is_told_with_what_to_do) {
  std::string const port = serve(authority.issue());
  Options options = trusting("tls:127.0.0.1:" + port);
  options.ca_file.clear();
  check_says(refusal(options), Code::unavailable, "its certificate is not trusted");
  check_says(refusal(options), Code::unavailable, "--ca FILE (FASTJOURNAL_CA");
  Authority const other{"Somebody else"};
  std::ofstream{folder / "other.pem"} << other.certificate();
  options.ca_file = folder / "other.pem";
  check_says(refusal(options), Code::unavailable, "its certificate is not trusted");
}

BOOST_AUTO_TEST_CASE(a_certificate_for_another_name_is_told_with_its_names) {
  std::string const port = serve(authority.issue({.names = {"a.example", "*.b.example"}, .addresses = {"10.1.2.3"}}));
  check_says(refusal(trusting("tls:127.0.0.1:" + port)), Code::unavailable,
             "its certificate is for a.example, *.b.example, 10.1.2.3, not for 127.0.0.1");
  check_says(refusal(trusting("tls:localhost:" + port)), Code::unavailable, "not for localhost");
}

BOOST_AUTO_TEST_CASE(a_certificate_out_of_its_time_is_told) {
  std::string const port = serve(authority.issue({.to_s = -60}));
  check_says(refusal(trusting("tls:127.0.0.1:" + port)), Code::unavailable, "its certificate expired on ");
}

BOOST_AUTO_TEST_CASE(a_server_without_tls_is_told) {
  std::string const port = serve();
  Options options = trusting("tls:127.0.0.1:" + port);
  // It waits for a whole line.
  options.connect_limit = Milliseconds{200};
  check_says(refusal(options), Code::unavailable, "speaks no TLS at this address");
}

BOOST_AUTO_TEST_CASE(a_client_without_tls_hears_what_the_daemon_says) {
  std::string const port = serve(authority.issue());
  Options options{.server = "127.0.0.1:" + port};
  options.back_off.clear();
  auto const connection = open(options);
  BOOST_TEST(ask(*connection, "a") == "over_limit: use tls:");
}

BOOST_AUTO_TEST_CASE(a_certificate_is_shown_where_one_is_required) {
  std::string const port = serve(authority.issue(), tls::ClientCertificates::required);
  Options options = trusting("tls:127.0.0.1:" + port);
  {
    // Told at once, and not tried again for half a minute.
    auto const connection = open(options);
    Status const refused = connection->call("ECHO").status();
    check_says(refused, Code::not_allowed, "it accepts only clients with a certificate");
    BOOST_TEST(connection->connects() == 1U);
  }
  test::Certificate const own = authority.client("anna");
  std::ofstream{folder / "anna.pem"} << own.certificate;
  test::write_private(folder / "anna.key", own.key);
  options.certificate_file = folder / "anna.pem";
  check_says(refusal(options), Code::bad_configuration, "expected --key beside it");
  options.key_file = folder / "anna.key";
  auto const connection = open(options);
  BOOST_TEST(ask(*connection, "a") == "a");
  finish();
  BOOST_REQUIRE(handler.users.size() == 1U);
  BOOST_TEST(handler.users[0] == "anna");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_child_of_fork_does_not_end_the_session_of_its_parent) {
  std::string const port = serve(authority.issue());
  auto connection = open(trusting("tls:127.0.0.1:" + port));
  BOOST_TEST(ask(*connection, "a") == "a");
  std::string said;
  int const ended = test::run_in_child(
      [&] {
        std::string out = ask(*connection, "b");
        connection.reset();
        return out;
      },
      60, said);
  BOOST_TEST(ended == 0);
  BOOST_TEST(said.find("fork()") != std::string::npos, said);
  BOOST_TEST(ask(*connection, "c") == "c");
  BOOST_TEST(connection->connects() == 1U);
}

BOOST_AUTO_TEST_CASE(addresses_are_checked) {
  Options options{.server = "tls:nowhere"};
  check_says(refusal(options), Code::bad_parameter, "tls: before it");
  options.server = "tls:127.0.0.1:1";
  options.ca_file = folder / "none.pem";
  check_says(refusal(options), Code::bad_configuration, "--ca: " + folder / "none.pem" + ": No such file");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::client
