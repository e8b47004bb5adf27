// Addresses: every accepted spelling is printed as it was written, everything else
// is refused with the expected form.
#include <boost/test/unit_test.hpp>

#include <sys/socket.h>

#include <string>

#include "platform/reactor/address.h"

namespace fastjournal::reactor {

BOOST_AUTO_TEST_SUITE(address)

BOOST_AUTO_TEST_CASE(what_is_read_is_written_alike) {
  for (std::string const text :
       {"127.0.0.1:4050", "0.0.0.0:0", "[::1]:65535", "[::]:1", "unix:/run/fastjournal.sock"}) {
    auto const read = parse_address(text);
    BOOST_TEST_CONTEXT(text) {
      BOOST_REQUIRE(read.ok());
      BOOST_TEST(to_text(read.value()) == text);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_bare_path_is_a_unix_socket) {
  auto const read = parse_address("/run/a.sock");
  BOOST_REQUIRE(read.ok());
  BOOST_TEST(read->family() == AF_UNIX);
  BOOST_TEST(read->path() == "/run/a.sock");
}

BOOST_AUTO_TEST_CASE(what_is_no_address_is_refused_with_what_was_expected) {
  for (std::string const text : {"",
                                 ":",
                                 "4050",
                                 "127.0.0.1",
                                 "127.0.0.1:",
                                 ":4050",
                                 "127.0.0.1:65536",
                                 "127.0.0.1:+1",
                                 "127.0.0.1: 1",
                                 "127.0.0.1:1x",
                                 "localhost:4050",
                                 "127.0.0.1.5:1",
                                 "::1:4050",
                                 "[::1]",
                                 "[::1]4050",
                                 "[127.0.0.1]:1",
                                 "[]:1",
                                 "unix:",
                                 "*:4050",
                                 "1:4050",
                                 "[*]:4050"}) {
    auto const read = parse_address(text);
    BOOST_TEST_CONTEXT('"' << text << '"') {
      BOOST_REQUIRE(!read.ok());
      BOOST_TEST((read.status().code() == Code::bad_parameter));
      BOOST_TEST(read.status().message().find("expected") != std::string::npos);
      BOOST_TEST(read.status().message().find('"' + text + '"') != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_path_longer_than_the_kernel_takes_is_refused_with_both_numbers) {
  BOOST_TEST(parse_address("/" + std::string(106, 'a')).ok());
  auto const read = parse_address("/" + std::string(107, 'a'));
  BOOST_REQUIRE(!read.ok());
  BOOST_TEST((read.status().code() == Code::too_large));
  BOOST_TEST(read.status().message().find("108 bytes") != std::string::npos);
  BOOST_TEST(read.status().message().find("107") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
