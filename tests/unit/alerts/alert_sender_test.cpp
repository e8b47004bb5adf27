// The thread that reports alerts on this computer: flag files that are written and removed, and a command with the
// facts of the alert, its time limit and its output. Every wait is for an event and has a limit.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>

#include "platform/alerts/alert_sender.h"
#include "platform/os/posix_disk.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/alerts/flag_reader.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::alerts;

log::AlertNotice notice(bool up, std::string table = "jobs") {
  log::AlertNotice out{up, {}};
  out.alert.table = std::move(table);
  out.alert.name = "row-failed";
  out.alert.priority = 60;
  out.alert.message = "it's $(broken); `here` \"now\"\nand there";
  out.alert.tags = "journal";
  out.alert.count = 2;
  out.alert.first = TimeMs{1000};
  out.alert.last = TimeMs{2000};
  return out;
}

struct Desk {
  ~Desk() { alert_sender.reset(); }

  std::string script(std::string const& text) {
    std::string const path = folder / "command";
    std::ofstream{path} << "#!/bin/sh\n" << text << '\n';
    ::chmod(path.c_str(), 0755);
    return path;
  }
  void start(std::string command, bool with_flags = false, std::int64_t limit_us = 20'000'000) {
    TellerOptions options;
    if (with_flags) options.flags = &disk;
    options.origin = {"box", "1"};
    options.command = std::move(command);
    options.command_limit_us = limit_us;
    options.wake = [this] {
      std::scoped_lock const lock{mutex};
      ++woken;
      changed.notify_all();
    };
    alert_sender = std::make_unique<AlertSender>(std::move(options), standing);
  }
  // Takes reports until one of this kind comes.
  std::string until(Report::Kind kind) {
    for (int rounds = 0; rounds < 1000; ++rounds) {
      for (Report& report : alert_sender->collect()) reports.push_back(std::move(report));
      for (Report const& report : reports)
        if (report.kind == kind) return report.text;
      std::unique_lock lock{mutex};
      if (!changed.wait_for(lock, std::chrono::seconds{20}, [&] { return woken > seen; })) return "(nothing came)";
      seen = woken;
    }
    return "(too much came)";
  }

  test::TemporaryFolder folder;
  os::PosixDisk disk{folder / "flags", 0644};
  std::vector<log::Alert> standing;
  std::vector<Report> reports;
  std::mutex mutex;
  std::condition_variable changed;
  int woken{0};
  int seen{0};
  std::unique_ptr<AlertSender> alert_sender;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(telling)

BOOST_FIXTURE_TEST_CASE(the_command_gets_every_fact_and_no_shell_reads_them, Desk) {
  start(
      script("printf '%s|' \"$1\" \"$2\" \"$3\" \"$FASTJOURNAL_ALERT_STATE\" \"$FASTJOURNAL_ALERT_TABLE\" "
             "\"$FASTJOURNAL_ALERT_NAME\" \"$FASTJOURNAL_ALERT_PRIORITY\" \"$FASTJOURNAL_ALERT_COUNT\" "
             "\"$FASTJOURNAL_ALERT_FIRST\" \"$FASTJOURNAL_ALERT_LAST\" \"$FASTJOURNAL_ALERT_MANUAL\" "
             "\"$FASTJOURNAL_ALERT_TAGS\"; printf '%s' \"$FASTJOURNAL_ALERT_MESSAGE\" > " +
             (folder / "message")));
  alert_sender->tell(notice(true));
  std::string const out = until(Report::Kind::command_output);
  BOOST_TEST(out.ends_with("up|jobs|row-failed|up|jobs|row-failed|60|2|1000|2000|no|journal|"), out);
  std::ifstream file{folder / "message"};
  std::ostringstream message;
  message << file.rdbuf();
  BOOST_TEST(message.str() == notice(true).alert.message);
}

BOOST_FIXTURE_TEST_CASE(the_command_inherits_nothing_but_its_three_streams, Desk) {
  // A descriptor without close-on-exec, as a library may open it: programs must not inherit it.
  int const open = ::fcntl(STDIN_FILENO, F_DUPFD, 200);
  std::string const there = "[ -e /proc/$$/fd/" + std::to_string(open) + " ]";
  start(script(there + " && echo inherited; [ -e /proc/$$/fd/2 ] && echo streams"));
  alert_sender->tell(notice(true));
  std::string const out = until(Report::Kind::command_output);
  ::close(open);
  BOOST_TEST(out.ends_with(": streams"), out);
}

BOOST_FIXTURE_TEST_CASE(a_command_that_fails_is_reported, Desk) {
  start(script("echo went wrong; exit 3"));
  alert_sender->tell(notice(false));
  BOOST_TEST(until(Report::Kind::command_failed).ends_with("down jobs row-failed ended with status 3"));
  BOOST_TEST(until(Report::Kind::command_output).ends_with(": went wrong"));
}

BOOST_FIXTURE_TEST_CASE(a_command_that_is_not_there_is_reported, Desk) {
  start(folder / "nothing");
  alert_sender->tell(notice(true));
  BOOST_TEST(until(Report::Kind::command_failed).find("No such file or directory") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_command_that_takes_too_long_is_ended_with_all_it_started, Desk) {
  start(script("sleep 1000 & echo $!; wait"), false, 300'000);
  alert_sender->tell(notice(true));
  BOOST_TEST(until(Report::Kind::command_failed).ends_with("was ended: its time was over"));
  std::string const line = until(Report::Kind::command_output);
  int const left = std::atoi(line.substr(line.rfind(' ') + 1).c_str());
  BOOST_REQUIRE_MESSAGE(left > 1, line);
  // It was killed, but the process that inherited it may not have collected it yet.
  for (int i = 0; i < 10'000'000 && ::kill(left, 0) == 0; ++i) {
    std::ifstream status{"/proc/" + std::to_string(left) + "/stat"};
    std::string text;
    std::getline(status, text);
    if (text.find(") Z") != std::string::npos) return;
  }
  BOOST_TEST(::kill(left, 0) != 0);
}

BOOST_FIXTURE_TEST_CASE(more_alerts_than_run_at_once_all_get_their_turn, Desk) {
  start(script("echo $2 >> " + (folder / "list") + "; echo done"));
  for (int i = 0; i < 20; ++i) alert_sender->tell(notice(true, "t" + std::to_string(i)));
  for (int i = 0; i < 20; ++i) {
    BOOST_TEST(until(Report::Kind::command_output).ends_with(": done"));
    std::erase_if(reports, [once = true](Report const&) mutable { return std::exchange(once, false); });
  }
}

BOOST_FIXTURE_TEST_CASE(an_end_waits_for_no_command_and_loses_no_flag, Desk) {
  std::filesystem::create_directory(folder / "flags");
  start(script("exec sleep 1000"), true);
  alert_sender->tell(notice(true));
  alert_sender.reset();
  BOOST_TEST(test::read_flags(folder / "flags").size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_folder_of_flags_that_cannot_be_written_is_told_and_heals, Desk) {
  standing.push_back(notice(true).alert);
  start({}, true);
  BOOST_TEST(until(Report::Kind::flags_failed).find("flags") != std::string::npos);
  std::filesystem::create_directory(folder / "flags");
  alert_sender->tell(notice(true, "other"));
  static_cast<void>(until(Report::Kind::flags_agree));
  BOOST_TEST(test::read_flags(folder / "flags").size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
