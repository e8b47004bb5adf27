// Logins by token: decides at once for tokens that are known already, and has the slow hash of the others computed
// elsewhere. Failures are remembered for a while, limited by origin (tries.h) and told after a delay, so that guessing
// is slow and the time of a refusal tells nothing. Owned by the server; on its thread.
//
// Signed requests are decided at once: that takes microseconds. One answer, after one time, tells that a user is
// unknown, has no signing key, or another one.
//
// A sender waits for one login at a time. So there are at most as many attempts as connections; jobs have a limit of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/access/known_tokens.h"
#include "config/access/token.h"
#include "config/access/tries.h"
#include "config/access/user.h"
#include "fastjournal/protocol.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"

namespace fastjournal::access {

// A slow hash to be computed on another thread.
class HashJob {
 public:
  HashJob(std::uint64_t number, Token const& token, TokenHash expected)
      : number_(number), token_(token), expected_(std::move(expected)) {}

  // Slow; touches nothing but this job.
  void run() { is_right_ = expected_.is_of(token_); }

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] Token const& token() const { return token_; }
  [[nodiscard]] TokenHash const& expected() const { return expected_; }
  // After run.
  [[nodiscard]] Result<bool> const& is_right() const { return is_right_; }

 private:
  std::uint64_t number_;
  Token token_;
  TokenHash expected_;
  Result<bool> is_right_{false};
};

class HashRunner {
 public:
  virtual ~HashRunner() = default;
  // Runs it on another thread if there is one, then gives it back to Logins::finish on the thread of the loop, in a
  // later call.
  virtual void run_hash(std::unique_ptr<HashJob> job) = 0;
};

class Logins {
 public:
  static constexpr std::size_t kKnownMax = 4096;
  static constexpr std::size_t kWrongMax = 4096;
  static constexpr std::int64_t kWrongForUs = 60'000'000;  // a wrong token is remembered
  static constexpr std::size_t kJobsMax = 2;               // under way
  static constexpr std::size_t kQueueMax = 64;             // jobs that wait,
  static constexpr std::size_t kQueueOfOriginMax = 48;     // and those of one origin (origin_of_tries)
  static constexpr std::int64_t kRefusalAfterUs = 250'000;
  static constexpr std::size_t kSignersMax = 4096;  // users with an origin of theirs

  struct Claim {
    std::string_view token;
    std::string_view user;    // who he says he is; empty: he does not
    std::string_view origin;  // env::Peer
  };
  // Of an attempt: either `user`, or `status` says why not.
  struct Outcome {
    ConnectionId who{};
    UserPtr user{};
    Status status{};
  };

  // Of a signed request: `user`, or `status` says why not; neither: it is of nobody.
  struct Signer {
    UserPtr user{};
    Status status{};            // with the fact `signature`: wrong or old
    std::string_view reason{};  // the same for the administrator: unknown_user and no_key, too
  };

  struct Counters {
    std::uint64_t accepted{0};
    std::uint64_t refused{0};
    std::uint64_t delayed{0};  // not looked at: too many failed, or were under way
  };

  Logins(HashRunner& runner, DigestKey key) : runner_(runner), key_(key), known_(kKnownMax), wrong_(kWrongMax) {}

  // Replaces the users. Tokens of those that are gone, or have another token, are forgotten, and keys likewise.
  void use(Users users);
  [[nodiscard]] Users const& users() const { return users_; }

  // Empty: the outcome comes later, through take_outcomes. `who` has no attempt under way.
  [[nodiscard]] std::optional<Outcome> begin(ConnectionId who, Claim const& claim, std::int64_t now_us);
  // `may_be_nobody`: a request has rights without a signature, so that one which names no user with a signing key is of
  // nobody. `wall_us`: what signers' clocks are compared with.
  [[nodiscard]] Signer check(Protocol::Signature const& signature, std::string_view origin, bool may_be_nobody,
                             std::int64_t wall_us, std::int64_t now_us);
  // The outcome is no longer needed.
  void forget(ConnectionId who);
  // A job was run.
  void finish(std::unique_ptr<HashJob> job, std::int64_t now_us);
  // Those that are to be told by now.
  [[nodiscard]] std::vector<Outcome> take_outcomes(std::int64_t now_us);
  // When the next outcome is to be told; INT64_MAX: none is known.
  [[nodiscard]] std::int64_t next_us() const;

  // A certificate named a user whom this daemon has, or has not.
  void count_certificate(bool is_known) { ++(is_known ? counters_.accepted : counters_.refused); }
  [[nodiscard]] Counters const& counters() const { return counters_; }
  [[nodiscard]] std::size_t jobs() const { return running_; }
  [[nodiscard]] std::size_t queued() const { return queue_.size(); }
  [[nodiscard]] std::size_t known() const { return known_.size(); }

 private:
  struct Attempt {
    ConnectionId who{};
    std::string origin;
    std::uint64_t job{0};
  };
  struct Told {
    std::int64_t at_us{0};
    Outcome outcome;
  };
  struct Waiting {
    std::string origin;
    std::unique_ptr<HashJob> job;
  };

  [[nodiscard]] Signer refuse_signer(std::string_view origin, Status status, std::string_view reason,
                                     std::int64_t now_us);
  [[nodiscard]] std::optional<Outcome> refuse_later(ConnectionId who, std::string_view origin, std::int64_t now_us);
  [[nodiscard]] bool wait_for_hash(ConnectionId who, std::string_view origin, Digest const& digest, Token const& token,
                                   TokenHash const& expected);
  void start_jobs();

  HashRunner& runner_;
  DigestKey key_;
  Users users_;
  KnownTokens<UserPtr> known_;
  KnownTokens<std::int64_t> wrong_;  // remembered until then
  Tries tries_;
  // "ORIGIN USER", by whom a request was signed rightly: these wait for no failures of others of their origin.
  std::set<std::string, std::less<>> signers_;
  std::list<Attempt> attempts_;  // that wait for a job
  std::deque<Waiting> queue_;
  std::vector<std::pair<std::uint64_t, Digest>> under_way_;  // by the number of the job
  std::deque<Told> told_;                                    // refusals, in the order of their dates
  std::vector<Outcome> ready_;
  std::size_t running_{0};
  std::uint64_t last_job_{0};
  Counters counters_;
};

}  // namespace fastjournal::access
