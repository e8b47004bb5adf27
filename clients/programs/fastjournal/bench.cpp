#include "clients/programs/fastjournal/bench.h"

#include <signal.h>

#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <utility>

#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/signals.h"
#include "clients/programs/fastjournal/verbs.h"
#include "platform/os/installation.h"

namespace fastjournal::cli {
namespace {

constexpr std::int64_t kBenchMs = 20'000;

// Microseconds as milliseconds with their digits, so that a program reads numbers.
std::string json_of(bench::Row const& row) {
  std::string out = fmt::format(R"({{"name":"{}","count":{})", row.name, row.count);
  if (row.per_second > 0) out += fmt::format(R"(,"per_second":{:.1f})", row.per_second);
  if (row.ms_p50 > 0 || row.ms_p99 > 0)
    out += fmt::format(R"(,"ms_p50":{:.3f},"ms_p99":{:.3f})", row.ms_p50, row.ms_p99);
  return out + fmt::format(R"(,"word":"{}"}})", row.word) + "\n";
}

std::string number(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : std::string{"-"};
}

}  // namespace

std::string render_rates(std::vector<bench::Row> const& rows) {
  std::string out = fmt::format("{:<28} {:>10} {:>9} {:>9}\n", "", "a second", "p50 ms", "p99 ms");
  for (bench::Row const& row : rows) {
    std::string const p50 = row.ms_p99 > 0 ? fmt::format("{:.2f}", row.ms_p50) : "-";
    out += fmt::format("{:<28} {:>10} {:>9} {:>9}  {}\n", row.name, number(row.per_second, 0), p50,
                       number(row.ms_p99, 2), row.word);
  }
  return out;
}

namespace {

struct Bench {
  OptionSet& to;
  Text on{to, "--folder", "on the disk to measure (default: the folder that you are in)", called("FOLDER")};
  Duration time{to, "--time", "how long, all rows together (default 20s)"};

  ExitCode run(Call& call) {
    std::error_code error;
    std::filesystem::path const folder = std::filesystem::absolute(on.or_else("."), error);
    if (!std::filesystem::is_directory(folder, error))
      return call.misuse(folder.string() + ": expected a folder on the disk to measure");
    std::string const program = os::installed_daemon();
    if (program.empty())
      return call.complain({Code::not_found, "there is no fastjournald beside this program: install it"});
    SignalQueue signals{SIGINT, SIGTERM, SIGHUP};
    int signal = 0;
    StatusLine line{call.console};
    std::string current;
    Result<std::vector<bench::Row>> const rows =
        bench::measure({.folder = folder,
                        .program = program,
                        .plugins = os::installed_plugins(),
                        .time = std::chrono::milliseconds{time ? time->value : kBenchMs},
                        .stop =
                            [&] {
                              if (signal == 0) signal = signals.next();
                              line.show("measuring: " + current);
                              return signal != 0;
                            },
                        .on_row = [&](std::string_view row) { current = row; }});
    line.clear();
    // As a shell tells of a program that a signal ended.
    if (signal != 0) {
      call.note("stopped; its daemon and its folder are gone");
      return static_cast<ExitCode>(128 + signal);
    }
    if (!rows.ok()) return call.complain(rows.status());
    if (!call.json) call.console.out << render_rates(rows.value());
    for (bench::Row const& row : rows.value())
      if (call.json) call.console.out << json_of(row);
    return ExitCode::ok;
  }
};

constexpr Verb kBench[]{
    {"bench", "measure the syncs of a disk, and a journal on it", Needs::nothing, declare<Bench>,
     "fastjournal bench --folder /var/lib/fastjournal --time 5s",
     "Starts a daemon of its own, with a folder of its own in FOLDER; both are gone at the end, also after Ctrl-C. A "
     "daemon\nthat runs is not touched, but shares the disk. Exit code as of other commands; 128 and its number after "
     "a signal."},
};

}  // namespace

Verbs bench_verbs() { return kBench; }

}  // namespace fastjournal::cli
