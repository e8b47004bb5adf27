// What an etcd cluster has agreed on, as one object: keys with their history, leases, and the space they take. Requests
// are applied one after the other, so it is linearizable by itself. Which of them get here, and when, is decided by
// EtcdNodes (sim_etcd_nodes.h). Meanings are those of etcd 3.4 and 3.5.
//
// A member that lags has an older view: what it reads and tells its watchers is computed from the history, as of then.
//
// Faults of etcd versions that are in use, switched on in EtcdLimits:
//
//   lost deletions            a compaction drops deletions of exactly its revision: a watch that starts at that
//                             revision does not see them (etcd issue 18089, fixed in August 2024).
//   refused free transactions when the quota is used up, transactions without a put are refused like others (issue
//                             13429, fixed in 3.4.20 and 3.5.7).
//
// One is in all versions and cannot be switched off: a put that exceeds the quota, and whose member did not notice, is
// done and answered with `no_space` (issue 16659). `EtcdResult::is_done_all_the_same` says so to the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "log/etcd/client/cluster.h"
#include "tests/sim/sim_etcd_agenda.h"

namespace fastjournal::sim {

struct EtcdLimits {
  std::size_t operations_max{128};           // of a transaction: comparisons, `then` and `otherwise`, each
  std::size_t request_bytes_max{1'572'864};  // 1.5 MiB
  std::int64_t quota_bytes{std::int64_t{2} << 30U};
  std::int64_t ttl_s_min{2};  // shorter ones become this
  std::int64_t ttl_s_max{9'000'000'000};
  bool loses_deletions{false};
  bool refuses_free_transactions{false};
};

// How far a member is.
struct EtcdView {
  std::int64_t revision{1};    // of the newest change that it has applied
  std::int64_t compacted{-1};  // older revisions are gone; this one is still there
  bool has_alarm{false};
  bool operator==(EtcdView const&) const = default;
};

using EtcdBody = decltype(etcd::Answer::body);
struct EtcdResult {
  etcd::Outcome outcome{etcd::Outcome::done};
  etcd::Refusal refusal{etcd::Refusal::none};
  std::string why{};
  std::int64_t revision{0};
  EtcdBody body{};
  bool is_done_all_the_same{false};

  [[nodiscard]] bool is_done() const { return outcome == etcd::Outcome::done; }
  [[nodiscard]] static EtcdResult refused(etcd::Refusal refusal, std::string why);
};

class EtcdStore {
 public:
  explicit EtcdStore(EtcdLimits const& limits) : limits_(limits) {}

  // -- what a member asks before it proposes a request -------------------------
  // Its form and size.
  [[nodiscard]] EtcdResult check(etcd::Request const& request) const;
  // False: it would exceed the quota.
  [[nodiscard]] bool fits(etcd::Request const& request) const;
  // A read needs no agreement, but its moment does, unless it is serializable.
  [[nodiscard]] static bool is_read(etcd::Request const& request);
  [[nodiscard]] static bool is_serializable(etcd::Request const& request);

  // -- requests ----------------------------------------------------------------
  // Puts, deletions, transactions, compactions, grants and revocations. `lease`: the id of one that is granted, which
  // its member drew.
  [[nodiscard]] EtcdResult apply(etcd::Request const& request, std::int64_t lease, std::int64_t now_us);
  // A range, or a transaction of ranges only, as a member with this view answers it.
  [[nodiscard]] EtcdResult read(etcd::Request const& request, EtcdView view) const;
  [[nodiscard]] EtcdView view() const { return view_; }

  // -- watching ----------------------------------------------------------------
  [[nodiscard]] static bool is_in(std::string_view key, std::string_view begin, std::string_view end);
  // Events of whole revisions from `from` up to `upto`, of `revisions_max` revisions that have any. `next`: where to go
  // on.
  [[nodiscard]] std::vector<etcd::WatchNews::Event> events(etcd::WatchWish const& wish, std::int64_t from,
                                                           EtcdView upto, std::size_t revisions_max,
                                                           std::int64_t& next) const;
  [[nodiscard]] std::vector<etcd::WatchNews::Event> events_of(etcd::WatchWish const& wish, std::int64_t revision) const;

  // -- leases: their clock runs at the leader alone -----------------------------
  struct Clock {
    std::int64_t ttl_s{0};
    std::int64_t end_us{kNeverUs};
    bool is_ending{false};  // its revocation is under way
  };
  using Clocks = std::map<std::int64_t, Clock>;
  // All leases start anew, `extend_us` longer.
  void start_clocks(std::int64_t now_us, std::int64_t extend_us);
  // Nothing ends until the clocks are started.
  void stop_clocks();
  [[nodiscard]] Clocks const& clocks() const { return clocks_; }
  [[nodiscard]] std::int64_t next_end_us() const;
  // The leases that are over, each reported once while the clocks run.
  [[nodiscard]] std::vector<std::int64_t> take_ended(std::int64_t now_us);
  void renew(std::int64_t lease, std::int64_t now_us);
  [[nodiscard]] std::set<std::string> const& keys_of(std::int64_t lease) const;

  // -- space -------------------------------------------------------------------
  void raise_alarm() { view_.has_alarm = true; }
  void disarm() { view_.has_alarm = false; }
  // What an operator does: the file gets as small as what is in use.
  void defragment() { file_bytes_ = used_bytes_; }
  [[nodiscard]] std::int64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] std::int64_t used_bytes() const { return used_bytes_; }
  // No member has an older compaction than this one: what only older views see may go.
  void forget(std::int64_t compacted);

 private:
  struct Version {
    std::int64_t revision{0};
    std::int64_t created{0};
    std::int64_t number{0};  // 0: deleted
    std::int64_t lease{0};
    std::shared_ptr<std::string const> value{};
    bool is_compacted{false};  // its space counts as free
  };
  using History = std::vector<Version>;
  using Keys = std::map<std::string, History, std::less<>>;
  struct Change {
    std::string key;
    Version version;
  };
  struct Lease {
    std::int64_t ttl_s{0};
    std::set<std::string> keys{};
  };
  // What one transaction writes: all at revision view_.revision + 1.
  using Changes = std::vector<Change>;

  [[nodiscard]] static Version const* version_at(History const& history, std::int64_t revision);
  [[nodiscard]] static etcd::KeyValue pair_of(std::string const& key, Version const& version);
  [[nodiscard]] static std::int64_t cost_of(std::string_view key, std::string_view value);
  [[nodiscard]] static std::int64_t cost_of(etcd::Request const& request);
  // The keys of [begin, end) as a pair of iterators.
  [[nodiscard]] std::pair<Keys::const_iterator, Keys::const_iterator> keys_in(std::string const& begin,
                                                                              std::string const& end) const;
  [[nodiscard]] EtcdResult range(etcd::Range const& range, EtcdView view) const;
  [[nodiscard]] static EtcdResult check_revision(std::int64_t revision, EtcdView view);
  [[nodiscard]] bool holds(etcd::Compare const& compare, std::int64_t revision) const;
  [[nodiscard]] EtcdResult transact(etcd::Transaction const& transaction);
  [[nodiscard]] EtcdResult compact(std::int64_t revision);
  [[nodiscard]] EtcdResult grant(std::int64_t ttl_s, std::int64_t lease, std::int64_t now_us);
  [[nodiscard]] EtcdResult revoke(std::int64_t lease);
  void put(etcd::Put const& put, Changes& changes);
  [[nodiscard]] std::int64_t remove(std::string const& begin, std::string const& end, Changes& changes);
  void remove(std::string const& key, History& history, Changes& changes);
  void attach(std::string const& key, std::int64_t from, std::int64_t to);
  void use(std::int64_t bytes);
  // The revision is complete.
  void end(Changes changes);
  [[nodiscard]] EtcdResult done(EtcdBody body) const;

  EtcdLimits limits_;
  EtcdView view_;
  Keys keys_;
  std::deque<Changes> changes_;     // by revision, the first is first_revision_
  std::int64_t first_revision_{2};  // an empty store is at revision 1
  std::map<std::int64_t, Lease> leases_;
  Clocks clocks_;
  bool clocks_run_{false};
  std::int64_t used_bytes_{0};
  std::int64_t file_bytes_{0};
};

}  // namespace fastjournal::sim
