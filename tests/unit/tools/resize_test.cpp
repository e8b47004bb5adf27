// `log resize` in the simulator: to larger and smaller segments, with a power cut at every call to the disk and every
// kind of loss, and with every call failing. The folder must always be a log with all of its rows.
#include <array>

#include "clients/programs/logs/resize.h"
#include "tests/unit/tools/used.h"

namespace fastjournal::tools {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kResizeBefore = 512 * kKiB;
constexpr std::uint64_t kResizeAfter = 768 * kKiB;

Result<Resized> resize_shared(Used& used, sim::SimDisk& disk, std::uint64_t bytes = kResizeAfter) {
  return resize(disk, "shared", bytes, used.world.types(), 99);
}

// What an administrator does when the tool asks for it.
void remove_leftover(sim::SimDisk& disk) {
  auto const names = disk.list("shared.resize");
  if (!names.ok()) return;
  for (std::string const& name : names.value()) BOOST_REQUIRE(disk.remove("shared.resize/" + name).ok());
  BOOST_REQUIRE(disk.remove("shared.resize").ok());
}

// The folder has the old log or the new one, with everything that was in it.
void check_whole(Used& used, sim::SimDisk& disk) {
  Result<LogFacts> const facts = verify(disk, "shared", used.world.types());
  BOOST_REQUIRE_MESSAGE(facts.ok(), facts.status().text());
  BOOST_TEST(facts->digest == used.digest);
  BOOST_TEST((facts->segment_bytes == kResizeBefore || facts->segment_bytes == kResizeAfter));
}

// After a resize that was cut short or refused: all is there, and a second one succeeds.
void check_goes_on(Used& used, sim::SimDisk& disk) {
  check_whole(used, disk);
  remove_leftover(disk);
  Result<Resized> const again = resize_shared(used, disk);
  BOOST_REQUIRE_MESSAGE(again.ok(), again.status().text());
  BOOST_TEST(again->log.segment_bytes == kResizeAfter);
  BOOST_TEST(again->log.digest == used.digest);
  BOOST_TEST(again->left_behind.ok());
  BOOST_CHECK(disk.list("shared.resize").status().code() == Code::not_found);
}

// The number of calls that change the disk in one resize.
std::uint64_t calls_of_a_resize(Used& used) {
  sim::SimDisk disk;
  disk.copy_state(used.world.disk());
  std::uint64_t const before = disk.changing_calls();
  BOOST_REQUIRE(resize_shared(used, disk).ok());
  return disk.changing_calls() - before;
}

// A resize on a disk that loses the writes of the calls for which `loses` holds; calls are counted from 0.
template <typename Loses>
Status resize_losing(Used& used, sim::SimDisk& disk, Loses loses) {
  disk.copy_state(used.world.disk());
  std::uint64_t made = 0;
  disk.before_change([&] {
    if (loses(made++)) disk.lose_write();
  });
  Status const status = resize_shared(used, disk).status();
  disk.before_change({});
  disk.forget_failures();
  return status;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(log_resize)

BOOST_AUTO_TEST_CASE(segments_become_larger_and_smaller_and_the_rows_stay) {
  Used used;
  sim::SimDisk& disk = used.world.disk();
  for (std::uint64_t const bytes : {4096 * kKiB, kResizeBefore, 1000 * kKiB}) {
    Result<Resized> const resized = resize_shared(used, disk, bytes);
    BOOST_REQUIRE_MESSAGE(resized.ok(), resized.status().text());
    BOOST_TEST(resized->changed());
    BOOST_TEST(resized->log.segment_bytes == bytes);
    BOOST_TEST(resized->log.digest == used.digest);
    BOOST_TEST(resized->log.report.clean);
    BOOST_CHECK(disk.list("shared.resize").status().code() == Code::not_found);
    for (std::string const& file : disk.files())
      if (file.starts_with("shared/container-")) BOOST_TEST(disk.content(file).size() == bytes);
    check_serves(used, "shared");
  }
}

BOOST_AUTO_TEST_CASE(a_row_larger_than_the_new_segments_goes_over_several) {
  Used used{3, 4};
  BOOST_REQUIRE(resize_shared(used, used.world.disk(), 4096 * kKiB).ok());
  BOOST_REQUIRE(used.world.start().ok());
  BOOST_TEST(used.ask("INSERT table=jobs;name=large;payload=" + std::string(1'000'000, 'l')).starts_with("INSERTED"));
  BOOST_REQUIRE(used.world.stop().ok());
  Result<LogFacts> const before = verify(used.world.disk(), "shared", used.world.types());
  BOOST_REQUIRE(before.ok());
  Result<Resized> const resized = resize_shared(used, used.world.disk(), kResizeBefore);
  BOOST_REQUIRE_MESSAGE(resized.ok(), resized.status().text());
  BOOST_TEST(resized->log.digest == before->digest);
  check_serves(used, "shared");
}

BOOST_AUTO_TEST_CASE(the_size_that_it_has_changes_nothing) {
  Used used;
  auto const before = used.world.disk().image();
  // Rounded up to a multiple of the block, as the daemon does.
  Result<Resized> const resized = resize_shared(used, used.world.disk(), kResizeBefore - 100);
  BOOST_REQUIRE_MESSAGE(resized.ok(), resized.status().text());
  BOOST_TEST(!resized->changed());
  BOOST_TEST(resized->log.digest == used.digest);
  BOOST_CHECK(used.world.disk().image() == before);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_resized_stays_as_it_is) {
  Used used;
  sim::SimDisk& disk = used.world.disk();
  auto const refused = [&](std::string const& folder, std::uint64_t bytes) {
    auto const before = disk.image();
    Status const status = resize(disk, folder, bytes, used.world.types(), 99).status();
    BOOST_CHECK(disk.image() == before);
    return status.code();
  };
  BOOST_CHECK(refused("shared", 5ULL << 30U) == Code::bad_configuration);
  BOOST_CHECK(refused("nowhere", kResizeAfter) == Code::not_found);
  BOOST_REQUIRE(disk.make_folder("empty").ok());
  BOOST_CHECK(refused("empty", kResizeAfter) == Code::not_found);
  {
    auto const lock = disk.lock_folder("shared");
    BOOST_CHECK(refused("shared", kResizeAfter) == Code::in_use);
  }
  BOOST_REQUIRE(disk.make_folder("shared.resize").ok());
  BOOST_CHECK(refused("shared", kResizeAfter) == Code::bad_parameter);
  remove_leftover(disk);
  disk.flip("shared/container-000001", 12 * 4096 + 70, 1);
  Status const damaged = resize_shared(used, disk).status();
  BOOST_CHECK(damaged.code() == Code::damaged);
}

BOOST_AUTO_TEST_CASE(a_full_disk_ends_it_and_the_log_is_as_it_was) {
  Used used;
  sim::SimDisk& disk = used.world.disk();
  std::uint64_t const room = 2 * kResizeAfter;
  for (std::uint64_t const more : {std::uint64_t{0}, kResizeAfter, room}) {
    disk.set_capacity(disk.used_bytes() + more);
    BOOST_CHECK(resize_shared(used, disk).status().code() == Code::no_space);
    check_whole(used, disk);
    remove_leftover(disk);
  }
  disk.set_capacity(1ULL << 40U);
  check_goes_on(used, disk);
}

BOOST_AUTO_TEST_CASE(the_power_may_go_at_every_call_and_a_whole_log_stands_there) {
  Used used{17, 20};
  std::uint64_t const calls = calls_of_a_resize(used);
  // Eight losses for each call of the exchange and after it, one for each earlier call.
  std::uint64_t const last = calls - 20;
  sim::SimDisk disk;
  int cuts = 0;
  for (std::uint64_t call = 0; call <= calls; ++call) {
    int const losses = call < last ? 1 : 8;
    for (int loss = 0; loss < losses; ++loss, ++cuts) {
      disk.copy_state(used.world.disk());
      disk.stop_after(call);
      static_cast<void>(resize_shared(used, disk));
      disk.crash(loss == 0   ? (call % 2 == 0 ? sim::keep_none() : sim::keep_all())
                 : loss == 1 ? (call % 2 == 0 ? sim::keep_all() : sim::keep_none())
                             : sim::keep_some(call * 100 + static_cast<std::uint64_t>(loss)));
      BOOST_TEST_CONTEXT("cut after " << call << " of " << calls << " calls, loss " << loss)
      check_goes_on(used, disk);
    }
  }
  BOOST_TEST(cuts > 150);
  BOOST_TEST_MESSAGE(calls << " calls, " << cuts << " cuts");
}

BOOST_AUTO_TEST_CASE(every_call_to_the_disk_may_fail) {
  Used used{19, 6};
  constexpr std::array kKinds = {sim::Call::open,      sim::Call::read,        sim::Call::write,  sim::Call::sync,
                                 sim::Call::list,      sim::Call::make_folder, sim::Call::rename, sim::Call::exchange,
                                 sim::Call::remove,    sim::Call::sync_folder, sim::Call::lock,   sim::Call::size,
                                 sim::Call::free_bytes};
  sim::SimDisk disk;
  int failed = 0;
  int warned = 0;
  for (sim::Call const kind : kKinds) {
    for (std::uint64_t nth = 1;; ++nth) {
      disk.copy_state(used.world.disk());
      disk.fail_call(kind, nth, sim::Failure::io_error);
      Result<Resized> const resized = resize_shared(used, disk);
      if (disk.is_planned()) break;
      BOOST_TEST_CONTEXT("call kind " << static_cast<int>(kind) << " number " << nth) {
        // A resize may succeed despite the failure: then the old log is left behind, or a segment made ahead is
        // missing.
        if (resized.ok()) {
          BOOST_TEST(resized->log.segment_bytes == kResizeAfter);
          BOOST_TEST(resized->log.digest == used.digest);
          if (!resized->left_behind.ok()) ++warned;
        }
        ++failed;
        disk.kill();
        check_goes_on(used, disk);
      }
    }
  }
  BOOST_TEST(failed > 100);
  BOOST_TEST(warned > 3);
  BOOST_TEST_MESSAGE(failed << " failed calls, " << warned << " of them after the exchange");
}

BOOST_AUTO_TEST_CASE(a_write_that_the_disk_loses_is_noticed_before_the_exchange) {
  Used used{23, 6};
  std::uint64_t const calls = calls_of_a_resize(used);
  sim::SimDisk disk;
  int noticed = 0;
  for (std::uint64_t call = 0; call < calls; ++call) {
    if (!resize_losing(used, disk, [call](std::uint64_t made) { return made == call; }).ok()) ++noticed;
    BOOST_TEST_CONTEXT("the first write from call " << call << " on") check_goes_on(used, disk);
  }
  BOOST_TEST(noticed > 10);
  BOOST_TEST_MESSAGE(calls << " calls, noticed " << noticed);
}

// Then the copy is a valid log with records missing: its checksums are right, but the digests differ.
BOOST_AUTO_TEST_CASE(a_disk_that_keeps_nothing_from_some_moment_on_is_noticed_before_the_exchange) {
  Used used{29, 12};
  std::uint64_t const calls = calls_of_a_resize(used);
  sim::SimDisk disk;
  int differed = 0;
  for (std::uint64_t call = 0; call < calls; ++call) {
    Status const status = resize_losing(used, disk, [call](std::uint64_t made) { return made >= call; });
    if (status.message().find("reads as something else: digest ") != std::string::npos) {
      ++differed;
      BOOST_CHECK(status.code() == Code::io_error);
      BOOST_TEST(status.message().find(engine::digest_text(used.digest) + " as in shared, which is as it was") !=
                     std::string::npos,
                 status.message());
      BOOST_CHECK(disk.list("shared.resize").ok());
    }
    BOOST_TEST_CONTEXT("no write from call " << call << " on") check_goes_on(used, disk);
  }
  BOOST_TEST(differed > 3);
  BOOST_TEST_MESSAGE(calls << " calls, " << differed << " sound copies that lack something");
}

BOOST_AUTO_TEST_CASE(it_tells_how_far_it_is) {
  Used used;
  std::map<std::string, std::uint64_t> steps;
  Progress const progress = [&](std::string_view step, std::uint64_t done, std::uint64_t total) {
    BOOST_TEST(done <= total);
    std::uint64_t& last = steps[std::string(step)];
    BOOST_TEST(done >= last);
    last = done;
  };
  BOOST_REQUIRE(resize(used.world.disk(), "shared", kResizeAfter, used.world.types(), 99, progress).ok());
  BOOST_TEST(steps.size() == 2U);
  BOOST_TEST(steps["copying"] > 100U << 10U);
  BOOST_TEST(steps["reading"] > 100U << 10U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::tools
