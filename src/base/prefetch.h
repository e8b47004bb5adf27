// Requests memory that is needed soon.
#pragma once

namespace fastjournal {

inline void prefetch(void const* at) {
  __builtin_prefetch(at);
  // Without this, GCC takes a function that only prefetches for one without effects, and drops its calls.
  asm volatile("");
}

}  // namespace fastjournal
