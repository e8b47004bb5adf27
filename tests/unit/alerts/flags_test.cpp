// Flag files, on real files: they are read back by a reader made after the watcher's rules (flag_reader.h). Also files
// that are old, half written or of other programs.
#include <boost/test/unit_test.hpp>

#include "platform/alerts/flag_folder.h"
#include "platform/os/posix_disk.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/alerts/flag_reader.h"

namespace {

using namespace fastjournal;
using fastjournal::alerts::FlagFolder;

log::Alert alert(std::string table, std::string name, std::uint8_t priority = 60) {
  log::Alert out;
  out.table = std::move(table);
  out.name = std::move(name);
  out.priority = priority;
  out.message = "row 8 is parked\nlast error: a=b; \\ \"x\"\r";
  out.tags = "journal,data";
  out.count = 3;
  out.first = TimeMs{1'767'225'600'123};
  out.last = TimeMs{1'767'225'660'999};
  return out;
}

struct Folder {
  void write(std::string const& name, std::string const& text) { std::ofstream{folder.path() / name} << text; }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> out;
    for (auto const& entry : std::filesystem::directory_iterator{folder.path()})
      out.insert(entry.path().filename().string());
    return out;
  }
  test::TemporaryFolder folder;
  os::PosixDisk disk{folder.path().string(), 0644};
  FlagFolder flags{disk, {"box.example.com", "0.1.0"}};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(flag_files)

BOOST_FIXTURE_TEST_CASE(the_watcher_reads_every_fact, Folder) {
  flags.up(alert("my_jobs", "row-failed"));
  BOOST_TEST(flags.agree().ok());
  auto const read = test::read_flags(folder.path());
  BOOST_REQUIRE(read.size() == 1U);
  BOOST_TEST(read.begin()->first == "fastjournal_my-jobs_row-failed.flag");
  auto fields = read.begin()->second.fields;
  BOOST_TEST(fields["message"] == "row 8 is parked\nlast error: a=b; \\ \"x\"");
  BOOST_TEST(fields["count"] == "3");
  BOOST_TEST(fields["date"] == "1767225600");
  BOOST_TEST(fields["modified"] == "1767225660");
  BOOST_TEST(fields["priority"] == "60");
  BOOST_TEST(fields["tags"] == "journal,data");
  BOOST_TEST(fields["manual_down"] == "no");
  BOOST_TEST(fields["hostname"] == "box.example.com");
  BOOST_TEST(fields["version"] == "0.1.0");
}

BOOST_FIXTURE_TEST_CASE(backslashes_are_read_as_they_were, Folder) {
  log::Alert one = alert("jobs", "row-failed");
  for (char const* const message : {R"(cannot open C:\new\table)", R"(a folder: C:\)", R"(C:\new\\)", "\\"}) {
    one.message = message;
    flags.up(one);
    BOOST_TEST(flags.agree().ok());
    auto const read = test::read_flags(folder.path());
    BOOST_REQUIRE(read.size() == 1U);
    BOOST_TEST(read.begin()->second.fields.at("message") == message);
    BOOST_TEST(read.begin()->second.fields.at("count") == "3");
  }
}

BOOST_FIXTURE_TEST_CASE(a_message_of_nothing_and_a_manual_flag, Folder) {
  log::Alert one = alert("", "clock-jump");
  one.message.clear();
  one.manual = true;
  flags.up(one);
  BOOST_TEST(flags.agree().ok());
  auto const read = test::read_flags(folder.path());
  BOOST_REQUIRE(read.contains("fastjournal_daemon_clock-jump.flag"));
  BOOST_TEST(read.begin()->second.fields.at("manual_down") == "yes");
}

BOOST_AUTO_TEST_CASE(every_table_name_makes_a_part_of_its_own) {
  std::set<std::string> seen;
  for (char const* const table : {"", "a", "a_b", "a__b", "a_b_", "a_", "daemon", "daemon_x", "t0_9", "a___b"}) {
    std::string const section = communicator::section_of(table);
    BOOST_CHECK_NO_THROW(test::check_part(section));
    BOOST_TEST(seen.insert(section).second, table);
  }
  BOOST_TEST(communicator::section_of("a_b") == "a-b");
}

BOOST_FIXTURE_TEST_CASE(removing_the_file_lowers_it, Folder) {
  flags.up(alert("jobs", "row-failed"));
  flags.up(alert("jobs", "paused"));
  BOOST_TEST(flags.agree().ok());
  flags.down(alert("jobs", "row-failed"));
  BOOST_TEST(flags.agree().ok());
  BOOST_TEST((files() == std::set<std::string>{"fastjournal_jobs_paused.flag"}));
  // An operator has removed the flag before.
  std::filesystem::remove(folder.path() / "fastjournal_jobs_paused.flag");
  flags.down(alert("jobs", "paused"));
  BOOST_TEST(flags.agree().ok());
}

BOOST_FIXTURE_TEST_CASE(a_start_brings_files_and_alerts_together_and_leaves_others_alone, Folder) {
  write("fastjournal_jobs_row-failed.flag", "half");
  write("fastjournal_gone_row-failed.flag", "stale");
  write("fastjournal_gone_row-failed.flag.new", "cut short");
  write("fastjournald_gone_row-failed.flag", "another unit");
  write("network_net_lost.flag", "of others");
  flags.up(alert("jobs", "row-failed"));
  flags.up(alert("more", "row-failed"));
  BOOST_TEST(flags.agree().ok());
  BOOST_TEST((files() == std::set<std::string>{"fastjournal_jobs_row-failed.flag", "fastjournal_more_row-failed.flag",
                                               "fastjournald_gone_row-failed.flag", "network_net_lost.flag"}));
  std::filesystem::remove(folder.path() / "fastjournald_gone_row-failed.flag");
  std::filesystem::remove(folder.path() / "network_net_lost.flag");
  BOOST_CHECK_NO_THROW(test::read_flags(folder.path()));
}

BOOST_FIXTURE_TEST_CASE(of_more_than_the_watcher_reads_the_graver_ones_are_written, Folder) {
  for (int i = 0; i < 150; ++i) flags.up(alert("t" + std::to_string(i), "row-failed", i < 50 ? 90 : 10));
  flags.up(alert("", "disk-short", 80));
  BOOST_TEST(flags.agree().ok());
  BOOST_TEST(files().size() == communicator::kFlagsMax);
  for (int i = 0; i < 50; ++i) BOOST_TEST(files().contains("fastjournal_t" + std::to_string(i) + "_row-failed.flag"));
  BOOST_TEST(files().contains("fastjournal_daemon_disk-short.flag"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_not_there_is_an_error_that_heals, Folder) {
  os::PosixDisk missing{folder / "missing", 0644};
  FlagFolder late{missing, {"box", "1"}};
  late.up(alert("jobs", "row-failed"));
  BOOST_TEST(!late.agree().ok());
  std::filesystem::create_directory(folder / "missing");
  BOOST_TEST(late.agree().ok());
  BOOST_TEST(test::read_flags(folder / "missing").size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
