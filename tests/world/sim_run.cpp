// fj_sim_run: random lives of a daemon in the simulator, for a given time. It checks the promises in play.h or, with
// --model, compares every answer with the reference model (tests/model), or, with --spool, plays producers, forwarder
// and daemon together (spool_life.h), or, with --keyvalue, key/value tables: alone beside their reference
// (tests/unit/keyvalue/life.h), and in a daemon that is killed (keyvalue_life.h), or, with --bytes, blobs and rows whose
// bytes are in files (bytes_life.h, exchange_life.h), or, with --queue and --pipeline, those tables likewise, or, with --transactions, commands
// that are all carried out or none (transactions_life.h). A failure prints its seed and step; the same seed plays the same life again.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <random>
#include <string>

#include "tests/model/life.h"
#include "tests/unit/keyvalue/life.h"
#include "tests/unit/pipeline/life.h"
#include "tests/unit/queue/life.h"
#include "tests/world/bytes_life.h"
#include "tests/world/exchange_life.h"
#include "tests/world/keyvalue_life.h"
#include "tests/world/pipeline_life.h"
#include "tests/world/play.h"
#include "tests/world/queue_life.h"
#include "tests/world/server_subject.h"
#include "tests/world/spool_life.h"
#include "tests/world/transactions_life.h"
#include "tests/world/transactions_model.h"

namespace {

// The sums over all lives of one kind.
struct Promises {
  fastjournal::sim::PlayResult sum;
  std::string live(std::uint64_t seed, std::uint64_t steps) {
    fastjournal::sim::PlayResult const result = fastjournal::sim::play(seed, steps);
    sum.steps += result.steps;
    sum.crashes += result.crashes;
    sum.acknowledged += result.acknowledged;
    sum.looks += result.looks;
    sum.wakes += result.wakes;
    sum.failed_calls += result.failed_calls;
    sum.full_disks += result.full_disks;
    sum.lost_folders += result.lost_folders;
    sum.rotten_bits += result.rotten_bits;
    sum.mended += result.mended;
    sum.strayed_writes += result.strayed_writes;
    sum.refused_starts += result.refused_starts;
    sum.clock_steps += result.clock_steps;
    sum.sleeps += result.sleeps;
    sum.refused_clocks += result.refused_clocks;
    sum.accepted_clocks += result.accepted_clocks;
    return result.wrong;
  }
  [[nodiscard]] std::uint64_t crashes() const { return sum.crashes; }
  [[nodiscard]] std::uint64_t steps() const { return sum.steps; }
  void print() const {
    fmt::print("{} answers, {} wakes by message, {} comparisons with a replay: no promise broken\n", sum.acknowledged,
               sum.wakes, sum.looks);
    fmt::print(
        "faults: {} failed calls, {} full disks, {} folders moved away, {} rotten bits, {} logs rotten and mended, {} "
        "writes astray ({} "
        "starts refused, the others harmless)\n",
        sum.failed_calls, sum.full_disks, sum.lost_folders, sum.rotten_bits, sum.mended, sum.strayed_writes,
        sum.refused_starts);
    fmt::print(
        "clocks: {} times set while it ran, {} sleeps, {} starts refused for a clock that was behind, {} accepted\n",
        sum.clock_steps, sum.sleeps, sum.refused_clocks, sum.accepted_clocks);
  }
};

struct Model {
  fastjournal::reference::LifeResult sum;
  std::string live(std::uint64_t seed, std::uint64_t steps) {
    fastjournal::reference::LifeResult const result =
        fastjournal::reference::live(seed, steps, fastjournal::sim::make_server);
    sum.add(result);
    return result.wrong;
  }
  [[nodiscard]] std::uint64_t crashes() const { return sum.blows; }
  [[nodiscard]] std::uint64_t steps() const { return sum.steps; }
  void print() const {
    fmt::print("{} comparisons of all rows; seen:\n", sum.looks);
    for (auto const& [what, count] : sum.seen) fmt::print("  {:10} {}\n", count, what);
    fmt::print("no answer that the model does not allow\n");
  }
};

struct Spools {
  fastjournal::sim::SpoolLifeResult sum;
  std::string live(std::uint64_t seed, std::uint64_t steps) {
    fastjournal::sim::SpoolLifeResult const result = fastjournal::sim::live_with_spool(seed, steps);
    sum.add(result);
    return result.wrong;
  }
  [[nodiscard]] std::uint64_t crashes() const { return sum.crashes(); }
  [[nodiscard]] std::uint64_t steps() const { return sum.steps; }
  void print() const {
    fmt::print(
        "{} rows saved, {} saves refused; {} answers, {} of them to rows that came again, {} of nodes that do not "
        "decide, {} writes of held rows, {} set aside: each row counts once\n",
        sum.saved, sum.refused, sum.answers, sum.duplicates, sum.moves, sum.held, sum.set_aside);
    fmt::print(
        "{} rows may count or not (the save was not over, or bytes were lost); {} of them were acknowledged and "
        "do not\n",
        sum.unsure, sum.lost);
    fmt::print(
        "ended: {} producers, {} forwarders, {} power cuts of their computer, {} daemons ({} away for up to an hour), "
        "{} "
        "connections\n",
        sum.dead_producers, sum.dead_forwarders, sum.power_cuts, sum.dead_daemons, sum.outages, sum.lost_connections);
    fmt::print("faults: {} full disks, {} damaged rows, {} steps of the clock\n", sum.full_disks, sum.damages,
               sum.clock_steps);
  }
};

// Of each seed a life of both kinds. The daemon's is shorter, as its steps take longer.
template <auto Alone, auto InDaemon, auto Counted>
struct TableLives {
  static constexpr std::uint64_t kShorter = 4;
  char const* counted;  // what is counted, for people
  std::uint64_t alone{0};
  std::uint64_t kills{0};
  std::uint64_t in_daemon{0};
  std::uint64_t done{0};
  std::uint64_t ends{0};
  std::string live(std::uint64_t seed, std::uint64_t steps) {
    auto const one = Alone(seed, steps);
    alone += one.steps;
    kills += one.crashes;
    if (!one.wrong.empty()) return "a table alone, " + one.wrong;
    auto const daemon = InDaemon(seed, steps / kShorter);
    in_daemon += daemon.steps;
    done += daemon.*Counted;
    ends += daemon.crashes;
    return daemon.wrong.empty() ? "" : "a table in a daemon, " + daemon.wrong;
  }
  [[nodiscard]] std::uint64_t crashes() const { return kills + ends; }
  [[nodiscard]] std::uint64_t steps() const { return alone + in_daemon; }
  void print() const {
    fmt::print("tables alone: {} steps and {} kills, as the reference says\n", alone, kills);
    fmt::print("tables in a daemon: {} {}, {} kills and power cuts: no promise broken\n", done, counted, ends);
  }
};
using KeyValues = TableLives<&fastjournal::keyvalue::test::live, &fastjournal::sim::live_with_values,
                             &fastjournal::sim::KeyValueLifeResult::writes>;
using Pipelines = TableLives<&fastjournal::pipeline::test::live, &fastjournal::sim::live_with_pipelines,
                             &fastjournal::sim::PipelineLifeResult::deliveries>;
using Queues = TableLives<&fastjournal::queue::test::live, &fastjournal::sim::live_with_queues,
                          &fastjournal::sim::QueueLifeResult::moves>;

// Of each seed a life, and one in which files are exchanged. Steps with bytes take longer.
struct Bytes {
  static constexpr std::uint64_t kShorter = 5;
  static constexpr std::uint64_t kStepsPerRound = 40;
  fastjournal::sim::BytesLifeResult sum;
  fastjournal::sim::ExchangeLifeResult exchanged;
  std::string live(std::uint64_t seed, std::uint64_t steps) {
    fastjournal::sim::BytesLifeResult one = fastjournal::sim::live_with_bytes(seed, steps / kShorter);
    sum.steps += one.steps;
    sum.writes += one.writes;
    sum.crashes += one.crashes;
    sum.exchanges += one.exchanges;
    if (!one.wrong.empty()) return std::move(one.wrong);
    fastjournal::sim::ExchangeLifeResult other = fastjournal::sim::live_with_exchanges(seed, steps / kStepsPerRound);
    exchanged.add(other);
    return other.wrong.empty() ? "" : "files exchanged, " + other.wrong;
  }
  [[nodiscard]] std::uint64_t crashes() const { return sum.crashes + exchanged.crashes; }
  [[nodiscard]] std::uint64_t steps() const { return sum.steps + exchanged.steps; }
  void print() const {
    fmt::print("{} values written, {} kills and power cuts, {} maintenances begun: no promise broken\n", sum.writes,
               sum.crashes, sum.exchanges);
    fmt::print(
        "{} exchanges of data files, {} of them with a blob on its way; {} values came meanwhile, {} connections were "
        "broken off, {} readers by name were ended, {} kills and power cuts: no promise broken\n{}",
        exchanged.exchanges, exchanged.exchanges_in_flight, exchanged.values, exchanged.broken_off,
        exchanged.ended_readers, exchanged.crashes, exchanged.table());
  }
};

// Of each seed a life, one held against the reference, and cuts within commits.
struct Transactions {
  static constexpr std::uint64_t kShorter = 5;
  static constexpr std::uint64_t kCuts = 200;
  fastjournal::sim::TransactionsLifeResult sum;
  fastjournal::sim::TransactionsModelResult model;
  fastjournal::sim::CommitCutsResult cuts;
  std::string live(std::uint64_t seed, std::uint64_t steps) {
    fastjournal::sim::TransactionsLifeResult one = fastjournal::sim::live_with_transactions(seed, steps / kShorter);
    sum.steps += one.steps;
    sum.committed += one.committed;
    sum.refused += one.refused;
    sum.crashes += one.crashes;
    if (!one.wrong.empty()) return std::move(one.wrong);
    fastjournal::sim::TransactionsModelResult const same = fastjournal::sim::model_transactions(seed, steps / kShorter);
    model.steps += same.steps;
    model.committed += same.committed;
    model.refused += same.refused;
    model.crashes += same.crashes;
    if (!same.wrong.empty()) return "beside the reference, " + same.wrong;
    fastjournal::sim::CommitCutsResult cut = fastjournal::sim::cut_commits(seed, kCuts);
    cuts.cuts += cut.cuts;
    cuts.done += cut.done;
    cuts.nothing += cut.nothing;
    cuts.in_several_logs += cut.in_several_logs;
    return cut.wrong.empty() ? "" : "cuts of commits, " + cut.wrong;
  }
  [[nodiscard]] std::uint64_t crashes() const { return sum.crashes + model.crashes + cuts.cuts; }
  [[nodiscard]] std::uint64_t steps() const { return sum.steps + model.steps; }
  void print() const {
    fmt::print("lives: {} transactions committed, {} commands refused, {} kills and power cuts\n", sum.committed,
               sum.refused, sum.crashes);
    fmt::print(
        "beside the reference: {} steps, {} transactions committed, {} answers that were errors, {} kills and power "
        "cuts: all as expected\n",
        model.steps, model.committed, model.refused, model.crashes);
    fmt::print(
        "cuts at each call of a COMMIT: {}, {} of them in several logs; {} left all of the transaction, {} nothing; "
        "never half\n",
        cuts.cuts, cuts.in_several_logs, cuts.done, cuts.nothing);
  }
};

struct Wishes {
  std::uint64_t seed{0};
  bool one{false};  // only the given seed
  std::uint64_t steps{2000};
  double seconds{60};
  char const* again{""};
};

template <typename Kind>
int run(Wishes wishes, Kind kind) {
  auto const start = std::chrono::steady_clock::now();
  bool const terminal = ::isatty(1) == 1;
  std::uint64_t lives = 0;
  double elapsed = 0;
  double told = 0;  // percent
  for (; lives == 0 || (!wishes.one && elapsed < wishes.seconds); ++lives, ++wishes.seed) {
    if (std::string const wrong = kind.live(wishes.seed, wishes.steps); !wrong.empty()) {
      fmt::print("{}seed {}, {}\nagain: ./mk sim{} --seed {} --steps {}\n", terminal ? "\r" : "", wishes.seed, wrong,
                 wishes.again, wishes.seed, wishes.steps);
      return 1;
    }
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // If the output is not a terminal, a line for each tenth of the time.
    if (double const done = wishes.one ? 100 : elapsed / wishes.seconds * 100; terminal || done >= told + 10) {
      fmt::print("{}{:3.0f} % {} lives, {} steps, {} crashes{}", terminal ? "\r" : "", done, lives + 1, kind.steps(),
                 kind.crashes(), terminal ? "" : "\n");
      std::fflush(stdout);
      told = done;
    }
  }
  double const took = std::max(elapsed, 0.001);
  fmt::print(
      "{}{} lives, the last of seed {}: {} steps, {} crashes and starts in {:.0f} s ({:.0f} steps, {:.1f} crashes a "
      "second)\n",
      terminal ? "\r" : "", lives, wishes.seed - 1, kind.steps(), kind.crashes(), took,
      static_cast<double>(kind.steps()) / took, static_cast<double>(kind.crashes()) / took);
  kind.print();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  Wishes wishes;
  bool model = false;
  bool spool = false;
  bool keyvalue = false;
  bool bytes = false;
  bool transactions = false;
  bool queues = false;
  bool pipelines = false;
  CLI::App app{"random lives of a daemon in the simulator, with crashes"};
  auto* const one =
      app.add_option("--seed", wishes.seed, "play this life only; with --seconds the first one. Default: from chance");
  app.add_option("--steps", wishes.steps, "of one life")->capture_default_str();
  auto* const seconds =
      app.add_option("--seconds", wishes.seconds, "lives one after the other, for this time")->capture_default_str();
  app.add_flag("--model", model, "hold every answer against the reference model");
  app.add_flag("--spool", spool, "producers, forwarder and daemon together")->excludes("--model");
  app.add_flag("--keyvalue", keyvalue, "key/value tables")->excludes("--model")->excludes("--spool");
  app.add_flag("--bytes", bytes, "bytes outside the log: blobs, and a journal that spills")
      ->excludes("--model")
      ->excludes("--spool")
      ->excludes("--keyvalue");
  app.add_flag("--transactions", transactions, "transactions over journals, key/value tables and queues")
      ->excludes("--model")
      ->excludes("--spool")
      ->excludes("--keyvalue")
      ->excludes("--bytes");
  app.add_flag("--queue", queues, "queue tables")
      ->excludes("--model")
      ->excludes("--spool")
      ->excludes("--keyvalue")
      ->excludes("--bytes")
      ->excludes("--transactions");
  app.add_flag("--pipeline", pipelines, "pipeline tables")
      ->excludes("--model")
      ->excludes("--spool")
      ->excludes("--keyvalue")
      ->excludes("--bytes")
      ->excludes("--transactions")
      ->excludes("--queue");
  CLI11_PARSE(app, count, words);
  wishes.one = one->count() != 0 && seconds->count() == 0;
  if (one->count() == 0) wishes.seed = std::random_device{}();
  wishes.again = model          ? " --model"
                 : spool        ? " --spool"
                 : keyvalue     ? " --keyvalue"
                 : bytes        ? " --bytes"
                 : transactions ? " --transactions"
                 : queues       ? " --queue"
                 : pipelines    ? " --pipeline"
                                : "";
  if (transactions) return run(wishes, Transactions{});
  if (bytes) return run(wishes, Bytes{});
  if (keyvalue) return run(wishes, KeyValues{"values written"});
  if (queues) return run(wishes, Queues{"messages moved in transactions"});
  if (pipelines) return run(wishes, Pipelines{"deliveries"});
  if (spool) return run(wishes, Spools{});
  return model ? run(wishes, Model{}) : run(wishes, Promises{});
}
