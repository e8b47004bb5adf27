// Keeps a number of connections busy, with a number of operations in flight on each, from one thread and for any peer.
// It works with a window, not in rounds: each answer is followed by the next operation, and operations that follow
// answers of one read are sent together.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fastjournal/histogram.h"
#include "tests/bench/ledger.h"
#include "tests/bench/peer.h"

namespace fastjournal::bench {

enum class Work : std::uint8_t {
  insert,
  lease_done,  // one request for each of both
  chained,     // DONE asks for the next row in the same message, if the peer can do that
  deliver,     // rows are delivered without requests, if the peer can do that; in_flight is the credit
  cycle,       // insert, lease, done; one after the other on each connection
  wait,        // workers wait for rows with dates; measures how late rows come
};

struct Plan {
  Work work{Work::insert};
  std::uint32_t connections{1};
  std::uint32_t in_flight{1};
  std::uint32_t batch{1};  // inserts are sent in groups of at least this many
  double seconds{1.0};     // then no operation is begun, and those in flight are finished
  // The plan also ends after this many inserts. With deliver and wait: after this many finished rows, or `seconds`.
  std::uint64_t rows{UINT64_MAX};
  std::uint64_t keys{0};  // 0: each row has its own key; else this many keys in turn
  // Delay in ms of the plan's n-th row, counted from 0.
  std::function<std::int64_t(std::uint64_t)> delay_ms{};
  // Called when all connections are there, before the first operation.
  std::function<void()> connected{};
};

struct Outcome {
  std::uint64_t operations{0};  // inserts, or finished rows, or cycles
  std::uint64_t refused{0};
  std::string first_refusal;
  bool supported{true};
  bool finished{true};  // false if an expected answer did not come
  double seconds{0};
  double driver_busy{0};  // share of the time that the driver's thread ran; near 1 the driver is the limit
  Histogram latency_us;   // from request to answer; with Work::wait: how late a row came
  [[nodiscard]] double per_second() const { return seconds > 0 ? static_cast<double>(operations) / seconds : 0; }
};

// Payloads of 200 letters that do not repeat soon, so that compression gives no advantage.
class Payloads {
 public:
  Payloads();
  [[nodiscard]] std::string_view operator[](std::uint64_t number) const {
    return std::string_view{letters_}.substr(number * 31 % (letters_.size() - kBytes), kBytes);
  }
  static constexpr std::size_t kBytes = 200;

 private:
  std::string letters_;
};

// Throws std::system_error if it cannot connect.
[[nodiscard]] Outcome run(Peer const& peer, Plan const& plan, Ledger& ledger);

}  // namespace fastjournal::bench
