// Folders below TMPDIR: of whom they are, and which of them are removed when their process was killed.
#include "clients/programs/fastjournal/work_folder.h"

#include <sys/stat.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/in_child.h"
#include "tests/support/temporary_folder.h"

using namespace fastjournal;
using namespace fastjournal::cli;
namespace fs = std::filesystem;

namespace {

struct CliWorkFolderFixture {
  CliWorkFolderFixture() { ::setenv("TMPDIR", folder.path().c_str(), 1); }
  ~CliWorkFolderFixture() { ::unsetenv("TMPDIR"); }
  // As of a process that is killed.
  void leave(int count, std::string_view name = "row") const {
    int const code = fastjournal::test::run_in_child([&] {
      for (int i = 0; i < count; ++i) {
        Result<WorkFolder> made = WorkFolder::make(name);
        if (!made.ok()) return 1;
        fs::create_directories(made->path() + "/deep/er");
        std::ofstream{made->path() + "/deep/er/content"} << "secret";
        fs::create_symlink(folder / "precious", made->path() + "/link");
        new WorkFolder{std::move(made).value()};
      }
      return 0;
    });
    BOOST_REQUIRE(code == 0);
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> out;
    for (auto const& entry : fs::directory_iterator{folder.path()}) out.insert(entry.path().filename().string());
    return out;
  }

  fastjournal::test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cli_work_folder, CliWorkFolderFixture)

BOOST_AUTO_TEST_CASE(it_is_for_this_user_and_goes_with_its_object) {
  {
    Result<WorkFolder> made = WorkFolder::make("row");
    BOOST_REQUIRE(made.ok());
    WorkFolder const moved = std::move(made).value();
    struct stat found {};
    BOOST_REQUIRE(::stat(moved.path().c_str(), &found) == 0);
    BOOST_TEST((found.st_mode & 0777U) == 0700U);
    std::ofstream{moved.path() + "/content"} << "x";
  }
  BOOST_TEST(names().empty());
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  BOOST_TEST((WorkFolder::make("row").status().code() == Code::io_error));
  WorkFolder::remove_left("row");
}

BOOST_AUTO_TEST_CASE(what_was_left_is_removed_and_nothing_else) {
  Result<WorkFolder> const mine = WorkFolder::make("row");
  BOOST_REQUIRE(mine.ok());
  std::ofstream{mine->path() + "/content"} << "x";
  fs::create_directories(folder / "precious/inner");
  std::ofstream{folder / "precious/inner/file"} << "y";
  // What only has such a name.
  fs::create_directory_symlink(folder / "precious", folder / "row-1-aaaaaa");
  std::ofstream{folder / "row-1-bbbbbb"} << "z";
  for (char const* const other :
       {"row-cccccc", "row-1-ccccccc", "row--cccccc", "row-1x-cccccc", "a-row-1-cccccc", "row"})
    fs::create_directory(folder / other);
  std::set<std::string> const others = names();
  leave(1, "pipeline");
  std::set<std::string> const before = names();
  leave(3);
  BOOST_TEST(names().size() == before.size() + 3);
  WorkFolder::remove_left("row");
  BOOST_TEST((names() == before));
  BOOST_TEST(fs::exists(folder / "precious/inner/file"));
  BOOST_TEST(fs::exists(mine->path() + "/content"));
  WorkFolder::remove_left("pipeline");
  BOOST_TEST((names() == others));
}

BOOST_AUTO_TEST_CASE(a_start_removes_a_hundred_at_the_most) {
  leave(130);
  WorkFolder::remove_left("row");
  BOOST_TEST(names().size() == 30U);
  WorkFolder::remove_left("row");
  BOOST_TEST(names().empty());
}

BOOST_AUTO_TEST_CASE(what_is_of_another_user_stays) {
  if (::geteuid() != 0) return;
  fs::create_directory(folder / "row-1-aaaaaa");
  BOOST_REQUIRE(::chown((folder / "row-1-aaaaaa").c_str(), 65'534, 65'534) == 0);
  WorkFolder::remove_left("row");
  BOOST_TEST(names().size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
