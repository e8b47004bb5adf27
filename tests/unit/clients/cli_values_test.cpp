// Dates, durations and columns as people type them.
#include <fstream>
#include <sstream>

#include <boost/test/unit_test.hpp>

#include "clients/programs/fastjournal/values.h"
#include "tests/support/temporary_folder.h"

using namespace fastjournal;
using namespace fastjournal::cli;

BOOST_AUTO_TEST_SUITE(cli_values)

BOOST_AUTO_TEST_CASE(durations_have_units_and_bounds) {
  for (auto const& [typed, ms] : {std::pair{"0", 0LL},
                                  {"500ms", 500LL},
                                  {"10s", 10'000LL},
                                  {"5m", 300'000LL},
                                  {"2h", 7'200'000LL},
                                  {"3d", 259'200'000LL},
                                  {"36500d", 3'153'600'000'000LL}}) {
    BOOST_TEST_CONTEXT(typed) { BOOST_TEST(parse_duration(typed)->value == ms); }
  }
  for (char const* const typed : {"", "s", "-1s", "+1s", "1 s", "1w", "1.5s", "36501d", "99999999999999999999", "1ss",
                                  "0x10", "10", "500", "00x"})
    BOOST_TEST_CONTEXT(typed) { BOOST_TEST((parse_duration(typed).status().code() == Code::bad_parameter)); }
  BOOST_TEST(parse_duration("10").status().message() ==
             "'10' is no duration: expected a unit behind the number: 10s, or ms, m, h, d");
  BOOST_TEST(!parse_date("+10").ok());
}

BOOST_AUTO_TEST_CASE(dates_are_relative_or_utc) {
  BOOST_TEST(parse_date("+10s")->from_now);
  BOOST_TEST(parse_date("+10s")->ms == 10'000);
  BOOST_TEST(parse_date("now")->from_now);
  BOOST_TEST(!parse_expiration("never")->from_now);
  BOOST_TEST(parse_expiration("never")->ms == 0);
  BOOST_TEST(parse_expiration("+10s")->ms == 10'000);
  for (auto const& [typed, ms] : {std::pair{"1700000000000", 1'700'000'000'000LL},
                                  {"1970-01-01", 0LL},
                                  {"2026-11-21", 1'795'219'200'000LL},
                                  {"2026-11-21T12:00Z", 1'795'262'400'000LL},
                                  {"2026-11-21 12:00:01", 1'795'262'401'000LL},
                                  {"2026-11-21T12:00:01.250Z", 1'795'262'401'250LL},
                                  {"2026-11-21T12:00:01.5", 1'795'262'401'500LL},
                                  {"2026-11-21T12:00:01.250999+00:00", 1'795'262'401'250LL},
                                  {"2026-11-21Z", 1'795'219'200'000LL},
                                  {"2026-11-21T13:00+01:00", 1'795'262'400'000LL},
                                  {"2026-11-21T13:00+0100", 1'795'262'400'000LL},
                                  {"2026-11-21T11:00:00.000-0100", 1'795'262'400'000LL},
                                  {"2026-11-21 13:00:00 +0100", 1'795'262'400'000LL},
                                  {"2026-11-21 06:30:01-05:30", 1'795'262'401'000LL},
                                  {"2026-11-22T00:15:00.250+12:15", 1'795'262'400'250LL},
                                  {"99999999", 99'999'999LL},
                                  {"100000000000", 100'000'000'000LL},
                                  {"2024-02-29", 1'709'164'800'000LL}}) {
    BOOST_TEST_CONTEXT(typed) {
      BOOST_TEST(parse_date(typed)->ms == ms);
      BOOST_TEST(!parse_date(typed)->from_now);
    }
  }
  for (char const* const typed :
       {"", "+", "tomorrow", "2026-13-01", "2026-02-29", "2026-11-21T24:00", "2026-11-21T12", "2026-11-21T12:00:60",
        "2026-11-21T12:00:00.", "2026-11-21T12:00:00.1234567890", "26-11-21", "2026-11-21+01:00",
        "2026-11-21T12:00+1:00", "2026-11-21T12:00+01000", "2026-11-21T12:00+01", "2026-11-21T12:00+24:00",
        "2026-11-21T12:00  +01:00", "1970-01-01T00:00+01:00", "-5"})
    BOOST_TEST_CONTEXT(typed) { BOOST_TEST((parse_date(typed).status().code() == Code::bad_parameter)); }
}

BOOST_AUTO_TEST_CASE(a_date_of_work_is_never_never) {
  BOOST_TEST(parse_date("never").status().message().find("a row that is never due would be kept for nothing") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(seconds_are_not_taken_for_milliseconds) {
  for (char const* const typed : {"100000000", "1795262400", "99999999999"}) BOOST_TEST_CONTEXT(typed) {
      Status const refused = parse_date(typed).status();
      BOOST_TEST((refused.code() == Code::bad_parameter));
      BOOST_TEST(refused.message().find("if seconds are meant, " + std::string(typed) + "000") != std::string::npos);
      BOOST_TEST(!parse_expiration(typed).ok());
    }
}

BOOST_AUTO_TEST_CASE(columns_come_from_the_word_a_file_or_the_input) {
  std::istringstream in("from\ninput");
  Arena arena;
  Result<Param> const plain = parse_column("uri=a=b", in, arena);
  BOOST_TEST(plain->name == "uri");
  BOOST_TEST(plain->value.bytes == "a=b");
  BOOST_TEST((plain->value.kind == Value::Kind::text));
  BOOST_TEST(parse_column("uri=", in, arena)->value.bytes.empty());
  BOOST_TEST(parse_column("uri=@@home", in, arena)->value.bytes == "@home");
  Result<Param> const input = parse_column("uri=@-", in, arena);
  BOOST_TEST(input->value.bytes == "from\ninput");
  BOOST_TEST((input->value.kind == Value::Kind::binary));

  test::TemporaryFolder const temporary;
  std::string const folder = temporary.path();
  std::ofstream(folder + "/text") << "gr\xc3\xbc\xc3\x9f";
  std::ofstream(folder + "/bytes") << "\xff\xfe";
  BOOST_TEST((parse_column("data=@" + folder + "/text", in, arena)->value.kind == Value::Kind::binary));
  BOOST_TEST((parse_column("data=@" + folder + "/bytes", in, arena)->value.kind == Value::Kind::binary));
  BOOST_TEST(parse_column("data=@" + folder + "/bytes", in, arena)->value.bytes == "\xff\xfe");
  Status const absent = parse_column("data=@" + folder + "/absent", in, arena).status();
  BOOST_TEST(absent.message().find(folder + "/absent") != std::string::npos);
  BOOST_TEST(!parse_column("data=@" + folder, in, arena).ok());

  for (char const* const word : {"uri", "=x", ""})
    BOOST_TEST((parse_column(word, in, arena).status().code() == Code::bad_parameter));
}

BOOST_AUTO_TEST_SUITE_END()
