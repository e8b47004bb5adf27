#include "tests/bench/listen_bench.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/histogram.h"

namespace fastjournal::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kWaitingRows = 1'000'000;
constexpr std::uint64_t kDueRows = 20'000;
constexpr double kDueSeconds = 20;
constexpr double kIdleSeconds = 10;
constexpr std::uint64_t kDeliveredRows = 1'000'000;

// A line of figures; names have the unit last.
struct Figures {
  std::string work;
  std::vector<std::pair<std::string, double>> values;
  bool good{true};  // what was measured is what was meant
};

std::int64_t wall_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The value of ` name=` or `;name=` in a line; empty if there is none.
std::string_view value_of(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    std::size_t const from = at + name.size();
    if (at == 0 || (line[at - 1] != ' ' && line[at - 1] != ';') || from >= line.size() || line[from] != '=') continue;
    return line.substr(from + 1, line.find(';', from) - from - 1);
  }
  return {};
}

std::uint64_t number_of(std::string_view line, std::string_view name) {
  std::string_view const text = value_of(line, name);
  return text.empty() ? 0 : std::stoull(std::string{text});
}

// Reads what is there and gives out whole lines.
class Lines {
 public:
  explicit Lines(std::string const& address) : client_(address), buffer_(1U << 18U) {}

  [[nodiscard]] int fd() const { return client_.fd(); }
  void send(std::string const& text) {
    if (!client_.send(text)) throw std::runtime_error("the daemon takes no more");
  }
  // False: the connection is gone.
  bool read(std::function<void(std::string_view)> const& line) {
    ssize_t const got = ::recv(fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN;
    in_.append(buffer_.data(), static_cast<std::size_t>(got));
    std::size_t at = 0;
    while (void const* found = std::memchr(in_.data() + at, '\n', in_.size() - at)) {
      auto const end = static_cast<std::size_t>(static_cast<char const*>(found) - in_.data());
      line(std::string_view{in_}.substr(at, end - at));
      at = end + 1;
    }
    in_.erase(0, at);
    return true;
  }
  // One answer to one line.
  std::string ask(std::string const& text) {
    send(text + "\n");
    std::string answer;
    while (answer.empty()) {
      pollfd ready{fd(), POLLIN, 0};
      if (::poll(&ready, 1, 20'000) <= 0) throw std::runtime_error("no answer to " + text);
      if (!read([&](std::string_view line) {
            if (answer.empty()) answer = line;  // STATS has one for each table as well
          }))
        throw std::runtime_error("the daemon is gone");
    }
    return answer;
  }

 private:
  test::LineClient client_;
  std::vector<char> buffer_;
  std::string in_;
};

// Many INSERTs on one connection, 4096 in flight.
void insert(Lines& lines, std::uint64_t rows, std::function<void(std::uint64_t, std::string&)> const& message) {
  std::string out;
  for (std::uint64_t nr = 0; nr < rows;) {
    out.clear();
    std::uint64_t waiting = 0;
    for (; waiting < 4096 && nr < rows; ++waiting, ++nr) message(nr, out);
    lines.send(out);
    while (waiting > 0) {
      pollfd ready{lines.fd(), POLLIN, 0};
      if (::poll(&ready, 1, 20'000) <= 0) throw std::runtime_error("the daemon does not answer");
      if (!lines.read([&](std::string_view line) {
            --waiting;
            if (!line.starts_with("INSERTED ")) throw std::runtime_error("refused: " + std::string{line});
          }))
        throw std::runtime_error("the daemon is gone");
    }
  }
}

void add_done(std::string_view row, std::string& out) {
  fmt::format_to(std::back_inserter(out), "DONE table=jobs;row={};epoch={}\n", value_of(row, "row"),
                 value_of(row, "epoch"));
}

void add_percentiles(Figures& figures, std::string const& what, Histogram const& histogram) {
  figures.values.emplace_back(what + "_p50_us", static_cast<double>(histogram.percentile(50)));
  figures.values.emplace_back(what + "_p99_us", static_cast<double>(histogram.percentile(99)));
  figures.values.emplace_back(what + "_max_us", static_cast<double>(histogram.max()));
}

// User and system time of the daemon so far, in seconds.
double cpu_seconds(test::RealDaemon& daemon) {
  std::ifstream in{"/proc/" + std::to_string(daemon.child().pid()) + "/stat"};
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  // Fields 14 and 15; the second one, in brackets, may hold anything.
  std::size_t at = text.rfind(')');
  for (int field = 2; field < 13; ++field) at = text.find(' ', at + 1);
  unsigned long user = 0;
  unsigned long system = 0;
  if (std::sscanf(text.c_str() + at, " %lu %lu", &user, &system) != 2) throw std::runtime_error("no CPU time in /proc");
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Rows that are due in more than an hour.
void fill_waiting(test::RealDaemon& daemon, std::uint64_t rows) {
  Lines lines{daemon.local()};
  insert(lines, rows, [](std::uint64_t nr, std::string& out) {
    fmt::format_to(std::back_inserter(out), "INSERT table=jobs;name=waits{};payload=p;process_date=+{}\n", nr,
                   3'600'000 + nr * 7919 % 3'600'000);
  });
}

// Rows that fall due over `seconds`, and one listener of that mode that does them.
Figures measure_lateness(test::RealDaemon& daemon, std::string const& mode, std::uint64_t rows, double seconds) {
  Lines producer{daemon.local()};
  std::int64_t const first = wall_us() / 1000 + 3000;
  insert(producer, rows, [&](std::uint64_t nr, std::string& out) {
    auto const date =
        first + static_cast<std::int64_t>(static_cast<double>(nr) * seconds * 1000 / static_cast<double>(rows));
    fmt::format_to(std::back_inserter(out), "INSERT table=jobs;name={}{};payload=p;process_date={}\n", mode, nr, date);
  });
  bool const deliver = mode == "deliver";
  Lines worker{daemon.local()};
  worker.send("LISTEN table=jobs;mode=" + mode + (deliver ? ";credit=1024\n" : "\n"));
  Histogram late;
  std::uint64_t done = 0;
  std::string out;
  auto const deadline = Clock::now() + std::chrono::duration<double>(seconds + 30);
  while (done < rows && Clock::now() < deadline) {
    pollfd ready{worker.fd(), POLLIN, 0};
    if (::poll(&ready, 1, 10'000) <= 0) break;
    std::int64_t const now = wall_us();
    auto const note = [&](std::int64_t date_ms) {
      late.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - date_ms * 1000)));
    };
    out.clear();
    worker.read([&](std::string_view line) {
      if (line.starts_with("LISTEN ")) {
        note(static_cast<std::int64_t>(number_of(line, "date")));
        out += "NEXT table=jobs;count=64\n";
      } else if (line.starts_with("ROW ")) {
        if (deliver) note(static_cast<std::int64_t>(number_of(line, "process_date")));
        add_done(line, out);
        ++done;
        if (!deliver && number_of(line, "left") == 0) out += "NEXT table=jobs;count=64\n";
      }
    });
    if (!out.empty()) worker.send(out);
  }
  Figures figures{.work = "lateness, mode " + mode, .values = {}, .good = done == rows};
  figures.values.emplace_back("rows", static_cast<double>(done));
  add_percentiles(figures, "client", late);
  std::string const stats = producer.ask("STATS");
  std::string const prefix = deliver ? "deliver_lateness_us_" : "lateness_us_";
  for (char const* what : {"p50", "p99", "max"})
    figures.values.emplace_back("daemon_" + std::string{what} + "_us",
                                static_cast<double>(number_of(stats, prefix + what)));
  return figures;
}

// Nothing is waited for here: time is what is measured.
void let_pass(double seconds) { ::poll(nullptr, 0, static_cast<int>(seconds * 1000)); }

// The daemon's share of a CPU while nothing happens.
Figures measure_idle(test::RealDaemon& daemon, double seconds) {
  let_pass(2);  // stamps, copying forward and the like come to rest
  double const before = cpu_seconds(daemon);
  let_pass(seconds);
  double const spent = cpu_seconds(daemon) - before;
  Figures figures{.work = "idle", .values = {}, .good = true};
  figures.values.emplace_back("seconds", seconds);
  figures.values.emplace_back("cpu_percent", spent / seconds * 100);
  return figures;
}

// Rows that are due, done by connections that listen with mode deliver.
Figures measure_deliver(test::RealDaemon& daemon, std::uint64_t rows, std::uint32_t connections, std::uint32_t credit) {
  Lines producer{daemon.local()};
  insert(producer, rows, [&](std::uint64_t nr, std::string& out) {
    fmt::format_to(std::back_inserter(out), "INSERT table=jobs;name=d{};payload={:x>200}\n", nr, nr);
  });
  std::vector<std::unique_ptr<Lines>> workers;
  std::vector<pollfd> polls;
  for (std::uint32_t i = 0; i < connections; ++i) {
    workers.push_back(std::make_unique<Lines>(daemon.local()));
    polls.push_back({workers.back()->fd(), POLLIN, 0});
  }
  auto const start = Clock::now();
  double const cpu = cpu_seconds(daemon);
  for (auto const& worker : workers) worker->send(fmt::format("LISTEN table=jobs;mode=deliver;credit={}\n", credit));
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::string out;
  while (done + refused < rows) {
    if (::poll(polls.data(), polls.size(), 10'000) <= 0) break;
    for (std::uint32_t i = 0; i < connections; ++i) {
      if (polls[i].revents == 0) continue;
      out.clear();
      workers[i]->read([&](std::string_view line) {
        if (line.starts_with("ROW ")) {
          add_done(line, out);
        } else if (line.starts_with("COMPLETED ")) {
          ++done;
        } else if (line.starts_with("ERROR ")) {
          ++refused;
        }
      });
      if (!out.empty()) workers[i]->send(out);
    }
  }
  double const took = std::chrono::duration<double>(Clock::now() - start).count();
  Figures figures{.work = fmt::format("deliver, {} connections, credit {}", connections, credit),
                  .values = {},
                  .good = done == rows};
  figures.values.emplace_back("rows", static_cast<double>(done));
  figures.values.emplace_back("lease_and_done_per_s", static_cast<double>(done) / took);
  figures.values.emplace_back("daemon_cpu_percent", (cpu_seconds(daemon) - cpu) / took * 100);
  return figures;
}

void print(Figures const& figures, bool json) {
  if (json) {
    nlohmann::json line{{"work", figures.work}, {"good", figures.good}};
    for (auto const& [name, value] : figures.values) line[name] = value;
    fmt::print("{}\n", line.dump());
    return;
  }
  fmt::print("{}{}\n", figures.work, figures.good ? "" : " (NOT WHAT WAS MEANT)");
  for (auto const& [name, value] : figures.values) fmt::print("  {:<24} {:>12.1f}\n", name, value);
}

}  // namespace

std::string listening_works() {
  return "lateness (of wakes and delivered rows), idle (the daemon's CPU), both with a million rows that wait; deliver "
         "(lease + "
         "done)";
}

bool run_listening(test::RealDaemon& daemon, std::string const& work, bool json) {
  std::vector<Figures> all;
  if (work == "deliver") {
    for (std::uint32_t const credit : {32U, 256U}) all.push_back(measure_deliver(daemon, kDeliveredRows, 8, credit));
  } else {
    fill_waiting(daemon, kWaitingRows);
    if (work == "idle") all.push_back(measure_idle(daemon, kIdleSeconds));
    if (work == "lateness")
      for (char const* mode : {"wake", "deliver"}) all.push_back(measure_lateness(daemon, mode, kDueRows, kDueSeconds));
  }
  bool good = true;
  for (Figures const& figures : all) {
    print(figures, json);
    good = good && figures.good;
  }
  daemon.kill(SIGTERM);
  return daemon.wait() == 0 && good;
}

}  // namespace fastjournal::bench
