// Key/value tables by the FJ protocol beside redis-server and memcached, in one run: GET and SET of 100 bytes under keys of
// 20, over unix sockets, by 1 and 50 connections with 1 and 32 requests under way; memory a pair; ranges, and a regular
// expression over all keys. One driver for all: it speaks each one's own protocol.
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "clients/cpp/socket.h"
#include "tests/bench/measure.h"
#include "tests/bench/peers/program.h"
#include "tests/support/child_process.h"
#include "wire/fj/frame.h"

namespace fastjournal::bench {
namespace pairs_bench {

namespace fs = std::filesystem;

constexpr std::size_t kValueBytes = 100;
constexpr std::size_t kReplyBytesMax = std::size_t{1} << 26U;

struct Settings {
  std::string folder{"/tmp"};
  std::uint64_t keys{100'000};
  double seconds{1.0};
  int rounds{3};
  std::uint64_t memory{0};
  bool scans{false};
  std::string only{};
};

std::string key_of(std::uint64_t number) { return fmt::format("key:{:016}", number); }

// ---------------------------------------------------------------------------
// Protocols

struct Speech {
  std::function<void(std::string const& key, std::string& out)> get;
  std::function<void(std::string const& key, std::string_view value, std::string& out)> set;
  // Bytes of the first reply; 0: it is not whole.
  std::function<std::size_t(std::string_view bytes)> reply_bytes;
};

std::size_t line_end(std::string_view bytes, std::size_t from) {
  std::size_t const at = bytes.find("\r\n", from);
  return at == std::string_view::npos ? 0 : at + 2;
}

Speech fj_speech(bool persist) {
  Speech out;
  out.get = [](std::string const& key, std::string& to) {
    fj::write({.function = static_cast<std::uint16_t>(fj::Function::get), .flags = fj::flag::kData, .key = key}, to);
  };
  out.set = [persist](std::string const& key, std::string_view value, std::string& to) {
    auto const flags = static_cast<std::uint16_t>(fj::flag::kOverwrite | (persist ? fj::flag::kPersist : 0));
    fj::write({.function = static_cast<std::uint16_t>(fj::Function::set),
               .flags = flags,
               .key = key,
               .value = fj::TypedValue{1, value}},
              to);
  };
  out.reply_bytes = [](std::string_view bytes) -> std::size_t {
    fj::Reply reply;
    fj::Cut const cut = fj::read(bytes, kReplyBytesMax, reply);
    if (cut.kind == fj::Cut::Kind::broken) fail("a broken reply: " + cut.problem);
    if (cut.kind == fj::Cut::Kind::need_more) return 0;
    if (reply.error) fail("refused: " + std::string{*reply.error});
    return static_cast<std::size_t>(cut.bytes);
  };
  return out;
}

Speech redis_speech() {
  Speech out;
  out.get = [](std::string const& key, std::string& to) {
    to += fmt::format("*2\r\n$3\r\nGET\r\n${}\r\n{}\r\n", key.size(), key);
  };
  out.set = [](std::string const& key, std::string_view value, std::string& to) {
    to += fmt::format("*3\r\n$3\r\nSET\r\n${}\r\n{}\r\n${}\r\n{}\r\n", key.size(), key, value.size(), value);
  };
  out.reply_bytes = [](std::string_view bytes) -> std::size_t {
    std::size_t const end = line_end(bytes, 0);
    if (end == 0) return 0;
    if (bytes[0] == '-') fail("refused: " + std::string{bytes.substr(0, end)});
    if (bytes[0] != '$') return end;
    long size = 0;
    std::from_chars(bytes.data() + 1, bytes.data() + end, size);
    if (size < 0) fail("redis has not this key");
    std::size_t const whole = end + static_cast<std::size_t>(size) + 2;
    return whole <= bytes.size() ? whole : 0;
  };
  return out;
}

Speech memcached_speech() {
  Speech out;
  out.get = [](std::string const& key, std::string& to) { to += fmt::format("get {}\r\n", key); };
  out.set = [](std::string const& key, std::string_view value, std::string& to) {
    to += fmt::format("set {} 0 0 {}\r\n{}\r\n", key, value.size(), value);
  };
  out.reply_bytes = [](std::string_view bytes) -> std::size_t {
    std::size_t const end = line_end(bytes, 0);
    if (end == 0) return 0;
    std::string_view const line = bytes.substr(0, end);
    if (line.starts_with("STORED")) return end;
    if (!line.starts_with("VALUE ")) fail("memcached: " + std::string{line});
    long size = 0;
    std::from_chars(line.data() + line.rfind(' ') + 1, line.data() + end - 2, size);
    std::size_t const whole = end + static_cast<std::size_t>(size) + 2 + 5;  // END
    return whole <= bytes.size() ? whole : 0;
  };
  return out;
}

// ---------------------------------------------------------------------------
// Programs

class Program {
 public:
  Program(std::string title, std::vector<std::string> const& words, std::string socket, Speech spoken)
      : name(std::move(title)), path(std::move(socket)), speech(std::move(spoken)) {
    child_ = std::make_unique<test::ChildProcess>(words);
    Clock::time_point const until = Clock::now() + std::chrono::seconds{20};
    while (!connects()) {
      if (Clock::now() > until) fail(name + " did not start: " + child_->output());
      ::poll(nullptr, 0, 20);
    }
  }
  // The same process by another table or another promise.
  Program(std::string title, Program const& other, std::string socket, Speech spoken)
      : name(std::move(title)), path(std::move(socket)), speech(std::move(spoken)), child_(other.child_) {}

  [[nodiscard]] client::Socket connect() const {
    return take(client::Socket::connect("unix:" + path, -1, client::moment_after(std::chrono::seconds{5})));
  }
  [[nodiscard]] double cpu_seconds() const { return processor_seconds(child_->pid()); }
  [[nodiscard]] std::uint64_t resident_bytes() const { return bench::resident_bytes(child_->pid()); }

  std::string name;
  std::string path;
  Speech speech;

 private:
  [[nodiscard]] bool connects() const {
    return client::Socket::connect("unix:" + path, -1, client::moment_after(std::chrono::milliseconds{200})).ok();
  }
  std::shared_ptr<test::ChildProcess> child_;
};

// ---------------------------------------------------------------------------
// The driver

struct Connection {
  client::Socket socket;
  std::string out;
  std::string in;
  std::size_t in_flight{0};
};

// `fill` appends one request. So many are under way on each connection until `done` says so; returns how many replies came.
class Driver {
 public:
  Driver(Program const& program, std::size_t connections) : program_(program), all_(connections) {
    for (Connection& one : all_) one.socket = program.connect();
  }

  std::uint64_t run(std::size_t depth, std::function<bool(std::string&)> const& fill) {
    std::uint64_t replies = 0;
    std::vector<pollfd> polled(all_.size());
    std::vector<char> buffer(1U << 18U);
    bool ends = false;
    for (Connection& one : all_) ends = !ask(one, depth, fill) || ends;
    for (;;) {
      std::size_t open = 0;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        polled[i] = {all_[i].socket.fd(), static_cast<short>(POLLIN | (all_[i].out.empty() ? 0 : POLLOUT)), 0};
        open += all_[i].in_flight;
      }
      if (open == 0) return replies;
      if (::poll(polled.data(), polled.size(), 20'000) <= 0) fail(program_.name + " does not answer");
      for (std::size_t i = 0; i < all_.size(); ++i) {
        Connection& one = all_[i];
        if ((polled[i].revents & POLLOUT) != 0) send(one);
        if ((polled[i].revents & (POLLIN | POLLHUP)) == 0) continue;
        one.in.append(buffer.data(), take(one.socket.receive(buffer)));
        std::size_t at = 0;
        while (std::size_t const bytes = program_.speech.reply_bytes(std::string_view{one.in}.substr(at))) {
          at += bytes;
          ++replies;
          --one.in_flight;
        }
        one.in.erase(0, at);
        // All at once again, as a pipeline does.
        if (one.in_flight == 0 && !ends) ends = !ask(one, depth, fill);
      }
    }
  }

 private:
  bool ask(Connection& one, std::size_t depth, std::function<bool(std::string&)> const& fill) {
    bool more = true;
    for (std::size_t i = 0; i < depth && more; ++i) {
      more = fill(one.out);
      if (more) ++one.in_flight;
    }
    send(one);
    return more;
  }
  static void send(Connection& one) { one.out.erase(0, take(one.socket.send(one.out))); }

  Program const& program_;
  std::vector<Connection> all_;
};

double rate(Program const& program, bool sets, std::size_t connections, std::size_t depth, Settings const& settings) {
  std::mt19937_64 chance{1};
  std::string const value(kValueBytes, 'v');
  Driver driver{program, connections};
  Clock::time_point const begin = Clock::now();
  Clock::time_point const end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings.seconds));
  std::uint64_t asked = 0;
  std::uint64_t const replies = driver.run(depth, [&](std::string& out) {
    if (++asked % 32 == 0 && Clock::now() >= end) return false;
    if (depth == 1 && Clock::now() >= end) return false;
    std::string const key = key_of(chance() % settings.keys);
    if (sets)
      program.speech.set(key, value, out);
    else
      program.speech.get(key, out);
    return true;
  });
  return static_cast<double>(replies) / seconds_since(begin);
}

void fill(Program const& program, std::uint64_t keys) {
  std::string const value(kValueBytes, 'v');
  std::uint64_t next = 0;
  Driver driver{program, 4};
  driver.run(256, [&](std::string& out) {
    if (next == keys) return false;
    program.speech.set(key_of(next++), value, out);
    return true;
  });
}

// ---------------------------------------------------------------------------
// What is measured

// The first one beside each other one.
void compare(std::string const& title, bool sets, std::vector<Program const*> const& programs,
             Settings const& settings) {
  if (title.find(settings.only) == std::string::npos) return;
  for (std::size_t const connections : {std::size_t{1}, std::size_t{50}})
    for (std::size_t const depth : {std::size_t{1}, std::size_t{32}}) {
      std::vector<std::vector<double>> rates(programs.size());
      for (int round = 0; round < settings.rounds; ++round)
        for (std::size_t i = 0; i < programs.size(); ++i)
          rates[i].push_back(rate(*programs[i], sets, connections, depth, settings));
      double const ours = median(rates[0]);
      fmt::print("{:22} {:2} x {:2}  {:28} {:9.0f}/s", title, connections, depth, programs[0]->name, ours);
      for (std::size_t i = 1; i < programs.size(); ++i)
        fmt::print("   {} {:.0f}/s ({:.2f}x)", programs[i]->name, median(rates[i]), ours / median(rates[i]));
      fmt::print("\n");
      std::fflush(stdout);
    }
}

void measure_memory(Program const& program, std::uint64_t pairs) {
  std::uint64_t const before = program.resident_bytes();
  Clock::time_point const begin = Clock::now();
  fill(program, pairs);
  double const bytes = static_cast<double>(program.resident_bytes() - before) / static_cast<double>(pairs);
  fmt::print("memory of {} pairs: {:12} {:6.1f} bytes a pair, {:.1f} beside key and value ({:.0f} s)\n", pairs,
             program.name, bytes, bytes - 20.0 - static_cast<double>(kValueBytes), seconds_since(begin));
  std::fflush(stdout);
}

std::string ask(client::Socket& socket, std::string const& request) {
  std::string out = request;
  std::string in;
  std::vector<char> buffer(1U << 18U);
  for (;;) {
    if (!out.empty()) out.erase(0, take(socket.send(out)));
    pollfd one{socket.fd(), static_cast<short>(POLLIN | (out.empty() ? 0 : POLLOUT)), 0};
    if (::poll(&one, 1, 20'000) <= 0) fail("no answer to a scan");
    if ((one.revents & POLLIN) == 0) continue;
    in.append(buffer.data(), take(socket.receive(buffer)));
    fj::Reply reply;
    if (fj::read(in, kReplyBytesMax, reply).kind == fj::Cut::Kind::whole) return in;
  }
}

// Whole ranges of 1,000; patterns over all keys while somebody else asks for single ones.
void measure_scans(Program const& program, std::uint64_t keys) {
  client::Socket socket = program.connect();
  fj::Request range{
      .function = static_cast<std::uint16_t>(fj::Function::get), .flags = fj::flag::kData, .count = 1'000};
  range.set_query(fj::Query::range);
  std::mt19937_64 chance{2};
  for (bool const with_data : {true, false}) {
    range.flags = static_cast<std::uint16_t>((range.flags & ~fj::flag::kData) | (with_data ? fj::flag::kData : 0));
    double const before = program.cpu_seconds();
    constexpr int kRanges = 500;
    for (int i = 0; i < kRanges; ++i) {
      std::string const from = key_of(chance() % (keys - 1'000));
      range.key = from;
      std::string request;
      fj::write(range, request);
      ask(socket, request);
    }
    fmt::print("range of 1,000{:16}: {:.0f} us of the daemon's processor\n", with_data ? "" : ", without data",
               (program.cpu_seconds() - before) / kRanges * 1e6);
  }
  for (std::string const pattern :
       {"7{3}$", "(k|e|y)*(k|e|y)*:[0-9]*99999$", "(x+x+)+y", "(?:0?){25}0{25}", "[0-9]{12}[5-9]{4}$"}) {
    client::Socket other = program.connect();
    fj::Request one{.function = static_cast<std::uint16_t>(fj::Function::get), .flags = fj::flag::kData};
    std::string const key = key_of(7);
    one.key = key;
    std::string probe;
    fj::write(one, probe);
    fj::Request scan{.function = static_cast<std::uint16_t>(fj::Function::get)};
    scan.set_query(fj::Query::regex);
    scan.key = pattern;
    std::string cursor;
    std::uint64_t found = 0;
    int pages = 0;
    double longest = 0;
    double const before = program.cpu_seconds();
    Clock::time_point const begin = Clock::now();
    for (;;) {
      std::string request;
      fj::write(scan, request);
      static_cast<void>(take(socket.send(request)));
      Clock::time_point const asked = Clock::now();
      ask(other, probe);
      longest = std::max(longest, seconds_since(asked));
      std::string const bytes = ask(socket, {});
      fj::Reply reply;
      static_cast<void>(fj::read(bytes, kReplyBytesMax, reply));
      if (reply.error) fail(std::string{*reply.error});
      found += reply.pairs.size();
      ++pages;
      cursor = *reply.cursor;
      if (cursor.empty()) break;
      scan.set_query(fj::Query::cursor);
      scan.key = cursor;
    }
    fmt::print(
        "pattern {:32}: {} of {} keys in {:.0f} ms, {} pages, {:.0f} ns a key of the processor; somebody else waited "
        "{:.1f} ms at most\n",
        pattern, found, keys, seconds_since(begin) * 1e3, pages,
        (program.cpu_seconds() - before) * 1e9 / static_cast<double>(keys), longest * 1e3);
    std::fflush(stdout);
  }
}

Program start_daemon(fs::path const& root, std::string const& name) {
  std::vector<std::string> const words = daemon_words(root, "unix:" + (root / "socket").string());
  for (std::string const table : {"logged", "volatile"})
    std::ofstream{root / "tables" / (table + ".xml")}
        << "<table name=\"" << table << "\" model=\"keyvalue\"" << (table == "volatile" ? " persistent=\"no\"" : "")
        << ">\n<listeners>\n<socket path=\"../" << table
        << "\" protocol=\"fj\" rights=\"read add work\"/>\n</listeners>\n</table>\n";
  return {name, words, root / "logged", fj_speech(false)};
}

Program start_redis(fs::path const& root, std::string const& name, std::vector<std::string> const& more) {
  fs::create_directories(root);
  std::vector<std::string> words{
      "/usr/bin/redis-server", "--port", "0", "--unixsocket", root / "socket", "--dir", root, "--save", "",
      "--daemonize",           "no"};
  words.insert(words.end(), more.begin(), more.end());
  return {name, words, root / "socket", redis_speech()};
}

Program start_memcached(fs::path const& root) {
  fs::create_directories(root);
  return {"memcached",
          {"/usr/bin/memcached", "-u", "root", "-m", "8192", "-s", root / "socket"},
          root / "socket",
          memcached_speech()};
}

void run(Settings const& settings) {
  fs::path const root = fs::path{settings.folder} / fmt::format("pairs_bench.{}", ::getpid());
  fs::create_directories(root);
  {
    if (settings.memory > 0 || settings.scans) {
      std::uint64_t const pairs = std::max<std::uint64_t>(settings.memory, 1'000'000);
      Program const ours = start_daemon(root / "fj", "fastjournal");
      measure_memory({"fastjournal", ours, root / "fj" / "volatile", fj_speech(false)}, pairs);
      if (settings.scans) measure_scans({"fastjournal", ours, root / "fj" / "volatile", fj_speech(false)}, pairs);
      if (settings.memory > 0) {
        measure_memory(start_redis(root / "redis", "redis", {}), pairs);
        measure_memory(start_memcached(root / "memcached"), pairs);
      }
    } else {
      Program const written = start_daemon(root / "fj", "fastjournal");
      Program const persistent{"fastjournal persist", written, root / "fj" / "logged", fj_speech(true)};
      Program const volatile_table{"fastjournal volatile", written, root / "fj" / "volatile", fj_speech(false)};
      Program const redis = start_redis(root / "redis", "redis", {});
      Program const redis_no =
          start_redis(root / "redis_no", "redis fsync no", {"--appendonly", "yes", "--appendfsync", "no"});
      Program const redis_always =
          start_redis(root / "redis_always", "redis fsync always", {"--appendonly", "yes", "--appendfsync", "always"});
      Program const memcached = start_memcached(root / "memcached");
      for (Program const* one : {&written, &volatile_table, &redis, &redis_no, &redis_always, &memcached})
        fill(*one, settings.keys);
      compare("GET", false, {&written, &redis, &memcached}, settings);
      compare("SET, to the log", true, {&written, &redis_no}, settings);
      compare("SET, no log", true, {&volatile_table, &redis, &memcached}, settings);
      compare("SET, synced", true, {&persistent, &redis_always}, settings);
    }
  }
  fs::remove_all(root);
}

}  // namespace pairs_bench

int measure_pairs(int argc, char** argv) {
  using namespace pairs_bench;
  Settings settings;
  CLI::App app{"Key/value tables beside redis-server and memcached"};
  app.add_option("--folder", settings.folder, "where the data of all of them lie");
  app.add_option("--keys", settings.keys, "keys that are asked for");
  app.add_option("--seconds", settings.seconds, "of each round");
  app.add_option("--rounds", settings.rounds, "of which the median is shown");
  app.add_option("--memory", settings.memory, "instead: the memory of so many pairs, a million at least");
  app.add_flag("--scans", settings.scans, "instead: ranges, and patterns over a million keys");
  app.add_option("--only", settings.only, "comparisons whose titles have this text");
  CLI11_PARSE(app, argc, argv);
  run(settings);
  return 0;
}

}  // namespace fastjournal::bench
