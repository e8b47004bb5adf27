// Somebody who follows the table of a simulated daemon: datagrams arrive
// through bad weather, what is missing is fetched over a connection, one answer
// at a time, while the daemon's life goes on.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "replica/replica.h"
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

  // What the network brought, and one request with its answer. Not ok: the daemon's answer made no sense.
  [[nodiscard]] Status step();
  // Datagrams alone; true if nothing is missing then.
  bool hear();
  // Until it is where the daemon is.
  [[nodiscard]] Status catch_up();
  // Catches up and compares: empty, or what differs.
  [[nodiscard]] std::string compare();

  [[nodiscard]] replica::Replica const& replica() const { return replica_; }

 private:
  World& world_;
  std::string table_;
  std::mt19937_64 random_;
  replica::Replica replica_;
};

}  // namespace fastjournal::sim
