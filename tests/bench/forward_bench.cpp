// The way of a row from a producer's save to the daemon, with the real programs: how long it takes on an idle computer,
// and how many rows a second the forwarder brings over, beside one client that sends as many in batches, in one run.
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "clients/cpp/journal.h"
#include "clients/cpp/socket.h"
#include "clients/spool/core/spool.h"
#include "fastjournal/histogram.h"
#include "fastjournal/protocol.h"
#include "tests/bench/measure.h"
#include "tests/bench/peers/program.h"
#include "tests/support/child_process.h"
#include "wire/framer.h"
#include "wire/msgpack.h"

namespace fastjournal::bench {
namespace forward_bench {

namespace fs = std::filesystem;

constexpr std::size_t kInFlight = 4096;

struct Settings {
  std::string folder{"/tmp"};
  std::uint64_t rows{500'000};
  std::uint64_t singles{2'000};
  int rounds{3};
};

// A daemon of its own, whose rows go with the folder.
class Daemon {
 public:
  explicit Daemon(fs::path root) : root_(std::move(root)) {
    std::vector<std::string> const words = daemon_words(root_, address());
    for (std::string const name : {"way", "sent", "forwarded"})
      std::ofstream{root_ / "tables" / (name + ".xml")}
          << "<table name=\"" << name << "\" model=\"journal\" row-key=\"name\">\n<schema>\n"
          << "<column name=\"name\" type=\"string\" required=\"true\"/>\n<column name=\"payload\" type=\"string\"/>\n"
          << "</schema>\n</table>\n";
    child_ = std::make_unique<test::ChildProcess>(words);
    if (!child_->wait_for_line("ready")) fail("the daemon did not start: " + child_->output());
  }
  [[nodiscard]] std::string address() const { return "unix:" + (root_ / "socket").string(); }
  // Processor time so far.
  [[nodiscard]] double seconds() const { return processor_seconds(child_->pid()); }

 private:
  fs::path root_;
  std::unique_ptr<test::ChildProcess> child_;
};

// Views of `table` and `name`.
Message row_of(std::string_view table, std::string_view name) {
  static std::string const kPayload(60, 'x');
  Message out = spool::Spool::row_of(table);
  out.set("name", name);
  out.set("payload", std::string_view{kPayload});
  return out;
}

// From the call of save to the notice that the row is due, which leaves the daemon once the row is durable.
Histogram measure_way(Settings const& settings, Daemon const& daemon, std::string const& folder) {
  auto const connection = take(client::Connection::open({.server = daemon.address()}));
  client::Journal journal{*connection, "way"};
  if (Status listening = journal.listen({.mode = client::ListenMode::row}); !listening.ok()) fail(listening.text());
  auto const spool = take(spool::Spool::open({.folder = folder}));
  test::ChildProcess forwarder{{FJ_BINARY_DIR "/bin/fastjournal-client", folder, "--server", daemon.address()}};
  Histogram out;
  for (std::uint64_t i = 0; i < settings.singles + 20; ++i) {
    std::string const name = std::to_string(i);
    auto const begin = Clock::now();
    if (Status saved = spool->save(row_of("way", name)); !saved.ok()) fail(saved.text());
    if (auto notice = client::wait_notice(*connection, std::chrono::milliseconds{20'000}); !notice.ok())
      fail(notice.status().text() + "\n" + forwarder.output());
    auto const us = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
    // The first ones wait for the forwarder to start.
    if (i >= 20) out.add(static_cast<std::uint64_t>(us));
  }
  forwarder.kill(SIGTERM);
  static_cast<void>(forwarder.wait());
  return out;
}

// One client: frames that are made before, as many in flight as the forwarder has.
double measure_client(Settings const& settings, Daemon const& daemon, int round) {
  std::vector<std::string> frames;
  std::string const client = fmt::format("bench-{}-{}", ::getpid(), round);
  for (std::uint64_t i = 0; i < settings.rows; ++i) {
    std::string const name = fmt::format("{}-{}", round, i);
    Message row = row_of("sent", name);
    row.set("client", std::string_view{client});
    row.set_integer("sequence", static_cast<std::int64_t>(i + 1));
    row.set_integer("request", static_cast<std::int64_t>(i + 1));
    frames.emplace_back();
    protocol::append_frame({.command = row.command, .params = row.params()}, frames.back());
  }
  client::Socket socket =
      take(client::Socket::connect(daemon.address(), -1, client::moment_after(std::chrono::seconds{5})));
  protocol::Framer framer{{}};
  std::string in;
  std::string out;
  std::vector<char> buffer(std::size_t{256} << 10U);
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  auto const begin = Clock::now();
  while (answered < settings.rows) {
    while (sent < settings.rows && sent - answered < kInFlight) out += frames[sent++];
    std::size_t const took = take(socket.send(out));
    out.erase(0, took);
    std::size_t const got = take(socket.receive(buffer));
    in.append(buffer.data(), got);
    std::size_t at = 0;
    for (;;) {
      protocol::Framer::Piece const piece = framer.next(std::string_view{in}.substr(at));
      if (piece.kind == protocol::Framer::Kind::need_more) break;
      at += piece.consumed;
      ++answered;
    }
    in.erase(0, at);
    if (took == 0 && got == 0 && answered < settings.rows)
      static_cast<void>(client::wait_for(socket.fd(), !out.empty(), -1, client::moment_after(std::chrono::seconds{5})));
  }
  return static_cast<double>(settings.rows) / seconds_since(begin);
}

// The start of the forwarder counts too.
double measure_forwarder(Settings const& settings, Daemon const& daemon, std::string const& folder, int round) {
  auto const spool = take(spool::Spool::open({.folder = folder, .file_bytes_max = std::size_t{1} << 40U}));
  for (std::uint64_t i = 0; i < settings.rows; ++i)
    if (Status saved = spool->save(row_of("forwarded", fmt::format("{}-{}", round, i))); !saved.ok())
      fail(saved.text());
  if (Status synced = spool->sync(); !synced.ok()) fail(synced.text());
  auto const begin = Clock::now();
  test::ChildProcess forwarder{
      {FJ_BINARY_DIR "/bin/fastjournal-client", folder, "--server", daemon.address(), "--file-size", "1TiB", "--once"}};
  if (forwarder.wait(std::chrono::milliseconds{300'000}).value_or(-1) != 0) fail(forwarder.output());
  return static_cast<double>(settings.rows) / seconds_since(begin);
}

// Processor time of ended children.
double child_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_CHILDREN, &use);
  auto const seconds = [](timeval const& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

struct Figures {
  double rows_per_s{0};
  double daemon_us{0};  // of processor time, a row
  double own_us{0};     // of processes that ended
};

}  // namespace forward_bench

int measure_forward(int count, char** words) {
  using namespace forward_bench;
  Settings settings;
  CLI::App app{"the way of a row through a spool, with the real programs"};
  app.add_option("--folder", settings.folder, "where the spool and the daemon's data are made")->capture_default_str();
  app.add_option("--rows", settings.rows, "of each round")->capture_default_str();
  app.add_option("--singles", settings.singles, "saved one by one on the idle computer; 0: none")
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds)->check(CLI::Range(1, 99))->capture_default_str();
  CLI11_PARSE(app, count, words);
  std::string root = settings.folder + "/fastjournal-forward.XXXXXX";
  if (::mkdtemp(root.data()) == nullptr) fail("no folder in " + settings.folder);
  {
    Daemon const daemon{root};
    if (settings.singles > 0) {
      Histogram const way = measure_way(settings, daemon, root + "/way");
      fmt::print("save to durable   p50 {} us, p99 {} us, max {} us, of {} rows one by one\n", way.percentile(50),
                 way.percentile(99), way.percentile(100), way.count());
    }
    std::vector<double> sent;
    std::vector<double> forwarded;
    for (int round = 0; round < settings.rounds; ++round) {
      // In turns, as the daemon that has fewer rows is quicker.
      Figures client;
      Figures forwarder;
      for (int turn = 0; turn < 2; ++turn) {
        double const before = daemon.seconds();
        double const ended = child_seconds();
        Figures& figures = (round + turn) % 2 == 0 ? client : forwarder;
        figures.rows_per_s = &figures == &client
                                 ? measure_client(settings, daemon, round)
                                 : measure_forwarder(settings, daemon, fmt::format("{}/spool-{}", root, round), round);
        auto const us = [&settings](double seconds) { return seconds * 1e6 / static_cast<double>(settings.rows); };
        figures.daemon_us = us(daemon.seconds() - before);
        figures.own_us = us(child_seconds() - ended);
      }
      sent.push_back(client.rows_per_s);
      forwarded.push_back(forwarder.rows_per_s);
      fmt::print(
          "round {}           one client {:.0f} rows/s, daemon {:.2f} us a row; the forwarder {:.0f} rows/s, daemon "
          "{:.2f} us, {:.2f} us of its own\n",
          round + 1, client.rows_per_s, client.daemon_us, forwarder.rows_per_s, forwarder.daemon_us, forwarder.own_us);
      std::fflush(stdout);
    }
    fmt::print("medians           one client {:.0f} rows/s, the forwarder {:.0f} rows/s: {:.2f}\n", median(sent),
               median(forwarded), median(forwarded) / median(sent));
  }
  std::error_code error;
  fs::remove_all(root, error);
  return 0;
}

}  // namespace fastjournal::bench
