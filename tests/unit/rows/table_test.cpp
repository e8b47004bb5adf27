// Rows without a journal: a table type of its own (parcels.h) adds, leases, gives back, holds, compacts, replays
// and follows rows. After each step the digest of its replay must equal its own.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/rows/parcels.h"

using namespace fastjournal;
using namespace fastjournal::rows;
using namespace fastjournal::rows::test;

namespace {

std::uint64_t table_seed_of_run() {
  char const* const given = std::getenv("FJ_SEED");
  return given == nullptr ? 20260701U : std::strtoull(given, nullptr, 10);
}

AttemptRules rules_with(AtLeaseEnd at_lease_end) {
  AttemptRules rules;
  rules.at_lease_end = at_lease_end;
  rules.back_off_first = 1000;
  rules.back_off_jitter = 0;
  rules.max_timeouts = 1;
  return rules;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rows_table)

BOOST_AUTO_TEST_CASE(rows_are_handed_out_in_their_order_and_end) {
  Parcels parcels{rules_with(AtLeaseEnd::wait)};
  ObjectId const first = parcels.add("anna");
  ObjectId const second = parcels.add("bert");
  BOOST_TEST((parcels.take(1, 5000) == first));
  BOOST_TEST((parcels.take(2, 5000) == second));
  BOOST_TEST(parcels.take(3, 5000).is_none());
  BOOST_TEST(parcels.leases.held == 2);
  parcels.deliver(second);
  BOOST_TEST(parcels.state().rows().size() == 1U);
  BOOST_TEST(parcels.effects.added_rows == 2);
  BOOST_TEST(parcels.effects.delivered == 1);
  BOOST_TEST(parcels.leases.held == 1);
  BOOST_TEST(parcels.replays());
}

BOOST_AUTO_TEST_CASE(a_lease_that_ends_means_another_attempt_until_the_last) {
  Parcels parcels{rules_with(AtLeaseEnd::wait)};
  ObjectId const id = parcels.add("anna");
  parcels.take(1, 5000);
  parcels.pass(5000);
  BOOST_TEST((parcels.place(id) == Place::future));
  parcels.pass(1000);
  BOOST_TEST((parcels.take(1, 5000) == id));
  parcels.pass(5000);
  BOOST_TEST((parcels.place(id) == Place::parked));
  BOOST_TEST(parcels.replays());
}

BOOST_AUTO_TEST_CASE(a_lease_that_ends_may_park_its_row_at_once) {
  Parcels parcels{rules_with(AtLeaseEnd::park)};
  ObjectId const id = parcels.add("anna");
  parcels.take(1, 5000);
  parcels.pass(5000);
  BOOST_TEST((parcels.place(id) == Place::parked));
  BOOST_TEST(parcels.replays());
}

BOOST_AUTO_TEST_CASE(a_held_row_stays_until_somebody_decides) {
  Parcels parcels{rules_with(AtLeaseEnd::hold)};
  ObjectId const id = parcels.add("anna");
  parcels.take(7, 5000);
  LeaseEpoch const epoch = parcels.state().lease_of(parcels.row(id)).epoch;
  parcels.pass(5000);
  BOOST_TEST((parcels.place(id) == Place::held));
  BOOST_TEST(parcels.effects.held_rows == 1);
  BOOST_TEST(parcels.leases.held == 0);
  // It is neither handed out nor removed, however much time passes, also after a restart.
  parcels.pass(365LL * 86'400'000);
  BOOST_TEST(parcels.take(1, 5000).is_none());
  BOOST_TEST((parcels.timers->next_due() == TimeMs::max()));
  BOOST_TEST(parcels.replays());
  parcels.restart();
  BOOST_TEST((parcels.place(id) == Place::held));
  // Its last worker is still known.
  Lease const& lease = parcels.state().lease_of(parcels.row(id));
  BOOST_TEST((lease.epoch == epoch));
  BOOST_TEST(parcels.state().leases().worker(lease) == "carrier 7");
  BOOST_TEST(parcels.state().places().held().size() == 1U);
  BOOST_TEST(unsigned{parcels.state().row(parcels.row(id)).timeouts()} == 1U);
  parcels.deliver(id);
  BOOST_TEST(parcels.state().rows().size() == 0U);
  BOOST_TEST(parcels.state().places().held().size() == 0U);
  BOOST_TEST(parcels.state().leases().size() == 0U);
  BOOST_TEST(parcels.replays());
}

BOOST_AUTO_TEST_CASE(a_held_row_can_be_tried_again_or_taken_up_by_its_worker) {
  Parcels parcels{rules_with(AtLeaseEnd::hold)};
  ObjectId const first = parcels.add("anna");
  ObjectId const second = parcels.add("bert");
  parcels.take(1, 5000);
  parcels.take(2, 5000);
  parcels.pass(5000);
  parcels.put_back(first);
  BOOST_TEST((parcels.take(3, 5000) == first));
  parcels.touch(second, 2, 9000);
  BOOST_TEST((parcels.place(second) == Place::processing));
  BOOST_TEST((parcels.timers->next_due() == parcels.now + DurationMs{5000}));
  BOOST_TEST(parcels.replays());
  parcels.pass(9000);
  BOOST_TEST((parcels.place(second) == Place::held));
  BOOST_TEST(parcels.replays());
}

BOOST_AUTO_TEST_CASE(a_held_row_does_not_count_for_the_tables_concurrency) {
  Parcels parcels{rules_with(AtLeaseEnd::hold)};
  Rules rules;
  rules.concurrency = 1;
  NoObserver nobody;
  parcels.table->set_rules(rules, nobody);
  ObjectId const first = parcels.add("anna");
  ObjectId const second = parcels.add("bert");
  BOOST_TEST((parcels.take(1, 5000) == first));
  BOOST_TEST(parcels.take(2, 5000).is_none());
  parcels.pass(5000);
  BOOST_TEST((parcels.take(2, 5000) == second));
  BOOST_TEST(parcels.take(3, 5000).is_none());
}

// A table type that does not hold rows must refuse the record of a held one, and not read it as a row that waits.
BOOST_AUTO_TEST_CASE(only_tables_that_hold_rows_know_their_records) {
  Parcels parcels{rules_with(AtLeaseEnd::hold)};
  parcels.add("anna");
  parcels.take(1, 5000);
  parcels.pass(5000);
  RowTable other{0, {.holds = false}};
  other.add_schema(parcel_schema());
  NoObserver nobody;
  NoEffects none;
  auto const& stored = parcels.log.stored();
  for (std::size_t i = 0; i < stored.size(); ++i)
    BOOST_TEST(other.apply(stored[i].view(), {.live = false, .now = {}, .base = Lsn{8}}, nobody, none) ==
               (i + 1 < stored.size()));
  BOOST_TEST(unsigned{other.newest_version(static_cast<std::uint8_t>(RecordType::hold))} == 0U);
  BOOST_TEST(unsigned{other.newest_version(static_cast<std::uint8_t>(RecordType::row))} == 7U);
  BOOST_TEST(unsigned{parcels.table->newest_version(static_cast<std::uint8_t>(RecordType::row))} == 7U);
}

BOOST_AUTO_TEST_CASE(an_accepted_clock_moves_the_end_of_a_held_lease_too) {
  Parcels parcels{rules_with(AtLeaseEnd::hold)};
  ObjectId const id = parcels.add("anna");
  parcels.take(1, 5000);
  parcels.pass(5000);
  TimeMs const from = parcels.now;
  TimeMs const to = from + DurationMs{-86'400'000};
  parcels.now = to;
  parcels.step([&](Decision& decision) { parcels.timers->clock_accepted(from, decision); });
  BOOST_TEST((parcels.place(id) == Place::held));
  BOOST_TEST(parcels.state().lease_of(parcels.row(id)).ends == to.value);
  BOOST_TEST(parcels.state().places().held().begin()->first == to.value);
  parcels.deliver(id);
  BOOST_TEST(parcels.state().places().held().empty());
}

BOOST_AUTO_TEST_CASE(random_lives_replay_from_any_base_to_the_same_digest) {
  std::uint64_t const first = table_seed_of_run();
  std::uint64_t const end = first + (std::getenv("FJ_SEED") == nullptr ? 30U : 1U);
  for (std::uint64_t seed = first; seed < end; ++seed) {
    BOOST_TEST_CONTEXT("FJ_SEED=" << seed) {
      std::mt19937_64 chance{seed};
      constexpr AtLeaseEnd kEnds[] = {AtLeaseEnd::wait, AtLeaseEnd::park, AtLeaseEnd::hold};
      Parcels parcels{rules_with(kEnds[seed % 3])};
      std::vector<ObjectId> ids;
      for (int step = 0; step < 300; ++step) {
        ObjectId const some = ids.empty() ? ObjectId{} : ids[chance() % ids.size()];
        bool const there = !some.is_none() && parcels.row(some) != kNoRow;
        switch (chance() % 9) {
          case 0:
          case 1: ids.push_back(parcels.add(std::string(chance() % 200, 'x'))); break;
          case 2:
          case 3: parcels.take(1 + chance() % 3, static_cast<std::int64_t>(chance() % 5000)); break;
          case 4: parcels.pass(static_cast<std::int64_t>(chance() % 3000)); break;
          case 5:
            if (there) parcels.deliver(some);
            break;
          case 6:
            if (there) parcels.put_back(some);
            break;
          case 7:
            if (there && has_lease(parcels.place(some))) parcels.touch(some, 1 + chance() % 3, 4000);
            break;
          default:
            if (chance() % 4 == 0) parcels.restart();
            if (chance() % 4 == 0) parcels.move_base();
        }
        BOOST_REQUIRE(parcels.replays());
      }
    }
  }
}

// The pages of a snapshot, together with the changes made between them, give the whole table.
BOOST_AUTO_TEST_CASE(a_follower_has_the_same_rows_as_the_table_held_ones_too) {
  Parcels parcels{rules_with(AtLeaseEnd::hold)};
  for (int i = 0; i < 40; ++i) parcels.add("parcel " + std::to_string(i));
  for (std::uint64_t i = 0; i < 20; ++i) parcels.take(i, i < 10 ? 1000 : 100'000);
  parcels.pass(1000);
  RowTable follower{0, {.holds = true}};
  follower.add_schema(parcel_schema());
  NoObserver nobody;
  NoEffects none;
  SnapshotCursor cursor;
  int pages = 0;
  for (bool complete = false; !complete; ++pages) {
    BOOST_REQUIRE(pages < 100);
    fastjournal::test::MemoryLog page;
    CopyRoom room{500};
    complete = parcels.table->snapshot(cursor, room, page);
    for (auto const& record : page.stored())
      BOOST_REQUIRE(
          follower.apply(record.view(), {.live = false, .now = {}, .base = RowTable::kBaseOfPart}, nobody, none));
    // A change between two pages.
    std::size_t const before = parcels.log.stored().size();
    parcels.add("later");
    if (pages == 1) parcels.put_back(parcels.state().id_of(parcels.state().places().held().begin()->second));
    for (std::size_t i = before; i < parcels.log.stored().size(); ++i) {
      RecordView const record = parcels.log.stored()[i].view();
      if (!RowTable::comes_later(cursor, record))
        BOOST_REQUIRE(follower.apply(record, {.live = false, .now = {}, .base = RowTable::kBaseOfPart}, nobody, none));
    }
    if (complete) break;
  }
  BOOST_TEST(pages > 3);
  BOOST_TEST(Parcels::digest_of(follower) == Parcels::digest_of(*parcels.table));
}

BOOST_AUTO_TEST_SUITE_END()
