// The data folder of the real daemon is removed, moved, replaced, without its lock, or the wrong one. A daemon whose
// files are no longer in its folder answers for at most 100 ms more, and ends. A daemon that is started where a log
// was, or in a folder with other files, says so and creates nothing.
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "tests/integration/log_tools.h"

namespace fastjournal::test {

namespace {

namespace fs = std::filesystem;

struct Serving {
  Serving() : daemon{""} { start(); }
  ~Serving() {
    if (!running) return;
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
  }
  Serving(Serving const&) = delete;
  Serving& operator=(Serving const&) = delete;

  void start(std::vector<std::string> const& more = {}) {
    BOOST_REQUIRE_MESSAGE(daemon.start(more), daemon.output());
    running = true;
    // Connect before anything is done to the folder: the daemon may end at once.
    client = std::make_unique<LineClient>(daemon.tcp());
  }
  void stop() {
    daemon.kill(SIGTERM);
    BOOST_TEST(daemon.wait().value_or(-1) == 0);
    running = false;
  }
  // Inserts until no answer comes; returns the number of answers. It promises to end within 100 ms: one that goes on is
  // not left to fill the disk.
  std::uint64_t insert_until_it_ends(std::string const& more = {}) {
    constexpr std::chrono::seconds kAnswersForMax{5};
    auto const began = std::chrono::steady_clock::now();
    for (std::uint64_t answers = 0; std::chrono::steady_clock::now() - began < kAnswersForMax; ++answers) {
      if (client->send("INSERT table=jobs;name=n" + std::to_string(answers) + more + "\n")) {
        auto const line = client->read_line();
        if (line && contains(*line, "INSERTED")) continue;
      }
      BOOST_TEST(daemon.wait().value_or(-1) == 1);
      running = false;
      return answers;
    }
    BOOST_FAIL("it still answers INSERTED after " << kAnswersForMax.count() << " s");
    return 0;
  }
  // It notices this when it looks, and tells `seen`; or when it needs another segment before that.
  void ended_telling(std::string const& seen) {
    std::string const told = daemon.output();
    BOOST_TEST((contains(told, seen) || contains(told, "/shared/container-00000")), told);
    BOOST_TEST(contains(told, "; nothing more is acknowledged"), told);
  }
  [[nodiscard]] fs::path data() const { return daemon.folder() / "data"; }
  bool starts() {
    running = daemon.start();
    return running;
  }

  RealDaemon daemon;
  std::unique_ptr<LineClient> client;
  bool running{false};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(the_data_folder)

BOOST_FIXTURE_TEST_CASE(that_is_removed_under_a_running_daemon_ends_it, Serving) {
  std::error_code ignored;
  fs::remove_all(data(), ignored);
  auto const began = std::chrono::steady_clock::now();
  insert_until_it_ends();
  BOOST_TEST_MESSAGE("ended after " << std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  // Which part was missing first is left open.
  ended_telling("put it back, or restore a backup");
}

BOOST_FIXTURE_TEST_CASE(that_another_one_took_the_place_of_ends_the_daemon_and_nothing_is_lost_when_it_is_back,
                        Serving) {
  // In one step: the daemon, which looks all the time, must not see that there is none.
  fs::path const away = daemon.folder() / "away";
  fs::create_directories(away / "shared");
  BOOST_REQUIRE(::renameat2(AT_FDCWD, away.c_str(), AT_FDCWD, data().c_str(), RENAME_EXCHANGE) == 0);
  std::uint64_t const answers = insert_until_it_ends();
  ended_telling("another folder was put in the place of");
  fs::remove_all(data());
  fs::rename(away, data());
  start();
  for (std::uint64_t i = 0; i < answers; i += std::max<std::uint64_t>(1, answers / 50))
    BOOST_TEST(contains(client->ask("PEEK table=jobs;name=n" + std::to_string(i)), "ROW "));
}

BOOST_FIXTURE_TEST_CASE(whose_lock_is_removed_lets_no_second_daemon_in_and_the_first_ends, Serving) {
  // The daemon is stopped, so that it cannot look.
  daemon.kill(SIGSTOP);
  fs::remove(data() / "shared/lock");
  fs::remove(data() / "lock");
  std::vector<std::string> words = daemon.command_line();
  words.back() += "2";  // another socket
  ChildProcess second{words};
  BOOST_TEST(second.wait().value_or(-1) == 1);
  BOOST_TEST(contains(second.output(), "held by process"), second.output());
  daemon.kill(SIGCONT);
  insert_until_it_ends();
  BOOST_TEST(contains(daemon.output(), "/shared/lock was removed or replaced while it was in use"), daemon.output());
  start();
}

BOOST_FIXTURE_TEST_CASE(whose_segments_are_moved_away_ends_the_daemon, Serving) {
  fs::path const away = daemon.folder() / "away";
  fs::create_directory(away);
  auto const move_all = [](fs::path const& from, fs::path const& to) {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator{from}) files.push_back(entry.path());
    for (fs::path const& file : files)
      if (file.filename() != "lock") fs::rename(file, to / file.filename());
  };
  move_all(data() / "shared", away);
  std::uint64_t const answers = insert_until_it_ends();
  ended_telling("was moved away while it was in use");
  BOOST_TEST(!starts());
  move_all(away, data() / "shared");
  start();
  for (std::uint64_t i = 0; i < answers; i += std::max<std::uint64_t>(1, answers / 50))
    BOOST_TEST(contains(client->ask("PEEK table=jobs;name=n" + std::to_string(i)), "ROW "));
}

BOOST_FIXTURE_TEST_CASE(whose_segments_are_removed_ends_the_daemon, Serving) {
  for (auto const& entry : fs::directory_iterator{data() / "shared"})
    if (entry.path().filename().string().starts_with("container-")) fs::remove(entry.path());
  insert_until_it_ends();
  ended_telling("/shared/container-00000");
  // The rest is not made into an empty journal.
  BOOST_TEST(!starts());
  BOOST_TEST(contains(daemon.output(), "newest says that there is a segment of generation"), daemon.output());
}

// Bytes outside the logs are acknowledged as synced, too.
BOOST_AUTO_TEST_CASE(whose_files_of_bytes_are_removed_or_moved_ends_the_daemon) {
  for (int how = 0; how < 4; ++how) {
    Serving serving;
    serving.stop();
    serving.daemon.write_table("jobs", "<spill>16KiB</spill>");
    serving.start();
    std::string const payload(20'000, 'x');
    BOOST_REQUIRE(contains(serving.client->ask("INSERT table=jobs;name=a;payload=" + payload), "INSERTED"));
    fs::path const folder = serving.data() / "bytes/jobs";
    BOOST_REQUIRE(fs::exists(folder / "data.000001"));
    fs::path const away = serving.daemon.folder() / "away";
    if (how == 0) fs::rename(folder, away);
    if (how == 1) fs::remove(folder / "data.000001");
    if (how == 2) fs::rename(folder / "lock", away);
    if (how == 3) fs::rename(folder / "data.000001", away);
    std::uint64_t const answers = serving.insert_until_it_ends(";payload=" + payload);
    BOOST_TEST_MESSAGE(answers << " answers");
    BOOST_TEST(contains(serving.daemon.output(), "table jobs: "), serving.daemon.output());
    BOOST_TEST(contains(serving.daemon.output(), "while it was in use"), serving.daemon.output());
    BOOST_TEST(contains(serving.daemon.output(), "; nothing more is acknowledged"), serving.daemon.output());
    // Once it is back, nothing is lost.
    if (how == 0) fs::rename(away, folder);
    if (how == 3) fs::rename(away, folder / "data.000001");
    if (how == 1) {
      BOOST_TEST(!serving.starts());
      BOOST_TEST(contains(serving.daemon.output(), "data.000001: the file is gone"), serving.daemon.output());
      continue;
    }
    serving.start();
    for (std::uint64_t i = 0; i < answers; i += std::max<std::uint64_t>(1, answers / 50))
      BOOST_TEST(contains(serving.client->ask("PEEK table=jobs;name=n" + std::to_string(i)), payload));
  }
}

// Who may write there could put another socket in its place.
BOOST_AUTO_TEST_CASE(folders_made_for_a_socket_are_its_owners_whatever_the_umask) {
  RealDaemon daemon{""};
  fs::path const folder = daemon.folder() / "run/deep";
  mode_t const mask = ::umask(0);
  bool const is_there = daemon.start({"--listen", "unix:" + (folder / "socket").string()});
  ::umask(mask);
  BOOST_REQUIRE_MESSAGE(is_there, daemon.output());
  for (fs::path const& one : {folder, folder.parent_path()})
    BOOST_TEST(static_cast<unsigned>(fs::status(one).permissions()) == 0755U, one);
  daemon.kill(SIGTERM);
  BOOST_TEST(daemon.wait().value_or(-1) == 0);
}

BOOST_FIXTURE_TEST_CASE(that_lost_its_log_is_not_begun_anew, Serving) {
  stop();
  fs::rename(data() / "shared", daemon.folder() / "away");
  BOOST_TEST(!starts());
  BOOST_TEST(contains(daemon.output(), "log shared was here and is gone"), daemon.output());
  fs::rename(daemon.folder() / "away", data() / "shared");
  start();
}

// A log on another disk: used, watched, missed and copied there. Its segments are rounded up.
BOOST_AUTO_TEST_CASE(that_has_a_log_elsewhere) {
  Serving serving;
  serving.stop();
  fs::path const far = serving.daemon.folder() / "far";
  serving.daemon.write("fastjournal.xml", "<fastjournal><log name=\"far\" folder=\"" + far.string() +
                                              "\" container-size=\"600001\"/><log name=\"near\" "
                                              "folder=\"disks/near\" container-size=\"4096\"/></fastjournal>\n");
  serving.daemon.write_table("jobs", "<log name=\"far\"/>");
  serving.daemon.write_table("other", "<log name=\"near\"/>");
  // Another log than before.
  fs::remove_all(serving.data());
  serving.start();
  BOOST_REQUIRE(contains(serving.client->ask("INSERT table=jobs;name=a"), "INSERTED"));
  BOOST_REQUIRE(contains(serving.client->ask("INSERT table=other;name=b"), "INSERTED"));
  BOOST_TEST(fs::file_size(far / "container-000001") == 602'112U);
  BOOST_TEST(fs::file_size(serving.data() / "disks/near/container-000001") == 524'288U);
  BOOST_TEST(!fs::exists(serving.data() / "far"));
  ToolRan const copied = run_tool({"backup", serving.daemon.folder() / "copy", "--server",
                                   "unix:" + (serving.daemon.folder() / "socket").string()});
  BOOST_TEST(copied.code == 0, copied.output);
  BOOST_TEST(fs::exists(serving.daemon.folder() / "copy/far/container-000001"));
  ToolRan const verified = run_tool({"log", "verify", "--config", serving.daemon.folder() / "fastjournal.xml"});
  BOOST_TEST(contains(verified.output, far.string()), verified.output);
  serving.stop();
  // The size of a log that is there stays, and that is told.
  serving.daemon.write("fastjournal.xml", "<fastjournal><log name=\"far\" folder=\"" + far.string() +
                                              "\" container-size=\"1MiB\"/><log name=\"near\" "
                                              "folder=\"disks/near\" container-size=\"4096\"/></fastjournal>\n");
  serving.start();
  BOOST_TEST(contains(serving.daemon.output(), "log far: container-size is 1048576 bytes, and its files have 602112"),
             serving.daemon.output());
  BOOST_TEST(!contains(serving.daemon.output(), "log near: container-size"), serving.daemon.output());
  BOOST_TEST(contains(serving.client->ask("PEEK table=jobs;name=a"), "ROW "));
  BOOST_TEST(contains(serving.client->ask("PEEK table=other;name=b"), "ROW "));
  // Its disk goes away.
  fs::path const away = serving.daemon.folder() / "away";
  fs::rename(far, away);
  serving.insert_until_it_ends();
  BOOST_TEST(contains(serving.daemon.output(), "; nothing more is acknowledged"), serving.daemon.output());
  BOOST_TEST(!serving.starts());
  BOOST_TEST(contains(serving.daemon.output(), far.string() + ": log far was here and is gone"),
             serving.daemon.output());
  fs::rename(away, far);
  serving.start();
  BOOST_TEST(contains(serving.client->ask("PEEK table=jobs;name=a"), "ROW "));
}

// Its disk is not mounted: the folder is empty, or is not there.
BOOST_AUTO_TEST_CASE(that_was_used_and_is_empty_is_not_begun_anew) {
  Serving serving;
  std::string const state = serving.daemon.folder() / "state";
  serving.stop();
  serving.start({"--state", state});
  BOOST_REQUIRE(contains(serving.client->ask("INSERT table=jobs;name=a"), "INSERTED"));
  serving.stop();
  fs::rename(serving.data(), serving.daemon.folder() / "away");
  for (bool const is_there : {false, true}) {
    if (is_there) fs::create_directory(serving.data());
    BOOST_TEST(!serving.daemon.start({"--state", state}));
    BOOST_TEST(contains(serving.daemon.output(), "is its disk mounted?"), serving.daemon.output());
    BOOST_TEST(fs::exists(serving.data()) == is_there);
    if (is_there) BOOST_TEST(fs::is_empty(serving.data()));
  }
  serving.start({"--state", state, "--new-data"});
  serving.stop();
  BOOST_TEST(!serving.daemon.start({"--state", state, "--new-data"}));
  BOOST_TEST(contains(serving.daemon.output(), "leave it out"), serving.daemon.output());
  serving.running = false;
  // The disk is back.
  fs::remove_all(serving.data());
  fs::rename(serving.daemon.folder() / "away", serving.data());
  serving.start({"--state", state});
  BOOST_TEST(contains(serving.client->ask("PEEK table=jobs;name=a"), "ROW "));
}

BOOST_AUTO_TEST_CASE(with_other_things_in_it_is_used_only_when_somebody_says_so) {
  Serving serving;
  serving.stop();
  fs::remove_all(serving.data());
  fs::create_directories(serving.data() / "etc");
  BOOST_TEST(!serving.starts());
  BOOST_TEST(contains(serving.daemon.output(), "there are other things (etc): is it the right one?"),
             serving.daemon.output());
  BOOST_TEST(!fs::exists(serving.data() / "shared"));
  serving.start({"--create"});
  serving.stop();
  // From then on the folder is its own.
  serving.start();
}

BOOST_FIXTURE_TEST_CASE(with_a_pipe_or_a_link_in_it_hangs_no_start_and_harms_nobody, Serving) {
  stop();
  fs::rename(data() / "shared/container-000001", daemon.folder() / "container");
  BOOST_REQUIRE(::mkfifo((data() / "shared/container-000001").c_str(), 0600) == 0);
  BOOST_TEST(!starts());
  BOOST_TEST(contains(daemon.output(), "container-000001: this is no file"), daemon.output());
  fs::remove(data() / "shared/container-000001");
  fs::rename(daemon.folder() / "container", data() / "shared/container-000001");
  daemon.write("precious", "kept");
  fs::remove(data() / "shared/lock");
  fs::create_symlink(daemon.folder() / "precious", data() / "shared/lock");
  BOOST_TEST(!starts());
  BOOST_TEST(contains(daemon.output(), "shared/lock"), daemon.output());
  BOOST_TEST(bytes_of(daemon.folder() / "precious") == "kept");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test
