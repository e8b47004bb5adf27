// Counts the events of producer and backends by id, and finds what was lost or done twice. It relies on the processes
// that did the work and on the machine's monotonic clock.
//
// The producer knows no row numbers: it saves changes of pages. A row has one change for its insert and one for each
// that was merged into it, also of a row that folded into it. So the changes of a page's completed rows must be exactly
// as many as were saved: fewer, and one was lost; more, and one counted twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clients/demo/main_job/event.h"
#include "fastjournal/histogram.h"

namespace fastjournal::main_job {

struct Counts {
  std::uint64_t pages{0};     // different keys saved
  std::uint64_t finished{0};  // of these: rows that are done or parked have all changes
  std::uint64_t saved{0};     // changes
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
  // The daemon was killed, and started again: it may have forgotten leases, whose rows then go to others at once.
  void daemon_killed(std::int64_t us);
  void daemon_started(std::int64_t us) { daemon_started_us_ = us; }

  [[nodiscard]] Counts const& counts() const { return counts_; }
  // From LISTEN's date to the time of reading the message, in us.
  [[nodiscard]] Histogram const& lateness() const { return lateness_; }
  struct InHand {
    std::vector<std::uint64_t> rows;  // leased to the worker, not finished
    bool between{false};              // a DONE is on its way: it is unknown whether the daemon has it
  };
  [[nodiscard]] InHand in_hand(std::string_view worker) const;
  struct Saves {
    std::uint64_t count{0};
    std::uint64_t p99_us{0};
    std::uint64_t slowest_us{0};
  };
  // Those that began at `from_us` or later, and before `until_us`.
  [[nodiscard]] Saves saves(std::int64_t from_us, std::int64_t until_us) const;
  // Times of the first save, and of the last row done.
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
    std::int64_t until_us;  // promised by the daemon; earlier once the worker or the daemon ended
    std::uint64_t changes;
    std::int64_t worked_us{0};  // DONE or FAIL was sent then
    enum class End : std::uint8_t { open, worked, done, parked, refused } end{End::open};
  };
  struct Key {
    std::string uri;
    std::uint64_t saves{0};
    // Of rows that are done or parked.
    std::uint64_t changes{0};
    std::uint64_t changes_unsure{0};  // of rows that are done, or went into one that is counted as well
    std::uint64_t row{0};             // the last one that was leased
    std::uint64_t row_ended{0};       // the last one that is done or parked
    bool done{false};
    bool finished{false};
  };

  std::uint32_t key_of(std::string_view uri);
  std::uint32_t worker_of(std::string_view name);
  Lease* lease_of(std::uint64_t epoch);
  void on_save(Event const& event);
  void on_lease(std::uint32_t worker, Event const& event);
  void on_end(Event const& event);
  void settle(Key& key);
  void cut_by_daemon(Lease& lease) const;
  void check_changes(Verdict& verdict) const;
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
  struct Save {
    std::int64_t us;
    std::uint64_t duration_us;
  };
  std::vector<Save> saves_;
  std::vector<std::int64_t> done_us_;
  // 0: it was not killed; it was not started again so far.
  std::int64_t daemon_killed_us_{0};
  std::int64_t daemon_started_us_{0};
  std::int64_t first_us_{0};
  std::int64_t last_us_{0};
};

}  // namespace fastjournal::main_job
