// Chance from the kernel, for what nobody else may know or guess.
#pragma once

#include <cstdint>

namespace fastjournal::os {

// 64 bits of getrandom(2). Waits only on a computer that has just begun to boot.
[[nodiscard]] std::uint64_t random_bits();

}  // namespace fastjournal::os
