// Numbers that a run of tests gets from its environment. Random tests take their seed from FJ_SEED and print it.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace fastjournal::test {

// The number in this variable; `otherwise` if it is not set or empty.
[[nodiscard]] inline std::uint64_t number_from(char const* name, std::uint64_t otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

[[nodiscard]] inline std::uint64_t seed_or(std::uint64_t otherwise) { return number_from("FJ_SEED", otherwise); }

}  // namespace fastjournal::test
