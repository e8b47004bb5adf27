// The local cache of a key/value table beside a real daemon: what other clients change, kills of the daemon, ends of
// values, and its bounds.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>

#include "clients/cpp/key_value_cache.h"
#include "tests/integration/daemon.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;
using client::Connection;
using client::KeyValue;
using client::KeyValueCache;
using client::Milliseconds;
using client::TypedValue;

struct PairCacheFixture {
  PairCacheFixture() {
    daemon.write("tables/values.xml", "<table name=\"values\" model=\"keyvalue\"/>\n");
    start();
    connection = connect();
    others.emplace(*connection, "values");
  }
  ~PairCacheFixture() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }

  void start() {
    bool const ready = daemon.start();
    BOOST_REQUIRE_MESSAGE(ready, daemon.output());
  }
  void restart() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
    start();
  }
  [[nodiscard]] std::unique_ptr<Connection> connect(client::Framing framing = client::Framing::msgpack) const {
    auto opened = Connection::open({.server = daemon.local(), .framing = framing, .back_off = {Milliseconds{1}}});
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().text());
    return std::move(opened).value();
  }
  void set(std::string_view key, TypedValue const& value, client::SetOptions const& options = {}) {
    auto const stored = others->set(key, value, options);
    BOOST_REQUIRE_MESSAGE(stored.ok(), stored.status().text());
  }

  RealDaemon daemon{""};
  std::unique_ptr<Connection> connection;
  std::optional<KeyValue> others;
};

// Void: there is none.
TypedValue get(KeyValueCache& cache, std::string_view key) {
  auto const found = cache.get(key);
  BOOST_REQUIRE_MESSAGE(found.ok(), found.status().text());
  return found.value() == nullptr ? TypedValue{} : found.value()->value;
}

// Reads until the value is there; false: it never comes.
bool becomes(KeyValueCache& cache, std::string_view key, TypedValue const& value) {
  auto const until = std::chrono::steady_clock::now() + kPatience;
  while (get(cache, key) != value)
    if (std::chrono::steady_clock::now() > until) return false;
  return true;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pair_cache_beside_a_daemon)

BOOST_FIXTURE_TEST_CASE(changes_of_others_and_own_ones_are_seen, PairCacheFixture) {
  std::string const binary{"p:\xff\x00", 4};
  for (client::Framing const framing : {client::Framing::msgpack, client::Framing::text}) {
    KeyValueCache cache(connect(framing), "values", {.prefix = "p:", .silence_max = client::kForever});
    set("p:1", "one");
    set(binary, "one");
    set("q", "one");
    static_cast<void>(others->alias("q", "p:q"));
    for (int i = 0; i < 3; ++i)
      for (std::string const& key : {std::string{"p:1"}, binary, std::string{"p:q"}})
        BOOST_TEST((get(cache, key) == TypedValue{"one"}));
    BOOST_TEST((get(cache, "p:none") == TypedValue{}));
    // Notices of what was set before the watch are none, so nothing is asked for twice.
    BOOST_TEST(cache.figures().misses == 4U);
    BOOST_TEST(cache.figures().hits == 6U);
    set("p:1", std::int64_t{2});
    set(binary, true);
    set("q", 0.5);
    set("p:none", "there");
    BOOST_TEST(becomes(cache, "p:1", std::int64_t{2}));
    BOOST_TEST(becomes(cache, binary, true));
    BOOST_TEST(becomes(cache, "p:q", 0.5));
    BOOST_TEST(becomes(cache, "p:none", "there"));
    BOOST_TEST(others->rename("p:1", "p:2", true).ok());
    BOOST_TEST(becomes(cache, "p:1", TypedValue{}));
    BOOST_TEST((get(cache, "p:2") == TypedValue{std::int64_t{2}}));
    // One's own at once.
    for (std::int64_t i = 0; i < 100; ++i) {
      BOOST_TEST(cache.set("p:2", i).ok());
      BOOST_TEST((get(cache, "p:2") == TypedValue{i}));
    }
    BOOST_TEST(cache.erase("p:2").ok());
    BOOST_TEST((get(cache, "p:2") == TypedValue{}));
    for (std::string const& key : {binary, std::string{"q"}, std::string{"p:none"}})
      BOOST_TEST(others->erase(key).ok());
  }
}

BOOST_FIXTURE_TEST_CASE(a_counter_never_goes_back_also_over_kills, PairCacheFixture) {
  KeyValueCache cache(connect(), "values", {.silence_max = client::kForever});
  std::int64_t last = 0;
  constexpr std::int64_t kAdds = 400;
  for (std::int64_t i = 1; i <= kAdds; ++i) {
    auto const sum = others->add("n");
    BOOST_REQUIRE_MESSAGE(sum.ok(), sum.status().text());
    if (i % 100 == 0) restart();
    for (int reads = 0; reads < 5; ++reads) {
      TypedValue const value = get(cache, "n");
      BOOST_REQUIRE(std::holds_alternative<std::int64_t>(value));
      BOOST_REQUIRE(std::get<std::int64_t>(value) >= last);
      BOOST_REQUIRE(std::get<std::int64_t>(value) <= i);
      last = std::get<std::int64_t>(value);
    }
  }
  BOOST_TEST(becomes(cache, "n", kAdds));
  BOOST_TEST(cache.figures().hits > 0U);
}

// The restart is between two reads, and the value was changed before the cache is back.
BOOST_FIXTURE_TEST_CASE(what_changed_while_the_daemon_was_away_is_seen, PairCacheFixture) {
  KeyValueCache cache(connect(), "values", {.silence_max = client::kForever});
  for (std::int64_t i = 0; i < 3; ++i) {
    set("k", i);
    BOOST_TEST(becomes(cache, "k", i));
    restart();
    set("k", i + 100);
    BOOST_TEST((get(cache, "k") == TypedValue{i + 100}));
    BOOST_TEST((get(cache, "k") == TypedValue{i + 100}));
  }
}

BOOST_FIXTURE_TEST_CASE(values_end, PairCacheFixture) {
  KeyValueCache cache(connect(), "values", {.silence_max = client::kForever});
  set("date", "x", {.expires = client::Date::in(DurationMs{300})});
  BOOST_TEST(becomes(cache, "date", TypedValue{}));
  // Memory answers most reads, and yet they move the end. A range is read without moving it.
  set("ttl", "x", {.ttl = DurationMs{3'000}});
  auto const end = [&] { return others->scan({.prefix = "ttl"}).next().value()->expires; };
  std::optional<TimeMs> const first = end();
  std::uint64_t const asked = cache.figures().misses;
  while (cache.figures().misses < asked + 3) BOOST_TEST((get(cache, "ttl") == TypedValue{"x"}));
  BOOST_TEST((end() > first));
  BOOST_TEST(cache.figures().hits > cache.figures().misses);
}

BOOST_FIXTURE_TEST_CASE(it_is_bounded, PairCacheFixture) {
  KeyValueCache cache(connect(), "values", {.pairs_max = 100, .silence_max = client::kForever});
  for (std::int64_t i = 0; i < 300; ++i) set("k" + std::to_string(i), i);
  for (int round = 0; round < 2; ++round)
    for (std::int64_t i = 0; i < 300; ++i) BOOST_TEST((get(cache, "k" + std::to_string(i)) == TypedValue{i}));
  BOOST_TEST(cache.figures().pairs == 100U);
  for (std::int64_t i = 200; i < 300; ++i) BOOST_TEST((get(cache, "k" + std::to_string(i)) == TypedValue{i}));
  BOOST_TEST(cache.figures().hits == 100U);
  BOOST_TEST(cache.figures().misses == 600U);
}

BOOST_AUTO_TEST_SUITE_END()
