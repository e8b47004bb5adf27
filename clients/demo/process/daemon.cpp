#include "clients/demo/process/daemon.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "clients/demo/process/line_reader.h"

namespace fastjournal::process {
namespace {

constexpr std::chrono::milliseconds kLook{5};
constexpr std::chrono::seconds kReadyLimit{30};

}  // namespace

Result<Daemon> Daemon::start(DaemonStart const& start) {
  auto started = ChildProcess::start(
      "daemon",
      {start.program, "--config", start.config, "--tables", start.tables, "--plugins", start.plugins, "--data",
       start.data, "--listen", start.tcp, "--listen", "unix:" + start.socket.string()},
      start.output);
  if (!started.ok()) return started.status();
  Daemon daemon{std::move(started).value()};
  if (Status ready = daemon.wait_until_ready(start.stop); !ready.ok()) return ready;
  return daemon;
}

// True for the last line of a start.
bool Daemon::take_line(std::string_view line) {
  constexpr std::string_view kListening = "listening ";
  if (line.starts_with(kListening)) {
    line.remove_prefix(kListening.size());
    line = line.substr(0, line.rfind(" ("));  // what is spoken there follows; a path may have blanks
    (line.starts_with("unix:") ? local_ : tcp_) = line;
  }
  if (line.starts_with("data ") || line.starts_with("durability "))
    banner_.append(banner_.empty() ? "" : "\n").append(line);
  return line == "ready";
}

Status Daemon::wait_until_ready(std::function<bool()> const& stop) {
  LineReader lines(process_.output());
  auto const until = std::chrono::steady_clock::now() + kReadyLimit;
  while (std::chrono::steady_clock::now() < until) {
    if (stop && stop()) return {Code::timed_out, "stopped while the daemon was starting"};
    std::optional<std::string> const end = process_.ended();
    bool ready = false;
    if (Status read = lines.read([&](std::string_view line) { ready = take_line(line) || ready; }); !read.ok())
      return read;
    if (ready && !tcp_.empty() && !local_.empty()) return {};
    if (end)
      return {Code::unavailable,
              fmt::format("the daemon did not start ({}):\n{}", *end, last_lines(process_.output()))};
    std::this_thread::sleep_for(kLook);
  }
  return {Code::timed_out,
          fmt::format("the daemon was not ready within {} s:\n{}", kReadyLimit.count(), last_lines(process_.output()))};
}

}  // namespace fastjournal::process
