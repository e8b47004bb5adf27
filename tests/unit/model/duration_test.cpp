// Durations and sizes: every unit, every kind of mistake, and formatted values are read back as the same number.
#include <boost/test/unit_test.hpp>

#include "model/duration.h"

namespace fastjournal::model {

BOOST_AUTO_TEST_SUITE(durations_and_sizes)

BOOST_AUTO_TEST_CASE(every_unit_is_read) {
  BOOST_TEST(parse_duration("1500").value() == 1500);
  BOOST_TEST(parse_duration("1500ms").value() == 1500);
  BOOST_TEST(parse_duration("10s").value() == 10'000);
  BOOST_TEST(parse_duration("5m").value() == 300'000);
  BOOST_TEST(parse_duration("1h").value() == 3'600'000);
  BOOST_TEST(parse_duration("2d").value() == 172'800'000);
  BOOST_TEST(parse_size("4096").value() == 4096);
  BOOST_TEST(parse_size("4096B").value() == 4096);
  BOOST_TEST(parse_size("512KiB").value() == 512 * 1024);
  BOOST_TEST(parse_size("16MiB").value() == 16 << 20);
  BOOST_TEST(parse_size("1GiB").value() == 1 << 30);
  BOOST_TEST(parse_size("2TiB").value() == std::int64_t{2} << 40);
  BOOST_TEST(parse_duration("0").value() == 0);
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_refused_with_the_text_and_the_units) {
  for (char const* const text : {"", "s", "-1", "-0", "-5s", "+5s", "1.5s", "10 s", " 10s", "10s ", "10S", "1h30m",
                                 "10sec", "0x10", "9223372036854775807d", "9223372036854775808"}) {
    Result<std::int64_t> const result = parse_duration(text);
    BOOST_TEST_CONTEXT("duration " << text) {
      BOOST_REQUIRE(!result.ok());
      BOOST_TEST((result.status().code() == Code::bad_parameter));
      BOOST_TEST(result.status().message().find("\"" + std::string{text} + "\"") != std::string::npos);
      BOOST_TEST(result.status().message().find("ms, s, m, h, d") != std::string::npos);
    }
  }
  for (char const* const text : {"", "KiB", "-1", "1kb", "1KB", "1.5MiB", "8388608TiB", "1 MiB"})
    BOOST_TEST(!parse_size(text).ok(), "size " << text);
}

BOOST_AUTO_TEST_CASE(the_largest_values_do_not_wrap) {
  BOOST_TEST(parse_duration("9223372036854775807").value() == INT64_MAX);
  BOOST_TEST(parse_duration("106751991167d").value() == 106751991167 * 86'400'000);
  BOOST_TEST(!parse_duration("106751991168d").ok());
}

BOOST_AUTO_TEST_CASE(what_is_formatted_is_short_and_read_back) {
  BOOST_TEST(format_duration(90'000) == "90s");
  BOOST_TEST(format_duration(3'600'000) == "1h");
  BOOST_TEST(format_duration(0) == "0ms");
  BOOST_TEST(format_size(512 * 1024) == "512KiB");
  BOOST_TEST(format_size(1500) == "1500B");
  BOOST_TEST(format_size(0) == "0B");
  for (std::int64_t const value :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{60'000}, std::int64_t{86'400'000}, INT64_MAX}) {
    BOOST_TEST(parse_duration(format_duration(value)).value() == value);
    BOOST_TEST(parse_size(format_size(value)).value() == value);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model
