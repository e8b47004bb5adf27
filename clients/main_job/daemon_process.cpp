#include "clients/main_job/daemon_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <system_error>
#include <thread>

#include "clients/main_job/event.h"

namespace fastjournal::main_job {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLook{5};
constexpr std::chrono::seconds kReadyLimit{30};

Status write_file(fs::path const& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? Status{} : Status{Code::io_error, fmt::format("cannot write {}", path.string())};
}

Status write_configuration(RunFolder const& folder) {
  std::error_code error;
  fs::create_directories(folder.tables(), error);
  if (error) return {Code::io_error, fmt::format("create {}: {}", folder.tables().string(), error.message())};
  if (Status wrote = write_file(folder.config(), "<fastjournal/>\n"); !wrote.ok()) return wrote;
  return write_file(folder.tables() / "pages.xml", table_xml());
}

}  // namespace

std::string const& table_xml() {
  static std::string const kXml =
      R"(<table name="pages" model="journal" row-key="uri">
  <schema>
    <column name="uri" type="string" required="true"/>
    <column name="title" type="string"/>
    <column name="touched_by" type="string"/>
    <column name="size" type="uint64" merge="max"/>
  </schema>
  <!-- A backend that died gives its rows back after the grace; one that hangs, after the processing-timeout. -->
  <grace>1s</grace>
  <processing-timeout>10s</processing-timeout>
  <back-off-first>500ms</back-off-first>
</table>
)";
  return kXml;
}

Result<DaemonProcess> DaemonProcess::start(fs::path const& programs, RunFolder const& folder) {
  fs::path const program = programs / "fastjournald";
  if (::access(program.c_str(), X_OK) != 0)
    return Status{Code::not_found, fmt::format("there is no daemon beside this program ({}): build it with ./mk build",
                                               program.string())};
  if (Status wrote = write_configuration(folder); !wrote.ok()) return wrote;
  auto started = ChildProcess::start("daemon",
                                     {program, "--config", folder.config(), "--tables", folder.tables(), "--plugins",
                                      programs.parent_path() / "plugins", "--data", folder.data(), "--listen",
                                      "127.0.0.1:0", "--listen", "unix:" + folder.socket().string()},
                                     folder.output("daemon"));
  if (!started.ok()) return started.status();
  DaemonProcess daemon{std::move(started).value()};
  if (Status ready = daemon.wait_until_ready(); !ready.ok()) return ready;
  return daemon;
}

// True for the last line of a start.
bool DaemonProcess::take_line(std::string_view line) {
  constexpr std::string_view kListening = "listening ";
  if (line.starts_with(kListening)) {
    line.remove_prefix(kListening.size());
    (line.starts_with("unix:") ? local_ : tcp_) = line;
  }
  if (line.starts_with("data ") || line.starts_with("durability "))
    banner_.append(banner_.empty() ? "" : "\n").append(line);
  return line == "ready";
}

Status DaemonProcess::wait_until_ready() {
  LineReader lines(process_.output());
  auto const until = std::chrono::steady_clock::now() + kReadyLimit;
  while (std::chrono::steady_clock::now() < until) {
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

}  // namespace fastjournal::main_job
