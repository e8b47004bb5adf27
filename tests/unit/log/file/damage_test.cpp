// Damage and failing calls. Each sector of the acknowledged data is damaged in turn: a start must refuse, or find
// everything. And each call to the disk fails once: no acknowledged record may be lost by it.
#include "tests/crash/proofs.h"
#include "tests/unit/log/file/log_world.h"

namespace fastjournal::log::file::test {

namespace {

// A log with two starts, a batch over two segments, and a durable marker at the end.
void fill(Scenario& scenario) {
  scenario.world.options = small_options(512, 8);
  BOOST_REQUIRE(scenario.open());
  for (char const letter : std::string_view("pgbbkpbgbps"))
    BOOST_REQUIRE_MESSAGE(scenario.step(letter), scenario.complaint);
  scenario.world.log.reset();
}

enum class Opened { everything, refused };

// Opens a damaged log. Requires that everything acknowledged is found, or that the refusal names the place and changes
// nothing.
Opened open_damaged(Scenario& scenario, std::string const& file) {
  auto const before = scenario.world.disk.image();
  bool const ok = scenario.open();
  BOOST_REQUIRE_MESSAGE(scenario.complaint.empty(), scenario.complaint);
  if (ok) return Opened::everything;
  BOOST_REQUIRE(scenario.status.code() == Code::damaged);
  BOOST_TEST(scenario.status.message().find("container-") != std::string::npos, scenario.status.message());
  BOOST_CHECK_MESSAGE(scenario.world.disk.image() == before, file << " was changed");
  return Opened::refused;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(damage)

BOOST_AUTO_TEST_CASE(any_damaged_sector_of_the_acknowledged_range_is_refused_or_does_no_harm) {
  std::vector<std::string> files;
  {
    Scenario scenario;
    fill(scenario);
    files = scenario.world.disk.files();
  }
  int refused = 0;
  for (std::string const& file : files)
    for (std::uint64_t sector = 0; sector < 8; ++sector)
      for (int const how : {0, 1, 2}) {
        Scenario scenario;
        fill(scenario);
        if (how == 0) scenario.world.disk.wipe(file, sector * 512, 512);
        if (how == 1) scenario.world.disk.flip(file, sector * 512 + 3, 0x10);
        if (how == 2) scenario.world.disk.flip(file, sector * 512 + 511, 0x01);
        BOOST_TEST_INFO(file << " sector " << sector << " how " << how);
        if (open_damaged(scenario, file) == Opened::refused) ++refused;
      }
  // Every sector that is part of a batch, in at least two of the three ways.
  BOOST_TEST(refused >= 2 * 14);
}

BOOST_AUTO_TEST_CASE(damage_to_logs_of_many_lives_is_refused_with_its_place) {
  Tally tally;
  std::uint64_t const first = fastjournal::test::seed_or(1);
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    auto const failure = damaged_sectors({tally, {}}, seed, 200);
    BOOST_REQUIRE_MESSAGE(!failure, failure->what << "; again: ./mk crash " << failure->again);
  }
  BOOST_TEST(tally.damages > 2000U);
}

BOOST_AUTO_TEST_CASE(every_bit_of_a_batch_is_covered) {
  Scenario first;
  fill(first);
  auto const image = first.world.disk.image();
  Collector all;
  RecoveryReport report;
  auto reader = LogReader::open(first.world.disk, "data/log");
  BOOST_REQUIRE(reader.ok());
  FJ_REQUIRE_OK(reader.value().read(all, report));
  BatchView const batch = all.batches.at(1);
  for (std::uint64_t at = 0; at < batch.header.length; ++at) {
    World world;
    world.options = first.world.options;
    world.disk.restore(image);
    world.disk.flip(batch.segment, batch.offset + at, static_cast<std::uint8_t>(1U << (at % 8)));
    Status const status = world.open();
    BOOST_REQUIRE_MESSAGE(status.code() == Code::damaged, "byte " << at);
    BOOST_REQUIRE_MESSAGE(status.message().find(batch.segment) != std::string::npos, status.message());
    BOOST_REQUIRE_MESSAGE(status.message().find(fmt::format("offset {}", batch.offset)) != std::string::npos,
                          status.message());
  }
}

BOOST_AUTO_TEST_CASE(one_flipped_bit_does_not_drop_the_records_after_it) {
  Scenario scenario;
  scenario.world.options = small_options();
  BOOST_REQUIRE(scenario.open());
  for (int i = 0; i < 12; ++i) BOOST_REQUIRE(scenario.step('p'));
  scenario.world.log.reset();
  scenario.world.disk.flip("data/log/container-000001", 512 * 5 + 70, 4);
  BOOST_TEST(!scenario.open());
  BOOST_CHECK(scenario.status.code() == Code::damaged);
}

// Since the last sync `newest` was written but not synced: a power cut may take it back.
BOOST_AUTO_TEST_CASE(the_last_batch_of_a_busy_log_cannot_be_told_from_a_torn_tail_after_a_power_cut_until_the_marker) {
  for (bool const has_marker : {false, true})
    for (bool const power_cut : {false, true}) {
      Scenario scenario;
      scenario.world.options = small_options();
      BOOST_REQUIRE(scenario.open());
      for (char const letter : std::string_view("pp")) BOOST_REQUIRE(scenario.step(letter));
      BOOST_TEST(scenario.world.log->committer().needs_durable_marker());
      if (has_marker) BOOST_REQUIRE(scenario.step('s'));
      BOOST_TEST(scenario.world.log->committer().needs_durable_marker() == !has_marker);
      scenario.world.log.reset();
      if (power_cut) scenario.world.crash(sim::keep_none());
      scenario.world.disk.flip("data/log/container-000001", 512 * 3 + 60, 1);
      Status const status = scenario.world.open();
      BOOST_TEST(status.ok() == (!has_marker && power_cut));
      if (!status.ok()) continue;
      BOOST_TEST(scenario.world.report.cut);
      BOOST_TEST(scenario.world.report.cut_bytes == 512U);
      BOOST_TEST(scenario.world.report.cut_reason.find("container-000001 offset 1536") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_marker_is_needed_behind_a_synced_batch_whatever_was_only_written_since) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("row"));
  BOOST_REQUIRE(world.put("lease", Durability::written));
  BOOST_TEST(world.log->committer().needs_durable_marker());
  FJ_REQUIRE_OK(world.durable_marker());
  BOOST_TEST(!world.log->committer().needs_durable_marker());
  BOOST_TEST(!world.log->writer().has_unsynced());
  world.crash(sim::keep_none());
  world.disk.flip("data/log/container-000001", 512 * 2 + 60, 1);
  BOOST_CHECK(world.open().code() == Code::damaged);
}

BOOST_AUTO_TEST_CASE(the_header_of_a_segment_that_is_ready_tells_of_durable_batches_too) {
  Scenario scenario;
  scenario.world.options = small_options();
  BOOST_REQUIRE(scenario.open());
  for (char const letter : std::string_view("pp")) BOOST_REQUIRE(scenario.step(letter));
  // Ask for more room than this segment has, so that the next one is prepared.
  BOOST_REQUIRE(scenario.world.log->reserve(scenario.world.options.segment_bytes / 2, false));
  scenario.world.log.reset();
  scenario.world.disk.flip("data/log/container-000001", 512 * 3 + 60, 1);
  BOOST_CHECK(scenario.world.open().code() == Code::damaged);
}

BOOST_AUTO_TEST_CASE(a_damaged_marker_does_no_harm) {
  for (char const mark : {'s', 'q'}) {
    Scenario scenario;
    scenario.world.options = small_options();
    BOOST_REQUIRE(scenario.open());
    BOOST_REQUIRE(scenario.step('p'));
    if (mark == 's') FJ_REQUIRE_OK(scenario.world.durable_marker());
    if (mark == 'q') FJ_REQUIRE_OK(scenario.world.log->shut_down());
    scenario.world.log.reset();
    scenario.world.disk.wipe("data/log/container-000001", 512 * 3, 512);
    BOOST_TEST(scenario.open(), scenario.complaint << scenario.status.text());
    BOOST_TEST(scenario.world.found.entries.size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(one_header_copy_is_enough_and_its_loss_is_told) {
  for (std::uint64_t const copy : {0U, 1U}) {
    Scenario scenario;
    fill(scenario);
    scenario.world.disk.wipe("data/log/container-000001", copy * 512, 512);
    BOOST_REQUIRE_MESSAGE(scenario.open(), scenario.complaint << scenario.status.text());
    BOOST_REQUIRE(scenario.world.report.notes.size() == 1U);
    BOOST_TEST(scenario.world.report.notes[0].find("container-000001") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(segments_that_are_lost_cut_exchanged_or_foreign_are_refused) {
  auto const refused = [](char const* what, auto&& change) {
    Scenario scenario;
    fill(scenario);
    auto image = scenario.world.disk.image();
    change(image);
    scenario.world.disk.restore(image);
    BOOST_TEST_CONTEXT(what) {
      BOOST_TEST(!scenario.world.open().ok());
      BOOST_CHECK(scenario.world.disk.image() == image);
    }
  };
  std::string const one = "data/log/container-000001";
  std::string const two = "data/log/container-000002";
  refused("the first is missing", [&](auto& image) { image.erase(one); });
  refused("cut short", [&](auto& image) { image[one].resize(image[one].size() - 512); });
  refused("exchanged", [&](auto& image) { std::swap(image[one], image[two]); });
  refused("copied", [&](auto& image) { image["data/log/container-000077"] = image[one]; });
  refused("both headers gone", [&](auto& image) { std::fill_n(image[one].begin(), 1024, std::byte{0}); });
  refused("of another log", [&](auto& image) {
    World other;
    other.options = small_options(512, 8);
    other.options.store_id_seed = 99;
    FJ_REQUIRE_OK(other.open());
    image[two] = other.disk.content(two);
  });
}

BOOST_AUTO_TEST_CASE(a_write_that_lands_elsewhere_or_nowhere_is_noticed) {
  for (std::int64_t const by : {-1024, -512, 512, 1024, 0}) {
    Scenario scenario;
    scenario.world.options = small_options();
    BOOST_REQUIRE(scenario.open());
    for (int i = 0; i < 3; ++i) BOOST_REQUIRE(scenario.step('p'));
    if (by == 0) {
      scenario.world.disk.lose_write();
    } else {
      scenario.world.disk.misdirect_write(by);
    }
    for (int i = 0; i < 3; ++i) BOOST_REQUIRE(scenario.step('p'));
    scenario.world.log.reset();
    BOOST_TEST(!scenario.open());
    BOOST_CHECK(scenario.status.code() == Code::damaged);
  }
}

BOOST_AUTO_TEST_CASE(a_sound_batch_in_the_place_of_another_is_refused) {
  Scenario scenario;
  scenario.world.options = small_options();
  BOOST_REQUIRE(scenario.open());
  for (int i = 0; i < 5; ++i) BOOST_REQUIRE(scenario.step('p'));
  scenario.world.log.reset();
  auto image = scenario.world.disk.image();
  std::vector<std::byte>& bytes = image["data/log/container-000001"];
  std::copy_n(bytes.begin() + 512 * 5, 512, bytes.begin() + 512 * 3);
  scenario.world.disk.restore(image);
  BOOST_CHECK(scenario.world.open().code() == Code::damaged);
}

BOOST_AUTO_TEST_CASE(what_an_earlier_generation_left_never_passes) {
  // Fill the segments again and again with equal batches, so that a valid batch of the generation before
  // follows the end of each generation.
  Scenario scenario;
  scenario.world.options = small_options(512, 6);
  BOOST_REQUIRE(scenario.open());
  for (int i = 0; i < 200; ++i) {
    for (char const letter : std::string_view("pm")) BOOST_REQUIRE(scenario.step(letter));
    if (i % 7 == 0) {
      scenario.world.crash(sim::keep_some(static_cast<std::uint64_t>(i)));
      BOOST_REQUIRE_MESSAGE(scenario.open(), scenario.complaint << scenario.status.text());
      BOOST_TEST(!scenario.world.report.cut, scenario.world.report.cut_reason);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_handler_is_never_called_again_and_again_for_the_same_record) {
  // A batch header with length 0, or with more than there is, must not keep the reader in a loop.
  for (std::uint32_t const length : {0U, 8U, 512U * 100, 0xFFFFFE00U}) {
    Scenario scenario;
    scenario.world.options = small_options();
    BOOST_REQUIRE(scenario.open());
    for (int i = 0; i < 3; ++i) BOOST_REQUIRE(scenario.step('p'));
    scenario.world.log.reset();
    auto image = scenario.world.disk.image();
    store_little(image["data/log/container-000001"].data() + 512 * 3 + 12, length);
    scenario.world.disk.restore(image);
    BOOST_TEST(!scenario.open());
    BOOST_TEST(scenario.world.found.entries.size() <= 1U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(failing_calls)

// Each call fails once. ./mk mutants compares the places that failed with the calls in the source.
BOOST_AUTO_TEST_CASE(no_failing_call_costs_an_acknowledged_record) {
  Tally tally;
  std::set<void const*> sites;
  auto const failure = fail_every_call({tally, {}}, sites);
  BOOST_REQUIRE_MESSAGE(!failure, failure->what);
  BOOST_TEST(tally.failed_calls > 1000U);
}

BOOST_AUTO_TEST_CASE(a_segment_that_cannot_be_made_is_a_refusal_and_no_failure) {
  World world;
  FJ_REQUIRE_OK(world.open());
  world.disk.fail_call(sim::Call::write, 3, sim::Failure::no_space);
  BOOST_TEST(!world.log->reserve(100, false));
  BOOST_CHECK(world.log->writer().last_refusal().code() == Code::no_space);
  FJ_REQUIRE_OK(world.log->why());
  for (std::string const& file : world.disk.files()) BOOST_TEST(file.find(".new") == std::string::npos);
  BOOST_TEST(world.put("row"));
}

BOOST_AUTO_TEST_CASE(no_space_inside_a_segment_is_fatal) {
  World world;
  FJ_REQUIRE_OK(world.open());
  world.log->run_chores();
  world.disk.fail_call(sim::Call::write, 1, sim::Failure::no_space);
  BOOST_REQUIRE(world.log->reserve(3, false));
  world.append("row");
  world.log->end_group(Durability::synced);
  BOOST_CHECK(world.log->commit().code() == Code::no_space);
  BOOST_CHECK(world.log->commit().code() == Code::no_space);
  BOOST_TEST(!world.log->reserve(1, true));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
