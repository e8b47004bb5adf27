// The one main of every unit test program.
#define BOOST_TEST_MODULE fastjournal
#include <boost/test/unit_test.hpp>
