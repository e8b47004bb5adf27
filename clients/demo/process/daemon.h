// A daemon that a program starts for itself, on loopback and a unix socket, and that ends with it: of the main job and
// of `fastjournal bench`.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/demo/process/child_process.h"
#include "fastjournal/status.h"

namespace fastjournal::process {

// All paths are absolute.
struct DaemonStart {
  std::filesystem::path program;
  std::filesystem::path config;
  std::filesystem::path tables;
  std::filesystem::path plugins;
  std::filesystem::path data;
  std::filesystem::path socket;
  std::filesystem::path output;    // of both streams
  std::string tcp{"127.0.0.1:0"};  // port 0: the system chooses
  std::function<bool()> stop{};    // asked while it starts
};

class Daemon {
 public:
  // Returns when it is ready. unavailable: it ended, with its own words; timed_out: it is not ready after 30 s, or
  // `stop` said so.
  [[nodiscard]] static Result<Daemon> start(DaemonStart const& start);

  [[nodiscard]] std::string const& tcp() const { return tcp_; }
  [[nodiscard]] std::string const& local() const { return local_; }
  // Its statement about data and durability.
  [[nodiscard]] std::string const& banner() const { return banner_; }
  [[nodiscard]] ChildProcess& process() { return process_; }

 private:
  explicit Daemon(ChildProcess process) : process_(std::move(process)) {}
  [[nodiscard]] Status wait_until_ready(std::function<bool()> const& stop);
  bool take_line(std::string_view line);

  ChildProcess process_;
  std::string tcp_;
  std::string local_;
  std::string banner_;
};

}  // namespace fastjournal::process
