// Local transactions beside PostgreSQL, in one run on the same disk, committed and synced. Two kinds of work: a number of
// rows is inserted; or messages are taken from a queue and as many put on it, half of the operations each, which is what
// a worker does that hands work on. Every side gets its best form: everything of a transaction in one round trip,
// prepared statements with PostgreSQL. Ours is measured as BEGIN ... COMMIT by text, and as one TRANSACTION message of
// frames, as the libraries send it.
//
// Ours takes messages under leases first and accepts them in the next transaction, in one round trip with the next
// taking. PostgreSQL takes and deletes in the transaction itself, with one statement.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fastjournal/histogram.h"
#include "tests/bench/brokers.h"
#include "tests/bench/measure.h"
#include "tests/bench/peer.h"
#include "tests/bench/round_trips.h"
#include "wire/framer.h"
#include "wire/msgpack.h"

namespace fastjournal::bench {
namespace transactions_bench {

constexpr std::size_t kPayloadBytes = 200;

struct Settings {
  std::size_t connections{64};
  std::size_t ops{10};
  double seconds{2.0};
  int rounds{3};
};

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
  out.request = [ops](std::uint64_t number, std::string const&, std::string& to) {
    to += "BEGIN\n";
    for (std::size_t i = 0; i < ops; ++i)
      to += fmt::format("INSERT table=jobs;name=k{};payload={}\n", number * ops + i, payload_of(number));
    to += "COMMIT\n";
  };
  // BEGUN, PROMISED for each, COMMITTED, and the answer of each.
  out.answer = [lines = 2 + 2 * ops](std::string_view bytes, std::string&) -> std::size_t {
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

// The frame at the front; empty: it is not whole.
std::string_view frame_at(std::string_view bytes) {
  if (bytes.size() < protocol::kFrameHeaderBytes) return {};
  std::size_t length = 0;
  for (std::size_t i = 4; i < protocol::kFrameHeaderBytes; ++i)
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  std::size_t const whole = protocol::kFrameHeaderBytes + length;
  return bytes.size() < whole ? std::string_view{} : bytes.substr(0, whole);
}

// `sends`: messages to a queue, in place of rows of a journal.
Speech frame_speech(std::size_t ops, bool sends) {
  Speech out;
  out.name = sends ? "fastjournal, TRANSACTION of SENDs" : "fastjournal, TRANSACTION of frames";
  out.request = [ops, sends](std::uint64_t number, std::string const&, std::string& to) {
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
  out.answer = [answers = 1 + ops](std::string_view bytes, std::string&) -> std::size_t {
    std::size_t at = 0;
    for (std::size_t i = 0; i < answers; ++i) {
      std::string_view const frame = frame_at(bytes.substr(at));
      if (frame.empty()) return 0;
      if (frame.find("ERROR") != std::string_view::npos) refused(frame);
      at += frame.size();
    }
    return at;
  };
  return out;
}

// Half of the operations accept, half send.
Speech hand_over_speech(std::size_t ops) {
  Speech out;
  out.name = "fastjournal, TRANSACTION of ACCEPTs and SENDs";
  std::size_t const half = std::max<std::size_t>(1, ops / 2);
  out.request = [half](std::uint64_t number, std::string const& taken, std::string& to) {
    std::string frames = taken;
    std::string const payload = payload_of(number);
    std::vector<Param> const params{
        {"table", Value::of_text("post")}, {"queue", Value::of_text("bench")}, {"body", Value::of_text(payload)}};
    for (std::size_t i = 0; i < half; ++i) protocol::append_frame({.command = "SEND", .params = params}, frames);
    std::vector<Param> const whole{{"commands", Value::of_binary(frames)}};
    protocol::append_frame({.command = "TRANSACTION", .params = whole}, to);
    std::vector<Param> const next{
        {"table", Value::of_text("post")}, {"queue", Value::of_text("bench")}, {"count", Value::of_unsigned(half)}};
    protocol::append_frame({.command = "ACQUIRE", .params = next}, to);
  };
  out.answer = [half](std::string_view bytes, std::string& taken) -> std::size_t {
    std::size_t at = 0;
    std::size_t found = 0;
    std::string accepts;
    Message message;
    while (true) {
      std::string_view const frame = frame_at(bytes.substr(at));
      if (frame.empty()) return 0;
      at += frame.size();
      message.clear();
      if (Status const status = protocol::parse_frame(frame.substr(protocol::kFrameHeaderBytes), message); !status.ok())
        refused(status.text());
      if (message.command == "ERROR") refused(message.text("message"));
      if (message.command == "NOTHING") break;
      if (message.command != "MESSAGE") continue;
      std::vector<Param> const params{
          {"table", Value::of_text("post")}, {"message", *message.find("message")}, {"epoch", *message.find("epoch")}};
      protocol::append_frame({.command = "ACCEPT", .params = params}, accepts);
      if (++found == half || message.integer("left").value_or(0) == 0) break;
    }
    taken = accepts;
    return at;
  };
  return out;
}

// ---------------------------------------------------------------------------
// PostgreSQL

// `hands_over`: half of the operations take a row, the others insert one.
Speech postgres_speech(std::size_t ops, bool hands_over) {
  Speech out;
  out.name = hands_over ? "PostgreSQL, rows taken and inserted" : "PostgreSQL, prepared, in one round trip";
  std::size_t const half = std::max<std::size_t>(1, ops / 2);
  out.hello = [](std::string& to) {
    postgres_hello(to);
    for (auto const& [name, statement] :
         {std::pair{"b", "begin"}, std::pair{"c", "commit"},
          std::pair{"t",
                    "delete from jobs where id in (select id from jobs where lease_end is null order by priority, due, "
                    "id limit $1::bigint for update skip locked) returning id, payload"},
          std::pair{"i", "insert into jobs (key, payload, priority, due) values ($1::bigint, $2, 100, 0)"}})
      postgres_prepare(name, statement, to);
    postgres_sync(to);
  };
  out.request = [hands_over, half, ops, inserts = hands_over ? half : ops](std::uint64_t number,
                                                                           std::string const& taken, std::string& to) {
    std::string const payload = payload_of(number);
    postgres_execute("b", {}, to);
    if (hands_over && !taken.empty()) postgres_execute("t", {std::to_string(half)}, to);
    for (std::size_t i = 0; i < inserts; ++i) postgres_execute("i", {std::to_string(number * ops + i), payload}, to);
    postgres_execute("c", {}, to);
    postgres_sync(to);
  };
  out.answer = [](std::string_view bytes, std::string& taken) -> std::size_t {
    std::size_t const size = postgres_answer(bytes);
    if (size != 0) taken = "rows are there";
    return size;
  };
  return out;
}

// ---------------------------------------------------------------------------

void compare(Settings const& settings) {
  std::unique_ptr<bench::Peer> const ours = bench::make_fastjournal({.table = ""});
  std::unique_ptr<bench::Peer> const postgres = bench::make_postgres(false);
  ours->start();
  postgres->start();
  std::unique_ptr<bench::Broker> const queues = bench::start_fastjournal();
  // Each kind of work, the peer last. Taken is what the lines before have put there, so the tables are deep.
  std::vector<std::vector<Contender>> works(2);
  works[0].push_back({text_speech(settings.ops), ours->address()});
  works[0].push_back({frame_speech(settings.ops, false), ours->address()});
  works[0].push_back({frame_speech(settings.ops, true), queues->address()});
  works[0].push_back({postgres_speech(settings.ops, false), postgres->address()});
  works[1].push_back({hand_over_speech(settings.ops), queues->address()});
  works[1].push_back({postgres_speech(settings.ops, true), postgres->address()});
  std::uint64_t number = 0;
  for (int round = 0; round < settings.rounds; ++round)
    for (std::vector<Contender>& work : works) run_round(work, settings.connections, settings.seconds, number);
  fmt::print("{} connections, {} operations with {} bytes a transaction; median of {} rounds of {} s\n",
             settings.connections, settings.ops, kPayloadBytes, settings.rounds, settings.seconds);
  fmt::print("{:<48}{:>16}{:>14}{:>10}{:>10}{:>8}\n", "", "transactions/s", "operations/s", "p50 us", "p99 us",
             "ratio");
  for (std::vector<Contender> const& work : works)
    for (Contender const& entry : work)
      fmt::print("{:<48}{:>16.0f}{:>14.0f}{:>10}{:>10}{:>8.1f}\n", entry.speech.name, median(entry.rates),
                 median(entry.rates) * static_cast<double>(settings.ops), entry.latency_us.percentile(50),
                 entry.latency_us.percentile(99), median(entry.rates) / median(work.back().rates));
  ours->stop();
  postgres->stop();
}

}  // namespace transactions_bench

int measure_transactions(int count, char** words) {
  using namespace transactions_bench;
  Settings settings;
  CLI::App app{"local transactions beside PostgreSQL"};
  app.add_option("--connections", settings.connections, "with one transaction each")->capture_default_str();
  app.add_option("--ops", settings.ops, "operations of a transaction")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", settings.seconds, "of each round")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of each")->check(CLI::Range(1, 99))->capture_default_str();
  CLI11_PARSE(app, count, words);
  compare(settings);
  return 0;
}

}  // namespace fastjournal::bench
