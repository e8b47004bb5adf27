// Who may open the files of a blob table by their path (`file-mode`, `file-group`): modes and groups of the folder and its
// data files after they are made, exchanged, declared anew and started with; and that a member of the group reads blobs
// and no logs. As root, since the group is one that nobody has.
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tests/integration/shell.h"

namespace {

using namespace fastjournal::test;

constexpr gid_t kGroup = 54'321;

boost::test_tools::assertion_result is_root(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result out{::geteuid() == 0};
  out.message() << "only root may give files to any group";
  return out;
}

struct AccessFixture {
  AccessFixture() {
    // Temporary folders are for nobody else.
    std::filesystem::permissions(daemon.folder(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
  }
  ~AccessFixture() { stop(); }
  void declare(std::string const& options) const {
    daemon.write("tables/images.xml", "<table name=\"images\" model=\"blob\">" + options + "</table>\n");
  }
  void start() {
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    is_running = true;
  }
  void stop() {
    if (!std::exchange(is_running, false)) return;
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  std::string ask(std::string const& line) const { return LineClient{daemon.local()}.ask(line); }
  // "0640 54321", of something below the data folder.
  [[nodiscard]] std::string access(std::string const& path) const {
    struct stat info {};
    if (::stat((daemon.folder() / "data" / path).c_str(), &info) != 0) return "(not there)";
    return fmt::format("{:04o} {}", static_cast<unsigned>(info.st_mode & 07777), info.st_gid);
  }
  // Whether somebody who is in this group and in no other may read it.
  [[nodiscard]] bool may_read(std::string const& path) const {
    Ran const ran =
        run_in_shell(daemon, fmt::format("setpriv --reuid 65534 --regid {} --clear-groups head -c 1 data/{} "
                                         ">/dev/null 2>&1",
                                         kGroup, path));
    return ran.code == 0;
  }
  // Until the next file is there, with this access: it is given after the file was made.
  void exchange(std::string const& next, std::string const& wanted) const {
    BOOST_TEST(ask("MAINTAIN table=images").starts_with("MAINTAINING"));
    for (int looks = 0; looks < 5'000 && access(next) != wanted; ++looks) ask("STATS table=images");
  }

  RealDaemon daemon{""};
  bool is_running{false};
  std::string const own{fmt::format("{}", ::getegid())};
  std::string const theirs{fmt::format("{}", kGroup)};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(blob_access, AccessFixture, *boost::unit_test::precondition(is_root))

BOOST_AUTO_TEST_CASE(the_files_have_the_declared_mode_and_group_whenever_they_are_made) {
  for (std::string const mode : {"modern", "online", "offline"}) {
    AccessFixture fresh;
    fresh.declare("<maintenance>" + mode + "</maintenance><file-group>" + theirs + "</file-group>");
    fresh.start();
    BOOST_TEST(fresh.ask("PUT table=images;key=a;data=bWVvdw==").starts_with("STORED"));
    BOOST_TEST(fresh.access("bytes/images") == "0750 " + theirs, mode);
    BOOST_TEST(fresh.access("bytes/images/data.000001") == "0640 " + theirs, mode);
    fresh.exchange("bytes/images/data.000002", "0640 " + theirs);
    BOOST_TEST(fresh.access("bytes/images/data.000002") == "0640 " + theirs, mode);
    BOOST_TEST(fresh.access("bytes/images") == "0750 " + theirs, mode);
  }
}

BOOST_AUTO_TEST_CASE(who_is_in_the_group_reads_blobs_and_no_logs) {
  declare("<file-group>" + theirs + "</file-group>");
  start();
  BOOST_TEST(ask("PUT table=images;key=a;data=bWVvdw==").starts_with("STORED"));
  BOOST_TEST(may_read("bytes/images/data.000001"));
  std::filesystem::path const data = daemon.folder() / "data";
  std::size_t logs = 0;
  for (std::filesystem::directory_entry const& one : std::filesystem::recursive_directory_iterator{data}) {
    std::string const path = std::filesystem::relative(one.path(), data).string();
    if (!one.is_regular_file() || path.starts_with("bytes/images/")) continue;
    ++logs;
    BOOST_TEST(!may_read(path), path);
  }
  BOOST_TEST(logs > 1U);
  // He goes through the folders above, and cannot list them.
  for (std::string const folder : {".", "bytes"}) {
    BOOST_TEST(access(folder).substr(3, 1) == "1", folder << " " << access(folder));
    BOOST_TEST(run_in_shell(daemon, "setpriv --reuid 65534 --regid " + theirs + " --clear-groups ls data/" + folder +
                                        " 2>/dev/null")
                   .code != 0);
  }
}

BOOST_AUTO_TEST_CASE(a_start_and_a_reload_change_what_is_there) {
  declare("");
  start();
  BOOST_TEST(ask("PUT table=images;key=a;data=bWVvdw==").starts_with("STORED"));
  BOOST_TEST(access("bytes/images/data.000001").ends_with(" " + own));
  BOOST_TEST(!may_read("bytes/images/data.000001"));
  stop();
  declare("<file-group>" + theirs + "</file-group>");
  start();
  BOOST_TEST(access("bytes/images/data.000001") == "0640 " + theirs);
  BOOST_TEST(access("bytes/images") == "0750 " + theirs);
  declare("<file-mode>0644</file-mode><file-group>" + theirs + "</file-group>");
  BOOST_TEST(ask("RELOAD").starts_with("RELOADED"));
  BOOST_TEST(access("bytes/images/data.000001") == "0644 " + theirs);
  BOOST_TEST(access("bytes/images") == "0755 " + theirs);
  declare("<file-mode>0600</file-mode>");
  BOOST_TEST(ask("RELOAD").starts_with("RELOADED"));
  BOOST_TEST(access("bytes/images/data.000001") == "0600 " + own);
  BOOST_TEST(access("bytes/images") == "0700 " + own);
  declare("<file-group>" + theirs + "</file-group>");
  BOOST_TEST(ask("RELOAD").starts_with("RELOADED"));
  BOOST_TEST(may_read("bytes/images/data.000001"));
  declare("");
  BOOST_TEST(ask("RELOAD").starts_with("RELOADED"));
  BOOST_TEST(access("bytes/images/data.000001").ends_with(" " + own));
  BOOST_TEST(!may_read("bytes/images/data.000001"));
}

BOOST_AUTO_TEST_CASE(a_start_gives_back_what_no_group_has_any_more) {
  for (std::string const& next : {std::string{}, std::string{"<file-mode>0640</file-mode>"}}) {
    AccessFixture fresh;
    fresh.declare("<file-group>" + theirs + "</file-group>");
    fresh.start();
    BOOST_TEST(fresh.ask("PUT table=images;key=a;data=bWVvdw==").starts_with("STORED"));
    BOOST_TEST(fresh.may_read("bytes/images/data.000001"));
    fresh.stop();
    fresh.declare(next);
    fresh.start();
    BOOST_TEST(fresh.access("bytes/images/data.000001").ends_with(" " + own), next);
    BOOST_TEST(fresh.access("bytes/images").ends_with(" " + own), next);
    BOOST_TEST(!fresh.may_read("bytes/images/data.000001"), next);
  }
}

BOOST_AUTO_TEST_CASE(a_group_that_nobody_knows_is_refused) {
  declare("<file-group>no_such_group_here</file-group>");
  BOOST_TEST(!daemon.start());
  BOOST_TEST(daemon.output().find("images.xml:1") != std::string::npos, daemon.output());
  BOOST_TEST(daemon.output().find("no_such_group_here") != std::string::npos, daemon.output());
  declare("");
  start();
  declare("<file-group>no_such_group_here</file-group>");
  BOOST_TEST(ask("RELOAD").find("no_such_group_here") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
