// Scrubbing reads everything durable again. Each damaged block is found and named, and nothing else is ever reported as
// damaged, whatever the log does between the begin and the end of a step.
#include <algorithm>
#include <random>

#include "tests/unit/log/file/log_world.h"

namespace fastjournal::log::file::test {

namespace {

// Scrubs one whole round.
ScrubReport round(FileLog& log) {
  std::uint64_t const before = log.scrubber().report().rounds;
  for (int steps = 0; log.scrubber().report().rounds == before; ++steps) {
    BOOST_REQUIRE(steps < 100'000);
    std::unique_ptr<ScrubStep> step = log.scrubber().take_step();
    if (step == nullptr) continue;
    step->run();
    log.scrubber().finish_step(std::move(step));
  }
  return log.scrubber().report();
}

std::vector<std::string> segments(World& world) {
  std::vector<std::string> names = world.disk.list("data/log").value();
  std::erase_if(names, [](std::string const& name) { return !index_of_segment(name); });
  return names;
}

void fill(World& world, int records) {
  FJ_REQUIRE_OK(world.open());
  for (int i = 0; i < records; ++i) BOOST_REQUIRE(world.put(pattern(static_cast<std::size_t>(50 + i * 97 % 2000), 3)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(scrub)

BOOST_AUTO_TEST_CASE(a_round_reads_everything_durable_and_finds_nothing_wrong_in_a_sound_log) {
  World world;
  fill(world, 100);
  for (std::uint64_t rounds = 1; rounds <= 3; ++rounds) {
    ScrubReport const report = round(*world.log);
    BOOST_TEST(report.rounds == rounds);
    BOOST_TEST(report.damaged == 0U);
    BOOST_TEST(report.bytes >= rounds * world.log->usage().logical_bytes);
    BOOST_TEST(report.round_total == 0U);
  }
  BOOST_TEST(!world.log->scrubber().is_damaged());
}

BOOST_AUTO_TEST_CASE(a_log_of_several_starts_is_read_over_its_cuts) {
  World world;
  for (int start = 0; start < 5; ++start) {
    fill(world, 7);
    if (start % 2 == 1) world.crash(sim::keep_none());
  }
  ScrubReport const report = round(*world.log);
  BOOST_TEST(report.damaged == 0U);
  BOOST_TEST(report.bytes >= world.log->usage().logical_bytes);
}

BOOST_AUTO_TEST_CASE(an_empty_log_has_short_rounds) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(round(*world.log).bytes == 0U);
}

BOOST_AUTO_TEST_CASE(every_damaged_block_of_the_durable_range_is_found_and_named) {
  World world;
  fill(world, 40);
  std::uint64_t const block = world.options.block_bytes;
  std::uint64_t found = 0;
  for (std::string const& name : segments(world)) {
    for (std::uint64_t offset = kHeaderBlocks * block; offset < world.options.segment_bytes; offset += block) {
      world.disk.flip("data/log/" + name, offset + 77, 4);
      std::uint64_t const before = world.log->scrubber().report().damaged;
      ScrubReport const report = round(*world.log);
      bool const told = report.damaged != before;
      found += told ? 1 : 0;
      if (told) {
        BOOST_TEST(report.damaged == before + 1);
        BOOST_TEST(report.last_damage.starts_with("data/log/container-"), report.last_damage);
        BOOST_TEST(report.last_damage.find(" offset ") != std::string::npos, report.last_damage);
        BOOST_TEST(world.log->scrubber().is_damaged());
      }
      world.disk.flip("data/log/" + name, offset + 77, 4);
      // The damaged byte is repaired: another round finds nothing more.
      if (told) BOOST_TEST(round(*world.log).damaged == before + 1);
    }
  }
  // All blocks of batches, and no block that was not written yet.
  BOOST_TEST(found * block == world.log->usage().logical_bytes);
}

BOOST_AUTO_TEST_CASE(a_place_that_cannot_be_read_at_all_is_damage) {
  World world;
  fill(world, 20);
  world.disk.fail_call(sim::Call::read, 1, sim::Failure::io_error);
  ScrubReport const report = round(*world.log);
  BOOST_TEST(report.damaged == 1U);
  BOOST_TEST(report.last_damage.find("read") != std::string::npos, report.last_damage);
}

BOOST_AUTO_TEST_CASE(what_is_not_needed_any_more_may_be_damaged) {
  World world;
  fill(world, 40);
  std::string const first = "data/log/" + segments(world).front();
  std::unique_ptr<ScrubStep> step = world.log->scrubber().take_step();
  world.disk.flip(first, 2000, 1);
  step->run();
  // The base moves beyond it before the step is given back.
  world.log->set_base(world.log->end_lsn(), world.log->end_lsn());
  world.log->scrubber().finish_step(std::move(step));
  BOOST_TEST(world.log->scrubber().report().damaged == 0U);
  BOOST_TEST(round(*world.log).damaged == 0U);
}

// The damage lies below the base: in the segment of the base, or in one that was given up after the last header was
// written.
BOOST_AUTO_TEST_CASE(what_is_not_needed_any_more_is_in_no_starts_way_after_a_round) {
  for (bool const is_given_up : {false, true}) {
    World world;
    fill(world, 40);
    std::string const first = "data/log/" + segments(world).front();
    world.disk.flip(first, 2000, 1);
    Lsn const base = is_given_up ? world.log->end_lsn() : Lsn{world.log->base_lsn().value + 4096};
    world.log->set_base(base, base);
    BOOST_REQUIRE(world.put("on top of it"));
    BOOST_TEST(round(*world.log).damaged == 0U);
    world.disk.kill();
    FJ_REQUIRE_OK(world.open());
  }
}

BOOST_AUTO_TEST_CASE(damage_is_over_when_the_base_has_passed_its_segment) {
  World world;
  fill(world, 60);
  std::vector<std::string> const names = segments(world);
  world.disk.flip("data/log/" + names[1], 2000, 1);
  BOOST_TEST(round(*world.log).damaged == 1U);
  Lsn const end = world.log->damaged_end();
  BOOST_TEST(!end.is_none());
  world.log->set_base(Lsn{end.value - 8}, Lsn{end.value - 8});
  BOOST_TEST(world.log->scrubber().is_damaged());
  FJ_REQUIRE_OK(world.log->scrubber().mend());
  BOOST_TEST(world.log->scrubber().is_damaged());
  world.log->set_base(end, end);
  FJ_REQUIRE_OK(world.log->scrubber().mend());
  BOOST_TEST(!world.log->scrubber().is_damaged());
  BOOST_CHECK(world.log->damaged_end().is_none());
  // The files say so too: a start does not read the damaged segment.
  world.disk.kill();
  FJ_REQUIRE_OK(world.open());
}

BOOST_AUTO_TEST_CASE(a_damaged_segment_that_is_written_is_left) {
  World world;
  world.options.segment_bytes = 1U << 20U;
  fill(world, 20);
  world.disk.flip("data/log/" + segments(world)[0], 5000, 1);
  world.disk.flip("data/log/" + segments(world)[1], 5000, 1);
  BOOST_TEST(round(*world.log).damaged == 1U);
  BOOST_CHECK(world.log->damaged_end().is_none());
  FJ_REQUIRE_OK(world.log->scrubber().mend());
  BOOST_TEST(world.log->scrubber().is_damaged());
  BOOST_REQUIRE(!world.log->damaged_end().is_none());
  BOOST_REQUIRE(world.put("after it"));
  world.log->set_base(world.log->damaged_end(), world.log->damaged_end());
  BOOST_REQUIRE(world.put("and once more"));
  FJ_REQUIRE_OK(world.log->scrubber().mend());
  BOOST_TEST(!world.log->scrubber().is_damaged());
  world.disk.kill();
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.found.entries.size() == 2U);
}

// Whatever happens while a step is under way: nothing intact is reported as damaged, and the log goes on unharmed.
BOOST_AUTO_TEST_CASE(a_log_that_goes_on_is_never_taken_for_damaged) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937_64 random{seed};
      World world;
      world.options.initial_segments = 2 + static_cast<std::uint32_t>(seed % 3);
      world.options.wipe = seed % 4 == 0;
      FJ_REQUIRE_OK(world.open());
      std::vector<Lsn> live;
      std::unique_ptr<Chore> chore;
      std::unique_ptr<ScrubStep> step;
      for (int i = 0; i < 1500; ++i) {
        switch (random() % 8) {
          case 0:
            if (chore != nullptr || step != nullptr) break;
            if (random() % 2 == 0)
              step = world.log->scrubber().take_step();
            else
              chore = world.log->writer().take_chore();
            break;
          case 1:
            if (chore != nullptr) chore->run();
            if (chore != nullptr) world.log->writer().finish_chore(std::move(chore));
            if (step != nullptr) step->run();
            if (step != nullptr) world.log->scrubber().finish_step(std::move(step));
            break;
          case 2:
            if (!live.empty()) {
              std::size_t const dead = random() % live.size();
              live.erase(live.begin(), live.begin() + static_cast<std::ptrdiff_t>(dead));
              world.log->set_base(live.front(), live.front());
            }
            break;
          case 3:
            if (random() % 20 == 0) {
              chore.reset();
              step.reset();
              if (random() % 2 == 0) world.crash(sim::keep_some(seed));
              FJ_REQUIRE_OK(world.open());
              std::erase_if(live, [&](Lsn lsn) { return lsn < world.log->base_lsn(); });
              if (!live.empty() && live.back() > world.report.end) live.clear();
            }
            break;
          default:
            if (world.log->reserve(6000, false)) {
              std::size_t const bytes = random() % (random() % 10 == 0 ? 6000 : 900);
              live.push_back(world.append(pattern(bytes, seed)));
              world.log->end_group(random() % 3 == 0 ? Durability::written : Durability::synced);
              FJ_REQUIRE_OK(world.log->commit());
            }
        }
        BOOST_REQUIRE(world.log->scrubber().report().damaged == 0U);
      }
      if (step != nullptr) {
        step->run();
        world.log->scrubber().finish_step(std::move(step));
      }
      if (chore != nullptr) {
        chore->run();
        world.log->writer().finish_chore(std::move(chore));
      }
      BOOST_TEST(round(*world.log).damaged == 0U, world.log->scrubber().report().last_damage);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_batch_that_is_larger_than_a_step_is_read_whole) {
  World world;
  world.options.segment_bytes = 64U << 10U;
  world.options.batch_bytes_max = 8U << 20U;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put(pattern(300, 1)));
  BOOST_REQUIRE(world.put(pattern(3U << 20U, 2)));
  BOOST_REQUIRE(world.put(pattern(300, 3)));
  BOOST_TEST(round(*world.log).damaged == 0U);
  world.disk.flip("data/log/" + segments(world)[20], 4000, 1);
  ScrubReport const report = round(*world.log);
  BOOST_TEST(report.damaged == 1U);
  // The batch of the damaged bytes begins in the first segment.
  BOOST_TEST(report.last_damage.find(segments(world)[0] + " offset ") != std::string::npos, report.last_damage);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
