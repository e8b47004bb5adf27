// doc/protocol.md is the specification: the bytes that it shows must be exact, and it must list every code.
#include "tests/unit/protocol/support.h"
#include "wire/msgpack.h"
#include "wire/text.h"

#include <sstream>

namespace fastjournal::protocol {

using namespace test;

namespace {

std::vector<std::string> lines_of_document() {
  std::ifstream file{std::string{FJ_SOURCE_DIR} + "/doc/protocol.md"};
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) out.push_back(line);
  BOOST_REQUIRE_MESSAGE(out.size() > 100, "doc/protocol.md is missing or short");
  return out;
}

// The bytes at the beginning of a line such as "    a5 70 61   what it is".
std::string bytes_of(std::string const& line) {
  std::string hex;
  std::istringstream words{line};
  for (std::string word;
       words >> word && word.size() == 2 && word.find_first_not_of("0123456789abcdef") == std::string::npos;)
    hex += word;
  return from_hex(hex);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(protocol_document)

BOOST_AUTO_TEST_CASE(it_describes_every_code) {
  std::vector<std::string> const lines = lines_of_document();
  for (CodeRow const& row : kCodeRows) {
    std::string const cell = "| `" + std::string{row.wire_name} + "` | ";
    BOOST_TEST(std::any_of(lines.begin(), lines.end(), [&](std::string const& line) { return line.starts_with(cell); }),
               row.wire_name);
  }
}

BOOST_AUTO_TEST_CASE(the_frame_it_shows_is_the_frame_that_is_written) {
  std::vector<std::string> const lines = lines_of_document();
  auto line =
      std::find_if(lines.begin(), lines.end(), [](std::string const& l) { return l.starts_with("    46 4a 4d 01"); });
  std::string shown;
  for (; line != lines.end() && line->starts_with("    "); ++line) shown += bytes_of(*line);
  Param const params[] = {{"table", Value::of_text("pages")}, {"request", Value::of_integer(5)}};
  std::string written;
  append_frame({.command = "NEXT", .params = params}, written);
  BOOST_TEST(shown == written);
}

BOOST_AUTO_TEST_CASE(the_bad_line_it_shows_is_refused_with_the_words_it_shows) {
  Message message;
  Status const status = parse_line("INSERT table=pages;u-ri=x", message);
  Param const params[] = {{"code", Value::of_text(row_of(status.code()).wire_name)},
                          {"message", Value::of_text(status.message())}};
  std::string answer = "< ";
  BOOST_REQUIRE(append_line({.command = "INVALID", .params = params}, answer).ok());
  answer.pop_back();
  std::vector<std::string> const lines = lines_of_document();
  BOOST_TEST_INFO(answer);
  BOOST_TEST((std::find(lines.begin(), lines.end(), answer) != lines.end()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
