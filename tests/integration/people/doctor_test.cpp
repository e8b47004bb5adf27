// `fastjournal doctor` on real installations, sound and broken: each fault is told, with its severity and exit code, by
// root and by an ordinary user, with a daemon and without.
#include <sys/stat.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/integration/shell.h"
#include "tests/support/certificates.h"

using namespace fastjournal::test;

namespace {

namespace fs = std::filesystem;

constexpr int kWarnings = 9;
constexpr int kErrors = 10;
constexpr uid_t kNobody = 65534;

struct Diagnosis {
  Ran ran;
  // "severity check", each with its texts.
  std::vector<std::pair<std::string, std::string>> findings;

  [[nodiscard]] bool has(std::string const& severity_and_check, std::string const& part = {}) const {
    for (auto const& [name, text] : findings)
      if (name == severity_and_check && text.find(part) != std::string::npos) return true;
    return false;
  }
  // Whether this computer keeps its clock, and how it is set up, is not the test's.
  [[nodiscard]] bool is_sound() const {
    for (auto const& [name, text] : findings)
      if (name.starts_with("error ") || (name.starts_with("warning ") && name != "warning clock" &&
                                         name != "warning memory" && name != "warning sync"))
        return false;
    return !findings.empty();
  }
};

struct Installation {
  Installation() {
    configure("");
    // Its folder is for its owner alone.
    ::chmod(daemon.folder().c_str(), 0755);
    daemon.listens_as_configured = true;
  }
  ~Installation() {
    if (!is_running) return;
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  void configure(std::string const& more, std::string const& data = "data") const {
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<listen address=\"127.0.0.1:0\"/>\n"
                 "<socket path=\"socket\" mode=\"0600\" rights=\"all\"/>\n<data folder=\"" +
                     data + "\"/>\n<tables folder=\"tables\"/>\n<plugins folder=\"" FJ_BINARY_DIR "/plugins\"/>\n" +
                     more + "\n</fastjournal>\n");
  }
  void start() {
    is_running = daemon.start();
    BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
  }
  void stop() {
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
    is_running = false;
  }
  // `before`: words that become the command.
  [[nodiscard]] Diagnosis examine(std::string const& options = "--config fastjournal.xml",
                                  std::string const& before = {}) const {
    // Neither an address nor a token of this computer.
    Diagnosis out{
        run_in_shell(daemon, "unset FASTJOURNAL_SERVER; HOME=/ " + before + " fastjournal doctor --json " + options),
        {}};
    std::istringstream lines{out.ran.output};
    for (std::string line; std::getline(lines, line);) {
      auto const json = nlohmann::json::parse(line, nullptr, false);
      BOOST_REQUIRE_MESSAGE(json.is_object(), out.ran.output);
      out.findings.emplace_back(json.at("severity").get<std::string>() + " " + json.at("check").get<std::string>(),
                                line);
    }
    return out;
  }
  [[nodiscard]] fs::path path(std::string const& name) const { return daemon.folder() / name; }

  RealDaemon daemon{""};
  bool is_running{false};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(doctor)

BOOST_FIXTURE_TEST_CASE(a_running_daemon_is_sound_and_a_stopped_one_is_told, Installation) {
  BOOST_TEST(examine().has("advice daemon", "no daemon answers"));
  start();
  Diagnosis seen = examine();
  BOOST_TEST(seen.is_sound(), seen.ran.output);
  BOOST_TEST((seen.ran.code == 0 || seen.ran.code == kWarnings), seen.ran.output);
  for (char const* const name : {"ok configuration", "ok rights", "ok disk-space", "ok daemon-clock", "ok open-files",
                                 "ok versions", "ok daemon", "ok alert"})
    BOOST_TEST(seen.has(name), name << "\n" << seen.ran.output);
  // Without --config that of the daemon is found by its process.
  seen = examine("--server unix:" + path("socket").string());
  BOOST_TEST(seen.has("ok configuration", path("fastjournal.xml").string()), seen.ran.output);
  daemon.write_table("later", "");
  seen = examine();
  BOOST_TEST(seen.has("warning tables", "files wait to be loaded: table later: new"), seen.ran.output);
  Ran const listed = run_in_shell(daemon, "fastjournal --server unix:socket tables");
  BOOST_TEST(listed.output.find("files wait to be loaded (fastjournal apply): table later: new") != std::string::npos,
             listed.output);
  Ran const would = run_in_shell(daemon, "fastjournal --server unix:socket reload --dry-run");
  BOOST_TEST(would.output == "table later: new\n");
  BOOST_TEST(run_in_shell(daemon, "fastjournal --server unix:socket reload").code == 0);
  BOOST_TEST(!examine().has("warning tables"));
  BOOST_TEST(run_in_shell(daemon, "fastjournal --server unix:socket pause jobs").code == 0);
  seen = examine();
  BOOST_TEST(seen.has("advice tables", "paused: jobs"), seen.ran.output);
  stop();
  seen = examine();
  BOOST_TEST(seen.ran.code == kErrors, seen.ran.output);
  BOOST_TEST(seen.has("error daemon", "no daemon answers: cannot connect to unix:"), seen.ran.output);
  // Only folders that a start knows: nothing of the measurement is left.
  for (auto const& entry : fs::directory_iterator{path("data")})
    BOOST_TEST((entry.path().filename() == "lock" || entry.path().filename() == "shared"), entry.path());
  // For people.
  Ran const ran = run_in_shell(daemon, "fastjournal doctor --config fastjournal.xml");
  BOOST_TEST(ran.output.find("do: start it, or name its address with --server") != std::string::npos, ran.output);
}

BOOST_FIXTURE_TEST_CASE(another_daemon_at_its_port_does_not_stand_for_a_stopped_one, Installation) {
  start();
  stop();
  RealDaemon other{""};
  BOOST_REQUIRE_MESSAGE(other.start(), other.output());
  daemon.write("fastjournal.xml",
               "<fastjournal>\n<listen address=\"" + other.tcp() +
                   "\"/>\n<socket path=\"socket\" mode=\"0600\" rights=\"all\"/>\n<data folder=\"data\"/>\n"
                   "<tables folder=\"tables\"/>\n<plugins folder=\"" FJ_BINARY_DIR "/plugins\"/>\n</fastjournal>\n");
  Diagnosis const seen = examine();
  other.kill(SIGTERM);
  BOOST_TEST(other.wait().value_or(-1) == 0);
  BOOST_TEST(seen.ran.code == kErrors, seen.ran.output);
  BOOST_TEST(seen.has("error daemon", "no daemon answers"), seen.ran.output);
}

// No daemon starts with it, and the way out is told.
BOOST_FIXTURE_TEST_CASE(an_empty_folder_where_a_journal_was_is_told, Installation) {
  std::string const options = "--config fastjournal.xml --state state";
  std::string const gone = "and this installation had a journal here: no daemon starts with it";
  is_running = daemon.start({"--state", path("state").string()});
  BOOST_REQUIRE_MESSAGE(is_running, daemon.output());
  BOOST_TEST(!examine(options).has("error rights"));
  stop();
  BOOST_TEST(!examine(options).has("error rights"));
  fs::rename(path("data"), path("disk"));
  Diagnosis seen = examine(options);
  BOOST_TEST(seen.has("error rights", "data: does not exist, " + gone), seen.ran.output);
  BOOST_TEST(seen.has("error rights", "--new-data"), seen.ran.output);
  fs::create_directory(path("data"));
  seen = examine(options);
  BOOST_TEST(seen.has("error rights", "data: is empty, " + gone), seen.ran.output);
  daemon.write("data/other", "");
  seen = examine(options);
  BOOST_TEST(seen.has("error rights", "data: has no log, " + gone), seen.ran.output);
  // Nobody knows it.
  BOOST_TEST(!examine("--config fastjournal.xml").has("error rights"));
}

BOOST_FIXTURE_TEST_CASE(a_log_that_is_gone_and_an_empty_mount_are_told, Installation) {
  start();
  stop();
  BOOST_TEST(!examine().has("warning rights"));
  fs::rename(path("data/shared"), path("away"));
  Diagnosis seen = examine();
  BOOST_TEST(seen.has("warning rights", "data/shared: does not exist"), seen.ran.output);
  fs::create_directory(path("data/shared"));
  seen = examine();
  BOOST_TEST(seen.has("warning rights", "data/shared: is empty"), seen.ran.output);
  // Only root mounts, and not in every segment.
  std::string const within = "unshare -m sh -c 'mount -t tmpfs none data && ";
  if (run_in_shell(daemon, within + "true'").code != 0) return;
  seen = examine("--config fastjournal.xml", within + "exec \"$@\"' sh");
  BOOST_TEST(seen.has("warning rights", "data: an empty file system is mounted here"), seen.ran.output);
  std::string const point = fs::canonical(path("data")).string();
  daemon.write("fstab", "LABEL=a / ext4 defaults 0 1\nLABEL=b " + point + " ext4 defaults 0 2\n");
  fs::rename(path("data"), path("disk"));
  fs::create_directory(path("data"));
  std::string const by_table = "unshare -m sh -c 'mount --bind fstab /etc/fstab && ";
  if (run_in_shell(daemon, by_table + "true'").code != 0) return;
  seen = examine("--config fastjournal.xml", by_table + "exec \"$@\"' sh");
  BOOST_TEST(seen.has("error rights", "fstab names " + point + ", and nothing is mounted there"), seen.ran.output);
}

BOOST_FIXTURE_TEST_CASE(bad_configuration_is_an_error, Installation) {
  daemon.write_table("jobs", "<grace>1 week</grace>");
  Diagnosis seen = examine();
  BOOST_TEST(seen.ran.code == kErrors, seen.ran.output);
  BOOST_TEST(seen.has("error configuration", "jobs.xml:"), seen.ran.output);
  configure("<surprise/>");
  seen = examine();
  BOOST_TEST(seen.has("error configuration", "surprise"), seen.ran.output);
  seen = examine("--config nothing.xml");
  BOOST_TEST(seen.ran.code == kErrors, seen.ran.output);
  BOOST_TEST(seen.has("error configuration", "nothing.xml: no such file"), seen.ran.output);
}

BOOST_FIXTURE_TEST_CASE(an_expired_certificate_is_an_error, Installation) {
  Authority authority;
  auto const give = [&](std::int64_t from_s, std::int64_t to_s) {
    Certificate const one = authority.issue({.from_s = from_s, .to_s = to_s});
    daemon.write("server.pem", one.certificate);
    write_private(path("server.key").string(), one.key);
  };
  configure("<listen address=\"127.0.0.1:1\" tls=\"true\"/><tls certificate=\"server.pem\" key=\"server.key\"/>");
  give(-7'200, -3'600);
  Diagnosis seen = examine();
  BOOST_TEST(seen.ran.code == kErrors, seen.ran.output);
  BOOST_TEST(seen.has("error certificate", "expired on"), seen.ran.output);
  give(-3'600, 86'400 * 3);
  seen = examine();
  BOOST_TEST(seen.has("warning certificate", "in 2 days"), seen.ran.output);
  ::chmod(path("server.key").c_str(), 0644);
  seen = examine();
  BOOST_TEST(seen.has("error rights", "key file"), seen.ran.output);
}

BOOST_FIXTURE_TEST_CASE(wrong_modes_and_owners_are_errors, Installation) {
  start();
  stop();
  ::chmod(path("data").c_str(), 0757);
  Diagnosis seen = examine();
  BOOST_TEST(seen.ran.code == kErrors, seen.ran.output);
  BOOST_TEST(seen.has("error rights", "everybody may write it, mode 0757"), seen.ran.output);
  ::chmod(path("data").c_str(), 0750);
  ::chmod(path("tables").c_str(), 0777);
  seen = examine();
  BOOST_TEST(seen.has("error rights", "everybody may change it"), seen.ran.output);
  ::chmod(path("tables").c_str(), 0755);
  daemon.write("users.xml", "<access/>\n");
  ::chmod(path("users.xml").c_str(), 0644);
  configure("<access users=\"users.xml\"/>");
  seen = examine();
  BOOST_TEST(seen.has("error rights", "users file"), seen.ran.output);
  // Only root gives files away: a start of root left them in the folder of another user.
  if (::geteuid() != 0) return;
  BOOST_REQUIRE(::chown(path("data").c_str(), kNobody, kNobody) == 0);
  seen = examine();
  BOOST_TEST(seen.has("error rights", "of its entries belong to another user than the folder"), seen.ran.output);
  BOOST_TEST(seen.has("error rights", "chown -R 65534"), seen.ran.output);
  // A single table's file is the daemon's to read, too.
  BOOST_TEST(!seen.has("error rights", "jobs.xml"), seen.ran.output);
  ::chmod(path("tables/jobs.xml").c_str(), 0600);
  seen = examine();
  BOOST_TEST(seen.has("error rights", "the daemon's user 65534 may not read it"), seen.ran.output);
  BOOST_TEST(seen.has("error rights", "jobs.xml"), seen.ran.output);
}

BOOST_FIXTURE_TEST_CASE(folders_of_the_command_line_take_the_place_of_those_in_the_file, Installation) {
  daemon.write("fastjournal.xml",
               "<fastjournal>\n<listen address=\"127.0.0.1:0\"/>\n"
               "<socket path=\"socket\" mode=\"0600\" rights=\"all\"/>\n<data folder=\"data\"/>\n"
               "<tables folder=\"elsewhere\"/>\n<plugins folder=\"nowhere\"/>\n</fastjournal>\n");
  start();
  Diagnosis const seen = examine();
  BOOST_TEST(seen.is_sound(), seen.ran.output);
  BOOST_TEST(seen.has("ok configuration"), seen.ran.output);
}

BOOST_FIXTURE_TEST_CASE(an_ordinary_user_is_told_what_was_not_seen, Installation) {
  start();
  daemon.write("users.xml", "<access/>\n");
  ::chmod(path("users.xml").c_str(), 0600);
  configure("<access users=\"users.xml\"/>");
  // Who is no root cannot become another user: then his own folder without rights is an error of the daemon's user.
  if (::geteuid() == 0) {
    Diagnosis const seen = examine("--config fastjournal.xml", "setpriv --reuid 65534 --regid 65534 --clear-groups");
    BOOST_TEST(seen.is_sound(), seen.ran.output);
    BOOST_TEST(seen.has("unseen configuration", "users.xml"), seen.ran.output);
    BOOST_TEST(seen.has("unseen sync", "Permission denied"), seen.ran.output);
    BOOST_TEST(seen.has("unseen daemon", "Permission denied"), seen.ran.output);
    BOOST_TEST(seen.has("unseen rights", "log folder"), seen.ran.output);
  } else {
    ::chmod(path("data").c_str(), 0);
    Diagnosis const seen = examine();
    ::chmod(path("data").c_str(), 0750);
    BOOST_TEST(seen.has("error rights", "data folder"), seen.ran.output);
  }
}

BOOST_FIXTURE_TEST_CASE(data_in_memory_is_an_error, Installation) {
  std::string folder = "/dev/shm/fastjournal-test-XXXXXX";
  BOOST_REQUIRE(::mkdtemp(folder.data()) != nullptr);
  configure("", folder);
  Diagnosis const seen = examine();
  fs::remove_all(folder);
  BOOST_TEST(seen.ran.code == kErrors, seen.ran.output);
  BOOST_TEST(seen.has("error file-system", "tmpfs, in memory"), seen.ran.output);
}

BOOST_FIXTURE_TEST_CASE(a_replaced_program_is_noticed, Installation) {
  fs::copy(FJ_BINARY_DIR "/bin/fastjournald", path("fastjournald"));
  ChildProcess old{{path("fastjournald"), "--config", path("fastjournal.xml")}};
  BOOST_REQUIRE_MESSAGE(old.wait_for_line("ready"), old.output());
  BOOST_TEST(examine().has("ok versions"));
  fs::remove(path("fastjournald"));
  Diagnosis const seen = examine();
  BOOST_TEST(seen.ran.code == kWarnings, seen.ran.output);
  BOOST_TEST(seen.has("warning versions", "was replaced since the daemon was started"), seen.ran.output);
  old.kill(SIGTERM);
  static_cast<void>(old.wait());
}

BOOST_AUTO_TEST_SUITE_END()
