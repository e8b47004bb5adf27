// Bodies of records: a body that is cut short at any byte is refused.
#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

#include "rows/records.h"

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
  append_row(one, {}, body);
  RowBody back;
  BOOST_TEST(read_row(one.bytes, one.version, back));
  BOOST_TEST(back.lease.worker == "worker");
  BOOST_TEST(back.sender.client == "client");
  BOOST_TEST(back.data == "data");
  for (std::size_t size = 0; size < one.bytes.size(); ++size)
    BOOST_TEST(!read_row(std::string_view{one.bytes}.substr(0, size), one.version, back));
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
      append_row(one, {}, body);
      unsigned const expected = status == RowStatus::held ? 3 : failures > 0 ? 2 : 1;
      BOOST_TEST(unsigned{one.version} == expected);
      for (std::uint8_t version = 1; version <= 3; ++version)
        BOOST_TEST(read_row(one.bytes, version, back) == (version == expected));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
