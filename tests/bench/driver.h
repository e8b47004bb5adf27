// Keeps a number of connections busy with a number of operations in flight
// each, from one thread, whatever the peer. A window, not rounds: as an answer comes,
// what follows it is sent, and what follows from the answers that came together is sent together.
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
  lease_done,  // one request each
  chained,     // DONE that asks for the next row in the same message, where a peer can
  deliver,     // rows come by themselves, where a peer can; in_flight is the credit
  cycle,       // insert, lease, done: each connection one after the other
  wait,        // workers that wait for dates; what is measured is how late rows come
};

struct Plan {
  Work work{Work::insert};
  std::uint32_t connections{1};
  std::uint32_t in_flight{1};
  std::uint32_t batch{1};  // inserts go out when there is room for so many
  double seconds{1.0};     // then nothing new is begun, and what is in flight is waited for
  // Or until so many were inserted; with deliver and wait: worked, and then `seconds` is how long they may take.
  std::uint64_t rows{UINT64_MAX};
  std::uint64_t keys{0};  // 0: a key each; else this many, in turn
  // Delay of row number n, counted from the plan's first one, in ms.
  std::function<std::int64_t(std::uint64_t)> delay_ms{};
};

struct Outcome {
  std::uint64_t operations{0};  // inserts; rows worked; cycles
  std::uint64_t refused{0};
  std::string first_refusal;
  bool supported{true};
  bool finished{true};  // false: something that was waited for did not come
  double seconds{0};
  double driver_busy{0};  // share of the time that the driver's thread ran: near 1 it is the limit
  Histogram latency_us;   // of an operation, from its request to its answer; with Work::wait: how late a row came
  [[nodiscard]] double per_second() const { return seconds > 0 ? static_cast<double>(operations) / seconds : 0; }
};

// 200 bytes of letters that do not repeat soon: nobody may win by compressing them.
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
