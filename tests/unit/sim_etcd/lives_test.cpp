// Random lives of the simulated etcd with all its faults: what clients are answered is what etcd could answer
// (history.h), and every fault occurs. FJ_SEED is the seed of the first life, FJ_ETCD_LIVES how many there are.
#include <boost/test/unit_test.hpp>

#include <array>
#include <string>

#include "tests/support/seed.h"
#include "tests/unit/sim_etcd/life.h"

namespace fastjournal::sim {
namespace {

struct Lives {
  void play(LifeOptions options, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i, ++options.seed) {
      LifeResult const result = live(options);
      BOOST_TEST(result.wrong == "", "FJ_SEED=" << options.seed << ":\n" << result.wrong);
      for (std::size_t fault = 0; fault < kEtcdFaults; ++fault) faults[fault] += result.faults[fault];
      counts.done += result.counts.done;
      counts.unknown_and_done += result.counts.unknown_and_done;
      counts.unknown_and_not_done += result.counts.unknown_and_not_done;
      counts.leases_ended += result.counts.leases_ended;
      counts.reads += result.counts.reads;
      counts.news += result.counts.news;
      asked += result.asked;
    }
    std::string text;
    for (std::size_t fault = 0; fault < kEtcdFaults; ++fault)
      text += " " + std::string{name_of(static_cast<EtcdFault>(fault))} + "=" + std::to_string(faults[fault]);
    BOOST_TEST_MESSAGE(asked << " requests, " << counts.done << " changes done, " << counts.unknown_and_done
                             << " unknown and done, " << counts.unknown_and_not_done << " unknown and not done, "
                             << counts.reads << " reads, " << counts.news << " news, " << counts.leases_ended
                             << " leases ended;" << text);
  }
  [[nodiscard]] std::uint64_t of(EtcdFault fault) const { return faults[static_cast<std::size_t>(fault)]; }

  std::array<std::uint64_t, kEtcdFaults> faults{};
  HistoryCounts counts;
  std::size_t asked{0};
};

LifeOptions seeded(std::uint64_t seed) {
  LifeOptions options;
  options.seed = test::seed_or(seed);
  BOOST_TEST_MESSAGE("FJ_SEED=" << options.seed);
  return options;
}
std::uint64_t lives(std::uint64_t otherwise) { return test::number_from("FJ_ETCD_LIVES", otherwise); }

}  // namespace

BOOST_AUTO_TEST_SUITE(sim_etcd_lives)

BOOST_AUTO_TEST_CASE(answers_and_news_are_those_of_one_order_and_every_fault_occurs) {
  Lives all;
  all.play(seeded(1), lives(300));
  BOOST_TEST(all.counts.done > 0U);
  BOOST_TEST(all.counts.unknown_and_done > 0U);
  BOOST_TEST(all.counts.unknown_and_not_done > 0U);
  BOOST_TEST(all.counts.leases_ended > 0U);
  for (std::size_t i = 0; i < kEtcdFaults; ++i) {
    auto const fault = static_cast<EtcdFault>(i);
    if (fault == EtcdFault::late_revocation || fault == EtcdFault::done_without_space) continue;
    BOOST_TEST(all.of(fault) > 0U, name_of(fault));
  }
}

BOOST_AUTO_TEST_CASE(at_the_quota_they_are_so_too) {
  LifeOptions options = seeded(10'001);
  options.has_quota = true;
  Lives all;
  all.play(options, lives(100));
  BOOST_TEST(all.of(EtcdFault::done_without_space) > 0U);
}

BOOST_AUTO_TEST_CASE(leases_that_end_early_change_nothing_else) {
  LifeOptions options = seeded(20'001);
  options.faults.late_revocation = 500;
  options.faults.members_cut = 30;
  Lives all;
  all.play(options, lives(30));
  BOOST_TEST(all.of(EtcdFault::late_revocation) > 0U);
}

BOOST_AUTO_TEST_CASE(without_faults_nothing_is_lost_and_leaders_stay) {
  LifeOptions options = seeded(30'001);
  options.faults = {};
  Lives all;
  all.play(options, lives(20));
  BOOST_TEST(all.of(EtcdFault::proposal_lost) == 0U);
  BOOST_TEST(all.of(EtcdFault::elected) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim
