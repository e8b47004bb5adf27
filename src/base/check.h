// Assertions for errors of programming. On in release builds too: a broken invariant must stop a store, not be written
// to disk.
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
