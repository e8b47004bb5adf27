// Mistakes of every kind made with the real daemon: each gets a clear error, and nothing acknowledged is lost.
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/integration/daemon.h"

namespace {

using namespace fastjournal::test;

bool mistakes_has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

struct Running {
  Running() : daemon{""} {
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
    LineClient client{daemon.tcp()};
    BOOST_REQUIRE(mistakes_has(client.ask("INSERT table=jobs;name=kept;payload=precious"), "result=inserted"));
  }
  ~Running() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  // Rows that were acknowledged before the mistake are still there, and the daemon serves.
  void check_kept() {
    LineClient client{daemon.local()};
    BOOST_TEST(mistakes_has(client.ask("PEEK table=jobs;name=kept"), "payload=precious"));
  }
  void stop() {
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
  }
  RealDaemon daemon;
};

std::string first_segment(std::filesystem::path const& folder) {
  std::string first;
  for (auto const& entry : std::filesystem::recursive_directory_iterator{folder})
    if (entry.is_regular_file() && entry.file_size() >= (512U << 10U) &&
        (first.empty() || entry.path().string() < first))
      first = entry.path().string();
  return first;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mistakes_on_the_wire)

BOOST_FIXTURE_TEST_CASE(malformed_lines_are_answered_with_the_reason_and_the_connection_stays_usable, Running) {
  LineClient client{daemon.tcp()};
  client.ask("ALIVE");  // the first line must be a message
  for (char const* line :
       {"-bad name=1;=2", "INSERT =", "INSERT 9=1", "\"", "{\"command\":", "INSERT table=jobs;name=\"open"}) {
    std::string const answer = client.ask(line);
    BOOST_TEST((answer.starts_with("INVALID ") || answer.starts_with("ERROR ") || answer.starts_with("UNKNOWN ")),
               line << " -> " << answer);
    BOOST_TEST((mistakes_has(answer, "message=") || mistakes_has(answer, "command=")), answer);
  }
  BOOST_TEST(mistakes_has(client.ask("PEEK table=jobs;name=kept"), "payload=precious"));
}

BOOST_AUTO_TEST_CASE(sockets_have_the_modes_and_rights_that_they_declare) {
  RealDaemon daemon{""};
  daemon.write("fastjournal.xml",
               "<fastjournal><listen address=\"127.0.0.1:0\" rights=\"read\"/>\n<socket path=\"run/a/producers\" "
               "mode=\"0622\" rights=\"add\"/><socket path=\"workers\" rights=\"read work\"/></fastjournal>\n");
  daemon.listens_as_configured = true;
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  auto const mode_of = [](std::filesystem::path const& path) {
    return static_cast<unsigned>(std::filesystem::status(path).permissions());
  };
  std::filesystem::path const folder = daemon.folder();
  std::filesystem::path const administrators = folder / "data/fastjournal.sock";
  BOOST_TEST(mode_of(folder / "run/a/producers") == 0622U);
  BOOST_TEST(mode_of(folder / "workers") == 0660U);
  BOOST_TEST(mode_of(administrators) == 0600U);
  LineClient reader{daemon.tcp()};
  LineClient producer{"unix:" + (folder / "run/a/producers").string()};
  LineClient worker{"unix:" + (folder / "workers").string()};
  LineClient administrator{"unix:" + administrators.string()};
  BOOST_TEST(producer.ask("INSERT table=jobs;name=a").starts_with("INSERTED "));
  BOOST_TEST(mistakes_has(producer.ask("PEEK table=jobs;name=a"), "right=read"));
  BOOST_TEST(reader.ask("PEEK table=jobs;name=a").starts_with("ROW "));
  BOOST_TEST(mistakes_has(reader.ask("NEXT table=jobs"), "right=work"));
  BOOST_TEST(worker.ask("NEXT table=jobs").starts_with("ROW "));
  std::string const refused = worker.ask("STOP");
  BOOST_TEST(mistakes_has(refused, "use the administrator's socket, unix:" + administrators.string()), refused);
  BOOST_TEST(administrator.ask("STOP") == "STOPPING");
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_AUTO_TEST_CASE(a_crowd_that_says_nothing_keeps_nobody_out_for_long) {
  RealDaemon daemon{""};
  daemon.write("fastjournal.xml",
               "<fastjournal><limits connections=\"40\" reserved-connections=\"2\" connections-per-peer=\"30\" "
               "first-message=\"1s\"/></fastjournal>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  std::vector<LineClient> crowd;
  for (int i = 0; i < 30; ++i) crowd.emplace_back(daemon.tcp());
  LineClient late{daemon.tcp()};
  BOOST_TEST(mistakes_has(late.read_line().value_or(""), "more than 30 connections of ip:127.0.0.1; close some"));
  BOOST_TEST(!late.read_line().has_value());
  // The local user has ten places left, and two more are reserved for administrators.
  for (int i = 0; i < 12; ++i) {
    crowd.emplace_back(daemon.local());
    BOOST_TEST(crowd.back().ask("ALIVE").starts_with("ABSOLUTELY "));
  }
  BOOST_TEST(mistakes_has(LineClient{daemon.local()}.read_line().value_or(""), "reserved-connections"));
  for (int i = 0; i < 30; ++i)
    BOOST_TEST(
        mistakes_has(crowd[static_cast<std::size_t>(i)].read_line().value_or(""), "no whole message came within 1 s"));
  LineClient client{daemon.tcp()};
  BOOST_TEST(client.ask("ALIVE").starts_with("ABSOLUTELY "));
}

// Any web page can make a browser send this. More such bytes: tests/world/strangers_test.cpp.
BOOST_FIXTURE_TEST_CASE(a_browser_that_is_made_to_post_a_command_is_turned_away, Running) {
  for (std::string const& address : {daemon.tcp(), daemon.local()}) {
    LineClient browser{address};
    BOOST_REQUIRE(
        browser.send("POST / HTTP/1.1\r\nHost: 127.0.0.1:4050\r\nContent-Type: text/plain\r\n"
                     "Content-Length: 18\r\n\r\nPAUSE table=jobs\r\n"));
    BOOST_TEST(mistakes_has(browser.read_line().value_or(""), "this one is closed"));
    BOOST_TEST(!browser.read_line().has_value());
    LineClient client{address};
    BOOST_TEST(client.ask("LIST table=jobs;status=paused") == "NOTHING table=jobs;");
  }
}

BOOST_FIXTURE_TEST_CASE(an_endless_line_is_cut_off_with_a_reason_and_costs_no_memory, Running) {
  LineClient client{daemon.tcp()};
  client.ask("ALIVE");
  std::string const megabyte(1U << 20U, 'x');
  BOOST_REQUIRE(client.send("INSERT table=jobs;name="));
  for (int i = 0; i < 64; ++i) BOOST_REQUIRE(client.send(megabyte));
  BOOST_REQUIRE(client.send("\n"));
  std::string const answer = client.read_line().value_or("");
  BOOST_TEST(answer.starts_with("INVALID "));
  BOOST_TEST(mistakes_has(answer, "code=too_large"), answer);
  BOOST_TEST(mistakes_has(client.ask("PEEK table=jobs;name=kept"), "payload=precious"));
}

BOOST_FIXTURE_TEST_CASE(a_binary_frame_that_is_too_large_or_damaged_is_refused_and_skipped, Running) {
  LineClient client{daemon.tcp()};
  BOOST_REQUIRE(client.send(std::string{"FJM\x01\x7f\xff\xff\xff", 8}));
  BOOST_TEST(mistakes_has(client.read_line().value_or(""), "code=too_large"));
  LineClient other{daemon.tcp()};
  BOOST_REQUIRE(other.send(std::string{"FJM\x01\x00\x00\x00\x03\xc1\xc1\xc1", 11}));
  BOOST_TEST(mistakes_has(other.read_line().value_or(""), "INVALID "));
  BOOST_TEST(mistakes_has(other.ask("PEEK table=jobs;name=kept"), "payload=precious"));
}

BOOST_FIXTURE_TEST_CASE(unknown_names_wrong_types_and_large_values_are_refused_by_name, Running) {
  LineClient client{daemon.tcp()};
  BOOST_TEST(mistakes_has(client.ask("DANCE table=jobs"), "UNKNOWN command=DANCE"));
  BOOST_TEST(mistakes_has(client.ask("INSERT table=jobs;name=a;colour=red"), "code=unknown_parameter"));
  BOOST_TEST(mistakes_has(client.ask("INSERT table=jobs;name=a;priority=1000"), "code=bad_parameter"));
  BOOST_TEST(mistakes_has(client.ask("INSERT table=jobs;name=" + std::string(5000, 'k')), "code=too_large"));
  BOOST_TEST(mistakes_has(client.ask("INSERT table=jobs;name=\xff\xfe"), "code=bad_parameter"));
  check_kept();
}

BOOST_FIXTURE_TEST_CASE(a_client_that_never_reads_stops_nobody, Running) {
  LineClient deaf{daemon.tcp()};
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "LIST table=jobs\nALIVE\n";
  // More than the kernel buffers for both sides. If all of it could be sent, the daemon would be reading it: it must
  // stop.
  std::size_t constexpr kBytesMax = 24U << 20U;
  std::size_t sent = 0;
  while (sent < kBytesMax && deaf.send(many, std::chrono::seconds{1})) sent += many.size();
  BOOST_TEST(sent < kBytesMax);
  check_kept();
}

BOOST_FIXTURE_TEST_CASE(one_connection_too_many_gets_an_error_like_any_other, Running) {
  stop();
  daemon.write("fastjournal.xml", "<fastjournal><limits connections=\"1\"/></fastjournal>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient first{daemon.tcp()};
  BOOST_TEST(mistakes_has(first.ask("PEEK table=jobs;name=kept"), "payload=precious"));
  LineClient second{daemon.tcp()};
  std::string const answer = second.read_line().value_or("");
  BOOST_TEST(answer.starts_with("ERROR code=over_limit;command=CONNECT;message="), answer);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(mistakes_at_the_start)

BOOST_FIXTURE_TEST_CASE(a_data_folder_in_use_is_said_so, Running) {
  std::vector<std::string> words = daemon.command_line();
  words.back() += "2";  // another socket
  ChildProcess second{words};
  BOOST_TEST(second.wait().value_or(0) == 1);
  BOOST_TEST(mistakes_has(second.output(), "/data/lock: held by process "), second.output());
  BOOST_TEST(mistakes_has(second.output(), std::to_string(daemon.child().pid())), second.output());
  check_kept();
}

// The folder is in use as well, but that would be found only when the log is opened.
BOOST_FIXTURE_TEST_CASE(an_address_in_use_is_found_before_the_log_is_read, Running) {
  for (std::string const& address :
       {daemon.tcp(), daemon.local(), std::string{"192.0.2.1:0"}, std::string{"unix:/proc/nowhere/socket"}}) {
    std::vector<std::string> words = daemon.command_line();
    words.resize(words.size() - 2);
    words.insert(words.end(), {"--listen", address});
    if (address.starts_with("192.")) words.insert(words.end(), {"--plain-text", "--rights", "add"});
    ChildProcess second{words};
    BOOST_TEST(second.wait().value_or(0) == 1);
    BOOST_TEST(mistakes_has(second.output(), address.substr(0, address.rfind(':'))), second.output());
    BOOST_TEST(!mistakes_has(second.output(), "shared"), second.output());
  }
  check_kept();
}

BOOST_FIXTURE_TEST_CASE(a_bad_address_and_one_that_others_reach_are_refused_at_once, Running) {
  struct Case {
    char const* address;
    char const* words;
  };
  for (Case const& one :
       {Case{"0.0.0.0:0", "can be reached from other machines, and everything on it travels unencrypted"},
        Case{"[::]:0", "or --plain-text beside it"}, Case{"nonsense", "expected an IP address and a port"},
        Case{"127.0.0.1:70000", "expected an IP address and a port"}, Case{"unix:", "the path is missing"}}) {
    std::vector<std::string> words = daemon.command_line();
    words.insert(words.end(), {"--listen", one.address});
    ChildProcess refused{words};
    BOOST_TEST(refused.wait().value_or(0) == 2);
    BOOST_TEST(mistakes_has(refused.output(), one.words), refused.output());
  }
  // It is allowed if asked for.
  stop();
  BOOST_REQUIRE_MESSAGE(daemon.start({"--plain-text", "--rights", "all", "--listen", "0.0.0.0:0"}), daemon.output());
  BOOST_TEST(mistakes_has(daemon.output(), "listening 0.0.0.0:"));
}

BOOST_FIXTURE_TEST_CASE(broken_xml_is_answered_with_file_and_line_and_a_reload_keeps_the_good_tables, Running) {
  daemon.write(
      "tables/broken.xml",
      "<table name=\"broken\" model=\"journal\" row-key=\"name\">\n<schema>\n<column name=\"name\" typ=\"string\"/>\n");
  ChildProcess check{[this] {
    std::vector<std::string> words = daemon.command_line();
    words.push_back("--check");
    return words;
  }()};
  BOOST_TEST(check.wait().value_or(0) == 1);
  BOOST_TEST(mistakes_has(check.output(), "broken.xml:"), check.output());
  daemon.kill(SIGHUP);
  BOOST_TEST(daemon.child().wait_for_line("reload refused").has_value(), daemon.output());
  check_kept();
  std::filesystem::remove(daemon.folder() / "tables/broken.xml");
  daemon.write_table("more", "");
  daemon.kill(SIGHUP);
  BOOST_TEST(daemon.child().wait_for_line("table more: new").has_value(), daemon.output());
  LineClient client{daemon.tcp()};
  BOOST_TEST(mistakes_has(client.ask("INSERT table=more;name=a"), "result=inserted"));
}

BOOST_FIXTURE_TEST_CASE(a_missing_plugin_and_a_missing_table_stop_the_start_with_their_names, Running) {
  stop();
  std::filesystem::create_directory(daemon.folder() / "empty");
  std::string const plugins = std::exchange(daemon.plugins, daemon.folder() / "empty");
  BOOST_TEST(!daemon.start());
  BOOST_TEST(mistakes_has(daemon.output(), "no table type"), daemon.output());
  daemon.plugins = plugins;
  std::filesystem::rename(daemon.folder() / "tables/jobs.xml", daemon.folder() / "jobs.away");
  BOOST_TEST(!daemon.start());
  BOOST_TEST(mistakes_has(daemon.output(), "jobs.xml"), daemon.output());
  BOOST_TEST(mistakes_has(daemon.output(), "--forget jobs"), daemon.output());
  std::filesystem::rename(daemon.folder() / "jobs.away", daemon.folder() / "tables/jobs.xml");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  check_kept();
}

BOOST_FIXTURE_TEST_CASE(a_forgotten_table_is_counted_and_an_unknown_one_refused, Running) {
  {
    LineClient client{daemon.tcp()};
    for (char const* name : {"a", "b"})
      BOOST_REQUIRE(mistakes_has(client.ask(std::string{"INSERT table=jobs;name="} + name), "result=inserted"));
  }
  stop();
  daemon.write_table("other", "");
  BOOST_TEST(!daemon.start({"--forget", "job"}));
  BOOST_TEST(mistakes_has(daemon.output(),
                          "--forget job: no log holds a table of this name; there are: jobs. Nothing was dropped"),
             daemon.output());
  // If the option stayed in a unit file, it would empty the table at every start.
  BOOST_TEST(!daemon.start({"--forget", "jobs"}));
  BOOST_TEST(mistakes_has(daemon.output(),
                          "tables/jobs.xml:1: table \"jobs\" is declared, so --forget jobs would drop its rows"),
             daemon.output());
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  check_kept();
  stop();
  std::filesystem::remove(daemon.folder() / "tables/jobs.xml");
  BOOST_REQUIRE_MESSAGE(daemon.start({"--forget", "jobs"}), daemon.output());
  BOOST_TEST(mistakes_has(daemon.output(), "forgotten  jobs: 3 rows dropped for good\n"), daemon.output());
  stop();
  // The table is dropped for good: a later start does not ask for its file.
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(!mistakes_has(daemon.output(), "forgotten"), daemon.output());
}

BOOST_FIXTURE_TEST_CASE(a_damaged_segment_stops_the_start_with_file_and_offset_and_changes_nothing, Running) {
  {
    LineClient client{daemon.tcp()};
    for (int i = 0; i < 200; ++i)
      BOOST_REQUIRE(mistakes_has(client.ask("INSERT table=jobs;name=n" + std::to_string(i)), "result=inserted"));
  }
  stop();
  std::string const segment = first_segment(daemon.folder() / "data");
  BOOST_REQUIRE(!segment.empty());
  auto const flip = [&segment] {
    std::fstream file{segment, std::ios::in | std::ios::out | std::ios::binary};
    file.seekg(40'000);
    char const byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(40'000);
    file.put(byte);
  };
  flip();
  BOOST_TEST(!daemon.start());
  BOOST_TEST(mistakes_has(daemon.output(), std::filesystem::path{segment}.filename().string()), daemon.output());
  flip();
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  check_kept();
  LineClient client{daemon.tcp()};
  BOOST_TEST(mistakes_has(client.ask("PEEK table=jobs;name=n199"), "ROW "));
}

BOOST_FIXTURE_TEST_CASE(wrong_options_and_a_missing_configuration_are_named, Running) {
  ChildProcess wrong{{FJ_BINARY_DIR "/bin/fastjournald", "--colour", "red"}};
  BOOST_TEST(wrong.wait().value_or(0) == 2);
  BOOST_TEST(mistakes_has(wrong.output(), "--colour"), wrong.output());
  ChildProcess missing{{FJ_BINARY_DIR "/bin/fastjournald", "--config", daemon.folder() / "nowhere.xml"}};
  BOOST_TEST(missing.wait().value_or(0) == 1);
  BOOST_TEST(mistakes_has(missing.output(), "nowhere.xml"), missing.output());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ends_and_begins)

BOOST_FIXTURE_TEST_CASE(a_clean_stop_and_a_start_keep_rows_leases_and_dates, Running) {
  std::string row;
  {
    LineClient client{daemon.tcp()};
    BOOST_REQUIRE(mistakes_has(client.ask("INSERT table=jobs;name=later;process_date=+3600000"), "result=inserted"));
    std::string const leased = client.ask("NEXT table=jobs");
    BOOST_REQUIRE(mistakes_has(leased, "name=kept"));
    row = leased.substr(leased.find(";row=") + 5);
    row = row.substr(0, row.find(';'));
  }
  stop();
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient client{daemon.tcp()};
  BOOST_TEST(mistakes_has(client.ask("LIST table=jobs;status=processing"), "row=" + row));
  BOOST_TEST(mistakes_has(client.ask("LIST table=jobs;status=waiting"), "name=later"));
}

// Each log has its own intervals, place of syncs and segments. A log whose syncs are delayed loses nothing by kill -9
// either.
BOOST_FIXTURE_TEST_CASE(tables_in_several_logs_are_all_there_after_kill, Running) {
  stop();
  daemon.write(
      "fastjournal.xml",
      "<fastjournal><log name=\"shared\"/>"
      "<log name=\"later\" container-size=\"512KiB\" sync=\"interval\" sync-interval=\"20ms\" sync-place=\"thread\"/>"
      "<log name=\"own\" container-size=\"1MiB\" sync-place=\"thread\"/></fastjournal>\n");
  daemon.write_table("second", "<log name=\"own\"/>");
  daemon.write_table("third", "<log name=\"later\"/>");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  char const* const tables[] = {"jobs", "second", "third"};
  for (int life = 0; life < 3; ++life) {
    LineClient client{daemon.tcp()};
    std::string lines;
    for (int i = 0; i < 300; ++i)
      lines += "INSERT table=" + std::string{tables[i % 3]} + ";name=n" + std::to_string(life * 1000 + i) + "\n";
    BOOST_REQUIRE(client.send(lines));
    for (int i = 0; i < 300; ++i)
      BOOST_REQUIRE(mistakes_has(client.read_line().value_or("nothing"), "result=inserted"));
    daemon.kill(SIGKILL);
    BOOST_REQUIRE(daemon.wait().has_value());
    BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  }
  LineClient client{daemon.tcp()};
  for (int life = 0; life < 3; ++life)
    for (int i = 0; i < 300; ++i) {
      std::string const row = std::string{tables[i % 3]} + ";name=n" + std::to_string(life * 1000 + i);
      BOOST_REQUIRE(mistakes_has(client.ask("PEEK table=" + row), "ROW "));
    }
  BOOST_TEST(mistakes_has(client.ask("STATS"), "log later: acknowledged before it is synced, synced every 20 ms"));
}

BOOST_FIXTURE_TEST_CASE(the_banner_names_every_column_of_a_key, Running) {
  stop();
  daemon.write("tables/pairs.xml", R"(<table name="pairs" model="journal" row-key="b, a"><schema>
<column name="a" type="string"/><column name="b" type="string"/></schema></table>)");
  daemon.write("tables/cache.xml", "<table name=\"cache\" model=\"keyvalue\"/>\n");
  daemon.write_table("loose", "", false);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  BOOST_TEST(mistakes_has(daemon.output(), "pairs (journal), key b, a\n"), daemon.output());
  BOOST_TEST(mistakes_has(daemon.output(), "loose (journal), no key\n"), daemon.output());
  BOOST_TEST(mistakes_has(daemon.output(), "cache (keyvalue)\n"), daemon.output());
  // What is spoken at each port, and what may be done there.
  BOOST_TEST(mistakes_has(daemon.output(), " (messages, rights read add work manage)\n"), daemon.output());
  BOOST_TEST(mistakes_has(daemon.output(), "/socket (messages, rights read add work manage admin)\n"), daemon.output());
  BOOST_TEST(mistakes_has(LineClient{daemon.tcp()}.ask("STATS"), "ports=\"" + daemon.tcp() + " (messages, rights "));
}

// The log file has words of clients: they must not begin a line or control a terminal, and not everybody may read them.
BOOST_FIXTURE_TEST_CASE(no_client_forges_a_line_of_the_log_file, Running) {
  stop();
  daemon.write("fastjournal.xml", "<fastjournal><logging file=\"events.log\"/></fastjournal>\n");
  mode_t const mask = ::umask(0022);
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  ::umask(mask);
  std::filesystem::path const file = daemon.folder() / "events.log";
  LineClient client{daemon.local()};
  client.ask("INSERT table=jobs;name=k");
  std::string const taken = client.ask("NEXT table=jobs");
  auto const told = [&taken](std::string const& name) {
    std::size_t const at = taken.find(";" + name + "=") + 1;
    return taken.substr(at, taken.find(';', at) - at);
  };
  client.ask("FAIL table=jobs;" + told("row") + ";" + told("epoch") +
             R"(;error="no\n2026-01-01T00:00:00.000+00:00 info forged)"
             "\x1b[2J\xc2\x9b"
             "\"");
  std::ostringstream text;
  for (int i = 0; i < 10'000 && !mistakes_has(text.str(), "row-failed"); ++i) {
    client.ask("ALIVE");
    text.str("");
    text << std::ifstream{file}.rdbuf();
  }
  BOOST_TEST(mistakes_has(text.str(), "no\\n2026-01-01T00:00:00.000+00:00 info forged\\x1b[2J?"), text.str());
  BOOST_TEST(!mistakes_has(text.str(), "\n2026-01-01T"), text.str());
  BOOST_TEST(!mistakes_has(text.str(), "\x1b"), text.str());
  struct stat info {};
  BOOST_REQUIRE(::stat(file.c_str(), &info) == 0);
  BOOST_TEST((info.st_mode & 07777U) == 0640U);
  // Programs that the daemon starts do not inherit it.
  std::filesystem::path const process = "/proc/" + std::to_string(daemon.child().pid());
  int found = 0;
  for (auto const& entry : std::filesystem::directory_iterator{process / "fd"}) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry.path(), gone) != std::filesystem::canonical(file)) continue;
    ++found;
    std::ostringstream flags;
    flags << std::ifstream{process / "fdinfo" / entry.path().filename()}.rdbuf();
    std::size_t const at = flags.str().find("flags:");
    BOOST_TEST((std::stoul(flags.str().substr(at + 6), nullptr, 8) & O_CLOEXEC) != 0U, flags.str());
  }
  BOOST_TEST(found == 1);
}

BOOST_FIXTURE_TEST_CASE(the_log_file_is_opened_again_under_its_name, Running) {
  stop();
  daemon.write("fastjournal.xml", "<fastjournal><logging file=\"events.log\"/></fastjournal>\n");
  BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output());
  LineClient client{daemon.local()};
  std::filesystem::path const file = daemon.folder() / "events.log";
  auto const appears = [&] {
    for (int i = 0; i < 10'000 && !std::filesystem::exists(file); ++i) client.ask("ALIVE");
    return std::filesystem::exists(file);
  };
  BOOST_TEST(appears());
  std::filesystem::rename(file, daemon.folder() / "events.log.1");
  daemon.kill(SIGUSR1);
  BOOST_TEST(appears());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(mistakes_in_command_lines)

// Who copies a word from elsewhere did not write it.
BOOST_AUTO_TEST_CASE(words_that_are_told_do_not_steer_the_terminal) {
  std::string const word = "/no\x1b[31m\u202e\u009bx";
  std::string const bin = FJ_BINARY_DIR "/bin/";
  TemporaryFolder const folder;
  for (std::vector<std::string> const& words : {std::vector<std::string>{bin + "fastjournal", word},
                                                {bin + "fastjournal", "check", word},
                                                {bin + "fastjournal", "plan", "check", word},
                                                {bin + "fastjournal", "log", "verify", "--config", word},
                                                {bin + "fastjournal", "put", "pages", "--timeout", word},
                                                {bin + "fastjournald", word},
                                                {bin + "fastjournald", "--config", word},
                                                {bin + "fastjournald", "--listen", word.substr(1)},
                                                {bin + "fastjournal-client", folder.path(), "--config", word},
                                                {bin + "fastjournal-client", folder.path(), "--once" + word},
                                                {bin + "fastjournal-client", "/proc" + word}}) {
    ChildProcess child{words};
    BOOST_TEST(child.wait().value_or(0) != 0);
    std::string const& told = child.output();
    BOOST_TEST(mistakes_has(told, "no\\x1"), told);
    for (char const* const steers : {"\x1b", "\u202e", "\u009b"}) BOOST_TEST(!mistakes_has(told, steers), told);
  }
}

BOOST_AUTO_TEST_SUITE_END()
