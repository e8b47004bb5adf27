// What cannot be seen in a folder: which calls of the system fail, and what was synced.
#include <dirent.h>
#include <dlfcn.h>
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "spool/disk.h"
#include "spool/posix_folder.h"
#include "tests/support/temporary_folder.h"

namespace {
int names_left = -1;  // then a listing fails; none fails: -1
}  // namespace

// Replaces the C library's function: no folder of a test fails in the middle of a listing.
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::spool
