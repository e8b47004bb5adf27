// What connections cost that say nothing: memory of the daemon for each, and what an honest client notices of thousands
// of them. Two daemons are asked in turn, one of them with the idle connections, so that both see the same machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/hostile/victim.h"

namespace fastjournal::hostile {

struct IdlePlan {
  std::uint64_t connections{10'000};
  std::uint32_t rounds{5};
  double seconds{0.5};  // of one measurement
};

// Medians over the rounds.
struct Pace {
  double per_second{0};
  double p50_us{0};
  double p99_us{0};
  double processor_us{0};  // of the daemon's loop, for each answer: other programs hardly change it
};

struct IdleFigure {
  std::string kind{};         // of the idle connections
  double bytes_each{0};       // of the daemon's resident memory
  double processor_share{0};  // of one processor, while nobody says anything
  Pace insert_alone{};        // one honest client inserts, waiting for each answer
  Pace insert_beside{};       // ... beside them
  Pace alive_alone{};         // the same with a command that needs no sync
  Pace alive_beside{};
  std::string wrong{};
};

// Throws std::runtime_error where this process may not have so many descriptors.
[[nodiscard]] std::vector<IdleFigure> measure_idle(Programs const& programs, IdlePlan const& plan);
[[nodiscard]] std::string as_table(std::vector<IdleFigure> const& figures, IdlePlan const& plan);

}  // namespace fastjournal::hostile
