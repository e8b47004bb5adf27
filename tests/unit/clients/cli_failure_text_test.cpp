// The error text that is sent with a row whose command failed.
#include <boost/test/unit_test.hpp>

#include "base/utf8.h"
#include "clients/programs/fastjournal/failure_text.h"

using namespace fastjournal;
using namespace fastjournal::cli;

BOOST_AUTO_TEST_SUITE(cli_failure_text)

BOOST_AUTO_TEST_CASE(it_is_one_line_and_what_was_said) {
  BOOST_TEST(failure_text("sh", "exit status 3", "") == "sh: exit status 3");
  BOOST_TEST(failure_text("sh", "exit status 3", "\n  no such page\n\n") == "sh: exit status 3: no such page");
  BOOST_TEST(failure_text("sh", "exit status 3", "one\ntwo\n") == "sh: exit status 3: one\ntwo");
  BOOST_TEST(failure_text("sh", "exit status 3", " \\\n \\") == "sh: exit status 3");
}

BOOST_AUTO_TEST_CASE(nothing_steers_a_terminal_or_spoils_a_text_message) {
  BOOST_TEST(failure_text("sh", "x",
                          std::string("a\0b\x1b[31mc\r\n\xc2\x9b"
                                      "d\x7f",
                                      16)) == "sh: x: ab[31mc\nd");
  BOOST_TEST(failure_text("sh", "x",
                          "a\xff\x80"
                          "b\xc3") == "sh: x: a??b?");
  BOOST_TEST(failure_text("sh", "x", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80") ==
             "sh: x: gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
  BOOST_TEST(failure_text("sh", "x", "one; C:\\") == "sh: x: one; C:");
}

BOOST_AUTO_TEST_CASE(the_end_is_kept_from_the_beginning_of_a_line) {
  std::string lines;
  for (int i = 1000; i < 2000; ++i) lines += std::to_string(i) + "\n";
  std::string const text = failure_text("sh", "x", lines);
  BOOST_TEST(text.size() <= kErrorBytesMax);
  BOOST_TEST(text.size() > kErrorBytesMax - 8);
  BOOST_TEST(text.starts_with("sh: x: ...1"));
  BOOST_TEST(text.ends_with("\n1998\n1999"));
  // A single line is cut between characters.
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "\xc3\xbc";
  std::string const cut = failure_text("sh", "xy", wide);
  BOOST_TEST(cut.size() <= kErrorBytesMax);
  BOOST_TEST(fastjournal::is_utf8(cut));
  BOOST_TEST(failure_text(std::string(5000, 'c'), "x", lines).size() <= kErrorBytesMax);
}

BOOST_AUTO_TEST_CASE(a_trace_is_what_the_error_has_no_room_for) {
  std::string lines;
  for (int i = 10'000; i < 25'000; ++i) lines += std::to_string(i) + "\n";
  std::string const error = failure_text("sh", "x", lines);
  std::string const trace = failure_trace(lines, error);
  BOOST_TEST((trace.size() <= kTraceBytesMax && trace.size() > kTraceBytesMax - 9));
  BOOST_TEST(trace.starts_with("...1"));
  BOOST_TEST(trace.ends_with("\n24998\n24999"));
  std::string const few = lines.substr(0, 3000);
  BOOST_TEST(failure_trace(few, failure_text("sh", "x", few)) == few.substr(0, few.size() - 1));
  BOOST_TEST(failure_trace("no such page\n", failure_text("sh", "x", "no such page\n")) == "");
  BOOST_TEST(failure_trace("", failure_text("sh", "x", "")) == "");
  BOOST_TEST(failure_trace(std::string(2000, 'a') + "\x1b[1m\xff", "a") == std::string(2000, 'a') + "[1m?");
  // Of the standard error alone.
  BOOST_TEST(failure_end("no index\n") == "no index");
  BOOST_TEST(failure_end(lines).ends_with("\n24999"));
  BOOST_TEST(failure_end(lines).size() <= kErrorBytesMax);
  BOOST_TEST(failure_trace("no index\n", failure_end("no index\n")) == "");
}

BOOST_AUTO_TEST_CASE(a_tail_keeps_the_last_bytes) {
  Tail tail;
  std::string all;
  for (int i = 0; i < 3000; ++i) {
    std::string const piece = std::to_string(i) + " ";
    tail.add(piece);
    all += piece;
  }
  BOOST_TEST(tail.bytes().size() >= kErrorBytesMax);
  BOOST_TEST(tail.bytes().size() <= 2 * kTraceBytesMax);
  BOOST_TEST(all.ends_with(tail.bytes()));
  tail.add(std::string(100'000, 'x'));
  BOOST_TEST(tail.bytes() == std::string(tail.bytes().size(), 'x'));
}

BOOST_AUTO_TEST_SUITE_END()
