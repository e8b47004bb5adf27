// fastjournal_bench: durable inserts a second beside the raw sync rate of the
// same seconds, on a daemon of its own with fresh data. Every acknowledgement
// comes after its sync.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <random>

#include "tests/bench/listen_bench.h"
#include "tests/bench/load.h"
#include "tests/bench/sync_probe.h"
#include "tests/integration/daemon.h"

namespace {

using namespace fastjournal;

struct Work {
  char const* name;
  std::uint32_t connections;
  std::uint32_t in_flight;
  bool local;  // unix socket
};

constexpr Work kWorks[] = {
    {"1 connection, closed loop", 1, 1, false},      {"1 connection, closed loop, unix socket", 1, 1, true},
    {"1 connection, 16 in flight", 1, 16, false},    {"1 connection, 256 in flight", 1, 256, false},
    {"8 connections, closed loop", 8, 1, false},     {"64 connections, closed loop", 64, 1, false},
    {"64 connections, 32 in flight", 64, 32, false},
};

std::string payload() {
  std::mt19937_64 random{42};
  std::string text(200, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return text;
}

}  // namespace

int main(int count, char** words) {
  double seconds = 1.5;
  bool json = false;
  CLI::App app{"durable inserts a second, beside the raw sync rate of the same seconds"};
  app.add_option("--seconds", seconds, "for each line")->check(CLI::Range(0.1, 600.0))->capture_default_str();
  app.add_flag("--json", json, "one JSON object a line");
  std::string listening;
  app.add_option("--listening", listening, "instead of inserts: " + bench::listening_works())
      ->check(CLI::IsMember({"lateness", "idle", "deliver"}));
  CLI11_PARSE(app, count, words);

  test::RealDaemon daemon{""};
  if (!daemon.start()) {
    fmt::print(stderr, "the daemon did not start:\n{}", daemon.output());
    return 1;
  }
  if (!listening.empty()) return bench::run_listening(daemon, listening, json) ? 0 : 1;
  std::string const data = payload();
  if (!json)
    fmt::print("{:<42} {:>10} {:>10} {:>7} {:>9} {:>9} {:>7}\n", "200-byte rows, synced before acknowledged",
               "inserts/s", "raw syncs/s", "ratio", "p50 us", "p99 us", "driver");
  std::uint64_t bad = 0;
  std::uint64_t inserted = 0;
  for (Work const& work : kWorks) {
    double const before = bench::syncs_per_second(daemon.folder(), 0.3);
    bench::LoadPlan const plan{.address = work.local ? daemon.local() : daemon.tcp(),
                               .connections = work.connections,
                               .in_flight = work.in_flight,
                               .seconds = seconds,
                               .message =
                                   [&](std::uint64_t nr, std::string& out) {
                                     fmt::format_to(std::back_inserter(out), "INSERT table=jobs;name=k{};payload={}\n",
                                                    inserted + nr, data);
                                   },
                               .good = "INSERTED "};
    bench::LoadResult const result = bench::run_load(plan);
    double const after = bench::syncs_per_second(daemon.folder(), 0.3);
    double const raw = (before + after) / 2;
    inserted += result.good + result.bad;
    bad += result.bad;
    if (json) {
      nlohmann::json line{{"work", work.name},
                          {"connections", work.connections},
                          {"in_flight", work.in_flight},
                          {"unix", work.local},
                          {"inserts_per_s", result.per_second()},
                          {"raw_syncs_per_s", raw},
                          {"ratio", result.per_second() / raw},
                          {"round_us_p50", result.latency_us.percentile(50)},
                          {"round_us_p99", result.latency_us.percentile(99)},
                          {"driver_busy", result.driver_busy},
                          {"durability", "synced before acknowledged"}};
      fmt::print("{}\n", line.dump());
    } else {
      fmt::print("{:<42} {:>10.0f} {:>10.0f} {:>7.2f} {:>9} {:>9} {:>6.0f}%\n", work.name, result.per_second(), raw,
                 result.per_second() / raw, result.latency_us.percentile(50), result.latency_us.percentile(99),
                 result.driver_busy * 100);
    }
    std::fflush(stdout);
    if (result.bad > 0) fmt::print(stderr, "{} refused, the first: {}\n", result.bad, result.first_bad);
  }
  daemon.kill(SIGTERM);
  if (daemon.wait() != 0) bad = 1;
  return bad == 0 ? 0 : 1;
}
