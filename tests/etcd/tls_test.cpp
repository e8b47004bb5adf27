// The client against three real etcd processes that speak TLS, want a certificate and know users. On the reactor, as in
// the daemon: its loop has a thread, and the test waits for what it brings.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "config/endpoints.h"
#include "log/etcd/client/client.h"
#include "platform/reactor/reactor.h"
#include "tests/etcd/etcd_nodes.h"

namespace etcd_cluster_with_tls {

using namespace fastjournal;
using namespace fastjournal::etcd;
using etcd::Answer;
using std::chrono::seconds;

constexpr std::uint32_t kCertificates = 5;

class Peer final : public env::NetworkHandler {
 public:
  Peer(ClientOptions options, tls::ClientFiles const& files) : reactor_(make_reactor()) {
    options.tls = true;
    options.certificates = kCertificates;
    auto certificates = tls::ClientContext::make(files, "", "");
    BOOST_REQUIRE_MESSAGE(certificates.ok(), certificates.status().text());
    reactor_->use_client_certificates(kCertificates, certificates.value());
    reactor_->set_handler(*this);
    client_ = std::make_unique<Client>(*reactor_, std::move(options));
    reactor_->turn_again();
    loop_ = std::thread{[this] { static_cast<void>(reactor_->run()); }};
  }
  ~Peer() {
    reactor_->stop();
    loop_.join();
  }
  Peer(Peer const&) = delete;
  Peer& operator=(Peer const&) = delete;

  void on_open(ConnectionId id, env::Peer const&) override { client_->opened(id); }
  void on_bytes(ConnectionId id, std::string_view bytes) override { client_->received(id, bytes); }
  void on_writable(ConnectionId id) override { client_->writable(id); }
  void on_end_of_input(ConnectionId id) override { client_->ended(id); }
  void on_closed(ConnectionId id, std::string_view reason) override { client_->closed(id, reason); }
  void on_timer() override {}
  void on_turn_end() override {
    std::unique_lock const held{lock_};
    for (auto const& job : std::exchange(jobs_, {})) job(*client_);
    client_->tick(reactor::monotonic_us());
    client_->end_turn();
    for (Answer& answer : client_->take_answers()) answers_[answer.id] = std::move(answer);
    for (WatchNews& one : client_->take_news())
      for (WatchNews::Event const& event : one.events) told_ += (event.is_deleted ? " -" : " ") + event.pair.key;
    state_ = client_->state();
    endpoint_ = client_->endpoint();
    reactor_->wake_at(client_->next_us());
    changed_.notify_all();
  }

  void until(std::function<bool()> const& is_so, std::string const& what) {
    std::unique_lock held{lock_};
    if (!changed_.wait_for(held, seconds{30}, is_so))
      BOOST_FAIL("not within 30 s: " << what << " (" << state_.text() << ")");
  }
  Answer ask(Request const& request) {
    auto const id = std::make_shared<RequestId>(0);
    run([id, request](Client& client) { *id = client.send(request, 10'000'000); });
    until([&] { return answers_.contains(*id); }, "an answer");
    std::unique_lock const held{lock_};
    return answers_.at(*id);
  }
  // The body of one that is done.
  template <typename Body>
  Body body(Request const& request) {
    Answer const answer = ask(request);
    BOOST_REQUIRE_MESSAGE(answer.outcome == Outcome::done, answer.why);
    return std::get<Body>(answer.body);
  }
  void watch(WatchWish const& wish) {
    run([wish](Client& client) { client.watch(wish); });
  }
  // All events of watches.
  void until_told(std::string const& events) {
    until([&] { return told_ == events; }, "the events" + events);
  }
  void until_told_at_end(std::string const& events) {
    until([&] { return told_.ends_with(events); }, "the events" + events);
  }
  void until_elsewhere(std::string const& endpoint) {
    until([&] { return state_.ok() && endpoint_ != endpoint; }, "another member");
  }
  void until_connected() {
    until([this] { return state_.ok(); }, "a connection");
  }
  void until_state(std::string const& part) {
    until([&] { return state_.message().find(part) != std::string::npos; }, part);
  }
  std::string endpoint() {
    std::unique_lock const held{lock_};
    return endpoint_;
  }

 private:
  static std::unique_ptr<reactor::Reactor> make_reactor() {
    auto made = reactor::Reactor::create({});
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
    return std::move(made).value();
  }
  void run(std::function<void(Client&)> job) {
    {
      std::unique_lock const held{lock_};
      jobs_.push_back(std::move(job));
    }
    reactor_->wake();
  }

  std::unique_ptr<reactor::Reactor> reactor_;
  std::unique_ptr<Client> client_;
  std::thread loop_;

  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::function<void(Client&)>> jobs_;
  std::map<RequestId, Answer> answers_;
  std::string told_;
  Status state_;
  std::string endpoint_;
};

struct SecureTrio {
  ClientOptions options(std::string user = {}, std::string password = {}) const {
    auto const read = config::read_endpoints(nodes.urls());
    BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
    BOOST_TEST(read->tls);
    return {.endpoints = read->addresses, .user = std::move(user), .password = std::move(password)};
  }
  tls::ClientFiles files() const {
    return {.ca = {nodes.file("ca.pem"), "ca"},
            .certificate = {nodes.file("client.pem"), "certificate"},
            .key = {nodes.file("client.key"), "key"}};
  }
  test::EtcdNodes nodes{3, {"--unsafe-no-fsync"}, test::EtcdNodes::Scheme::https};
};

Transaction append(std::string const& key, std::string value, std::int64_t lease = 0) {
  return {.compares = {{key, Compare::What::version, Compare::Is::equal, 0}},
          .then = {Put{key, std::move(value), lease}},
          .otherwise = {Range{key}}};
}

}  // namespace etcd_cluster_with_tls

BOOST_FIXTURE_TEST_SUITE(etcd_cluster_with_tls, SecureTrio)

BOOST_AUTO_TEST_CASE(with_a_certificate_and_a_user_it_appends_watches_and_keeps_a_lease) {
  {
    Peer nobody{options(), files()};
    nobody.until_connected();
  }
  nodes.add_user();
  Peer peer{options("journal", "pass"), files()};
  peer.watch({.key = "j/", .end = "j0", .revision = 2});
  // More than a record of TLS, and than a window of HTTP/2.
  std::string const large(1'000'000, 'x');
  BOOST_TEST(peer.body<TransactionAnswer>(append("j/1", large)).succeeded);
  BOOST_TEST(!peer.body<TransactionAnswer>(append("j/1", "again")).succeeded);
  BOOST_TEST((peer.body<RangeAnswer>(Range{"j/1"}).pairs.at(0).value == large));
  peer.until_told(" j/1");

  auto const lease = peer.body<LeaseAnswer>(Grant{2});
  BOOST_TEST(peer.body<TransactionAnswer>(append("j/own", "node", lease.lease)).succeeded);
  // Renewed over more than its time.
  for (std::int64_t const end = reactor::monotonic_us() + 4'000'000; reactor::monotonic_us() < end;)
    BOOST_REQUIRE(peer.body<LeaseAnswer>(KeepAlive{lease.lease}).ttl_s == lease.ttl_s);
  peer.until_told(" j/1 j/own");
  // It ends by itself.
  peer.until_told(" j/1 j/own -j/own");

  BOOST_TEST((peer.ask(Put{"k", "v"}).refusal == Refusal::not_allowed));
  Peer wrong{options("journal", "other"), files()};
  BOOST_TEST((wrong.ask(Put{"j/2", "v"}).refusal == Refusal::not_allowed));
  // The name in a certificate is no user, unless etcd knows one of that name.
  Peer nobody{options(), files()};
  BOOST_TEST((nobody.ask(Put{"j/2", "v"}).refusal == Refusal::not_allowed));

  // The next member has shown its certificate as well.
  std::string const used = peer.endpoint();
  nodes.kill(nodes.index_of(used));
  peer.until_elsewhere(used);
  for (int i = 0; i < 30 && peer.ask(Put{"j/3", "v"}).outcome != Outcome::done; ++i) continue;
  BOOST_TEST(peer.body<RangeAnswer>(Range{"j/3"}).pairs.size() == 1U);
  peer.until_told_at_end(" j/3");
}

BOOST_AUTO_TEST_CASE(a_certificate_that_is_wrong_or_missing_is_told) {
  {
    Peer good{options(), files()};
    good.until_connected();
  }
  {
    tls::ClientFiles without = files();
    without.certificate.path.clear();
    without.key.path.clear();
    Peer peer{options(), without};
    peer.until_state("it accepts only clients with a certificate");
  }
  {
    ClientOptions other = options();
    other.server_name = "etcd.example";
    Peer peer{other, files()};
    peer.until_state("its certificate is for localhost, 127.0.0.1, not for etcd.example");
  }
  {
    ClientOptions named = options();
    named.server_name = "localhost";
    Peer peer{named, files()};
    peer.until_connected();
  }
  test::Authority const stranger{"Somebody else"};
  std::ofstream{nodes.file("other.pem")} << stranger.certificate();
  tls::ClientFiles distrusting = files();
  distrusting.ca.path = nodes.file("other.pem");
  Peer peer{options(), distrusting};
  peer.until_state("its certificate is not trusted");
}

BOOST_AUTO_TEST_SUITE_END()
