// Entries of a log on etcd: their bytes, and how records are put together from them.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "log/etcd/entry.h"
#include "log/etcd/names.h"
#include "log/etcd/stream.h"
#include "log/record_format.h"
#include "tests/support/seed.h"

namespace fastjournal::log::etcd::test {
namespace {

constexpr std::uint64_t kStoreId = 4711;

// Records of one group, of these sizes.
std::string group(std::vector<std::size_t> const& sizes, char fill = 'x') {
  std::string out;
  std::size_t last = 0;
  for (std::size_t const bytes : sizes) {
    last = out.size();
    out.resize(last + record_bytes(false, bytes));
    std::span<std::byte> const body =
        begin_record(std::as_writable_bytes(std::span{out}).subspan(last), TableId{7}, 3, 1, {}, bytes);
    std::ranges::fill(body, static_cast<std::byte>(fill));
  }
  mark_last_of_group(std::as_writable_bytes(std::span{out}).data() + last);
  return out;
}

struct Sink final : RecordSink {
  Status on_record(RecordView const& record) override {
    lsns.push_back(record.lsn.value);
    bodies.emplace_back(as_text(record.body));
    return {};
  }
  std::vector<std::uint64_t> lsns;
  std::vector<std::string> bodies;
};

Entry entry(std::uint64_t sequence, Lsn lsn, std::string_view bytes, Lsn first_group = {}) {
  return {.token = 5, .sequence = sequence, .lsn = lsn, .group = first_group, .bytes = bytes};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(etcd_stream)

BOOST_AUTO_TEST_CASE(an_entry_is_read_as_it_was_written) {
  Entry one = entry(17, Lsn{4096}, "some bytes", Lsn{4104});
  for (bool const is_first : {false, true}) {
    one.is_first = is_first;
    one.cut = is_first ? Lsn{4000} : Lsn{};
    one.start = is_first ? 9 : 0;
    std::string const value = encode(one, kStoreId);
    std::optional<Entry> const read = decode(value, kStoreId);
    BOOST_REQUIRE(read.has_value());
    BOOST_TEST(read->token == 5U);
    BOOST_TEST(read->sequence == 17U);
    BOOST_TEST(read->lsn.value == 4096U);
    BOOST_TEST(read->group.value == 4104U);
    BOOST_TEST(read->is_first == is_first);
    BOOST_TEST(read->cut.value == one.cut.value);
    BOOST_TEST(read->start == one.start);
    BOOST_TEST(read->bytes == "some bytes");
  }
}

// For good: logs have these bytes.
BOOST_AUTO_TEST_CASE(the_bytes_of_an_entry_stay_what_they_are) {
  std::string const value = encode(entry(1, Lsn{65536}, "abc", Lsn{65536}), kStoreId);
  BOOST_TEST(value.size() == 51U);
  BOOST_TEST(load_little<std::uint32_t>(value.data() + 8) == 0x31454A46U);
  BOOST_TEST(value.substr(8, 4) == "FJE1");
  BOOST_TEST(load_little<std::uint64_t>(value.data()) == 10'789'454'847'239'572'393ULL);
}

BOOST_AUTO_TEST_CASE(damage_and_entries_of_other_logs_are_refused) {
  std::string const value = encode(entry(1, Lsn{65536}, "abc"), kStoreId);
  BOOST_TEST(!decode(value, kStoreId + 1).has_value());
  for (std::size_t at = 0; at < value.size(); ++at) {
    std::string damaged = value;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    BOOST_TEST(!decode(damaged, kStoreId).has_value(), "byte " << at);
    BOOST_TEST(!decode(value.substr(0, at), kStoreId).has_value(), "cut at " << at);
  }
}

BOOST_AUTO_TEST_CASE(the_value_of_base_is_read_as_it_was_written) {
  Base const base{17, Lsn{4096}, Lsn{1024}};
  BOOST_TEST(encode(base) == "17 4096 1024");
  BOOST_TEST((decode_base(encode(base)) == base));
  for (char const* const wrong : {"", "17", "17 4096", "17 4096 x", "17 4096 1024 3", "0 1 2", "-1 2 3"})
    BOOST_TEST(!decode_base(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(keys_are_known_by_their_prefix) {
  Names const names{"/fastjournal/shared/"};
  BOOST_TEST(names.entry(255) == "/fastjournal/shared/l/00000000000000ff");
  BOOST_TEST(names.sequence_of(names.entry(255)).value() == 255U);
  BOOST_TEST(!names.sequence_of("/fastjournal/shared/own").has_value());
  BOOST_TEST(!names.sequence_of("/fastjournal/shared/l/00000000000000fg").has_value());
  BOOST_TEST(!names.sequence_of("/fastjournal/other/l/00000000000000ff").has_value());
  BOOST_TEST((names.entry(UINT64_MAX) < names.entries_end()));
  BOOST_TEST((names.entries_end() < names.end()));
  BOOST_TEST((names.own() < names.end()));
}

// Wherever the entries are cut.
BOOST_AUTO_TEST_CASE(groups_are_handed_out_whole_and_once) {
  std::mt19937_64 random{fastjournal::test::seed_or(20261128)};
  std::string all;
  std::size_t records = 0;
  for (int at = 0; at < 200; ++at) {
    std::vector<std::size_t> sizes(1 + random() % 4);
    for (std::size_t& bytes : sizes) bytes = random() % 300;
    records += sizes.size();
    all += group(sizes);
  }
  for (int round = 0; round < 50; ++round) {
    Stream stream;
    stream.begin({});
    Sink sink;
    std::uint64_t sequence = 1;
    for (std::size_t at = 0; at < all.size();) {
      std::size_t const bytes = std::min(all.size() - at, (1 + random() % 100) * kLsnAlign);
      BOOST_REQUIRE(stream.add(entry(sequence++, Lsn{65536 + at}, std::string_view{all}.substr(at, bytes)), sink).ok());
      at += bytes;
    }
    BOOST_TEST(sink.lsns.size() == records);
    BOOST_TEST(std::ranges::is_sorted(sink.lsns));
    BOOST_TEST(stream.applied().value == 65536 + all.size());
    BOOST_TEST(stream.waiting_bytes() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(what_an_owner_did_not_finish_is_no_part_of_the_log) {
  std::string const whole = group({10, 20}, 'a');
  std::string const torn = group({30, 40}, 'b');
  std::string const next = group({50}, 'c');
  Stream stream;
  stream.begin({});
  Sink sink;
  std::string const first = whole + torn.substr(0, 48);
  BOOST_TEST(stream.add(entry(1, Lsn{65536}, first), sink).ok());
  BOOST_TEST(sink.bodies.size() == 2U);
  Lsn const cut = stream.applied();
  BOOST_TEST(cut.value == 65536 + whole.size());
  Entry other = entry(2, Lsn{73728}, next);
  other.is_first = true;
  other.cut = cut;
  other.start = 4;
  BOOST_TEST(stream.add(other, sink).ok());
  BOOST_TEST(sink.bodies.size() == 3U);
  BOOST_TEST(sink.bodies.back() == std::string(50, 'c'));
  BOOST_TEST(sink.lsns.back() == 73728U);
  BOOST_TEST(stream.start() == 4U);
}

BOOST_AUTO_TEST_CASE(reading_begins_in_the_middle_of_an_entry) {
  std::string const before = group({10}, 'a');
  std::string const after = group({20}, 'b');
  Stream stream;
  stream.begin({.sequence = 9, .lsn = Lsn{65536 + before.size()}});
  Sink sink;
  BOOST_TEST(stream.add(entry(9, Lsn{65536}, before + after), sink).ok());
  BOOST_TEST(sink.bodies.size() == 1U);
  BOOST_TEST(sink.lsns.front() == 65536 + before.size());
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_damage) {
  std::string const one = group({10});
  auto const refused = [&](Entry const& second) {
    Stream stream;
    stream.begin({});
    Sink sink;
    BOOST_TEST(stream.add(entry(1, Lsn{65536}, one), sink).ok());
    Status const status = stream.add(second, sink);
    return status.code() == Code::damaged;
  };
  Lsn const end{65536 + one.size()};
  BOOST_TEST(!refused(entry(2, end, one)));
  BOOST_TEST(refused(entry(3, end, one)));
  BOOST_TEST(refused(entry(2, Lsn{end.value + 8}, one)));
  BOOST_TEST(refused(entry(2, Lsn{end.value - 8}, one)));
  Entry first = entry(2, Lsn{73728}, one);
  first.is_first = true;
  first.cut = end;
  BOOST_TEST(!refused(first));
  first.cut = Lsn{end.value - 8};
  BOOST_TEST(refused(first));
  first.cut = end;
  first.lsn = Lsn{end.value - 8};
  BOOST_TEST(refused(first));
  std::string malformed = one;
  malformed[10] = 1;  // two bytes of the head are zero
  BOOST_TEST(refused(entry(2, end, malformed)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::etcd::test
