#include "clients/programs/fastjournal/bench/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <system_error>

#include "clients/cpp/client.h"
#include "clients/demo/process/daemon.h"
#include "platform/os/sync_probe.h"

namespace fastjournal::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kTable[] = "bench";
constexpr char kSyncs[] = "syncs of 4 KiB";
constexpr std::string_view kInsertsOneByOne = "inserts, one by one";
constexpr std::string_view kWorkOneByOne = "lease and done, one by one";
// Fewer calls have no hundredth.
constexpr std::uint64_t kCallsForP99 = 100;
// Of a disk between two measurements.
constexpr double kSpread = 1.2;
constexpr std::size_t kInFlight = 1024;
constexpr std::size_t kLeasedAtOnce = 256;
// A minute of a quick disk; more would measure the memory of this computer.
constexpr std::uint64_t kRowsMax = 3'000'000;
// A row's date is so far ahead, and farther where a sync takes that long.
constexpr std::int64_t kAheadMs = 20;
constexpr std::int64_t kAheadMsMax = 2'000;
constexpr std::chrono::milliseconds kWakeLimit{5'000};
// Below it no medium answers (clients/programs/fastjournal/doctor/findings_files.cpp).
constexpr double kImpossibleMs = 0.008;

constexpr char kTableFile[] = R"(<table name="bench" model="journal" row-key="name">
  <schema>
    <column name="name" type="string" required="true"/>
    <column name="payload" type="string"/>
  </schema>
</table>
)";

// A new folder, removed with everything in it.
class OwnFolder {
 public:
  static Result<OwnFolder> make(fs::path const& parent) {
    std::string name = (parent / ".fastjournal-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      return Status{Code::io_error, fmt::format("make a folder in {}: {}", parent.string(), ::strerrordesc_np(errno))};
    return OwnFolder{name};
  }
  OwnFolder(OwnFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  OwnFolder& operator=(OwnFolder&&) = delete;
  OwnFolder(OwnFolder const&) = delete;
  OwnFolder& operator=(OwnFolder const&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] fs::path const& path() const { return path_; }

 private:
  explicit OwnFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Status write_file(fs::path const& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? Status{} : Status{Code::io_error, "cannot write " + path.string()};
}

Result<process::Daemon> start_daemon(Request const& wish, fs::path const& folder) {
  std::error_code error;
  fs::create_directories(folder / "tables", error);
  if (error) return Status{Code::io_error, fmt::format("create {}: {}", (folder / "tables").string(), error.message())};
  if (Status status = write_file(folder / "fastjournal.xml", "<fastjournal/>\n"); !status.ok()) return status;
  if (Status status = write_file(folder / "tables" / "bench.xml", kTableFile); !status.ok()) return status;
  return process::Daemon::start({.program = wish.program,
                                 .config = folder / "fastjournal.xml",
                                 .tables = folder / "tables",
                                 .plugins = wish.plugins,
                                 .data = folder / "data",
                                 .socket = folder / "socket",
                                 .output = folder / "daemon.txt",
                                 .stop = wish.stop});
}

std::int64_t wall_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::uint32_t us_since(Clock::time_point begin) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
}

class Measurement {
 public:
  explicit Measurement(Request const& wish) : wish_(wish), slice_(wish.time / 6) {}

  Result<std::vector<Row>> run() {
    auto folder = OwnFolder::make(wish_.folder);
    if (!folder.ok()) return folder.status();
    folder_ = folder->path();
    auto daemon = start_daemon(wish_, folder->path());
    if (!daemon.ok()) return daemon.status();
    auto opened = client::Connection::open({.server = daemon->local(), .back_off = {}});
    if (!opened.ok()) return opened.status();
    connection_ = std::move(opened).value();
    for (auto const part : {&Measurement::insert_one_by_one, &Measurement::work_one_by_one, &Measurement::wake,
                            &Measurement::insert_many, &Measurement::work_many})
      if (Status status = (this->*part)(); !status.ok()) return status;
    connection_.reset();
    daemon->process().stop();
    for (Row& row : rows_) row.word += doubt_of(row, rows_.front());
    return std::move(rows_);
  }

 private:
  [[nodiscard]] bool is_stopped() const { return wish_.stop && wish_.stop(); }
  static Status stopped() { return {Code::timed_out, "stopped"}; }

  void announce(std::string_view name) {
    if (wish_.on_row) wish_.on_row(name);
  }

  // Half of their time; called before and after the inserts they are compared with, as a disk's speed changes.
  Status probe_syncs() {
    announce(kSyncs);
    Result<os::SyncTimes> const times = os::probe_syncs(folder_, {.limit = slice_ / 2, .stop = wish_.stop});
    if (!times.ok()) return times.status();
    syncs_us_.insert(syncs_us_.end(), times->us.begin(), times->us.end());
    syncs_seconds_ += times->seconds;
    return is_stopped() ? stopped() : Status{};
  }

  Message insert(std::uint64_t number) {
    Message out("INSERT");
    out.set("table", kTable);
    out.set("name", out.arena().copy(fmt::format("row-{}", number)));
    out.set("payload", payload_);
    return out;
  }

  // Calls `step` until its time is over, and makes a row of the times of the calls.
  template <typename Step>
  Status repeat(std::string name, Step&& step) {
    announce(name);
    std::vector<std::uint32_t> us;
    auto const begin = Clock::now();
    for (auto at = begin; at - begin < slice_; at = Clock::now()) {
      if (is_stopped()) return stopped();
      Result<bool> const goes_on = step();
      if (!goes_on.ok()) return goes_on.status();
      if (!goes_on.value()) break;
      us.push_back(us_since(at));
    }
    rows_.push_back(row_of(std::move(name), us, seconds_since(begin)));
    return {};
  }

  Status insert_one_by_one() {
    if (Status const status = probe_syncs(); !status.ok()) return status;
    Status status = repeat(std::string{kInsertsOneByOne}, [&]() -> Result<bool> {
      auto const reply = connection_->call(insert(inserted_));
      if (!reply.ok()) return reply.status();
      ++inserted_;
      return true;
    });
    if (status.ok()) status = probe_syncs();
    if (!status.ok()) return status;
    Row syncs = row_of(kSyncs, syncs_us_, syncs_seconds_);
    syncs.word = word_of_syncs(syncs.ms_p50);
    raw_per_second_ = syncs.per_second;
    rows_.back().word =
        fmt::format("each synced: {:.0f} % of the syncs above", rows_.back().per_second / raw_per_second_ * 100);
    rows_.insert(rows_.begin(), std::move(syncs));
    return {};
  }

  Status work_one_by_one() {
    Status const status = repeat(std::string{kWorkOneByOne}, [&]() -> Result<bool> { return work(1); });
    if (status.ok()) rows_.back().word = "one worker; only its DONE is synced";
    return status;
  }

  // False: nothing is due.
  Result<bool> work(std::size_t count) {
    Message next("NEXT");
    next.set("table", kTable);
    next.set("count", Value::of_unsigned(count));
    auto const leased = connection_->call(next);
    if (!leased.ok()) return leased.status();
    if (leased->first().command == "NOTHING") return false;
    Status failed;
    client::Pipeline pipeline(*connection_, kInFlight, [&](std::uint64_t, Result<client::Reply> const& reply) {
      if (!reply.ok() && failed.ok()) failed = reply.status();
    });
    for (Message const& row : leased->messages) {
      Message done("DONE");
      done.set("table", kTable);
      for (std::string_view const name : {"row", "epoch"}) done.set(name, *row.find(name));
      if (Status const sent = pipeline.send(done); !sent.ok()) return sent;
      ++done_;
    }
    pipeline.finish();
    if (!failed.ok()) return failed;
    return true;
  }

  Status insert_many() {
    std::string const name = fmt::format("inserts, {} in flight", kInFlight);
    announce(name);
    Status failed;
    client::Pipeline pipeline(*connection_, kInFlight, [&](std::uint64_t, Result<client::Reply> const& reply) {
      if (!reply.ok() && failed.ok()) failed = reply.status();
    });
    std::uint64_t const before = inserted_;
    auto const begin = Clock::now();
    while (Clock::now() - begin < slice_ && inserted_ - before < kRowsMax && failed.ok()) {
      if (is_stopped()) return stopped();
      for (int i = 0; i < 64; ++i)
        if (Status const sent = pipeline.send(insert(inserted_++)); !sent.ok()) return sent;
    }
    pipeline.finish();
    if (!failed.ok()) return failed;
    Row row{.name = name, .count = inserted_ - before};
    row.per_second = static_cast<double>(row.count) / seconds_since(begin);
    row.word =
        fmt::format("each synced, many share one: {:.0f} times the syncs above", row.per_second / raw_per_second_);
    rows_.push_back(std::move(row));
    return {};
  }

  Status work_many() {
    std::string const name = fmt::format("lease and done, {} at once", kLeasedAtOnce);
    announce(name);
    std::uint64_t const before = done_;
    auto const begin = Clock::now();
    while (Clock::now() - begin < slice_) {
      if (is_stopped()) return stopped();
      Result<bool> const goes_on = work(kLeasedAtOnce);
      if (!goes_on.ok()) return goes_on.status();
      if (!goes_on.value()) break;
    }
    Row row{.name = name, .count = done_ - before, .word = "one worker with many rows"};
    row.per_second = static_cast<double>(row.count) / seconds_since(begin);
    rows_.push_back(std::move(row));
    return {};
  }

  // Rows that become due while no worker is busy: from their date to the message that wakes the listener.
  Status wake() {
    announce("wake of a listener");
    // The rows that are left are due as well.
    while (true) {
      if (is_stopped()) return stopped();
      Result<bool> const goes_on = work(kLeasedAtOnce);
      if (!goes_on.ok()) return goes_on.status();
      if (!goes_on.value()) break;
    }
    if (Status const status = connection_->listen(kTable); !status.ok()) return status;
    std::vector<std::uint32_t> us;
    std::int64_t ahead_ms = kAheadMs;
    auto const begin = Clock::now();
    while (us.empty() || Clock::now() - begin < slice_) {
      if (is_stopped()) return stopped();
      Message row = insert(inserted_++);
      std::int64_t const due_ms = wall_us() / 1000 + ahead_ms;
      row.set_integer("process_date", due_ms);
      if (auto const reply = connection_->call(row); !reply.ok()) return reply.status();
      bool const was_late = wall_us() >= due_ms * 1000;
      if (was_late) ahead_ms = std::min(2 * ahead_ms, kAheadMsMax);
      auto const pushed = connection_->wait_push(kWakeLimit);
      if (!pushed.ok()) return pushed.status();
      if (!was_late || ahead_ms == kAheadMsMax)
        us.push_back(static_cast<std::uint32_t>(std::max<std::int64_t>(wall_us() - due_ms * 1000, 0)));
      // Until nothing is due: then the daemon wakes again.
      for (bool goes_on = true; goes_on;) {
        Result<bool> const worked = work(1);
        if (!worked.ok()) return worked.status();
        goes_on = worked.value();
      }
    }
    if (Status const status = connection_->unlisten(kTable); !status.ok()) return status;
    Row row = row_of("wake of a listener", us, 0);
    row.word = "after the row's date; nobody polls";
    rows_.push_back(std::move(row));
    return {};
  }

  Request const& wish_;
  fs::path folder_;
  std::chrono::milliseconds slice_;
  std::unique_ptr<client::Connection> connection_;
  std::vector<Row> rows_;
  std::string payload_ = std::string(200, 'p');
  std::vector<std::uint32_t> syncs_us_;
  double syncs_seconds_{0};
  double raw_per_second_{0};
  std::uint64_t inserted_{0};
  std::uint64_t done_{0};
};

}  // namespace

Row row_of(std::string name, std::vector<std::uint32_t>& us, double seconds) {
  Row out{.name = std::move(name), .count = us.size()};
  if (us.empty()) return out;
  std::sort(us.begin(), us.end());
  auto const at = [&](double share) {
    auto const place = static_cast<std::size_t>(share * static_cast<double>(us.size()));
    return us[std::min(place, us.size() - 1)] / 1e3;
  };
  out.ms_p50 = at(0.5);
  out.ms_p99 = at(0.99);
  if (seconds > 0) out.per_second = static_cast<double>(us.size()) / seconds;
  return out;
}

std::string doubt_of(Row const& row, Row const& syncs) {
  std::string out;
  // One after the other, each waits for a sync of its own.
  bool const is_alone = row.name == kInsertsOneByOne || row.name == kWorkOneByOne;
  if (is_alone && row.per_second > syncs.per_second * kSpread)
    out += "; more than its syncs, which cannot be: the disk's speed changed meanwhile, measure again";
  if (row.ms_p99 > 0 && row.count < kCallsForP99)
    out += fmt::format("; {} calls, too few for a p99: measure longer (--time)", row.count);
  if (row.ms_p99 == 0 && row.count < kCallsForP99)
    out += fmt::format("; {} rows, too few for a rate: measure longer (--time)", row.count);
  return out;
}

std::string word_of_syncs(double ms_p50) {
  if (ms_p50 < kImpossibleMs) return "too quick for a medium: in memory, or a cache that may lose it";
  if (ms_p50 < 0.5) return "quick: flash, or a protected cache";
  if (ms_p50 < 5) return "usual for flash";
  if (ms_p50 < 20) return "slow: a turning disk, or a busy one";
  return "very slow: look who else writes";
}

Result<std::vector<Row>> measure(Request const& wish) { return Measurement{wish}.run(); }

}  // namespace fastjournal::bench
