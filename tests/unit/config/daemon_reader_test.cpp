// The result of reading a good daemon file, value by value, and the accepted
// addresses. The refusals are in golden_test.cpp.
#include <boost/test/unit_test.hpp>

#include "config/address.h"
#include "config/daemon_reader.h"
#include "tests/unit/config/scratch_folder.h"

namespace fastjournal::config {

BOOST_AUTO_TEST_SUITE(daemon_reader)

BOOST_AUTO_TEST_CASE(an_empty_file_means_the_defaults) {
  ScratchFolder const folder;
  Result<DaemonDeclaration> const read = read_daemon(folder.write("any-name.xml", "<fastjournal/>"));
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  BOOST_REQUIRE(read->listen.size() == 1);
  BOOST_TEST((read->listen[0] == ListenDeclaration{"127.0.0.1:4050", true, false}));
  BOOST_TEST(read->data_folder == (folder.path() / "data").string());
  BOOST_TEST(read->tables_folder == (folder.path() / "tables.d").string());
  BOOST_TEST(read->plugins_folder == "");
  BOOST_REQUIRE(read->logs.size() == 1);
  BOOST_TEST((read->logs[0] == LogDeclaration{"shared", 16U << 20U, 2, 0}));
  BOOST_TEST((read->limits == LimitsDeclaration{}));
  BOOST_TEST((read->logging == LoggingDeclaration{"info", ""}));
}

BOOST_AUTO_TEST_CASE(a_log_may_have_a_folder_elsewhere) {
  ScratchFolder const folder;
  Result<DaemonDeclaration> const read = read_daemon(folder.write("f.xml", R"(<fastjournal>
  <data folder="/data"/>
  <log name="far" folder="/mnt/fast/far/" container-size="600001"/>
  <log name="near" folder="disks/near" container-size="4KiB"/>
</fastjournal>)"));
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  BOOST_TEST(read->folder_of(*read->log("far")) == "/mnt/fast/far");
  BOOST_TEST(read->folder_of(*read->log("near")) == "/data/disks/near");
  BOOST_TEST(read->folder_of(*read->log("shared")) == "/data/shared");
  // Rounded to blocks when the log is made, and up to 512 KiB before.
  BOOST_TEST(read->log("far")->segment_bytes == 600'001U);
  BOOST_TEST(read->log("near")->segment_bytes == 512U << 10U);
  for (std::string const bad : {"../near", "/", "a/./b", "bytes", "bytes/a", "lock", ".hidden"}) {
    Result<DaemonDeclaration> const refused =
        read_daemon(folder.write("g.xml", "<fastjournal><log name=\"a\" folder=\"" + bad + "\"/></fastjournal>"));
    BOOST_TEST(!refused.ok(), bad);
  }
  for (std::string const inside : {"/mnt/a", "/mnt/a/b", "/mnt"}) {
    Result<DaemonDeclaration> const refused =
        read_daemon(folder.write("g.xml", "<fastjournal><log name=\"a\" folder=\"/mnt/a\"/><log name=\"b\" folder=\"" +
                                              inside + "\"/></fastjournal>"));
    BOOST_TEST(!refused.ok(), inside);
  }
}

BOOST_AUTO_TEST_CASE(everything_arrives) {
  ScratchFolder const folder;
  Result<DaemonDeclaration> const read = read_daemon(folder.write("f.xml", R"(<fastjournal>
  <socket path="run/a.sock" mode="0640" rights="all"/>
  <socket path="/run/b.sock" rights="work add"/>
  <socket path="c.sock" rights="admin"/>
  <listen address="[::1]:0"/>
  <listen address="192.0.2.1:4051" plain-text="true" open="true" rights="add"/>
  <data folder="/var/lib/fastjournal"/>
  <tables folder="../tables"/>
  <plugins folder="plugins"/>
  <log name="fast" container-size="512KiB" initial-containers="8" sync="interval" sync-place="thread"
       sync-method="direct" max-write-buffers="8MiB" when-empty="truncate" period="day" scrub="90m"
       wipe="zero"/>
  <log name="shared" sync="interval" sync-interval="20ms" scrub="0"/>
  <limits connections="7" line-bytes="64KiB" frame-bytes="2MiB" output-bytes="1MiB" memory-bytes="16GiB"
          reserved-connections="3" connections-per-peer="5" first-message="5s" idle="1h" transaction-timeout="5s"/>
  <start max-clock-behind="10m"/>
  <access users="users.xml"/>
  <logging level="warn" file="a.log"/>
</fastjournal>)"));
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  BOOST_REQUIRE(read->listen.size() == 5);
  BOOST_TEST(read->listen[0].place == (folder.path() / "f.xml").string() + ":5: <listen>");
  BOOST_TEST(read->listen[0].is_as({"[::1]:0", true, false}));
  BOOST_TEST(read->listen[0].loopback);
  BOOST_TEST(!read->listen[0].plain_text);
  BOOST_TEST(read->listen[1].is_as({"192.0.2.1:4051", false, true, Rights{Right::add}, kSocketMode, true}));
  BOOST_TEST(!read->listen[1].loopback);
  BOOST_TEST((read->listen[1].plain_text && read->listen[1].open));
  BOOST_TEST(read->listen[2].address == "unix:" + (folder.path() / "run/a.sock").string());
  BOOST_TEST(read->listen[2].unix_mode == 0640U);
  BOOST_TEST((read->listen[2].rights == kAllRights));
  BOOST_TEST(read->listen[3].address == "unix:/run/b.sock");
  BOOST_TEST(read->listen[3].unix_mode == 0660U);
  BOOST_TEST((read->listen[3].rights == Rights{Right::add, Right::work}));
  BOOST_TEST(read->listen[4].unix_mode == 0600U);
  BOOST_TEST(read->data_folder == "/var/lib/fastjournal");
  BOOST_TEST(read->tables_folder == (folder.path().parent_path() / "tables").string());
  BOOST_TEST(read->plugins_folder == (folder.path() / "plugins").string());
  BOOST_TEST(
      (read->logs[0] == LogDeclaration{"fast", 512U << 10U, 8, 100, log::SyncPlace::on_thread, log::SyncMethod::direct,
                                       8U << 20U, log::WhenEmpty::truncate, log::Period::day, 5'400'000, true}));
  BOOST_TEST((*read->log("shared") == LogDeclaration{"shared", 16U << 20U, 2, 20, log::SyncPlace::automatic,
                                                     log::SyncMethod::automatic, 64U << 20U, log::WhenEmpty::reset,
                                                     log::Period::none, 0, false}));
  BOOST_TEST(read->log("other") == nullptr);
  BOOST_TEST((read->limits == LimitsDeclaration{7, 64U << 10U, 2U << 20U, 1U << 20U, 16ULL << 30U, 3, 5, 5000,
                                                3'600'000, 5000, 4ULL << 30U}));
  BOOST_TEST(read->start.clock_behind_ms_max == 600'000);
  BOOST_TEST(read->access.users_file == (folder.path() / "users.xml").string());
  BOOST_TEST((read->logging == LoggingDeclaration{"warn", (folder.path() / "a.log").string()}));
}

BOOST_AUTO_TEST_CASE(a_socket_has_lists_of_those_who_may_come) {
  ScratchFolder const folder;
  Result<DaemonDeclaration> const read = read_daemon(folder.write("f.xml", R"(<fastjournal>
  <socket path="/run/a.sock" users=" alice  1000 " groups="storage" rights="all"/>
  <socket path="/run/b.sock" protocol="fj" table="values" datagrams="true" rights="read"/>
  <socket path="/run/c.sock" rights="read"/>
</fastjournal>)"));
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  ListenDeclaration const& lists = read->listen[1];
  BOOST_TEST((lists.users == std::vector<std::string>{"alice", "1000"}));
  BOOST_TEST((lists.groups == std::vector<std::string>{"storage"}));
  BOOST_TEST(!lists.datagrams);
  BOOST_TEST(read->listen[2].datagrams);
  BOOST_TEST((read->listen[3].users.empty() && read->listen[3].groups.empty() && !read->listen[3].datagrams));
  // Each of them makes another listener of it.
  for (auto const& change : std::initializer_list<void (*)(ListenDeclaration&)>{
           [](ListenDeclaration& one) { one.users.pop_back(); }, [](ListenDeclaration& one) { one.groups.clear(); },
           [](ListenDeclaration& one) { one.datagrams = true; }}) {
    ListenDeclaration other = lists;
    BOOST_TEST(other.is_as(lists));
    change(other);
    BOOST_TEST(!other.is_as(lists));
  }
}

BOOST_AUTO_TEST_CASE(the_shared_log_is_always_there) {
  ScratchFolder const folder;
  Result<DaemonDeclaration> const read =
      read_daemon(folder.write("f.xml", R"(<fastjournal><log name="own"/></fastjournal>)"));
  BOOST_REQUIRE(read.ok());
  BOOST_TEST(read->log("shared") != nullptr);
  BOOST_TEST(read->log("own") != nullptr);
}

BOOST_AUTO_TEST_CASE(alerts_and_communicator_are_off_by_default_and_joined_with_the_folder) {
  ScratchFolder const folder;
  Result<DaemonDeclaration> read = read_daemon(folder.write("f.xml", "<fastjournal/>"));
  BOOST_REQUIRE(read.ok());
  BOOST_TEST((read->alerts == AlertsDeclaration{}));
  BOOST_TEST((read->communicator == CommunicatorDeclaration{}));
  read = read_daemon(folder.write(
      "g.xml", R"(<fastjournal><alerts flags="flags" on-alert="tell" on-alert-timeout="5s" interval="1h" service="w"/>)"
               R"(<communicator address="unix:c.sock" service="jobs"/></fastjournal>)"));
  BOOST_REQUIRE_MESSAGE(read.ok(), read.status().text());
  BOOST_TEST(read->alerts.flags_folder == (folder.path() / "flags").string());
  BOOST_TEST(read->alerts.command == (folder.path() / "tell").string());
  BOOST_TEST(read->alerts.command_limit_ms == 5000);
  BOOST_TEST(read->alerts.interval_ms == 3'600'000);
  BOOST_TEST(read->communicator.address == "unix:" + (folder.path() / "c.sock").string());
  BOOST_TEST(read->communicator.service == "jobs");
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_refused) {
  ScratchFolder const folder;
  BOOST_TEST((read_daemon(folder.path() / "none.xml").status().code() == Code::bad_configuration));
}

BOOST_AUTO_TEST_CASE(addresses_are_numbers_with_a_port) {
  for (char const* const text : {"127.0.0.1:4050", "127.9.9.9:0", "[::1]:65535", "[0:0:0:0:0:0:0:1]:1"}) {
    BOOST_TEST_REQUIRE(parse_address(text).has_value(), text);
    BOOST_TEST(parse_address(text)->loopback, text);
  }
  for (char const* const text : {"0.0.0.0:1", "128.0.0.1:1", "[::]:1", "[::2]:1", "[1::1]:1", "[2001:DB8:0:0:1::]:1",
                                 "[::ffff:1]:1", "[::ffff:127.0.0.1]:1"}) {
    BOOST_TEST_REQUIRE(parse_address(text).has_value(), text);
    BOOST_TEST(!parse_address(text)->loopback, text);
  }
  for (char const* const text : {"",
                                 ":1",
                                 "127.0.0.1",
                                 "127.0.0.1:",
                                 "127.0.0.1:65536",
                                 "127.0.0.1:-1",
                                 "127.0.0.1:1x",
                                 "127.0.0:1",
                                 "127.0.0.1.1:1",
                                 "127.0.0.:1",
                                 "127.0.0.0001:1",
                                 "127.0.0.01:1",
                                 "[::127.0.0.1::]:1",
                                 "::1:1",
                                 "[::1:1",
                                 "[]:1",
                                 "[:::1]:1",
                                 "[1:2:3:4:5:6:7]:1",
                                 "[1:2:3:4:5:6:7:8:9]:1",
                                 "[1::2:3:4:5:6:7:8]:1",
                                 "[12345::]:1",
                                 "[g::]:1",
                                 "localhost:1",
                                 " 127.0.0.1:1"})
    BOOST_TEST(!parse_address(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::config
