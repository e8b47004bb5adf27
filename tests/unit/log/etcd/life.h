// Random lives of three daemons that share one log on a simulated etcd (tests/sim/sim_etcd.h): whoever owns the log
// appends groups of records, and followers read along. Daemons are killed and stopped; members, links and answers fail.
//
// What must hold, whatever happens:
//   - a group that was durable is in the log for good: once, whole, and where it was said to be
//   - whatever two daemons read at one place of the log is the same
//   - who becomes the owner has read all that was durable before
//   - no two daemons answer at the same time
// And at the end, when nothing fails any more, somebody owns the log soon.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::log::etcd::test {

struct LifeResult {
  std::string wrong{};       // empty: nothing
  std::uint64_t groups{0};   // that were durable
  std::uint64_t unknown{0};  // of groups that an owner had appended and not seen durable when it ended
  std::uint64_t came{0};     // of these, those that are in the log all the same
  std::uint64_t owners{0};   // how often somebody became the owner
  std::uint64_t fenced{0};
  std::uint64_t kills{0};
  std::uint64_t gaps{0};  // entries behind a gap that a new owner removed
  std::uint64_t cuts{0};  // groups that were begun and not finished by an owner
  std::uint64_t truncated{0};
  std::int64_t without_us{0};  // the longest time without an owner after one was killed while all else was well
};

struct LifeOptions {
  bool has_faults{true};  // of etcd and the network
};

[[nodiscard]] LifeResult live(std::uint64_t seed, std::uint64_t steps, LifeOptions const& options = {});

}  // namespace fastjournal::log::etcd::test
