// `fastjournal backup` of a real daemon under load: the copy has the digest that the daemon had at that moment, the
// daemon continues, and a daemon can serve from the copy.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/integration/log_tools.h"

using namespace fastjournal::test;

namespace {

// Puts, takes and finishes rows without a pause until it is told to stop; small and large ones, so that segments are
// reused meanwhile.
class Load {
 public:
  explicit Load(std::string const& address) : client_(address), thread_([this] { work(); }) {}
  ~Load() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] int rounds() const { return rounds_; }
  // False if it did not come that far in time.
  [[nodiscard]] bool reaches(int rounds) const {
    auto const deadline = std::chrono::steady_clock::now() + kPatience;
    while (rounds_ < rounds && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    return rounds_ >= rounds;
  }

 private:
  void work() {
    for (int round = 0; !stop_; ++round) {
      std::string const payload(static_cast<std::size_t>(round % 7) * 9000, 'y');
      client_.send("INSERT table=jobs;name=load" + std::to_string(round) + ";payload=" + payload + "\n");
      if (!client_.read_line()) return;
      client_.send("NEXT table=jobs\n");
      std::string const row = client_.read_line().value_or("");
      if (row.starts_with("ROW") && round % 16 != 0) {
        client_.send("DONE table=jobs;row=" + value_behind(row, "row") + ";epoch=" + value_behind(row, "epoch") + "\n");
        if (!client_.read_line()) return;
      }
      ++rounds_;
    }
  }

  LineClient client_;
  std::atomic<bool> stop_{false};
  std::atomic<int> rounds_{0};
  std::thread thread_;
};

constexpr char kSmallSegments[] = "<fastjournal><log name=\"shared\" container-size=\"512KiB\"/></fastjournal>\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(backups)

BOOST_AUTO_TEST_CASE(a_backup_under_load_is_the_daemon_at_its_moment) {
  Filled filled{kSmallSegments};
  {
    // Its date is far ahead: the load takes only the other rows.
    LineClient client{filled.daemon.tcp()};
    client.ask("INSERT table=jobs;name=kept;payload=precious;process_date=4102444800000");
  }
  int before = 0;
  int after = 0;
  {
    Load load{filled.daemon.tcp()};
    for (int i = 0; i < 3; ++i) {
      std::string const folder = filled.path("backup" + std::to_string(i));
      // The rate is slow enough for the log to go round while the copy is made.
      BOOST_REQUIRE(load.reaches(before + 30));
      before = load.rounds();
      ToolRan const made = run_tool(
          {"backup", folder, "--digest", "--json", "--rate", "8MiB", "--server", "unix:" + filled.path("socket")});
      BOOST_TEST(made.code == 0, made.output);
      after = load.rounds();
      BOOST_TEST(after > before);
      ToolRan const verified = run_tool({"log", "verify", folder + "/shared", "--json"});
      BOOST_TEST(verified.code == 0, verified.output);
      BOOST_TEST(value_behind(verified.output, "digest") == value_behind(made.output, "digest"));
      BOOST_TEST(value_behind(made.output, "digest").size() == 16U, made.output);
      BOOST_TEST(bytes_of(folder + "/backup.json") == made.output);
      BOOST_TEST(!std::filesystem::exists(folder + ".partial"));
      before = after;
    }
  }
  filled.stop();

  // The copy is restored, and the daemon serves from it alone.
  std::filesystem::rename(filled.path("data"), filled.path("gone"));
  std::filesystem::rename(filled.path("backup2"), filled.path("data"));
  filled.start();
  LineClient client{filled.daemon.tcp()};
  BOOST_TEST(contains(client.ask("PEEK table=jobs;name=kept"), "payload=precious"));
  BOOST_TEST(contains(client.ask("INSERT table=jobs;name=new"), "result=inserted"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_ends_the_backup_and_never_the_daemon) {
  Filled filled{kSmallSegments, 14 * (512U << 10U)};
  LineClient client{filled.daemon.tcp()};
  for (int i = 0; i < 40; ++i)
    client.ask("INSERT table=jobs;name=kept" + std::to_string(i) + ";payload=" + std::string(50'000, 'k'));
  ChildProcess backup{{FJ_BINARY_DIR "/bin/fastjournal", "backup", filled.path("b"), "--rate", "512KiB", "--server",
                       "unix:" + filled.path("socket")}};
  auto const deadline = std::chrono::steady_clock::now() + kPatience;
  while (!std::filesystem::exists(filled.path("b.partial") + "/shared/container-000001") &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  // The backup is stopped until the log needs more room than the disk has.
  backup.kill(SIGSTOP);
  for (int i = 0; i < 300; ++i) {
    BOOST_TEST(contains(client.ask("INSERT table=jobs;name=r;payload=" + std::string(50'000, 'r')), "INSERTED"));
    BOOST_TEST(contains(client.ask("DELETE table=jobs;name=r"), "DELETED"));
  }
  backup.kill(SIGCONT);
  BOOST_TEST(backup.wait().value_or(-1) == 1, backup.output());
  BOOST_TEST(contains(backup.output(), "no_space"), backup.output());
  BOOST_TEST(contains(backup.output(), "b.partial holds what was copied and is no backup"), backup.output());
  BOOST_TEST(!std::filesystem::exists(filled.path("b")));
  BOOST_TEST(contains(client.ask("PEEK table=jobs;name=kept39"), "payload=kkk"));
}

BOOST_AUTO_TEST_CASE(mistakes_leave_nothing_that_looks_like_a_backup) {
  Filled filled;
  std::string const server = "unix:" + filled.path("socket");
  ToolRan const by_tcp = run_tool({"backup", filled.path("b"), "--server", filled.daemon.tcp()});
  BOOST_TEST(by_tcp.code == 1, by_tcp.output);
  BOOST_TEST(contains(by_tcp.output, "not_allowed"), by_tcp.output);
  BOOST_TEST(!std::filesystem::exists(filled.path("b")));
  BOOST_TEST(!std::filesystem::exists(filled.path("b.partial")));
  BOOST_TEST(run_tool({"backup", filled.path("tables"), "--server", server}).code == 2);
  BOOST_TEST(run_tool({"backup", "--server", server}).code == 2);
  BOOST_TEST(run_tool({"backup", filled.path("b"), "--rate", "quick", "--server", server}).code == 2);

  // One backup at a time; its pin ends with its connection.
  {
    LineClient holder{filled.daemon.local()};
    BOOST_TEST(contains(holder.ask("BACKUP"), "containers="));
    ToolRan const second = run_tool({"backup", filled.path("b"), "--server", server});
    BOOST_TEST(second.code == 1, second.output);
    BOOST_TEST(contains(second.output, "another backup"), second.output);
  }
  LineClient other{filled.daemon.local()};
  BOOST_TEST(contains(other.ask("BACKUP_DONE"), "code=wrong_state"));
  LineClient stranger{filled.daemon.tcp()};
  for (char const* command : {"BACKUP", "BACKUP_DONE"}) BOOST_TEST(contains(stranger.ask(command), "code=not_allowed"));
  BOOST_TEST(contains(other.ask("BACKUP digest=2"), "code=bad_parameter"));
  BOOST_TEST(contains(other.ask("BACKUP digest=1"), "digest="));
  BOOST_TEST(contains(other.ask("BACKUP_DONE"), "BACKED_UP"));
}

BOOST_AUTO_TEST_SUITE_END()
