// Local transactions beside PostgreSQL, in one run on the same disk: each inserts a number of rows and is committed, synced.
// Every side gets its best form: everything of a transaction in one round trip, prepared statements with PostgreSQL. Ours
// is measured as BEGIN ... COMMIT by text, and as one TRANSACTION message of frames, as the libraries send it.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fastjournal/histogram.h"
#include "protocol/framer.h"
#include "protocol/msgpack.h"
#include "tests/bench/brokers.h"
#include "tests/bench/peer.h"
#include "tests/support/line_client.h"

namespace {

using namespace fastjournal;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPayloadBytes = 200;
constexpr std::size_t kReadBytes = 64U << 10U;

struct Settings {
  std::size_t connections{64};
  std::size_t ops{10};
  double seconds{2.0};
  int rounds{3};
};

// One way to say a transaction.
struct Speech {
  std::string name;
  std::function<void(std::string& out)> hello;  // empty: none is needed
  std::function<void(std::uint64_t number, std::string& out)> transaction;
  // Bytes of the answer to hello or to a transaction; 0: it is not whole.
  std::function<std::size_t(std::string_view bytes)> answer;
};

[[noreturn]] void refused(std::string_view text) { throw std::runtime_error("refused: " + std::string{text}); }

std::string payload_of(std::uint64_t number) {
  std::string out = std::to_string(number) + ":";
  out.resize(kPayloadBytes, static_cast<char>('a' + number % 26));
  return out;
}

// ---------------------------------------------------------------------------
// fastjournal

Speech text_speech(std::size_t ops) {
  Speech out;
  out.name = "fastjournal, BEGIN to COMMIT by text";
  out.transaction = [ops](std::uint64_t number, std::string& to) {
    to += "BEGIN\n";
    for (std::size_t i = 0; i < ops; ++i)
      to += fmt::format("INSERT table=jobs;name=k{};payload={}\n", number * ops + i, payload_of(number));
    to += "COMMIT\n";
  };
  // BEGUN, PROMISED for each, COMMITTED, and the answer of each.
  out.answer = [lines = 2 + 2 * ops](std::string_view bytes) -> std::size_t {
    std::size_t at = 0;
    for (std::size_t i = 0; i < lines; ++i) {
      std::size_t const end = bytes.find('\n', at);
      if (end == std::string_view::npos) return 0;
      if (bytes.substr(at).starts_with("ERROR")) refused(bytes.substr(at, end - at));
      at = end + 1;
    }
    return at;
  };
  return out;
}

// `sends`: messages to a queue, in place of rows of a journal.
Speech frame_speech(std::size_t ops, bool sends) {
  Speech out;
  out.name = sends ? "fastjournal, TRANSACTION of SENDs" : "fastjournal, TRANSACTION of frames";
  out.transaction = [ops, sends](std::uint64_t number, std::string& to) {
    std::string frames;
    std::string const payload = payload_of(number);
    for (std::size_t i = 0; i < ops; ++i) {
      if (sends) {
        std::vector<Param> const params{
            {"table", Value::of_text("post")}, {"queue", Value::of_text("bench")}, {"body", Value::of_text(payload)}};
        protocol::append_frame({.command = "SEND", .params = params}, frames);
        continue;
      }
      std::string const name = "k" + std::to_string(number * ops + i);
      std::vector<Param> const params{
          {"table", Value::of_text("jobs")}, {"name", Value::of_text(name)}, {"payload", Value::of_text(payload)}};
      protocol::append_frame({.command = "INSERT", .params = params}, frames);
    }
    std::vector<Param> const whole{{"commands", Value::of_binary(frames)}};
    protocol::append_frame({.command = "TRANSACTION", .params = whole}, to);
  };
  out.answer = [answers = 1 + ops](std::string_view bytes) -> std::size_t {
    std::size_t at = 0;
    for (std::size_t i = 0; i < answers; ++i) {
      if (bytes.size() - at < protocol::kFrameHeaderBytes) return 0;
      std::size_t length = 0;
      for (std::size_t j = 4; j < protocol::kFrameHeaderBytes; ++j)
        length = length << 8U | static_cast<unsigned char>(bytes[at + j]);
      std::size_t const whole = protocol::kFrameHeaderBytes + length;
      if (bytes.size() - at < whole) return 0;
      if (bytes.substr(at, whole).find("ERROR") != std::string_view::npos) refused(bytes.substr(at, whole));
      at += whole;
    }
    return at;
  };
  return out;
}

// ---------------------------------------------------------------------------
// PostgreSQL

void append_int(std::size_t value, std::size_t bytes, std::string& out) {
  for (std::size_t i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i));
}
void packet(char type, std::string_view body, std::string& out) {
  if (type != 0) out += type;
  append_int(body.size() + 4, 4, out);
  out += body;
}
std::string text(std::string_view value) { return std::string{value} + '\0'; }

void execute(std::string_view statement, std::initializer_list<std::string_view> values, std::string& out) {
  std::string bind = text("") + text(statement);
  append_int(0, 2, bind);
  append_int(values.size(), 2, bind);
  for (std::string_view const value : values) {
    append_int(value.size(), 4, bind);
    bind += value;
  }
  append_int(0, 2, bind);
  packet('B', bind, out);
  packet('E', text("") + std::string(4, '\0'), out);
}

Speech postgres_speech(std::size_t ops) {
  Speech out;
  out.name = "PostgreSQL, prepared, in one round trip";
  out.hello = [](std::string& to) {
    std::string start;
    append_int(196608, 4, start);
    start += text("user") + text("bench") + text("database") + text("postgres") + text("");
    packet(0, start, to);
    for (auto const& [name, statement] :
         {std::pair{"b", "begin"}, std::pair{"c", "commit"},
          std::pair{"i", "insert into jobs (key, payload, priority, due) values ($1::bigint, $2, 100, 0)"}})
      packet('P', text(name) + text(statement) + std::string(2, '\0'), to);
    packet('S', {}, to);
  };
  out.transaction = [ops](std::uint64_t number, std::string& to) {
    std::string const payload = payload_of(number);
    execute("b", {}, to);
    for (std::size_t i = 0; i < ops; ++i) execute("i", {std::to_string(number * ops + i), payload}, to);
    execute("c", {}, to);
    packet('S', {}, to);
  };
  // Ready ends each; after the start there are two: of the connection, and of the statements.
  out.answer = [](std::string_view bytes) -> std::size_t {
    for (std::size_t at = 0; bytes.size() - at >= 5;) {
      std::size_t length = 1;
      for (std::size_t i = 1; i < 5; ++i)
        length += static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + i])) << (32 - 8 * i);
      if (bytes.size() - at < length) return 0;
      if (bytes[at] == 'E') refused(bytes.substr(at, length));
      char const type = bytes[at];
      at += length;
      if (type == 'Z') return at;
    }
    return 0;
  };
  return out;
}

// ---------------------------------------------------------------------------
// The driver

struct Line {
  int fd{-1};
  std::string in;
  std::string out;
  Clock::time_point sent{};
};

class Driver {
 public:
  Driver(std::string const& address, Speech const& speech, std::size_t connections) : speech_(speech) {
    for (std::size_t i = 0; i < connections; ++i) {
      clients_.push_back(std::make_unique<test::LineClient>(address));
      lines_.emplace_back().fd = clients_.back()->fd();
    }
    if (!speech_.hello) return;
    for (Line& line : lines_) {
      speech_.hello(line.out);
      // Two answers: see postgres_speech.
      for (int answers = 0; answers < 2;) {
        step(line, true);
        while (std::size_t const size = speech_.answer(line.in)) {
          line.in.erase(0, size);
          ++answers;
        }
      }
    }
  }

  // Transactions a second. `number`: counts them all, as keys are new.
  double run(double seconds, std::uint64_t& number, Histogram& latency_us) {
    auto const begin = Clock::now();
    auto const end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    for (Line& line : lines_) begin_one(line, number);
    std::size_t busy = lines_.size();
    std::uint64_t done = 0;
    std::vector<pollfd> polled(lines_.size());
    while (busy > 0) {
      for (std::size_t i = 0; i < lines_.size(); ++i)
        polled[i] = {lines_[i].fd, static_cast<short>(POLLIN | (lines_[i].out.empty() ? 0 : POLLOUT)), 0};
      if (::poll(polled.data(), polled.size(), 10'000) <= 0) throw std::runtime_error("no answer for 10 s");
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (polled[i].revents == 0) continue;
        Line& line = lines_[i];
        step(line, false);
        while (std::size_t const size = speech_.answer(line.in)) {
          line.in.erase(0, size);
          auto const now = Clock::now();
          latency_us.add(std::chrono::duration_cast<std::chrono::microseconds>(now - line.sent).count());
          ++done;
          if (now < end)
            begin_one(line, number);
          else
            --busy;
        }
      }
    }
    return static_cast<double>(done) / std::chrono::duration<double>(Clock::now() - begin).count();
  }

 private:
  void begin_one(Line& line, std::uint64_t& number) {
    line.sent = Clock::now();
    speech_.transaction(++number, line.out);
    send(line);
  }
  static void send(Line& line) {
    while (!line.out.empty()) {
      ssize_t const put = ::send(line.fd, line.out.data(), line.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (put <= 0) return;
      line.out.erase(0, static_cast<std::size_t>(put));
    }
  }
  static void step(Line& line, bool waits) {
    send(line);
    std::string buffer(kReadBytes, '\0');
    ssize_t const got = ::recv(line.fd, buffer.data(), buffer.size(), waits ? 0 : MSG_DONTWAIT);
    if (got == 0) throw std::runtime_error("the connection was closed: " + line.in);
    if (got > 0) line.in.append(buffer, 0, static_cast<std::size_t>(got));
  }

  Speech const& speech_;
  std::vector<std::unique_ptr<test::LineClient>> clients_;
  std::vector<Line> lines_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(Settings const& settings) {
  std::unique_ptr<bench::Peer> const ours = bench::make_fastjournal({.table = ""});
  std::unique_ptr<bench::Peer> const postgres = bench::make_postgres(false);
  ours->start();
  postgres->start();
  std::unique_ptr<bench::Broker> const queues = bench::start_fastjournal();
  struct Entry {
    Speech speech;
    std::string address;
    std::vector<double> rates{};
    Histogram latency_us{};
  };
  std::vector<Entry> entries;
  entries.push_back({text_speech(settings.ops), ours->address()});
  entries.push_back({frame_speech(settings.ops, false), ours->address()});
  entries.push_back({frame_speech(settings.ops, true), queues->address()});
  entries.push_back({postgres_speech(settings.ops), postgres->address()});
  std::uint64_t number = 0;
  for (int round = 0; round < settings.rounds; ++round)
    for (Entry& entry : entries) {
      Driver driver{entry.address, entry.speech, settings.connections};
      entry.rates.push_back(driver.run(settings.seconds, number, entry.latency_us));
    }
  double const base = median(entries.back().rates);
  fmt::print("{} connections, {} inserts of {} bytes a transaction; median of {} rounds of {} s\n",
             settings.connections, settings.ops, kPayloadBytes, settings.rounds, settings.seconds);
  fmt::print("{:<42}{:>16}{:>12}{:>10}{:>10}{:>10}\n", "", "transactions/s", "inserts/s", "p50 us", "p99 us", "ratio");
  for (Entry const& entry : entries)
    fmt::print("{:<42}{:>16.0f}{:>12.0f}{:>10}{:>10}{:>10.1f}\n", entry.speech.name, median(entry.rates),
               median(entry.rates) * static_cast<double>(settings.ops), entry.latency_us.percentile(50),
               entry.latency_us.percentile(99), median(entry.rates) / base);
  ours->stop();
  postgres->stop();
}

}  // namespace

int main(int count, char** words) {
  Settings settings;
  CLI::App app{"local transactions beside PostgreSQL"};
  app.add_option("--connections", settings.connections, "with one transaction each")->capture_default_str();
  app.add_option("--ops", settings.ops, "inserts of a transaction")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--seconds", settings.seconds, "of each round")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of each")->check(CLI::Range(1, 99))->capture_default_str();
  CLI11_PARSE(app, count, words);
  try {
    compare(settings);
    return 0;
  } catch (std::exception const& error) {
    fmt::print(stderr, "transactions_bench: {}\n", error.what());
    return 1;
  }
}
