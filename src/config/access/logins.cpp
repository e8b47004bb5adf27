#include "config/access/logins.h"

#include <algorithm>

namespace fastjournal::access {
namespace {

Status not_valid() {
  return {Code::not_allowed,
          "this token is not valid here: it was never made, or its user was removed or has another one; "
          "`fastjournal user add` makes a token, RELOAD makes it known"};
}

Status too_many(std::string_view what, std::int64_t wait_us) {
  std::int64_t const wait_ms = (wait_us + 999) / 1000;
  return Status{Code::over_limit, std::string{what} + ": try again in " + std::to_string(wait_ms) + " ms"}.with(
      "wait_ms", std::to_string(wait_ms));
}

}  // namespace

void Logins::use(Users users) {
  users_ = std::move(users);
  known_.keep_if([this](UserPtr& user) {
    UserPtr const now = users_.find(user->name);
    if (now == nullptr || now->token != user->token) return false;
    user = now;
    return true;
  });
  wrong_.clear();
}

std::optional<Logins::Outcome> Logins::begin(ConnectionId who, Claim const& claim, std::int64_t now_us) {
  std::optional<Token> const token = Token::read(claim.token);
  Digest const digest = token ? digest_of(key_, *token) : Digest{};
  auto const is_claimed = [&claim](UserPtr const& user) { return claim.user.empty() || claim.user == user->name; };
  if (UserPtr const* const user = token ? known_.find(digest) : nullptr; user != nullptr && is_claimed(*user)) {
    ++counters_.accepted;
    return Outcome{.who = who, .user = *user};
  }
  if (std::int64_t const wait_us = tries_.wait_us(claim.origin, now_us); wait_us > 0) {
    ++counters_.delayed;
    return Outcome{.who = who, .status = too_many("too many logins from this origin failed", wait_us)};
  }
  if (!token) return refuse_later(who, claim.origin, now_us);
  if (std::int64_t const* const until_us = wrong_.find(digest); until_us != nullptr && now_us < *until_us)
    return refuse_later(who, claim.origin, now_us);
  UserPtr const user = users_.find_salt(token->salt());
  if (user == nullptr || !is_claimed(user)) return refuse_later(who, claim.origin, now_us);
  if (!wait_for_hash(who, claim.origin, digest, *token, *user->token)) {
    ++counters_.delayed;
    return Outcome{.who = who, .status = too_many("too many logins are under way", Tries::kStepUs)};
  }
  return std::nullopt;
}

// False: too many wait already.
bool Logins::wait_for_hash(ConnectionId who, std::string_view origin, Digest const& digest, Token const& token,
                           TokenHash const& expected) {
  std::uint64_t number = 0;
  for (auto const& [job, its] : under_way_)
    if (is_same(its, digest)) number = job;
  if (number == 0) {
    std::string from = origin_of_tries(origin);
    // Wrong ones are known only when they were computed: one origin must not keep all others out until then.
    auto const mine = static_cast<std::size_t>(std::ranges::count(queue_, from, &Waiting::origin));
    if (queue_.size() >= kQueueMax || mine >= kQueueOfOriginMax) return false;
    number = ++last_job_;
    queue_.push_back({std::move(from), std::make_unique<HashJob>(number, token, expected)});
    under_way_.emplace_back(number, digest);
  }
  attempts_.push_back({who, std::string{origin}, number});
  start_jobs();
  return true;
}

void Logins::start_jobs() {
  while (running_ < kJobsMax && !queue_.empty()) {
    std::unique_ptr<HashJob> job = std::move(queue_.front().job);
    queue_.pop_front();
    ++running_;
    runner_.run_hash(std::move(job));
  }
}

std::optional<Logins::Outcome> Logins::refuse_later(ConnectionId who, std::string_view origin, std::int64_t now_us) {
  ++counters_.refused;
  tries_.failed(origin, now_us);
  told_.push_back({now_us + kRefusalAfterUs, {.who = who, .status = not_valid()}});
  return std::nullopt;
}

void Logins::forget(ConnectionId who) {
  std::erase_if(attempts_, [who](Attempt const& one) { return one.who == who; });
  std::erase_if(told_, [who](Told const& one) { return one.outcome.who == who; });
  std::erase_if(ready_, [who](Outcome const& one) { return one.who == who; });
}

void Logins::finish(std::unique_ptr<HashJob> job, std::int64_t now_us) {
  --running_;
  Digest const digest = digest_of(key_, job->token());
  std::erase_if(under_way_, [&job](auto const& one) { return one.first == job->number(); });
  // The users may have been replaced since it began.
  UserPtr user = users_.find_salt(job->expected().salt());
  bool const is_current = user != nullptr && user->token == job->expected();
  bool const was_computed = job->is_right().ok();
  bool const is_right = was_computed && job->is_right().value() && is_current;
  if (is_right) known_.add(digest, user);
  if (was_computed && !is_right && is_current) wrong_.add(digest, now_us + kWrongForUs);
  for (auto at = attempts_.begin(); at != attempts_.end();) {
    if (at->job != job->number()) {
      ++at;
      continue;
    }
    if (is_right) {
      ++counters_.accepted;
      ready_.push_back({.who = at->who, .user = user});
    } else if (!was_computed) {
      ++counters_.refused;
      ready_.push_back({.who = at->who, .status = job->is_right().status()});
    } else {
      static_cast<void>(refuse_later(at->who, at->origin, now_us));
    }
    at = attempts_.erase(at);
  }
  start_jobs();
}

std::vector<Logins::Outcome> Logins::take_outcomes(std::int64_t now_us) {
  std::vector<Outcome> out;
  out.swap(ready_);
  while (!told_.empty() && told_.front().at_us <= now_us) {
    out.push_back(std::move(told_.front().outcome));
    told_.pop_front();
  }
  return out;
}

std::int64_t Logins::next_us() const {
  if (!ready_.empty()) return INT64_MIN;
  return told_.empty() ? INT64_MAX : told_.front().at_us;
}

}  // namespace fastjournal::access
