// Clock, limits, kernel settings, versions, and the daemon that runs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "clients/programs/fastjournal/doctor/findings.h"
#include "model/date.h"

namespace fastjournal::doctor {
namespace {

// 2024-01-01: before this program was written.
constexpr std::int64_t kEarliestMs = 1'704'067'200'000;
constexpr std::int64_t kErrorUsMax = 1'000'000;
constexpr std::int64_t kApartMsMax = 1'000;

// Files of logs, libraries and plugins beside connections (doc/operations.md).
constexpr std::uint64_t kFilesBeside = 100;
// The queue of connections that a listener asks the kernel for, and the buffer of a datagram socket.
constexpr std::int64_t kBacklog = 4096;
constexpr std::int64_t kReceiveBuffer = 4 << 20;
constexpr std::int64_t kNeverOvercommit = 2;
// Program, plugins, buffers of logs.
constexpr std::uint64_t kMemoryBeside = 128U << 20U;

std::string joined(std::vector<std::string> const& words) {
  std::string out;
  for (std::string const& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

void judge_memory(Facts const& facts, Findings& out) {
  LimitFacts const& limits = facts.limits;
  if (!limits.memory_bytes || !facts.wish.is_read) return;
  std::uint64_t const there = std::min(*limits.memory_bytes, limits.group_bytes.value_or(UINT64_MAX));
  std::uint64_t const wanted = facts.wish.rows_bytes_max + facts.wish.clients_bytes_max + kMemoryBeside;
  std::string const whose = there < *limits.memory_bytes ? "its control group has" : "this computer has";
  std::string const found =
      fmt::format("memory-bytes and client-memory are {} and {}; {} {}", size_text(facts.wish.rows_bytes_max),
                  size_text(facts.wish.clients_bytes_max), whose, size_text(there));
  if (wanted > there)
    out.push_back({Severity::warning, "memory", found, fmt::format("{} at least", size_text(wanted)),
                   "lower <limits memory-bytes> or add memory: else the kernel ends the daemon where it would refuse "
                   "inserts"});
  else
    out.push_back({Severity::ok, "memory", found, {}, {}});
  if (limits.swapped_bytes.value_or(0) > 0)
    out.push_back({Severity::warning, "swap",
                   fmt::format("{} of the daemon are swapped out", size_text(*limits.swapped_bytes)),
                   "none: rows are read in any order",
                   "lower memory-bytes or add memory; MemorySwapMax=0 in its unit, or vm.swappiness=1"});
}

}  // namespace

void judge_clock(Facts const& facts, Findings& out) {
  ClockFacts const& clock = facts.clock;
  std::string const now = "the clock says " + model::format_date(clock.now_ms);
  if (clock.now_ms < kEarliestMs)
    out.push_back({Severity::error, "clock", now, "today's date",
                   "set it, and start the daemon after the time service: a start is refused when the clock is behind "
                   "the log"});
  else if (!clock.is_synchronised)
    out.push_back({Severity::unseen, "clock", now + "; whether a time service keeps it is not known here", {}, {}});
  else if (!*clock.is_synchronised)
    out.push_back({Severity::warning, "clock", now + ", and no time service keeps it",
                   "a clock that the kernel calls synchronised",
                   "install and start one, as chrony or systemd-timesyncd: dates of rows are this clock's"});
  else if (clock.error_us_max > kErrorUsMax)
    out.push_back({Severity::advice, "clock",
                   fmt::format("{}, and may be wrong by {:.1f} s", now, static_cast<double>(clock.error_us_max) / 1e6),
                   "1 s at most", "look at the time service: it has not heard of its servers for long"});
  else
    out.push_back({Severity::ok, "clock", now + ", and is synchronised", {}, {}});
  if (!clock.daemon_ms) return;
  std::int64_t const apart = *clock.daemon_ms;
  if (std::abs(apart) <= kApartMsMax + static_cast<std::int64_t>(clock.daemon_ms_uncertain)) {
    out.push_back({Severity::ok, "daemon-clock", "the daemon's time and the clock agree", {}, {}});
    return;
  }
  out.push_back(
      {Severity::warning, "daemon-clock",
       fmt::format("the daemon's time is {} by {:.1f} s", apart > 0 ? "ahead of the clock" : "behind the clock",
                   static_cast<double>(std::abs(apart)) / 1e3),
       "1 s at most",
       apart > 0 ? "if the clock was set back on purpose, wait: the daemon's time runs slower until they "
                   "agree (doc/operations.md, \"Clocks\")"
                 : "look again: the daemon follows a clock that was set forward at once"});
}

void judge_limits(Facts const& facts, Findings& out) {
  LimitFacts const& limits = facts.limits;
  std::string const whose = limits.is_of_daemon ? "of the daemon" : "of this command, perhaps not the daemon's";
  if (limits.files_hard && facts.wish.is_read) {
    std::uint64_t const wanted = facts.wish.connections + kFilesBeside;
    std::string const found = fmt::format("open files, hard limit {}: {}", whose, *limits.files_hard);
    if (*limits.files_hard < wanted)
      out.push_back({limits.is_of_daemon ? Severity::warning : Severity::advice, "open-files", found,
                     fmt::format("{}: `connections` and {}", wanted, kFilesBeside),
                     fmt::format("LimitNOFILE={} in its unit, or fewer <limits connections>", wanted)});
    else
      out.push_back({Severity::ok, "open-files", found, {}, {}});
  }
  if (limits.is_of_daemon && limits.core_soft) {
    if (*limits.core_soft > 0)
      out.push_back({Severity::advice, "core", "a crash of the daemon writes a core, which has every row and token",
                     "a limit of 0, or a folder for cores that only root may read",
                     "LimitCORE=0 in its unit, unless you look for a fault"});
    else
      out.push_back({Severity::ok, "core", "a crash writes no core", {}, {}});
  }
  judge_memory(facts, out);
}

void judge_kernel(Facts const& facts, Findings& out) {
  KernelFacts const& kernel = facts.kernel;
  std::size_t const before = out.size();
  if (facts.wish.has_tcp && kernel.somaxconn && *kernel.somaxconn < kBacklog)
    out.push_back(
        {Severity::advice, "somaxconn", fmt::format("net.core.somaxconn is {}", *kernel.somaxconn),
         fmt::format("{}, the queue that listeners ask for", kBacklog),
         fmt::format("sysctl net.core.somaxconn={}: else thousands of clients that come back at once wait for "
                     "a second and more",
                     kBacklog)});
  if (facts.wish.has_udp && kernel.rmem_max && *kernel.rmem_max < kReceiveBuffer)
    out.push_back(
        {Severity::advice, "rmem_max", fmt::format("net.core.rmem_max is {}", *kernel.rmem_max),
         fmt::format("{}, the buffer that <udp> asks for", kReceiveBuffer),
         fmt::format("sysctl net.core.rmem_max={}: else datagrams that come at once are lost", kReceiveBuffer)});
  if (kernel.overcommit && *kernel.overcommit == kNeverOvercommit)
    out.push_back({Severity::advice, "overcommit", "vm.overcommit_memory is 2: memory may end before it is full",
                   "0 or 1", "leave room under CommitLimit for memory-bytes and client-memory, or set it to 0"});
  if (kernel.huge_pages == "never")
    out.push_back(
        {Severity::advice, "huge-pages", "transparent huge pages are off", "madvise, or always",
         "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled: memory of rows is touched in fewer steps"});
  bool const is_seen = kernel.somaxconn || kernel.rmem_max || kernel.overcommit;
  if (out.size() == before)
    out.push_back(is_seen ? Finding{Severity::ok, "kernel", "the kernel's settings fit", {}, {}}
                          : Finding{Severity::unseen, "kernel", "the kernel's settings cannot be read here", {}, {}});
}

void judge_versions(Facts const& facts, Findings& out) {
  VersionFacts const& versions = facts.versions;
  if (versions.daemon.empty())
    out.push_back({Severity::unseen,
                   "versions",
                   fmt::format("fastjournal is {}; no fastjournald was found to compare with", versions.own),
                   {},
                   {}});
  else if (versions.daemon != versions.own)
    out.push_back({Severity::warning, "versions",
                   fmt::format("fastjournal is {}, {} is {}", versions.own, versions.daemon_program, versions.daemon),
                   "one version", "install both from one release"});
  else
    out.push_back({Severity::ok,
                   "versions",
                   fmt::format("fastjournal and {} are {}", versions.daemon_program, versions.own),
                   {},
                   {}});
  DaemonFacts const& daemon = facts.daemon;
  if (daemon.is_program_replaced)
    out.push_back({Severity::warning, "versions", daemon.program + " was replaced since the daemon was started",
                   "the installed program", "restart the daemon"});
  if (!daemon.replaced_plugins.empty())
    out.push_back({Severity::warning, "versions",
                   "table types were replaced since the daemon was started: " + joined(daemon.replaced_plugins),
                   "the installed ones", "restart the daemon"});
}

void judge_daemon(Facts const& facts, Findings& out) {
  DaemonFacts const& daemon = facts.daemon;
  if (daemon.server.empty()) {
    if (daemon.is_refused)
      out.push_back({Severity::unseen,
                     "daemon",
                     daemon.problem,
                     {},
                     "run this as root or as the daemon's user, or name an address with --server"});
    else
      // An installation that was never started lacks nothing.
      out.push_back({was_started(facts) ? Severity::error : Severity::advice, "daemon",
                     "no daemon answers: " + daemon.problem, "one that serves",
                     "start it, or name its address with --server"});
    return;
  }
  if (!daemon.not_ready.empty())
    out.push_back({Severity::error, "daemon", daemon.server + ": " + daemon.not_ready, "all logs serve",
                   "look into the daemon's log for the reason; commands on tables of this log are refused"});
  else
    out.push_back({Severity::ok, "daemon", daemon.server + " answers, all logs serve", {}, {}});
  if (!daemon.has_figures) {
    out.push_back({Severity::unseen, "figures", daemon.problem, {}, "use an address, or a user, with the right read"});
    return;
  }
  for (AlertFacts const& alert : daemon.alerts)
    out.push_back(
        {Severity::warning, "alert",
         fmt::format("{}{}: {}", alert.name, alert.table.empty() ? "" : " of table " + alert.table, alert.message),
         "no alert", "doc/alerts.md says what to do about " + alert.name});
  if (daemon.alerts.empty()) out.push_back({Severity::ok, "alert", "no alert is up", {}, {}});
  if (daemon.alerts_dropped > 0)
    out.push_back({Severity::warning, "alert", fmt::format("{} alerts found no room", daemon.alerts_dropped), "none",
                   "deal with those that are up"});
  if (daemon.logs_mending > 0)
    out.push_back({Severity::error, "log-damage",
                   fmt::format("{} logs need data that cannot be read back", daemon.logs_mending), "none",
                   "do not stop the daemon: make a backup, check the disk (doc/log-tools.md)"});
  if (!daemon.waiting.empty())
    out.push_back({Severity::warning, "tables", "files wait to be loaded: " + joined(daemon.waiting),
                   "what the daemon was told of", "`fastjournal apply` shows and loads them"});
  if (!daemon.paused.empty())
    out.push_back({Severity::advice,
                   "tables",
                   "paused: " + joined(daemon.paused),
                   {},
                   "`fastjournal why` says who paused them; `fastjournal resume TABLE`"});
  if (!daemon.draining.empty())
    out.push_back({Severity::advice,
                   "tables",
                   "draining, inserts are refused: " + joined(daemon.draining),
                   {},
                   "`fastjournal resume TABLE` when that is over"});
  std::uint64_t const growth =
      daemon.log_disk_bound > daemon.log_disk_bytes ? daemon.log_disk_bound - daemon.log_disk_bytes : 0;
  std::uint64_t free = 0;
  for (DiskFacts const& disk : facts.disks) free += disk.bytes_free;
  if (!facts.disks.empty() && growth > free)
    out.push_back({Severity::warning, "growth",
                   fmt::format("the logs take {} and may take {} with the rows that are there",
                               size_text(daemon.log_disk_bytes), size_text(daemon.log_disk_bound)),
                   fmt::format("{} free; there are {}", size_text(growth), size_text(free)),
                   "free space, or finish and delete rows"});
}

}  // namespace fastjournal::doctor
