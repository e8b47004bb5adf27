// Schemas as bytes: they are decoded unchanged, and damaged bytes are never accepted as a schema.
#include <boost/test/unit_test.hpp>

#include "model/schema_codec.h"
#include "tests/unit/model/columns.h"

namespace fastjournal::model {

namespace {

Schema full_schema() {
  Schema out = schema({column("uri", ColumnType::string), column("size", ColumnType::uint64, MergeRule::sum),
                       column("when", ColumnType::time_ms), column("share", ColumnType::real64, MergeRule::max)},
                      {0, 2});
  out.version = 517;
  out.columns[0].required = true;
  out.columns[0].length_min = 1;
  out.columns[0].length_max = 1000;
  out.columns[0].description = "the page";
  out.columns[1].default_text = "0";
  out.columns[1].value_max = UINT64_MAX;
  out.columns[2].value_min = INT64_MIN;
  out.columns[3].real_min = -0.5;
  out.columns[3].real_max = 1e300;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(schema_codec)

BOOST_AUTO_TEST_CASE(a_schema_comes_back_as_it_went) {
  std::string bytes = "before";
  encode_schema(full_schema(), bytes);
  Result<Schema> const back = decode_schema(std::string_view{bytes}.substr(6));
  BOOST_REQUIRE(back.ok());
  BOOST_TEST((back.value() == full_schema()));
}

BOOST_AUTO_TEST_CASE(every_shorter_and_longer_piece_is_damaged) {
  std::string bytes;
  encode_schema(full_schema(), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Result<Schema> const result = decode_schema(std::string_view{bytes}.substr(0, size));
    BOOST_TEST_CONTEXT("cut at " << size) {
      BOOST_TEST(!result.ok());
      BOOST_TEST((result.status().code() == Code::damaged));
    }
  }
  BOOST_TEST(!decode_schema(bytes + "x").ok());
}

BOOST_AUTO_TEST_CASE(any_changed_byte_gives_an_error_or_some_other_schema_and_nothing_worse) {
  std::string bytes;
  encode_schema(full_schema(), bytes);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int flip = 1; flip < 256; ++flip) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      Result<Schema> const result = decode_schema(damaged);
      if (result.ok()) BOOST_TEST((!(result.value() == full_schema())), "byte " << at << " flip " << flip);
    }
}

BOOST_AUTO_TEST_CASE(a_key_that_names_no_column_or_one_twice_is_damaged) {
  for (auto const& key : {std::vector<std::uint16_t>{4}, {0, 0}}) {
    Schema wrong = full_schema();
    wrong.key = key;
    std::string bytes;
    encode_schema(wrong, bytes);
    BOOST_TEST(!decode_schema(bytes).ok());
  }
}

// Format 1 is unchanged: programs that know only format 1 must not report a table without a key as damaged.
BOOST_AUTO_TEST_CASE(a_schema_without_a_key_is_of_a_format_of_its_own) {
  std::string with;
  encode_schema(full_schema(), with);
  BOOST_TEST(with[0] == '\x01');
  Schema keyless = full_schema();
  keyless.key.clear();
  std::string without;
  encode_schema(keyless, without);
  BOOST_TEST(without[0] == '\x02');
  Result<Schema> const back = decode_schema(without);
  BOOST_REQUIRE(back.ok());
  BOOST_TEST((back.value() == keyless));
  // Neither format is accepted as the other one.
  with[0] = '\x02';
  without[0] = '\x01';
  BOOST_TEST((decode_schema(with).status().code() == Code::damaged));
  BOOST_TEST((decode_schema(without).status().code() == Code::damaged));
}

BOOST_AUTO_TEST_CASE(a_later_format_is_said_to_be_one) {
  BOOST_TEST((decode_schema("\x03").status().code() == Code::not_supported));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::model
