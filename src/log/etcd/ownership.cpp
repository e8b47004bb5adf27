#include "log/etcd/ownership.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::log::etcd {

std::string Ownership::own_value() const { return fmt::format("node={} address={}", options_.node, options_.address); }

Owner Ownership::owner() const {
  Owner out;
  std::string_view const value = owner_.value;
  std::size_t const address = value.find(" address=");
  if (!value.starts_with("node=") || address == std::string_view::npos) return out;
  out.node = value.substr(5, address - 5);
  out.address = value.substr(address + 9);
  out.token = static_cast<std::uint64_t>(owner_.mod_revision);
  return out;
}

void Ownership::tick(std::int64_t now_us) {
  if (phase_ == Phase::following && reader_.is_current() && now_us >= claim_at_us_) claim(now_us);
  if (phase_ == Phase::settling && reader_.revision() >= static_cast<std::int64_t>(token_)) clear();
  if (phase_ == Phase::clearing && clearing_ == 0 && now_us >= claim_at_us_) clear();
  lease_.tick(now_us, is_current());
}

bool Ownership::take(api::Answer const& answer, std::int64_t now_us) {
  switch (lease_.take(answer, now_us)) {
    case Lease::Taken::asked:
      if (phase_ == Phase::following && claim_at_us_ == INT64_MAX)
        plan_claim(lease_.id() == 0 ? Lease::kRetryUs : 0, now_us);
      return true;
    case Lease::Taken::renewed: return true;
    case Lease::Taken::over: let_go("its lease is over", false, now_us); return true;
    case Lease::Taken::other: break;
  }
  if (answer.id == claiming_) {
    take_claim(answer, now_us);
    return true;
  }
  if (answer.id != clearing_) return false;
  take_clearing(answer, now_us);
  return true;
}

std::int64_t Ownership::next_us(std::int64_t now_us) const {
  std::int64_t next = lease_.id() != 0 || is_current() ? lease_.renew_at_us() : INT64_MAX;
  if ((phase_ == Phase::following && reader_.is_current()) || phase_ == Phase::clearing)
    next = std::min(next, claim_at_us_);
  if (phase_ == Phase::owning && valid_until_us() > now_us) next = std::min(next, valid_until_us());
  return next;
}

// ---------------------------------------------------------------------------
// What is read

void Ownership::on_begin(Head const& head) {
  phase_ = Phase::reading;
  start_ = head.start;
  start_revision_ = head.start_revision;
}

void Ownership::on_own(std::optional<api::KeyValue> const& own, std::int64_t now_us) {
  owner_ = own.value_or(api::KeyValue{});
  bool const is_mine = own && lease_.id() != 0 && own->lease == lease_.id();
  if (is_mine && (phase_ == Phase::claiming || phase_ == Phase::following)) return own_is_mine(own->mod_revision);
  if (is_mine) return;
  plan_claim(0, now_us);
  give_up_claim();
}

void Ownership::on_start(std::uint32_t start, std::int64_t revision) {
  start_ = std::max(start_, start);
  start_revision_ = revision;
}

void Ownership::on_current() {
  phase_ = Phase::following;
  // An earlier claim of its own was carried out, after all.
  if (lease_.id() != 0 && owner_.lease == lease_.id()) own_is_mine(owner_.mod_revision);
}

void Ownership::on_unreadable(std::int64_t now_us) {
  step_down(INT64_MAX, now_us);
  phase_ = Phase::reading;
}

// ---------------------------------------------------------------------------
// Becoming the owner

void Ownership::plan_claim(std::int64_t after_us, std::int64_t now_us) {
  if (has_owner() || !is_candidate_ || not_before_us_ == INT64_MAX) {
    claim_at_us_ = INT64_MAX;
    return;
  }
  auto const others = static_cast<std::int64_t>(nodes_.ahead_of(follower_.applied()));
  claim_at_us_ = std::max(now_us + after_us + others * options_.turn_us, not_before_us_);
}

void Ownership::be_candidate(bool is_candidate, std::int64_t now_us) {
  if (std::exchange(is_candidate_, is_candidate) == is_candidate) return;
  if (phase_ == Phase::following) plan_claim(0, now_us);
}

void Ownership::claim(std::int64_t now_us) {
  claim_at_us_ = INT64_MAX;
  if (lease_.is_asked_for() || claiming_ != 0) return;
  if (lease_.id() == 0) return lease_.ask(now_us);
  phase_ = Phase::claiming;
  api::Transaction transaction;
  transaction.compares = {{names_.own(), api::Compare::What::create_revision, api::Compare::Is::equal, 0},
                          {names_.start(), api::Compare::What::mod_revision, api::Compare::Is::equal, start_revision_}};
  transaction.then = {api::Put{.key = names_.own(), .value = own_value(), .lease = lease_.id()},
                      api::Put{.key = names_.start(), .value = fmt::format("{}", start_ + 1)}};
  claiming_ = cluster_.send(std::move(transaction), options_.request_timeout_us);
}

void Ownership::take_claim(api::Answer const& answer, std::int64_t now_us) {
  claiming_ = 0;
  if (phase_ != Phase::claiming) return;
  bool const is_done = answer.outcome == api::Outcome::done;
  if (is_done && std::get<api::TransactionAnswer>(answer.body).succeeded) return own_is_mine(answer.header.revision);
  // Another one was first; or the outcome is unknown, and the watch will tell.
  phase_ = Phase::following;
  if (answer.outcome == api::Outcome::refused && answer.refusal == api::Refusal::no_lease) lease_.forget();
  plan_claim(Lease::kRetryUs, now_us);
}

void Ownership::own_is_mine(std::int64_t revision) {
  token_ = static_cast<std::uint64_t>(revision);
  claiming_ = 0;
  claim_at_us_ = INT64_MAX;
  phase_ = Phase::settling;
}

// No other node can append any more, and all that others have appended was told. Entries behind a gap were never
// acknowledged.
void Ownership::clear() {
  phase_ = Phase::clearing;
  claim_at_us_ = INT64_MAX;
  api::Transaction transaction;
  transaction.compares = {
      names_.is_owner(token_),
      {names_.cleared(), api::Compare::What::mod_revision, api::Compare::Is::less, static_cast<std::int64_t>(token_)}};
  transaction.then = {api::Delete{.key = names_.entry(follower_.next_sequence()), .end = names_.entries_end()},
                      api::Put{.key = names_.cleared(), .value = options_.node}};
  transaction.otherwise = {api::Range{.key = names_.own()}};
  clearing_ = cluster_.send(std::move(transaction), options_.request_timeout_us);
}

void Ownership::take_clearing(api::Answer const& answer, std::int64_t now_us) {
  clearing_ = 0;
  if (phase_ != Phase::clearing) return;
  if (answer.outcome != api::Outcome::done) {
    claim_at_us_ = now_us + Lease::kRetryUs;
    return;
  }
  auto const& body = std::get<api::TransactionAnswer>(answer.body);
  if (body.succeeded) return own();
  // It is the owner still, so an earlier try was carried out.
  auto const& owners = std::get<api::RangeAnswer>(body.answers.at(0)).pairs;
  if (!owners.empty() && owners.front().mod_revision == static_cast<std::int64_t>(token_)) return own();
  token_ = 0;
  phase_ = Phase::following;
}

void Ownership::own() {
  owner_.value = own_value();
  owner_.mod_revision = static_cast<std::int64_t>(token_);
  phase_ = Phase::owning;
  sink_.on_owned();
}

// ---------------------------------------------------------------------------
// Ceasing to be it

void Ownership::step_down(std::int64_t until_us, std::int64_t now_us) {
  not_before_us_ = until_us;
  lease_.revoke(now_us);
  let_go("this node stepped down", true, now_us);
}

void Ownership::let_go(std::string why, bool is_wanted, std::int64_t now_us) {
  if (phase_ == Phase::owning) return fence(std::move(why), is_wanted);
  give_up_claim();
  if (phase_ == Phase::following) plan_claim(0, now_us);
}

void Ownership::give_up_claim() {
  if (phase_ != Phase::claiming && phase_ != Phase::settling && phase_ != Phase::clearing) return;
  token_ = 0;
  claiming_ = clearing_ = 0;
  phase_ = Phase::following;
}

void Ownership::fence(std::string why, bool is_wanted) {
  phase_ = Phase::fenced;
  token_ = 0;
  owner_.value.clear();
  sink_.on_fenced(std::move(why), is_wanted);
}

}  // namespace fastjournal::log::etcd
