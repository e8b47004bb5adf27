#include "tests/bench/many_tables.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/measure.h"
#include "tests/bench/round_trips.h"
#include "tests/integration/daemon.h"

namespace fastjournal::bench {
namespace {

constexpr std::array<std::size_t, 4> kTableCounts{1, 100, 1'000, 10'000};
constexpr std::array kTypes{"jobs", "values", "post", "blobs", "docs"};
constexpr std::string_view kLeaseAndDone = "lease + done";
constexpr std::size_t kPayloadBytes = 100;
// Commands of the lines that fill the tables, on their way at one time.
constexpr std::size_t kTogether = 256;

std::string payload() { return std::string(kPayloadBytes, 'x'); }

// A line of the first answer; throws if it is no such word.
std::size_t expect(std::string_view bytes, std::string_view word) {
  std::size_t const end = bytes.find('\n');
  if (end == std::string_view::npos) return 0;
  if (!bytes.starts_with(word)) refused(bytes.substr(0, end));
  return end + 1;
}

Speech one_line(std::string name, std::string line, std::string_view answer) {
  Speech out;
  out.name = std::move(name);
  out.request = [line = std::move(line)](std::uint64_t number, std::string const&, std::string& to) {
    to += fmt::format(fmt::runtime(line), number, payload()) + "\n";
  };
  out.answer = [answer](std::string_view bytes, std::string&) { return expect(bytes, answer); };
  return out;
}

// A parameter of an answer's first line, with its name.
std::string field_of(std::string_view line, std::string_view name) {
  std::size_t const at = line.find(name);
  return std::string{line.substr(at, line.find_first_of(";\n", at) - at)};
}

// The row of the last answer is done, and another one leased.
Speech lease_and_done() {
  Speech out;
  out.name = kLeaseAndDone;
  out.request = [](std::uint64_t, std::string const& taken, std::string& to) {
    to += taken.empty() ? "NEXT table=jobs0\n" : "DONE table=jobs0;" + taken + "\nNEXT table=jobs0\n";
  };
  out.answer = [](std::string_view bytes, std::string& taken) -> std::size_t {
    std::size_t const done = taken.empty() ? 0 : expect(bytes, "COMPLETED ");
    if (!taken.empty() && done == 0) return 0;
    std::string_view const rest = bytes.substr(done);
    std::size_t const row = expect(rest, "ROW ");
    if (row == 0) return 0;
    taken = field_of(rest, "row=") + ";" + field_of(rest, "epoch=");
    return done + row;
  };
  return out;
}

// The document of the last answer is sent, and another one found.
Speech sent_and_found() {
  Speech out;
  out.name = "SENT + FOUND";
  out.request = [](std::uint64_t number, std::string const& taken, std::string& to) {
    if (!taken.empty())
      to += fmt::format("SENDING table=docs0;destination=index;{0}\nSENT table=docs0;destination=index;{0}\n", taken);
    to += fmt::format("FOUND table=docs0;source=pages;uri=/{};hash=h\n", number);
  };
  out.answer = [](std::string_view bytes, std::string& taken) -> std::size_t {
    std::size_t done = 0;
    for (std::string_view const word : {"RUN ", "RECORDED "}) {
      if (taken.empty()) break;
      std::size_t const line = expect(bytes.substr(done), word);
      if (line == 0) return 0;
      done += line;
    }
    std::string_view const rest = bytes.substr(done);
    std::size_t const found = expect(rest, "DOCUMENT ");
    if (found != 0) taken = field_of(rest, "document=") + ";" + field_of(rest, "token=");
    return found == 0 ? 0 : done + found;
  };
  return out;
}

class ManyTables {
 public:
  explicit ManyTables(std::size_t tables) : each_(std::max<std::size_t>(1, tables / kTypes.size())) {
    std::filesystem::remove(daemon_.folder() / "tables/jobs.xml");
    daemon_.write("plan.xml",
                  R"(<plan name="bench" version="1"><source name="pages"/>)"
                  R"(<step name="index" after="pages" kind="idempotent" guarantee="at-least-once"/></plan>)");
    for (std::size_t i = 0; i < each_; ++i) {
      daemon_.write_table(fmt::format("jobs{}", i), "");
      daemon_.write(fmt::format("tables/values{}.xml", i),
                    fmt::format("<table name=\"values{}\" model=\"keyvalue\"/>", i));
      daemon_.write(fmt::format("tables/post{}.xml", i),
                    fmt::format("<table name=\"post{}\" model=\"queue\"><queues>bench</queues></table>", i));
      daemon_.write(fmt::format("tables/blobs{}.xml", i), fmt::format("<table name=\"blobs{}\" model=\"blob\"/>", i));
      daemon_.write(fmt::format("tables/docs{}.xml", i),
                    fmt::format("<table name=\"docs{}\" type=\"pipeline\"><plan>../plan.xml</plan></table>", i));
    }
    start();
    fill();
  }
  ~ManyTables() { stop(); }
  ManyTables(ManyTables const&) = delete;
  ManyTables& operator=(ManyTables const&) = delete;

  [[nodiscard]] std::string address() const { return daemon_.local(); }
  [[nodiscard]] std::size_t tables() const { return each_ * kTypes.size(); }
  [[nodiscard]] double start_seconds() const { return start_seconds_; }
  [[nodiscard]] std::uint64_t resident_bytes() {
    std::ifstream in{fmt::format("/proc/{}/statm", daemon_.child().pid())};
    std::uint64_t whole = 0;
    std::uint64_t resident = 0;
    in >> whole >> resident;
    return resident * 4096;
  }
  // STATS of all tables.
  double stats_seconds() {
    test::LineClient client{address()};
    auto const began = std::chrono::steady_clock::now();
    if (!client.send("STATS\nALIVE\n")) refused("STATS");
    while (auto const line = client.read_line())
      if (line->starts_with("ABSOLUTELY")) return seconds_since(began);
    refused("no answer to STATS");
  }
  void start_again() {
    stop();
    start();
  }

 private:
  void start() {
    auto const began = std::chrono::steady_clock::now();
    if (!daemon_.start()) refused(daemon_.output());
    start_seconds_ = seconds_since(began);
  }
  void stop() {
    daemon_.kill(SIGTERM);
    static_cast<void>(daemon_.wait());
  }
  // A row in each.
  void fill() {
    test::LineClient client{address()};
    std::string lines;
    std::size_t open = 0;
    for (std::size_t i = 0; i < each_; ++i) {
      lines += fmt::format(
          "INSERT table=jobs{0};name=a;payload=x\nSET table=values{0};key=a;value=x\n"
          "SEND table=post{0};queue=bench;body=x\nPUT table=blobs{0};key=a;data=eA==\n"
          "FOUND table=docs{0};source=pages;uri=/a;hash=h\n",
          i);
      open += kTypes.size();
      if (open < kTogether && i + 1 < each_) continue;
      if (!client.send(lines)) refused("the connection is gone");
      for (lines.clear(); open > 0; --open) {
        auto const line = client.read_line();
        if (!line || line->starts_with("ERROR") || line->starts_with("REFUSED")) refused(line.value_or("no answer"));
      }
    }
  }

  test::RealDaemon daemon_{""};
  std::size_t each_;  // of each type
  double start_seconds_{0};
};

}  // namespace

void run_many_tables(Settings const& settings) {
  std::vector<std::unique_ptr<ManyTables>> daemons;
  for (std::size_t const tables : kTableCounts) daemons.push_back(std::make_unique<ManyTables>(tables));
  std::vector<Speech> const speeches{
      one_line("insert", "INSERT table=jobs0;name=n{};payload={}", "INSERTED "),
      lease_and_done(),
      one_line("SET", "SET table=values0;key=k{};value={}", "STORED "),
      one_line("SEND", "SEND table=post0;queue=bench;body={1}", "SENT "),
      one_line("PUT", "PUT table=blobs0;key=k{};data={}", "STORED "),
      one_line("GET", "GET table=blobs0;key=a;data=1", "BLOB "),
      sent_and_found(),
  };
  std::uint64_t number = 0;
  for (std::size_t const connections : {std::size_t{1}, std::size_t{64}}) {
    fmt::print("\n{} connections with one request each; medians of {} rounds of {} s, in turn\n{:<16}", connections,
               settings.rounds, settings.seconds, "");
    for (auto const& daemon : daemons) fmt::print("{:>13} tables{:>8}", daemon->tables(), "");
    fmt::print("\n");
    for (Speech const& speech : speeches) {
      std::vector<Contender> contenders;
      for (auto const& daemon : daemons)
        contenders.push_back({.speech = speech, .address = daemon->address(), .rates = {}, .latency_us = {}});
      bool const leases = speech.name == kLeaseAndDone;
      for (std::uint32_t round = 0; round < settings.rounds; ++round) {
        // A row that is leased was inserted before: by rounds that do not count.
        std::vector<Contender> before;
        for (auto const& daemon : daemons)
          before.push_back({.speech = speeches.front(), .address = daemon->address(), .rates = {}, .latency_us = {}});
        if (leases) run_round(before, connections, settings.seconds, number);
        run_round(contenders, connections, leases ? settings.seconds / 2 : settings.seconds, number);
      }
      fmt::print("{:<16}", speech.name);
      double const one = median(contenders.front().rates);
      for (Contender const& contender : contenders)
        fmt::print("{:>12.0f}/s  {:>5.2f} x    ", median(contender.rates), one / median(contender.rates));
      fmt::print("\n");
    }
  }
  fmt::print("\n{:<16}{:>16}{:>16}{:>16}{:>16}\n", "", "resident MiB", "KiB a table", "STATS, ms", "next start, s");
  double const base = static_cast<double>(daemons.front()->resident_bytes());
  for (auto const& daemon : daemons) {
    double const bytes = static_cast<double>(daemon->resident_bytes());
    double const stats = daemon->stats_seconds();
    daemon->start_again();
    fmt::print("{:<16}{:>16.1f}{:>16.1f}{:>16.1f}{:>16.2f}\n", fmt::format("{} tables", daemon->tables()),
               bytes / 1048576,
               (bytes - base) / 1024 / static_cast<double>(std::max<std::size_t>(1, daemon->tables() - kTypes.size())),
               stats * 1000, daemon->start_seconds());
  }
}

}  // namespace fastjournal::bench
