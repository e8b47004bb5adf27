// Rows are found in a file whatever stands between them: erased ones, halves, damage.
#include <fmt/format.h>
#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <vector>

#include "clients/spool/core/record.h"
#include "fastjournal/message.h"
#include "tests/support/seed.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {
namespace {

constexpr Seed kSeed{0x0123456789abcdef};

std::string record_of(std::string_view uri) {
  std::vector<Param> const params{{"table", Value::of_text("pages")}, {"uri", Value::of_text(uri)}};
  std::string out;
  BOOST_REQUIRE(append_record("INSERT", params, kSeed, out).ok());
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
    Found const found = find_record(bytes, at, kSeed, is_settled);
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

std::string hex_of(std::string_view bytes) {
  std::string out;
  for (char const byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

// The bytes of the format, which other programs may write.
BOOST_AUTO_TEST_CASE(golden_bytes) {
  BOOST_TEST(hex_of(head_of_file(kSeed)) ==
             "464a5301"            // the mark
             "00000000"            //
             "efcdab8967452301"    // the seed
             "c254aa7b06b69ef4");  // XXH3
  BOOST_TEST(hex_of(record_of("a")) ==
             "464a5201"          // the mark
             "2e000000"          // 46 bytes follow the head
             "7f75f4c900e98428"  // XXH3
             "82a7636f6d6d616e64a6494e53455254aa706172616d657465727382a57461626c65a57061676573a3757269a161");
}

BOOST_AUTO_TEST_CASE(a_head_is_whole_or_none) {
  std::string const head = head_of_file(kSeed);
  BOOST_TEST((seed_of_file(head + "rows") == kSeed));
  for (std::size_t size = 0; size < head.size(); ++size) BOOST_TEST(!seed_of_file(head.substr(0, size)), size);
  for (std::size_t at = 0; at < head.size(); ++at) {
    std::string changed = head;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    BOOST_TEST(!seed_of_file(changed), "byte " << at);
  }
}

// Of a producer that found the file empty as well.
BOOST_AUTO_TEST_CASE(another_head_is_no_damage) {
  std::string const head = head_of_file({7});
  Read const seen = read(head_of_file(kSeed) + head + record_of("a") + head + head + record_of("b") + head);
  BOOST_TEST((seen.uris == Uris{"a", "b"}));
  BOOST_TEST(seen.damaged == 0U);
  Read const cut = read(record_of("a") + head.substr(0, 10));
  BOOST_TEST(cut.unfinished_at == record_of("a").size());
  BOOST_TEST(cut.damaged == 0U);
  BOOST_TEST(read(record_of("a") + head.substr(0, 10) + record_of("b")).damaged > 0U);
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

// The bytes that a head lost happen to be those of the row behind it.
BOOST_AUTO_TEST_CASE(a_head_that_was_cut_swallows_no_row) {
  for (std::uint64_t seed = 0;; ++seed) {
    std::string const head = head_of_file({seed});
    if (head.back() != 'F') continue;
    std::string const cut = head.substr(0, head.size() - 1);
    BOOST_TEST((read(record_of("a") + cut + record_of("b")).uris == Uris{"a", "b"}));
    // And while the row is being written.
    for (std::size_t size = 1; size < record_of("b").size(); ++size) {
      std::string const bytes = record_of("a") + cut + record_of("b").substr(0, size);
      BOOST_TEST(read(bytes).unfinished_at <= record_of("a").size() + cut.size());
    }
    return;
  }
}

// Its producer is killed in the middle, behind a value that spells a record: with the seed of another file, with none,
// and with the size in its place.
BOOST_AUTO_TEST_CASE(a_record_within_half_a_row_is_no_row) {
  std::vector<Param> const params{{"table", Value::of_text("pages")}, {"uri", Value::of_text("forged")}};
  for (Seed const guess : {Seed{0}, Seed{7}, Seed{48}}) {
    std::string inner;
    BOOST_REQUIRE(append_record("INSERT", params, guess, inner).ok());
    std::string const outer = record_of(inner + std::string(100, 'x'));
    for (std::size_t size = outer.size() - 100; size < outer.size(); ++size) {
      Read const seen = read(record_of("a") + outer.substr(0, size) + record_of("b"));
      BOOST_TEST((seen.uris == Uris{"a", "b"}));
      BOOST_TEST((read(record_of("a") + outer.substr(0, size), true).uris == Uris{"a"}));
    }
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
  Status const status = append_record("INSERT", large, kSeed, out);
  BOOST_TEST((status.code() == Code::too_large));
  BOOST_TEST(out == "before");
}

// Whatever stands in between, all whole rows are found, in order.
BOOST_AUTO_TEST_CASE(random_files) {
  std::uint64_t const seed = fastjournal::test::seed_or(1);
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
        case 1:
          if (chance() % 2 == 0)
            bytes.append(chance() % 300, '\0');
          else
            bytes += head_of_file({chance()});
          break;
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
