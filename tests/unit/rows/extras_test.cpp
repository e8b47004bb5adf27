// What few rows have beside key and data: the words that say it, its bytes in records and in memory.
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/rows/extras.h"
#include "plugins/rows/records.h"
#include "plugins/rows/state.h"

using namespace fastjournal;
using namespace fastjournal::rows;

namespace {

constexpr int kFields = 7;

// With those of the fields whose bits are set.
Extras extras_of(unsigned fields) {
  Extras out;
  if ((fields & 1U) != 0) out.tags = "urgent,customer:42";
  if ((fields & 2U) != 0) out.max_attempts = 0;
  if ((fields & 4U) != 0) out.back_off = BackOff{BackOff::Formula::list, {0, 60'000, std::int64_t{1} << 41}};
  if ((fields & 8U) != 0)
    out.after = After{After::Policy::fail,
                      {{ObjectId{8}, After::Kind::row}, {ObjectId{std::uint64_t{1} << 48}, After::Kind::group_done}}};
  if ((fields & 16U) != 0) out.group = ObjectId{4096};
  if ((fields & 32U) != 0) out.unique_for = 3'600'000;
  if ((fields & 64U) != 0) out.of_schedule = OfSchedule{300, 1'800'000'000'000};
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_extras)

BOOST_AUTO_TEST_CASE(each_set_of_fields_is_read_back_and_none_of_its_beginnings_is) {
  for (unsigned fields = 1; fields < 1U << kFields; ++fields) {
    Extras const given = extras_of(fields);
    std::string const bytes = extras::write(given);
    BOOST_TEST((extras::is_of_row(bytes) && extras::is_change(bytes)));
    BOOST_TEST((extras::read(bytes) == given));
    for (std::size_t size = 0; size < bytes.size(); ++size)
      BOOST_TEST(!extras::is_change(std::string_view{bytes}.substr(0, size)));
    BOOST_TEST(!extras::is_change(bytes + "x"));
  }
  BOOST_TEST(extras::write({}).empty());
  BOOST_TEST(!extras::is_change(std::string(1, '\0')));
  BOOST_TEST(!extras::is_change("\x80"));
}

BOOST_AUTO_TEST_CASE(a_change_replaces_what_it_names) {
  for (unsigned of_row = 0; of_row < 1U << kFields; ++of_row)
    for (unsigned change = 1; change < 1U << kFields; ++change) {
      Extras other = extras_of(change);
      if (other.tags) other.tags = "other";
      if (other.max_attempts) other.max_attempts = 9;
      std::string const bytes = extras::changed(extras::write(extras_of(of_row)), extras::write(other));
      Extras const both = extras::read(bytes);
      Extras expected = extras_of(of_row | change);
      if (other.tags) expected.tags = "other";
      if (other.max_attempts) expected.max_attempts = 9;
      BOOST_TEST((both == expected));
    }
  Extras none;
  none.tags = "";
  none.unique_for = 0;
  BOOST_TEST((extras::is_change(extras::write(none)) && !extras::is_of_row(extras::write(none))));
  BOOST_TEST(extras::changed(extras::write(extras_of(1 | 32)), extras::write(none)).empty());
  std::string const left = extras::changed(extras::write(extras_of(127)), extras::write(none));
  BOOST_TEST((extras::read(left) == extras_of(94)));
}

// A row is whole in version 7, whatever else it has, and without extras in the version of before.
BOOST_AUTO_TEST_CASE(a_row_with_extras_is_of_version_seven) {
  std::string const bytes = extras::write(extras_of(127));
  for (RowStatus const status : {RowStatus::waiting, RowStatus::processing, RowStatus::parked, RowStatus::held})
    for (bool const is_counted : {false, true})
      for (std::uint32_t const priority : {7U, 256U}) {
        RowBody row;
        row.status = status;
        row.lease = {LeaseEpoch{5}, 1000, 2000, 0, 1, "worker"};
        row.set_priority(priority);
        row.detail.is_counted = is_counted;
        row.detail.lease = 5;
        row.has_outside = true;
        row.facts.failures = 2;
        row.error = "broken";
        row.facts.error_bytes = 6;
        row.extras = bytes;
        std::string record;
        model::write_body(record, row);
        BOOST_TEST(unsigned{row.version()} == 7U);
        RowBody back;
        BOOST_REQUIRE(model::read_body(record, 7, back));
        BOOST_TEST((back.status == status && back.extras == bytes && back.error == "broken" && back.has_outside));
        BOOST_TEST((back.detail.is_counted == is_counted && back.detail.lease == 5));
        BOOST_TEST(back.detail.priority == (priority > 255 ? priority : 0));
        for (std::size_t size = 0; size < record.size(); ++size)
          BOOST_TEST(!model::read_body(std::string_view{record}.substr(0, size), 7, back));
        row.extras = {};
        BOOST_TEST(unsigned{row.version()} == 6U);
      }
  // Extras that only a change may have, and none.
  Extras none;
  none.tags = "";
  RowBody row;
  RowBody back;
  std::string const change = extras::write(none);
  row.extras = change;
  std::string record;
  model::write_body(record, row);
  BOOST_TEST(!model::read_body(record, 7, back));
}

BOOST_AUTO_TEST_CASE(a_merge_that_changes_them_is_of_version_three) {
  Extras none;
  none.tags = "";
  std::string const bytes = extras::write(none);
  for (bool const has_outside : {false, true})
    for (int const given : {0, 1, 2, 3}) {
      MergeBody merge;
      merge.change = DataChange::whole;
      merge.date = 5;
      merge.data = "data";
      merge.has_outside = has_outside;
      if ((given & 1) != 0) merge.extras = bytes;
      if ((given & 2) != 0) merge.lease = 0;
      BOOST_TEST(unsigned{merge.version()} == (given != 0 ? 3U : has_outside ? 2U : 1U));
      std::string record;
      model::write_body(record, merge);
      MergeBody back;
      BOOST_REQUIRE(model::read_body(record, merge.version(), back));
      BOOST_TEST((back.extras == merge.extras && back.lease == merge.lease && back.data == "data" && back.date == 5));
    }
}

BOOST_AUTO_TEST_CASE(the_words_of_tags_are_bounded) {
  BOOST_TEST(check_tags("").value().empty());
  BOOST_TEST(check_tags("a,b,a,Z.9:/@+#_-").value() == "a,b,Z.9:/@+#_-");
  for (std::string_view const bad : {",", "a,", ",a", "a,,b", "a b", "a=b", "\xC3\xA4", "a\n"})
    BOOST_TEST(!check_tags(bad).ok());
  std::string const longest(kTagBytesMax, 'x');
  BOOST_TEST(check_tags(longest).ok());
  BOOST_TEST(check_tags(longest + "x").status().message() ==
             "found the tag \"" + longest.substr(0, 40) + "...\", of 65 bytes, expected at most 64");
  std::string many;
  for (std::size_t i = 0; i < kTagsMax; ++i) many += "t" + std::to_string(i) + ",";
  BOOST_TEST(check_tags(many + "t0").ok());
  BOOST_TEST(check_tags(many + "more").status().message() == "found more than 16 tags, expected fewer");
  BOOST_TEST((has_tag("a,bc,d", "bc") && !has_tag("a,bc,d", "b") && !has_tag("", "") && has_tag("a,bc,d", "d")));
}

BOOST_AUTO_TEST_CASE(a_back_off_is_a_name_or_a_list) {
  for (std::string_view const text : {"doubling", "linear", "sidekiq", "10s,1m,10m", "0ms"})
    BOOST_TEST(text_of(parse_back_off(text).value()) == text);
  for (std::string_view const bad : {"", "Linear", "10s,", ",10s", "10s 1m", "-1s", "1e3", "9999999999d"})
    BOOST_TEST(!parse_back_off(bad).ok());
  BOOST_TEST(parse_back_off("1s,x").status().message() ==
             "found \"1s,x\", expected doubling, linear, sidekiq, or up to 16 durations, as in 10s,1m,10m");
  std::string list = "1s";
  for (std::size_t i = 1; i < kRestsMax; ++i) list += ",1s";
  BOOST_TEST(parse_back_off(list).ok());
  BOOST_TEST(!parse_back_off(list + ",1s").ok());
}

// Rows with extras among rows without: each keeps its own through changes, and the memory comes back.
BOOST_AUTO_TEST_CASE(a_state_keeps_them) {
  NoObserver nobody;
  State state{1, false};
  Schema schema;
  schema.version = 1;
  state.add_schema(schema);
  // Without rows that it waits for: these are in waits.h.
  std::string const bytes = extras::write(extras_of(127 - 8));
  std::uint64_t empty = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<ObjectId> ids;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
      RowBody body;
      body.facts.schema = 1;
      body.date = 5;
      if (i % 3 == 0) body.extras = bytes;
      ids.push_back(ObjectId{i * 8});
      BOOST_REQUIRE(state.add(ids.back(), body, Lsn{i * 8}, nobody));
    }
    for (ObjectId const id : ids) {
      std::uint32_t const row = state.find(id);
      BOOST_TEST(state.extras_of(row) == (id.value / 8 % 3 == 0 ? bytes : ""));
      Extras other;
      other.tags = "x";
      std::string const change = extras::write(other);
      State::Change to{
          .priority = 3, .date = 9, .counters = {}, .facts = state.view(row).facts, .data = {}, .error = {}};
      if (id.value / 8 % 2 == 0) to.extras = change;
      if (id.value / 8 % 5 == 0) to.lease = 77;
      state.change(row, to, nobody);
    }
    for (ObjectId const id : ids) {
      std::uint64_t const number = id.value / 8;
      RowBody const body = state.body_of(state.find(id));
      Extras expected = extras_of(number % 3 == 0 ? 127 - 8 : 0);
      if (number % 2 == 0) expected.tags = "x";
      BOOST_TEST((extras::read(body.extras) == expected));
      BOOST_TEST(body.detail.lease == (number % 5 == 0 ? 77 : 0));
    }
    for (ObjectId const id : ids) state.remove(state.find(id), nobody);
    BOOST_TEST(state.live_bytes() == 0U);
    if (round == 1) empty = state.memory_bytes();
    if (round == 2) BOOST_TEST(state.memory_bytes() < empty + 4096);
  }
}

BOOST_AUTO_TEST_SUITE_END()
