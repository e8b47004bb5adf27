// Clock, limits, kernel settings, versions of programs.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <thread>

#include "clients/demo/process/child_process.h"
#include "clients/programs/fastjournal/doctor/look.h"
#include "platform/os/installation.h"

namespace fastjournal::doctor {
namespace {

constexpr std::size_t kContentsMax = 4U << 20U;
constexpr std::chrono::seconds kVersionLimit{5};
constexpr std::string_view kBlanks = " \t\n";

std::optional<std::uint64_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.starts_with("unlimited") || text.starts_with("max")) return UINT64_MAX;
  std::uint64_t out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} ? std::optional{out} : std::nullopt;
}

std::optional<std::int64_t> setting(std::string const& path) {
  std::optional<std::uint64_t> const value = number_in(contents(path));
  return value ? std::optional{static_cast<std::int64_t>(*value)} : std::nullopt;
}

// What stands behind `name` in a file with a line for each value.
std::string_view line_behind(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with(name)) return line.substr(name.size());
  }
  return {};
}

// "Max open files   1024   524288   files": the second number is the hard limit.
std::string_view second_word(std::string_view line) {
  for (int i = 0; i < 2; ++i) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (i == 0) line.remove_prefix(std::min(line.find_first_of(kBlanks), line.size()));
  }
  return line;
}

void look_at_clock(ClockFacts& clock) {
  using std::chrono::milliseconds;
  clock.now_ms = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  timex state{};
  int const answer = ::adjtimex(&state);
  if (answer < 0) return;
  clock.is_synchronised = answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
  clock.error_us_max = state.maxerror;
}

// The least of a control group and those above it.
std::optional<std::uint64_t> group_limit(std::string const& process) {
  std::string const groups = contents(process + "/cgroup");
  std::string folder{line_behind(groups, "0::")};
  std::optional<std::uint64_t> least;
  while (!folder.empty()) {
    std::optional<std::uint64_t> const here = number_in(contents("/sys/fs/cgroup" + folder + "/memory.max"));
    if (here && *here != UINT64_MAX) least = std::min(*here, least.value_or(UINT64_MAX));
    folder.resize(folder.size() > 1 ? folder.find_last_of('/') : 0);
  }
  return least;
}

void look_at_limits(std::optional<pid_t> pid, LimitFacts& limits) {
  std::string const meminfo = contents("/proc/meminfo");
  if (auto const kib = number_in(line_behind(meminfo, "MemTotal:"))) limits.memory_bytes = *kib * 1024;
  std::string const process = pid ? fmt::format("/proc/{}", *pid) : std::string{};
  std::string const table = pid ? contents(process + "/limits") : std::string{};
  if (table.empty()) {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) limits.files_hard = files.rlim_max;
    return;
  }
  limits.is_of_daemon = true;
  limits.files_hard = number_in(second_word(line_behind(table, "Max open files")));
  limits.core_soft = number_in(line_behind(table, "Max core file size"));
  limits.group_bytes = group_limit(process);
  std::string const status = contents(process + "/status");
  if (auto const kib = number_in(line_behind(status, "VmSwap:"))) limits.swapped_bytes = *kib * 1024;
}

void look_at_kernel(KernelFacts& kernel) {
  kernel.somaxconn = setting("/proc/sys/net/core/somaxconn");
  kernel.rmem_max = setting("/proc/sys/net/core/rmem_max");
  kernel.overcommit = setting("/proc/sys/vm/overcommit_memory");
  std::string const pages = contents("/sys/kernel/mm/transparent_hugepage/enabled");
  std::size_t const begin = pages.find('[');
  std::size_t const end = pages.find(']');
  if (begin < end && end != std::string::npos) kernel.huge_pages = pages.substr(begin + 1, end - begin - 1);
}

// The last word of what PROGRAM --version prints; empty if it does not.
std::string version_of(std::string const& program) {
  int const memory = ::memfd_create("version", MFD_CLOEXEC);
  if (memory < 0) return {};
  std::string const output = fmt::format("/proc/self/fd/{}", memory);
  std::string text;
  if (auto child = process::ChildProcess::start("version", {program, "--version"}, output); child.ok()) {
    auto const until = std::chrono::steady_clock::now() + kVersionLimit;
    while (!child->ended() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    if (child->ended() == std::optional{std::string{}}) text = contents(output);
  }
  ::close(memory);
  text.erase(std::min(text.find_last_not_of(kBlanks) + 1, text.size()));
  return text.substr(text.find_last_of(kBlanks) + 1);
}

}  // namespace

std::string contents(std::string const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  std::string out;
  char part[16U << 10U];
  ssize_t got = 0;
  while (out.size() < kContentsMax && (got = ::read(fd, part, sizeof part)) > 0)
    out.append(part, static_cast<std::size_t>(got));
  ::close(fd);
  return out;
}

void look_at_computer(Facts& facts) {
  look_at_clock(facts.clock);
  look_at_limits(facts.daemon.pid, facts.limits);
  look_at_kernel(facts.kernel);
}

void look_at_versions(Request const& wish, Facts& facts) {
  facts.versions.own = wish.version;
  facts.versions.daemon_program = os::installed_daemon();
  if (!facts.versions.daemon_program.empty()) facts.versions.daemon = version_of(facts.versions.daemon_program);
}

}  // namespace fastjournal::doctor
