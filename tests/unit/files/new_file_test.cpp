// Files that get their names when they are whole: whatever else the folder has stays, however long the name is, and of one
// that is not finished nothing is left. Real files.
#include "platform/files/new_file.h"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/support/temporary_folder.h"

namespace {

using namespace fastjournal;
using files::NewFile;
namespace fs = std::filesystem;

void put(std::string const& path, std::string const& text) { std::ofstream{path} << text; }
std::string text_of(std::string const& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}
std::set<std::string> names_of(fs::path const& folder) {
  std::set<std::string> out;
  for (fs::directory_entry const& one : fs::directory_iterator{folder}) out.insert(one.path().filename());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(files_new_file)

BOOST_AUTO_TEST_CASE(it_is_there_when_it_is_whole_and_replaces_what_was_there) {
  test::TemporaryFolder folder;
  for (std::string const text : {"first", "second"}) {
    Result<NewFile> file = NewFile::make(folder / "out", 0644);
    BOOST_REQUIRE_MESSAGE(file.ok(), file.status().text());
    BOOST_TEST(file->write(text).ok());
    BOOST_TEST(text_of(folder / "out") != text);
    BOOST_TEST(file->finish(NewFile::Durable::yes).ok());
    BOOST_TEST(text_of(folder / "out") == text);
  }
  BOOST_TEST(names_of(folder.path()) == std::set<std::string>{"out"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_one_that_is_not_finished_nothing_is_left) {
  test::TemporaryFolder folder;
  put(folder / "out", "old");
  {
    Result<NewFile> file = NewFile::make(folder / "out", 0644);
    BOOST_REQUIRE(file.ok());
    BOOST_TEST(file->write("half").ok());
  }
  BOOST_TEST(text_of(folder / "out") == "old");
  BOOST_TEST(names_of(folder.path()) == std::set<std::string>{"out"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_are_as_long_as_the_file_system_lets_them) {
  test::TemporaryFolder folder;
  for (std::size_t const bytes : {250, 251, 254, 255}) {
    std::string const name(bytes, 'n');
    Status const status = files::replace_file(folder / name, "text", 0600);
    BOOST_TEST(status.ok(), bytes << " bytes: " << status.text());
    BOOST_TEST(text_of(folder / name) == "text");
    // And once more in place of itself.
    BOOST_TEST(files::replace_file(folder / name, "other", 0600).ok());
  }
  BOOST_TEST(names_of(folder.path()).size() == 4U);
}

BOOST_AUTO_TEST_CASE(others_with_names_like_these_are_left_alone) {
  test::TemporaryFolder folder;
  std::set<std::string> all{"out"};
  for (std::string const ending : {".new", ".part", ".partial", ".tmp"}) {
    put(folder / ("out" + ending), ending);
    all.insert("out" + ending);
  }
  BOOST_TEST(files::replace_file(folder / "out", "text", 0600).ok());
  for (std::string const ending : {".new", ".part", ".partial", ".tmp"})
    BOOST_TEST(text_of(folder / ("out" + ending)) == ending);
  BOOST_TEST(names_of(folder.path()) == all, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_two_at_one_time_the_last_counts_whole) {
  test::TemporaryFolder folder;
  Result<NewFile> one = NewFile::make(folder / "out", 0600);
  Result<NewFile> other = NewFile::make(folder / "out", 0600);
  BOOST_REQUIRE(one.ok());
  BOOST_REQUIRE(other.ok());
  BOOST_TEST(one->write("one").ok());
  BOOST_TEST(other->write("other").ok());
  BOOST_TEST(one->write(" and one").ok());
  BOOST_TEST(other->finish(NewFile::Durable::no).ok());
  BOOST_TEST(text_of(folder / "out") == "other");
  BOOST_TEST(one->finish(NewFile::Durable::no).ok());
  BOOST_TEST(text_of(folder / "out") == "one and one");
}

// A folder in its place is not replaced, and the file not left behind.
BOOST_AUTO_TEST_CASE(a_folder_of_its_name_stays) {
  test::TemporaryFolder folder;
  fs::create_directory(folder.path() / "site");
  Status const status = files::replace_file(folder / "site", "text", 0600);
  BOOST_TEST((status.code() == Code::io_error), status.text());
  BOOST_TEST(status.message().find(folder / "site") != std::string::npos, status.text());
  BOOST_TEST(names_of(folder.path()) == std::set<std::string>{"site"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(errors_name_the_folder_that_is_missing) {
  test::TemporaryFolder folder;
  Status const status = files::replace_file(folder / "none/out", "text", 0600);
  BOOST_TEST(status.message().find(folder / "none") != std::string::npos, status.text());
}

// Through a folder's descriptor: another folder that got its name meanwhile has none of it.
BOOST_AUTO_TEST_CASE(it_stays_in_the_folder_that_was_opened) {
  test::TemporaryFolder folder;
  fs::create_directory(folder.path() / "mine");
  Result<files::Folder> const mine = files::Folder::open(folder / "mine");
  BOOST_REQUIRE(mine.ok());
  Result<NewFile> file = NewFile::make(mine.value(), "out", 0600);
  BOOST_REQUIRE(file.ok());
  fs::rename(folder.path() / "mine", folder.path() / "moved");
  fs::create_directory(folder.path() / "mine");
  BOOST_TEST(file->write("text").ok());
  BOOST_TEST(file->finish(NewFile::Durable::yes).ok());
  BOOST_TEST(text_of(folder / "moved/out") == "text");
  BOOST_TEST(names_of(folder.path() / "mine").empty());
}

BOOST_AUTO_TEST_SUITE_END()
