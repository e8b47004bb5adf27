// The file log alone, without daemon or network. Prints the disk's raw rate (4 KiB pwrite + fdatasync into
// zeroed space) beside the log's rate at 1, 16 and 256 records a commit. They are measured alternately in one run,
// because the speed of a disk changes from second to second. Then prints the cost of append and commit without the
// sync.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>

#include "log/file/file_log.h"
#include "platform/os/posix_disk.h"
#include "platform/os/sync_probe.h"
#include "tests/bench/measure.h"

namespace fastjournal::bench {
namespace log_bench {

constexpr std::size_t kBodyBytes = 200;

struct Counter final : log::file::RecordHandler {
  Status on_record(RecordView const& record, Lsn) override {
    bytes += record.body.size();
    return {};
  }
  std::uint64_t bytes{0};
};

// 0 if the folder cannot be written.
double syncs_per_second(std::filesystem::path const& folder, double seconds) {
  std::chrono::milliseconds const limit{static_cast<std::int64_t>(seconds * 1000)};
  Result<os::SyncTimes> const times = os::probe_syncs(folder, {.limit = limit});
  return times.ok() ? times->per_second() : 0;
}

struct Rate {
  double records{0};  // all per second
  double commits{0};
  double bytes_per_record{0};
};

// The base follows the end at once, so that a few segments are reused.
Rate measure(log::file::FileLog& log, std::uint32_t records_per_commit, Durability durability, double seconds) {
  std::string const body(kBodyBytes, 'r');
  std::uint64_t commits = 0;
  Lsn const from = log.written_lsn();
  Clock::time_point const begin = Clock::now();
  do {
    for (std::uint32_t i = 0; i < records_per_commit; ++i) {
      if (!log.reserve(kBodyBytes, false)) require(log.writer().last_refusal());
      auto const place = log.append(static_cast<TableId>(1), 1, 1, ObjectId{}, kBodyBytes);
      std::memcpy(place.body.data(), body.data(), kBodyBytes);
      log.end_group(durability);
    }
    require(log.commit());
    log.set_base(log.end_lsn(), log.end_lsn());
    log.run_chores();
    ++commits;
  } while (seconds_since(begin) < seconds);
  double const took = seconds_since(begin);
  auto const records = static_cast<double>(commits * records_per_commit);
  return {records / took, static_cast<double>(commits) / took,
          static_cast<double>(log.written_lsn().value - from.value) / records};
}

// The speed at which a start reads `records` live records from the page cache.
void measure_recovery(std::string const& folder, std::uint32_t records) {
  os::PosixDisk disk(folder);
  Counter counter;
  log::file::RecoveryReport report;
  {
    auto log = log::file::FileLog::open(disk, "recovery", {}, counter, report);
    require(log.status());
    for (std::uint32_t i = 0; i < records; ++i) {
      if (!log.value()->reserve(kBodyBytes, false)) require(log.value()->writer().last_refusal());
      auto const place = log.value()->append(static_cast<TableId>(1), 1, 1, ObjectId{}, kBodyBytes);
      std::memset(place.body.data(), 'r', kBodyBytes);
      log.value()->end_group(Durability::written);
      if (i % 100 == 99) require(log.value()->commit());
    }
    require(log.value()->shut_down());
  }
  Clock::time_point const begin = Clock::now();
  require(log::file::FileLog::open(disk, "recovery", {}, counter, report).status());
  double const took = seconds_since(begin);
  fmt::print("recovery of {} records, 100 a batch, {} MB: {:.2f} s, {:.0f} records/s\n", report.records,
             report.bytes_scanned / 1'000'000, took, static_cast<double>(report.records) / took);
}

}  // namespace log_bench

int measure_log(int count, char** words) {
  using namespace log_bench;
  double seconds = 1.0;
  std::string folder = "log_bench_data";
  CLI::App app{"the file log beside the disk's raw sync rate"};
  app.add_option("--seconds", seconds, "for each line")->check(CLI::Range(0.1, 600.0))->capture_default_str();
  app.add_option("--folder", folder, "made, and removed at the end; on the disk to be measured")->capture_default_str();
  CLI11_PARSE(app, count, words);

  bool ok = true;
  {
    os::PosixDisk disk(folder);
    require(disk.make_folder(""));
    Counter counter;
    log::file::RecoveryReport report;
    auto log = log::file::FileLog::open(disk, "log", {}, counter, report);
    require(log.status());
    log.value()->run_chores();
    fmt::print("{:<34} {:>12} {:>12} {:>12} {:>8} {:>10}\n", "200-byte records, synced", "records/s", "commits/s",
               "raw syncs/s", "ratio", "bytes/rec");
    for (std::uint32_t const records : {1U, 16U, 256U}) {
      double const before = syncs_per_second(folder, seconds / 2);
      Rate const rate = measure(*log.value(), records, Durability::synced, seconds);
      double const raw = (before + syncs_per_second(folder, seconds / 2)) / 2;
      ok = ok && raw > 0;
      fmt::print("{:<34} {:>12.0f} {:>12.0f} {:>12.0f} {:>8.2f} {:>10.1f}\n", fmt::format("{} a commit", records),
                 rate.records, rate.commits, raw, raw > 0 ? rate.commits / raw : 0, rate.bytes_per_record);
    }
    Rate const rate = measure(*log.value(), 1024, Durability::written, seconds);
    fmt::print("{:<34} {:>12.0f} {:>12.0f} {:>12} {:>8} {:>10.1f}\n", "1024 a commit, written, not synced",
               rate.records, rate.commits, "-", "-", rate.bytes_per_record);
  }
  measure_recovery(folder, 1'000'000);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return ok ? 0 : 1;
}

}  // namespace fastjournal::bench
