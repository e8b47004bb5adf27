// A computer with a spool folder beside a simulated daemon: the real forwarder on a simulated folder
// (tests/support/spool), and its connections over the simulated network, as msgpack frames whose answers come in order.
//
// The daemon may have three doors, as nodes of a cluster that share what one log has. Of the shared tables one node
// decides, or nobody; the other doors answer `moved` or `unavailable` themselves. The third node is known only from
// `moved`. Tables that are not shared are at the first door alone.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clients/spool/core/forwarder.h"
#include "clients/spool/core/routes.h"
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

  // A row that lost its date, by its id, has arrived.
  std::function<void(std::string const&)> on_undated{};

  // From the next start of the forwarder on. These tables are shared, and the first node decides.
  void have_nodes(std::set<std::string> shared);
  static constexpr std::size_t kNodes = 3;
  static constexpr std::size_t kNobody = kNodes;
  void set_owner(std::size_t node);
  // It has no power, or has it again.
  void set_away(std::size_t node, bool is_away);
  [[nodiscard]] std::uint64_t moves() const { return moves_; }  // answers

 private:
  struct Frame {
    std::uint64_t number;
    std::string table;
    std::string id;
    std::string bytes;
    bool is_undated{false};  // it had a date when it was sent before
  };
  // What it has begun to carry over, and how a door answers by itself; ok: the daemon does.
  struct Waiting {
    std::uint64_t number;
    std::string table;
    std::string id;
    Status refusal;
  };
  struct Node {
    ConnectionId connection{ConnectionId::none};
    std::deque<Frame> out{};  // not sent so far
    std::size_t out_from{0};  // of the first one: its beginning was sent
    std::string in{};         // not whole so far
    std::deque<Waiting> waiting{};
    bool is_away{false};
  };

  [[nodiscard]] bool is_up() const override;
  [[nodiscard]] bool is_up(std::size_t node) const { return nodes_[node].connection != ConnectionId::none; }
  void send(Message const& insert, std::string_view, std::uint64_t number) override;
  [[nodiscard]] bool is_alive(std::size_t node);
  [[nodiscard]] Status door(std::size_t node, std::string const& table) const;
  void give(std::size_t node, std::size_t bytes_max);
  void carry(std::size_t node, std::size_t to_daemon, std::size_t to_forwarder);
  void hang_up(std::size_t node, bool arrives);
  void lose(std::size_t node, bool arrives);
  // False: no more now.
  [[nodiscard]] bool hear(std::size_t node);

  World& world_;
  SimFolder folder_;
  spool::ForwarderRules rules_;
  std::mt19937_64 chance_;
  std::unique_ptr<spool::Forwarder> forwarder_;
  std::vector<Node> nodes_{1};
  std::optional<spool::Routes> routes_;
  std::set<std::string> shared_;
  std::size_t owner_{0};
  std::uint64_t token_{1};
  std::uint64_t moves_{0};
  std::map<std::string, std::size_t> told_;  // tables whose owner was the last that was heard of them
  std::map<std::pair<std::string, std::string>, std::int64_t> highest_;  // number that was sent, by table and client
  std::set<std::string> dated_;                                          // ids of rows that were sent with a date
  std::string ahead_;  // the id of the row whose date is being refused
  std::uint64_t restarts_{0};
  std::uint64_t answers_{0};
  std::uint64_t duplicates_{0};
  std::string wrong_;
};

}  // namespace fastjournal::sim
