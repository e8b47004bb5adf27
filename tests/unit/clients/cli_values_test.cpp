// Dates, durations and columns as people type them.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/test/unit_test.hpp>

#include "clients/cli/values.h"

using namespace fastjournal;
using namespace fastjournal::cli;

BOOST_AUTO_TEST_SUITE(cli_values)

BOOST_AUTO_TEST_CASE(durations_have_units_and_bounds) {
  for (auto const& [typed, ms] : {std::pair{"0", 0LL},
                                  {"500", 500LL},
                                  {"500ms", 500LL},
                                  {"10s", 10'000LL},
                                  {"5m", 300'000LL},
                                  {"2h", 7'200'000LL},
                                  {"3d", 259'200'000LL},
                                  {"36500d", 3'153'600'000'000LL}}) {
    BOOST_TEST_CONTEXT(typed) { BOOST_TEST(parse_duration(typed)->value == ms); }
  }
  for (char const* const typed :
       {"", "s", "-1s", "+1s", "1 s", "1w", "1.5s", "36501d", "99999999999999999999", "1ss", "0x10"})
    BOOST_TEST_CONTEXT(typed) { BOOST_TEST((parse_duration(typed).status().code() == Code::bad_parameter)); }
}

BOOST_AUTO_TEST_CASE(dates_are_relative_or_utc) {
  BOOST_TEST(parse_date("+10s")->from_now);
  BOOST_TEST(parse_date("+10s")->ms == 10'000);
  BOOST_TEST(parse_date("now")->from_now);
  BOOST_TEST(!parse_date("never")->from_now);
  for (auto const& [typed, ms] : {std::pair{"1700000000000", 1'700'000'000'000LL},
                                  {"1970-01-01", 0LL},
                                  {"2026-11-21", 1'795'219'200'000LL},
                                  {"2026-11-21T12:00Z", 1'795'262'400'000LL},
                                  {"2026-11-21 12:00:01", 1'795'262'401'000LL},
                                  {"2026-11-21T12:00:01.250Z", 1'795'262'401'250LL},
                                  {"2024-02-29", 1'709'164'800'000LL}}) {
    BOOST_TEST_CONTEXT(typed) {
      BOOST_TEST(parse_date(typed)->ms == ms);
      BOOST_TEST(!parse_date(typed)->from_now);
    }
  }
  for (char const* const typed :
       {"", "+", "tomorrow", "2026-13-01", "2026-02-29", "2026-11-21T24:00", "2026-11-21T12", "2026-11-21T12:00:60",
        "2026-11-21T12:00:00.5", "26-11-21", "2026-11-21T12:00+01:00", "-5"})
    BOOST_TEST_CONTEXT(typed) { BOOST_TEST((parse_date(typed).status().code() == Code::bad_parameter)); }
}

BOOST_AUTO_TEST_CASE(columns_come_from_the_word_a_file_or_the_input) {
  std::istringstream in("from\ninput");
  Arena arena;
  Result<Param> const plain = parse_column("uri=a=b", in, arena, false);
  BOOST_TEST(plain->name == "uri");
  BOOST_TEST(plain->value.bytes == "a=b");
  BOOST_TEST((plain->value.kind == Value::Kind::text));
  BOOST_TEST(parse_column("uri=", in, arena, false)->value.bytes.empty());
  BOOST_TEST(parse_column("uri=@@home", in, arena, false)->value.bytes == "@home");
  Result<Param> const input = parse_column("uri=@-", in, arena, false);
  BOOST_TEST(input->value.bytes == "from\ninput");
  BOOST_TEST((input->value.kind == Value::Kind::binary));

  std::string folder = (std::filesystem::temp_directory_path() / "fj_values_XXXXXX").string();
  BOOST_REQUIRE(::mkdtemp(folder.data()) != nullptr);
  std::ofstream(folder + "/text") << "gr\xc3\xbc\xc3\x9f";
  std::ofstream(folder + "/bytes") << "\xff\xfe";
  BOOST_TEST((parse_column("data=@" + folder + "/text", in, arena, true)->value.kind == Value::Kind::text));
  BOOST_TEST((parse_column("data=@" + folder + "/bytes", in, arena, true)->value.kind == Value::Kind::binary));
  BOOST_TEST(parse_column("data=@" + folder + "/bytes", in, arena, false)->value.bytes == "\xff\xfe");
  Status const absent = parse_column("data=@" + folder + "/absent", in, arena, false).status();
  BOOST_TEST(absent.message().find(folder + "/absent") != std::string::npos);
  BOOST_TEST(!parse_column("data=@" + folder, in, arena, false).ok());
  std::filesystem::remove_all(folder);

  for (char const* const word : {"uri", "=x", ""})
    BOOST_TEST((parse_column(word, in, arena, false).status().code() == Code::bad_parameter));
}

BOOST_AUTO_TEST_CASE(json_rows_keep_the_kind_of_their_values) {
  Message insert("INSERT");
  BOOST_REQUIRE(
      parse_json_row(
          R"({"uri":"a\u00e9","size":-3,"big":18446744073709551615,"w":0.5,"ok":true,"none":null,"process_date":"+10s","expiration_date":5})",
          insert)
          .ok());
  BOOST_TEST(insert.text("uri") == "a\xc3\xa9");
  BOOST_TEST((insert.find("size")->kind == Value::Kind::integer));
  BOOST_TEST(insert.find("big")->as_unsigned().value() == UINT64_MAX);
  BOOST_TEST(insert.find("w")->as_real().value() == 0.5);
  BOOST_TEST((insert.find("ok")->kind == Value::Kind::boolean));
  BOOST_TEST(!insert.has("none"));
  BOOST_TEST(insert.text("process_date") == "+10000");
  BOOST_TEST(insert.integer("expiration_date").value() == 5);
  for (char const* const line : {"", "{", "[]", "1", R"({"a":[1]})", R"({"a":{}})", R"({"table":"x"})",
                                 R"({"process_date":"soon"})", "{\"a\":\"\xff\"}"}) {
    Message refused("INSERT");
    BOOST_TEST_CONTEXT(line) { BOOST_TEST((parse_json_row(line, refused).code() == Code::bad_parameter)); }
  }
}

BOOST_AUTO_TEST_SUITE_END()
