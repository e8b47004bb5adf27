// Durable messages through a queue beside RabbitMQ (quorum queue, AMQP 0-9-1) and ActiveMQ (STOMP), in one run on the same
// disk: each of some connections sends messages, so many at once without an answer, and gets messages, which it
// acknowledges. A message counts when its acknowledgement was sent; ours when that was answered, which means synced.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fastjournal/message.h"
#include "tests/bench/brokers.h"
#include "tests/bench/measure.h"
#include "tests/support/line_client.h"
#include "wire/framer.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::bench {
namespace queue_bench {

constexpr std::size_t kReadBytes = 256U << 10U;

struct Settings {
  std::size_t connections{8};
  std::size_t at_once{32};
  std::size_t bytes{200};
  double seconds{4.0};
  int rounds{3};
};

[[noreturn]] void refused(std::string_view text) {
  throw std::runtime_error("refused: " + std::string{text.substr(0, 300)});
}

// What bytes of a server mean.
struct Event {
  enum class Kind : std::uint8_t { none, ready, confirmed, delivered, done, other } kind{Kind::none};
  std::uint64_t count{1};  // confirmed: so many
};

// One connection's side of a protocol.
class Speech {
 public:
  virtual ~Speech() = default;
  virtual void hello(std::string& out) = 0;
  virtual void send(std::string_view body, std::string& out) = 0;
  // Takes a whole message off the front: returns its bytes, 0 if there is none. Acknowledges what is delivered.
  virtual std::size_t read(std::string_view in, Event& event, std::string& out) = 0;
};
using MakeSpeech = std::function<std::unique_ptr<Speech>()>;

// ---------------------------------------------------------------------------
// fastjournal: frames

class Own final : public Speech {
 public:
  explicit Own(Settings const& settings) : settings_(settings) {}
  void hello(std::string& out) override {
    std::vector<Param> const params{{"table", Value::of_text("post")},
                                    {"queue", Value::of_text("bench")},
                                    {"mode", Value::of_text("deliver")},
                                    {"credit", Value::of_integer(static_cast<std::int64_t>(settings_.at_once))}};
    protocol::append_frame({.command = "LISTEN", .params = params}, out);
  }
  void send(std::string_view body, std::string& out) override {
    std::vector<Param> const params{
        {"table", Value::of_text("post")}, {"queue", Value::of_text("bench")}, {"body", Value::of_text(body)}};
    protocol::append_frame({.command = "SEND", .params = params}, out);
  }
  std::size_t read(std::string_view in, Event& event, std::string& out) override {
    if (in.size() < protocol::kFrameHeaderBytes) return 0;
    std::size_t length = 0;
    for (std::size_t i = 4; i < protocol::kFrameHeaderBytes; ++i)
      length = length << 8U | static_cast<unsigned char>(in[i]);
    if (in.size() < protocol::kFrameHeaderBytes + length) return 0;
    message_.clear();
    if (Status const status = protocol::parse_frame(in.substr(protocol::kFrameHeaderBytes, length), message_);
        !status.ok())
      refused(status.text());
    if (message_.command == "SENT") event.kind = Event::Kind::confirmed;
    if (message_.command == "ACCEPTED") event.kind = Event::Kind::done;
    if (message_.command == "LISTENING") event.kind = Event::Kind::ready;
    if (message_.command == "ERROR") refused(message_.text("message"));
    if (message_.command == "MESSAGE") {
      event.kind = Event::Kind::delivered;
      std::vector<Param> const params{{"table", Value::of_text("post")},
                                      {"message", *message_.find("message")},
                                      {"epoch", *message_.find("epoch")}};
      protocol::append_frame({.command = "ACCEPT", .params = params}, out);
    }
    return protocol::kFrameHeaderBytes + length;
  }

 private:
  Settings const& settings_;
  Message message_;
};

// ---------------------------------------------------------------------------
// RabbitMQ: AMQP 0-9-1, publisher confirms, a quorum queue

void number(std::uint64_t value, int bytes, std::string& out) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}
std::uint64_t number_at(std::string_view in, std::size_t at, int bytes) {
  std::uint64_t out = 0;
  for (int i = 0; i < bytes; ++i) out = out << 8U | static_cast<unsigned char>(in.at(at + static_cast<std::size_t>(i)));
  return out;
}
void short_text(std::string_view text, std::string& out) {
  number(text.size(), 1, out);
  out += text;
}
void long_text(std::string_view text, std::string& out) {
  number(text.size(), 4, out);
  out += text;
}
void frame(int type, int channel, std::string_view payload, std::string& out) {
  number(static_cast<std::uint64_t>(type), 1, out);
  number(static_cast<std::uint64_t>(channel), 2, out);
  long_text(payload, out);
  out += static_cast<char>(0xCE);
}
std::string method(int klass, int id) {
  std::string out;
  number(static_cast<std::uint64_t>(klass), 2, out);
  number(static_cast<std::uint64_t>(id), 2, out);
  return out;
}

class Amqp final : public Speech {
 public:
  explicit Amqp(Settings const& settings) : settings_(settings) {}
  void hello(std::string& out) override { out += std::string{"AMQP\0\0\x09\x01", 8}; }
  void send(std::string_view body, std::string& out) override {
    std::string publish = method(60, 40) + std::string(2, '\0');
    short_text("", publish);
    short_text("bench", publish);
    publish += '\0';
    frame(1, 1, publish, out);
    std::string header;
    number(60, 2, header);
    number(0, 2, header);
    number(body.size(), 8, header);
    number(0x1000, 2, header);  // delivery-mode
    header += '\2';
    frame(2, 1, header, out);
    frame(3, 1, body, out);
  }
  std::size_t read(std::string_view in, Event& event, std::string& out) override {
    if (in.size() < 8) return 0;
    std::size_t const size = number_at(in, 3, 4);
    if (in.size() < size + 8) return 0;
    std::string_view const payload = in.substr(7, size);
    if (in[0] == 1) on_method(payload, event, out);
    if (in[0] == 3) event.kind = Event::Kind::delivered;  // the body; one frame, as it is small
    return size + 8;
  }

 private:
  void on_method(std::string_view in, Event& event, std::string& out) {
    std::uint64_t const klass = number_at(in, 0, 2);
    std::uint64_t const id = number_at(in, 2, 2);
    auto const is = [&](std::uint64_t k, std::uint64_t i) { return klass == k && id == i; };
    if (is(10, 10)) {
      std::string ok = method(10, 11);
      long_text("", ok);
      short_text("PLAIN", ok);
      long_text(std::string{"\0guest\0guest", 12}, ok);
      short_text("en_US", ok);
      frame(1, 0, ok, out);
    } else if (is(10, 30)) {
      frame(1, 0, method(10, 31) + std::string{in.substr(4, 6)} + std::string(2, '\0'), out);
      std::string open = method(10, 40);
      short_text("/", open);
      short_text("", open);
      open += '\0';
      frame(1, 0, open, out);
    } else if (is(10, 41)) {
      std::string open = method(20, 10);
      short_text("", open);
      frame(1, 1, open, out);
    } else if (is(20, 11)) {
      std::string declare = method(50, 10) + std::string(2, '\0');
      short_text("bench", declare);
      declare += '\2';  // durable
      std::string table;
      short_text("x-queue-type", table);
      table += 'S';
      long_text("quorum", table);
      long_text(table, declare);
      frame(1, 1, declare, out);
    } else if (is(50, 11)) {
      frame(1, 1, method(85, 10) + '\0', out);
    } else if (is(85, 11)) {
      std::string qos = method(60, 10);
      number(0, 4, qos);
      number(settings_.at_once, 2, qos);
      qos += '\0';
      frame(1, 1, qos, out);
    } else if (is(60, 11)) {
      std::string consume = method(60, 20) + std::string(2, '\0');
      short_text("bench", consume);
      short_text("", consume);
      consume += '\0';
      long_text("", consume);
      frame(1, 1, consume, out);
    } else if (is(60, 21)) {
      event.kind = Event::Kind::ready;
    } else if (is(60, 80)) {
      std::uint64_t const tag = number_at(in, 4, 8);
      event.kind = Event::Kind::confirmed;
      // Acknowledged one by one, or all up to a number; not always in order.
      bool const multiple = in.at(12) != 0;
      event.count = 0;
      if (tag >= confirmed_.size()) confirmed_.resize(tag + 1024);
      for (std::uint64_t at = multiple ? first_ : tag; at <= tag; ++at)
        if (!confirmed_[at]) confirmed_[at] = true, ++event.count;
      while (first_ < confirmed_.size() && confirmed_[first_]) ++first_;
    } else if (is(60, 60)) {
      std::size_t const name = number_at(in, 4, 1);
      std::string ack = method(60, 80);
      number(number_at(in, 5 + name, 8), 8, ack);
      ack += '\0';
      frame(1, 1, ack, out);
    } else if (is(10, 50) || is(20, 40) || is(60, 120)) {
      // Its reason stands behind the numbers.
      refused(in.substr(std::min<std::size_t>(in.size(), 7)));
    }
  }

  Settings const& settings_;
  std::vector<bool> confirmed_;
  std::uint64_t first_{1};
};

// ---------------------------------------------------------------------------
// ActiveMQ: STOMP

class Stomp final : public Speech {
 public:
  explicit Stomp(Settings const& settings) : settings_(settings) {}
  void hello(std::string& out) override {
    out += std::string{"CONNECT\naccept-version:1.2\nhost:bench\n\n\0", 42};
    out += fmt::format("SUBSCRIBE\nid:0\ndestination:/queue/bench\nack:client-individual\nactivemq.prefetchSize:{}\n\n",
                       settings_.at_once) +
           '\0';
  }
  void send(std::string_view body, std::string& out) override {
    out += fmt::format("SEND\ndestination:/queue/bench\npersistent:true\nreceipt:{}\ncontent-length:{}\n\n", ++sent_,
                       body.size());
    out += body;
    out += '\0';
  }
  std::size_t read(std::string_view in, Event& event, std::string& out) override {
    std::size_t skipped = 0;
    while (skipped < in.size() && (in[skipped] == '\n' || in[skipped] == '\r')) ++skipped;
    std::string_view const at = in.substr(skipped);
    std::size_t const end = at.find('\0');
    if (end == std::string_view::npos) return 0;
    if (at.starts_with("CONNECTED")) event.kind = Event::Kind::ready;
    if (at.starts_with("RECEIPT")) event.kind = Event::Kind::confirmed;
    if (at.starts_with("ERROR")) refused(at.substr(0, end));
    if (at.starts_with("MESSAGE")) {
      event.kind = Event::Kind::delivered;
      std::size_t const ack = at.find("\nack:") + 5;
      out += "ACK\nid:" + std::string{at.substr(ack, at.find('\n', ack) - ack)} + "\n\n" + '\0';
    }
    return skipped + end + 1;
  }

 private:
  Settings const& settings_;
  std::uint64_t sent_{0};
};

// ---------------------------------------------------------------------------
// The driver

class Driver {
 public:
  Driver(std::string const& address, MakeSpeech const& make, Settings const& settings, bool counts_done)
      : settings_(settings), counts_done_(counts_done) {
    for (std::size_t i = 0; i < settings.connections; ++i) {
      Line& line = lines_.emplace_back();
      line.client = std::make_unique<test::LineClient>(address);
      line.speech = make();
      line.speech->hello(line.out);
      // One after the other: RabbitMQ fails where several connections declare a quorum queue at the same moment.
      wait([&] { return lines_.back().is_ready; }, 30.0);
      if (!lines_.back().is_ready) throw std::runtime_error("not ready after 30 s: " + address);
    }
  }

  // Messages a second.
  double run() {
    goes_ = true;
    wait([] { return false; }, settings_.seconds / 4);
    std::uint64_t const before = done_;
    auto const begin = Clock::now();
    wait([] { return false; }, settings_.seconds);
    double const rate = static_cast<double>(done_ - before) / seconds_since(begin);
    goes_ = false;
    wait([&] { return done_ >= sent_; }, 20.0);
    return rate;
  }

 private:
  struct Line {
    std::unique_ptr<test::LineClient> client;
    std::unique_ptr<Speech> speech;
    std::string in;
    std::string out;
    std::size_t unconfirmed{0};
    bool is_ready{false};
  };

  // Bounded: what consumers have not acknowledged is at most twice what may be under way.
  [[nodiscard]] bool may_send(Line const& line) const {
    return goes_ && line.is_ready && line.unconfirmed < settings_.at_once &&
           sent_ - done_ < 2 * settings_.connections * settings_.at_once;
  }

  template <typename Until>
  void wait(Until const& until, double seconds) {
    auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    std::string const body(settings_.bytes, 'm');
    std::vector<pollfd> polled(lines_.size());
    while (!until() && Clock::now() < end) {
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        Line& line = lines_[i];
        while (may_send(line)) {
          line.speech->send(body, line.out);
          ++line.unconfirmed;
          ++sent_;
        }
        flush(line);
        polled[i] = {line.client->fd(), static_cast<short>(POLLIN | (line.out.empty() ? 0 : POLLOUT)), 0};
      }
      if (::poll(polled.data(), polled.size(), 100) < 0) throw std::runtime_error("poll failed");
      for (std::size_t i = 0; i < lines_.size(); ++i)
        if ((polled[i].revents & POLLIN) != 0) read(lines_[i]);
    }
  }
  static void flush(Line& line) {
    if (line.out.empty()) return;
    ssize_t const put = ::send(line.client->fd(), line.out.data(), line.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put > 0) line.out.erase(0, static_cast<std::size_t>(put));
  }
  void read(Line& line) {
    buffer_.resize(kReadBytes);
    ssize_t const got = ::recv(line.client->fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got == 0) throw std::runtime_error("the connection was closed: " + line.in.substr(0, 300));
    if (got < 0) return;
    line.in.append(buffer_, 0, static_cast<std::size_t>(got));
    std::size_t at = 0;
    while (true) {
      Event event;
      std::size_t const size = line.speech->read(std::string_view{line.in}.substr(at), event, line.out);
      if (size == 0) break;
      at += size;
      if (event.kind == Event::Kind::ready) line.is_ready = true;
      if (event.kind == Event::Kind::confirmed)
        line.unconfirmed -= std::min<std::size_t>(line.unconfirmed, event.count);
      if (event.kind == (counts_done_ ? Event::Kind::done : Event::Kind::delivered)) ++done_;
    }
    line.in.erase(0, at);
  }

  Settings const& settings_;
  bool counts_done_;
  std::vector<Line> lines_;
  std::string buffer_;
  bool goes_{false};
  std::uint64_t sent_{0};
  std::uint64_t done_{0};
};

void compare(Settings const& settings, bool with_active) {
  std::unique_ptr<bench::Broker> const own = bench::start_fastjournal();
  std::unique_ptr<bench::Broker> const rabbit = bench::start_rabbitmq();
  std::unique_ptr<bench::Broker> const active = with_active ? bench::start_activemq() : nullptr;
  struct Entry {
    std::string name;
    std::string address;
    MakeSpeech make;
    bool counts_done;
    std::vector<double> rates{};
  };
  std::vector<Entry> entries;
  entries.push_back(
      {"fastjournal, frames, credit", own->address(), [&] { return std::make_unique<Own>(settings); }, true});
  entries.push_back(
      {"RabbitMQ, quorum queue, confirms", rabbit->address(), [&] { return std::make_unique<Amqp>(settings); }, false});
  if (active)
    entries.push_back(
        {"ActiveMQ, STOMP, receipts", active->address(), [&] { return std::make_unique<Stomp>(settings); }, false});
  for (int round = 0; round < settings.rounds; ++round)
    for (Entry& entry : entries)
      entry.rates.push_back(Driver{entry.address, entry.make, settings, entry.counts_done}.run());
  double const base = median(entries[1].rates);
  fmt::print(
      "{} connections, {} messages of {} bytes at once each; sent, delivered and acknowledged; median of {} rounds of "
      "{} s\n",
      settings.connections, settings.at_once, settings.bytes, settings.rounds, settings.seconds);
  fmt::print("{:<40}{:>14}{:>10}\n", "", "messages/s", "ratio");
  for (Entry const& entry : entries)
    fmt::print("{:<40}{:>14.0f}{:>10.1f}\n", entry.name, median(entry.rates), median(entry.rates) / base);
}

}  // namespace queue_bench

int measure_queue(int count, char** words) {
  using namespace queue_bench;
  Settings settings;
  bool no_activemq = false;
  CLI::App app{"durable messages through a queue, beside RabbitMQ and ActiveMQ"};
  app.add_option("--connections", settings.connections, "that send and consume")->capture_default_str();
  app.add_option("--at-once", settings.at_once, "messages without an answer on each")->capture_default_str();
  app.add_option("--bytes", settings.bytes, "of a message")->capture_default_str();
  app.add_option("--seconds", settings.seconds, "of each round")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of each")->check(CLI::Range(1, 99))->capture_default_str();
  app.add_flag("--no-activemq", no_activemq, "RabbitMQ alone");
  CLI11_PARSE(app, count, words);
  compare(settings, !no_activemq);
  return 0;
}

}  // namespace fastjournal::bench
