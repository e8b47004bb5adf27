// Disk::exchange, on which `log resize` relies: the same tests on the kernel's files and on simulated ones, and the
// state after a power cut in the simulator.
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include "base/bytes.h"
#include "platform/os/posix_disk.h"
#include "tests/sim/sim_disk.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::tools {
namespace {

void put(env::Disk& disk, std::string const& path, std::string const& text) {
  auto const file = disk.open(path, env::OpenMode::create_new);
  BOOST_REQUIRE(file.ok());
  BOOST_REQUIRE(file.value()->write(0, as_bytes(text)).ok());
  BOOST_REQUIRE(file.value()->sync().ok());
}

std::string get(env::Disk& disk, std::string const& path) {
  auto const file = disk.open(path, env::OpenMode::read_only);
  if (!file.ok()) return "(none)";
  std::vector<std::byte> bytes(16);
  bytes.resize(file.value()->read(0, bytes).value());
  return std::string(as_text(bytes));
}

void exchange_two(env::Disk& disk) {
  BOOST_REQUIRE(disk.make_folder("one").ok());
  BOOST_REQUIRE(disk.make_folder("two").ok());
  put(disk, "one/x", "1");
  put(disk, "two/x", "2");
  put(disk, "two/y", "3");
  auto const lock = disk.lock_folder("one");
  BOOST_REQUIRE(lock.ok());
  BOOST_TEST(disk.exchange("one", "two").ok());
  BOOST_TEST(get(disk, "one/x") == "2");
  BOOST_TEST(get(disk, "one/y") == "3");
  BOOST_TEST(get(disk, "two/x") == "1");
  BOOST_TEST(get(disk, "two/y") == "(none)");
  // A lock belongs to the folder, not to its name.
  BOOST_CHECK(disk.lock_folder("two").status().code() == Code::in_use);
  BOOST_TEST(disk.lock_folder("one").ok());
  BOOST_TEST(disk.sync_folder("").ok());
  BOOST_CHECK(disk.exchange("one", "three").code() == Code::not_found);
  BOOST_TEST(get(disk, "one/x") == "2");
}

// A file whose name was not synced in `one`, then the two folders exchanged, then a file in the folder that is `one`
// now.
struct Exchanged {
  Exchanged() {
    BOOST_REQUIRE(disk.make_folder("one").ok());
    BOOST_REQUIRE(disk.make_folder("two").ok());
    BOOST_REQUIRE(disk.sync_folder("").ok());
    put(disk, "one/before", "b");
    BOOST_REQUIRE(disk.exchange("one", "two").ok());
    put(disk, "one/after", "a");
  }
  sim::SimDisk disk;
};

// The unsynced changes in their order, as bits.
constexpr std::uint64_t kBefore = 1;
constexpr std::uint64_t kExchange = 2;
constexpr std::uint64_t kAfter = 4;

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange)

BOOST_AUTO_TEST_CASE(two_folders_have_exchanged_names) {
  test::TemporaryFolder folder;
  os::PosixDisk files{folder.path().string()};
  exchange_two(files);
  sim::SimDisk simulated;
  exchange_two(simulated);
}

BOOST_FIXTURE_TEST_CASE(a_power_cut_keeps_an_exchange_or_not_and_files_stay_in_their_folders, Exchanged) {
  struct Case {
    std::uint64_t kept;
    std::vector<std::string> files;
  };
  std::vector<Case> const cases = {
      {0, {}},
      {kExchange, {}},
      {kBefore, {"one/before"}},
      {kBefore | kExchange, {"two/before"}},
      {kAfter, {"two/after"}},
      {kAfter | kExchange, {"one/after"}},
      {kBefore | kAfter, {"one/before", "two/after"}},
      {kBefore | kAfter | kExchange, {"one/after", "two/before"}},
  };
  for (Case const& one : cases) {
    sim::SimDisk cut;
    cut.copy_state(disk);
    BOOST_TEST(cut.unsynced_things() == 3U);
    cut.crash(sim::keep_mask(one.kept));
    BOOST_TEST(cut.files() == one.files, boost::test_tools::per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(what_is_synced_under_the_new_name_survives_in_its_folder, Exchanged) {
  BOOST_REQUIRE(disk.sync_folder("one").ok());
  BOOST_TEST(disk.unsynced_things() == 2U);
  sim::SimDisk cut;
  cut.copy_state(disk);
  cut.crash(sim::keep_none());
  BOOST_TEST(cut.files() == std::vector<std::string>{"two/after"}, boost::test_tools::per_element());
  cut.copy_state(disk);
  BOOST_REQUIRE(cut.sync_folder("").ok());
  cut.crash(sim::keep_none());
  BOOST_TEST(cut.files() == std::vector<std::string>{"one/after"}, boost::test_tools::per_element());
  // The first file is in the folder that is `two` now, so it survives once that one is synced.
  cut.copy_state(disk);
  BOOST_REQUIRE(cut.sync_folder("").ok());
  BOOST_REQUIRE(cut.sync_folder("two").ok());
  cut.crash(sim::keep_none());
  std::vector<std::string> const both{"one/after", "two/before"};
  BOOST_TEST(cut.files() == both, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::tools
