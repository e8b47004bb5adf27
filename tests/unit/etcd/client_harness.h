// A client on a network that only records, and a cluster in memory at the other end of its connections. Time and turns
// are the test's.
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "log/etcd/client/client.h"
#include "tests/support/recording_network.h"
#include "tests/unit/etcd/fake_etcd.h"
#include "tests/unit/etcd/grpc_server.h"

namespace fastjournal::test {

struct ClientHarness {
  static constexpr std::int64_t kMs = 1000;

  explicit ClientHarness(etcd::ClientOptions options = {}) : client(network, with_endpoints(std::move(options))) {}

  static etcd::ClientOptions with_endpoints(etcd::ClientOptions options) {
    if (options.endpoints.empty()) options.endpoints = {"10.0.0.1:2379", "10.0.0.2:2379", "10.0.0.3:2379"};
    return options;
  }

  // The connection that was made last; none: it is over.
  [[nodiscard]] ConnectionId made() const {
    ConnectionId const id{network.last};
    return network.last == 0 || is_over(id) ? ConnectionId::none : id;
  }
  [[nodiscard]] bool is_over(ConnectionId id) const {
    return gone.contains(id) || std::find(network.closed.begin(), network.closed.end(), id) != network.closed.end();
  }
  [[nodiscard]] bool is_open(ConnectionId id) const { return servers.contains(id) && !is_over(id); }
  GrpcServer& server() { return *servers.at(made()); }

  // A turn of the client without input.
  void turn() {
    client.tick(now);
    client.end_turn();
    take();
  }
  void take() {
    for (etcd::Answer& answer : client.take_answers()) {
      BOOST_TEST(!answers.contains(answer.id), "answered twice: " << answer.id);
      answers[answer.id] = std::move(answer);
    }
    for (etcd::WatchNews& one : client.take_news()) news.push_back(std::move(one));
  }
  void open(ConnectionId id) {
    servers[id] = std::make_unique<GrpcServer>();
    BOOST_REQUIRE(client.opened(id));
  }
  // What was sent reaches the servers, and they serve.
  void serve() {
    for (auto& [id, one] : servers) {
      std::string const bytes = std::exchange(network.sent[id], {});
      if (is_over(id)) continue;
      BOOST_REQUIRE(one->receive(bytes));
      etcd.serve(*one);
    }
  }
  void hear() {
    for (auto& [id, one] : servers) {
      std::string const bytes = is_over(id) ? std::string{} : one->output();
      if (!bytes.empty()) BOOST_TEST(client.received(id, bytes));
    }
  }
  // Until nothing happens any more, without time passing.
  void settle() {
    for (int round = 0; round < 8; ++round) {
      turn();
      if (opens && made() != ConnectionId::none && !servers.contains(made())) open(made());
      serve();
      hear();
    }
    turn();
  }
  void pass(std::int64_t us) {
    now += us;
    settle();
  }
  // In steps, as the client wishes to be called.
  void run(std::int64_t us) {
    for (std::int64_t const end = now + us; now < end;) {
      settle();
      now = std::clamp(client.next_us(), now + 1, end);
    }
    settle();
  }
  void lose(ConnectionId id) {
    gone.insert(id);
    etcd.forget(*servers.at(id));
    BOOST_TEST(client.closed(id, "Connection reset by peer"));
    turn();
  }
  etcd::RequestId put(std::string const& key, std::int64_t timeout_us = 1'000 * kMs) {
    return client.send(etcd::Put{.key = key, .value = "v", .lease = 0}, timeout_us);
  }
  [[nodiscard]] etcd::Answer const& answer(etcd::RequestId id) const {
    auto const found = answers.find(id);
    BOOST_REQUIRE_MESSAGE(found != answers.end(), "no answer to " << id);
    return found->second;
  }
  [[nodiscard]] bool is(etcd::RequestId id, etcd::Outcome outcome) const { return answer(id).outcome == outcome; }
  // Of all events: "2:a 3:b".
  [[nodiscard]] std::string told(etcd::WatchId id) const {
    std::string out;
    for (etcd::WatchNews const& one : news)
      if (one.id == id)
        for (etcd::WatchNews::Event const& event : one.events)
          out += (out.empty() ? "" : " ") + std::to_string(event.pair.mod_revision) + ":" + event.pair.key;
    return out;
  }

  RecordingNetwork network;
  FakeEtcd etcd;
  etcd::Client client;
  std::map<ConnectionId, std::unique_ptr<GrpcServer>> servers;
  std::set<ConnectionId> gone;
  std::int64_t now{1'000'000};
  bool opens{true};  // connections are opened at once
  std::map<etcd::RequestId, etcd::Answer> answers;
  std::vector<etcd::WatchNews> news;
};

}  // namespace fastjournal::test
