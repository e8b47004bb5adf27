// Whether a table shows what the reference knows: each document with its states, and the counts of each destination.
#pragma once

#include <string>

#include "tests/unit/pipeline/harness.h"
#include "tests/unit/pipeline/reference.h"

namespace fastjournal::pipeline::test {

// Empty: they are the same.
[[nodiscard]] inline std::string differs(std::string const& what, std::string const& got, std::string const& expected) {
  return got == expected ? "" : what + " is " + got + ", expected " + expected;
}

// Empty: it shows the same; else the first difference.
[[nodiscard]] std::string compare(Harness& table, Reference const& reference);

}  // namespace fastjournal::pipeline::test
