// The works that are measured, in the order of the table at the end of the
// journal's design: each runs on every peer in turn, several rounds, with the raw
// sync rate of the same seconds beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/driver.h"
#include "tests/bench/peer.h"
#include "tests/bench/report.h"

namespace fastjournal::bench {

struct Settings {
  double seconds{0.6};
  std::uint32_t rounds{2};
  std::uint64_t rows{1'000'000};       // that wait, in ours, where many are wanted
  std::uint64_t peer_rows{50'000};     // in the others: some take them slowly
  std::uint64_t most_rows{1'000'000};  // where cost grows with rows
  double lateness_seconds{5};
  std::string only{};  // rates whose names contain it
  bool quiet{false};
};

// A peer with what was inserted into it and handed out by it.
struct Contestant {
  std::unique_ptr<Peer> peer;
  Ledger ledger;
};

class Bench {
 public:
  explicit Bench(Settings const& settings) : settings_(settings) {}

  // Inserts, leases, both, merges: on running peers.
  void run_rates(std::vector<Contestant>& contestants);
  // Memory, disk, dates, start after kill -9: starts each peer itself.
  // `own_rows`: that wait in ours; in the others Settings::peer_rows.
  void run_at_rest(std::vector<std::unique_ptr<Peer>>& peers, std::uint64_t own_rows);
  // How cost grows with rows and tables: ours alone.
  void run_growth();

  [[nodiscard]] std::vector<Line> const& lines() const { return lines_; }
  // Rows lost or handed out twice, answers that never came.
  [[nodiscard]] std::uint64_t faults() const { return faults_; }

 private:
  struct Named {
    char const* group;
    char const* name;
    Plan plan;
    char const* aim;        // of fastjournal by text over TCP
    bool sync_each{false};  // the ratio to the raw sync rate is of interest
  };

  void measure(Contestant& contestant, Named const& named);
  void stock(Contestant& contestant, std::uint64_t rows);
  void drain(Contestant& contestant);
  void measure_merges(Contestant& contestant);
  void measure_wait(Peer& peer, Ledger& ledger, std::uint64_t waiting);
  [[nodiscard]] double raw_syncs(std::filesystem::path const& folder);
  Line& line(std::string const& group, std::string const& work, std::string const& peer, std::string const& unit);
  void fault(Peer const& peer, std::uint64_t count, std::string_view what);
  void say(std::string const& what) const;

  Settings settings_;
  std::vector<Line> lines_;
  std::uint64_t faults_{0};
  double best_syncs_{0};
};

}  // namespace fastjournal::bench
