// Lives of transactions in the daemon, local and distributed ones: workers move tokens around a ring of journals. Each
// move finishes a row of one journal, inserts the token into another, stores how often the token was moved in a blob, and
// counts it in a key/value table, all in one transaction, which may be rolled back, refused, left alone, sent as a whole, or under way when the power is cut; or it
// is a branch that is prepared and resolved much later. The tables are in one log, two or three, each of which loses
// what was not synced by itself. After each end every token must be in the ring exactly once, and the moves that the
// tokens have made are those that were counted, and those in their blobs: never half a transaction, and none lost that was
// acknowledged. At the end of a life no bytes are left of what was rolled back.
#pragma once

#include <cstdint>
#include <string>

namespace fastjournal::sim {

struct TransactionsLifeResult {
  std::string wrong{};  // empty: no promise was broken
  std::uint64_t steps{0};
  std::uint64_t committed{0};  // acknowledged
  std::uint64_t refused{0};    // in_transaction, rolled_back
  std::uint64_t crashes{0};
};

[[nodiscard]] TransactionsLifeResult live_with_transactions(std::uint64_t seed, std::uint64_t steps);

// Cuts the power at each changing call of the disk within COMMIT, XA_PREPARE, XA_COMMIT and XA_ROLLBACK, of transactions
// of different sizes, until `cuts` cuts were made.
struct CommitCutsResult {
  std::string wrong{};
  std::uint64_t cuts{0};
  std::uint64_t done{0};     // after which all of the transaction was there
  std::uint64_t nothing{0};  // ... or nothing of it
  std::uint64_t in_several_logs{0};
};
[[nodiscard]] CommitCutsResult cut_commits(std::uint64_t seed, std::uint64_t cuts);

// Puts an older copy in place of the log that decides, while the parts in the others wait for its outcome: they are in
// doubt until a person decides, and all of them go the way that was decided. Empty: so it was.
[[nodiscard]] std::string lose_homes(std::uint64_t seed, std::uint64_t times);

}  // namespace fastjournal::sim
