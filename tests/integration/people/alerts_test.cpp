// Alerts of the real daemon: flag files, a command, and a communicatord that the test plays on a unix socket; also
// alerts after a restart.
#include <boost/test/unit_test.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>

#include "tests/integration/daemon.h"
#include "tests/unit/alerts/flag_reader.h"
#include "wire/text.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::test;

// A communicatord for one daemon at a time: accepts its connection and reads lines. Every wait has a limit.
class FakeCommunicatord {
 public:
  explicit FakeCommunicatord(std::string const& path) : listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    BOOST_REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    BOOST_REQUIRE(::listen(listener_, 4) == 0);
  }
  ~FakeCommunicatord() {
    hang_up();
    ::close(listener_);
  }
  bool accept() {
    hang_up();
    if (readable(listener_)) peer_ = ::accept(listener_, nullptr, nullptr);
    return peer_ >= 0;
  }
  void hang_up() {
    if (peer_ >= 0) ::close(peer_);
    peer_ = -1;
    buffer_.clear();
  }
  void say(std::string const& line) {
    std::string const bytes = line + "\n";
    BOOST_REQUIRE(::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  }
  std::string line() {
    for (;;) {
      std::size_t const end = buffer_.find('\n');
      if (end != std::string::npos) {
        std::string const out = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return out;
      }
      char bytes[4096];
      if (!readable(peer_)) return "(nothing in time)";
      ssize_t const got = ::recv(peer_, bytes, sizeof bytes, 0);
      if (got <= 0) return "(end)";
      buffer_.append(bytes, static_cast<std::size_t>(got));
    }
  }

 private:
  static bool readable(int fd) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 20'000) == 1;
  }
  int listener_;
  int peer_{-1};
  std::string buffer_;
};

struct Fixture {
  Fixture() {
    std::filesystem::create_directory(flags());
    std::ofstream{command()} << "#!/bin/sh\necho $FASTJOURNAL_ALERT_STATE $FASTJOURNAL_ALERT_NAME >> " << said()
                             << "\n";
    std::filesystem::permissions(command(), std::filesystem::perms::owner_all);
    daemon.write("fastjournal.xml",
                 "<fastjournal><alerts flags=\"flags\" service=\"watcher\" on-alert=\"command\"/>"
                 "<communicator address=\"unix:communicatord\"/></fastjournal>");
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    BOOST_REQUIRE(communicatord.accept());
    BOOST_TEST(communicatord.line() == "REGISTER service=fastjournal;version=1;");
  }
  ~Fixture() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
  }
  [[nodiscard]] std::string flags() const { return daemon.folder() / "flags"; }
  [[nodiscard]] std::string command() const { return daemon.folder() / "command"; }
  [[nodiscard]] std::string said() const { return daemon.folder() / "said"; }
  void fail_a_row() {
    LineClient client{daemon.tcp()};
    client.ask("INSERT table=jobs;name=bad");
    std::string const got = client.ask("NEXT table=jobs");
    Message row;
    BOOST_REQUIRE(protocol::parse_line(got, row).ok());
    BOOST_TEST(client
                   .ask("FAIL table=jobs;row=" + std::string{row.text("row")} +
                        ";epoch=" + std::string{row.text("epoch")} + ";error=no disk")
                   .starts_with("PARKED"));
  }
  // Waits, at most 20 s, as another thread writes the files.
  bool comes_true(std::function<bool()> const& condition) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!condition())
      if (std::chrono::steady_clock::now() > end) return false;
    return true;
  }
  std::string text_of(std::string const& path) {
    std::ostringstream out;
    out << std::ifstream{path}.rdbuf();
    return out.str();
  }
  RealDaemon daemon{""};
  FakeCommunicatord communicatord{daemon.folder() / "communicatord"};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(alerts_of_the_real_daemon)

BOOST_FIXTURE_TEST_CASE(an_alert_reaches_files_service_and_command_and_survives_kill, Fixture) {
  fail_a_row();
  std::string const up = communicatord.line();
  BOOST_TEST(up.starts_with("watcher/FLAG "), up);
  BOOST_TEST(up.find("state=up;") != std::string::npos);
  BOOST_REQUIRE(comes_true([&] { return !read_flags(flags()).empty(); }));
  auto const flag = read_flags(flags()).begin()->second;
  BOOST_TEST(flag.section == "jobs");
  BOOST_TEST(flag.name == "row-failed");
  BOOST_TEST(flag.fields.at("message").find("no disk") != std::string::npos);
  BOOST_TEST(comes_true([&] { return text_of(said()) == "up row-failed\n"; }));

  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  // While the daemon is down, a flag is removed and an old one is left behind.
  std::filesystem::remove(flags() + "/fastjournal_jobs_row-failed.flag");
  std::ofstream{flags() + "/fastjournal_gone_row-failed.flag"} << "message=old\n";
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(comes_true([&] {
    return std::filesystem::exists(flags() + "/fastjournal_jobs_row-failed.flag") &&
           !std::filesystem::exists(flags() + "/fastjournal_gone_row-failed.flag");
  }));
  BOOST_REQUIRE(communicatord.accept());
  BOOST_TEST(communicatord.line().starts_with("REGISTER "));
  BOOST_TEST(communicatord.line().find("state=up;") != std::string::npos);

  LineClient client{daemon.tcp()};
  client.ask("DELETE table=jobs;name=bad");
  BOOST_TEST(communicatord.line().find("state=down;") != std::string::npos);
  BOOST_TEST(comes_true([&] { return std::filesystem::is_empty(flags()); }));
  BOOST_TEST(comes_true([&] { return text_of(said()) == "up row-failed\ndown row-failed\n"; }));
}

BOOST_FIXTURE_TEST_CASE(stop_from_the_communicatord_ends_it_cleanly, Fixture) {
  communicatord.say("HELP");
  BOOST_TEST(communicatord.line().starts_with("COMMANDS list="));
  communicatord.say("<box:backend INSERT table=jobs;name=a");
  BOOST_TEST(communicatord.line().starts_with("box:backend/INSERTED "));
  communicatord.say("STOP");
  BOOST_TEST(communicatord.line() == "UNREGISTER service=fastjournal;");
  BOOST_TEST(communicatord.line() == "(end)");
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(a_message_that_cannot_be_taken_is_kept_in_a_file) {
  RealDaemon daemon{
      "<aliases><alias command=\"PUTJOB\" means=\"INSERT\" answer=\"GOTJOB\" refusal=\"JOBFAILED\" refused=\"keep\">"
      "<parameter name=\"uri\" is=\"name\"/><parameter name=\"ticket\" use=\"echo\"/></alias></aliases>"};
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  std::filesystem::path const file = std::filesystem::path{daemon.folder() / "data"} / "refused.messages" / "jobs.txt";
  auto const content = [&] {
    std::ostringstream out;
    out << std::ifstream{file}.rdbuf();
    return out.str();
  };
  LineClient client{daemon.tcp()};
  BOOST_REQUIRE(client.send("PUTJOB ticket=1;colour=red;uri=a\nPUTJOB ticket=2\n"));
  BOOST_TEST(client.read_line().value_or("") == "GOTJOB ticket=1;");
  BOOST_TEST(content().find("\nPUTJOB colour=red;ticket=1;uri=a;\n") != std::string::npos, content());
  BOOST_TEST(client.read_line().value_or("") == "GOTJOB ticket=2;");
  BOOST_TEST(content().find("\nPUTJOB ticket=2;\n") != std::string::npos, content());
  // The file is removed by an operator; later it is full.
  std::filesystem::remove(file);
  BOOST_REQUIRE(client.send("PUTJOB ticket=3\n"));
  BOOST_TEST(client.read_line().value_or("") == "GOTJOB ticket=3;");
  std::filesystem::resize_file(file, 16U << 20U);
  BOOST_REQUIRE(client.send("PUTJOB ticket=4\n"));
  BOOST_TEST(client.read_line().value_or("") == "JOBFAILED ticket=4;");
}

BOOST_AUTO_TEST_CASE(definition_files_tell_parameters_and_columns) {
  RealDaemon daemon{
      "<aliases><alias command=\"PUTJOB\" means=\"INSERT\" answer=\"GOTJOB\" refusal=\"JOBFAILED\">"
      "<parameter name=\"uri\" is=\"name\"/><parameter name=\"ticket\" use=\"echo\"/></alias></aliases>"};
  // One that is read meanwhile stays whole: it is replaced, not written over.
  std::filesystem::path const read = daemon.folder() / "read";
  std::filesystem::create_directory(daemon.folder() / "messages");
  std::ofstream{daemon.folder() / "messages" / "DONE.conf"} << "an older one";
  std::filesystem::create_hard_link(daemon.folder() / "messages" / "DONE.conf", read);
  BOOST_TEST(!daemon.start({"--message-files", daemon.folder() / "messages"}));
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  auto const text_of = [&](std::string const& name) {
    std::ostringstream out;
    out << std::ifstream{daemon.folder() / "messages" / name}.rdbuf();
    return out.str();
  };
  BOOST_TEST(text_of("DONE.conf").find("\n[epoch]\ntype=integer\nflags=required\n") != std::string::npos,
             text_of("DONE.conf"));
  BOOST_TEST(text_of("INSERT.conf").find("\n[payload]\ntype=string\nflags=optional,empty\n") != std::string::npos);
  BOOST_TEST(text_of("LOWER.conf").find("\n[name]\n") != std::string::npos);
  BOOST_TEST(text_of("PUTJOB.conf").find("\n[uri]\ntype=string\nflags=required\n") != std::string::npos,
             daemon.output());
  BOOST_TEST(text_of("GOTJOB.conf").find("\n[ticket]\n") != std::string::npos);
  BOOST_TEST(text_of("GOTJOB.conf").find("[uri]") == std::string::npos);
  BOOST_TEST(text_of("ROW.conf").find("\n[payload]\ntype=string\nflags=optional,empty\n") != std::string::npos);
  for (char const* const answer : {"INSERTED", "NOTHING", "ERROR", "COMPLETED", "FLAG", "STATS"})
    BOOST_TEST(!text_of(std::string{answer} + ".conf").empty(), answer);
  BOOST_TEST(!std::filesystem::exists(daemon.folder() / "messages" / "STOP.conf"));
  BOOST_TEST(text_of("../read") == "an older one");
}

BOOST_FIXTURE_TEST_CASE(restart_asks_for_another_start, Fixture) {
  communicatord.say("RESTART");
  BOOST_TEST(communicatord.line() == "UNREGISTER service=fastjournal;");
  BOOST_TEST(daemon.wait().value_or(-1) == 3);
}

BOOST_FIXTURE_TEST_CASE(a_flag_folder_that_is_gone_is_an_alert_and_stops_nothing, Fixture) {
  std::filesystem::remove(flags());
  fail_a_row();
  LineClient client{daemon.tcp()};
  BOOST_TEST(comes_true([&] {
    BOOST_REQUIRE(client.send("ALERTS\n"));
    std::string all;
    for (;;) {
      std::string const line = client.read_line().value_or("left=0;");
      all += line;
      if (line.find("left=0;") != std::string::npos || line.starts_with("ALERTS")) break;
    }
    return all.find("name=flags-failed;") != std::string::npos;
  }));
}

BOOST_FIXTURE_TEST_CASE(a_byte_that_changes_on_the_disk_is_an_alert_and_costs_no_row, Fixture) {
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
  daemon.write("fastjournal.xml",
               "<fastjournal><alerts flags=\"flags\"/><log name=\"shared\" container-size=\"512KiB\" scrub=\"1s\"/>"
               "</fastjournal>");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient client{daemon.tcp()};
  for (int i = 0; i < 1500; ++i)
    BOOST_REQUIRE(client.ask("INSERT table=jobs;name=n" + std::to_string(i) + ";payload=" + std::string(1000, 'x'))
                      .starts_with("INSERTED "));
  // Find the payload of an old row, in whatever segment it is.
  std::filesystem::path const log = daemon.folder() / "data" / "shared";
  std::filesystem::path damaged;
  std::streamoff at = 0;
  for (auto const& entry : std::filesystem::directory_iterator{log}) {
    std::string const text = text_of(entry.path());
    std::size_t found = text.find("n7");
    while (found != std::string::npos && found + 2 < text.size() && std::isdigit(text[found + 2]) != 0)
      found = text.find("n7", found + 1);
    if (found == std::string::npos) continue;
    damaged = entry.path();
    at = static_cast<std::streamoff>(found) + 500;
  }
  BOOST_REQUIRE(!damaged.empty());
  std::fstream file{damaged, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(at).put('?').flush();

  BOOST_REQUIRE(comes_true([&] { return !read_flags(flags()).empty(); }));
  auto const flag = read_flags(flags()).begin()->second;
  BOOST_TEST(flag.name == "log-damaged");
  BOOST_TEST(flag.fields.at("message").find(damaged.filename().string() + " offset ") != std::string::npos,
             flag.fields.at("message"));
  BOOST_TEST(comes_true([&] {
    BOOST_REQUIRE(client.send("STATS\n"));
    std::string all;
    while (all.find(";left=0;") == std::string::npos) all += client.read_line().value_or(";left=0;");
    return all.find(";logs_mending=0;") != std::string::npos;
  }));
  daemon.kill(SIGKILL);
  static_cast<void>(daemon.wait());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient again{daemon.tcp()};
  BOOST_TEST(again.ask("PEEK table=jobs;name=n7").find(std::string(1000, 'x')) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
