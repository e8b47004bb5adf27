// The small log of tests/crash, with a macro for Boost.Test.
#pragma once

#include <boost/test/unit_test.hpp>

#include "tests/crash/log_world.h"

namespace fastjournal::log::file::test {

// Requires a Status to be ok, and prints its text if it is not.
#define FJ_REQUIRE_OK(expression)                                                \
  do {                                                                           \
    ::fastjournal::Status const fj_status = (expression);                        \
    BOOST_REQUIRE_MESSAGE(fj_status.ok(), #expression ": " << fj_status.text()); \
  } while (false)

}  // namespace fastjournal::log::file::test
