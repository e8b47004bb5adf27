// Single values and columns: what each type accepts and refuses, the limits, and refusals that name the column, the
// value and what was expected.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "model/value.h"
#include "tests/unit/model/columns.h"

namespace fastjournal::model {

namespace {

Status parse(Column const& of, Value const& value) {
  std::string scratch;
  Cell cell;
  return parse_value(of, value, scratch, cell);
}
Status parse(ColumnType type, std::string_view text) { return parse(column("c", type), Value::of_text(text)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(integers_take_their_range_and_nothing_beyond) {
  struct Row {
    ColumnType type;
    char const *low, *high, *below, *above;
  };
  for (Row const& row :
       {Row{ColumnType::int8, "-128", "127", "-129", "128"}, Row{ColumnType::uint8, "0", "255", "-1", "256"},
        Row{ColumnType::int16, "-32768", "32767", "-32769", "32768"},
        Row{ColumnType::uint16, "0", "65535", "-1", "65536"},
        Row{ColumnType::int32, "-2147483648", "2147483647", "-2147483649", "2147483648"},
        Row{ColumnType::uint32, "0", "4294967295", "-1", "4294967296"},
        Row{ColumnType::int64, "-9223372036854775808", "9223372036854775807", "-9223372036854775809",
            "9223372036854775808"},
        Row{ColumnType::uint64, "0", "18446744073709551615", "-1", "18446744073709551616"},
        Row{ColumnType::time_us, "-9223372036854775808", "9223372036854775807", "", "1.5"},
        Row{ColumnType::boolean, "0", "true", "2", "yes"}}) {
    BOOST_TEST_CONTEXT(name_of(row.type)) {
      BOOST_TEST(parse(row.type, row.low).ok());
      BOOST_TEST(parse(row.type, row.high).ok());
      BOOST_TEST((parse(row.type, row.below).code() == Code::bad_parameter));
      BOOST_TEST((parse(row.type, row.above).code() == Code::bad_parameter));
      BOOST_TEST(!parse(row.type, "").ok());
      BOOST_TEST(!parse(row.type, " 1").ok());
    }
  }
}

BOOST_AUTO_TEST_CASE(typed_values_are_taken_where_they_fit) {
  Column const small = column("c", ColumnType::uint8);
  BOOST_TEST(parse(small, Value::of_integer(255)).ok());
  BOOST_TEST(parse(small, Value::of_unsigned(255)).ok());
  BOOST_TEST(!parse(small, Value::of_integer(-1)).ok());
  BOOST_TEST(!parse(small, Value::of_unsigned(256)).ok());
  BOOST_TEST(!parse(small, Value::of_real(1.0)).ok());
  BOOST_TEST(!parse(small, Value::of_binary("1")).ok());
  BOOST_TEST(parse(column("c", ColumnType::boolean), Value::of_boolean(true)).ok());
  BOOST_TEST(parse(column("c", ColumnType::real64), Value::of_integer(-3)).ok());
  BOOST_TEST(!parse(column("c", ColumnType::string), Value::of_integer(5)).ok());
  BOOST_TEST(parse(column("c", ColumnType::string), Value::of_binary("text")).ok());
  BOOST_TEST(!parse(column("c", ColumnType::buffer), Value::of_real(5)).ok());
}

BOOST_AUTO_TEST_CASE(a_buffer_is_base64_in_text_and_raw_in_binary) {
  Column const buffer = column("c", ColumnType::buffer);
  std::string scratch;
  Cell cell;
  BOOST_REQUIRE(parse_value(buffer, Value::of_text("AP8="), scratch, cell).ok());
  BOOST_TEST((cell.bytes == std::string_view{"\0\xFF", 2}));
  BOOST_REQUIRE(parse_value(buffer, Value::of_binary("AP8="), scratch, cell).ok());
  BOOST_TEST(cell.bytes == "AP8=");
  // A msgpack str.
  BOOST_REQUIRE(parse_value(buffer, Value::of_verbatim("test"), scratch, cell).ok());
  BOOST_TEST(cell.bytes == "test");
  BOOST_TEST(parse(buffer, Value::of_text("AP8")).message() ==
             "column c: found \"AP8\", expected base64 (RFC 4648, padded) in a text or JSON message, bytes in a "
             "msgpack message");
}

BOOST_AUTO_TEST_CASE(floats_are_finite_and_fit) {
  for (char const* const text : {"nan", "inf", "-inf", "1e400", "abc", "", "1,5", "0x10"})
    BOOST_TEST(!parse(ColumnType::real64, text).ok(), text);
  BOOST_TEST(parse(ColumnType::real64, "1e300").ok());
  BOOST_TEST(!parse(ColumnType::real32, "1e300").ok());
  BOOST_TEST(parse(ColumnType::real32, "-1.5e38").ok());
  std::string scratch;
  Cell cell;
  // The largest float in its shortest spelling, which as a double is larger than it.
  constexpr float kMax = std::numeric_limits<float>::max();
  for (float const sign : {1.0F, -1.0F}) {
    Value const spelled = Value::of_real(as_written(sign * kMax));
    BOOST_REQUIRE(parse_value(column("c", ColumnType::real32), spelled, scratch, cell).ok());
    BOOST_TEST(cell.real == static_cast<double>(sign * kMax));
  }
  BOOST_TEST(parse(ColumnType::real32, "3.40282356e38").ok());
  BOOST_TEST(!parse(ColumnType::real32, "3.40282357e38").ok());
  BOOST_REQUIRE(parse_value(column("c", ColumnType::real64), Value::of_text("-0.0"), scratch, cell).ok());
  BOOST_TEST(!std::signbit(cell.real));
}

BOOST_AUTO_TEST_CASE(a_char_is_one_code_point) {
  for (char const* const text : {"a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    BOOST_TEST(parse(ColumnType::character, text).ok());
  for (char const* const text : {"", "ab", "\xC3", "\xC3\xA9x"}) BOOST_TEST(!parse(ColumnType::character, text).ok());
}

BOOST_AUTO_TEST_CASE(a_void_is_there_and_empty) {
  BOOST_TEST(parse(ColumnType::void_type, "").ok());
  BOOST_TEST(!parse(ColumnType::void_type, "x").ok());
}

BOOST_AUTO_TEST_CASE(strings_are_valid_utf8) {
  BOOST_TEST(parse(ColumnType::string, "caf\xC3").message() == "column c: found \"caf\\xC3\", expected UTF-8 text");
}

BOOST_AUTO_TEST_CASE(limits_hold_and_are_named) {
  Column size = column("size", ColumnType::uint64);
  size.value_min = 10;
  size.value_max = 20;
  BOOST_TEST(parse(size, Value::of_text("10")).ok());
  BOOST_TEST(parse(size, Value::of_text("20")).ok());
  BOOST_TEST(parse(size, Value::of_text("21")).message() == "column size: found 21, expected an integer from 10 to 20");
  Column degrees = column("degrees", ColumnType::int16);
  degrees.value_min = -50;
  degrees.value_max = static_cast<std::uint64_t>(-10);
  BOOST_TEST(parse(degrees, Value::of_text("-10")).ok());
  BOOST_TEST(parse(degrees, Value::of_text("-9")).message() ==
             "column degrees: found -9, expected an integer from -50 to -10");
  Column share = column("share", ColumnType::real64);
  share.real_min = 0;
  share.real_max = 0.5;
  BOOST_TEST(parse(share, Value::of_text("0.75")).message() ==
             "column share: found 0.75, expected a finite number, at least 0, at most 0.5");
  Column title = column("title", ColumnType::string);
  title.length_min = 2;
  title.length_max = 4;
  BOOST_TEST(parse(title, Value::of_text("abcd")).ok());
  BOOST_TEST((parse(title, Value::of_text("abcde")).code() == Code::too_large));
  BOOST_TEST(parse(title, Value::of_text("abcde")).message() == "column title: found 5 bytes, expected at most 4");
  BOOST_TEST((parse(title, Value::of_text("a")).code() == Code::bad_parameter));
}

BOOST_AUTO_TEST_CASE(a_refusal_names_the_parameter_and_shows_little) {
  Status const status = parse(column("n", ColumnType::int32), Value::of_text(std::string(1000, 'x') + "\n"));
  BOOST_REQUIRE(status.facts().size() == 1);
  BOOST_TEST(status.facts()[0].second == "n");
  BOOST_TEST(status.message().size() < 200);
  BOOST_TEST(shown("a\nb\x01") == "\"a\\x0Ab\\x01\"");
  BOOST_TEST(shown(std::string(39, 'x') + "\xC3\xA9 and more") == "\"" + std::string(39, 'x') + "...\"");
}

BOOST_AUTO_TEST_CASE(a_column_that_makes_no_sense_is_refused) {
  auto const check = [](auto change, ColumnType type) {
    Column out = column("c", type);
    change(out);
    return check_column(out);
  };
  BOOST_TEST(check([](Column& c) { c.default_text = "5"; }, ColumnType::uint8).ok());
  BOOST_TEST(!check([](Column& c) { c.default_text = "256"; }, ColumnType::uint8).ok());
  BOOST_TEST(!check([](Column& c) { c.value_max = 256; }, ColumnType::uint8).ok());
  BOOST_TEST(!check([](Column& c) { c.value_min = -129; }, ColumnType::int8).ok());
  BOOST_TEST(!check(
                  [](Column& c) {
                    c.value_min = 5;
                    c.value_max = 4;
                  },
                  ColumnType::int64)
                  .ok());
  BOOST_TEST(!check(
                  [](Column& c) {
                    c.value_min = 5;
                    c.value_max = 9;
                    c.default_text = "1";
                  },
                  ColumnType::int64)
                  .ok());
  BOOST_TEST(!check(
                  [](Column& c) {
                    c.real_min = 5;
                    c.real_max = 4;
                  },
                  ColumnType::real32)
                  .ok());
  BOOST_TEST(!check(
                  [](Column& c) {
                    c.length_min = 5;
                    c.length_max = 4;
                  },
                  ColumnType::string)
                  .ok());
  BOOST_TEST(!check([](Column& c) { c.length_max = (16U << 20U) + 1; }, ColumnType::buffer).ok());
  BOOST_TEST(!check([](Column& c) { c.merge = MergeRule::sum; }, ColumnType::string).ok());
  BOOST_TEST(!check([](Column& c) { c.merge = MergeRule::sum; }, ColumnType::time_ms).ok());
  BOOST_TEST(!check([](Column& c) { c.merge = MergeRule::append; }, ColumnType::int64).ok());
  BOOST_TEST(!check([](Column& c) { c.merge = MergeRule::max; }, ColumnType::void_type).ok());
  BOOST_TEST(check([](Column& c) { c.merge = MergeRule::max; }, ColumnType::time_ms).ok());
}

BOOST_AUTO_TEST_CASE(every_type_is_read_by_its_own_name) {
  for (int i = 0; i <= static_cast<int>(ColumnType::time_us); ++i) {
    auto const type = static_cast<ColumnType>(i);
    BOOST_TEST((type_of_name(name_of(type)) == type));
  }
  BOOST_TEST((type_of_name("time_t") == ColumnType::time_s));
  BOOST_TEST((type_of_name("binary") == ColumnType::buffer));
  BOOST_TEST(!type_of_name("int128").has_value());
  BOOST_TEST(!type_of_name("String").has_value());
}

BOOST_AUTO_TEST_CASE(floats_are_written_as_short_as_they_were_read) {
  BOOST_TEST(as_written(0.1F) == 0.1);
  BOOST_TEST(as_written(16777216.0F) == 16777216.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model
