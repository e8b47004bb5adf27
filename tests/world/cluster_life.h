// Random lives of three whole daemons that share a log on a simulated etcd, and of their clients. Producers insert rows
// with client and sequence and send again what was not answered, to whichever node; workers take rows and finish them;
// readers ask. Daemons are killed, stopped and started, owners step down; members of etcd, links and answers fail.
//
// What must hold, whatever happens:
//   - a row whose INSERT was acknowledged is there until its DONE was sent, at every node that answers
//   - a row whose DONE was acknowledged is never seen again, and none is inserted twice
//   - no row is handed to two workers under one epoch, and epochs of a row rise
//   - a DONE is not acknowledged once the row was handed to another worker
//   - values that are set and read under a few keys are linearizable (register_history.h)
//   - no two daemons answer for the table at the same time
// At the end, when nothing fails any more, one node owns the log soon, the others have the same state as it has, and
// every row that was acknowledged and not finished is handed out once.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct ClusterLifeResult {
  std::string wrong{};  // empty: nothing
  std::uint64_t inserted{0};
  std::uint64_t done{0};
  std::uint64_t resent{0};  // commands whose first answer did not come
  std::uint64_t moved{0};   // answers that named another node
  std::uint64_t read{0};
  std::uint64_t values{0};  // set or read
  std::uint64_t owners{0};
  std::uint64_t kills{0};
  std::uint64_t stops{0};
};

[[nodiscard]] ClusterLifeResult live_in_cluster(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::sim
