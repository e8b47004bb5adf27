// A conversation with a simulated etcd: requests are sent, and the time passes until they are answered.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/sim/sim_etcd.h"

namespace fastjournal::sim {

inline constexpr std::int64_t kSecondUs = 1'000'000;
inline std::string const kAll{"\0", 1};

[[nodiscard]] inline etcd::Compare mod_is(std::string key, std::int64_t revision) {
  return {std::move(key), etcd::Compare::What::mod_revision, etcd::Compare::Is::equal, revision};
}
[[nodiscard]] inline etcd::Range range_of(std::string key, std::string end = {}) {
  etcd::Range range;
  range.key = std::move(key);
  range.end = std::move(end);
  return range;
}

struct Talk {
  explicit Talk(EtcdOptions options = {}) : cluster(std::move(options)), session(cluster.connect()) { settle(); }

  // Until the session is connected.
  void settle() { pass(kSecondUs); }
  void pass(std::int64_t us) { cluster.advance(us); }
  etcd::RequestId send(etcd::Request request, std::int64_t timeout_us = 10 * kSecondUs) {
    return session->send(std::move(request), timeout_us);
  }
  [[nodiscard]] etcd::Answer wait(etcd::RequestId id) { return wait(*session, id); }
  [[nodiscard]] etcd::Answer wait(EtcdSession& by, etcd::RequestId id) {
    std::int64_t const end_us = cluster.now_us() + 60 * kSecondUs;
    for (;;) {
      for (etcd::Answer& answer : by.take_answers()) taken.emplace(std::pair{&by, answer.id}, std::move(answer));
      if (auto const found = taken.find({&by, id}); found != taken.end()) return found->second;
      BOOST_REQUIRE(cluster.now_us() < end_us);
      BOOST_REQUIRE(cluster.step());
    }
  }
  etcd::Answer ask(etcd::Request request) { return wait(send(std::move(request))); }
  etcd::Answer ask(EtcdSession& by, etcd::Request request) {
    return wait(by, by.send(std::move(request), 10 * kSecondUs));
  }
  // The revision of a put that must be done.
  std::int64_t put(std::string key, std::string value, std::int64_t lease = 0) {
    etcd::Answer const answer = ask(etcd::Put{std::move(key), std::move(value), lease});
    BOOST_REQUIRE((answer.outcome == etcd::Outcome::done));
    return answer.header.revision;
  }
  std::int64_t remove(std::string key, std::string end = {}) {
    etcd::Answer const answer = ask(etcd::Delete{std::move(key), std::move(end)});
    return std::get<etcd::DeleteAnswer>(answer.body).deleted;
  }
  etcd::RangeAnswer read(etcd::Range range) {
    etcd::Answer const answer = ask(std::move(range));
    BOOST_REQUIRE((answer.outcome == etcd::Outcome::done));
    return std::get<etcd::RangeAnswer>(answer.body);
  }
  // "KEY=VALUE" of each, by blanks.
  std::string text(etcd::Range range) {
    std::string text;
    for (etcd::KeyValue const& pair : read(std::move(range)).pairs)
      text += (text.empty() ? "" : " ") + pair.key + "=" + pair.value;
    return text;
  }
  std::int64_t grant(std::int64_t ttl_s) {
    etcd::Answer const answer = ask(etcd::Grant{ttl_s});
    BOOST_REQUIRE((answer.outcome == etcd::Outcome::done));
    return std::get<etcd::LeaseAnswer>(answer.body).lease;
  }
  // 0: it is over.
  std::int64_t renew(std::int64_t lease) {
    etcd::Answer const answer = ask(etcd::KeepAlive{lease});
    BOOST_REQUIRE((answer.outcome == etcd::Outcome::done));
    return std::get<etcd::LeaseAnswer>(answer.body).ttl_s;
  }
  etcd::LookAnswer look() { return std::get<etcd::LookAnswer>(ask(etcd::Look{}).body); }
  void check_refused(etcd::Request request, etcd::Refusal refusal) {
    std::int64_t const before = cluster.store().view().revision;
    etcd::Answer const answer = ask(std::move(request));
    BOOST_TEST((answer.outcome == etcd::Outcome::refused));
    BOOST_TEST((answer.refusal == refusal));
    BOOST_TEST(!answer.why.empty());
    BOOST_TEST(std::holds_alternative<std::monostate>(answer.body));
    BOOST_TEST(cluster.store().view().revision == before);
  }
  // News of all watches so far: "+KEY=VALUE@REVISION", "-KEY@REVISION", "progress@REVISION", "compacted@REVISION",
  // "refused", and "|" after each piece of news.
  std::string news() { return news(*session); }
  std::string news(EtcdSession& by) {
    std::string text;
    for (etcd::WatchNews const& one : by.take_news()) {
      for (etcd::WatchNews::Event const& event : one.events)
        text += (event.is_deleted ? "-" + event.pair.key : "+" + event.pair.key + "=" + event.pair.value) + "@" +
                std::to_string(event.pair.mod_revision);
      if (one.kind == etcd::WatchNews::Kind::progress) text += "progress@" + std::to_string(one.revision);
      if (one.kind == etcd::WatchNews::Kind::compacted) text += "compacted@" + std::to_string(one.revision);
      if (one.kind == etcd::WatchNews::Kind::refused) text += "refused";
      text += "|";
    }
    return text;
  }
  [[nodiscard]] std::size_t leader() {
    BOOST_REQUIRE(cluster.nodes().leader().has_value());
    return *cluster.nodes().leader();
  }
  // Until the session is connected to this member.
  void connect_to(std::size_t node) {
    for (int i = 0; i < 1'000 && session->node() != node; ++i) {
      session->reset();
      pass(kSecondUs);
    }
    BOOST_REQUIRE((session->node() == node));
  }

  EtcdCluster cluster;
  std::unique_ptr<EtcdSession> session;
  std::map<std::pair<EtcdSession*, etcd::RequestId>, etcd::Answer> taken;
};

}  // namespace fastjournal::sim
