// The duration of a start on a large log. Fills a log with the rows of one journal, then measures three
// things in one run over the same files: reading the files one after the other, reading and checking every batch, and
// the whole start until the table can serve. First with these files removed from the page cache (cold), then with all
// of them in it (warm).
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "config/table_reader.h"
#include "engine/engine.h"
#include "engine/log_replay.h"
#include "log/file/file_log.h"
#include "log/file/log_reader.h"
#include "platform/os/heap_ahead.h"
#include "platform/os/posix_disk.h"
#include "platform/os/workers.h"
#include "tests/bench/measure.h"
#include "tests/support/nobody.h"
#include "tests/unit/journal/harness.h"

namespace fastjournal::bench {
namespace recovery_bench {

constexpr char kLog[] = "shared";
constexpr ConnectionId kConnection{1};

struct Counter final : log::file::RecordHandler {
  Status on_record(RecordView const&, Lsn) override { return {}; }
};

engine::TableTypes const& types() {
  static engine::TableTypes const journal_alone = [] {
    engine::TableTypes out;
    out["journal"] = std::make_unique<engine::TableType>(journal::table_type(), journal::test::journal_type());
    return out;
  }();
  return journal_alone;
}

// An engine on the log in `folder`, started as the daemon does it.
class Start {
 public:
  Start(std::string const& folder, engine::Declaration table, env::Workers* workers) : disk_(folder) {
    engine_.declare({std::move(table)});
    engine::HostedLog& hosted = engine_.add_log(kLog);
    // Touches memory ahead, as the daemon does.
    engine::LogReplay replay{engine_, hosted, [](log::file::ReadProgress const& progress) {
                               static os::HeapAhead heap;
                               heap.look(progress.bytes_total - progress.bytes);
                             }};
    log::file::LogOptions options;
    options.workers = workers;
    auto opened = log::file::FileLog::open(disk_, kLog, options, replay, report_);
    require(opened.status());
    log_ = std::move(opened).value();
    require(engine_.recovery().attach(hosted, *log_));
  }

  // INSERTs as of one client, 64 in a turn, until the log has this many bytes.
  void fill(std::uint64_t bytes, std::size_t payload_bytes) {
    require(engine_.finish_recovery(now_));
    engine::HostedTable& table = *engine_.find_table("jobs");
    std::string const payload(payload_bytes, 'p');
    Answer answer;
    Message message;
    auto const index = static_cast<std::uint16_t>(table.type->find_command("INSERT"));
    for (std::uint64_t i = 0; log_->usage().logical_bytes < bytes; ++i) {
      message.clear();
      message.command = "INSERT";
      std::string const key = fmt::format("http://www.example.com/pages/{:011}", i);
      message.set("name", std::string_view{key});
      message.set("payload", std::string_view{payload});
      answer.clear();
      engine::Outcome const outcome =
          engine_.serving().execute(table, {index, &message, kConnection, "bench"}, now_, answer);
      if (outcome.is_later) fail("no answer");
      require(outcome.status);
      if (i % 64 != 63) continue;
      static_cast<void>(engine_.end_of_turn(now_));
      require(log_->commit());
      static_cast<void>(engine_.committed(now_));
      log_->run_chores();
      now_ = now_ + DurationMs{1};
    }
    require(log_->commit());
    require(log_->shut_down());
  }

  [[nodiscard]] log::file::RecoveryReport const& report() const { return report_; }

 private:
  os::PosixDisk disk_;
  test::Nobody nobody_;
  engine::Engine engine_{types(), nobody_};
  std::unique_ptr<log::file::FileLog> log_;
  log::file::RecoveryReport report_;
  TimeMs now_{1'700'000'000'000};
};

std::vector<std::string> files_of(std::string const& folder) {
  std::vector<std::string> out;
  for (auto const& entry : std::filesystem::directory_iterator(folder + "/" + kLog)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

void empty_page_cache(std::vector<std::string> const& files) {
  for (std::string const& file : files) {
    int const fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::fdatasync(fd) != 0 || ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
      fail("posix_fadvise " + file);
    ::close(fd);
  }
}

// Reads 1 MiB at a time and does nothing with it.
double read_plainly(std::vector<std::string> const& files) {
  std::vector<char> buffer(1U << 20U);
  Clock::time_point const begin = Clock::now();
  for (std::string const& file : files) {
    int const fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail("open " + file);
    while (::read(fd, buffer.data(), buffer.size()) > 0) {
    }
    ::close(fd);
  }
  return seconds_since(begin);
}

double check(std::string const& folder, env::Workers* workers) {
  Clock::time_point const begin = Clock::now();
  os::PosixDisk disk(folder);
  auto reader = log::file::LogReader::open(disk, kLog);
  require(reader.status());
  Counter counter;
  log::file::RecoveryReport report;
  require(reader->read(counter, report, workers));
  return seconds_since(begin);
}

class Bench {
 public:
  Bench(std::string folder, std::uint64_t mib, std::size_t payload_bytes, std::size_t threads)
      : folder_(std::move(folder)), workers_(threads), threads_(threads) {
    auto table =
        config::read_table(FJ_SOURCE_DIR "/tests/transcripts/jobs.xml", {{"journal", journal::test::journal_type()}});
    require(table.status());
    table_ = std::make_shared<TableDeclaration>(std::move(table).value());
    Start{folder_, table_, nullptr}.fill(mib << 20U, payload_bytes);
  }

  // Runs the lines whose names contain `only`.
  void run(std::string only) {
    only_ = std::move(only);
    for (bool const cold : {true, false}) {
      line(cold, "plain reading", [&] { return read_plainly(files_of(folder_)); });
      line(cold, "reading and checking, one thread", [&] { return check(folder_, nullptr); });
      line(cold, fmt::format("reading and checking, {} + 1 threads", threads_),
           [&] { return check(folder_, &workers_); });
      line(cold, "whole start, one thread", [&] { return start(nullptr); });
      line(cold, fmt::format("whole start, {} + 1 threads", threads_), [&] { return start(&workers_); });
    }
    fmt::print("a start: {} records in {} batches, {} segments\n", records_, batches_, files_of(folder_).size() - 1);
  }

 private:
  template <typename Measure>
  void line(bool cold, std::string const& what, Measure measure) {
    std::string const name = fmt::format("{} {}", cold ? "cold" : "warm", what);
    if (name.find(only_) == std::string::npos) return;
    std::vector<std::string> const files = files_of(folder_);
    std::uintmax_t bytes = 0;
    for (std::string const& file : files) bytes += std::filesystem::file_size(file);
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
      if (cold) empty_page_cache(files);
      best = std::min(best, measure());
    }
    fmt::print("{:<46} {:>7.3f} s {:>9.0f} MiB/s\n", name, best, static_cast<double>(bytes) / (1U << 20U) / best);
    std::fflush(stdout);
  }

  double start(env::Workers* workers) {
    Clock::time_point const begin = Clock::now();
    Start const start{folder_, table_, workers};
    double const took = seconds_since(begin);
    records_ = start.report().records;
    batches_ = start.report().batches;
    return took;
  }

  std::string folder_;
  std::string only_;
  os::ThreadWorkers workers_;
  std::size_t threads_;
  engine::Declaration table_;
  std::uint64_t records_{0};
  std::uint64_t batches_{0};
};

}  // namespace recovery_bench

int measure_recovery(int count, char** words) {
  using namespace recovery_bench;
  std::uint64_t mib = 1024;
  std::size_t payload_bytes = 200;
  std::size_t threads = os::ThreadWorkers::threads_wanted();
  std::string folder = "recovery_bench_data";
  std::string only;
  bool keep = false;
  CLI::App app{"how long a start takes that finds much in its log, beside plain reading; the best of three"};
  app.add_option("--mib", mib, "of log")->check(CLI::Range(1, 65536))->capture_default_str();
  app.add_option("--payload", payload_bytes, "bytes a row, beside a key of 40")->capture_default_str();
  app.add_option("--threads", threads, "beside the one that applies")->check(CLI::Range(0, 64))->capture_default_str();
  app.add_option("--folder", folder, "made, and removed at the end; on the disk to be measured")->capture_default_str();
  app.add_option("--only", only, "lines that hold this text, as \"warm whole\"");
  app.add_flag("--keep", keep, "leave the folder, for a daemon to be started over it");
  CLI11_PARSE(app, count, words);
  Bench{folder, mib, payload_bytes, threads}.run(only);
  if (keep) return 0;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}

}  // namespace fastjournal::bench
