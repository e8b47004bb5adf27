// The kernel's files behind env::Disk: the few promises of env/disk.h, on real
// files in a folder of their own.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/bytes.h"
#include "os/posix_disk.h"

namespace fastjournal::os {

namespace {

struct Folder {
  Folder() {
    path = (std::filesystem::temp_directory_path() / "fj-posix-disk-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(path.data()) != nullptr);
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

std::string read_all(env::File& file) {
  std::vector<std::byte> bytes(file.size().value() + 10);
  auto const got = file.read(0, bytes);
  BOOST_REQUIRE(got.ok());
  bytes.resize(got.value());
  return std::string(as_text(bytes));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(posix_disk)

BOOST_AUTO_TEST_CASE(bytes_written_are_read_back_and_a_short_read_ends_at_the_end) {
  Folder folder;
  PosixDisk disk(folder.path);
  auto file = disk.open("a", env::OpenMode::create_new);
  BOOST_REQUIRE(file.ok());
  BOOST_TEST(file.value()->write(3, as_bytes("defg")).ok());
  BOOST_TEST(file.value()->write(0, as_bytes("abc")).ok());
  BOOST_TEST(file.value()->sync().ok());
  BOOST_TEST(read_all(*file.value()) == "abcdefg");
  BOOST_TEST(file.value()->truncate(4).ok());
  BOOST_TEST(file.value()->size().value() == 4U);
  BOOST_TEST(read_all(*file.value()) == "abcd");
  std::byte one{};
  BOOST_TEST(file.value()->read(100, std::span(&one, 1)).value() == 0U);
}

BOOST_AUTO_TEST_CASE(opening_says_what_is_there_and_what_is_not) {
  Folder folder;
  PosixDisk disk(folder.path);
  auto const missing = disk.open("a", env::OpenMode::read_write);
  BOOST_CHECK(missing.status().code() == Code::not_found);
  BOOST_TEST(missing.status().message().find(folder.path + "/a") != std::string::npos);
  BOOST_REQUIRE(disk.open("a", env::OpenMode::create_new).ok());
  BOOST_CHECK(disk.open("a", env::OpenMode::create_new).status().code() == Code::in_use);
  auto read_only = disk.open("a", env::OpenMode::read_only);
  BOOST_REQUIRE(read_only.ok());
  BOOST_CHECK(read_only.value()->write(0, as_bytes("x")).code() == Code::io_error);
}

BOOST_AUTO_TEST_CASE(folders_are_made_with_their_parents_and_listed_in_order) {
  Folder folder;
  PosixDisk disk(folder.path + "/new/root");
  BOOST_TEST(disk.make_folder("x/y").ok());
  BOOST_TEST(disk.make_folder("x/y").ok());
  for (std::string const name : {"x/c", "x/a", "x/b"}) BOOST_REQUIRE(disk.open(name, env::OpenMode::create_new).ok());
  auto const names = disk.list("x");
  BOOST_REQUIRE(names.ok());
  BOOST_TEST(names.value() == (std::vector<std::string>{"a", "b", "c", "y"}), boost::test_tools::per_element());
  BOOST_CHECK(disk.list("z").status().code() == Code::not_found);
  BOOST_CHECK(disk.make_folder("x/a").code() != Code::ok);
  BOOST_TEST(disk.rename("x/a", "x/y/d").ok());
  BOOST_TEST(disk.remove("x/b").ok());
  BOOST_CHECK(disk.remove("x/b").code() == Code::not_found);
  BOOST_TEST(disk.sync_folder("x").ok());
  BOOST_TEST(disk.sync_folder("").ok());
  BOOST_CHECK(disk.sync_folder("nowhere").code() == Code::not_found);
  BOOST_TEST(disk.list("x").value().size() == 2U);
  BOOST_TEST(disk.free_bytes().ok());
}

BOOST_AUTO_TEST_CASE(a_lock_names_its_holder_and_ends_with_it) {
  Folder folder;
  PosixDisk disk(folder.path);
  {
    auto const lock = disk.lock_folder("");
    BOOST_REQUIRE(lock.ok());
    auto const second = disk.lock_folder("");
    BOOST_CHECK(second.status().code() == Code::in_use);
    BOOST_TEST(second.status().message().find(std::to_string(::getpid())) != std::string::npos);
    BOOST_REQUIRE(second.status().facts().size() == 1U);
    BOOST_TEST(second.status().facts()[0].second == std::to_string(::getpid()));
  }
  BOOST_TEST(disk.lock_folder("").ok());
}

// In a child: a limit on the size of files holds for the whole process.
BOOST_AUTO_TEST_CASE(a_write_that_the_kernel_refuses_is_an_error_with_path_and_call) {
  Folder folder;
  pid_t const child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    PosixDisk disk(folder.path);
    auto file = disk.open("a", env::OpenMode::create_new);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit const limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    // The first 1000 bytes go through as a short write, the rest is refused.
    Status const status = file.value()->write(0, as_bytes(std::string(3000, 'x')));
    bool const right = status.code() == Code::io_error && status.message().starts_with("write " + folder.path + "/a: ");
    ::_exit(right ? 0 : 1);
  }
  int state = 0;
  BOOST_REQUIRE(::waitpid(child, &state, 0) == child);
  BOOST_TEST((WIFEXITED(state) && WEXITSTATUS(state) == 0));
  BOOST_TEST(std::filesystem::file_size(folder.path + "/a") == 1000U);
}

BOOST_AUTO_TEST_CASE(no_space_is_told_from_other_failures) {
  // A device that is always full.
  PosixDisk disk("/dev");
  auto file = disk.open("full", env::OpenMode::read_write);
  if (!file.ok()) return;
  BOOST_CHECK(file.value()->write(0, as_bytes("x")).code() == Code::no_space);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::os
