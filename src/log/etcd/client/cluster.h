// Requests to etcd and its answers, as values. Two sides implement it: the client of a real cluster (client.h), and the
// one of the simulator (tests/sim/sim_etcd.h). An engine that works on one works on both.
//
// Meanings are those of etcd's API, version 3. Nothing blocks: a request gets a number, and its answer is taken later.
// Answers come in any order. Every request is answered once, also those that failed; `Outcome` says whether it may have
// been done.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace fastjournal::etcd {

struct KeyValue {
  std::string key{};
  std::string value{};
  std::int64_t create_revision{0};
  std::int64_t mod_revision{0};
  std::int64_t version{0};  // how often it was put since it was created
  std::int64_t lease{0};    // 0: none
  bool operator==(KeyValue const&) const = default;
};

// ---------------------------------------------------------------------------
// Requests

// One key, or those of [key, end). `end` "\0": all from `key` on.
struct Range {
  std::string key{};
  std::string end{};            // empty: this key only
  std::int64_t revision{0};     // as of then; 0: the newest
  std::int64_t limit{0};        // 0: none
  bool is_serializable{false};  // may be answered by a member that lags behind
  bool keys_only{false};
  bool count_only{false};
  bool descending{false};  // by key
  bool operator==(Range const&) const = default;
};
struct Put {
  std::string key{};
  std::string value{};
  std::int64_t lease{0};
  bool operator==(Put const&) const = default;
};
struct Delete {
  std::string key{};
  std::string end{};
  bool operator==(Delete const&) const = default;
};
using Operation = std::variant<Range, Put, Delete>;

// Of a key that is not there, every number is 0.
struct Compare {
  enum class What : std::uint8_t { create_revision, mod_revision, version, lease };
  enum class Is : std::uint8_t { equal, greater, less, not_equal };
  std::string key{};
  What what{What::mod_revision};
  Is is{Is::equal};
  std::int64_t number{0};
  bool operator==(Compare const&) const = default;
};
// All at one revision: `then` if all comparisons hold, else `otherwise`. No key is put twice.
struct Transaction {
  std::vector<Compare> compares{};
  std::vector<Operation> then{};
  std::vector<Operation> otherwise{};
  bool operator==(Transaction const&) const = default;
};
// Older revisions are no longer to be had.
struct Compact {
  std::int64_t revision{0};
  bool operator==(Compact const&) const = default;
};
struct Grant {
  std::int64_t ttl_s{0};
  bool operator==(Grant const&) const = default;
};
// Its keys are deleted with it.
struct Revoke {
  std::int64_t lease{0};
  bool operator==(Revoke const&) const = default;
};
// Renews it once.
struct KeepAlive {
  std::int64_t lease{0};
  bool operator==(KeepAlive const&) const = default;
};
// Of the member that answers.
struct Look {
  bool operator==(Look const&) const = default;
};
struct Members {
  bool operator==(Members const&) const = default;
};
using Request = std::variant<Range, Put, Delete, Transaction, Compact, Grant, Revoke, KeepAlive, Look, Members>;

// ---------------------------------------------------------------------------
// Answers

enum class Outcome : std::uint8_t {
  done,
  refused,      // not done, and it would be refused again: why()
  unavailable,  // not done: there is no connection, or no leader; it may be tried again
  unknown,      // sent, and no answer: it may have been done, or may still be done
};
// Why a request was refused, as far as it matters to the caller.
enum class Refusal : std::uint8_t {
  none,
  compacted,  // the revision was compacted away
  future_revision,
  no_lease,     // it is over, or never was
  no_space,     // the cluster's quota is exhausted: it accepts deletions only until an operator acts
  too_large,    // a request, or one of too many operations
  not_allowed,  // user, password, or rights
  other,
};

struct Header {
  std::uint64_t cluster{0};
  std::uint64_t member{0};
  std::int64_t revision{0};  // of the store when it was answered
  std::uint64_t term{0};
};

struct RangeAnswer {
  std::vector<KeyValue> pairs{};
  bool more{false};       // beyond `limit`
  std::int64_t count{0};  // of all in the range
};
struct PutAnswer {};
struct DeleteAnswer {
  std::int64_t deleted{0};
};
using OperationAnswer = std::variant<RangeAnswer, PutAnswer, DeleteAnswer>;
struct TransactionAnswer {
  bool succeeded{false};
  std::vector<OperationAnswer> answers{};  // of `then`, or `otherwise`
};
struct CompactAnswer {};
struct LeaseAnswer {
  std::int64_t lease{0};
  std::int64_t ttl_s{0};  // of KeepAlive 0: it is over
};
struct LookAnswer {
  std::string version{};
  std::int64_t db_bytes{0};
  std::int64_t db_bytes_in_use{0};
  std::uint64_t leader{0};  // 0: none
  bool has_no_space_alarm{false};
};
struct MembersAnswer {
  struct Member {
    std::uint64_t id{0};
    std::string name{};
    std::vector<std::string> client_urls{};
  };
  std::vector<Member> members{};
};

using RequestId = std::uint64_t;
struct Answer {
  RequestId id{0};
  Outcome outcome{Outcome::done};
  Refusal refusal{Refusal::none};
  std::string why{};  // for people; empty if it is done
  Header header{};    // of one that is done
  std::variant<std::monostate, RangeAnswer, PutAnswer, DeleteAnswer, TransactionAnswer, CompactAnswer, LeaseAnswer,
               LookAnswer, MembersAnswer>
      body{};
};

// ---------------------------------------------------------------------------
// Watching

struct WatchWish {
  std::string key{};
  std::string end{};         // as that of Range
  std::int64_t revision{0};  // from this one on; 0: from now on
};
using WatchId = std::uint64_t;

// News of a watch, in order and without gaps, over lost connections too.
struct WatchNews {
  struct Event {
    bool is_deleted{false};
    KeyValue pair{};  // of a deletion its key and mod_revision alone
  };
  WatchId id{0};
  enum class Kind : std::uint8_t {
    events,     // of whole revisions
    progress,   // nothing else happened up to `revision`
    compacted,  // the next revision is gone: the watch is over; read anew, `revision` or later
    refused,    // the watch is over
  };
  Kind kind{Kind::events};
  std::int64_t revision{0};  // the newest that this tells of
  std::vector<Event> events{};
  std::string why{};
};

// ---------------------------------------------------------------------------

class Cluster {
 public:
  // The answer is taken later; after `timeout_us` without one it is `unavailable` or `unknown`.
  virtual RequestId send(Request request, std::int64_t timeout_us) = 0;
  // Each once.
  [[nodiscard]] virtual std::vector<Answer> take_answers() = 0;
  virtual WatchId watch(WatchWish wish) = 0;
  // Nothing more is told of it.
  virtual void unwatch(WatchId id) = 0;
  [[nodiscard]] virtual std::vector<WatchNews> take_news() = 0;

 protected:
  ~Cluster() = default;
};

}  // namespace fastjournal::etcd
