// Backups by a timer: systemd accepts the units, their command makes backups named by their date beside what else is
// there, the oldest are removed, and a daemon serves from each.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <set>

#include "clients/programs/fastjournal/dated_backups.h"
#include "tests/integration/shell.h"

using namespace fastjournal::test;
using fastjournal::cli::is_name_of_backup;
using fastjournal::cli::surplus_of;

namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& path) {
  std::ifstream file{path, std::ios::binary};
  BOOST_REQUIRE_MESSAGE(file.is_open(), path);
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  std::size_t const at = text.find(from);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

// The unit as it is installed beside this build.
std::string service() {
  std::string text = text_of(FJ_SOURCE_DIR "/conf/systemd/fastjournal-backup.service.in");
  text = replaced(text, "@FJ_DOC_FOLDER_FULL@", FJ_SOURCE_DIR);
  return replaced(text, "@CMAKE_INSTALL_FULL_BINDIR@", FJ_BINARY_DIR "/bin");
}

std::set<std::string> backups_in(fs::path const& folder) {
  std::set<std::string> out;
  for (auto const& entry : fs::directory_iterator{folder})
    if (is_name_of_backup(entry.path().filename().string())) out.insert(entry.path().filename().string());
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backup_timer)

BOOST_AUTO_TEST_CASE(systemd_accepts_the_units) {
  TemporaryFolder folder;
  std::ofstream{folder / "fastjournal-backup.service"}
      << replaced(replaced(service(), "User=fastjournal\n", "User=root\n"), "Group=fastjournal\n", "Group=root\n");
  fs::copy(FJ_SOURCE_DIR "/conf/systemd/fastjournal-backup.timer", folder / "fastjournal-backup.timer");
  ChildProcess verify{{"systemd-analyze", "verify", "--recursive-errors=no", folder / "fastjournal-backup.service",
                       folder / "fastjournal-backup.timer"}};
  BOOST_TEST(verify.wait().value_or(-1) == 0, verify.output());
  BOOST_TEST(verify.output() == "");
}

BOOST_AUTO_TEST_CASE(its_command_makes_backups_that_a_daemon_serves) {
  RealDaemon daemon{""};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  std::string command = service();
  command = command.substr(command.find("ExecStart=") + 10);
  command = replaced(command.substr(0, command.find('\n')), "--keep 7", "--keep 2");
  fs::path const folder = daemon.folder() / "backups";
  fs::create_directories(folder / "2020-01-01T00-00-00.000Z.partial");
  fs::create_directories(folder / "2020-01-01T00-00-00.000Z");  // no backup: it has no backup.json
  fs::create_directories(folder / "mine");
  std::vector<std::string> made;
  for (int i = 0; i < 3; ++i) {
    std::set<std::string> const before = backups_in(folder);
    Ran const ran = run_in_shell(daemon, "fastjournal put jobs name=row" + std::to_string(i) +
                                             " >/dev/null && STATE_DIRECTORY=backups && " + command);
    BOOST_TEST(ran.code == 0, ran.output);
    for (std::string const& name : backups_in(folder))
      if (!before.contains(name)) made.push_back(name);
  }
  daemon.kill(SIGTERM);
  static_cast<void>(daemon.wait());
  BOOST_TEST_REQUIRE(made.size() == 3U);
  BOOST_TEST((backups_in(folder) == std::set<std::string>{"2020-01-01T00-00-00.000Z", made[1], made[2]}));
  BOOST_TEST(!fs::exists(folder / "2020-01-01T00-00-00.000Z.partial"));
  BOOST_TEST(fs::exists(folder / "mine"));
  for (std::size_t i = 1; i < made.size(); ++i) {
    RealDaemon restored{""};
    fs::copy(folder / made[i], restored.folder() / "data", fs::copy_options::recursive);
    BOOST_REQUIRE_MESSAGE(restored.start(), restored.output());
    Ran const ran = run_in_shell(restored, "fastjournal ls jobs --json --all | grep -c row");
    BOOST_TEST(ran.output == std::to_string(i + 1) + "\n");
    restored.kill(SIGTERM);
    static_cast<void>(restored.wait());
  }
}

BOOST_AUTO_TEST_CASE(a_failed_backup_removes_none) {
  TemporaryFolder folder;
  fs::create_directories(folder / "2020-01-01T00-00-00.000Z");
  std::ofstream{folder / "2020-01-01T00-00-00.000Z/backup.json"} << "{}\n";
  RealDaemon daemon{""};
  Ran const ran = run_in_shell(daemon, "fastjournal backup '" + folder.path().string() + "' --keep 1");
  BOOST_TEST(ran.code == 3, ran.output);
  BOOST_TEST(fs::exists(folder / "2020-01-01T00-00-00.000Z/backup.json"));
}

BOOST_AUTO_TEST_CASE(the_oldest_are_the_surplus) {
  std::string const a = "2025-12-31T23-59-59.999Z";
  std::string const b = "2026-01-01T00-00-00.000Z";
  std::string const c = "2026-01-01T00-00-00.001Z";
  BOOST_TEST((surplus_of({c, "x", a, b}, 1, c) == std::vector{a, b}));
  BOOST_TEST((surplus_of({c, "x", a, b}, 3, c).empty()));
  BOOST_TEST((surplus_of({a, a + ".partial", b}, 1, b) == std::vector{a}));
  // The clock was ahead when the others were made.
  BOOST_TEST((surplus_of({c, a, b}, 2, a) == std::vector{b}));
  BOOST_TEST((surplus_of({c, a, b}, 1, a) == std::vector{b, c}));
  BOOST_TEST(fastjournal::cli::name_of_backup(1'767'225'600'001) == c);
  BOOST_TEST(!is_name_of_backup(""));
  BOOST_TEST(!is_name_of_backup("2026-01-01T00:00:00.000Z"));
}

BOOST_AUTO_TEST_SUITE_END()
