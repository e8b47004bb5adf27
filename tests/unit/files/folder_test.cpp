// Folders that others may write: links, FIFOs and devices in place of files are neither followed nor waited for, and a
// folder of somebody else is not ours. Real files.
#include "platform/files/folder.h"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace {

using namespace fastjournal;
using files::Descriptor;
using files::Folder;
namespace fs = std::filesystem;

struct FolderFixture {
  FolderFixture() {
    fs::create_directories(outer.path() / "elsewhere/inner");
    std::ofstream{outer / "elsewhere/file"} << "secret";
    fs::create_directory(outer.path() / "spool");
  }
  test::TemporaryFolder outer;
  Folder spool() { return std::move(Folder::open(outer / "spool").value()); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(files_folder, FolderFixture)

BOOST_AUTO_TEST_CASE(only_regular_files_are_opened_and_nothing_is_waited_for) {
  Folder const folder = spool();
  std::string const path = folder.path() + "/";
  fs::create_symlink(outer.path() / "elsewhere/file", path + "link");
  fs::create_symlink(path + "nowhere", path + "dangling");
  BOOST_REQUIRE(::mkfifo((path + "fifo").c_str(), 0666) == 0);
  fs::create_directory(path + "folder");
  for (std::string const name : {"link", "dangling", "fifo", "folder"})
    for (int const flags : {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT}) {
      Descriptor const file{folder.open_file(name, flags, 0600)};
      int const error = errno;
      BOOST_TEST(!file.is_open(), name << " with flags " << flags);
      BOOST_TEST(error == ELOOP, name << " with flags " << flags << ": " << error);
    }
  BOOST_TEST(!fs::exists(path + "nowhere"));
  BOOST_TEST(Descriptor{folder.open_file("new", O_RDWR | O_CREAT, 0600)}.is_open());
  BOOST_TEST(Descriptor{files::open_regular(path + "new", O_RDONLY)}.is_open());
  std::string const text = files::failure("open of", "f", ELOOP).message();
  BOOST_TEST(text.find("expected a regular file") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(an_inner_folder_is_no_link_and_no_file) {
  Folder const folder = spool();
  std::string const path = folder.path() + "/";
  fs::create_symlink(outer.path() / "elsewhere/inner", path + "link");
  BOOST_REQUIRE(::mkfifo((path + "fifo").c_str(), 0666) == 0);
  for (std::string const name : {"link", "fifo"})
    for (bool const make : {false, true}) {
      Status const status = folder.own(name, make).status();
      BOOST_TEST((status.code() == Code::io_error), name << ": " << status.text());
      BOOST_TEST(status.message().find(path + name) != std::string::npos, status.text());
    }
  BOOST_TEST(folder.own("forwarder", true).ok());
  BOOST_TEST(folder.own("forwarder", false).ok());
  BOOST_TEST(!folder.own("none", false).ok());
}

BOOST_AUTO_TEST_CASE(an_own_folder_is_of_nobody_else) {
  Folder const folder = spool();
  BOOST_REQUIRE(folder.own("ours", true).ok());
  BOOST_REQUIRE(::chmod((folder.path() + "/ours").c_str(), 0770) == 0);
  Status const open = folder.own("ours", true).status();
  BOOST_TEST((open.code() == Code::not_allowed), open.text());
  BOOST_TEST(open.message().find("chmod go-w") != std::string::npos, open.text());
  if (::geteuid() != 0) return;
  BOOST_REQUIRE(::chmod((folder.path() + "/ours").c_str(), 0750) == 0);
  BOOST_REQUIRE(::chown((folder.path() + "/ours").c_str(), 65534, 65534) == 0);
  Status const other = folder.own("ours", true).status();
  BOOST_TEST((other.code() == Code::not_allowed), other.text());
  BOOST_TEST(other.message().find("user 65534") != std::string::npos, other.text());
  // Whoever has the outer folder may have the inner one.
  BOOST_REQUIRE(::chown(folder.path().c_str(), 65534, 65534) == 0);
  BOOST_TEST(folder.own("ours", true).ok());
}

BOOST_AUTO_TEST_CASE(what_gets_its_name_later_is_another_folder) {
  Folder const folder = spool();
  fs::rename(folder.path(), outer.path() / "moved");
  fs::create_symlink(outer.path() / "elsewhere", folder.path());
  BOOST_TEST(folder.names().value().empty());
  BOOST_TEST(!folder.has("file"));
  BOOST_TEST(Descriptor{folder.open_file("mine", O_RDWR | O_CREAT, 0600)}.is_open());
  BOOST_TEST(fs::exists(outer.path() / "moved/mine"));
  BOOST_TEST(!fs::exists(outer.path() / "elsewhere/mine"));
}

BOOST_AUTO_TEST_CASE(a_move_replaces_nothing) {
  Folder const folder = spool();
  for (std::string const name : {"a", "b"}) std::ofstream{folder.path() + "/" + name} << name;
  BOOST_TEST(folder.move("a", folder, "b") == -1);
  BOOST_TEST(errno == EEXIST);
  BOOST_TEST(folder.move("a", folder, "c") == 0);
  std::vector<std::string> names = folder.names().value();
  std::ranges::sort(names);
  BOOST_TEST(names == (std::vector<std::string>{"b", "c"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
