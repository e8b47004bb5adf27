// What cannot be seen in a folder: which calls of the system fail, and what was synced.
#include <dirent.h>
#include <dlfcn.h>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>

#include "spool/disk.h"
#include "spool/posix_folder.h"
#include "spool/spool.h"
#include "tests/support/temporary_folder.h"

namespace {
int names_left = -1;                   // then a listing fails; none fails: -1
std::atomic<bool> notes_syncs{false};  // producers of other tests sync in threads of their own
std::set<std::string> synced;          // paths of files and folders

void note_sync(int fd) {
  if (!notes_syncs) return;
  std::error_code ignored;
  synced.insert(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored).string());
}
}  // namespace

// These replace the C library's functions: a sync cannot be observed otherwise, and no folder of a test fails in the
// middle of a listing.
extern "C" int fsync(int fd) {
  note_sync(fd);
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"))(fd);
}

extern "C" int fdatasync(int fd) {
  note_sync(fd);
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fdatasync"))(fd);
}

extern "C" dirent* readdir(DIR* listing) {
  if (names_left == 0) {
    errno = EIO;
    return nullptr;
  }
  if (names_left > 0) --names_left;
  return reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"))(listing);
}

namespace fastjournal::spool {
namespace {

namespace fs = std::filesystem;
using fastjournal::test::TemporaryFolder;

}  // namespace

BOOST_AUTO_TEST_SUITE(spool_system_calls)

BOOST_AUTO_TEST_CASE(a_listing_that_fails_is_no_short_one) {
  TemporaryFolder const folder;
  fs::create_directory(folder / "rows");
  for (std::uint32_t number = 0; number < 3; ++number)
    std::ofstream{folder / "rows/" + name_of({0, number}), std::ios::binary} << head_of_file(draw_seed());
  Result<std::unique_ptr<PosixFolder>> const opened = PosixFolder::open(folder / "rows");
  BOOST_REQUIRE(opened.ok());
  for (int names = 0; names < 4; ++names) {
    names_left = names;
    bool const is_ok = opened.value()->list().ok();
    names_left = names;
    bool const are_held_ok = names > 1 || opened.value()->held_tables().ok();
    names_left = -1;
    BOOST_TEST(!is_ok, names);
    BOOST_TEST((names > 1 || !are_held_ok), names);
  }
  BOOST_TEST(opened.value()->list().value().size() == 3U);
}

// Its row is the last one of a file that is full: the thread that syncs never sees that file.
BOOST_AUTO_TEST_CASE(the_last_row_of_a_file_is_synced_before_the_file_is_given_up) {
  TemporaryFolder const folder;
  Result<std::unique_ptr<Spool>> const spool = Spool::open(
      {.folder = folder / "rows", .sync = Sync::interval, .interval = std::chrono::hours{1}, .file_bytes_max = 64});
  BOOST_REQUIRE(spool.ok());
  Message row = Spool::row_of("pages");
  row.set("uri", "first");
  notes_syncs = true;
  bool const is_saved = spool.value()->save(row).ok();
  notes_syncs = false;
  BOOST_REQUIRE(is_saved);
  for (auto const& file : fs::directory_iterator{folder / "rows"})
    BOOST_TEST(synced.contains(file.path()), file.path());
}

// An earlier forwarder may have been killed between writing and syncing.
BOOST_AUTO_TEST_CASE(what_counts_as_held_or_set_aside_is_synced_before) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  fs::create_directory(path);
  {
    std::unique_ptr<PosixFolder> const before = std::move(PosixFolder::open(path).value());
    BOOST_REQUIRE(before->held_seed("later").ok());
    BOOST_REQUIRE(before->set_aside("pages", {.code = "invalid", .client = "a", .sequence = 1, .row = "r"}).ok());
    BOOST_REQUIRE(before->set_aside("again", {.code = "invalid", .client = "a", .sequence = 2, .row = "r"}).ok());
  }
  std::string const resent = path + "/closing/" + name_of({0, 0});
  fs::rename(path + "/forwarder/aside/again.rows", resent);
  notes_syncs = true;
  Result<std::unique_ptr<PosixFolder>> const opened = PosixFolder::open(path);
  bool const is_ok = opened.ok() && opened.value()->settled_before().ok();
  notes_syncs = false;
  BOOST_REQUIRE(is_ok);
  for (std::string const& one : {path + "/forwarder/held", path + "/forwarder/aside",
                                 path + "/forwarder/held/later.rows", path + "/forwarder/aside/pages.rows", resent})
    BOOST_TEST(synced.contains(one), one);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::spool
