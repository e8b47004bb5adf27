// The daemon of the main job: its configuration and table, written to the job's folder, and its process.
#pragma once

#include <filesystem>
#include <string>

#include "clients/main_job/child_process.h"
#include "fastjournal/status.h"

namespace fastjournal::main_job {

// The folder of one run; all its file names are made here.
struct RunFolder {
  std::filesystem::path root;

  [[nodiscard]] std::filesystem::path config() const { return root / "fastjournal.xml"; }
  [[nodiscard]] std::filesystem::path tables() const { return root / "tables.d"; }
  [[nodiscard]] std::filesystem::path data() const { return root / "data"; }
  [[nodiscard]] std::filesystem::path socket() const { return root / "fastjournal.sock"; }
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

  [[nodiscard]] std::string const& tcp() const { return tcp_; }
  [[nodiscard]] std::string const& local() const { return local_; }
  // Its statement about data and durability.
  [[nodiscard]] std::string const& banner() const { return banner_; }
  [[nodiscard]] ChildProcess& process() { return process_; }

 private:
  explicit DaemonProcess(ChildProcess process) : process_(std::move(process)) {}
  [[nodiscard]] Status wait_until_ready();
  bool take_line(std::string_view line);

  ChildProcess process_;
  std::string tcp_;
  std::string local_;
  std::string banner_;
};

}  // namespace fastjournal::main_job
