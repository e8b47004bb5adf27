#include "tests/bench/works.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "platform/os/sync_probe.h"
#include "tests/bench/measure.h"
#include "tests/support/line_client.h"

namespace fastjournal::bench {
namespace {

constexpr std::chrono::milliseconds kProbe{200};
// While the disk is slower than this share of its best rate, nothing is measured ...
constexpr double kTooSlow = 0.5;
// ... but after this many probes it is measured all the same.
constexpr int kProbesMax = 50;
// A driver that is busy for more than this share of the time may be the limit.
constexpr double kDriverLimit = 0.9;
// Seconds. Ours must be emptied, as every row is counted; a slow peer only must not begin the next round full.
constexpr double kDrainSeconds = 20;
constexpr double kPeerDrainSeconds = 3;
constexpr double kStockSeconds = 2;
constexpr char kDeliver[] = "deliver, 8 workers, credit 32";
constexpr char kMerges[] = "1,000 keys, data replaced, 64 x 32";
constexpr std::int64_t kFarMs = 3'600'000;
// With fewer rows their memory is less than other memory of the process.
constexpr std::uint64_t kRowsWeighed = 1'000'000;

bool is_ours(Peer const& peer) { return peer.name().starts_with("fastjournal"); }

// Bytes of a row itself: 200 letters, its number twice, a letter and a colon.
double own_bytes(std::uint64_t rows) { return 202 + 2 * static_cast<double>(fmt::format("{}", rows).size()); }

double drain_seconds(Peer const& peer) { return is_ours(peer) ? kDrainSeconds : kPeerDrainSeconds; }

// 0 if the folder cannot be written.
double syncs_per_second(std::filesystem::path const& folder) {
  Result<os::SyncTimes> const times = os::probe_syncs(folder, {.limit = kProbe});
  return times.ok() ? times->per_second() : 0;
}

}  // namespace

// ---------------------------------------------------------------------------
// Lines and faults

Line& Bench::line(std::string const& group, std::string const& work, std::string const& peer, std::string const& unit) {
  for (Line& one : lines_)
    if (one.group == group && one.work == work && one.peer == peer) return one;
  // Next to other lines of the same work.
  auto at = std::find_if(lines_.rbegin(), lines_.rend(),
                         [&](Line const& one) { return one.group == group && one.work == work; });
  if (at == lines_.rend())
    at = std::find_if(lines_.rbegin(), lines_.rend(), [&](Line const& one) { return one.group == group; });
  auto const place = at == lines_.rend() ? lines_.end() : at.base();
  return *lines_.insert(place, Line{.group = group,
                                    .work = work,
                                    .peer = peer,
                                    .unit = unit,
                                    .durability = "",
                                    .aim = "",
                                    .note = "",
                                    .samples = {}});
}

// A fault of ours fails the run. A peer's is only reported: it may treat the end of a measurement as it likes.
void Bench::fault(Peer const& peer, std::uint64_t count, std::string_view what) {
  if (count == 0) return;
  if (is_ours(peer)) faults_ += count;
  fmt::print(stderr, "{}: {} {}\n", peer.name(), count, what.substr(0, std::min(what.find('\n'), std::size_t{200})));
}

void Bench::say(std::string const& what) const {
  if (!settings_.quiet) fmt::print(stderr, "  {}\n", what);
}

double Bench::raw_syncs(std::filesystem::path const& folder) {
  double rate = 0;
  for (int probe = 0; probe < kProbesMax; ++probe) {
    rate = syncs_per_second(folder);
    best_syncs_ = std::max(best_syncs_, rate);
    if (rate >= best_syncs_ * kTooSlow) return rate;
    if (probe == 0) say(fmt::format("the disk makes {:.0f} syncs/s, its best was {:.0f}: waiting", rate, best_syncs_));
  }
  return rate;
}

// ---------------------------------------------------------------------------
// Rates

void Bench::measure(Peer& peer, Ledger& ledger, Named const& named) {
  double const before = raw_syncs(peer.folder());
  double busy = 0;
  Plan plan = named.plan;
  plan.connected = [&] { busy = processor_seconds(peer); };
  Outcome const outcome = run(peer, plan, ledger);
  if (!outcome.supported) return;
  double const used_us = (processor_seconds(peer) - busy) * 1e6;
  double const after = syncs_per_second(peer.folder());
  Line& one = line(named.group, named.name, peer.name(), "/s");
  one.durability = peer.durability();
  one.in_syncs = named.sync_each;
  if (peer.name() == "fastjournal") one.aim = named.aim;
  one.samples.push_back(
      {.value = outcome.per_second(),
       .raw_syncs = (before + after) / 2,
       .p50_us = static_cast<double>(outcome.latency_us.percentile(50)),
       .p99_us = static_cast<double>(outcome.latency_us.percentile(99)),
       .driver_busy = outcome.driver_busy,
       .processor_us = used_us / static_cast<double>(std::max<std::uint64_t>(outcome.operations, 1))});
  if (outcome.driver_busy > kDriverLimit) one.note = "the driver is the limit";
  if (!outcome.finished) one.note = "answers were missing";
  fault(peer, outcome.refused, "refused, the first: " + outcome.first_refusal);
  fault(peer, outcome.finished ? 0 : 1, "measurement without all answers: " + std::string{named.name});
}

// Fills up to `rows` waiting rows, or as many as can be inserted in two seconds.
void Bench::stock(Contestant& contestant, std::uint64_t rows) {
  std::uint64_t const there = contestant.ledger.outstanding();
  if (there >= rows) return;
  Plan const plan{
      .work = Work::insert, .connections = 64, .in_flight = 32, .seconds = kStockSeconds, .rows = rows - there};
  fault(*contestant.peer, run(*contestant.peer, plan, contestant.ledger).refused, "inserts refused");
}

// Takes all rows: each number must have come once.
void Bench::drain(Peer& peer, Ledger& ledger) {
  double const seconds = drain_seconds(peer);
  Plan const plan{.work = Work::lease_done, .connections = 8, .in_flight = 32, .seconds = seconds};
  Outcome const outcome = run(peer, plan, ledger);
  fault(peer, outcome.refused, "refused, the first: " + outcome.first_refusal);
  if (outcome.seconds < seconds) fault(peer, ledger.outstanding(), "rows acknowledged and never handed out");
  fault(peer, ledger.twice(), "rows handed out twice");
}

void Bench::measure_merges(Contestant& contestant) {
  constexpr std::uint64_t kKeys = 1000;
  if (!contestant.peer->merges()) return;
  // With a ledger of its own: a merge leaves one row of each key, and which one depends on the order of arrival.
  Contestant merged{std::move(contestant.peer), {}};
  measure(
      *merged.peer, merged.ledger,
      {.group = "merges",
       .name = kMerges,
       .plan = {.work = Work::insert, .connections = 64, .in_flight = 32, .seconds = settings_.seconds, .keys = kKeys},
       .aim = ">= 500 k/s"});
  double const seconds = drain_seconds(*merged.peer);
  Outcome const left = run(
      *merged.peer, {.work = Work::lease_done, .connections = 8, .in_flight = 32, .seconds = seconds}, merged.ledger);
  // Peers may still have had rows at the beginning.
  if (is_ours(*merged.peer))
    fault(*merged.peer, left.operations > kKeys ? left.operations - kKeys : kKeys - left.operations,
          "rows too many or too few after merges of 1,000 keys");
  contestant.peer = std::move(merged.peer);
}

void Bench::run_rates(std::vector<Contestant>& contestants) {
  double const s = settings_.seconds;
  auto const plan = [s](Work work, std::uint32_t connections, std::uint32_t in_flight, std::uint32_t batch = 1) {
    return Plan{.work = work, .connections = connections, .in_flight = in_flight, .batch = batch, .seconds = s};
  };
  Named const inserts[] = {
      {"inserts", "1 connection, closed loop", plan(Work::insert, 1, 1), ">= 0.68 S; unix socket 0.78 S", true},
      {"inserts", "8 connections, closed loop", plan(Work::insert, 8, 1), ">= 2.9 S", true},
      {"inserts", "64 connections, closed loop", plan(Work::insert, 64, 1), ">= 9.5 S", true},
      {"inserts", "64 connections x 32 in flight", plan(Work::insert, 64, 32), ">= 600 k/s; msgpack 1 M/s"},
      {"inserts", "1 connection, batches of 64, 16 in flight", plan(Work::insert, 1, 1024, 64), ">= 1.2 M/s"},
  };
  Named const leases[] = {
      {"leases", "lease + done, 1 worker", plan(Work::lease_done, 1, 1), "", true},
      {"leases", "lease + done, 8 workers", plan(Work::lease_done, 8, 1), ">= 1.8 S", true},
      {"leases", "DONE next=1, 1 worker", plan(Work::chained, 1, 1), "", true},
      {"leases", "DONE next=1, 8 workers", plan(Work::chained, 8, 1), ">= 2.9 S", true},
      {"leases", "lease + done, 8 workers x 32", plan(Work::lease_done, 8, 32), ">= 400 k/s"},
      {"leases", "DONE next=1, 8 workers x 32", plan(Work::chained, 8, 32), ">= 400 k/s"},
  };
  Named const cycle{"both", "insert, lease, done; 8 connections", plan(Work::cycle, 8, 1), "", true};
  auto const wanted = [this](std::string_view what) { return what.find(settings_.only) != std::string_view::npos; };
  for (std::uint32_t round = 0; round < settings_.rounds; ++round) {
    say(fmt::format("round {} of {}", round + 1, settings_.rounds));
    for (Named const& named : inserts)
      for (Contestant& contestant : contestants)
        if (wanted(named.name) && (named.plan.batch > 1 || !contestant.peer->batches_only()))
          measure(*contestant.peer, contestant.ledger, named);
    for (Named const& named : leases)
      for (Contestant& contestant : contestants) {
        if (!wanted(named.name) || contestant.peer->batches_only()) continue;
        // As many as the fastest peer can finish in that time.
        stock(contestant, static_cast<std::uint64_t>(s * (named.plan.in_flight > 1 ? 600'000 : 60'000)));
        measure(*contestant.peer, contestant.ledger, named);
      }
    for (Contestant& contestant : contestants) {
      if (!is_ours(*contestant.peer) || !wanted(kDeliver)) continue;
      stock(contestant, static_cast<std::uint64_t>(s * 400'000));
      Plan deliver = plan(Work::deliver, 8, 32);
      deliver.rows = contestant.ledger.outstanding();
      deliver.seconds = kDrainSeconds;
      measure(*contestant.peer, contestant.ledger, {"leases", kDeliver, deliver, ">= 400 k/s"});
    }
    for (Contestant& contestant : contestants) {
      if (contestant.peer->batches_only()) continue;
      if (wanted(cycle.name) || wanted(kMerges)) drain(*contestant.peer, contestant.ledger);
      if (wanted(cycle.name)) measure(*contestant.peer, contestant.ledger, cycle);
      if (wanted(kMerges)) measure_merges(contestant);
    }
  }
}

// ---------------------------------------------------------------------------
// At rest

void Bench::measure_wait(Peer& peer, Ledger& ledger, std::uint64_t waiting) {
  double const span = settings_.lateness_seconds;
  auto const rows = static_cast<std::uint64_t>(span * 1000);
  // One row each millisecond, beginning when all are inserted.
  Plan insert{.work = Work::insert, .connections = 8, .in_flight = 32, .seconds = 30, .rows = rows};
  insert.delay_ms = [](std::uint64_t number) { return 2000 + static_cast<std::int64_t>(number); };
  Outcome const in = run(peer, insert, ledger);
  fault(peer, in.refused, "rows with dates refused: " + in.first_refusal);
  Outcome const out =
      run(peer, {.work = Work::wait, .connections = 1, .in_flight = 64, .seconds = span + 10, .rows = rows}, ledger);
  fault(peer, out.finished ? 0 : 1, "time-out: not all rows with dates came");
  Line& one = line("dates", fmt::format("due -> message, {} waiting", waiting), peer.name(), " us");
  one.durability = peer.exact_dates() ? peer.durability() : "dates are whole seconds";
  if (is_ours(peer)) one.aim = "p50 <= 100, p99 <= 500 us idle";
  one.samples.push_back({.value = static_cast<double>(out.latency_us.percentile(50)),
                         .p50_us = static_cast<double>(out.latency_us.percentile(50)),
                         .p99_us = static_cast<double>(out.latency_us.percentile(99)),
                         .driver_busy = out.driver_busy});
}

void Bench::run_at_rest(std::vector<std::unique_ptr<Peer>>& peers, std::uint64_t own_rows) {
  for (auto const& peer : peers) {
    std::uint64_t const rows = is_ours(*peer) ? own_rows : settings_.peer_rows;
    // Our memory per row is measured only with many rows.
    bool const weighs = !is_ours(*peer) || rows == settings_.rows;
    // The same daemon with another kind of worker: only its dates are measured.
    bool const dates_only = peer->name().ends_with(" wake");
    say(fmt::format("{}: {} rows that wait", peer->name(), rows));
    peer->start();
    Ledger ledger;
    std::uint64_t const memory = resident_bytes(*peer);
    std::uint64_t const disk = disk_bytes(*peer);
    // One row is due, for the first lease after the start; the others have a far date.
    Plan insert{.work = Work::insert, .connections = 8, .in_flight = 128, .seconds = 60, .rows = rows};
    insert.delay_ms = [](std::uint64_t number) { return number > 0 ? kFarMs : std::int64_t{0}; };
    Outcome const in = run(*peer, insert, ledger);
    fault(*peer, in.refused, "refused: " + in.first_refusal);
    auto const inserted = static_cast<double>(in.operations);
    double const memory_each = static_cast<double>(resident_bytes(*peer) - memory) / inserted;
    double const disk_each = static_cast<double>(disk_bytes(*peer) - disk) / inserted;

    auto const add = [&](char const* group, std::string const& work, char const* unit, double value, char const* aim) {
      if (dates_only) return;
      Line& one = line(group, work, peer->name(), unit);
      one.durability = fmt::format("{} rows", in.operations);
      if (is_ours(*peer)) one.aim = aim;
      one.samples.push_back({.value = value});
    };
    if (weighs) {
      add("at rest", "memory of a row beside key and data", " B", memory_each - own_bytes(rows), "<= 64 B");
      add("at rest", "disk of a row of 200 bytes, in batches", " B", disk_each, "<= 260 B");
    }

    double const busy = processor_seconds(*peer);
    auto const idle_from = std::chrono::steady_clock::now();
    // A time without any requests.
    static_cast<void>(run(*peer, {.work = Work::wait, .connections = 0, .seconds = 3, .rows = 1}, ledger));
    if (weighs)
      add("at rest", "processor while idle", " %", (processor_seconds(*peer) - busy) / seconds_since(idle_from) * 100,
          "< 1 %");

    peer->kill();
    auto const start = std::chrono::steady_clock::now();
    peer->start();
    static_cast<void>(run(*peer, {.work = Work::lease_done, .seconds = 0.001}, ledger));
    double const seconds = seconds_since(start);
    add("at rest", fmt::format("kill -9, start, first lease, {} rows", rows), " s", seconds, "<= 0.3 s at 1 M rows");

    measure_wait(*peer, ledger, rows);
    peer->stop();
  }
}

// ---------------------------------------------------------------------------
// Growth

void Bench::run_growth() {
  std::vector<std::uint64_t> steps{10'000};
  while (steps.back() < settings_.most_rows) steps.push_back(std::min(steps.back() * 100, settings_.most_rows));
  auto const measure_at = [this](std::string const& work, OwnOptions const& options, std::uint64_t rows) {
    say("growth: " + work);
    Contestant ours{make_fastjournal(options), {}};
    ours.peer->start();
    Plan fill{.work = Work::insert, .connections = 8, .in_flight = 128, .seconds = 120, .rows = rows};
    fill.delay_ms = [](std::uint64_t) { return kFarMs; };
    std::uint64_t const memory = resident_bytes(*ours.peer);
    fault(*ours.peer, run(*ours.peer, fill, ours.ledger).refused, "inserts refused");
    if (rows >= kRowsWeighed) {
      Line& one = line("growth", "memory of a row, " + work, "fastjournal", " B");
      one.aim = "<= 64 B";
      double const grown = static_cast<double>(resident_bytes(*ours.peer) - memory);
      one.samples.push_back({.value = grown / static_cast<double>(rows) - own_bytes(rows)});
    }
    for (std::uint32_t round = 0; round < settings_.rounds; ++round) {
      double const raw = raw_syncs(ours.peer->folder());
      Outcome const in =
          run(*ours.peer, {.work = Work::insert, .connections = 8, .in_flight = 32, .seconds = settings_.seconds},
              ours.ledger);
      Outcome const out =
          run(*ours.peer, {.work = Work::lease_done, .connections = 8, .in_flight = 32, .seconds = kDrainSeconds},
              ours.ledger);
      fault(*ours.peer, in.refused + out.refused, "refused while growing");
      for (auto const& [name, outcome] : {std::pair{"insert", &in}, std::pair{"lease + done", &out}}) {
        Line& one = line("growth", std::string{name} + ", " + work, "fastjournal", "/s");
        one.aim = "cost <= 1.3 x that at 10 k";
        one.samples.push_back({.value = outcome->per_second(),
                               .raw_syncs = raw,
                               .p50_us = static_cast<double>(outcome->latency_us.percentile(50)),
                               .p99_us = static_cast<double>(outcome->latency_us.percentile(99)),
                               .driver_busy = outcome->driver_busy});
        one.note = fmt::format("longest {} us", outcome->latency_us.max());
      }
    }
    ours.peer->stop();
  };
  for (std::uint64_t const rows : steps)
    measure_at(fmt::format("{} rows waiting", rows), {.table = "", .tables = 1}, rows);
  measure_at("10 k rows waiting, 10,000 tables", {.table = "", .tables = 10'000}, 10'000);
}

}  // namespace fastjournal::bench
