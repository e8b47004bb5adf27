// Rows as bytes: small, decoded unchanged, never written in part; and merges by each rule, also between schemas.
// Damaged bytes are never accepted as a row.
#include <boost/test/unit_test.hpp>

#include "model/row_codec.h"
#include "model/value.h"
#include "tests/unit/model/columns.h"

namespace fastjournal::model {

namespace {

std::string data_of(Schema const& of, Message const& from) {
  std::string out;
  Status const status = encode_data(of, from, out);
  BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  BOOST_TEST(is_data(of, out));
  return out;
}

std::string params_of(Schema const& of, std::string_view data) {
  Answer answer;
  answer.message("ROW");
  add_data(of, data, answer);
  return shown_params(answer);
}

// A schema of the key and one data column "v".
Schema with(Column value) {
  value.name = "v";
  return schema({column("k", ColumnType::int32), value}, {0});
}

struct Merged {
  Status status;
  std::string params;
};
Merged merge(Column const& of, Message const& old, Message const& now) {
  Schema const both = with(of);
  std::string out = "before";
  Merged merged{merge_data(both, data_of(both, old), both, data_of(both, now), out), ""};
  if (merged.status.ok())
    merged.params = params_of(both, std::string_view{out}.substr(6));
  else
    BOOST_TEST(out == "before");
  return merged;
}
Message of_v(std::string_view text) { return message({{"v", Value::of_text(text)}}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(row_codec)

BOOST_AUTO_TEST_CASE(every_type_comes_back) {
  Schema const all = schema(
      {column("k", ColumnType::int32), column("nothing", ColumnType::void_type), column("yes", ColumnType::boolean),
       column("i8", ColumnType::int8), column("i64", ColumnType::int64), column("u64", ColumnType::uint64),
       column("f", ColumnType::real32), column("d", ColumnType::real64), column("c", ColumnType::character),
       column("s", ColumnType::string), column("b", ColumnType::buffer), column("t", ColumnType::time_ms)},
      {0});
  std::string const data = data_of(all, message({{"nothing", Value::of_text("")},
                                                 {"yes", Value::of_text("true")},
                                                 {"i8", Value::of_text("-128")},
                                                 {"i64", Value::of_integer(INT64_MIN)},
                                                 {"u64", Value::of_unsigned(UINT64_MAX)},
                                                 {"f", Value::of_text("0.1")},
                                                 {"d", Value::of_real(-2.5)},
                                                 {"c", Value::of_text("\xE2\x82\xAC")},
                                                 {"s", Value::of_text("")},
                                                 {"b", Value::of_text("AP8=")},
                                                 {"t", Value::of_text("1540000010000")}}));
  std::string const expected =
      std::string{
          "nothing=;yes=true;i8=i-128;i64=i-9223372036854775808;u64=u18446744073709551615;f=r0.100000;"
          "d=r-2.500000;c=\xE2\x82\xAC;s=;b=b:"} +
      std::string{"\0\xFF", 2} + ";t=i1540000010000;";
  BOOST_TEST(params_of(all, data) == expected);
}

BOOST_AUTO_TEST_CASE(absent_columns_stay_absent_and_cost_a_bit) {
  Schema const many = schema({column("k", ColumnType::int32), column("a", ColumnType::string),
                              column("b", ColumnType::int64), column("c", ColumnType::string)},
                             {0});
  BOOST_TEST(data_of(many, message({})).size() == 1);
  BOOST_TEST(params_of(many, data_of(many, message({{"c", Value::of_text("x")}}))) == "c=x;");
}

BOOST_AUTO_TEST_CASE(a_200_byte_string_costs_at_most_204_bytes) {
  std::string const text(200, 'x');
  BOOST_TEST(data_of(with(column("", ColumnType::string)), of_v(text)).size() <= 204);
}

BOOST_AUTO_TEST_CASE(defaults_are_filled_in_and_required_ones_are_asked_for) {
  Schema of =
      schema({column("k", ColumnType::int32), column("n", ColumnType::int16), column("t", ColumnType::string)}, {0});
  of.columns[1].default_text = "-7";
  of.columns[2].required = true;
  BOOST_TEST(params_of(of, data_of(of, message({{"t", Value::of_text("x")}}))) == "n=i-7;t=x;");
  std::string out = "before";
  Status const status = encode_data(of, message({{"n", Value::of_text("1")}}), out);
  BOOST_TEST((status.code() == Code::missing_parameter));
  BOOST_TEST(status.message() == "column t is required and is missing");
  BOOST_TEST(out == "before");
}

BOOST_AUTO_TEST_CASE(a_refused_value_leaves_no_trace) {
  Schema const of =
      schema({column("k", ColumnType::int32), column("a", ColumnType::string), column("n", ColumnType::int8)}, {0});
  std::string out = "before";
  BOOST_TEST((encode_data(of, message({{"a", Value::of_text("x")}, {"n", Value::of_text("300")}}), out).code() ==
              Code::bad_parameter));
  BOOST_TEST(out == "before");
}

BOOST_AUTO_TEST_CASE(a_row_of_more_than_16_mib_is_too_large) {
  Schema const of =
      schema({column("k", ColumnType::int32), column("a", ColumnType::string), column("b", ColumnType::string)}, {0});
  std::string const nine(9U << 20U, 'x');
  std::string out;
  BOOST_TEST(encode_data(of, message({{"a", Value::of_text(nine)}}), out).ok());
  out.clear();
  BOOST_TEST((encode_data(of, message({{"a", Value::of_text(nine)}, {"b", Value::of_text(nine)}}), out).code() ==
              Code::too_large));
  BOOST_TEST(out.empty());
}

BOOST_AUTO_TEST_CASE(cut_or_lengthened_bytes_are_no_row) {
  Schema const of = schema({column("k", ColumnType::int32), column("a", ColumnType::string),
                            column("n", ColumnType::int64), column("d", ColumnType::real64)},
                           {0});
  std::string const data = data_of(
      of, message({{"a", Value::of_text("text")}, {"n", Value::of_text("-1000000")}, {"d", Value::of_text("1.5")}}));
  for (std::size_t size = 0; size < data.size(); ++size)
    BOOST_TEST(!is_data(of, std::string_view{data}.substr(0, size)));
  BOOST_TEST(!is_data(of, data + "x"));
  std::string other = data;
  other[0] = static_cast<char>(other[0] | 8);  // a fourth data column, which does not exist
  BOOST_TEST(!is_data(of, other));
}

BOOST_AUTO_TEST_CASE(a_number_has_one_spelling_only) {
  Schema const of = with(column("", ColumnType::uint64));
  std::string_view const zero{"\x01\x00", 2};
  std::string_view const longer_zero{"\x01\x80\x00", 3};
  std::string_view const above_64_bits{"\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", 11};
  BOOST_TEST(is_data(of, zero));
  BOOST_TEST(!is_data(of, longer_zero));
  BOOST_TEST(!is_data(of, above_64_bits));
}

BOOST_AUTO_TEST_CASE(a_schema_of_key_columns_only_has_empty_rows) {
  Schema const of = schema({column("k", ColumnType::int32)}, {0});
  BOOST_TEST(data_of(of, message({})).empty());
  BOOST_TEST(is_data(of, ""));
  std::string out;
  BOOST_TEST(merge_data(of, "", of, "", out).ok());
}

BOOST_AUTO_TEST_CASE(merges_follow_the_columns_rule) {
  struct Row {
    ColumnType type;
    MergeRule rule;
    char const *old, *now, *expected;
  };
  for (Row const& row :
       {Row{ColumnType::int32, MergeRule::replace, "1", "2", "v=i2;"},
        Row{ColumnType::int32, MergeRule::keep, "1", "2", "v=i1;"},
        Row{ColumnType::int32, MergeRule::min, "-1", "2", "v=i-1;"},
        Row{ColumnType::int32, MergeRule::min, "2", "-1", "v=i-1;"},
        Row{ColumnType::int32, MergeRule::max, "-1", "2", "v=i2;"},
        Row{ColumnType::uint64, MergeRule::max, "18446744073709551615", "2", "v=u18446744073709551615;"},
        Row{ColumnType::int32, MergeRule::sum, "40", "2", "v=i42;"},
        Row{ColumnType::int32, MergeRule::sum, "40", "-42", "v=i-2;"},
        Row{ColumnType::uint64, MergeRule::sum, "18446744073709551614", "1", "v=u18446744073709551615;"},
        Row{ColumnType::real64, MergeRule::sum, "0.5", "0.25", "v=r0.750000;"},
        Row{ColumnType::real32, MergeRule::max, "-0.5", "-0.25", "v=r-0.250000;"},
        Row{ColumnType::string, MergeRule::append, "ab", "c", "v=abc;"},
        Row{ColumnType::string, MergeRule::min, "ab", "b", "v=ab;"},
        Row{ColumnType::time_ms, MergeRule::max, "5", "4", "v=i5;"}}) {
    Merged const merged = merge(column("v", row.type, row.rule), of_v(row.old), of_v(row.now));
    BOOST_TEST_CONTEXT(name_of(row.type) << " rule " << static_cast<int>(row.rule) << " " << row.old << " "
                                         << row.now) {
      BOOST_TEST(merged.status.ok(), merged.status.text());
      BOOST_TEST(merged.params == row.expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_the_new_data_lacks_goes_only_after_replace) {
  for (MergeRule const rule : {MergeRule::keep, MergeRule::min, MergeRule::max, MergeRule::sum})
    BOOST_TEST(merge(column("v", ColumnType::int32, rule), of_v("5"), message({})).params == "v=i5;");
  BOOST_TEST(merge(column("v", ColumnType::string, MergeRule::append), of_v("x"), message({})).params == "v=x;");
  BOOST_TEST(merge(column("v", ColumnType::string, MergeRule::replace), of_v("x"), message({})).params == "");
  for (MergeRule const rule : {MergeRule::replace, MergeRule::keep, MergeRule::min, MergeRule::max, MergeRule::sum})
    BOOST_TEST(merge(column("v", ColumnType::int32, rule), message({}), of_v("5")).params == "v=i5;");
}

BOOST_AUTO_TEST_CASE(replace_beside_another_rule_loses_what_is_absent) {
  Schema const of = schema(
      {column("k", ColumnType::int32), column("a", ColumnType::string), column("n", ColumnType::int32, MergeRule::sum)},
      {0});
  std::string out;
  BOOST_REQUIRE(merge_data(of, data_of(of, message({{"a", Value::of_text("x")}, {"n", Value::of_text("1")}})), of,
                           data_of(of, message({{"n", Value::of_text("2")}})), out)
                    .ok());
  BOOST_TEST(params_of(of, out) == "n=i3;");
}

BOOST_AUTO_TEST_CASE(sums_and_appends_beyond_the_limits_are_refused) {
  for (auto const& [type, old, now] :
       {std::tuple{ColumnType::int8, "127", "1"}, std::tuple{ColumnType::int8, "-128", "-1"},
        std::tuple{ColumnType::int64, "9223372036854775807", "1"},
        std::tuple{ColumnType::uint64, "18446744073709551615", "1"}, std::tuple{ColumnType::real64, "1e308", "1e308"},
        std::tuple{ColumnType::real32, "3e38", "3e38"}})
    BOOST_TEST((merge(column("v", type, MergeRule::sum), of_v(old), of_v(now)).status.code() == Code::bad_parameter));
  Column limited = column("v", ColumnType::uint32, MergeRule::sum);
  limited.value_max = 100;
  BOOST_TEST(merge(limited, of_v("60"), of_v("41")).status.message() ==
             "column v: found 101, expected an integer from 0 to 100 (the sum with the value already there)");
  Column text = column("v", ColumnType::string, MergeRule::append);
  text.length_max = 4;
  BOOST_TEST((merge(text, of_v("abc"), of_v("de")).status.code() == Code::too_large));
  BOOST_TEST(merge(text, of_v("ab"), of_v("cd")).params == "v=abcd;");
}

BOOST_AUTO_TEST_CASE(an_old_schema_is_found_by_name_and_type) {
  Schema const old = schema({column("gone", ColumnType::string), column("n", ColumnType::int32),
                             column("k", ColumnType::int32), column("was", ColumnType::int32)},
                            {2});
  Schema const now =
      schema({column("k", ColumnType::int32), column("was", ColumnType::string, MergeRule::keep),
              column("fresh", ColumnType::int64, MergeRule::keep), column("n", ColumnType::int32, MergeRule::sum)},
             {0});
  std::string out;
  BOOST_REQUIRE(
      merge_data(
          old,
          data_of(old,
                  message({{"gone", Value::of_text("x")}, {"n", Value::of_text("1")}, {"was", Value::of_text("3")}})),
          now, data_of(now, message({{"n", Value::of_text("2")}, {"was", Value::of_text("new")}})), out)
          .ok());
  BOOST_TEST(params_of(now, out) == "was=new;n=i3;");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model
