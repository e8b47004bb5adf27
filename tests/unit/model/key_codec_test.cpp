// Keys as bytes: they sort as the values do, are decoded unchanged, and prefixes
// find exactly the rows that begin with them. The orders are compared with a plain
// comparison of random values (seed: FJ_SEED).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <random>

#include "model/key_codec.h"
#include "tests/support/seed.h"
#include "tests/unit/model/columns.h"

namespace fastjournal::model {

namespace {

std::uint64_t seed() { return fastjournal::test::seed_or(20261121); }

std::string key_of(Schema const& of, Message const& from) {
  std::string out;
  Status const status = encode_key(of, from, out);
  BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  return out;
}

std::string key_codec_params_of(Schema const& of, std::string_view key) {
  Answer answer;
  answer.message("ROW");
  add_key(of, key, answer);
  return shown_params(answer);
}

// Only few different bytes, so that common prefixes and zeros are frequent.
std::string random_string(std::mt19937_64& random) {
  std::string out;
  for (std::uint64_t size = random() % 6; size > 0; --size) out.push_back("\0\1ab"[random() % 4]);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(key_codec)

BOOST_AUTO_TEST_CASE(every_type_comes_back) {
  Schema const all =
      schema({column("s", ColumnType::string), column("b", ColumnType::buffer), column("i8", ColumnType::int8),
              column("i64", ColumnType::int64), column("u64", ColumnType::uint64), column("c", ColumnType::character),
              column("f", ColumnType::real32), column("d", ColumnType::real64)},
             {0, 1, 2, 3, 4, 5, 6, 7});
  std::string const key = key_of(all, message({{"s", Value::of_text({"a\0b", 3})},
                                               {"b", Value::of_binary({"\0\xFF", 2})},
                                               {"i8", Value::of_text("-128")},
                                               {"i64", Value::of_integer(-5)},
                                               {"u64", Value::of_unsigned(UINT64_MAX)},
                                               {"c", Value::of_text("\xE2\x82\xAC")},
                                               {"f", Value::of_text("-0.25")},
                                               {"d", Value::of_real(2.5)}}));
  std::string const expected = std::string{"s=a\0b;b=b:\0\xFF;", 13} +
                               "i8=i-128;i64=i-5;u64=u18446744073709551615;c=\xE2\x82\xAC;f=r-0.250000;d=r2.500000;";
  BOOST_TEST(key_codec_params_of(all, key) == expected);
}

BOOST_AUTO_TEST_CASE(integers_sort_as_numbers) {
  for (ColumnType const type :
       {ColumnType::int8, ColumnType::int16, ColumnType::int32, ColumnType::int64, ColumnType::time_ms}) {
    Schema const one = schema({column("n", type)}, {0});
    std::string before;
    for (std::int64_t const value : {-128, -127, -2, -1, 0, 1, 2, 126, 127}) {
      std::string const key = key_of(one, message({{"n", Value::of_integer(value)}}));
      BOOST_TEST((before < key), value);
      BOOST_TEST(key_codec_params_of(one, key) == "n=i" + std::to_string(value) + ";");
      before = key;
    }
  }
}

BOOST_AUTO_TEST_CASE(floats_sort_as_numbers) {
  for (ColumnType const type : {ColumnType::real32, ColumnType::real64}) {
    Schema const one = schema({column("n", type)}, {0});
    std::string before;
    for (double const value : {-1e38, -2.5, -1.0, -1e-30, 0.0, 1e-30, 0.5, 1.0, 3e38}) {
      std::string const key = key_of(one, message({{"n", Value::of_real(value)}}));
      BOOST_TEST((before < key), value);
      before = key;
    }
    BOOST_TEST(
        (key_of(one, message({{"n", Value::of_text("-0.0")}})) == key_of(one, message({{"n", Value::of_text("0")}}))));
  }
}

BOOST_AUTO_TEST_CASE(random_keys_of_several_columns_sort_as_their_values_and_come_back) {
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed()) {
    std::mt19937_64 random{seed()};
    Schema const three = schema(
        {column("a", ColumnType::string), column("n", ColumnType::int32), column("b", ColumnType::string)}, {0, 1, 2});
    using Values = std::tuple<std::string, std::int64_t, std::string>;
    std::vector<std::pair<Values, std::string>> rows;
    for (int i = 0; i < 300; ++i) {
      Values values{random_string(random), static_cast<std::int64_t>(random() % 5) - 2, random_string(random)};
      auto const& [a, n, b] = values;
      std::string key =
          key_of(three, message({{"a", Value::of_text(a)}, {"n", Value::of_integer(n)}, {"b", Value::of_text(b)}}));
      BOOST_TEST(key_codec_params_of(three, key) == "a=" + a + ";n=i" + std::to_string(n) + ";b=" + b + ";");
      rows.emplace_back(std::move(values), std::move(key));
    }
    for (auto const& [values, key] : rows)
      for (auto const& [other_values, other_key] : rows) {
        bool const same_order =
            (values < other_values) == (key < other_key) && (values == other_values) == (key == other_key);
        BOOST_REQUIRE(same_order);
      }
  }
}

BOOST_AUTO_TEST_CASE(a_prefix_finds_exactly_the_rows_that_begin_with_it) {
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed()) {
    std::mt19937_64 random{seed() + 1};
    Schema const one = schema({column("a", ColumnType::string)}, {0});
    Schema const two = schema({column("a", ColumnType::string), column("b", ColumnType::string)}, {0, 1});
    for (int i = 0; i < 20'000; ++i) {
      std::string const a = random_string(random);
      std::string const b = random_string(random);
      std::string const text = random_string(random);
      for (Schema const* const of : {&one, &two}) {
        std::string const key = key_of(*of, message({{"a", Value::of_text(a)}, {"b", Value::of_text(b)}}));
        std::string prefix;
        BOOST_REQUIRE(encode_key_prefix(*of, text, prefix).ok());
        BOOST_REQUIRE(key.starts_with(prefix) == a.starts_with(text));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_prefix_of_a_number_is_not_supported) {
  std::string out;
  Status const status = encode_key_prefix(schema({column("n", ColumnType::int32)}, {0}), "1", out);
  BOOST_TEST((status.code() == Code::not_supported));
  BOOST_TEST(status.message() == "the key begins with column n of type int32: only a string has a prefix");
}

BOOST_AUTO_TEST_CASE(what_is_missing_wrong_or_too_long_is_refused_and_leaves_no_trace) {
  Schema two = schema({column("a", ColumnType::string), column("n", ColumnType::uint8)}, {0, 1});
  std::string out = "before";
  auto const code_of = [&](Message const& from) {
    Code const code = encode_key(two, from, out).code();
    BOOST_TEST(out == "before");
    return code;
  };
  BOOST_TEST((code_of(message({{"a", Value::of_text("x")}})) == Code::missing_parameter));
  BOOST_TEST((code_of(message({{"a", Value::of_text("x")}, {"n", Value::of_text("256")}})) == Code::bad_parameter));
  std::string const longest(kKeyBytesMax - 3, 'x');  // two bytes end it, and one is n
  std::string const too_long = longest + "x";
  BOOST_TEST((code_of(message({{"a", Value::of_text(too_long)}, {"n", Value::of_text("1")}})) == Code::too_large));
  BOOST_TEST(encode_key(two, message({{"a", Value::of_text(longest)}, {"n", Value::of_text("1")}}), out).ok());
  BOOST_TEST(out.size() == 6 + kKeyBytesMax);
}

BOOST_AUTO_TEST_CASE(a_key_column_with_a_default_may_be_absent) {
  Schema one = schema({column("n", ColumnType::uint8)}, {0});
  one.columns[0].default_text = "7";
  BOOST_TEST((key_of(one, message({})) == "\x07"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model
