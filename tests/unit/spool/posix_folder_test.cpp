// The forwarder's folder on the disk, and the forwarder over it with real producers.
#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clients/spool/core/disk.h"
#include "clients/spool/core/forwarder.h"
#include "clients/spool/core/posix_folder.h"
#include "clients/spool/core/progress_file.h"
#include "clients/spool/core/record.h"
#include "clients/spool/core/spool.h"
#include "tests/support/in_child.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/value_of.h"
#include "wire/msgpack.h"

namespace fastjournal::spool {
namespace {

namespace fs = std::filesystem;
using fastjournal::test::run_in_child;
using fastjournal::test::TemporaryFolder;

std::unique_ptr<PosixFolder> open_folder(std::string const& path) {
  return fastjournal::test::value_of(PosixFolder::open(path));
}

std::unique_ptr<Spool> open_spool(std::string const& path, std::size_t file_bytes_max = std::size_t{64} << 20U) {
  return fastjournal::test::value_of(Spool::open({.folder = path, .file_bytes_max = file_bytes_max}));
}

Status save(Spool& spool, std::string_view id, std::string_view table = "pages") {
  Message row = Spool::row_of(table);
  row.set("id", id);
  return spool.save(row);
}

// What the forwarder keeps of a folder, read beside it.
struct OwnProgress {
  explicit OwnProgress(std::string const& path)
      : spool(files::Folder::open(path)), closing(spool->own("closing", false)), own(spool->own("forwarder", false)) {}
  Result<files::Folder> spool;
  Result<files::Folder> closing;
  Result<files::Folder> own;
  ProgressFile file{spool.value(), closing.value(), own.value()};
};

class PosixFolderDaemon final : public Link {
 public:
  std::map<std::string, int> rows;
  std::vector<std::uint64_t> unanswered;
  bool takes_later{false};

  [[nodiscard]] bool is_up() const override { return true; }
  void send(Message const& insert, std::string_view, std::uint64_t number) override {
    bool const is_known = insert.text("table") == "pages" || takes_later;
    auto const identity = std::pair{std::string{insert.text("client")}, insert.integer("sequence").value_or(0)};
    if (is_known && known_.emplace(identity, insert.text("id")).second) ++rows[std::string{insert.text("id")}];
    if (is_known) BOOST_TEST(known_.at(identity) == insert.text("id"));
    answers_.emplace_back(number, is_known ? Status{} : Status{Code::unknown_table, "unknown"});
  }
  void answer(Forwarder& forwarder, TimeMs now) {
    auto const answers = std::exchange(answers_, {});
    for (auto const& [number, status] : answers) forwarder.answered(number, status, now);
  }

 private:
  std::map<std::pair<std::string, std::int64_t>, std::string> known_;
  std::vector<std::pair<std::uint64_t, Status>> answers_;
};

std::string draw_name() {
  static int number = 0;
  return "client-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
}

std::size_t count_files(std::string const& folder) {
  std::size_t out = 0;
  for (auto const& entry : fs::directory_iterator{folder}) out += entry.is_regular_file() ? 1 : 0;
  return out;
}

BOOST_AUTO_TEST_SUITE(spool_posix_folder)

BOOST_AUTO_TEST_CASE(a_folder_has_one_forwarder) {
  TemporaryFolder const folder;
  std::unique_ptr<PosixFolder> first = open_folder(folder / ".");
  Status const second = PosixFolder::open(folder / ".").status();
  BOOST_TEST((second.code() == Code::in_use));
  BOOST_TEST(second.message().find(std::to_string(::getpid())) != std::string::npos, second.message());
  first.reset();
  BOOST_TEST(PosixFolder::open(folder / ".").ok());
  BOOST_TEST((PosixFolder::open(folder / "missing").status().code() == Code::io_error));
}

BOOST_AUTO_TEST_CASE(progress_is_found_again) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  BOOST_TEST(save(*open_spool(path), "a").ok());
  Instance file;
  {
    std::unique_ptr<PosixFolder> const opened = open_folder(path);
    std::vector<Listed> const listed = opened->list().value();
    BOOST_REQUIRE(listed.size() == 1U);
    file = listed[0].instance;
    BOOST_TEST(opened->keep({{file, "name", 10, 2}}).ok());
    BOOST_TEST(opened->keep({{file, "name", 20, 3}}).ok());
    BOOST_TEST(opened->keep({{{1, 2, 3}, "gone", 1, 1}}).ok());
  }
  // Cut by a kill.
  std::ofstream{path + "/forwarder/progress", std::ios::app} << file.device << " " << file.inode << " 7";
  std::vector<Progress> const kept = open_folder(path)->kept().value();
  BOOST_REQUIRE(kept.size() == 1U);
  BOOST_TEST((kept[0] == Progress{file, "name", 20, 3}));
  // Damaged: no older line counts in its place.
  std::ofstream{path + "/forwarder/progress", std::ios::app} << file.device << " " << file.inode << " 7\n";
  Status const refused = PosixFolder::open(path).status();
  BOOST_TEST((refused.code() == Code::damaged));
}

// The number of a disk may change with each start of the computer.
BOOST_AUTO_TEST_CASE(a_file_is_known_by_its_seed) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  BOOST_TEST(save(*open_spool(path), "a").ok());
  BOOST_TEST(save(*open_spool(path), "b").ok());
  Instance const file = open_folder(path)->list().value().at(0).instance;
  BOOST_TEST(open_folder(path)->keep({{file, "name", kFileHeadBytes, 1}}).ok());
  {
    OwnProgress own{path};
    ProgressFile& progress = own.file;
    BOOST_REQUIRE(progress.open().ok());
    Kept moved = progress.kept().at(file);
    BOOST_TEST(moved.seed.has_value());
    moved.progress.instance.device += 1;
    progress.kept() = {{moved.progress.instance, moved}};
    BOOST_REQUIRE(progress.write_anew().ok());
  }
  std::unique_ptr<PosixFolder> const opened = open_folder(path);
  std::vector<Progress> const kept = opened->kept().value();
  BOOST_REQUIRE(kept.size() == 1U);
  BOOST_TEST(kept[0].client == "name");
  BOOST_TEST((opened->list().value().at(0).instance == kept[0].instance));
}

// Its inode came again, on a file system without births.
BOOST_AUTO_TEST_CASE(a_later_file_with_the_same_number_is_a_new_one) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  for (bool const has_seed : {true, false}) {
    fs::remove_all(path);
    BOOST_TEST(save(*open_spool(path), "a").ok());
    Instance file;
    std::string name;
    {
      std::unique_ptr<PosixFolder> const opened = open_folder(path);
      Listed const listed = opened->list().value().at(0);
      file = listed.instance;
      name = path + "/" + name_of(listed.place);
      BOOST_TEST(opened->keep({{file, "name", listed.size, 2}}).ok());
    }
    // A line without a seed matches, and is beyond the end.
    if (!has_seed) {
      OwnProgress own{path};
      ProgressFile& progress = own.file;
      BOOST_REQUIRE(progress.open().ok());
      progress.kept().at(file).seed.reset();
      progress.kept().at(file).progress.offset += 1'000;
      BOOST_REQUIRE(progress.write_anew().ok());
    }
    std::ofstream{name, std::ios::trunc}.close();
    BOOST_TEST(save(*open_spool(path), "b").ok());
    std::unique_ptr<PosixFolder> const opened = open_folder(path);
    BOOST_TEST(opened->kept().value().empty());
    BOOST_TEST(opened->doubtful().size() == (has_seed ? 0U : 1U));
    PosixFolderDaemon daemon;
    Forwarder forwarder{*opened, daemon, {}, draw_name};
    BOOST_REQUIRE(forwarder.start().ok());
    TimeMs now{static_cast<std::int64_t>(::time(nullptr)) * 1000};
    for (int turn = 0; turn < 3; ++turn) {
      now.value += 2 * 3'600'000;
      forwarder.run(now);
      daemon.answer(forwarder, now);
    }
    BOOST_TEST(daemon.rows["b"] == 1);
    BOOST_TEST(count_files(path + "/closing") == 0U);
  }
}

// While the forwarder has it.
BOOST_AUTO_TEST_CASE(a_file_that_was_cut_is_read_from_its_beginning) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  BOOST_TEST(save(*open_spool(path), std::string(1'000, 'a')).ok());
  std::unique_ptr<PosixFolder> const opened = open_folder(path);
  PosixFolderDaemon daemon;
  Forwarder forwarder{*opened, daemon, {}, draw_name};
  BOOST_REQUIRE(forwarder.start().ok());
  TimeMs now{static_cast<std::int64_t>(::time(nullptr)) * 1000};
  auto const turn = [&] {
    now.value += 2'000;
    forwarder.run(now);
    daemon.answer(forwarder, now);
    forwarder.run(now);
  };
  turn();
  Listed const file = opened->list().value().at(0);
  fs::resize_file(path + "/" + name_of(file.place), kFileHeadBytes);
  BOOST_TEST(save(*open_spool(path), "b").ok());
  turn();
  BOOST_TEST(opened->doubtful().size() == 1U);
  BOOST_TEST(daemon.rows["b"] == 1);
  BOOST_TEST((opened->list().value().at(0).instance != file.instance));
}

// Thousands of changes take a bounded file, which is always whole.
BOOST_AUTO_TEST_CASE(progress_stays_small) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  BOOST_TEST(save(*open_spool(path), "a").ok());
  std::unique_ptr<PosixFolder> opened = open_folder(path);
  Instance const file = opened->list().value().at(0).instance;
  std::string const name(100, 'n');
  for (std::uint64_t at = 1; at <= 9'000; ++at) BOOST_REQUIRE(opened->keep({{file, name, kFileHeadBytes, at}}).ok());
  BOOST_TEST(fs::file_size(path + "/forwarder/progress") <= std::uintmax_t{1} << 20U);
  opened.reset();
  BOOST_TEST(open_folder(path)->kept().value().at(0).ordinal == 9'000U);
}

// Rows are erased only behind progress that is kept: a full disk must have space for that.
BOOST_AUTO_TEST_CASE(progress_has_its_space_before_it_is_needed) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  std::string const other = folder / "other";
  int const fd = ::open(other.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  BOOST_REQUIRE(fd >= 0);
  bool const is_known = ::fallocate(fd, 0, 0, 8192) == 0;  // to the file system
  ::close(fd);
  BOOST_TEST(save(*open_spool(path), "a").ok());
  std::unique_ptr<PosixFolder> const opened = open_folder(path);
  struct stat look {};
  BOOST_REQUIRE(::stat((path + "/forwarder/progress").c_str(), &look) == 0);
  BOOST_TEST(look.st_size == 0);
  if (is_known) BOOST_TEST(look.st_blocks * 512 >= 1 << 20);
}

BOOST_AUTO_TEST_CASE(an_ended_file_is_left_and_removed) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  std::unique_ptr<Spool> const spool = open_spool(path);
  BOOST_TEST(save(*spool, "a").ok());
  std::unique_ptr<PosixFolder> const opened = open_folder(path);
  Instance const file = opened->list().value().at(0).instance;
  BOOST_TEST(!opened->is_left(file).value());
  BOOST_TEST(opened->end(file).ok());
  BOOST_TEST(count_files(path) == 0U);
  BOOST_TEST(count_files(path + "/closing") == 1U);
  Listed const listed = opened->list().value().at(0);
  BOOST_TEST((listed.is_ended && listed.instance == file));
  BOOST_TEST(!opened->is_left(file).value());
  BOOST_TEST(save(*spool, "b").ok());  // still there; then its producer leaves
  BOOST_TEST(opened->is_left(file).value());
  BOOST_TEST(save(*spool, "c").ok());  // elsewhere
  // Another file of the same name is ended as well.
  std::vector<Listed> const both = opened->list().value();
  for (Listed const& one : both)
    if (!one.is_ended) BOOST_TEST(opened->end(one.instance).ok());
  BOOST_TEST(count_files(path + "/closing") == 2U);
  BOOST_TEST(opened->remove(file).ok());
  BOOST_TEST(count_files(path + "/closing") == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_erased_takes_no_space) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  std::unique_ptr<Spool> const spool = open_spool(path);
  for (int row = 0; row < 64; ++row) BOOST_TEST(save(*spool, std::string(10'000, 'x')).ok());
  std::unique_ptr<PosixFolder> const opened = open_folder(path);
  Listed const file = opened->list().value().at(0);
  BOOST_TEST(opened->erase(file.instance, 5, file.size - 5).ok());
  std::string bytes;
  BOOST_TEST(opened->read(file.instance, 0, file.size + 100, bytes).ok());
  BOOST_TEST(bytes.size() == file.size);
  BOOST_TEST(bytes.find_first_not_of('\0', 5) == file.size - 5);
  struct stat look {};
  BOOST_REQUIRE(::stat((path + "/" + name_of(file.place)).c_str(), &look) == 0);
  BOOST_TEST(look.st_blocks * 512 < 64 * 1024);
}

// Its write bits are gone, and another forwarder that is not root finds it.
BOOST_AUTO_TEST_CASE(an_ended_file_is_erased_by_its_owner_all_the_same) {
  TemporaryFolder const folder;
  fs::permissions(folder / ".", fs::perms::all);
  int const code = run_in_child([&] {
    constexpr uid_t kSomebody = 65'534;
    if (::geteuid() == 0 && ::setuid(kSomebody) != 0) return 1;
    std::string const path = folder / "rows";
    std::unique_ptr<Spool> const spool = std::move(Spool::open({.folder = path}).value());
    if (!save(*spool, std::string(10'000, 'x')).ok()) return 2;
    {
      std::unique_ptr<PosixFolder> const first = std::move(PosixFolder::open(path).value());
      if (!first->end(first->list().value().at(0).instance).ok()) return 3;
    }
    std::unique_ptr<PosixFolder> const second = std::move(PosixFolder::open(path).value());
    Listed const file = second->list().value().at(0);
    if (!second->erase(file.instance, kFileHeadBytes, file.size).ok()) return 4;
    std::string bytes;
    if (!second->read(file.instance, kFileHeadBytes, file.size, bytes).ok()) return 5;
    if (bytes.find_first_not_of('\0') != std::string::npos) return 6;
    struct stat look {};
    if (::stat((path + "/closing/" + name_of(file.place)).c_str(), &look) != 0) return 7;
    return (look.st_mode & 0222U) == 0 ? 0 : 8;
  });
  BOOST_TEST(code == 0);
}

// As packaged: the folder of the forwarder's user, with mode 2770, and producers of other users in its group. Their files
// may be written by the group, or only be read.
BOOST_AUTO_TEST_CASE(files_of_other_users_are_ended_and_removed) {
  if (::geteuid() != 0) return;  // only root can be several users
  for (mode_t const mode : {0640U, 0660U}) {
    TemporaryFolder const folder;
    constexpr uid_t kForwarder = 65'534;
    constexpr uid_t kProducer = 65'533;
    std::string const path = folder / "rows";
    fs::permissions(folder / ".", fs::perms::all);
    fs::create_directory(path);
    BOOST_REQUIRE(::chown(path.c_str(), kForwarder, kForwarder) == 0);
    BOOST_REQUIRE(::chmod(path.c_str(), 02770) == 0);
    int code = run_in_child([&] {
      ::umask(0);
      if (::setgroups(0, nullptr) != 0 || ::setgid(kForwarder) != 0 || ::setuid(kProducer) != 0) return 1;
      Result<std::unique_ptr<Spool>> const spool = Spool::open({.folder = path, .file_mode = mode});
      return spool.ok() && save(*spool.value(), "a").ok() ? 0 : 2;
    });
    BOOST_REQUIRE(code == 0);
    code = run_in_child([&] {
      if (::setgroups(0, nullptr) != 0 || ::setgid(kForwarder) != 0 || ::setuid(kForwarder) != 0) return 1;
      Result<std::unique_ptr<PosixFolder>> const opened = PosixFolder::open(path);
      if (!opened.ok()) return 2;
      Listed const file = opened.value()->list().value().at(0);
      PosixFolderDaemon daemon;
      Forwarder forwarder{*opened.value(), daemon, {}, draw_name};
      if (!forwarder.start().ok()) return 3;
      TimeMs now{static_cast<std::int64_t>(::time(nullptr)) * 1000};
      forwarder.run(now);
      daemon.answer(forwarder, now);
      forwarder.run(now);
      std::string bytes;
      if (!opened.value()->read(file.instance, kFileHeadBytes, file.size, bytes).ok()) return 4;
      bool const is_erased = bytes.find_first_not_of('\0') == std::string::npos;
      if (is_erased != (mode == 0660U)) return 5;
      now.value += 2 * 3'600'000;
      forwarder.run(now);
      if (!forwarder.problem().ok() || forwarder.figures().failures != 0) return 6;
      return daemon.rows.size() == 1 && count_files(path) == 0 && count_files(path + "/closing") == 0 ? 0 : 7;
    });
    BOOST_TEST(code == 0, "mode " << std::oct << mode << ": " << code);
  }
}

// Of a producer of another user with umask 077.
BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_opened_is_skipped) {
  if (::geteuid() != 0) return;  // only root can be several users
  TemporaryFolder const folder;
  constexpr uid_t kForwarder = 65'534;
  std::string const path = folder / "rows";
  fs::permissions(folder / ".", fs::perms::all);
  fs::create_directory(path);
  BOOST_REQUIRE(::chown(path.c_str(), kForwarder, kForwarder) == 0);
  std::int64_t const begin = begin_of_period(::time(nullptr), 3600);
  std::string const closed = path + "/" + name_of({begin, 1});
  BOOST_TEST(save(*open_spool(path), "a").ok());
  fs::rename(path + "/" + name_of({begin, 0}), closed);
  BOOST_TEST(save(*open_spool(path), "b").ok());
  BOOST_REQUIRE(::chmod((path + "/" + name_of({begin, 0})).c_str(), 0644) == 0);
  int const code = run_in_child([&] {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kForwarder) != 0) return 1;
    // Known from before the file was closed.
    if (::seteuid(kForwarder) != 0 || ::seteuid(0) != 0 || ::chmod(closed.c_str(), 0644) != 0) return 2;
    if (::seteuid(kForwarder) != 0) return 3;
    {
      std::unique_ptr<PosixFolder> const first = std::move(PosixFolder::open(path).value());
      std::vector<Listed> const listed = first->list().value();
      for (Listed const& file : listed)
        if (!first->keep({{file.instance, "name-" + std::to_string(file.place.number), 24, 1}}).ok()) return 4;
    }
    if (::seteuid(0) != 0 || ::chmod(closed.c_str(), 0600) != 0 || ::seteuid(kForwarder) != 0) return 5;
    {
      Result<std::unique_ptr<PosixFolder>> const opened = PosixFolder::open(path);
      if (!opened.ok()) return 6;
      std::vector<Listed> const listed = opened.value()->list().value();
      if (listed.size() != 1 || listed[0].place.number != 0) return 7;
      std::vector<Status> const skipped = opened.value()->skipped();
      if (skipped.size() != 1 || skipped[0].message().find(closed) == std::string::npos ||
          skipped[0].message().find("Permission denied") == std::string::npos)
        return 8;
    }
    std::unique_ptr<PosixFolder> const opened = std::move(PosixFolder::open(path).value());
    if (::seteuid(0) != 0 || ::chmod(closed.c_str(), 0644) != 0 || ::seteuid(kForwarder) != 0) return 9;
    if (opened->list().value().size() != 2 || !opened->skipped().empty()) return 10;
    std::vector<Progress> const kept = opened->kept().value();
    return kept.size() == 2 && kept[0].client != kept[1].client ? 0 : 11;
  });
  BOOST_TEST(code == 0);
}

// More than the limit of open files allows to be open.
BOOST_AUTO_TEST_CASE(many_files_are_carried_at_once) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  constexpr std::uint32_t kFiles = 700;
  fs::create_directory(path);
  for (std::uint32_t number = 0; number < kFiles; ++number)
    std::ofstream{path + "/" + name_of({0, number}), std::ios::binary} << head_of_file(draw_seed());
  int const code = run_in_child([&] {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 1;
    files.rlim_cur = 600;
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0) return 2;
    Result<std::unique_ptr<PosixFolder>> const opened = PosixFolder::open(path);
    if (!opened.ok() || opened.value()->list().value().size() != kFiles) return 3;
    PosixFolderDaemon daemon;
    Forwarder forwarder{*opened.value(), daemon, {}, draw_name};
    if (!forwarder.start().ok()) return 4;
    TimeMs now{static_cast<std::int64_t>(::time(nullptr)) * 1000};
    for (int turn = 0; turn < 10; ++turn) {
      now.value += 1'000;
      forwarder.run(now);
    }
    if (!forwarder.problem().ok() || forwarder.figures().failures != 0) return 5;
    return count_files(path) == 0 && count_files(path + "/closing") == 0 ? 0 : 6;
  });
  BOOST_TEST(code == 0);
}

BOOST_AUTO_TEST_CASE(rows_of_held_tables) {
  TemporaryFolder const folder;
  fs::create_directory(folder / "rows");
  std::string const path = folder / "rows";
  std::unique_ptr<PosixFolder> opened = open_folder(path);
  Seed const seed = opened->held_seed("later").value();
  BOOST_TEST(opened->hold("later", "12345").ok());
  BOOST_TEST(opened->hold("later", "678").ok());
  BOOST_TEST(opened->erase_held("later", kFileHeadBytes + 3).ok());
  opened.reset();
  opened = open_folder(path);
  BOOST_TEST((opened->held_tables().value() == std::vector<std::string>{"later"}));
  std::string bytes;
  BOOST_TEST(opened->read_held("later", 0, 100, bytes).ok());
  BOOST_TEST(bytes == head_of_file(seed) + std::string("\0\0\0", 3) + "45678");
  BOOST_TEST((opened->held_seed("later").value() == seed));
  BOOST_TEST(opened->read_held("nobody", 0, 100, bytes).ok());
  BOOST_TEST(opened->remove_held("later").ok());
  BOOST_TEST(opened->held_tables().value().empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_file_of_rows_is_left_alone) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  std::unique_ptr<Spool> const spool = open_spool(path);
  std::ofstream{path + "/notes.txt"} << "mine";
  fs::create_directory(path + "/20260101T000000Z-0.rows");
  fs::create_symlink("/etc/passwd", path + "/20260101T000000Z-1.rows");
  std::unique_ptr<PosixFolder> const opened = open_folder(path);
  BOOST_TEST(opened->list().value().empty());
  BOOST_TEST(fs::exists(path + "/notes.txt"));
}

// Producers go on while files are ended under them, forwarders are stopped, and a table appears later.
BOOST_AUTO_TEST_CASE(each_row_of_busy_producers_counts_once) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  constexpr int kRows = 2'000;
  fs::create_directory(path);
  std::vector<std::thread> producers;
  for (int who = 0; who < 3; ++who)
    producers.emplace_back([&, who] {
      Result<std::unique_ptr<Spool>> own = Spool::open({.folder = path, .file_bytes_max = 30'000});
      for (int row = 0; row < kRows; ++row)
        if (!save(*own.value(), std::to_string(who) + "/" + std::to_string(row), row % 7 == 0 ? "later" : "pages").ok())
          return;
    });
  PosixFolderDaemon daemon;
  TimeMs now{static_cast<std::int64_t>(::time(nullptr)) * 1000};
  bool is_over = false;
  for (int start = 0; start < 5; ++start) {
    std::unique_ptr<PosixFolder> const opened = open_folder(path);
    Forwarder forwarder{*opened, daemon, {.file_bytes_max = 30'000, .in_flight_max = 64}, draw_name};
    BOOST_REQUIRE(forwarder.start().ok());
    for (int turn = 0; turn < 200; ++turn) {
      now.value += 20;
      forwarder.run(now);
      if (turn % 3 != 0) daemon.answer(forwarder, now);
    }
    if (start == 3) {
      for (std::thread& producer : producers) producer.join();
      daemon.takes_later = true;
      now.value += 3'600'000;
      is_over = true;
    }
    if (!is_over) continue;
    for (int turn = 0; turn < 2'000 && (count_files(path) > 0 || count_files(path + "/closing") > 0 ||
                                        count_files(path + "/forwarder/held") > 0);
         ++turn) {
      now.value += 1'000;
      forwarder.run(now);
      daemon.answer(forwarder, now);
    }
    BOOST_TEST(forwarder.figures().failures == 0U, forwarder.problem().text());
  }
  BOOST_TEST(count_files(path) == 0U);
  BOOST_TEST(count_files(path + "/closing") == 0U);
  BOOST_TEST(daemon.rows.size() == 3U * kRows);
  for (auto const& [id, count] : daemon.rows) BOOST_TEST(count == 1, id);
}

// ---------------------------------------------------------------------------
// Producers that put something else in the place of what the forwarder has. None of these may hang, or reach elsewhere.

namespace {

std::string content_of(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// All files below, with their content and lengths.
std::map<std::string, std::string> all_in(std::string const& folder) {
  std::map<std::string, std::string> out;
  for (fs::directory_entry const& one : fs::recursive_directory_iterator{folder})
    if (one.is_regular_file()) out[one.path().lexically_relative(folder)] = content_of(one.path());
  return out;
}

// Two spools, of which the second has rows that were sent and rows that were not.
struct TwoSpools {
  TwoSpools() {
    BOOST_TEST(save(*open_spool(mine), "mine").ok());
    BOOST_TEST(save(*open_spool(other), "a").ok());
    std::unique_ptr<PosixFolder> const opened = open_folder(other);
    Listed const listed = opened->list().value().at(0);
    BOOST_TEST(opened->keep({{listed.instance, "name", kFileHeadBytes, 1}}).ok());
    BOOST_TEST(opened->held_seed("pages").ok());
  }
  TemporaryFolder folder;
  std::string const mine = folder / "mine";
  std::string const other = folder / "other";
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_link_in_place_of_an_own_folder_is_not_followed, TwoSpools) {
  for (std::string const name : {"forwarder", "closing"}) {
    std::map<std::string, std::string> const before = all_in(other);
    fs::remove_all(mine + "/" + name);
    fs::create_directory_symlink(other + "/" + name, mine + "/" + name);
    Status const status = PosixFolder::open(mine).status();
    BOOST_TEST((status.code() == Code::io_error), name << ": " << status.text());
    BOOST_TEST(status.message().find(mine + "/" + name) != std::string::npos, status.text());
    BOOST_TEST((all_in(other) == before), name);
    fs::remove(mine + "/" + name);
  }
  BOOST_TEST(PosixFolder::open(mine).ok());
  // And one level deeper.
  for (std::string const name : {"held", "aside"}) {
    fs::remove_all(mine + "/forwarder/" + name);
    fs::create_directory_symlink(other + "/forwarder/" + name, mine + "/forwarder/" + name);
    BOOST_TEST(!PosixFolder::open(mine).ok(), name);
    fs::remove(mine + "/forwarder/" + name);
  }
}

BOOST_FIXTURE_TEST_CASE(a_link_in_place_of_an_own_file_is_not_followed, TwoSpools) {
  BOOST_REQUIRE(PosixFolder::open(mine).ok());
  std::map<std::string, std::string> const before = all_in(other);
  for (std::string const name : {"lock", "progress"}) {
    fs::remove(mine + "/forwarder/" + name);
    fs::create_symlink(other + "/forwarder/" + name, mine + "/forwarder/" + name);
    Status const status = PosixFolder::open(mine).status();
    BOOST_TEST(status.message().find("expected a regular file") != std::string::npos, name << ": " << status.text());
    fs::remove(mine + "/forwarder/" + name);
  }
  std::unique_ptr<PosixFolder> const opened = open_folder(mine);
  fs::create_symlink(other + "/forwarder/held/pages.rows", mine + "/forwarder/held/pages.rows");
  std::string text;
  BOOST_TEST(!opened->held_seed("pages").ok());
  BOOST_TEST(!opened->read_held("pages", 0, 100, text).ok());
  BOOST_TEST(!opened->hold("pages", "x").ok());
  BOOST_TEST(!opened->erase_held("pages", 1'000).ok());
  BOOST_TEST(!opened->settled_before().ok());
  fs::create_symlink(other + "/forwarder/held/pages.rows", mine + "/forwarder/aside/pages.rows");
  BOOST_TEST(!opened->set_aside("pages", {.code = "c", .client = "x", .sequence = 1, .row = "row"}).ok());
  BOOST_TEST((all_in(other) == before));
}

// Opened to read, a FIFO waits for a writer, for ever.
BOOST_AUTO_TEST_CASE(a_fifo_is_not_waited_for) {
  TemporaryFolder const folder;
  std::string const path = folder / "rows";
  int const code = run_in_child([&] {
    ::alarm(20);
    if (!save(*open_spool(path), "a").ok() || !PosixFolder::open(path).ok()) return 1;
    for (std::string const name : {"lock", "progress"}) {
      fs::remove(path + "/forwarder/" + name);
      if (::mkfifo((path + "/forwarder/" + name).c_str(), 0666) != 0) return 2;
      if (PosixFolder::open(path).ok()) return 3;
      fs::remove(path + "/forwarder/" + name);
    }
    Result<std::unique_ptr<PosixFolder>> const opened = PosixFolder::open(path);
    if (!opened.ok()) return 4;
    PosixFolder& mine = *opened.value();
    for (std::string const name : {"held/pages.rows", "aside/pages.rows"})
      if (::mkfifo((path + "/forwarder/" + name).c_str(), 0666) != 0) return 5;
    std::string text;
    if (mine.held_seed("pages").ok() || mine.read_held("pages", 0, 9, text).ok() || mine.hold("pages", "x").ok())
      return 6;
    if (mine.erase_held("pages", 9).ok() || mine.settled_before().ok()) return 7;
    if (mine.set_aside("pages", {.code = "c", .client = "x", .sequence = 1, .row = "row"}).ok()) return 8;
    // Among the files of producers it is nobody's.
    if (::mkfifo((path + "/20261123T020000Z-0.rows").c_str(), 0666) != 0) return 9;
    return mine.list().value().size() == 1 ? 0 : 10;
  });
  BOOST_TEST(code == 0);
}

// It has its folders open: another one of their name gets nothing of it.
BOOST_FIXTURE_TEST_CASE(folders_that_are_exchanged_while_it_runs_get_nothing, TwoSpools) {
  std::unique_ptr<PosixFolder> const opened = open_folder(mine);
  Listed const listed = opened->list().value().at(0);
  std::map<std::string, std::string> const before = all_in(other);
  for (std::string const name : {"forwarder", "closing"}) {
    fs::rename(mine + "/" + name, folder / (name + "-moved"));
    fs::create_directory_symlink(other + "/" + name, mine + "/" + name);
  }
  BOOST_TEST(opened->keep({{listed.instance, "name", kFileHeadBytes, 1}}).ok());
  BOOST_TEST(opened->held_seed("pages").ok());
  BOOST_TEST(opened->end(listed.instance).ok());
  BOOST_TEST(opened->list().value().at(0).is_ended);
  BOOST_TEST((all_in(other) == before));
  BOOST_TEST(fs::exists(folder / "forwarder-moved/held/pages.rows"));
  BOOST_TEST(fs::exists(folder / ("closing-moved/" + name_of(listed.place))));
}

BOOST_FIXTURE_TEST_CASE(an_own_folder_of_somebody_else_is_refused, TwoSpools) {
  fs::create_directory(mine + "/forwarder");
  BOOST_REQUIRE(::chmod((mine + "/forwarder").c_str(), 02770) == 0);
  Status const status = PosixFolder::open(mine).status();
  BOOST_TEST((status.code() == Code::not_allowed), status.text());
  BOOST_REQUIRE(::chmod((mine + "/forwarder").c_str(), 02750) == 0);
  BOOST_TEST(PosixFolder::open(mine).ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace fastjournal::spool
