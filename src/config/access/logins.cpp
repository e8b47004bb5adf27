#include "config/access/logins.h"

#include <algorithm>

#include "config/access/signature.h"

namespace fastjournal::access {
namespace {

Status not_valid() {
  return {Code::not_allowed,
          "this token is not valid here: it was never made, or its user was removed or has another one; "
          "`fastjournal user add` makes a token, RELOAD makes it known"};
}

Status wrong_signature(std::string why) { return Status{Code::not_allowed, std::move(why)}.with("signature", "wrong"); }

Status old_signature(std::string_view date) {
  return Status{Code::not_allowed, "this request was signed at " + std::string{date.substr(0, 16)} +
                                       ", which is not within 15 minutes of this daemon's clock: set the clock of the "
                                       "computer that signs, or of this one"}
      .with("signature", "old");
}

// Of all that cannot sign, so that its time is no other.
SigningKey const& key_of_nobody() {
  static SigningKey const kKey = SigningKey::read("the-key-of-nobody-that-signs-nothing-at-all").value();
  return kKey;
}

Status too_many(std::string_view what, std::int64_t wait_us) {
  std::int64_t const wait_ms = (wait_us + 999) / 1000;
  return Status{Code::over_limit, std::string{what} + ": try again in " + std::to_string(wait_ms) + " ms"}.with(
      "wait_ms", std::to_string(wait_ms));
}

}  // namespace

void Logins::use(Users users) {
  std::erase_if(signers_, [&](std::string const& one) {
    std::string_view const name = std::string_view{one}.substr(one.rfind(' ') + 1);
    UserPtr const before = users_.find(name);
    UserPtr const now = users.find(name);
    return now == nullptr || before == nullptr || now->signing_key != before->signing_key;
  });
  users_ = std::move(users);
  known_.keep_if([this](UserPtr& user) {
    UserPtr const now = users_.find(user->name);
    if (now == nullptr || now->token != user->token) return false;
    user = now;
    return true;
  });
  wrong_.clear();
}

Logins::Signer Logins::check(Protocol::Signature const& signature, std::string_view origin, bool may_be_nobody,
                             std::int64_t wall_us, std::int64_t now_us) {
  UserPtr const user = users_.find(signature.user);
  bool const has_key = user != nullptr && user->signing_key.has_value();
  if (!has_key && may_be_nobody) return {};
  std::string const signer = origin_of_tries(origin) + " " + std::string{signature.user};
  bool const is_known = signers_.contains(signer);
  if (std::int64_t const wait_us = is_known ? 0 : tries_.wait_us(origin, now_us); wait_us > 0) {
    ++counters_.delayed;
    return {.status = too_many("too many logins from this origin failed", wait_us)};
  }
  if (!is_of_its_scope(signature))
    return refuse_signer(origin,
                         wrong_signature("the credential of this signature is not for its day and the service sqs: "
                                         "expected KEY/YYYYMMDD/REGION/sqs/aws4_request"),
                         "wrong", now_us);
  if (!is_of_this_time(signature, wall_us)) return refuse_signer(origin, old_signature(signature.date), "old", now_us);
  bool const is_right = is_signed_with(has_key ? *user->signing_key : key_of_nobody(), signature);
  if (!has_key || !is_right)
    return refuse_signer(origin,
                         wrong_signature("this request is not signed with the signing key of a user here: the access "
                                         "key or the secret is another one; `fastjournal user add --sqs` makes both, "
                                         "RELOAD makes them known"),
                         user == nullptr ? "unknown_user"
                         : has_key       ? "wrong"
                                         : "no_key",
                         now_us);
  ++counters_.accepted;
  if (!is_known) {
    if (signers_.size() >= kSignersMax) signers_.clear();
    signers_.insert(signer);
  }
  return {.user = user};
}

Logins::Signer Logins::refuse_signer(std::string_view origin, Status status, std::string_view reason,
                                     std::int64_t now_us) {
  ++counters_.refused;
  tries_.failed(origin, now_us);
  return {.status = std::move(status), .reason = reason};
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
