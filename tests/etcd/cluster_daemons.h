// Daemons that share a log on real etcd nodes: each with its folder and address, started, killed and stopped by the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/etcd/etcd_nodes.h"
#include "tests/support/child_process.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::test {

class ClusterDaemons {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  // Table `work` is in the shared log, table `own` of each in a log with files. `lease_s`: of the shared one. `ahead_ms`: by
  // so much the wall clock of each is ahead of this computer's; empty: they have that one.
  ClusterDaemons(EtcdNodes const& etcd, std::size_t count, int lease_s = 2, std::vector<std::int64_t> ahead_ms = {})
      : ClusterDaemons(std::vector<std::string>(count, etcd.urls()), lease_s, std::move(ahead_ms)) {}
  // Where each of them finds etcd.
  explicit ClusterDaemons(std::vector<std::string> const& etcd, int lease_s = 2,
                          std::vector<std::int64_t> ahead_ms = {});

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::string const& address(std::size_t at) const { return addresses_[at]; }
  // All of them, with commas, for clients.
  [[nodiscard]] std::string addresses() const;
  [[nodiscard]] std::size_t index_of(std::string_view address) const;
  // Its file of this table names this log from the next RELOAD on.
  void declare(std::size_t at, std::string const& table, std::string const& log) const;
  // Waits until it is ready; throws if it ended.
  void start(std::size_t at);
  void kill(std::size_t at);
  [[nodiscard]] pid_t pid(std::size_t at) const { return nodes_[at]->pid(); }
  void signal(std::size_t at, int signal) { nodes_[at]->kill(signal); }
  [[nodiscard]] bool is_running(std::size_t at) const { return nodes_[at] != nullptr; }
  // A clean end, with SIGTERM. Its exit code.
  int end(std::size_t at);
  // Its administrator's socket.
  [[nodiscard]] std::string socket(std::size_t at) const { return "unix:" + (folder_ / name(at) + "/admin.sock"); }
  [[nodiscard]] std::string output(std::size_t at) const;
  // As the daemon at `asked` says; kNone: nobody, or it does not answer. At most a second.
  [[nodiscard]] std::size_t owner(std::size_t asked) const;
  // As whoever runs says.
  [[nodiscard]] std::size_t owner() const;
  std::size_t wait_for_owner() const;
  // What the daemon `asked` knows of the one `at`: bytes behind the first one; -1: it is not there.
  [[nodiscard]] std::int64_t behind(std::size_t asked, std::size_t at) const;
  // False: not within 30 s.
  [[nodiscard]] bool becomes_behind(std::size_t asked, std::size_t at, std::int64_t wanted) const;

 private:
  [[nodiscard]] static std::string name(std::size_t at) { return "d" + std::to_string(at); }

  TemporaryFolder folder_;
  std::vector<std::string> addresses_;
  std::vector<std::int64_t> ahead_ms_;
  std::vector<std::unique_ptr<ChildProcess>> nodes_;
};

}  // namespace fastjournal::test
