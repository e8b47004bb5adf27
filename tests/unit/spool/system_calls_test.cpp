// What cannot be seen in a folder: which calls of the system fail, and what was synced.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

#include "clients/spool/core/disk.h"
#include "clients/spool/core/posix_folder.h"
#include "clients/spool/core/spool.h"
#include "clients/spool/core/syncs.h"
#include "tests/support/temporary_folder.h"

namespace {
int names_left = -1;                   // then a listing fails; none fails: -1
std::atomic<bool> notes_syncs{false};  // producers of other tests sync in threads of their own
std::set<std::string> synced;          // paths of files and folders
std::atomic<bool> syncs_fail{false};
std::map<std::string, std::string> written;  // while syncs are noted: what was written at a place, by paths

std::string path_of(int fd) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored).string();
}

void note_sync(int fd) {
  if (notes_syncs) synced.insert(path_of(fd));
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
  if (syncs_fail) {
    errno = EIO;
    return -1;
  }
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fdatasync"))(fd);
}

extern "C" ssize_t pwrite(int fd, void const* bytes, std::size_t count, off_t offset) {
  if (notes_syncs) written[path_of(fd)].append(static_cast<char const*>(bytes), count);
  return reinterpret_cast<ssize_t (*)(int, void const*, std::size_t, off_t)>(::dlsym(RTLD_NEXT, "pwrite"))(
      fd, bytes, count, offset);
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

// The kernel takes what it could not write for written: the next sync succeeds without it. A forwarder that was started
// anew meanwhile does not know.
BOOST_AUTO_TEST_CASE(what_a_failed_sync_left_is_written_once_more) {
  for (bool const is_started_anew : {false, true}) {
    TemporaryFolder const folder;
    std::string const path = folder / "rows";
    fs::create_directory(path);
    std::string const source = path + "/" + name_of({0, 0});
    std::string const rows = head_of_file(draw_seed()) + std::string(2'500'000, 'r');
    std::ofstream{source, std::ios::binary} << rows;
    std::unique_ptr<PosixFolder> opened = std::move(PosixFolder::open(path).value());
    Instance const file = opened->list().value().at(0).instance;
    BOOST_REQUIRE(opened->keep({{file, "name", 1'000, 3}}).ok());
    BOOST_REQUIRE(opened->held_seed("later").ok());
    BOOST_REQUIRE(opened->set_aside("pages", {.code = "invalid", .client = "a", .sequence = 1, .row = "r"}).ok());
    notes_syncs = true;
    written.clear();
    BOOST_TEST(opened->sync(file).ok());
    BOOST_TEST(opened->hold("later", "before").ok());
    BOOST_TEST(written.empty());
    syncs_fail = true;
    for (int tries = 0; tries < 2; ++tries) BOOST_TEST(!opened->sync(file).ok());
    BOOST_TEST(!opened->hold("later", "record").ok());
    BOOST_TEST(!opened->set_aside("pages", {.code = "invalid", .client = "a", .sequence = 2, .row = "r"}).ok());
    syncs_fail = false;
    if (is_started_anew) {
      opened.reset();
      opened = std::move(PosixFolder::open(path).value());
      BOOST_REQUIRE(opened->list().ok());
    }
    written.clear();
    BOOST_TEST(opened->sync(file).ok());
    BOOST_TEST((written[source] == rows.substr(1'000)));
    BOOST_TEST(opened->settled_before().ok());
    BOOST_TEST(written[path + "/forwarder/held/later.rows"] == "beforerecord");
    BOOST_TEST(written[path + "/forwarder/aside/pages.rows"].size() > 20U);
    written.clear();
    BOOST_TEST(opened->sync(file).ok());
    BOOST_TEST(opened->settled_before().ok());
    BOOST_TEST(written.empty());
    notes_syncs = false;
    std::ostringstream bytes;
    bytes << std::ifstream{source, std::ios::binary}.rdbuf();
    BOOST_TEST((bytes.str() == rows));
    for (auto const& entry : fs::directory_iterator{path + "/forwarder"})
      BOOST_TEST(!entry.path().filename().string().starts_with("unsynced"), entry.path());
  }
}

// What is free stays free, and no more than the file's end is written.
BOOST_AUTO_TEST_CASE(holes_are_not_written_once_more) {
  TemporaryFolder const folder;
  std::string const path = folder / "sparse";
  std::ofstream{path, std::ios::binary} << "first";
  fs::resize_file(path, 50'000'000);
  std::ofstream{path, std::ios::binary | std::ios::app} << "last";
  Descriptor const file{::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC)};
  files::Folder const marks = std::move(files::Folder::open(folder.path()).value());
  Syncs syncs{marks};
  syncs_fail = true;
  BOOST_TEST(!syncs.sync(file.fd, path, 0).ok());
  syncs_fail = false;
  notes_syncs = true;
  written.clear();
  BOOST_TEST(syncs.sync(file.fd, path, 0).ok());
  notes_syncs = false;
  BOOST_TEST(written[path].size() < 1'000'000U);
  BOOST_TEST(written[path].starts_with("first"));
  BOOST_TEST(written[path].ends_with("last"));
  BOOST_TEST(fs::file_size(path) == 50'000'004U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::spool
