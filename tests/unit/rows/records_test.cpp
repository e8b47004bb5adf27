// Bodies of records: a body that is cut short at any byte is refused.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/failure.h"
#include "plugins/rows/records.h"

using namespace fastjournal;
using namespace fastjournal::rows;

namespace {

// Keeps the last record that was appended.
struct One final : Records {
  std::string bytes;
  std::uint8_t version{0};
  Place append(std::uint8_t, std::uint8_t given, ObjectId, std::size_t size) override {
    version = given;
    bytes.resize(size);
    return {Lsn{8}, {reinterpret_cast<std::byte*>(bytes.data()), size}};
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_records)

BOOST_AUTO_TEST_CASE(bodies_that_are_cut_short_are_not_read) {
  RowBody body;
  body.status = RowStatus::processing;
  body.timeouts = 3;
  body.lease = {LeaseEpoch{5}, 1000, 2000, 77, 1, "worker"};
  body.sender = {"client", 9};
  body.facts.arrival = 1000;
  body.facts.key_bytes = 3;
  body.facts.data_bytes = 4;
  body.key = "key";
  body.data = "data";
  One one;
  model::append_record(one, {}, body);
  RowBody back;
  BOOST_TEST(model::read_body(one.bytes, one.version, back));
  BOOST_TEST(back.lease.worker == "worker");
  BOOST_TEST(back.sender.client == "client");
  BOOST_TEST(back.data == "data");
  for (std::size_t size = 0; size < one.bytes.size(); ++size)
    BOOST_TEST(!model::read_body(std::string_view{one.bytes}.substr(0, size), one.version, back));
}

BOOST_AUTO_TEST_CASE(a_row_that_is_held_is_of_version_three_and_no_other_is) {
  One one;
  RowBody body;
  RowBody back;
  body.lease = {LeaseEpoch{5}, 1000, 2000, 0, 1, "worker"};
  for (RowStatus const status : {RowStatus::waiting, RowStatus::processing, RowStatus::parked, RowStatus::held}) {
    for (int const failures : {0, 2}) {
      body.status = status;
      body.facts.failures = static_cast<std::uint8_t>(failures);
      model::append_record(one, {}, body);
      unsigned const expected = status == RowStatus::held ? 3 : failures > 0 ? 2 : 1;
      BOOST_TEST(unsigned{one.version} == expected);
      for (std::uint8_t version = 1; version <= 3; ++version)
        BOOST_TEST(model::read_body(one.bytes, version, back) == (version == expected));
    }
  }
}

// Without one each is in the version of before.
BOOST_AUTO_TEST_CASE(an_error_with_a_trace_is_of_a_version_of_its_own) {
  std::string room;
  std::string const error{failure::kept_of("broken \xff", "at line 7", room)};
  BOOST_TEST(failure::error_of(error) == "broken ?");
  BOOST_TEST(failure::trace_of(error) == "at line 7");
  One one;
  RowBody row;
  RowBody row_back;
  row.error = error;
  row.facts.error_bytes = static_cast<std::uint32_t>(error.size());
  row.lease = {LeaseEpoch{5}, 1000, 2000, 0, 1, "worker"};
  for (RowStatus const status : {RowStatus::waiting, RowStatus::held}) {
    for (bool const has_outside : {false, true}) {
      row.status = status;
      row.has_outside = has_outside;
      model::append_record(one, {}, row);
      BOOST_TEST(unsigned{one.version} == 5U);
      BOOST_REQUIRE(model::read_body(one.bytes, one.version, row_back));
      BOOST_TEST((row_back.error == error && row_back.status == status && row_back.has_outside));
    }
  }
  for (int const failures : {0, 2}) {
    Counters const counters{1, static_cast<std::uint8_t>(failures), 4};
    model::append_record(one, {}, GiveBackBody{.date = 5, .counters = counters, .error = error});
    GiveBackBody back;
    BOOST_REQUIRE((one.version == 3 && model::read_body(one.bytes, one.version, back)));
    BOOST_TEST((back.error == error && back.counters.failures == failures && back.counters.lifetime == 4));
    model::append_record(one, {}, FoldBody{.counters = counters, .merges = 3, .error = error});
    FoldBody fold;
    BOOST_REQUIRE((one.version == 3 && model::read_body(one.bytes, one.version, fold)));
    BOOST_TEST((fold.error == error && fold.counters.failures == failures && fold.merges == 3));
    model::append_record(one, {}, ParkBody{.at = 6, .counters = counters, .error = error});
    ParkBody park;
    BOOST_REQUIRE((one.version == 3 && model::read_body(one.bytes, one.version, park)));
    BOOST_TEST((park.error == error && park.counters.failures == failures && park.at == 6));
    model::append_record(one, {}, GiveBackBody{.date = 5, .counters = counters, .error = "broken"});
    BOOST_TEST(unsigned{one.version} == (failures == 0 ? 1U : 2U));
  }
  model::append_record(one, {}, MoveBody{.error = error, .data = "data"});
  MoveBody move;
  BOOST_REQUIRE((one.version == 2 && model::read_body(one.bytes, 1, move)));
  BOOST_TEST((move.error == error && move.data == "data"));
  model::append_record(one, {}, MoveBody{.error = "broken", .data = "data"});
  BOOST_TEST(unsigned{one.version} == 1U);
}

// Priorities beyond those of headers, leases and counts; and what changes them.
BOOST_AUTO_TEST_CASE(a_detail_is_of_versions_of_its_own) {
  One one;
  RowBody row;
  RowBody back;
  row.data = "data";
  row.facts.data_bytes = 4;
  for (std::uint32_t const priority : {0U, 255U, 256U, UINT32_MAX})
    for (std::int64_t const lease : {std::int64_t{0}, std::int64_t{1} << 35})
      for (bool const is_counted : {false, true}) {
        row.set_priority(priority);
        row.detail.lease = lease;
        row.detail.is_counted = is_counted;
        if (is_counted)
          row.detail.counts = {1, 2, 3, 4, 255};
        else
          row.detail.counts = {};
        model::append_record(one, {}, row);
        bool const is_plain = priority < 256 && lease == 0 && !is_counted;
        BOOST_TEST(unsigned{one.version} == (is_plain ? 1U : 6U));
        back = {};
        BOOST_REQUIRE(model::read_body(one.bytes, one.version, back));
        BOOST_TEST(unsigned{back.priority} == std::min(priority, 255U));
        BOOST_TEST((back.detail.priority == row.detail.priority && back.detail.lease == lease &&
                    back.detail.is_counted == is_counted && back.detail.counts == row.detail.counts));
        BOOST_TEST(back.data == "data");
        if (is_plain) continue;
        BOOST_TEST(!model::read_body(one.bytes, 5, back));
        for (std::size_t size = 0; size < one.bytes.size(); ++size)
          BOOST_TEST(!model::read_body(std::string_view{one.bytes}.substr(0, size), one.version, back));
      }
  // Of a row that has none it is not read, nor is a priority that a header has.
  row = {};
  row.detail.lease = 1;
  model::append_record(one, {}, row);
  std::string plain = one.bytes;
  plain[0] = static_cast<char>(plain[0] & ~32);
  BOOST_TEST(!model::read_body(plain, 6, back));

  GiveBackBody given{.date = 5, .counters = {1, 0, 2}, .error = "no"};
  given.detail.priority = 1U << 31U;
  model::append_record(one, {}, given);
  GiveBackBody given_back;
  BOOST_REQUIRE((one.version == 4 && model::read_body(one.bytes, 4, given_back)));
  BOOST_TEST((given_back.detail.priority == 1U << 31U && !given_back.detail.count && given_back.error == "no"));
  for (std::size_t size = 0; size < 12; ++size)
    BOOST_TEST(!model::read_body(std::string_view{one.bytes}.substr(0, size), 4, given_back));
  ParkBody park{.at = 6, .error = "no"};
  park.detail.count = Count::timeouts;
  model::append_record(one, {}, park);
  ParkBody park_back;
  BOOST_REQUIRE((one.version == 4 && model::read_body(one.bytes, 4, park_back)));
  BOOST_TEST((park_back.detail.count == Count::timeouts && !park_back.detail.priority));
  model::append_record(one, {}, MoveBody{.error = "no", .data = "data", .detail = {.count = Count::kicks}});
  MoveBody move;
  BOOST_REQUIRE((one.version == 3 && model::read_body(one.bytes, 3, move)));
  BOOST_TEST((move.detail.count == Count::kicks && move.data == "data" && move.error == "no"));
}

BOOST_AUTO_TEST_SUITE_END()
