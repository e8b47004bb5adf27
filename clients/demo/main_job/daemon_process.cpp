#include "clients/demo/main_job/daemon_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <system_error>

namespace fastjournal::main_job {
namespace {

namespace fs = std::filesystem;

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
  process::DaemonStart const start{.program = program,
                                   .config = folder.config(),
                                   .tables = folder.tables(),
                                   .plugins = programs.parent_path() / "plugins",
                                   .data = folder.data(),
                                   .socket = folder.socket(),
                                   .output = folder.output("daemon")};
  auto started = process::Daemon::start(start);
  if (!started.ok()) return started.status();
  return DaemonProcess{std::move(started).value(), start};
}

Status DaemonProcess::start_again() {
  start_.tcp = daemon_.tcp();
  start_.output = start_.output.parent_path() / "daemon-again.out";
  auto started = process::Daemon::start(start_);
  if (!started.ok()) return started.status();
  daemon_ = std::move(started).value();
  return {};
}

}  // namespace fastjournal::main_job
