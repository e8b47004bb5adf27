// The first line of a connection: messages are accepted, the first lines of other protocols are not.
#include <boost/test/unit_test.hpp>

#include <string>

#include "fastjournal/limits.h"
#include "wire/first_line.h"
#include "wire/text.h"

namespace fastjournal::protocol {
namespace {

// True if the line is a message and is accepted as the first one of a connection.
bool is_taken(std::string_view line) {
  Message message;
  return parse_line(line, message).ok() && check_first_line(line, message).ok();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(first_lines)

BOOST_AUTO_TEST_CASE(messages_are_taken) {
  for (std::string_view const line :
       {"ALIVE", "DELETE table=jobs;row=5", "GET table=jobs", "<a:b c/INSERT table=t;uri=http://x/", "HELLO", "help",
        "INSERT table=t;text=GET / HTTP/1.1;", "INSERT table=t;text=HTTP/1.1", "INSERT table=t;text= HTTP/1.x",
        "{\"command\":\"ALIVE\"}", "INSERT table=t;text=\x01\x02", "ALIVE serial=5\r"})
    BOOST_TEST(is_taken(line), line);
}

BOOST_AUTO_TEST_CASE(requests_of_http_are_not_whatever_they_read_as) {
  for (std::string_view const line :
       {"GET / HTTP/1.1\r", "POST /x HTTP/1.0", "OPTIONS * HTTP/1.1", "PRI * HTTP/2.0", "PAUSE table=jobs HTTP/1.1",
        "PAUSE table=jobs;reason=a HTTP/0.9 \t\r", "DELETE row=5;table=\"x HTTP/1.1"})
    BOOST_TEST(!is_taken(line), line);
  using namespace std::string_view_literals;
  BOOST_TEST(!is_taken("PAUSE table=jobs\0 HTTP/1.1"sv));
}

BOOST_AUTO_TEST_CASE(what_begins_with_bytes_of_no_command_is_not) {
  using namespace std::string_view_literals;
  for (std::string_view const line : {"\x16\x03\x01\0\x6b"sv, "\x80\x2e\x01"sv, "\xC3\x84NDERE table=t"sv, "\x7f"sv})
    BOOST_TEST(!is_taken(line), line);
  BOOST_TEST(is_taken(std::string(kCommandBytesMax, 'A') + " table=t"));
  BOOST_TEST(!is_taken(std::string(kCommandBytesMax + 1, 'A') + " table=t"));
}

BOOST_AUTO_TEST_CASE(frames_of_the_fj_protocol_are_known_before_a_line_ends) {
  using namespace std::string_view_literals;
  BOOST_TEST(!check_first_bytes("FJ\0\1\0\3"sv).ok());
  for (std::string_view const begin : {"FJ"sv, "FJM\1\0"sv, "FJX table=t"sv, ""sv})
    BOOST_TEST(check_first_bytes(begin).ok(), begin);
}

BOOST_AUTO_TEST_CASE(other_protocols_are_known_before_a_line_ends) {
  using namespace std::string_view_literals;
  for (std::string_view const bytes :
       {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv, "FJBLOB\r\n\2\0\0\0"sv, "CONNECT\naccept-version:1.2\n\n"sv,
        "STOMP\r\n"sv, "GET / HTTP/1.1\r\n"sv, "POST /v1/PEEK HTTP/1.1\r\nHost: x"sv}) {
    Status const status = check_first_bytes(bytes);
    BOOST_TEST(status.message().find("this port speaks messages of text, JSON and msgpack, and what came is ") == 0U,
               status.message());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
