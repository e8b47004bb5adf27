// The measured works, in the order of the table in doc/performance.md. Each one runs on every peer in turn, for several
// rounds, with the raw sync rate of the same seconds beside it.
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
  std::uint64_t rows{1'000'000};       // waiting rows in ours, where there should be many
  std::uint64_t peer_rows{50'000};     // the same in the others, some of which insert slowly
  std::uint64_t most_rows{1'000'000};  // most rows where cost may grow with their number
  double lateness_seconds{5};
  std::string only{};  // only rates whose names contain it
  bool quiet{false};
};

// A peer, with the rows that were inserted into it and handed out by it.
struct Contestant {
  std::unique_ptr<Peer> peer;
  Ledger ledger;
};

class Bench {
 public:
  explicit Bench(Settings const& settings) : settings_(settings) {}

  // Inserts, leases, both, merges: on running peers.
  void run_rates(std::vector<Contestant>& contestants);
  // The same inserts by each way into one daemon: TLS, HTTP and unix sockets beside text over TCP, as ratios.
  void run_doors(std::vector<std::unique_ptr<Peer>>& doors);
  // Messages of a queue by SQS, beside the daemon's own HTTP.
  void run_sqs(std::vector<std::unique_ptr<Peer>>& doors);
  // Jobs of one client program at ours, the first one, and at beanstalkd, which keeps them in three ways.
  void run_tubes(std::vector<Contestant>& contestants);
  // Memory, disk, dates, start after kill -9: starts each peer itself. `own_rows`: waiting rows in ours; the others
  // have Settings::peer_rows.
  void run_at_rest(std::vector<std::unique_ptr<Peer>>& peers, std::uint64_t own_rows);
  // How cost grows with the number of rows and tables; only ours.
  void run_growth();

  [[nodiscard]] std::vector<Line> const& lines() const { return lines_; }
  // Rows lost or handed out twice, and answers that never came.
  [[nodiscard]] std::uint64_t faults() const { return faults_; }

 private:
  struct Named {
    char const* group;
    char const* name;
    Plan plan;
    char const* aim;        // of fastjournal by text over TCP
    bool sync_each{false};  // the ratio to the raw sync rate is meaningful
  };

  void measure(Peer& peer, Ledger& ledger, Named const& named);
  void stock(Contestant& contestant, std::uint64_t rows);
  void drain(Peer& peer, Ledger& ledger);
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
