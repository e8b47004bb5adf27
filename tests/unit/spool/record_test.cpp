// Rows are found in a file whatever stands between them: erased ones, halves, damage.
#include <fmt/format.h>
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <vector>

#include "fastjournal/message.h"
#include "protocol/msgpack.h"
#include "spool/record.h"
#include "tests/support/seed.h"

namespace fastjournal::spool {
namespace {

std::string record_of(std::string_view uri) {
  std::vector<Param> const params{{"table", Value::of_text("pages")}, {"uri", Value::of_text(uri)}};
  std::string out;
  BOOST_REQUIRE(append_record(params, out).ok());
  return out;
}

// The column of all rows in order, and what was damaged.
struct Read {
  std::vector<std::string> uris;
  std::size_t damaged{0};
  std::size_t unfinished_at{std::string::npos};
};

Read read(std::string_view bytes, bool is_settled = false) {
  Read out;
  for (std::size_t at = 0;;) {
    Found const found = find_record(bytes, at, is_settled);
    out.damaged += found.damaged_bytes;
    if (found.kind == Found::Kind::unfinished) out.unfinished_at = found.begin;
    if (found.kind != Found::Kind::record) return out;
    Message message;
    BOOST_REQUIRE(protocol::parse_frame(found.body, message).ok());
    BOOST_TEST(message.command == "INSERT");
    out.uris.emplace_back(message.text("uri"));
    at = found.end;
  }
}

using Uris = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(spool_record)

BOOST_AUTO_TEST_CASE(rows_follow_one_another) {
  Read const seen = read(record_of("a") + record_of("b") + record_of(std::string(70'000, 'c')));
  BOOST_TEST((seen.uris == Uris{"a", "b", std::string(70'000, 'c')}));
  BOOST_TEST(seen.damaged == 0U);
  BOOST_TEST(seen.unfinished_at == std::string::npos);
}

// The bytes of the format, which other programs may write.
BOOST_AUTO_TEST_CASE(golden_bytes) {
  std::string hex;
  for (char const byte : record_of("a")) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  BOOST_TEST(hex ==
             "464a5201"          // the mark
             "2e000000"          // 46 bytes follow the head
             "da782cd4687eb3dc"  // XXH3
             "82a7636f6d6d616e64a6494e53455254aa706172616d657465727382a57461626c65a57061676573a3757269a161");
}

BOOST_AUTO_TEST_CASE(each_beginning_of_a_row_is_unfinished) {
  std::string const first = record_of("a");
  std::string const second = record_of("b");
  for (std::size_t size = 1; size < second.size(); ++size) {
    std::string const bytes = first + second.substr(0, size);
    Read const seen = read(bytes);
    BOOST_TEST((seen.uris == Uris{"a"}));
    BOOST_TEST(seen.unfinished_at == first.size());
    BOOST_TEST(seen.damaged == 0U);
    Read const settled = read(bytes, true);
    BOOST_TEST(settled.unfinished_at == std::string::npos);
    BOOST_TEST(settled.damaged > 0U);
  }
}

BOOST_AUTO_TEST_CASE(half_a_row_before_others_is_damage) {
  std::string const half = record_of("lost").substr(0, 30);
  Read const seen = read(record_of("a") + half + record_of("b"));
  BOOST_TEST((seen.uris == Uris{"a", "b"}));
  BOOST_TEST(seen.damaged >= 20U);
  BOOST_TEST(seen.unfinished_at == std::string::npos);
}

BOOST_AUTO_TEST_CASE(erased_rows_are_passed_over) {
  Read const seen = read(std::string(100, '\0') + record_of("a") + std::string(5000, '\0') + record_of("b"));
  BOOST_TEST((seen.uris == Uris{"a", "b"}));
  BOOST_TEST(seen.damaged == 0U);
}

BOOST_AUTO_TEST_CASE(a_changed_byte_costs_one_row) {
  std::string const a = record_of("aa");
  std::string const b = record_of("bb");
  std::string const c = record_of("cc");
  for (std::size_t at = 0; at < b.size(); ++at) {
    std::string changed = b;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    Read const seen = read(a + changed + c);
    BOOST_TEST((seen.uris == Uris{"aa", "cc"}), "byte " << at);
    BOOST_TEST(seen.damaged > 0U);
  }
}

// A row may contain what looks like a record, even a whole one.
BOOST_AUTO_TEST_CASE(a_record_within_a_row_is_no_row) {
  std::string const inner = record_of("inner");
  Read const seen = read(record_of(inner) + record_of("next"));
  BOOST_TEST((seen.uris == Uris{inner, "next"}));
}

BOOST_AUTO_TEST_CASE(a_row_above_the_limit_is_refused) {
  std::string out = "before";
  std::string const text(kBodyBytesMax, 'x');
  std::vector<Param> const large{{"table", Value::of_text("pages")}, {"uri", Value::of_text(text)}};
  Status const status = append_record(large, out);
  BOOST_TEST((status.code() == Code::too_large));
  BOOST_TEST(out == "before");
}

// Whatever stands in between, all whole rows are found, in order.
BOOST_AUTO_TEST_CASE(random_files) {
  std::uint64_t const seed = test::seed_or(1);
  BOOST_TEST_MESSAGE("FJ_SEED=" << seed);
  std::mt19937_64 chance{seed};
  for (int file = 0; file < 200; ++file) {
    std::string bytes;
    Uris expected;
    for (int part = 0; part < 30; ++part) {
      std::string const uri = std::to_string(file) + "/" + std::to_string(part) + std::string(chance() % 200, 'u');
      std::string const record = record_of(uri);
      switch (chance() % 4) {
        case 0: bytes += record.substr(0, 1 + chance() % (record.size() - 1)); break;
        case 1: bytes.append(chance() % 300, '\0'); break;
        default: bytes += record; expected.push_back(uri);
      }
    }
    Read const seen = read(bytes, true);
    BOOST_TEST((seen.uris == expected), "file " << file << ", FJ_SEED=" << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool
