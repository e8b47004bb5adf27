// Counts the events of producer and backends by id, and finds what was lost or done twice. It relies on the processes
// that did the work and on the machine's monotonic clock, never on the daemon's statements about itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clients/main_job/event.h"
#include "fastjournal/histogram.h"

namespace fastjournal::main_job {

struct Counts {
  std::uint64_t pages{0};     // different keys inserted
  std::uint64_t finished{0};  // of these: done or parked since their last insert
  std::uint64_t inserted{0};
  std::uint64_t merged{0};
  std::uint64_t behind{0};
  std::uint64_t unchanged{0};  // duplicate or stale
  std::uint64_t leased{0};
  std::uint64_t again{0};  // leases of rows that had been leased before
  std::uint64_t done{0};
  std::uint64_t parked{0};
  std::uint64_t refused{0};  // DONE was too late
  std::uint64_t bytes{0};    // read for work that was done
};

// Violations, each with the ids, and the fate of leases without DONE or FAIL.
struct Verdict {
  std::vector<std::string> lost;
  std::vector<std::string> doubled;
  std::uint64_t timed_out{0};  // leases that ended without DONE or FAIL
  std::uint64_t came_back{0};  // of these: the row was leased again,
  std::uint64_t folded{0};     // or merged into a newer row of its key, which was done
};

class Ledger {
 public:
  // `worker` recorded the event, and has the leases in it.
  void add(std::string_view worker, Event const& event);
  // The worker was killed: all its leases ended then at the latest.
  void ended(std::string_view worker, std::int64_t us);

  [[nodiscard]] Counts const& counts() const { return counts_; }
  // From LISTEN's date to the time of reading the message, in us.
  [[nodiscard]] Histogram const& lateness() const { return lateness_; }
  struct InHand {
    std::vector<std::uint64_t> rows;  // leased to the worker, not finished
    bool between{false};              // a DONE is on its way: it is unknown whether the daemon has it
  };
  [[nodiscard]] InHand in_hand(std::string_view worker) const;
  // Times of the first insert, and of the last row done.
  [[nodiscard]] std::int64_t first_us() const { return first_us_; }
  [[nodiscard]] std::int64_t last_us() const { return last_us_; }
  // Maximum number of rows done within one second.
  [[nodiscard]] std::uint64_t best_second() const;
  // The keys that must be in the index, sorted.
  [[nodiscard]] std::vector<std::string> keys_done() const;

  [[nodiscard]] Verdict check() const;

 private:
  struct Lease {
    std::uint64_t row;
    std::uint64_t epoch;
    std::uint32_t key;
    std::uint32_t worker;
    std::int64_t from_us;
    std::int64_t until_us;  // promised by the daemon; earlier once the worker ended
    enum class End : std::uint8_t { open, worked, done, parked, refused } end;
  };
  struct Key {
    std::string uri;
    // The last accepted insert: its time of sending, and the row in its answer.
    std::int64_t insert_us{0};
    std::uint64_t insert_row{0};
    // The last lease that ended with DONE or FAIL.
    std::int64_t lease_us{0};
    std::uint64_t lease_row{0};
    bool done{false};
    bool finished{false};
  };

  std::uint32_t key_of(std::string_view uri);
  std::uint32_t worker_of(std::string_view name);
  Lease* lease_of(std::uint64_t epoch);
  void on_insert(Event const& event);
  void on_lease(std::uint32_t worker, Event const& event);
  void on_end(Event const& event);
  void settle(Key& key);
  void check_leases(Verdict& verdict) const;
  void check_ends(Verdict& verdict) const;

  Counts counts_;
  Histogram lateness_;
  std::vector<Key> keys_;
  std::unordered_map<std::string, std::uint32_t> key_by_uri_;
  std::vector<std::string> workers_;
  std::vector<Lease> leases_;
  std::unordered_map<std::uint64_t, std::size_t> lease_by_epoch_;
  std::unordered_map<std::uint64_t, std::uint64_t> leases_of_row_;
  std::unordered_map<std::uint64_t, std::uint64_t> ends_of_row_;
  std::vector<std::string> odd_;  // found while adding
  std::vector<std::int64_t> done_us_;
  std::int64_t first_us_{0};
  std::int64_t last_us_{0};
};

}  // namespace fastjournal::main_job
