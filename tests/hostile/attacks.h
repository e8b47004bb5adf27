// What is done to the daemon: each attack with its own daemon, so that each figure is its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/hostile/victim.h"

namespace fastjournal::hostile {

// How much of it.
struct Scale {
  bool full{false};
  [[nodiscard]] std::uint64_t pick(std::uint64_t small, std::uint64_t whole) const { return full ? whole : small; }
};

// Of one attack: what it did, and what went wrong beside what every attack is judged by.
struct Outcome {
  std::string did{};
  std::string wrong{};
};

struct Attack {
  std::string name;                        // one word, for --only
  std::string what;                        // for people
  std::string configuration{};             // in <fastjournal>
  std::function<void(Victim&)> prepare{};  // before the start: tables
  std::function<Outcome(Victim&, Scale)> run{};
  std::uint64_t peak_mib_max{0};  // of resident memory, where the attack is on memory; 0: any
  bool witness_is_local{false};   // the honest client comes by the administrator's socket
};

[[nodiscard]] std::vector<Attack> all_attacks();

}  // namespace fastjournal::hostile
