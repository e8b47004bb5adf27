#include "server/logs/shared_log.h"

#include <algorithm>

namespace fastjournal::server {
namespace {

// What it waits for in a take-over comes by itself: the time, or answers.
constexpr std::int64_t kLookAgainUs = 1'000;
// An operator changes one node after the other.
constexpr std::int64_t kChangeUs = 60'000'000;

}  // namespace

bool SharedLog::advance() {
  TimeMs const now = clock_.now();
  if (log_.state() == log::State::fenced) {
    log_.follow_again(clock_.monotonic_us());
    is_taken_over_ = is_taking_over_ = false;
    followed_.let_go(away(), now);
  }
  bool again = followed_.advance(log_.is_current(), now);
  if (followed_.take_read_anew()) {
    if (log_.is_owned())
      log_.step_down(0);  // and reads anew, once it is fenced
    else
      log_.follow_again(clock_.monotonic_us());
    return true;
  }
  if (!log_.is_owned()) {
    is_taken_over_ = is_taking_over_ = false;
  } else if (!is_taken_over_ && !again) {
    again = take_over();
  }
  if (!followed_.trouble().ok() && is_candidate_) cannot(followed_.trouble());
  if (!followed_.misfit().ok() && is_candidate_) {
    is_misfit_ = true;
    cannot(followed_.misfit());
  } else if (is_misfit_ && followed_.misfit().ok()) {
    retry();
  }
  return again;
}

std::string SharedLog::differing() {
  std::string out;
  for (log::Node const& node : log_.nodes())
    if (!node.differs.empty()) out.append(out.empty() ? "" : "; ").append("node " + node.name + ": " + node.differs);
  if (out.empty()) {
    differs_since_us_ = INT64_MAX;
    return out;
  }
  std::int64_t const now_us = clock_.monotonic_us();
  differs_since_us_ = std::min(differs_since_us_, now_us);
  return now_us - differs_since_us_ < kChangeUs ? std::string{} : out;
}

// True: it goes on at once.
bool SharedLog::take_over() {
  look_at_us_ = INT64_MAX;
  if (!followed_.trouble().ok()) {
    cannot(followed_.trouble());
    return true;
  }
  if (!followed_.is_caught_up()) return false;
  if (!is_taking_over_) {
    // The log's dates are another computer's.
    Status const clock = clock_.come_to(followed_.hosted());
    if (clock.code() == Code::unavailable) {
      look_at_us_ = clock_.monotonic_us() + kLookAgainUs;
      return false;
    }
    if (!clock.ok()) {
      cannot(clock);
      return true;
    }
    is_taking_over_ = true;
  }
  using TakeOver = engine::FollowedLog::TakeOver;
  Result<TakeOver> const went = followed_.take_over(clock_.now());
  if (!went.ok()) {
    cannot(went.status());
    return true;
  }
  if (went.value() == TakeOver::waits) look_at_us_ = clock_.monotonic_us() + kLookAgainUs;
  is_taken_over_ = went.value() == TakeOver::over;
  if (is_taken_over_) notes_.inform("log " + log_.name() + ": this node decides from now on");
  return went.value() != TakeOver::waits;
}

// Another node may be able to.
void SharedLog::cannot(Status const& why) {
  is_candidate_ = false;
  log_.be_candidate(false);
  if (log_.is_owned()) log_.step_down(0);
  // One that is raised again keeps its message for a while, and the reason may be another now.
  alerts_.lower(kCannotTakeOver);
  alerts_.raise(kCannotTakeOver, 50,
                "log " + log_.name() + ": this node follows, and cannot decide: " + why.message() +
                    ". After a change of the configuration it tries again",
                "log,manual");
}

void SharedLog::retry() {
  log_.declare(followed_.declared());
  is_misfit_ = false;
  bool const was_in_trouble = followed_.retry();
  if (is_candidate_ && !was_in_trouble) return;
  is_candidate_ = true;
  alerts_.lower(kCannotTakeOver);
  if (was_in_trouble && !log_.is_owned()) log_.follow_again(clock_.monotonic_us());
  log_.be_candidate(true);
}

Status SharedLog::step_down(std::int64_t for_us) {
  if (!log_.is_owned())
    return {Code::wrong_state, "log " + log_.name() + ": this node does not own it" +
                                   (log_.owner().node.empty() ? "" : "; " + log_.owner().node + " does")};
  log_.step_down(clock_.monotonic_us() + for_us);
  return {};
}

bool SharedLog::leave() {
  if (!is_leaving_) log_.be_candidate(false);
  is_leaving_ = true;
  if (!log_.is_owned()) return true;
  if (log_.durable_lsn() == log_.end_lsn()) log_.step_down(INT64_MAX);
  return !log_.is_owned();
}

log::State SharedLog::state() const {
  log::State const out = log_.state();
  bool const can_serve = is_taken_over_ && !is_leaving_;
  return out == log::State::serving && !can_serve ? log::State::unavailable : out;
}

Status SharedLog::away() const {
  if (log::Owner const owner = log_.owner(); !log_.is_owned() && !owner.node.empty()) {
    Status out{Code::moved, "node " + owner.node + " at " + owner.address + " decides for log " + log_.name()};
    return std::move(out)
        .with("address", owner.address)
        .with("node", owner.node)
        .with("token", std::to_string(owner.token));
  }
  if (is_leaving_ && log_.is_owned())
    return Status{Code::unavailable, "this node ends, and gives log " + log_.name() + " to another one"}.with(
        "retry", std::to_string(kRetryMs));
  std::string const why = log_.is_owned() && log_.state() == log::State::serving
                              ? "this node is taking log " + log_.name() + " over"
                              : log_.why().message();
  return Status{Code::unavailable, why}.with("retry", std::to_string(kRetryMs));
}

}  // namespace fastjournal::server
