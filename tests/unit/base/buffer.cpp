// Buffer: bytes that come at the end and are dropped at the front; they stay where they are when it is moved.
#include "base/buffer.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

namespace fastjournal {

BOOST_AUTO_TEST_SUITE(buffer)

BOOST_AUTO_TEST_CASE(it_is_what_a_string_would_be) {
  std::mt19937_64 chance{1};
  Buffer buffer;
  std::string string;
  for (int i = 0; i < 20'000; ++i) {
    std::string const more(chance() % (i % 100 == 0 ? 300'000 : 50), static_cast<char>('a' + i % 26));
    switch (chance() % 8) {
      case 0: {
        std::size_t const dropped = string.empty() ? 0 : chance() % (string.size() + 1);
        buffer.drop_front(dropped);
        string.erase(0, dropped);
        break;
      }
      case 1: buffer.shrink_to_fit(); break;
      case 2: {
        Buffer other = std::move(buffer);
        BOOST_TEST_REQUIRE(buffer.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
        buffer = std::move(other);
        break;
      }
      case 3:
        if (i % 5 == 0) {
          buffer.assign(more);
          string.assign(more);
        }
        break;
      default: buffer.append(more); string.append(more);
    }
    if (string.size() > 1'000'000) {
      buffer.clear();
      string.clear();
    }
    BOOST_TEST_REQUIRE((buffer.view() == string));
    BOOST_TEST_REQUIRE(buffer.size() <= buffer.capacity());
  }
}

BOOST_AUTO_TEST_CASE(reserve_is_exact_and_views_outlive_a_move) {
  Buffer buffer{"some bytes"};
  buffer.reserve(1000);
  BOOST_TEST(buffer.capacity() == 1000U);
  std::string_view const seen = buffer.view().substr(5);
  Buffer const moved = std::move(buffer);
  BOOST_TEST(moved.contains(seen));
  BOOST_TEST(!moved.contains("bytes"));
  BOOST_TEST(seen == "bytes");
  BOOST_TEST((seen.data() == moved.view().data() + 5));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal
