// The value of a Result that must have one.
#pragma once

#include <utility>

#include <boost/test/unit_test.hpp>

#include "fastjournal/status.h"

namespace fastjournal::test {

// Without one the test ends with its status. Clang 14 has no std::source_location.
template <typename T>
T value_of(Result<T> result, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
  BOOST_REQUIRE_MESSAGE(result.ok(), file << ':' << line << ": " << result.status().text());
  return std::move(result).value();
}

}  // namespace fastjournal::test
