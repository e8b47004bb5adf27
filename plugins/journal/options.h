// The options of a journal as numbers, read once from the declaration: names
// and defaults stand in journal.xml.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::journal {

struct Options {
  std::int64_t processing_timeout{3'600'000};  // durations are ms
  std::int64_t processing_timeout_min{0};
  std::int64_t processing_timeout_max{0};
  std::int64_t grace{10'000};
  std::uint8_t max_timeouts{5};
  std::uint8_t max_attempts{25};  // 0: no limit of its own
  std::uint8_t max_lifetime_timeouts{100};
  bool delete_failed{false};
  std::int64_t keep_parked{0};  // 0: for ever
  std::int64_t back_off_first{1000};
  std::int64_t back_off_factor{2};
  std::int64_t back_off_max{600'000};
  std::int64_t back_off_jitter{10};  // percent
  std::int64_t max_postpone{3'600'000};
  std::uint64_t rows_max{0};    // 0: no limit
  std::uint64_t memory_max{0};  // bytes; 0: no limit
  std::int64_t client_keep{604'800'000};
  std::size_t clients_max{100'000};
  std::uint32_t pause_after_failures{0};  // 0: never

  [[nodiscard]] static Options read(TableDeclaration const& declaration);
  // Checks of two options together, which the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;

  // So many attempts in a row's life that an alert is raised, well before it is given up.
  [[nodiscard]] std::uint8_t weary_from() const {
    return static_cast<std::uint8_t>(std::max(1, (max_lifetime_timeouts + 1) / 2));
  }
  // How long a row rests after its n-th attempt (from 0), with jitter: a hash of row and lease epoch, as the core has
  // no randomness.
  [[nodiscard]] std::int64_t back_off(unsigned attempts, ObjectId row, LeaseEpoch epoch) const;
};

}  // namespace fastjournal::journal
