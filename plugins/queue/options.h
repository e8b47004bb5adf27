// The options of a queue table, and what follows from them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/declaration.h"
#include "fastjournal/status.h"
#include "plugins/queue/made.h"
#include "plugins/queue/records.h"
#include "plugins/rows/rules.h"

namespace fastjournal::queue {

// The smallest body that is worth a place in a file.
inline constexpr std::uint64_t kSpillMin = 16U << 10U;

struct Options : made::Options {
  std::vector<std::string> declared;  // the queues that it names, sorted

  void complete();
  // Checks that the loader cannot make: ok, or the problem.
  [[nodiscard]] Status check(TableDeclaration const& declaration) const;
  [[nodiscard]] bool declares(std::string_view queue) const;
  [[nodiscard]] std::uint32_t priority_max() const { return priorities == 32 ? UINT32_MAX : UINT8_MAX; }
  // Ok, or it is more than the table takes.
  [[nodiscard]] Status check_priority(std::uint32_t priority) const;
  // Of a lease that a message brings.
  [[nodiscard]] Status check_lease(std::int64_t lease) const;
  [[nodiscard]] Settings of_made_queue() const;
  [[nodiscard]] rows::Rules rules() const;
  // Its first use makes a queue of this name.
  [[nodiscard]] bool makes(std::string_view queue) const { return create_queues || declares(queue); }
};

}  // namespace fastjournal::queue
