// The job of the tests of a cluster: producers add rows, workers take and finish them, each on a thread of its own, until
// they are told to end. Then nothing that was acknowledged may be missing, and nothing may have been done twice.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/journal.h"

namespace fastjournal::test {

// Of a client that waits for a new owner.
[[nodiscard]] client::Options patient(std::string const& server);
[[nodiscard]] std::unique_ptr<client::Connection> connect(std::string const& server);

class Job {
 public:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;

  // In table `work` of ClusterDaemons. Rows are due at once, or with `dated_ms` at any time up to so much later.
  explicit Job(std::string servers, std::int64_t dated_ms = 0);
  ~Job() { end(); }
  Job(Job const&) = delete;
  Job& operator=(Job const&) = delete;

  // Producers end at once, workers when there is nothing left.
  void end();
  // Until this holds, at most so long; looked at whenever something was acknowledged, and now and then.
  template <typename Holds>
  bool wait(Milliseconds limit, Holds const& holds) {
    Clock::time_point const end = Clock::now() + limit;
    std::unique_lock held{lock_};
    for (;;) {
      held.unlock();
      bool const is_so = holds();
      held.lock();
      if (is_so || Clock::now() >= end) return is_so;
      acknowledged_.wait_until(held, std::min(end, Clock::now() + Milliseconds{50}));
    }
  }
  // So many more are acknowledged.
  bool wait_for(std::uint64_t more, Milliseconds limit = std::chrono::seconds{20}) {
    std::uint64_t const wanted = added() + more;
    return wait(limit, [&] { return added() >= wanted; });
  }
  // The longest time without an acknowledgement.
  [[nodiscard]] std::int64_t longest_gap_ms();
  void forget_gaps();
  [[nodiscard]] std::uint64_t added();
  // A row that another producer was acknowledged.
  void expect(std::string const& name);
  // By so much a row was given out before its date, at most, by this computer's clock.
  [[nodiscard]] std::int64_t early_ms();
  // So often its workers have finished that row.
  [[nodiscard]] int done(std::string const& name);
  // Says what became of all rows, and holds it against what was promised.
  void check();

 private:
  static constexpr std::size_t kProducers = 3;
  static constexpr std::size_t kWorkers = 2;

  void answered();
  void produce(std::size_t at);
  static bool is_empty(client::Connection& connection);
  void take(std::size_t at, std::vector<client::Row> const& rows);
  void work(std::size_t at);

  std::string servers_;
  std::int64_t dated_ms_;
  std::atomic<bool> stop_{false};
  std::mutex lock_;
  std::condition_variable acknowledged_;
  std::set<std::string> added_;
  std::map<std::string, int> done_;
  std::set<std::string> may_be_done_;
  std::map<std::string, std::int64_t> dates_;  // of rows, before they are sent
  std::int64_t early_ms_{0};
  std::set<std::pair<std::uint64_t, std::uint64_t>> leases_;  // row and epoch
  std::vector<std::string> wrong_;
  std::map<std::string, int> failures_;  // by their texts
  Clock::time_point last_answer_{Clock::now()};
  std::int64_t longest_gap_ms_{0};
  std::vector<std::thread> threads_;
};

}  // namespace fastjournal::test
