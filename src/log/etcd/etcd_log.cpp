#include "log/etcd/etcd_log.h"

#include <algorithm>

#include <fmt/format.h>

namespace fastjournal::log::etcd {

EtcdLog::EtcdLog(api::Cluster& cluster, EtcdLogOptions options, Following& following)
    : cluster_(cluster),
      options_(std::move(options)),
      names_(options_.prefix),
      reader_(cluster, names_, *this, options_.new_store_id, options_.request_timeout_us),
      appender_(cluster, names_, options_.append),
      nodes_(cluster, names_, {.name = options_.node, .address = options_.address}, options_.request_timeout_us),
      quota_(cluster, options_.quota_bytes, options_.request_timeout_us),
      truncation_(cluster, names_, options_, appender_),
      follower_(names_, following, truncation_),
      writer_(options_, appender_, truncation_, quota_),
      ownership_(cluster, names_, options_, reader_, follower_, nodes_, *this),
      why_(unavailable(" was not read so far")) {}

// ---------------------------------------------------------------------------
// Turns

void EtcdLog::tick() {
  for (api::Answer const& answer : cluster_.take_answers()) take(answer);
  for (api::WatchNews const& news : cluster_.take_news()) static_cast<void>(reader_.take(news, now_us_));
  reader_.tick(now_us_);
  if (phase() == Phase::reading && why_.code() != Code::damaged && !reader_.trouble().empty())
    why_ = unavailable(" cannot be read: " + reader_.trouble());
  bool const lost_an_event =
      phase() == Phase::following && ownership_.has_owner() && now_us_ >= follower_.gap_until_us();
  if (lost_an_event) follow_again(now_us_);
  ownership_.tick(now_us_);
  // Where a new owner will begin is beyond what there is.
  bool const has_appended = is_owned() && end_lsn() > found_lsn();
  nodes_.tick(now_us_, ownership_.lease(), has_appended ? end_lsn() : applied());
  if (!is_owned()) return;
  while (std::optional<Appender::Written> const written = appender_.take_written()) truncation_.keep(*written);
  if (appender_.is_fenced()) return ownership_.fence(appender_.trouble());
  truncation_.tick(now_us_);
  quota_.tick(now_us_);
  note_trouble();
}

void EtcdLog::take(api::Answer const& answer) {
  // How full it is a member tells that has no leader, too.
  if (bool const was_short = quota_.is_short(); quota_.take(answer)) {
    if (quota_.is_short() && !was_short)
      news_.push_back({"etcd-nearly-full", 60, "log " + options_.name + ": " + quota_.why()});
    return;
  }
  silence_ = answer.why;
  if (appender_.take(answer, now_us_) || reader_.take(answer, now_us_) || nodes_.take(answer)) return;
  if (ownership_.take(answer, now_us_) || !truncation_.take(answer)) return;
  if (truncation_.is_fenced()) ownership_.fence({});
}

bool EtcdLog::end_turn(std::int64_t now_us) {
  bool const is_first = now_us_ == 0;
  now_us_ = std::max(now_us_, now_us);
  if (is_first) reader_.begin(now_us_);
  tick();
  return is_owned() && writer_.end_turn(now_us_);
}

Status EtcdLog::commit() {
  static_cast<void>(end_turn(now_us_));
  return {};
}

Status EtcdLog::shut_down() {
  static_cast<void>(end_turn(now_us_));
  if (durable_lsn() == end_lsn()) return {};
  return {Code::unavailable, fmt::format("log {}: {} bytes wait for etcd", options_.name, appender_.open_bytes())};
}

std::int64_t EtcdLog::next_us() const {
  std::int64_t next = std::min({reader_.next_us(), appender_.next_us(), nodes_.next_us(), ownership_.next_us(now_us_)});
  if (is_owned()) next = std::min(next, quota_.next_us());
  if (phase() == Phase::following) next = std::min(next, follower_.gap_until_us());
  return next;
}

void EtcdLog::follow_again(std::int64_t now_us) {
  now_us_ = std::max(now_us_, now_us);
  ownership_.read_anew();
  writer_.forget();
  reader_.begin(now_us_);
}

// ---------------------------------------------------------------------------
// What is read

void EtcdLog::on_begin(Head const& head) {
  ownership_.on_begin(head);
  truncation_.begin(head);
  why_ = unavailable(" is being read");
  follower_.begin(head);
  on_own(head.own);
}

void EtcdLog::on_entry(std::uint64_t sequence, std::string_view value) {
  if (follower_.has(sequence)) return;
  if (follower_.is_full()) {
    why_ = {Code::damaged, names_.entry(follower_.next_sequence()) + " is missing"};
    return;
  }
  Status status = follower_.add(sequence, value, now_us_);
  if (status.ok()) return;
  ownership_.on_unreadable(now_us_);
  why_ = std::move(status);
}

void EtcdLog::on_own(std::optional<api::KeyValue> const& own) {
  ownership_.on_own(own, now_us_);
  if (phase() == Phase::following) why_ = owned_by_another(own.has_value());
}

void EtcdLog::on_current() {
  if (why_.code() == Code::damaged) return;
  why_ = owned_by_another(ownership_.has_owner());
  ownership_.on_current();
}

// ---------------------------------------------------------------------------
// The owner

void EtcdLog::on_owned() {
  Appender::Owner owner;
  owner.token = ownership_.token();
  owner.store_id = store_id();
  // The number that its claim gave, told by the watch.
  owner.start = start();
  owner.next_sequence = follower_.next_sequence();
  owner.cut = applied();
  reader_.end();
  writer_.begin(owner, follower_.end());
  follower_.cut();
  truncation_.begin_owning(owner.token, found_lsn(), now_us_);
  why_ = {};
}

void EtcdLog::on_fenced(std::string why, bool is_wanted) {
  writer_.end();
  truncation_.end_owning();
  why_ = unavailable(" was taken over, or may be: " + (why.empty() ? "this node is not its owner any more" : why));
  if (is_wanted)
    news_.push_back({"", 0, "log " + options_.name + ": " + why + ", so that another one may have it"});
  else
    news_.push_back({"log-fenced", 60, why_.message()});
}

bool EtcdLog::may_answer(std::int64_t now_us) const {
  if (!is_owned()) return phase() != Phase::fenced;
  return now_us < valid_until_us();
}

State EtcdLog::state() const {
  switch (phase()) {
    case Phase::owning: {
      bool const is_valid = now_us_ < valid_until_us();
      return is_valid && !is_stuck() ? State::serving : State::unavailable;
    }
    case Phase::fenced: return State::fenced;
    case Phase::following: return ownership_.has_owner() ? State::following : State::unavailable;
    default: return State::unavailable;
  }
}

void EtcdLog::note_trouble() {
  if (now_us_ >= valid_until_us())
    why_ = unavailable(" has no answer of etcd, and its lease may be over" + (silence_.empty() ? "" : ": " + silence_));
  else if (is_stuck())
    why_ = {Code::unavailable, quota_.why()};
  else if (!appender_.trouble().empty())
    why_ = {Code::unavailable, appender_.trouble()};
  else
    why_ = quota_.is_short() ? Status{Code::no_space, quota_.why()} : Status{};
}

Status EtcdLog::unavailable(std::string_view what) const {
  return {Code::unavailable, fmt::format("log {}{}", options_.name, what)};
}

Status EtcdLog::owned_by_another(bool is_there) const {
  return unavailable(is_there ? " is owned by " + ownership_.owner_text() : " has no owner at this moment");
}

}  // namespace fastjournal::log::etcd
