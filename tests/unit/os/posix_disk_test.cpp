// The kernel's files behind env::Disk: the promises of base/env/disk.h, on real files in a temporary folder.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/bytes.h"
#include "platform/os/posix_disk.h"
#include "tests/support/in_child.h"

namespace {
// Paths of the folders and files that were synced.
std::set<std::string> synced;
}  // namespace

// Replaces the C library's function, as a sync cannot be observed otherwise.
extern "C" int fsync(int fd) {
  std::error_code ignored;
  synced.insert(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored).string());
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"))(fd);
}

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

// In a child process, as a limit on the size of files is for the whole process.
BOOST_AUTO_TEST_CASE(a_write_that_the_kernel_refuses_is_an_error_with_path_and_call) {
  Folder folder;
  int const code = test::run_in_child([&] {
    PosixDisk disk(folder.path);
    auto file = disk.open("a", env::OpenMode::create_new);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit const limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    // The first 1000 bytes are accepted as a short write, the rest is refused.
    Status const status = file.value()->write(0, as_bytes(std::string(3000, 'x')));
    bool const right = status.code() == Code::io_error && status.message().starts_with("write " + folder.path + "/a: ");
    return right ? 0 : 1;
  });
  BOOST_TEST(code == 0);
  BOOST_TEST(std::filesystem::file_size(folder.path + "/a") == 1000U);
}

// Between its creation and the change of its group it has the group of whoever makes it.
BOOST_AUTO_TEST_CASE(a_file_that_is_given_away_is_closed_until_then) {
  Folder folder;
  PosixDisk disk(folder.path, 0644);
  auto const mode_of = [&](std::string const& name) {
    struct stat info {};
    BOOST_REQUIRE(::stat((folder.path + "/" + name).c_str(), &info) == 0);
    return info.st_mode & 0777U;
  };
  BOOST_REQUIRE(disk.open("closed", env::OpenMode::create_closed).ok());
  BOOST_TEST(mode_of("closed") == 0600U);
  BOOST_CHECK(disk.open("closed", env::OpenMode::create_closed).status().code() == Code::in_use);
  BOOST_REQUIRE(disk.give("closed", {.mode = 0644, .group = ::getegid()}).ok());
  BOOST_TEST(mode_of("closed") == 0644U);
  BOOST_REQUIRE(disk.open("open", env::OpenMode::create_new).ok());
  BOOST_TEST((mode_of("open") & 0600U) == 0600U);
  BOOST_TEST(mode_of("open") != 0600U);
}

// Opening a pipe would block, a device has no end, and a link leads to another file.
BOOST_AUTO_TEST_CASE(what_is_no_file_is_not_opened_and_nobody_waits_for_it) {
  Folder folder;
  PosixDisk disk(folder.path);
  BOOST_REQUIRE(::mkfifo((folder.path + "/pipe").c_str(), 0600) == 0);
  std::ofstream{folder.path + "/precious"} << "kept";
  std::filesystem::create_symlink("precious", folder.path + "/link");
  std::filesystem::create_directory(folder.path + "/folder");
  for (std::string const name : {"pipe", "link", "folder"})
    for (env::OpenMode const mode : {env::OpenMode::read_only, env::OpenMode::read_write}) {
      auto const file = disk.open(name, mode);
      BOOST_TEST(!file.ok(), name);
      BOOST_TEST(file.status().message().find(folder.path + "/" + name) != std::string::npos, file.status().message());
    }
  BOOST_CHECK(disk.open("pipe", env::OpenMode::read_only).status().code() == Code::bad_configuration);
  BOOST_TEST(disk.open("link", env::OpenMode::read_only).status().message().find("symbolic link") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_lock_that_is_no_file_truncates_nothing_and_hangs_nobody) {
  for (bool const link : {false, true}) {
    Folder folder;
    PosixDisk disk(folder.path);
    std::ofstream{folder.path + "/precious"} << "kept";
    if (link)
      std::filesystem::create_symlink("precious", folder.path + "/lock");
    else
      BOOST_REQUIRE(::mkfifo((folder.path + "/lock").c_str(), 0600) == 0);
    BOOST_CHECK(disk.lock_folder("").status().code() == Code::bad_configuration);
    BOOST_TEST(!disk.lock_folder_to_read("").ok() == link);
    std::string text;
    std::ifstream{folder.path + "/precious"} >> text;
    BOOST_TEST(text == "kept");
  }
}

BOOST_AUTO_TEST_CASE(the_folder_is_locked_itself_so_that_a_removed_lock_lets_nobody_in) {
  Folder folder;
  PosixDisk disk(folder.path);
  auto const lock = disk.lock_folder("");
  BOOST_REQUIRE(lock.ok());
  BOOST_TEST(lock.value()->look().ok());
  std::filesystem::remove(folder.path + "/lock");
  PosixDisk other(folder.path);
  BOOST_CHECK(other.lock_folder("").status().code() == Code::in_use);
  BOOST_CHECK(other.lock_folder_to_read("").status().code() == Code::in_use);
  Status const looked = lock.value()->look();
  BOOST_CHECK(looked.code() == Code::damaged);
  BOOST_TEST(looked.message().find("the lock " + folder.path + "/lock was removed") != std::string::npos,
             looked.message());
}

BOOST_AUTO_TEST_CASE(notes_in_a_lock_outlive_its_holders) {
  Folder folder;
  PosixDisk disk(folder.path);
  // A lock file of an older version.
  std::ofstream{folder.path + "/lock"} << "12345\n";
  for (std::string const expected : {"", "log a\n", "log a\nlog b\n"}) {
    auto const lock = disk.lock_folder("");
    BOOST_REQUIRE(lock.ok());
    BOOST_TEST(lock.value()->note() == expected);
    if (expected.size() < 10) BOOST_TEST(lock.value()->add_note(expected.empty() ? "log a" : "log b").ok());
  }
  // A line that a power cut left unfinished.
  std::ofstream{folder.path + "/lock", std::ios::app} << "log c";
  auto const lock = disk.lock_folder("");
  BOOST_TEST(lock.value()->note() == "log a\nlog b\n");
  BOOST_TEST(lock.value()->add_note("log d").ok());
  BOOST_TEST(lock.value()->note() == "log a\nlog b\nlog d\n");
}

// The folder is removed, moved away or replaced: files are opened in the folder that was locked, and look() reports it.
BOOST_AUTO_TEST_CASE(a_folder_that_is_held_is_not_mistaken_for_another_one) {
  enum class How { removed, moved, replaced };
  for (How const how : {How::removed, How::moved, How::replaced}) {
    Folder folder;
    std::string const data = folder.path + "/data";
    PosixDisk disk(data);
    BOOST_REQUIRE(disk.make_folder("log").ok());
    auto const lock = disk.lock_folder("log");
    BOOST_REQUIRE(lock.ok());
    auto const file = disk.open("log/a", env::OpenMode::create_new);
    BOOST_REQUIRE(file.ok());
    BOOST_TEST((lock.value()->look().ok() && file.value()->look().ok()));
    if (how == How::removed)
      std::filesystem::remove_all(data);
    else
      std::filesystem::rename(data, folder.path + "/away");
    if (how == How::replaced) {
      std::filesystem::create_directories(data + "/log");
      std::ofstream{data + "/log/lock"} << "1\n";
    }
    Status const looked = lock.value()->look();
    BOOST_CHECK(looked.code() == Code::damaged);
    BOOST_TEST(looked.message().find(how == How::removed    ? "was removed"
                                     : how == How::replaced ? "another folder was put in the place of"
                                                            : "was moved away") != std::string::npos,
               looked.message());
    BOOST_TEST(file.value()->look().ok() == (how != How::removed));
    // In the folder that was locked, not in the one that has its name now.
    BOOST_TEST(disk.open("log/b", env::OpenMode::create_new).ok() == (how != How::removed));
    BOOST_TEST(std::filesystem::exists(folder.path + "/away/log/b") == (how != How::removed));
    BOOST_TEST(!std::filesystem::exists(data + "/log/b"));
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_was_removed_or_replaced_is_told) {
  Folder folder;
  PosixDisk disk(folder.path);
  auto const removed = disk.open("a", env::OpenMode::create_new);
  auto const replaced = disk.open("b", env::OpenMode::create_new);
  auto const moved = disk.open("d", env::OpenMode::create_new);
  BOOST_REQUIRE((removed.ok() && replaced.ok() && moved.ok() && moved.value()->look().ok()));
  std::filesystem::remove(folder.path + "/a");
  std::ofstream{folder.path + "/c"} << "x";
  std::filesystem::rename(folder.path + "/c", folder.path + "/b");
  BOOST_CHECK(removed.value()->look().code() == Code::damaged);
  BOOST_CHECK(replaced.value()->look().code() == Code::damaged);
  // On the same file system: it is still a file.
  std::filesystem::rename(folder.path + "/d", folder.path + "/e");
  BOOST_TEST(moved.value()->look().message() == folder.path + "/d was moved away while it was in use");
  std::ofstream{folder.path + "/d"} << "x";
  BOOST_CHECK(moved.value()->look().code() == Code::damaged);
  std::filesystem::rename(folder.path + "/e", folder.path + "/d");
  BOOST_TEST(moved.value()->look().ok());
}

BOOST_AUTO_TEST_CASE(a_file_opened_again_to_read_cannot_be_written_and_goes_on_without_its_name) {
  Folder folder;
  PosixDisk disk(folder.path);
  auto const file = disk.open("a", env::OpenMode::create_new);
  BOOST_REQUIRE(file.ok());
  BOOST_REQUIRE(file.value()->write(0, as_bytes("first")).ok());
  std::filesystem::remove(folder.path + "/a");
  std::ofstream{folder.path + "/a"} << "another";
  auto const reader = file.value()->reopen_to_read();
  BOOST_REQUIRE_MESSAGE(reader.ok(), reader.status().text());
  BOOST_TEST(read_all(*reader.value()) == "first");
  BOOST_REQUIRE(file.value()->write(5, as_bytes(" second")).ok());
  BOOST_TEST(read_all(*reader.value()) == "first second");
  BOOST_CHECK(reader.value()->write(0, as_bytes("x")).code() == Code::io_error);
  BOOST_CHECK(reader.value()->write_through(0, as_bytes("x")).code() == Code::io_error);
  int const fd = reader.value()->descriptor();
  BOOST_TEST(fd != file.value()->descriptor());
  BOOST_TEST((::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
  BOOST_TEST(::fcntl(fd, F_GETFD) == FD_CLOEXEC);
}

BOOST_AUTO_TEST_CASE(the_names_of_a_new_root_and_of_all_above_it_are_synced) {
  Folder folder;
  PosixDisk disk(folder.path + "/new/deep/root");
  synced.clear();
  BOOST_REQUIRE(disk.make_folder("").ok());
  for (std::string const name : {"/new/deep", "/new", ""})
    BOOST_TEST(synced.contains(folder.path + name), "not synced: " << folder.path + name);
}

// Root may write everywhere, so a child process gives up its rights.
BOOST_AUTO_TEST_CASE(a_folder_without_rights_to_write_is_told_as_that) {
  Folder folder;
  int const code = test::run_in_child([&] {
    std::filesystem::permissions(folder.path, std::filesystem::perms{0555});
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return 2;
    PosixDisk disk(folder.path);
    Status const made = disk.open("a", env::OpenMode::create_new).status();
    Status const locked = disk.lock_folder("").status();
    bool const right = made.code() == Code::not_allowed && locked.code() == Code::not_allowed &&
                       made.message().find("rights to write") != std::string::npos;
    return right ? 0 : 1;
  });
  BOOST_TEST(code == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::os
