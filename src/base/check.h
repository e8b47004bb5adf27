// Assertions on what only the program itself can do wrong. On in release
// builds too: a broken invariant in a store must stop it, not be written down.
#pragma once

namespace fastjournal {

// Prints "file:line: what" to standard error and aborts.
[[noreturn]] void fail_check(char const* file, int line, char const* what);

}  // namespace fastjournal

#define FJ_CHECK(condition, what)                                              \
  do {                                                                         \
    if (!(condition)) [[unlikely]]                                             \
      ::fastjournal::fail_check(__FILE__, __LINE__, what " (" #condition ")"); \
  } while (false)
