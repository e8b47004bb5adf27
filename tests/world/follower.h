// A follower of a table of the simulated daemon: datagrams arrive over a bad network, and missing records are fetched
// over a connection, one answer at a time, while the daemon continues to serve.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "clients/programs/feed/replica/replica.h"
#include "tests/world/world.h"

namespace fastjournal::sim {

[[nodiscard]] inline FeedDeclaration feed_that_keeps(std::uint64_t bytes) {
  FeedDeclaration out;
  out.address = "sim";
  out.keep_bytes = bytes;
  return out;
}

class Follower {
 public:
  Follower(World& world, std::string table, std::uint64_t seed)
      : world_(world), table_(std::move(table)), random_(seed), replica_(table_, world.types()) {}

  // Takes the datagrams that arrived, and makes one request if anything is missing. Fails if the daemon's answer is
  // wrong.
  [[nodiscard]] Status step();
  // Takes datagrams only; true if nothing is missing afterwards.
  bool hear();
  // Goes on until it has all records of the daemon.
  [[nodiscard]] Status catch_up();
  // Catches up and compares with the daemon's table; empty, or the difference.
  [[nodiscard]] std::string compare();

  [[nodiscard]] replica::Replica const& replica() const { return replica_; }

 private:
  World& world_;
  std::string table_;
  std::mt19937_64 random_;
  replica::Replica replica_;
};

}  // namespace fastjournal::sim
