// The data structures under rows, each against a plain reference with random work by seed, and the claims in their
// headers.
#include <boost/test/unit_test.hpp>

#include <malloc.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "plugins/rows/dedup_windows.h"
#include "plugins/rows/id_index.h"
#include "plugins/rows/key_index.h"
#include "plugins/rows/leases.h"
#include "plugins/rows/payload.h"
#include "plugins/rows/payload_store.h"
#include "tests/support/seed.h"

using namespace fastjournal;
using namespace fastjournal::rows;

namespace {

std::uint64_t structures_seed_of_run() { return fastjournal::test::seed_or(20260102U); }

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_structures)

BOOST_AUTO_TEST_CASE(the_payload_store_keeps_what_it_was_given) {
  std::uint64_t const seed = structures_seed_of_run();
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 chance{seed};
    PayloadStore store;
    std::vector<std::pair<std::uint32_t, std::string>> held;
    for (int round = 0; round < 40'000; ++round) {
      if (held.size() < 3000 && chance() % 5 < 3) {
        std::size_t const size = chance() % 50 == 0 ? chance() % 100'000 : chance() % (chance() % 2 == 0 ? 300 : 9000);
        std::string text(size, static_cast<char>('a' + chance() % 26));
        std::uint32_t const handle = store.take(size);
        if (size > 0) std::memcpy(store.at(handle), text.data(), size);
        held.emplace_back(handle, std::move(text));
      } else if (!held.empty()) {
        std::size_t const at = chance() % held.size();
        auto& [handle, text] = held[at];
        BOOST_REQUIRE((std::string_view{store.at(handle), text.size()} == text));
        store.release(handle, text.size());
        held[at] = std::move(held.back());
        held.pop_back();
      }
    }
    for (auto& [handle, text] : held) {
      BOOST_REQUIRE((std::string_view{store.at(handle), text.size()} == text));
      store.release(handle, text.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_payload_store_has_given_its_pages_back) {
  PayloadStore store;
  std::vector<std::uint32_t> handles;
  for (int i = 0; i < 100'000; ++i) handles.push_back(store.take(200));
  BOOST_TEST(store.memory_bytes() < 100'000U * 202);
  for (std::uint32_t const handle : handles) store.release(handle, 200);
  BOOST_TEST(store.memory_bytes() < 200'000U);
}

BOOST_AUTO_TEST_CASE(the_key_index_agrees_with_a_map_while_it_grows_and_shrinks) {
  std::uint64_t const seed = structures_seed_of_run();
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 chance{seed};
    KeyIndex index;
    std::vector<std::uint32_t> hash_of_row;  // row number -> hash; some hashes are shared
    std::set<std::uint32_t> in;
    auto const find = [&](std::uint32_t row) {
      return index.find(hash_of_row[row], [&](std::uint32_t found) { return found == row; });
    };
    for (std::uint32_t row = 0; row < 60'000; ++row)
      hash_of_row.push_back(chance() % 20 == 0 && row > 0 ? hash_of_row[chance() % row]
                                                          : static_cast<std::uint32_t>(chance()));
    for (int phase = 0; phase < 4; ++phase) {
      std::size_t const adding = phase % 2 == 0 ? 9 : 2;
      for (int round = 0; round < 100'000; ++round) {
        auto const row = static_cast<std::uint32_t>(chance() % hash_of_row.size());
        bool const there = in.contains(row);
        BOOST_REQUIRE((find(row) == (there ? row : kNoRow)));
        if (!there && chance() % 10 < adding) {
          index.insert(hash_of_row[row], row);
          in.insert(row);
        } else if (there && chance() % 10 >= adding) {
          index.erase(hash_of_row[row], row);
          in.erase(row);
        }
      }
      BOOST_TEST(index.size() == in.size());
      for (std::uint32_t const row : in) BOOST_REQUIRE(find(row) == row);
    }
    for (std::uint32_t const row : in) index.erase(hash_of_row[row], row);
    BOOST_TEST(index.memory_bytes() < 100'000U);
  }
}

BOOST_AUTO_TEST_CASE(keys_of_one_hash_are_told_apart) {
  KeyIndex index;
  for (std::uint32_t row = 0; row < 20'000; ++row) index.insert(0x80000000U, row);
  BOOST_TEST(index.find(0x80000000U, [](std::uint32_t row) { return row == 19'999; }) == 19'999U);
  index.replace(0x80000000U, 19'999, 30'000);
  BOOST_TEST(index.find(0x80000000U, [](std::uint32_t row) { return row == 19'999; }) == kNoRow);
  BOOST_TEST(index.find(0x80000000U, [](std::uint32_t row) { return row == 30'000; }) == 30'000U);
}

BOOST_AUTO_TEST_CASE(the_id_index_agrees_with_a_map_in_order_too) {
  std::uint64_t const seed = structures_seed_of_run();
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 chance{seed};
    IdIndex index;
    std::map<std::uint64_t, std::uint32_t> reference;
    std::uint64_t next = 1U << 20U;
    for (int round = 0; round < 100'000; ++round) {
      std::uint64_t const kind = chance() % 10;
      if (kind < 5) {
        // New ids at the end, now and then far ahead; ids of rows that were compacted anywhere, also below the
        // first one.
        next += 8 + chance() % 40 * 8;
        if (chance() % 5000 == 0) next += std::uint64_t{1} << 37U;
        std::uint64_t const id = kind == 0 ? 8 + chance() % (next / 8) * 8 : next;
        if (reference.contains(id)) continue;
        auto const row = static_cast<std::uint32_t>(round);
        index.insert(ObjectId{id}, row);
        reference.emplace(id, row);
      } else if (kind < 9 && !reference.empty()) {
        auto at = kind == 5 ? reference.begin() : reference.lower_bound(8 + chance() % next);
        if (at == reference.end()) at = reference.begin();
        BOOST_REQUIRE(index.find(ObjectId{at->first}) == at->second);
        index.erase(ObjectId{at->first});
        reference.erase(at);
      } else {
        std::uint64_t const after = chance() % next / 8 * 8;
        auto const expected = reference.upper_bound(after);
        BOOST_REQUIRE((index.next(ObjectId{after}) == (expected == reference.end() ? kNoRow : expected->second)));
        BOOST_REQUIRE((index.find(ObjectId{after}) == (reference.contains(after) ? reference[after] : kNoRow)));
      }
    }
    for (auto const& [id, row] : reference) index.erase(ObjectId{id});
    BOOST_TEST(index.memory_bytes() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(facts_are_read_as_they_were_written) {
  std::uint64_t const seed = structures_seed_of_run();
  BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
    std::mt19937_64 chance{seed};
    auto const date = [&] { return static_cast<std::int64_t>(chance() & ((1ULL << 48U) - 1)); };
    for (int round = 0; round < 2000; ++round) {
      Facts facts;
      facts.arrival = date();
      facts.inserted = chance() % 2 == 0 ? facts.arrival : date();
      facts.accepted = chance() % 2 == 0 ? facts.inserted : date();
      facts.expires = chance() % 2 == 0 ? 0 : date() | 1;
      facts.parked_at = chance() % 2 == 0 ? 0 : date() | 1;
      facts.merges = chance() % 2 == 0 ? 0 : static_cast<std::uint32_t>(chance());
      facts.schema = static_cast<std::uint16_t>(chance());
      facts.key_bytes = static_cast<std::uint32_t>(chance() % 1025);
      facts.data_bytes = static_cast<std::uint32_t>(chance() % (17U << 20U));
      facts.error_bytes = chance() % 2 == 0 ? 0 : static_cast<std::uint32_t>(chance() % 1025);
      char bytes[kFactsBytesMax];
      std::size_t const size = payload::write_facts(bytes, facts);
      BOOST_REQUIRE(size <= kFactsBytesMax);
      std::string_view rest{bytes, size};
      Facts back;
      BOOST_REQUIRE(payload::take_facts(rest, back));
      BOOST_REQUIRE(rest.empty());
      BOOST_REQUIRE(back.arrival == facts.arrival);
      BOOST_REQUIRE(back.inserted == facts.inserted);
      BOOST_REQUIRE(back.accepted == facts.accepted);
      BOOST_REQUIRE(back.expires == facts.expires);
      BOOST_REQUIRE(back.parked_at == facts.parked_at);
      BOOST_REQUIRE(back.merges == facts.merges);
      BOOST_REQUIRE(back.schema == facts.schema);
      BOOST_REQUIRE(back.key_bytes == facts.key_bytes);
      BOOST_REQUIRE(back.data_bytes == facts.data_bytes);
      BOOST_REQUIRE(back.error_bytes == facts.error_bytes);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_clients_window_is_64_k_numbers_below_its_highest) {
  DedupWindows clients{0};
  clients.note("c", 10, ObjectId{800}, 1000, Lsn{8});
  clients.note("c", 70'000, ObjectId{808}, 1001, Lsn{1U << 20U});
  BOOST_TEST((clients.look("c", 10).answer == DedupWindows::Answer::below_window));
  BOOST_TEST((clients.look("c", 70'000 - 65'536).answer == DedupWindows::Answer::below_window));
  BOOST_TEST((clients.look("c", 70'000 - 65'535).answer == DedupWindows::Answer::fresh));
  BOOST_TEST((clients.look("c", 70'000).answer == DedupWindows::Answer::seen));
  BOOST_TEST(clients.look("c", 70'000).row.value == 808U);
  BOOST_TEST((clients.look("d", 1).answer == DedupWindows::Answer::fresh));
  // The segment below the window is dropped, and no longer needs its place in the log.
  BOOST_TEST(clients.sequences() == 1U);
  BOOST_TEST(clients.regions().oldest().value == 1U << 20U);
  clients.drop("c");
  BOOST_TEST(clients.regions().oldest().is_none());
  BOOST_TEST(clients.size() == 0U);
}

// The window may end inside a segment, above all numbers in it. Such a segment would never be compacted, and would hold
// the base for ever.
BOOST_AUTO_TEST_CASE(a_segment_goes_with_the_last_number_that_it_has) {
  DedupWindows clients{0};
  clients.note("c", 3, ObjectId{800}, 1000, Lsn{8});
  clients.note("c", 10, ObjectId{808}, 1000, Lsn{16});
  clients.note("c", kSequenceWindow + 9, ObjectId{816}, 1000, Lsn{1U << 20U});
  BOOST_TEST(clients.sequences() == 3U);  // 10 must still be answered
  BOOST_TEST((clients.look("c", 10).answer == DedupWindows::Answer::seen));
  clients.note("c", kSequenceWindow + 10, ObjectId{824}, 1000, Lsn{1U << 20U});
  BOOST_TEST(clients.sequences() == 2U);
  BOOST_TEST(clients.regions().oldest().value == 1U << 20U);
}

// Not under sanitizers: mallinfo2 does not see their allocations.
#ifndef FJ_SANITIZED
// Names must be counted: uncounted, they were half of the memory that leases take.
BOOST_AUTO_TEST_CASE(leases_count_the_names_of_their_workers) {
  constexpr std::uint32_t kLeases = 20'000;
  Leases leases{0};
  std::uint64_t const before = ::mallinfo2().uordblks;
  for (std::uint32_t i = 0; i < kLeases; ++i)
    static_cast<void>(
        leases.add(i, {.ends = i, .connection = i + 1, .worker = std::to_string(i) + std::string(240, 'w')}));
  std::uint64_t const took = ::mallinfo2().uordblks - before;
  BOOST_TEST(leases.memory_bytes() >= took - took / 10);
  BOOST_TEST(leases.memory_bytes() <= took + took / 4);
  // Once no lease is left, the memory of the names is given back.
  for (std::uint32_t i = 0; i < kLeases; ++i) leases.remove(i);
  BOOST_TEST(leases.memory_bytes() < took / 20);
  BOOST_TEST(leases.add(1, {.worker = "anna"}) == 0U);
  BOOST_TEST(leases.worker(leases[0]) == "anna");
}
#endif

BOOST_AUTO_TEST_SUITE_END()
