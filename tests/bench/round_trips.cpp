#include "tests/bench/round_trips.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace fastjournal::bench {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;

void append_int(std::size_t value, std::size_t bytes, std::string& out) {
  for (std::size_t i = bytes; i-- > 0;) out += static_cast<char>(value >> (8 * i));
}
std::size_t read_int(std::string_view bytes, std::size_t at, std::size_t count) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < count; ++i) out = out << 8U | static_cast<unsigned char>(bytes[at + i]);
  return out;
}
void packet(char type, std::string_view body, std::string& out) {
  if (type != 0) out += type;
  append_int(body.size() + 4, 4, out);
  out += body;
}
std::string text(std::string_view value) { return std::string{value} + '\0'; }

template <typename Line>
void send(Line& line) {
  while (!line.out.empty()) {
    ssize_t const put = ::send(line.fd, line.out.data(), line.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put <= 0) return;
    line.out.erase(0, static_cast<std::size_t>(put));
  }
}
template <typename Line>
void step(Line& line, bool waits) {
  send(line);
  std::string buffer(kReadBytes, '\0');
  ssize_t const got = ::recv(line.fd, buffer.data(), buffer.size(), waits ? 0 : MSG_DONTWAIT);
  if (got == 0) throw std::runtime_error("the connection was closed: " + line.in);
  if (got > 0) line.in.append(buffer, 0, static_cast<std::size_t>(got));
}

}  // namespace

[[noreturn]] void refused(std::string_view text) { throw std::runtime_error("refused: " + std::string{text}); }

// ---------------------------------------------------------------------------

RoundTrips::RoundTrips(std::string const& address, Speech const& speech, std::size_t connections) : speech_(speech) {
  for (std::size_t i = 0; i < connections; ++i) {
    clients_.push_back(std::make_unique<test::LineClient>(address));
    lines_.emplace_back().fd = clients_.back()->fd();
  }
  if (!speech_.hello) return;
  for (Line& line : lines_) {
    speech_.hello(line.out);
    for (int answers = 0; answers < 2;) {
      step(line, true);
      while (std::size_t const size = speech_.answer(line.in, line.taken)) {
        line.in.erase(0, size);
        ++answers;
      }
    }
  }
}

double RoundTrips::run(double seconds, std::uint64_t& number, Histogram& latency_us) {
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
      while (std::size_t const size = speech_.answer(line.in, line.taken)) {
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

void RoundTrips::begin_one(Line& line, std::uint64_t& number) {
  line.sent = Clock::now();
  speech_.request(++number, line.taken, line.out);
  send(line);
}

void run_round(std::vector<Contender>& contenders, std::size_t connections, double seconds, std::uint64_t& number) {
  for (Contender& one : contenders) {
    RoundTrips driver{one.address, one.speech, connections};
    one.rates.push_back(driver.run(seconds, number, one.latency_us));
  }
}

// ---------------------------------------------------------------------------
// PostgreSQL

void postgres_hello(std::string& out) {
  std::string start;
  append_int(196608, 4, start);
  start += text("user") + text("bench") + text("database") + text("postgres") + text("");
  packet(0, start, out);
}

void postgres_prepare(std::string_view name, std::string_view statement, std::string& out) {
  packet('P', text(name) + text(statement) + std::string(2, '\0'), out);
}

void postgres_execute(std::string_view name, std::initializer_list<std::string_view> values, std::string& out) {
  std::string bind = text("") + text(name);
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

void postgres_sync(std::string& out) { packet('S', {}, out); }

void postgres_simple(std::string_view statements, std::string& out) { packet('Q', text(statements), out); }

std::size_t postgres_answer(std::string_view bytes, std::function<void(std::string_view value)> const& row) {
  // A whole answer before any of its rows is read.
  std::size_t whole = 0;
  for (std::size_t at = 0; whole == 0;) {
    if (bytes.size() - at < 5) return 0;
    std::size_t const length = 1 + read_int(bytes, at + 1, 4);
    if (bytes.size() - at < length) return 0;
    if (bytes[at] == 'E') refused(bytes.substr(at, length));
    if (bytes[at] == 'Z') whole = at + length;
    at += length;
  }
  if (!row) return whole;
  for (std::size_t at = 0; at < whole; at += 1 + read_int(bytes, at + 1, 4)) {
    if (bytes[at] != 'D') continue;
    std::size_t value = at + 7;
    for (std::size_t left = read_int(bytes, at + 5, 2); left > 0; --left) {
      std::size_t const size = read_int(bytes, value, 4);
      row(bytes.substr(value + 4, size));
      value += 4 + size;
    }
  }
  return whole;
}

}  // namespace fastjournal::bench
