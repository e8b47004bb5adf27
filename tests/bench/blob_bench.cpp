// Blob tables beside redis-server, memcached and nginx, in one run: reads of 64 KiB by a program on the same computer, and
// durable puts of 4 KiB beside the raw sync. Others: what somebody else waits during a maintenance, and during inserts of
// 16 MiB into a journal that spills; what a start with many blobs takes; and many more bytes written than the disk has.
#include <fcntl.h>
#include <poll.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "clients/cpp/blob.h"
#include "clients/cpp/client.h"
#include "tests/bench/measure.h"
#include "tests/bench/peers/program.h"
#include "tests/support/child_process.h"
#include "tests/support/line_client.h"
#include "wire/bcdb/key.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::bench {
namespace blob_bench {

using client::BlobBytes;
using client::Blobs;
using client::Connection;
using test::LineClient;
namespace fs = std::filesystem;

constexpr std::size_t kReadBytes = 64U << 10U;
constexpr std::size_t kPutBytes = 4U << 10U;
constexpr std::uint64_t kObjects = 1000;

struct Settings {
  std::string folder{"/tmp"};
  int rounds{5};
  int reads{4000};
  int puts{400};
  std::uint64_t many{1'000'000};
  std::uint64_t gib{10};
  std::string what{"reads"};
};

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double part_of(std::vector<double>& all, double part) {
  if (all.empty()) return 0;
  auto const at = static_cast<std::ptrdiff_t>(static_cast<double>(all.size() - 1) * part);
  std::nth_element(all.begin(), all.begin() + at, all.end());
  return all[static_cast<std::size_t>(at)];
}

std::string key_text(std::uint64_t number) { return fmt::format("key:{:016}", number); }

// Bytes that tell whose they are.
std::string bytes_for(std::uint64_t number, std::size_t size) {
  std::string out(size, static_cast<char>('a' + number % 26));
  std::string const head = std::to_string(number) + ":";
  out.replace(0, std::min(head.size(), size), head.substr(0, size));
  return out;
}

// ---------------------------------------------------------------------------
// Programs

class Daemon {
 public:
  explicit Daemon(fs::path root, std::string const& options = "") : root_(std::move(root)) {
    words_ = daemon_words(root_, "unix:" + (root_ / "socket").string());
    std::ofstream{root_ / "tables" / "blobs.xml"}
        << "<table name=\"blobs\" model=\"blob\">\n<listeners>\n"
           "<socket path=\"../read\" protocol=\"blobread\" rights=\"read\"/>\n"
           "<socket path=\"../write\" protocol=\"blobwrite\" rights=\"read add\"/>\n</listeners>\n"
        << options << "</table>\n";
    std::ofstream{root_ / "tables" / "large.xml"}
        << "<table name=\"large\" model=\"journal\" row-key=\"name\"><schema><column name=\"name\" type=\"string\"/>"
           "<column name=\"payload\" type=\"buffer\"/></schema><spill>16KiB</spill></table>\n";
    start();
  }
  void start() {
    Clock::time_point const begin = Clock::now();
    child_ = std::make_unique<test::ChildProcess>(words_);
    if (!child_->wait_for_line("ready", std::chrono::seconds{120})) fail("no start: " + child_->output());
    started_us_ = us_since(begin);
  }
  void end(int signal) {
    child_->kill(signal);
    static_cast<void>(child_->wait(std::chrono::seconds{120}));
  }
  [[nodiscard]] double started_us() const { return started_us_; }
  [[nodiscard]] std::string output() const { return child_->output(); }
  [[nodiscard]] std::unique_ptr<Blobs> blobs(BlobBytes bytes = BlobBytes::file) const {
    return take(Blobs::open({.read = "unix:" + (root_ / "read").string(),
                             .write = "unix:" + (root_ / "write").string(),
                             .data_file = root_ / "data/bytes/blobs/bcdb_data",
                             .bytes = bytes}));
  }
  [[nodiscard]] std::unique_ptr<Connection> connect() const {
    return take(Connection::open({.server = "unix:" + (root_ / "socket").string()}));
  }
  [[nodiscard]] std::uint64_t resident_bytes() const { return bench::resident_bytes(child_->pid()); }

 private:
  fs::path root_;
  std::vector<std::string> words_;
  std::unique_ptr<test::ChildProcess> child_;
  double started_us_{0};
};

class Peer {
 public:
  Peer(std::vector<std::string> const& words, std::string const& socket) : child_(words) {
    Clock::time_point const until = Clock::now() + std::chrono::seconds{20};
    while (client_ == nullptr) {
      try {
        client_ = std::make_unique<LineClient>("unix:" + socket);
      } catch (std::exception const& error) {
        if (Clock::now() > until) fail(words.front() + ": " + error.what() + ": " + child_.output());
        ::poll(nullptr, 0, 20);
      }
    }
  }
  [[nodiscard]] LineClient& client() { return *client_; }

 private:
  test::ChildProcess child_;
  std::unique_ptr<LineClient> client_;
};

Peer start_redis(fs::path const& root, bool is_durable) {
  fs::create_directories(root);
  std::vector<std::string> words{
      "/usr/bin/redis-server", "--port", "0", "--unixsocket", root / "socket", "--dir", root, "--save", "",
      "--daemonize",           "no"};
  if (is_durable) words.insert(words.end(), {"--appendonly", "yes", "--appendfsync", "always"});
  return {words, root / "socket"};
}

std::string redis_set(std::string const& key, std::string const& bytes) {
  return fmt::format("*3\r\n$3\r\nSET\r\n${}\r\n{}\r\n${}\r\n", key.size(), key, bytes.size()) + bytes + "\r\n";
}

Peer start_memcached(fs::path const& root) {
  fs::create_directories(root);
  return {{"/usr/bin/memcached", "-u", "root", "-m", "1024", "-s", root / "socket"}, root / "socket"};
}

Peer start_nginx(fs::path const& root) {
  fs::create_directories(root / "files");
  for (std::uint64_t i = 0; i < kObjects; ++i)
    std::ofstream{root / "files" / std::to_string(i), std::ios::binary} << bytes_for(i, kReadBytes);
  std::ofstream{root / "nginx.conf"} << fmt::format(
      "daemon off; master_process off; pid {0}/pid; error_log {0}/errors;\nevents {{}}\nhttp {{ access_log off; "
      "sendfile on; keepalive_requests 1000000; open_file_cache max=2000;\n{1}server {{ listen unix:{0}/socket; root "
      "{0}/files; }} }}\n",
      root.string(),
      "client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fcgi; uwsgi_temp_path uwsgi; "
      "scgi_temp_path scgi; ");
  return {{"/usr/sbin/nginx", "-p", root, "-e", root / "errors", "-c", root / "nginx.conf"}, root / "socket"};
}

// ---------------------------------------------------------------------------
// Reads of 64 KiB

struct Reader {
  std::string name;
  std::function<std::size_t(std::uint64_t)> read;  // bytes that came
  std::vector<double> us{};
};

void measure_reads(Settings const& settings, fs::path const& root) {
  Daemon const daemon{root / "fj"};
  Peer redis = start_redis(root / "redis", false);
  Peer memcached = start_memcached(root / "memcached");
  Peer nginx = start_nginx(root / "nginx");
  std::unique_ptr<Blobs> const direct = daemon.blobs();
  std::unique_ptr<Blobs> const relay = daemon.blobs(BlobBytes::relay);
  std::vector<client::BlobPlace> places;
  for (std::uint64_t i = 0; i < kObjects; ++i) {
    std::string const bytes = bytes_for(i, kReadBytes);
    places.push_back(take(direct->put(bcdb::make_key(key_text(i)), bytes)));
    redis.client().send(redis_set(key_text(i), bytes));
    if (redis.client().read_line() != "+OK\r") fail("redis refused");
    memcached.client().send(fmt::format("set {} 0 0 {}\r\n", key_text(i), bytes.size()) + bytes + "\r\n");
    if (memcached.client().read_line() != "STORED\r") fail("memcached refused");
  }
  auto const line_and_bytes = [](LineClient& client, std::size_t more) {
    std::optional<std::string> const line = client.read_line();
    if (!line || line->empty()) fail("no answer");
    return client.read_bytes(kReadBytes + more).value_or("").size() - more;
  };
  std::vector<Reader> readers;
  readers.push_back({"fastjournal, asked and read from the file", [&](std::uint64_t i) {
                       return take(direct->get(bcdb::make_key(key_text(i)))).value_or("").size();
                     }});
  readers.push_back({"fastjournal, told a moment ago where it is",
                     [&](std::uint64_t i) { return take(direct->read(places[i])).value_or("").size(); }});
  readers.push_back({"fastjournal, the same in memory of the file", [&](std::uint64_t i) {
                       auto const view = take(direct->view(places[i]));
                       // Each page of it is looked at.
                       std::size_t sum = 0;
                       for (std::size_t at = 0; at < view->bytes().size(); at += 4096)
                         sum += static_cast<unsigned char>(view->bytes()[at]) != 0 ? 4096 : 0;
                       return sum;
                     }});
  readers.push_back({"fastjournal, by relay", [&](std::uint64_t i) {
                       return take(relay->get(bcdb::make_key(key_text(i)))).value_or("").size();
                     }});
  readers.push_back({"redis", [&](std::uint64_t i) {
                       redis.client().send(fmt::format("*2\r\n$3\r\nGET\r\n$20\r\n{}\r\n", key_text(i)));
                       return line_and_bytes(redis.client(), 2);
                     }});
  readers.push_back({"memcached", [&](std::uint64_t i) {
                       memcached.client().send(fmt::format("get {}\r\n", key_text(i)));
                       return line_and_bytes(memcached.client(), 7);
                     }});
  readers.push_back({"nginx, a file", [&](std::uint64_t i) {
                       nginx.client().send(fmt::format("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", i));
                       for (;;) {
                         std::optional<std::string> const line = nginx.client().read_line();
                         if (!line) fail("nginx: no answer");
                         if (*line == "\r") break;
                       }
                       return nginx.client().read_bytes(kReadBytes).value_or("").size();
                     }});
  for (std::uint64_t i = 0; i < kObjects; ++i) places[i] = *take(direct->find(bcdb::make_key(key_text(i))));
  std::mt19937_64 chance{1};
  for (int round = 0; round < settings.rounds; ++round)
    for (Reader& one : readers)
      for (int i = 0; i < settings.reads; ++i) {
        std::uint64_t const which = chance() % kObjects;
        Clock::time_point const begin = Clock::now();
        if (one.read(which) != kReadBytes) fail(one.name + ": other bytes than expected");
        one.us.push_back(us_since(begin));
      }
  double const ours = part_of(readers.front().us, 0.5);
  for (Reader& one : readers)
    fmt::print("get of 64 KiB  {:44} {:7.1f} us p50 {:7.1f} us p99   {:5.2f}x\n", one.name, part_of(one.us, 0.5),
               part_of(one.us, 0.99), part_of(one.us, 0.5) / ours);
}

// ---------------------------------------------------------------------------
// Durable puts of 4 KiB

// The disk alone: 4 KiB behind the last ones, in a file whose space is there, then the sync.
class RawSync {
 public:
  explicit RawSync(fs::path const& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600)) {
    std::string const zeros(1U << 20U, '\0');
    for (int i = 0; i < 64; ++i)
      if (::pwrite(fd_, zeros.data(), zeros.size(), i << 20) < 0) fail("write");
    if (::fdatasync(fd_) != 0) fail("sync");
  }
  ~RawSync() { ::close(fd_); }
  RawSync(RawSync const&) = delete;
  RawSync& operator=(RawSync const&) = delete;
  void write(std::string const& bytes) {
    if (::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at_)) < 0 || ::fdatasync(fd_) != 0) fail("sync");
    at_ = (at_ + bytes.size()) % (60U << 20U);
  }

 private:
  int fd_;
  std::uint64_t at_{0};
};

void measure_puts(Settings const& settings, fs::path const& root) {
  Daemon const daemon{root / "fj"};
  Peer redis = start_redis(root / "redis", true);
  RawSync raw{root / "raw"};
  std::unique_ptr<Blobs> const blobs = daemon.blobs();
  std::uint64_t next = 0;
  std::vector<double> raw_us;
  std::vector<double> our_us;
  std::vector<double> redis_us;
  for (int round = 0; round < settings.rounds; ++round) {
    for (int i = 0; i < settings.puts; ++i) {
      std::string const bytes = bytes_for(++next, kPutBytes);
      Clock::time_point begin = Clock::now();
      raw.write(bytes);
      raw_us.push_back(us_since(begin));
      begin = Clock::now();
      static_cast<void>(take(blobs->put(bcdb::make_key(key_text(next)), bytes)));
      our_us.push_back(us_since(begin));
      begin = Clock::now();
      redis.client().send(redis_set(key_text(next), bytes));
      if (redis.client().read_line() != "+OK\r") fail("redis refused");
      redis_us.push_back(us_since(begin));
    }
  }
  double const base = part_of(raw_us, 0.5);
  for (auto& [name, us] : {std::pair<char const*, std::vector<double>&>{"the raw sync", raw_us},
                           {"fastjournal", our_us},
                           {"redis, fsync always", redis_us}})
    fmt::print("durable put of 4 KiB, one writer   {:20} {:8.1f} us p50   {:5.2f}x\n", name, part_of(us, 0.5),
               part_of(us, 0.5) / base);
  // 64 writers, one put of each under way, then 16.
  std::vector<LineClient> writers;
  std::vector<LineClient> redis_writers;
  for (int i = 0; i < 64; ++i) {
    writers.emplace_back("unix:" + (root / "fj/write").string());
    std::string greeting;
    bcdb::write(bcdb::Hello{}, greeting);
    writers.back().send(greeting);
    if (!writers.back().read_bytes(bcdb::kHelloBytes)) fail("no hello");
    redis_writers.emplace_back("unix:" + (root / "redis/socket").string());
  }
  std::string const bytes = bytes_for(7, kPutBytes);
  Hash128 const hash = hash128(bytes);
  for (int const depth : {1, 16}) {
    std::vector<double> ours;
    std::vector<double> theirs;
    for (int round = 0; round < settings.rounds; ++round) {
      int const times = depth == 1 ? 60 : 20;
      Clock::time_point begin = Clock::now();
      for (int i = 0; i < times; ++i) {
        for (LineClient& writer : writers) {
          std::string out;
          for (int k = 0; k < depth; ++k) {
            bcdb::write(bcdb::Frame{.op = bcdb::Op::put,
                                    .echo = 1,
                                    .key = bcdb::make_key(key_text(++next % 100'000)),
                                    .length = bytes.size(),
                                    .hash = hash},
                        out);
            out += bytes;
          }
          writer.send(out);
        }
        for (LineClient& writer : writers)
          for (int k = 0; k < depth; ++k) {
            bcdb::Reply reply;
            std::string const told = writer.read_bytes(bcdb::kReplyBytes).value_or("");
            if (bcdb::read(told, reply).kind != bcdb::Cut::Kind::whole || reply.outcome != bcdb::Outcome::ok)
              fail("a put was refused");
          }
      }
      ours.push_back(64.0 * depth * times / us_since(begin) * 1e6);
      begin = Clock::now();
      for (int i = 0; i < times; ++i) {
        for (auto& writer : redis_writers) {
          std::string out;
          for (int k = 0; k < depth; ++k) out += redis_set(key_text(++next % 100'000), bytes);
          writer.send(out);
        }
        for (auto& writer : redis_writers)
          for (int k = 0; k < depth; ++k)
            if (writer.read_line() != "+OK\r") fail("redis refused");
      }
      theirs.push_back(64.0 * depth * times / us_since(begin) * 1e6);
    }
    fmt::print(
        "durable put of 4 KiB, 64 writers x {:2}   fastjournal {:8.0f}/s   redis, fsync always {:8.0f}/s ({:.2f}x)\n",
        depth, part_of(ours, 0.5), part_of(theirs, 0.5), part_of(ours, 0.5) / part_of(theirs, 0.5));
  }
}

// ---------------------------------------------------------------------------
// What somebody else waits

// Asks for the state of the table again and again; the longest waits.
class Watcher {
 public:
  Watcher(Daemon const& daemon, std::function<void(Connection&)> ask)
      : connection_(daemon.connect()), ask_(std::move(ask)), thread_([this] { run(); }) {}
  ~Watcher() { stop(); }
  Watcher(Watcher const&) = delete;
  Watcher& operator=(Watcher const&) = delete;
  std::vector<double>& stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    return us_;
  }

 private:
  void run() {
    while (!is_over_) {
      Clock::time_point const begin = Clock::now();
      ask_(*connection_);
      us_.push_back(us_since(begin));
      ::poll(nullptr, 0, 1);
    }
  }
  std::unique_ptr<Connection> connection_;
  std::function<void(Connection&)> ask_;
  std::atomic<bool> is_over_{false};
  std::vector<double> us_;
  std::thread thread_;
};

void print_waits(std::string const& title, std::vector<double>& us) {
  fmt::print("{:56} {:7} times, {:7.0f} us p50, {:7.0f} us p99, {:7.0f} us p99.9, {:7.0f} us at most\n", title,
             us.size(), part_of(us, 0.5), part_of(us, 0.99), part_of(us, 0.999), part_of(us, 1.0));
  std::fflush(stdout);
}

void get_something(Connection& connection) {
  static_cast<void>(
      take(connection.call("GET", {{"table", Value::of_text("blobs")}, {"key", Value::of_text(key_text(1))}})));
}

void measure_stalls(fs::path const& root) {
  Daemon const daemon{root / "fj"};
  std::unique_ptr<Blobs> const blobs = daemon.blobs();
  std::string const bytes = bytes_for(3, 100'000);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    if (i >= 64) static_cast<void>(take(blobs->receive_put()));
    if (Status status = blobs->send_put(bcdb::make_key(key_text(i)), bytes); !status.ok()) fail(status.text());
  }
  for (int i = 0; i < 64; ++i) static_cast<void>(take(blobs->receive_put()));
  {
    Watcher quiet{daemon, get_something};
    ::poll(nullptr, 0, 3000);
    print_waits("a read by message, nothing else", quiet.stop());
  }
  std::unique_ptr<Connection> const admin = daemon.connect();
  {
    Watcher watcher{daemon, get_something};
    Clock::time_point const begin = Clock::now();
    static_cast<void>(take(admin->call("MAINTAIN", {{"table", Value::of_text("blobs")}})));
    fs::path const folder = root / "fj/data/bytes/blobs";
    std::uint64_t puts = 0;
    while (fs::read_symlink(folder / "bcdb_data") != "data.000002") {
      static_cast<void>(take(blobs->put(bcdb::make_key(key_text(puts++ % 10'000)), bytes_for(5, kPutBytes))));
      if (us_since(begin) > 120e6) fail("the maintenance does not end");
    }
    double const took = us_since(begin);
    std::string const title = fmt::format("... during maintenance of 1 GB ({:.1f} s, {} puts)", took / 1e6, puts);
    print_waits(title, watcher.stop());
  }
  {
    Watcher watcher{daemon, get_something};
    std::string const payload(16U << 20U, 'p');
    Clock::time_point const begin = Clock::now();
    for (int i = 0; i < 20; ++i)
      static_cast<void>(take(admin->call("INSERT", {{"table", Value::of_text("large")},
                                                    {"name", Value::of_text(key_text(static_cast<std::uint64_t>(i)))},
                                                    {"payload", Value::of_binary(payload)}})));
    std::string const title =
        fmt::format("... during inserts of 16 MiB ({:.0f} MiB/s)", 20 * 16 / (us_since(begin) / 1e6));
    print_waits(title, watcher.stop());
  }
}

// ---------------------------------------------------------------------------
// A start

void measure_start(Settings const& settings, fs::path const& root) {
  Daemon daemon{root / "fj"};
  double const empty = daemon.started_us();
  {
    std::unique_ptr<Blobs> const blobs = daemon.blobs();
    std::string const bytes = bytes_for(3, 100);
    Clock::time_point const begin = Clock::now();
    for (std::uint64_t i = 0; i < settings.many + 1024; ++i) {
      if (i >= 1024) static_cast<void>(take(blobs->receive_put()));
      if (i >= settings.many) continue;
      if (Status status = blobs->send_put(bcdb::make_key(key_text(i)), bytes); !status.ok()) fail(status.text());
    }
    fmt::print("{} blobs of 100 bytes put by one writer: {:.0f}/s; resident memory {} MiB\n", settings.many,
               static_cast<double>(settings.many) / us_since(begin) * 1e6, daemon.resident_bytes() >> 20U);
  }
  for (int const signal : {SIGTERM, SIGTERM, SIGKILL}) {
    daemon.end(signal);
    daemon.start();
    fmt::print("start with them after {}: {:.0f} ms from exec to ready (an empty one: {:.0f} ms)\n",
               signal == SIGTERM ? "a stop" : "kill -9", daemon.started_us() / 1e3, empty / 1e3);
    std::string const log = daemon.output();
    for (std::size_t at = 0; at < log.size();) {
      std::size_t const line = std::min(log.find('\n', at), log.size());
      if (log.substr(at, line - at).find("recovered") != std::string::npos)
        fmt::print("  {}\n", log.substr(at, line - at));
      at = line + 1;
    }
    std::fflush(stdout);
  }
}

// ---------------------------------------------------------------------------
// More bytes than the disk has

void measure_churn(Settings const& settings, fs::path const& root) {
  Daemon daemon{
      root / "fj",
      "<maintain-every>0</maintain-every>\n<expire-size>1GiB</expire-size>\n<data-size-max>1800MiB</data-size-max>\n"};
  std::unique_ptr<Blobs> const blobs = daemon.blobs();
  std::unique_ptr<Connection> const admin = daemon.connect();
  std::mt19937_64 chance{1};
  std::map<std::uint64_t, std::pair<std::uint64_t, std::size_t>> stored;  // by key: its number and size
  std::uint64_t written = 0;
  std::uint64_t since = 0;
  std::uint64_t number = 0;
  std::uint64_t absent = 0;
  std::uint64_t most = 0;
  std::uint64_t waits = 0;
  Clock::time_point const begin = Clock::now();
  auto const used = [&] {
    struct statfs disk {};
    ::statfs(root.c_str(), &disk);
    return (disk.f_blocks - disk.f_bfree) * static_cast<std::uint64_t>(disk.f_bsize);
  };
  auto const check = [&](std::uint64_t key) {
    auto const known = stored.find(key);
    if (known == stored.end()) return;
    auto const got = take(blobs->get(bcdb::make_key(key_text(key))));
    if (!got) {
      ++absent;
      stored.erase(known);
    } else if (*got != bytes_for(known->second.first, known->second.second)) {
      fail("blob " + std::to_string(key) + " has other bytes");
    }
  };
  while (written < settings.gib << 30U) {
    std::uint64_t const key = chance() % 8000;
    std::size_t const size = 1000 + chance() % 400'000;
    auto const put = blobs->put(bcdb::make_key(key_text(key)), bytes_for(++number, size));
    if (!put.ok()) {
      // Full before the old file is gone: what a writer does is to wait.
      if (put.status().code() != Code::no_space && put.status().code() != Code::over_limit &&
          put.status().code() != Code::unavailable)
        fail(put.status().text());
      ++waits;
      ::poll(nullptr, 0, 100);
    } else {
      stored[key] = {number, size};
      written += size;
      since += size;
    }
    if (number % 3 == 0) check(chance() % 8000);
    if (since > 300U << 20U || !put.ok()) {
      auto const begun = admin->call("MAINTAIN", {{"table", Value::of_text("blobs")}});
      if (begun.ok()) {
        since = 0;
      }
    }
    most = std::max(most, number % 50 == 0 ? used() : 0);
  }
  std::string const last = fs::read_symlink(root / "fj/data/bytes/blobs/bcdb_data").string();
  fmt::print("{} GiB written in {:.0f} s, up to the file {}, {} MiB of the disk used at most, {} times a put waited\n",
             settings.gib, us_since(begin) / 1e6, last, most >> 20U, waits);
  daemon.end(SIGKILL);
  daemon.start();
  std::vector<std::uint64_t> keys;
  for (auto const& [key, value] : stored) keys.push_back(key);
  for (std::uint64_t const key : keys) check(key);
  fmt::print("after kill -9: all of {} blobs are what was stored; {} were expired by size since they were put\n",
             stored.size(), absent);
}

}  // namespace blob_bench

int measure_blob(int argc, char** argv) {
  using namespace blob_bench;
  Settings settings;
  CLI::App app{"Blob tables beside redis-server, memcached and nginx"};
  app.add_option("what", settings.what, "reads, puts, stalls, start or churn")
      ->check(CLI::IsMember({"reads", "puts", "stalls", "start", "churn"}))
      ->required();
  app.add_option("--folder", settings.folder, "where the data of all of them lie");
  app.add_option("--rounds", settings.rounds, "of each program in turn");
  app.add_option("--reads", settings.reads, "of a round");
  app.add_option("--puts", settings.puts, "of a round");
  app.add_option("--many", settings.many, "blobs of `start`");
  app.add_option("--gib", settings.gib, "written by `churn`");
  CLI11_PARSE(app, argc, argv);
  fs::path const root = fs::path{settings.folder} / fmt::format("blob_bench.{}", ::getpid());
  fs::create_directories(root);
  if (settings.what == "reads") measure_reads(settings, root);
  if (settings.what == "puts") measure_puts(settings, root);
  if (settings.what == "stalls") measure_stalls(root);
  if (settings.what == "start") measure_start(settings, root);
  if (settings.what == "churn") measure_churn(settings, root);
  fs::remove_all(root);
  return 0;
}

}  // namespace fastjournal::bench
