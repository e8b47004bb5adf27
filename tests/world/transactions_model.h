// Random commands of four clients, alone, in local transactions and in branches of distributed ones, against the whole
// core and against a reference (transactions_reference.h): every answer is the one that was expected, and so is what is
// there afterwards, over kills and power cuts. The tables are in one log, two or three.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct TransactionsModelResult {
  std::string wrong{};  // empty: all was as expected
  std::uint64_t steps{0};
  std::uint64_t committed{0};
  std::uint64_t refused{0};  // answers that were errors, as expected
  std::uint64_t crashes{0};
};

[[nodiscard]] TransactionsModelResult model_transactions(std::uint64_t seed, std::uint64_t steps);

}  // namespace fastjournal::sim
