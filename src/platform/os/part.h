// A part of a program in a file of its own, loaded when it is needed (plugin_loader.h, load_part). Unlike a plugin it has
// no contract: both are of one build, and the part is refused by any other.
#pragma once

namespace fastjournal::os {

struct Part {
  char const* build;      // of the program that it belongs to
  void const* functions;  // a structure that both know
};

inline constexpr char kPartSymbol[] = "fastjournal_part";

}  // namespace fastjournal::os

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): an entry with this name, whatever the namespace
#define FJ_PART(build, functions)                                                             \
  extern "C" [[gnu::visibility("default")]] fastjournal::os::Part const* fastjournal_part() { \
    static constexpr fastjournal::os::Part kThis{build, &(functions)};                        \
    return &kThis;                                                                            \
  }
