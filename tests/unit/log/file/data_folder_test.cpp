// When a missing log may be created: in an empty folder, or if told so with --create, but never if the lock file knows
// of the log.
#include "log/file/data_folder.h"
#include "base/hash.h"
#include "log/file/newest.h"
#include "tests/unit/log/file/log_world.h"

namespace fastjournal::log::file::test {

namespace {

struct Data {
  sim::SimDisk disk;

  void file(std::string const& path) {
    std::size_t const slash = path.rfind('/');
    if (slash != std::string::npos) FJ_REQUIRE_OK(disk.make_folder(path.substr(0, slash)));
    BOOST_REQUIRE(disk.open(path, env::OpenMode::create_new).ok());
  }
  Status open(std::vector<std::string> logs, bool create = false, bool know = false) {
    DataFolderRequest const wish{.folder = "data", .logs = logs, .beside = {"socket"}, .create = create};
    auto folder = DataFolder::open(disk, wish);
    if (!folder.ok()) return folder.status();
    for (std::string const& log : logs)
      if (know) FJ_REQUIRE_OK(folder.value().know(log));
    return {};
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(data_folder)

BOOST_FIXTURE_TEST_CASE(a_log_is_made_where_nothing_else_stands, Data) {
  FJ_REQUIRE_OK(open({"shared"}));
  for (char const* const harmless : {"lost+found/x", ".hidden", "socket", "refused.messages/jobs.txt", "shared/notes"})
    file(harmless);
  FJ_REQUIRE_OK(open({"shared"}));
}

BOOST_FIXTURE_TEST_CASE(other_things_are_named_and_refused_unless_somebody_says_so, Data) {
  file("passwd");
  Status const status = open({"shared"});
  BOOST_CHECK(status.code() == Code::bad_configuration);
  BOOST_TEST(status.message().find("(passwd)") != std::string::npos, status.message());
  BOOST_TEST(status.message().find("--create") != std::string::npos);
  FJ_REQUIRE_OK(open({"shared"}, true));
  // An existing log needs no permission to be created, whatever else is in the folder.
  file("shared/container-000001");
  FJ_REQUIRE_OK(open({"shared"}));
}

BOOST_FIXTURE_TEST_CASE(a_log_that_is_known_and_gone_is_never_made_anew, Data) {
  FJ_REQUIRE_OK(open({"shared", "other"}, false, true));
  file("other/newest");
  for (bool const create : {false, true}) {
    Status const status = open({"shared", "other"}, create);
    BOOST_CHECK(status.code() == Code::damaged);
    BOOST_TEST(status.message().find("log shared was here and is gone") != std::string::npos, status.message());
  }
  // An additional log is not a lost one.
  FJ_REQUIRE_OK(open({"other", "third"}));
}

// Known elsewhere: what was here is gone with its lock, as where a disk is not mounted.
BOOST_AUTO_TEST_CASE(an_empty_folder_where_a_journal_was_is_begun_only_when_somebody_says_so) {
  sim::SimDisk disk;
  auto const open = [&](bool was_used, bool begins) {
    auto opened =
        DataFolder::open(disk, {.folder = "/data", .logs = {"shared"}, .was_used = was_used, .begins = begins});
    Status status = opened.status();
    if (status.ok()) status = opened->know("shared");
    return status;
  };
  Status status = open(true, false);
  BOOST_CHECK(status.code() == Code::damaged);
  BOOST_TEST(status.message().find("is its disk mounted?") != std::string::npos, status.message());
  BOOST_TEST(status.message().find("--new-data") != std::string::npos, status.message());
  BOOST_TEST(disk.files().empty());
  FJ_REQUIRE_OK(open(true, true));
  // The option is for one start.
  status = open(true, true);
  BOOST_CHECK(status.code() == Code::bad_configuration);
  BOOST_TEST(status.message().find("leave it out") != std::string::npos, status.message());
  // A log that is gone from its place is told as before.
  BOOST_CHECK(open(true, false).code() == Code::damaged);
}

// The same one level down: the log's folder exists, but has only its lock file.
BOOST_AUTO_TEST_CASE(an_empty_log_beside_a_lock_that_knew_a_store_is_refused) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("row"));
  world.log.reset();
  for (std::string const& name : world.disk.files()) world.disk.drop(name);
  Status const status = world.open();
  BOOST_CHECK(status.code() == Code::damaged);
  BOOST_TEST(status.message().find("its lock knows store 0000000000005eed") != std::string::npos, status.message());
  BOOST_TEST(world.disk.files().empty());
}

BOOST_AUTO_TEST_CASE(segments_of_version_3_without_newest_are_refused_and_older_ones_are_not) {
  World world;
  FJ_REQUIRE_OK(world.open());
  BOOST_REQUIRE(world.put("row"));
  world.log.reset();
  world.disk.drop("data/log/newest");
  Status const status = world.open();
  BOOST_CHECK(status.code() == Code::damaged);
  BOOST_TEST(status.message().find("data/log/newest is missing") != std::string::npos, status.message());
  BOOST_TEST(status.message().find("salvage") != std::string::npos);
  // Version 2 differs only in the version number.
  for (std::string const& name : world.disk.files())
    for (std::uint64_t const copy : {0U, 512U}) {
      std::vector<std::byte> block = world.disk.content(name);
      block = {block.begin() + static_cast<std::ptrdiff_t>(copy),
               block.begin() + static_cast<std::ptrdiff_t>(copy) + 512};
      store_little(block.data() + 16, std::uint32_t{2});
      store_little(block.data(),
                   hash64(as_text(std::span<std::byte const>(block).subspan(8, kSegmentHeaderBytes - 8))));
      world.disk.overwrite(name, copy, block);
    }
  FJ_REQUIRE_OK(world.open());
  BOOST_TEST(world.found.entries.size() == 1U);
  auto const newest = read_newest(world.disk, "data/log");
  BOOST_TEST((newest.ok() && newest.value().is_there));
  BOOST_TEST(newest.value().what.generation == 2U);
}

BOOST_AUTO_TEST_CASE(one_place_of_newest_may_rot_and_that_is_told) {
  for (std::uint64_t place = 0; place < 5; ++place) {
    World world;
    FJ_REQUIRE_OK(world.open());
    BOOST_REQUIRE(world.put("row"));
    FJ_REQUIRE_OK(world.durable_marker());
    world.log.reset();
    world.disk.flip("data/log/newest", place * kNewestPlaceBytes + 40, 1);
    FJ_REQUIRE_OK(world.open());
    BOOST_TEST(world.report.notes.size() == (place < 4 ? 1U : 0U));
    world.log.reset();
    world.disk.wipe("data/log/newest", place / 2 * 2 * kNewestPlaceBytes, 2 * kNewestPlaceBytes);
    BOOST_TEST((world.open().code() == Code::damaged) == (place < 4));
  }
}

// A write that fails for lack of permission is not reported as a full disk.
BOOST_AUTO_TEST_CASE(a_segment_that_may_not_be_made_is_told_as_that) {
  World world;
  FJ_REQUIRE_OK(world.open());
  world.disk.forbid_new_files(true);
  while (world.log->reserve(400, false)) {
    world.append(pattern(400, 1));
    world.log->end_group(Durability::synced);
    FJ_REQUIRE_OK(world.log->commit());
  }
  BOOST_CHECK(world.log->writer().last_refusal().code() == Code::not_allowed);
  BOOST_TEST(world.log->shortage().find("Permission denied") != std::string::npos, world.log->shortage());
  FJ_REQUIRE_OK(world.log->why());
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there_any_more_ends_the_log) {
  for (int const how : {0, 1, 2}) {
    World world;
    FJ_REQUIRE_OK(world.open());
    BOOST_REQUIRE(world.put("row"));
    FJ_REQUIRE_OK(world.log->look());
    if (how == 0) world.disk.move_away("data/log");
    if (how == 1) world.disk.drop("data/log/container-000001");
    if (how == 2) world.disk.drop("data/log/newest");
    BOOST_CHECK(world.log->look().code() == Code::damaged);
    BOOST_TEST(!world.log->why().ok());
    BOOST_TEST(!world.put("more"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::log::file::test
