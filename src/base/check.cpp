#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace fastjournal {

void fail_check(char const* file, int line, char const* what) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
  std::abort();
}

}  // namespace fastjournal
