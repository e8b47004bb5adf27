#include "platform/os/random.h"

#include <sys/random.h>

#include "base/check.h"

namespace fastjournal::os {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  // Up to 256 bytes are returned whole; a signal can interrupt the call only before the kernel's pool is ready.
  ssize_t got = -1;
  for (int tries = 0; got < 0 && tries < 1000; ++tries) got = ::getrandom(&bits, sizeof bits, 0);
  FJ_CHECK(got == sizeof bits, "the kernel has chance for everybody");
  return bits;
}

}  // namespace fastjournal::os
