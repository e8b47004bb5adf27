// The daemon of the main job: its configuration and table, written to the job's folder, and its process.
#pragma once

#include <filesystem>
#include <string>

#include "clients/demo/process/daemon.h"
#include "fastjournal/status.h"

namespace fastjournal::main_job {

// The folder of one run; all its file names are made here.
struct RunFolder {
  std::filesystem::path root;

  [[nodiscard]] std::filesystem::path config() const { return root / "fastjournal.xml"; }
  [[nodiscard]] std::filesystem::path tables() const { return root / "tables.d"; }
  [[nodiscard]] std::filesystem::path data() const { return root / "data"; }
  [[nodiscard]] std::filesystem::path socket() const { return root / "fastjournal.sock"; }
  [[nodiscard]] std::filesystem::path spool() const { return root / "spool"; }
  [[nodiscard]] std::filesystem::path pages() const { return root / "pages.txt"; }
  [[nodiscard]] std::filesystem::path index() const { return root / "index.db"; }
  [[nodiscard]] std::filesystem::path events(std::string const& process) const { return root / (process + ".events"); }
  [[nodiscard]] std::filesystem::path output(std::string const& process) const { return root / (process + ".out"); }
};

// The table `pages` as in conf/tables.d/pages.xml, except that a lost backend is noticed within a second.
[[nodiscard]] std::string const& table_xml();

class DaemonProcess {
 public:
  // Writes configuration and table, starts bin/fastjournald from `programs` with the plugins next to that folder, and
  // waits until it is ready. not_found: there is no such program; unavailable: it ended, with its own words.
  [[nodiscard]] static Result<DaemonProcess> start(std::filesystem::path const& programs, RunFolder const& folder);

  // kill -9, and later again on the same data and addresses. As start; its output goes to a file of its own.
  void kill() { process().kill(); }
  [[nodiscard]] Status start_again();

  [[nodiscard]] std::string const& tcp() const { return daemon_.tcp(); }
  [[nodiscard]] std::string const& local() const { return daemon_.local(); }
  // Its statement about data and durability.
  [[nodiscard]] std::string const& banner() const { return daemon_.banner(); }
  [[nodiscard]] process::ChildProcess& process() { return daemon_.process(); }

 private:
  DaemonProcess(process::Daemon daemon, process::DaemonStart start)
      : daemon_(std::move(daemon)), start_(std::move(start)) {}

  process::Daemon daemon_;
  process::DaemonStart start_;
};

}  // namespace fastjournal::main_job
