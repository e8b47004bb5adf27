// What the first bytes of a connection are taken for, and that packets which begin with any number are taken for nothing.
#include "base/greeting.h"

#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <string_view>

namespace fastjournal {

// Found by Boost, which prints them.
std::ostream& operator<<(std::ostream& out, Greeting greeting) { return out << static_cast<int>(greeting); }

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kClientHello = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv;

}  // namespace

BOOST_AUTO_TEST_SUITE(greetings)

BOOST_AUTO_TEST_CASE(each_protocol_is_known_by_its_first_bytes) {
  BOOST_TEST(greeting_of(kClientHello) == Greeting::tls);
  for (std::string_view const request :
       {"GET /metrics HTTP/1.1\r\n", "POST /v1/INSERT HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n"})
    BOOST_TEST(greeting_of(request) == Greeting::http, request);
  BOOST_TEST(greeting_of("FJ\0\1\0\3\0\0"sv) == Greeting::fj);
  BOOST_TEST(greeting_of("FJBLOB\r\n\2\0\0\0"sv) == Greeting::blob);
  for (std::string_view const frame : {"CONNECT\naccept-version:1.2\n\n", "STOMP\r\nhost:a\r\n"})
    BOOST_TEST(greeting_of(frame) == Greeting::stomp, frame);
  for (std::string_view const message : {"INSERT table=jobs;name=a\n", "SET table=cache;key=a", "HELP\n", "ALIVE\r\n",
                                         "{\"command\":\"ALIVE\"}\n", "FJM\x01"})
    BOOST_TEST(greeting_of(message) == Greeting::message, message);
}

BOOST_AUTO_TEST_CASE(what_may_be_something_else_is_not_named) {
  for (std::string_view const bytes :
       {""sv, "I"sv, "INSERT"sv, "INSERT "sv, "INSERT table"sv, "insert table=a\n"sv, "FJ\0"sv, "FJ\0\1"sv,
        "\x16\x03\x01"sv, "{\"a\":1}"sv, "AB\n"sv, "GET"sv, "GET x"sv, "\xff\xfe"sv})
    BOOST_TEST(greeting_of(bytes) == Greeting::unknown, bytes);
}

// In several segments, of which the first may be the head of the record alone; or in several records.
BOOST_AUTO_TEST_CASE(a_handshake_of_tls_in_parts_is_known) {
  for (std::size_t bytes = 5; bytes <= kClientHello.size(); ++bytes)
    BOOST_TEST(greeting_of(kClientHello.substr(0, bytes)) == Greeting::tls, bytes);
  for (std::string_view const first :
       {"\x16\x03\x01\x01\x00\x01\x00\x01\xfc\x03\x03"sv, "\x16\x03\x01\x00\x01\x01\x16\x03\x01"sv})
    BOOST_TEST(greeting_of(first) == Greeting::tls);
  // No client begins with these: another message, none, one that ends before its record, a record that is too long.
  for (std::string_view const other :
       {"\x16\x03\x01\x02\x00\x02"sv, "\x16\x03\x01\x00\x00"sv, "\x16\x03\x01\x02\x00\x01\x00\x01\xfb"sv,
        "\x16\x03\x01\x40\x01"sv, "\x16\x03\x05\x02\x00"sv, "\x16\x03\x01\x02\x00\x01\x01"sv})
    BOOST_TEST(greeting_of(other) == Greeting::unknown, other);
}

// Version 1 of the ports for blobs: a number that counts, then the hash of a name.
BOOST_AUTO_TEST_CASE(packets_that_begin_with_a_number_are_none_of_them) {
  std::string packet(16, '\0');
  for (std::size_t i = 4; i < packet.size(); ++i) packet[i] = static_cast<char>(i * 37 + 5);
  for (std::uint32_t echo = 0; echo < 20'000'000; ++echo) {
    for (std::size_t i = 0; i < 4; ++i) packet[i] = static_cast<char>(echo >> (8 * i));
    if (greeting_of(packet) != Greeting::unknown) BOOST_FAIL("echo " << echo << " is taken for a greeting");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal
