#include "plugins/rows/limits.h"

namespace fastjournal::rows {

Limited Limits::limit_of(Domain const& domain) const {
  if (domain.paused_until > now_) return Limited::paused;
  if (domain.at_limit)
    return rules_.concurrency_domain != 0 && domain.leased >= rules_.concurrency_domain ? Limited::domain_concurrency
                                                                                        : Limited::domain_rate;
  if (room_ > 0) return Limited::none;
  return rules_.concurrency != 0 && leased_ >= rules_.concurrency ? Limited::table_concurrency : Limited::table_rate;
}

std::int64_t Limits::next_token() const {
  std::int64_t const domains = tokens_.empty() ? INT64_MAX : tokens_.begin()->first;
  return std::min(domains, due_ == 0 ? INT64_MAX : token_at_);
}

// ---------------------------------------------------------------------------
// Counting

void Limits::begin_lease(Domain& domain, std::int64_t began, bool live) {
  ++leased_;
  ++domain.leased;
  if (live && rules_.rate.limits()) bucket_.take(rules_.rate, began);
  if (live && rules_.rate_domain.limits()) domain.bucket.take(rules_.rate_domain, began);
}

std::uint64_t Limits::room_of(Domain const& domain) const {
  if (domain.paused_until > now_) return 0;
  std::uint64_t room = UINT64_MAX;
  if (rules_.concurrency_domain != 0)
    room = domain.leased < rules_.concurrency_domain ? rules_.concurrency_domain - domain.leased : 0;
  if (rules_.rate_domain.limits()) room = std::min(room, domain.bucket.tokens(rules_.rate_domain, now_));
  return room;
}

bool Limits::refresh_domain(Domain& domain) {
  std::uint64_t const room = room_of(domain);
  auto const ready = static_cast<std::uint32_t>(std::min<std::uint64_t>(domain.due, room));
  ready_ += ready;
  ready_ -= domain.ready;
  domain.ready = ready;
  bool const changed = domain.at_limit != (room == 0);
  domain.at_limit = room == 0;
  if (domain.paused_until > now_) {
    bool const ends = domain.rows > 0 && domain.paused_until != INT64_MAX;
    set_timer(domain, ends ? domain.paused_until : 0);
  } else if (!rules_.rate_domain.limits()) {
    if (domain.timer != 0) set_timer(domain, 0);
  } else {
    // A token matters while there are more due rows than other limits allow.
    bool const waits = ready < domain.due && room == domain.bucket.tokens(rules_.rate_domain, now_) &&
                       (rules_.concurrency_domain == 0 || rules_.concurrency_domain > domain.leased + room);
    bool const idle = domain.rows == 0 && domain.number != kNameless;
    set_timer(domain, waits  ? domain.bucket.next(rules_.rate_domain, now_)
                      : idle ? domain.bucket.full(rules_.rate_domain, now_)
                             : 0);
  }
  return changed;
}

void Limits::refresh_table() {
  room_ = UINT64_MAX;
  if (rules_.concurrency != 0) room_ = leased_ < rules_.concurrency ? rules_.concurrency - leased_ : 0;
  token_at_ = INT64_MAX;
  if (!rules_.rate.limits()) return;
  std::uint64_t const tokens = bucket_.tokens(rules_.rate, now_);
  if (tokens < room_ && tokens < ready()) token_at_ = bucket_.next(rules_.rate, now_);
  room_ = std::min(room_, tokens);
}

void Limits::set_timer(Domain& domain, std::int64_t date) {
  auto& timers = domain.rows == 0 ? idle_ : tokens_;
  if (domain.timer == date) return;
  if (domain.timer != 0) {
    tokens_.erase({domain.timer, domain.number});
    idle_.erase({domain.timer, domain.number});
  }
  domain.timer = date;
  if (date != 0) timers.emplace(date, domain.number);
}

// ---------------------------------------------------------------------------
// Telling

// Released rows are reported for all topics if the table's limit delayed them, otherwise for their domain.
void Limits::tell(Before const& before, Domain const& domain, TableObserver& observer) const {
  if (available() > before.available) {
    observer.available_again(before.table_at_limit ? std::string_view{} : domain.name, available() - before.available);
  } else if (available(domain) > before.of_domain) {
    // No more rows than before, but also of this domain, whose clients could not take those of others.
    observer.available_again(domain.name, available(domain) - before.of_domain);
  }
}

void Limits::tell(std::uint64_t before, TableObserver& observer) const {
  if (available() > before) observer.available_again({}, available() - before);
}

// ---------------------------------------------------------------------------
// Rules

void Limits::change(Rules const& before) {
  if (rules_.rate != before.rate) bucket_ = Bucket{};
  room_ = UINT64_MAX;
  token_at_ = INT64_MAX;
  ready_ = 0;
}

bool Limits::change(Domain& domain, Rules const& before) {
  domain.ready = 0;
  if (rules_.rate_domain != before.rate_domain) {
    set_timer(domain, 0);
    domain.bucket = Bucket{};
  }
  if (looks_at_domains()) return false;
  // Of a pause that is over.
  if (domain.timer != 0) set_timer(domain, 0);
  if (!domain.at_limit) return false;
  domain.at_limit = false;
  return true;
}

void Limits::start_again() {
  tokens_.clear();
  idle_.clear();
  bucket_ = Bucket{};
  token_at_ = INT64_MAX;
  room_ = UINT64_MAX;
  ready_ = 0;
  due_ = leased_ = 0;
}

}  // namespace fastjournal::rows
