// The options of a queue table as numbers, read once from the declaration: names and defaults stand in queue.xml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "plugins/rows/attempts.h"
#include "plugins/rows/lease_times.h"
#include "plugins/rows/table_type.h"
#include "plugins/rows/timers.h"

namespace fastjournal::queue {

// The smallest body that is worth a place in a file.
inline constexpr std::uint64_t kSpillMin = 16U << 10U;

struct Options {
  std::vector<std::string> queues;  // that the table has, sorted
  bool creates{false};              // a queue that is named and not there is made
  rows::LeaseTimes times;           // durations are ms
  rows::AttemptRules attempts{.keeps_place = true};
  rows::Lifetimes lifetimes;
  std::uint32_t max_deliveries{20};  // 0: never the last
  std::size_t queues_max{10'000};
  std::uint64_t messages_max{0};  // 0: no limit
  std::uint64_t message_bytes_max{64U << 20U};
  std::uint64_t memory_max{0};          // bytes; 0: no limit
  std::uint64_t memory_per_message{0};  // larger bodies are kept in files; 0: none
  std::uint64_t memory_per_queue{0};    // 0: no limit
  std::size_t clients_max{100'000};

  [[nodiscard]] static std::span<rows::NamedOption<Options> const> all();
  // Checks that the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
  [[nodiscard]] bool declares(std::string_view queue) const;
  // Its first use makes a queue of this name.
  [[nodiscard]] bool makes(std::string_view queue) const { return creates || declares(queue); }
};

}  // namespace fastjournal::queue
