// A computer with a spool folder beside a simulated daemon: the real forwarder on a simulated folder
// (tests/support/spool), and its connection over the simulated network, as msgpack frames whose answers come in order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "spool/forwarder.h"
#include "tests/support/spool/sim_folder.h"
#include "tests/world/world.h"

namespace fastjournal::sim {

class SpoolSite final : public spool::Link {
 public:
  SpoolSite(World& world, std::uint64_t seed, spool::ForwarderRules rules);
  SpoolSite(SpoolSite const&) = delete;
  SpoolSite& operator=(SpoolSite const&) = delete;
  ~SpoolSite() override = default;

  [[nodiscard]] SimFolder& folder() { return folder_; }
  [[nodiscard]] spool::Forwarder& forwarder() { return *forwarder_; }
  [[nodiscard]] TimeMs now() { return TimeMs{world_.clock().wall_us() / 1000}; }

  // The forwarder is killed, and started again.
  void restart();
  // No-op while the daemon does not run.
  void connect();
  // The connection ends. What was sent may have arrived, or not.
  void disconnect(bool arrives);
  void run();
  // At most so many bytes each way, in frames or parts of them. The daemon works in between.
  void carry(std::size_t to_daemon, std::size_t to_forwarder);
  // Turns of everything every 100 ms, for so long.
  void pass(std::int64_t ms);
  // The same until nothing is left in the folder, at most for so long. True: nothing is left.
  [[nodiscard]] bool drain(std::int64_t ms_max);

  [[nodiscard]] std::uint64_t restarts() const { return restarts_; }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::string const& wrong() const { return wrong_.empty() ? folder_.wrong() : wrong_; }
  // While it is set, connect() does nothing.
  bool is_cut_off{false};

 private:
  [[nodiscard]] bool is_up() const override { return connection_ != ConnectionId::none; }
  void send(Message const& insert, std::string_view, std::uint64_t number) override;
  [[nodiscard]] bool is_alive();
  void hear();

  World& world_;
  SimFolder folder_;
  spool::ForwarderRules rules_;
  std::mt19937_64 chance_;
  std::unique_ptr<spool::Forwarder> forwarder_;
  ConnectionId connection_{ConnectionId::none};
  std::string out_;  // not sent so far
  std::string in_;   // not whole so far
  std::deque<std::uint64_t> waiting_;
  std::map<std::pair<std::string, std::string>, std::int64_t> highest_;  // number that was sent, by table and client
  std::uint64_t restarts_{0};
  std::uint64_t answers_{0};
  std::uint64_t duplicates_{0};
  std::string wrong_;
};

}  // namespace fastjournal::sim
