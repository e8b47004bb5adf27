// One random life of a spool folder, its producers, its forwarder and a daemon, in the simulator. Producers save rows of
// four tables with unique ids and keys that come again, are killed in the middle of a row, are slow, sync or do not.
// The forwarder is killed between any two calls of its folder, which also fail. The power of its computer is cut, its
// disk is full, bytes are damaged, its clock is set forward and back. The daemon is killed, loses power, is full, slow,
// away for an hour, drains its tables, and declares one of them late. Connections end anywhere. In half of the lives it is
// three nodes that share two of the tables and decide for them in turn (spool_site.h), and a node loses power. Everything
// is drawn from one seed. In the end all is well again, and the following is held against what the daemon has:
//
//   - a row whose save was acknowledged counts once: its id is once among those that merged into its key, and the sum
//     of its column is the number of these;
//   - or its bytes were damaged, or lost in a power cut: then it counts once or never. A row whose save was not
//     acknowledged, too;
//   - a row that no daemon takes is among those set aside, with the right code, and no other row is;
//   - of rows with a date of their own, the latest of a key counts;
//   - within two minutes all rows are there, and within two periods nothing is left in the folder;
//   - nothing is erased that is not kept, and no file is deleted that a producer has (sim_folder.h).
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct SpoolLifeResult {
  std::string wrong;  // empty, or the step and what was expected
  std::uint64_t steps{0};
  std::uint64_t saved{0};       // acknowledged
  std::uint64_t unsure{0};      // rows that may count or not
  std::uint64_t lost{0};        // of these, and acknowledged: those that do not
  std::uint64_t refused{0};     // saves
  std::uint64_t answers{0};     // of the daemon
  std::uint64_t duplicates{0};  // rows that it knew
  std::uint64_t moves{0};       // answers of nodes that do not decide
  std::uint64_t held{0};        // writes of held rows
  std::uint64_t set_aside{0};
  std::uint64_t dead_producers{0};
  std::uint64_t dead_forwarders{0};
  std::uint64_t power_cuts{0};  // of the spool's computer
  std::uint64_t dead_daemons{0};
  std::uint64_t lost_connections{0};
  std::uint64_t full_disks{0};
  std::uint64_t damages{0};
  std::uint64_t clock_steps{0};
  std::uint64_t fast_rows{0};  // dates ahead of the daemon's clock
  std::uint64_t outages{0};

  [[nodiscard]] std::uint64_t crashes() const { return dead_producers + dead_forwarders + power_cuts + dead_daemons; }
  void add(SpoolLifeResult const& other);
};

[[nodiscard]] SpoolLifeResult live_with_spool(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::sim
