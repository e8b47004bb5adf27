// Three common failures of queues, played on the whole daemon under simulated time, with printed figures: a key that is
// inserted again and again and never runs; a tenant that waits longer because another one floods the table; a tenant
// that is never served because its only row is inserted again and again. FJ_TOUCHES and FJ_FLOOD make them larger
// (`FJ_TOUCHES=604800 FJ_FLOOD=1000000 build/release/bin/world --run_test=experiments`).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tests/unit/journal/harness.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::experiments_test {
namespace {

// A producer, and a worker that takes one row at a time.
struct Daemon {
  explicit Daemon(journal::test::Texts options) {
    options["domain"] = "tenant";
    options["back-off-jitter"] = "0";
    world.log_options.segment_bytes = 4U << 20U;
    world.add_table(journal::test::declare(options, {journal::test::column("tenant")}));
    Status const status = world.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  }

  void insert(std::string const& tenant, std::string const& key, std::string const& date = "+0") {
    world.send("producer", "INSERT table=jobs;k=" + key + ";tenant=" + tenant + ";process_date=" + date);
    if (++unread_ % 500 == 0) settle();
  }
  void settle() {
    world.settle();
    while (std::optional<std::string> const line = world.take_line("producer"))
      BOOST_REQUIRE_MESSAGE(line->starts_with("INSERTED "), *line);
  }
  struct Work {
    std::string tenant;
    std::string key;
    std::int64_t waited_ms;  // since its insert
  };
  // Takes a row and finishes it; nothing if no row is due.
  std::optional<Work> work() {
    settle();
    Message const row = ask("NEXT table=jobs");
    if (row.command != "ROW") return std::nullopt;
    Work out{std::string{row.text("tenant")}, std::string{row.text("k")},
             world.now().value - row.integer("insertion_date").value_or(0)};
    Message const done =
        ask("DONE table=jobs;row=" + std::string{row.text("row")} + ";epoch=" + std::string{row.text("epoch")});
    BOOST_REQUIRE(done.command == "COMPLETED");
    return out;
  }

  World world{23};

 private:
  // The answer's views are valid until the next call.
  Message ask(std::string const& line) {
    world.send("worker", line);
    world.settle();
    answer_ = world.take_line("worker").value_or("");
    Message message;
    BOOST_REQUIRE(protocol::parse_line(answer_, message).ok());
    return message;
  }
  std::string answer_;
  std::uint64_t unread_{0};
};

struct Waits {
  std::vector<std::int64_t> ms;
  [[nodiscard]] std::int64_t part(std::size_t percent) {
    BOOST_REQUIRE(!ms.empty());
    std::sort(ms.begin(), ms.end());
    return ms[(ms.size() - 1) * percent / 100];
  }
};

// A tenant gets a row every 50 ms, a worker takes a row every 10 ms; another tenant has `flood` rows from the
// beginning.
Waits waits_beside(std::uint64_t flood) {
  Daemon daemon{{}};
  for (std::uint64_t i = 0; i < flood; ++i) daemon.insert("flood", "f" + std::to_string(i));
  Waits waits;
  for (int i = 0; i < 2000; ++i) {
    if (i % 5 == 0) daemon.insert("other", "o" + std::to_string(i));
    daemon.settle();
    daemon.world.advance(DurationMs{10});
    if (auto const done = daemon.work(); done && done->tenant == "other") waits.ms.push_back(done->waited_ms);
  }
  return waits;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(experiments)

// A row that is inserted again every second, each time with a date ten seconds ahead, would never run without
// max-postpone.
BOOST_AUTO_TEST_CASE(a_key_that_is_touched_every_second_runs_within_max_postpone) {
  constexpr std::int64_t kMaxPostponeMs = 60'000;
  std::uint64_t const touches = test::number_from("FJ_TOUCHES", 1200);
  Daemon daemon{{{"max-postpone", std::to_string(kMaxPostponeMs) + "ms"}}};
  Waits waits;
  for (std::uint64_t i = 0; i < touches; ++i) {
    daemon.insert("t", "page", "+10000");
    daemon.world.advance(DurationMs{1000});
    if (auto const done = daemon.work()) waits.ms.push_back(done->waited_ms);
  }
  std::printf(
      "%llu touches, one a second, each 10 s later: %zu runs, %.1f s from the first touch to the hand-out (p100)\n",
      static_cast<unsigned long long>(touches), waits.ms.size(), static_cast<double>(waits.part(100)) / 1000);
  BOOST_TEST(waits.ms.size() >= touches / 61);
  BOOST_TEST(waits.part(100) <= kMaxPostponeMs + 1000);  // the worker looks once a second
  BOOST_TEST(waits.part(0) >= kMaxPostponeMs);
}

BOOST_AUTO_TEST_CASE(a_flood_of_one_tenant_leaves_anothers_waiting_time_as_it_is) {
  std::uint64_t const rows = test::number_from("FJ_FLOOD", 20'000);
  Waits alone = waits_beside(0);
  Waits beside = waits_beside(rows);
  std::printf(
      "a tenant's waiting time in ms, p50 / p99 / most: alone %lld / %lld / %lld, beside a flood of %llu rows %lld / "
      "%lld / %lld\n",
      static_cast<long long>(alone.part(50)), static_cast<long long>(alone.part(99)),
      static_cast<long long>(alone.part(100)), static_cast<unsigned long long>(rows),
      static_cast<long long>(beside.part(50)), static_cast<long long>(beside.part(99)),
      static_cast<long long>(beside.part(100)));
  BOOST_TEST(beside.ms.size() == alone.ms.size());
  // One row of the other tenant may come first.
  BOOST_TEST(beside.part(100) <= alone.part(100) + 10);
}

// One of fifty tenants has a single row, which is inserted again before each turn; the others always have more rows.
BOOST_AUTO_TEST_CASE(a_tenant_whose_only_row_is_touched_without_end_has_its_turns) {
  constexpr int kTenants = 50;
  Daemon daemon{{}};
  std::uint64_t inserted = 0;
  for (int i = 0; i < kTenants; ++i)
    for (int more = 0; more < 3; ++more) daemon.insert("t" + std::to_string(i), "k" + std::to_string(++inserted));
  Waits waits;
  for (int turn = 0; turn < 1000; ++turn) {
    daemon.insert("touched", "page");
    daemon.settle();
    daemon.world.advance(DurationMs{1000});
    auto const done = daemon.work();
    BOOST_REQUIRE(done);
    if (done->tenant == "touched") {
      waits.ms.push_back(done->waited_ms);
    } else {
      daemon.insert(done->tenant, "k" + std::to_string(++inserted));
    }
  }
  std::printf(
      "a row touched before each of 1000 turns, among %d tenants that always have work: %zu runs, at most %lld s "
      "apart\n",
      kTenants, waits.ms.size(), static_cast<long long>(waits.part(100) / 1000));
  BOOST_TEST(waits.ms.size() >= 1000U / (kTenants + 1));
  BOOST_TEST(waits.part(100) <= (kTenants + 1) * 1000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::experiments_test
