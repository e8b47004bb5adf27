// Random bits from the kernel, for secret values.
#pragma once

#include <cstdint>

namespace fastjournal::os {

// 64 bits of getrandom(2). Waits only on a computer that is still booting.
[[nodiscard]] std::uint64_t random_bits();

}  // namespace fastjournal::os
