// A client of its own for benches that compare round trips: on each of many connections one request is under way, whose
// answer brings what the next one needs. How the requests are spelled is a Speech.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/histogram.h"
#include "tests/support/line_client.h"

namespace fastjournal::bench {

// One way to say a request.
struct Speech {
  std::string name;
  std::function<void(std::string& out)> hello{};  // empty: none is needed
  // `taken`: what the last answer of this connection brought, as answer() left it.
  std::function<void(std::uint64_t number, std::string const& taken, std::string& out)> request{};
  // Bytes of the answer to hello or to a request; 0: it is not whole.
  std::function<std::size_t(std::string_view bytes, std::string& taken)> answer{};
};

// Throws with what the server said.
[[noreturn]] void refused(std::string_view text);

class RoundTrips {
 public:
  RoundTrips(std::string const& address, Speech const& speech, std::size_t connections);

  // Requests a second. `number`: counts them all, as keys are new.
  double run(double seconds, std::uint64_t& number, Histogram& latency_us);

 private:
  using Clock = std::chrono::steady_clock;
  struct Line {
    int fd{-1};
    std::string in{};
    std::string out{};
    std::string taken{};
    Clock::time_point sent{};
  };

  void begin_one(Line& line, std::uint64_t& number);

  Speech const& speech_;
  std::vector<std::unique_ptr<test::LineClient>> clients_;
  std::vector<Line> lines_;
};

// One side of a comparison, with what it has done so far.
struct Contender {
  Speech speech{};
  std::string address{};
  std::vector<double> rates{};  // requests a second, of each round
  Histogram latency_us{};
};
// Each in turn.
void run_round(std::vector<Contender>& contenders, std::size_t connections, double seconds, std::uint64_t& number);

// -- PostgreSQL's protocol, version 3 ---------------------------------------
// User `bench` of the database `postgres`.
void postgres_hello(std::string& out);
void postgres_prepare(std::string_view name, std::string_view statement, std::string& out);
void postgres_execute(std::string_view name, std::initializer_list<std::string_view> values, std::string& out);
void postgres_sync(std::string& out);
// Statements that are carried out as they are.
void postgres_simple(std::string_view statements, std::string& out);
// Ready ends each; after a hello there are two: of the connection, and of the statements. `row`: gets the values of each
// row that came.
[[nodiscard]] std::size_t postgres_answer(std::string_view bytes,
                                          std::function<void(std::string_view value)> const& row = {});

}  // namespace fastjournal::bench
