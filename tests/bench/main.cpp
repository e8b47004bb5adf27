// fastjournal_bench: fastjournal beside its alternatives, on one machine in one run. Peers are started from their
// packages, on loopback, with fresh data on the same disk. Each figure is shown with what an acknowledgement guarantees
// there. Rows are counted by id, and the run fails if fastjournal loses one.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <stdexcept>

#include "tests/bench/many_tables.h"
#include "tests/bench/works.h"

namespace {

using namespace fastjournal::bench;

struct Choice {
  std::vector<std::string> peers;
  std::vector<std::string> groups;
  [[nodiscard]] bool has(std::vector<std::string> const& list, char const* name) const {
    return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
  }
};

// A peer that is not installed is left out with a message.
template <typename Make>
void add(std::vector<std::unique_ptr<Peer>>& peers, Make make) {
  try {
    peers.push_back(make());
  } catch (std::runtime_error const& error) {
    fmt::print(stderr, "left out: {}\n", error.what());
  }
}

enum class Ours : std::uint8_t { plain, variants, and_woken };

std::vector<std::unique_ptr<Peer>> make_peers(Choice const& choice, Ours ours) {
  std::vector<std::unique_ptr<Peer>> peers;
  if (choice.has(choice.peers, "fastjournal")) {
    peers.push_back(make_fastjournal({.table = ""}));
    // Measured for its dates only.
    if (ours == Ours::and_woken) peers.push_back(make_fastjournal({.wake = true, .table = ""}));
    if (ours == Ours::variants) {
      peers.push_back(make_fastjournal({.local = true, .table = ""}));
      peers.push_back(make_fastjournal({.binary = true, .table = ""}));
      peers.push_back(make_fastjournal({.has_key = false, .table = ""}));
    }
  }
  if (choice.has(choice.peers, "beanstalkd")) {
    add(peers, [] { return make_beanstalkd(Kept::synced); });
    add(peers, [] { return make_beanstalkd(Kept::in_memory); });
  }
  if (choice.has(choice.peers, "redis")) add(peers, make_redis);
  if (choice.has(choice.peers, "postgresql")) {
    add(peers, [] { return make_postgres(false); });
    if (ours != Ours::and_woken) add(peers, [] { return make_postgres(true); });
  }
  return peers;
}

}  // namespace

int main(int count, char** words) {
  Settings settings;
  Choice choice;
  std::string json;
  std::string svg;
  std::string draw;
  bool full = false;
  CLI::App app{"fastjournal beside beanstalkd, Redis and PostgreSQL: rates, dates, memory, disk, starts, growth"};
  app.add_option("--seconds", settings.seconds, "of each measurement")
      ->check(CLI::Range(0.1, 60.0))
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds, "medians are of so many")
      ->check(CLI::Range(1, 99))
      ->capture_default_str();
  app.add_option("--peers", choice.peers, "fastjournal beanstalkd redis postgresql; all if absent")->delimiter(',');
  app.add_option("--groups", choice.groups, "rates rest growth doors sqs beanstalkd tables; all if absent")
      ->delimiter(',');
  app.add_option("--only", settings.only, "rates whose names contain this");
  app.add_flag("--full", full,
               "ours by unix socket and msgpack too, three rounds of 3 s, 1 M rows in all, 10 M in ours, 20 s of "
               "dates: takes more than an hour");
  app.add_option("--json", json, "writes all rounds of all figures there");
  app.add_option("--svg", svg, "draws the figures there");
  app.add_option("--draw", draw, "measures nothing: draws a file of --json")->needs("--svg");
  app.add_flag("--quiet", settings.quiet, "no progress on standard error");
  CLI11_PARSE(app, count, words);
  if (full) {
    settings.peer_rows = 1'000'000;
    settings.most_rows = 10'000'000;
    settings.lateness_seconds = 20;
    settings.seconds = std::max(settings.seconds, 3.0);
    settings.rounds = std::max(settings.rounds, 3U);
  }
  try {
    if (!draw.empty()) {
      write_svg(read_figures(draw), svg);
      return 0;
    }
    Bench bench{settings};
    if (choice.has(choice.groups, "rates")) {
      std::vector<Contestant> contestants;
      for (auto& peer : make_peers(choice, full ? Ours::variants : Ours::plain))
        contestants.push_back({std::move(peer), {}});
      for (Contestant& contestant : contestants) contestant.peer->start();
      bench.run_rates(contestants);
      for (Contestant& contestant : contestants) contestant.peer->stop();
    }
    if (choice.has(choice.groups, "rest")) {
      std::vector<std::unique_ptr<Peer>> peers = make_peers(choice, Ours::and_woken);
      bench.run_at_rest(peers, settings.rows);
      // Starts and dates once more, with as many rows as the other peers have.
      if (settings.peer_rows != settings.rows && choice.has(choice.peers, "fastjournal")) {
        std::vector<std::unique_ptr<Peer>> ours;
        ours.push_back(make_fastjournal({.table = ""}));
        bench.run_at_rest(ours, settings.peer_rows);
      }
    }
    if (choice.has(choice.groups, "growth")) bench.run_growth();
    if (choice.has(choice.groups, "doors") && choice.has(choice.peers, "fastjournal")) {
      std::vector<std::unique_ptr<Peer>> doors = make_doors();
      bench.run_doors(doors);
    }
    if (choice.has(choice.groups, "sqs") && choice.has(choice.peers, "fastjournal")) {
      std::vector<std::unique_ptr<Peer>> doors = make_sqs();
      bench.run_sqs(doors);
    }
    if (choice.has(choice.groups, "beanstalkd") && choice.has(choice.peers, "fastjournal")) {
      std::vector<std::unique_ptr<Peer>> peers;
      peers.push_back(make_tubes());
      for (Kept const kept : {Kept::synced, Kept::written, Kept::in_memory})
        add(peers, [kept] { return make_beanstalkd(kept); });
      std::vector<Contestant> contestants;
      for (auto& peer : peers) contestants.push_back({std::move(peer), {}});
      bench.run_tubes(contestants);
    }
    if (choice.has(choice.groups, "tables")) run_many_tables(settings);
    if (bench.lines().empty()) return 0;
    print_table(bench.lines());
    fmt::print(
        "\nS: pwrite + fdatasync of 4 KiB into a zero-filled file, a second, before and after each measurement.\n");
    if (!json.empty()) write_json(bench.lines(), json);
    if (!svg.empty()) draw_svg(bench.lines(), svg);
    if (bench.faults() > 0) fmt::print(stderr, "{} faults: see above\n", bench.faults());
    return bench.faults() == 0 ? 0 : 1;
  } catch (std::exception const& error) {
    fmt::print(stderr, "fastjournal_bench: {}\n", error.what());
    return 2;
  }
}
