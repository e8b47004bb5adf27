// Asks for memory that will be needed soon.
#pragma once

namespace fastjournal {

inline void prefetch(void const* at) {
  __builtin_prefetch(at);
  // Without it GCC takes every function that only prefetches for one that does nothing, and drops its calls.
  asm volatile("");
}

}  // namespace fastjournal
