// A random life of a simulated etcd: clients that append under keys with comparisons, read, hold leases, watch,
// compact, stop and die, while members and messages fail. Its history is checked (history.h).
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/sim_etcd.h"
#include "tests/unit/sim_etcd/history.h"

namespace fastjournal::sim {

struct LifeOptions {
  std::uint64_t seed{1};
  EtcdFaults faults{EtcdFaults::all()};
  bool has_quota{false};  // a small one, and an operator who acts
  std::int64_t span_us{10'000'000};
};
struct LifeResult {
  std::string wrong{};  // empty: nothing
  HistoryCounts counts{};
  std::array<std::uint64_t, kEtcdFaults> faults{};
  std::size_t asked{0};
};

[[nodiscard]] LifeResult live(LifeOptions const& options);

}  // namespace fastjournal::sim
