// Several daemons that share a log on a simulated etcd, with one time. Tables `own` and `values` (tests/transcripts)
// are in the shared log, table `jobs` of each in a log of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "log/etcd/etcd_log.h"
#include "tests/sim/sim_etcd.h"
#include "tests/world/world.h"

namespace fastjournal::sim {

class ClusterOfWorlds {
 public:
  static constexpr std::size_t kWorlds = 3;
  static constexpr std::size_t kNone = SIZE_MAX;

  explicit ClusterOfWorlds(EtcdOptions options);

  [[nodiscard]] World& world(std::size_t at) { return *nodes_[at]->world; }
  [[nodiscard]] EtcdCluster& etcd() { return etcd_; }
  // What the node's daemon holds of etcd; of one that runs.
  [[nodiscard]] EtcdSession& session(std::size_t at) { return *nodes_[at]->session; }
  [[nodiscard]] log::etcd::EtcdLog& log(std::size_t at) { return *nodes_[at]->log; }
  [[nodiscard]] engine::HostedLog& hosted(std::size_t at);
  // The node's address, as clients are told it: "node-0".
  [[nodiscard]] static std::string address(std::size_t at) { return "node-" + std::to_string(at); }
  [[nodiscard]] static std::size_t at_address(std::string_view address);

  [[nodiscard]] bool is_up(std::size_t at) const { return nodes_[at]->world->is_running() && !nodes_[at]->is_stopped; }
  [[nodiscard]] bool is_stopped(std::size_t at) const { return nodes_[at]->is_stopped; }
  [[nodiscard]] Status start(std::size_t at) { return nodes_[at]->world->start(); }
  void kill(std::size_t at, bool is_power_cut);
  // SIGSTOP and SIGCONT.
  void stop(std::size_t at);
  void resume(std::size_t at);
  // So many milliseconds pass for all.
  void pass(std::int64_t ms);
  // Whose tables serve; kNone: nobody's.
  [[nodiscard]] std::size_t owner();
  // Until somebody's do, at most so long.
  std::size_t wait_for_owner(std::int64_t ms_max = 20'000);

 private:
  struct Node {
    std::unique_ptr<World> world;
    bool is_stopped{false};
    EtcdSession* session{nullptr};  // of the running daemon,
    log::etcd::EtcdLog* log{nullptr};
  };
  [[nodiscard]] std::shared_ptr<log::SharedLog> make_log(std::size_t at, log::Following& following);

  std::uint64_t seed_;
  EtcdCluster etcd_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace fastjournal::sim
