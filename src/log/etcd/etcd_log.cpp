#include "log/etcd/etcd_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "log/record_format.h"

namespace fastjournal::log::etcd {
namespace {

// The first LSN of a new log; 0 means "none".
constexpr Lsn kFirstLsn{64U << 10U};
// Beyond what an owner found, so that no number is given twice that one before it may have used.
constexpr std::uint64_t kGap = 4096;
// Of entries behind a gap, as many as an owner may have under way.
constexpr std::size_t kAheadMax = 256;
// A gap that stays for so long while somebody owns the log is none: servers before 3.4.31 may lose events of a slow
// watch, and then it reads anew.
constexpr std::int64_t kGapUs = 10'000'000;
// A renewal that is late is tried again so soon.
constexpr std::int64_t kRetryUs = 100'000;

}  // namespace

EtcdLog::EtcdLog(api::Cluster& cluster, EtcdLogOptions options, Following& following)
    : cluster_(cluster),
      options_(std::move(options)),
      names_(options_.prefix),
      following_(following),
      reader_(cluster, names_, *this, options_.new_store_id, options_.request_timeout_us),
      appender_(cluster, names_, options_.append),
      nodes_(cluster, names_, {.name = options_.node, .address = options_.address}, options_.request_timeout_us),
      quota_(cluster, options_.quota_bytes, options_.request_timeout_us),
      why_(Code::unavailable, "log " + options_.name + " was not read so far") {}

std::string EtcdLog::own_value() const { return fmt::format("node={} address={}", options_.node, options_.address); }

api::Compare EtcdLog::is_owner() const {
  return {names_.own(), api::Compare::What::mod_revision, api::Compare::Is::equal, static_cast<std::int64_t>(token_)};
}

// ---------------------------------------------------------------------------
// Turns

void EtcdLog::tick() {
  for (api::Answer const& answer : cluster_.take_answers()) take(answer);
  for (api::WatchNews const& news : cluster_.take_news()) static_cast<void>(reader_.take(news, now_us_));
  reader_.tick(now_us_);
  if (phase_ == Phase::reading && why_.code() != Code::damaged && !reader_.trouble().empty())
    why_ = {Code::unavailable, "log " + options_.name + " cannot be read: " + reader_.trouble()};
  bool const lost_an_event =
      phase_ == Phase::following && !owner_.empty() && !ahead_.empty() && now_us_ >= ahead_since_us_ + kGapUs;
  if (lost_an_event) follow_again(now_us_);
  look_for_ownership();
  if (lease_ != 0 && now_us_ >= renew_at_us_) renew();
  if (lease_ == 0 && is_current() && now_us_ >= renew_at_us_) ask_for_lease();
  // Where a new owner will begin is beyond what there is.
  bool const has_appended = phase_ == Phase::owning && end_lsn() > found_;
  nodes_.tick(now_us_, lease_, has_appended ? end_lsn() : stream_.applied());
  if (phase_ != Phase::owning) return;
  while (std::optional<Appender::Written> const written = appender_.take_written()) keep(*written);
  if (appender_.is_fenced()) return fence(appender_.trouble());
  truncate();
  compact();
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
  if (answer.id == granting_) return take_lease(answer);
  if (answer.id == renewing_) return take_renewal(answer);
  if (answer.id == claiming_) return take_claim(answer);
  if (answer.id == clearing_) return take_clearing(answer);
  if (answer.id == truncating_) return take_truncation(answer);
  if (answer.id == compacting_) compacting_ = 0;
}

bool EtcdLog::end_turn(std::int64_t now_us) {
  bool const is_first = now_us_ == 0;
  now_us_ = std::max(now_us_, now_us);
  if (is_first) reader_.begin(now_us_);
  tick();
  if (phase_ != Phase::owning) return false;
  needed_ = appender_.end_lsn();
  Lsn const before = appender_.durable();
  appender_.send(now_us_);
  return needed_ > before;
}

std::int64_t EtcdLog::next_us() const {
  std::int64_t next = std::min({reader_.next_us(), appender_.next_us(), nodes_.next_us()});
  if (lease_ != 0 || is_current()) next = std::min(next, renew_at_us_);
  if ((phase_ == Phase::following && reader_.is_current()) || phase_ == Phase::clearing)
    next = std::min(next, claim_at_us_);
  if (phase_ == Phase::owning) next = std::min(next, quota_.next_us());
  if (phase_ == Phase::owning && valid_until_us_ > now_us_) next = std::min(next, valid_until_us_);
  if (phase_ == Phase::following && !ahead_.empty()) next = std::min(next, ahead_since_us_ + kGapUs);
  return next;
}

// ---------------------------------------------------------------------------
// Reading

void EtcdLog::on_begin(Head const& head) {
  set_phase(Phase::reading);
  store_id_ = head.store_id;
  base_ = head.base;
  base_revision_ = head.base_revision;
  start_ = head.start;
  start_revision_ = head.start_revision;
  ahead_.clear();
  ahead_since_us_ = INT64_MAX;
  entries_.clear();
  entry_bytes_ = 0;
  seen_end_ = {};
  stream_.begin(head.base);
  why_ = {Code::unavailable, "log " + options_.name + " is being read"};
  following_.on_reset(head.store_id, head.base.lsn);
  on_own(head.own);
}

void EtcdLog::on_entry(std::uint64_t sequence, std::string_view value) {
  if (sequence < stream_.next_sequence()) return;
  if (ahead_.size() >= kAheadMax) {
    why_ = {Code::damaged, names_.entry(stream_.next_sequence()) + " is missing"};
    return;
  }
  ahead_[sequence] = value;
  apply_ahead();
}

void EtcdLog::apply_ahead() {
  for (auto at = ahead_.find(stream_.next_sequence()); at != ahead_.end(); at = ahead_.find(stream_.next_sequence())) {
    std::optional<Entry> const entry = decode(at->second, store_id_);
    Status status = entry ? stream_.add(*entry, following_)
                          : Status{Code::damaged, names_.entry(at->first) + " is damaged, or of another log"};
    if (!status.ok()) {
      // Another node may be able to read it: this one does not keep the log from it.
      step_down(INT64_MAX);
      why_ = std::move(status);
      set_phase(Phase::reading);
      return;
    }
    keep({entry->sequence, entry->lsn, entry->end(), entry->group});
    seen_end_ = std::max(seen_end_, entry->end());
    ahead_.erase(at);
    ahead_since_us_ = INT64_MAX;
  }
  if (!ahead_.empty() && ahead_since_us_ == INT64_MAX) ahead_since_us_ = now_us_;
  for (auto const& [sequence, value] : ahead_)
    if (std::optional<Entry> const entry = decode(value, store_id_)) seen_end_ = std::max(seen_end_, entry->end());
}

void EtcdLog::on_own(std::optional<api::KeyValue> const& own) {
  owner_ = own ? own->value : std::string{};
  owner_lease_ = own ? own->lease : 0;
  owner_revision_ = own ? own->mod_revision : 0;
  bool const is_mine = own && lease_ != 0 && own->lease == lease_;
  if (is_mine && (phase_ == Phase::claiming || phase_ == Phase::following)) return own_is_mine(own->mod_revision);
  if (is_mine) return;
  plan_claim(0);
  give_up_claim();
  if (phase_ == Phase::following)
    why_ = own ? Status{Code::unavailable, "log " + options_.name + " is owned by " + owner_}
               : Status{Code::unavailable, "log " + options_.name + " has no owner at this moment"};
}

void EtcdLog::on_start(std::uint32_t start, std::int64_t revision) {
  start_ = std::max(start_, start);
  start_revision_ = revision;
}

void EtcdLog::on_current() {
  if (why_.code() == Code::damaged) return;
  set_phase(Phase::following);
  why_ = {Code::unavailable, owner_.empty() ? "log " + options_.name + " has no owner at this moment"
                                            : "log " + options_.name + " is owned by " + owner_};
  // An earlier claim of its own was carried out, after all.
  if (lease_ != 0 && owner_lease_ == lease_) own_is_mine(owner_revision_);
}

// ---------------------------------------------------------------------------
// Becoming the owner

void EtcdLog::look_for_ownership() {
  if (phase_ == Phase::following && reader_.is_current() && now_us_ >= claim_at_us_) claim();
  if (phase_ == Phase::settling && reader_.revision() >= static_cast<std::int64_t>(token_)) clear();
  if (phase_ == Phase::clearing && clearing_ == 0 && now_us_ >= claim_at_us_) clear();
}

void EtcdLog::plan_claim(std::int64_t after_us) {
  if (!owner_.empty() || !options_.is_candidate || not_before_us_ == INT64_MAX) {
    claim_at_us_ = INT64_MAX;
    return;
  }
  auto const others = static_cast<std::int64_t>(nodes_.ahead_of(stream_.applied()));
  claim_at_us_ = std::max(now_us_ + after_us + others * options_.turn_us, not_before_us_);
}

void EtcdLog::be_candidate(bool is_candidate) {
  if (std::exchange(options_.is_candidate, is_candidate) == is_candidate) return;
  if (phase_ == Phase::following) plan_claim(0);
}

void EtcdLog::ask_for_lease() {
  if (granting_ != 0) return;
  renew_at_us_ = INT64_MAX;
  sent_at_us_ = now_us_;
  granting_ = cluster_.send(api::Grant{options_.ttl_s}, options_.request_timeout_us);
}

void EtcdLog::claim() {
  claim_at_us_ = INT64_MAX;
  if (granting_ != 0 || claiming_ != 0) return;
  if (lease_ == 0) return ask_for_lease();
  set_phase(Phase::claiming);
  api::Transaction transaction;
  transaction.compares = {{names_.own(), api::Compare::What::create_revision, api::Compare::Is::equal, 0},
                          {names_.start(), api::Compare::What::mod_revision, api::Compare::Is::equal, start_revision_}};
  transaction.then = {api::Put{.key = names_.own(), .value = own_value(), .lease = lease_},
                      api::Put{.key = names_.start(), .value = fmt::format("{}", start_ + 1)}};
  claiming_ = cluster_.send(std::move(transaction), options_.request_timeout_us);
}

void EtcdLog::take_lease(api::Answer const& answer) {
  granting_ = 0;
  renew_at_us_ = now_us_ + kRetryUs;
  if (answer.outcome == api::Outcome::done) {
    lease_ = std::get<api::LeaseAnswer>(answer.body).lease;
    valid_until_us_ = sent_at_us_ + options_.ttl_s * 1'000'000 - options_.margin_us;
    renew_at_us_ = sent_at_us_ + options_.ttl_s * 1'000'000 / 3;
  }
  if (phase_ == Phase::following && claim_at_us_ == INT64_MAX) plan_claim(lease_ == 0 ? kRetryUs : 0);
}

void EtcdLog::take_claim(api::Answer const& answer) {
  claiming_ = 0;
  if (phase_ != Phase::claiming) return;
  bool const is_done = answer.outcome == api::Outcome::done;
  if (is_done && std::get<api::TransactionAnswer>(answer.body).succeeded) return own_is_mine(answer.header.revision);
  // Another one was first; or nobody knows, and the watch will tell.
  set_phase(Phase::following);
  if (answer.outcome == api::Outcome::refused && answer.refusal == api::Refusal::no_lease) {
    lease_ = 0;
    renewing_ = 0;
  }
  plan_claim(kRetryUs);
}

void EtcdLog::own_is_mine(std::int64_t revision) {
  token_ = static_cast<std::uint64_t>(revision);
  claiming_ = 0;
  claim_at_us_ = INT64_MAX;
  set_phase(Phase::settling);
}

// Nobody else can append any more, and all that others have appended was told. What lies behind a gap was acknowledged
// to nobody.
void EtcdLog::clear() {
  set_phase(Phase::clearing);
  claim_at_us_ = INT64_MAX;
  api::Transaction transaction;
  transaction.compares = {
      is_owner(),
      {names_.cleared(), api::Compare::What::mod_revision, api::Compare::Is::less, static_cast<std::int64_t>(token_)}};
  transaction.then = {api::Delete{.key = names_.entry(stream_.next_sequence()), .end = names_.entries_end()},
                      api::Put{.key = names_.cleared(), .value = options_.node}};
  transaction.otherwise = {api::Range{.key = names_.own()}};
  clearing_ = cluster_.send(std::move(transaction), options_.request_timeout_us);
}

void EtcdLog::take_clearing(api::Answer const& answer) {
  clearing_ = 0;
  if (phase_ != Phase::clearing) return;
  if (answer.outcome != api::Outcome::done) {
    claim_at_us_ = now_us_ + kRetryUs;
    return;
  }
  auto const& body = std::get<api::TransactionAnswer>(answer.body);
  if (body.succeeded) return own();
  // It is the owner still, so an earlier try was carried out.
  auto const& owners = std::get<api::RangeAnswer>(body.answers.at(0)).pairs;
  if (!owners.empty() && owners.front().mod_revision == static_cast<std::int64_t>(token_)) return own();
  token_ = 0;
  set_phase(Phase::following);
}

void EtcdLog::own() {
  owner_ = own_value();
  owner_revision_ = static_cast<std::int64_t>(token_);
  std::uint64_t const end = std::max({seen_end_.value, stream_.end().value, kFirstLsn.value - kGap});
  Appender::Owner owner;
  owner.token = token_;
  owner.store_id = store_id_;
  // The number that its claim gave, told by the watch.
  owner.start = start_;
  owner.next_sequence = stream_.next_sequence();
  owner.cut = stream_.applied();
  owner.begin = Lsn{(end + kGap) / kGap * kGap};
  reader_.end();
  appender_.begin(owner);
  ahead_.clear();
  found_ = needed_ = owner.begin;
  base_told_ = base_.lsn.is_none() ? owner.begin : base_.lsn;
  compact_at_us_ = now_us_ + options_.compact_every_us;
  compact_to_ = 0;
  open_.clear();
  wished_.reset();
  truncating_ = 0;
  set_phase(Phase::owning);
  why_ = {};
}

// ---------------------------------------------------------------------------
// Staying the owner

void EtcdLog::renew() {
  renew_at_us_ = now_us_ + kRetryUs;
  if (renewing_ != 0) return;
  sent_at_us_ = now_us_;
  renewing_ = cluster_.send(api::KeepAlive{lease_}, options_.request_timeout_us);
}

void EtcdLog::take_renewal(api::Answer const& answer) {
  renewing_ = 0;
  if (answer.outcome != api::Outcome::done) return;
  if (std::get<api::LeaseAnswer>(answer.body).ttl_s > 0) {
    valid_until_us_ = sent_at_us_ + options_.ttl_s * 1'000'000 - options_.margin_us;
    renew_at_us_ = sent_at_us_ + options_.ttl_s * 1'000'000 / 3;
    return;
  }
  lease_ = 0;
  renew_at_us_ = now_us_;
  if (phase_ == Phase::owning) return fence("its lease is over");
  give_up_claim();
  if (phase_ == Phase::following) plan_claim(0);
}

void EtcdLog::give_up_claim() {
  if (phase_ != Phase::claiming && phase_ != Phase::settling && phase_ != Phase::clearing) return;
  token_ = 0;
  claiming_ = clearing_ = 0;
  set_phase(Phase::following);
}

void EtcdLog::fence(std::string why, bool is_wanted) {
  set_phase(Phase::fenced);
  token_ = 0;
  owner_.clear();
  appender_.end();
  open_.clear();
  why_ = {Code::unavailable, "log " + options_.name + " was taken over, or may be: " +
                                 (why.empty() ? "this node is not its owner any more" : why)};
  if (is_wanted)
    news_.push_back({"", 0, "log " + options_.name + ": " + why + ", so that another one may have it"});
  else
    news_.push_back({"log-fenced", 60, why_.message()});
}

void EtcdLog::follow_again(std::int64_t now_us) {
  now_us_ = std::max(now_us_, now_us);
  set_phase(Phase::reading);
  needed_ = {};
  held_ = 0;
  reader_.begin(now_us_);
}

void EtcdLog::step_down(std::int64_t until_us) {
  not_before_us_ = until_us;
  if (lease_ != 0) static_cast<void>(cluster_.send(api::Revoke{std::exchange(lease_, 0)}, options_.request_timeout_us));
  renewing_ = 0;
  renew_at_us_ = now_us_ + kRetryUs;
  valid_until_us_ = INT64_MIN;
  if (phase_ == Phase::owning) fence("this node stepped down", true);
  give_up_claim();
  if (phase_ == Phase::following) plan_claim(0);
}

Owner EtcdLog::owner() const {
  Owner out;
  std::string_view const value = owner_;
  std::size_t const address = value.find(" address=");
  if (!value.starts_with("node=") || address == std::string_view::npos) return out;
  out.node = value.substr(5, address - 5);
  out.address = value.substr(address + 9);
  out.token = static_cast<std::uint64_t>(owner_revision_);
  return out;
}

bool EtcdLog::may_answer(std::int64_t now_us) const {
  if (phase_ != Phase::owning) return phase_ != Phase::fenced;
  return now_us < valid_until_us_;
}

Status EtcdLog::seal() {
  static_cast<void>(end_turn(now_us_));
  if (durable_lsn() == end_lsn()) return {};
  return {Code::unavailable, fmt::format("log {}: {} bytes wait for etcd", options_.name, appender_.open_bytes())};
}

Standing EtcdLog::standing() const {
  switch (phase_) {
    case Phase::owning: {
      bool const is_valid = now_us_ < valid_until_us_;
      return is_valid && !is_stuck() ? Standing::serving : Standing::unavailable;
    }
    case Phase::fenced: return Standing::fenced;
    case Phase::following: return owner_.empty() ? Standing::unavailable : Standing::following;
    default: return Standing::unavailable;
  }
}

void EtcdLog::note_trouble() {
  if (now_us_ >= valid_until_us_)
    why_ = {Code::unavailable, "log " + options_.name + " has no answer of etcd, and its lease may be over" +
                                   (silence_.empty() ? "" : ": " + silence_)};
  else if (is_stuck())
    why_ = {Code::unavailable, quota_.why()};
  else if (!appender_.trouble().empty())
    why_ = {Code::unavailable, appender_.trouble()};
  else
    why_ = quota_.is_short() ? Status{Code::no_space, quota_.why()} : Status{};
}

// ---------------------------------------------------------------------------
// Appending

// Not the difference of LSNs: there may be gaps.
std::uint64_t EtcdLog::kept_bytes() const { return entry_bytes_ + appender_.open_bytes() + open_.size(); }

void EtcdLog::keep(Appender::Written const& entry) {
  entries_.push_back(entry);
  entry_bytes_ += entry.end.value - entry.lsn.value;
}

bool EtcdLog::reserve(std::size_t bytes, bool removing) {
  if (phase_ != Phase::owning) return false;
  if (appender_.open_bytes() + open_.size() + bytes > options_.waiting_bytes_max) return false;
  if (!removing && quota_.is_short()) return false;
  std::uint64_t const left_alone = held_ + (removing ? 0 : kept_for_copy_ + options_.container_bytes);
  if (kept_bytes() + bytes + left_alone > options_.bytes_max) return false;
  make_room(bytes);
  return true;
}

// Records of a step are applied when all of them were appended: until then they stay where they are.
void EtcdLog::make_room(std::size_t bytes) {
  std::size_t const all = open_.size() + with_headers(bytes);
  if (all > open_.capacity()) open_.reserve(all);
}

std::string EtcdLog::shortage() const {
  if (phase_ != Phase::owning) return why_.message();
  if (quota_.is_short()) return quota_.why();
  if (appender_.open_bytes() + open_.size() > options_.waiting_bytes_max / 2)
    return fmt::format("log {}: {} bytes wait for etcd", options_.name, appender_.open_bytes());
  return fmt::format("log {} has {} of at most {} bytes in etcd", options_.name, kept_bytes(), options_.bytes_max);
}

bool EtcdLog::reserve_to_copy(std::size_t bytes) {
  if (phase_ != Phase::owning || kept_bytes() + bytes > options_.bytes_max ||
      appender_.open_bytes() + open_.size() + bytes > options_.waiting_bytes_max)
    return false;
  make_room(bytes);
  return true;
}

bool EtcdLog::hold(std::size_t bytes, bool removing) {
  if (!reserve(bytes, removing)) return false;
  held_ += bytes;
  return true;
}

Records::Place EtcdLog::append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                               std::size_t body_bytes) {
  last_record_ = open_.size();
  Lsn const lsn = end_lsn();
  std::size_t const bytes = record_bytes(!object.is_none(), body_bytes);
  FJ_CHECK(last_record_ + bytes <= open_.capacity(), "records stay within what was reserved");
  open_.resize(last_record_ + bytes);
  std::span<std::byte> const all = std::as_writable_bytes(std::span{open_});
  return {lsn, begin_record(all.subspan(last_record_), table, type, version, object, body_bytes)};
}

bool EtcdLog::skip_to(Lsn at) {
  Lsn const rounded{(at.value + kGap - 1) / kGap * kGap};
  return phase_ == Phase::owning && open_.empty() && appender_.skip_to(rounded);
}

// Every one is synced by etcd before it is acknowledged: there is no other durability.
void EtcdLog::end_group(Durability) {
  if (open_.empty()) return;
  mark_last_of_group(std::as_writable_bytes(std::span{open_}).data() + last_record_);
  appender_.add(open_, true);
  open_.clear();
}

Status EtcdLog::commit() {
  static_cast<void>(end_turn(now_us_));
  return {};
}

// ---------------------------------------------------------------------------
// Removing

void EtcdLog::set_base(Lsn base, Lsn catalogue) {
  if (phase_ != Phase::owning || base <= base_told_) return;
  base_told_ = base;
  wished_ = Wished{base, catalogue, end_lsn()};
}

LogUsage EtcdLog::usage() const {
  LogUsage out;
  std::uint64_t const container = options_.container_bytes;
  out.logical_bytes = std::min(end_lsn().value - std::min(base_told_.value, end_lsn().value), kept_bytes());
  out.containers = static_cast<std::uint32_t>((kept_bytes() + container - 1) / container + 1);
  out.disk_bytes = out.containers * container;
  out.left_bytes = container;
  out.room_bytes = options_.bytes_max - std::min(options_.bytes_max, kept_bytes());
  Lsn const begin = entries_.empty() ? end_lsn() : entries_.front().lsn;
  out.oldest_container_end = Lsn{(begin.value / container + 1) * container};
  out.is_short = out.room_bytes < options_.bytes_max / 8;
  return out;
}

// The last entry in which a group begins that is not above the base is the first that is kept.
void EtcdLog::truncate() {
  if (!wished_ || truncating_ != 0) return;
  if (appender_.durable() < wished_->rests_on) return;
  std::size_t keep = 0;
  Lsn from{};
  for (std::size_t at = 0; at < entries_.size() && entries_[at].lsn <= wished_->base; ++at) {
    if (entries_[at].group.is_none() || entries_[at].group > wished_->base) continue;
    keep = at;
    from = entries_[at].group;
  }
  if (keep == 0 || entries_[keep].lsn.value - entries_.front().lsn.value < options_.container_bytes / 4) return;
  truncating_to_ = {entries_[keep].sequence, from, wished_->catalogue};
  api::Transaction transaction;
  transaction.compares = {is_owner(),
                          {names_.base(), api::Compare::What::mod_revision, api::Compare::Is::equal, base_revision_}};
  transaction.otherwise = {api::Range{.key = names_.own()}, api::Range{.key = names_.base()}};
  transaction.then = {api::Put{.key = names_.base(), .value = encode(truncating_to_)},
                      api::Delete{.key = names_.entry(0), .end = names_.entry(truncating_to_.sequence)}};
  truncating_ = cluster_.send(std::move(transaction), options_.request_timeout_us);
}

void EtcdLog::take_truncation(api::Answer const& answer) {
  truncating_ = 0;
  // What is not known is tried again: it is the same each time, or goes further.
  if (phase_ != Phase::owning || answer.outcome != api::Outcome::done) return;
  auto const& body = std::get<api::TransactionAnswer>(answer.body);
  if (body.succeeded) {
    base_ = truncating_to_;
    base_revision_ = answer.header.revision;
  } else {
    auto const& owners = std::get<api::RangeAnswer>(body.answers.at(0)).pairs;
    auto const& bases = std::get<api::RangeAnswer>(body.answers.at(1)).pairs;
    std::optional<Base> const its = bases.empty() ? std::nullopt : decode_base(bases.front().value);
    if (owners.empty() || owners.front().mod_revision != static_cast<std::int64_t>(token_) || !its) return fence({});
    // An earlier try was carried out.
    base_ = *its;
    base_revision_ = bases.front().mod_revision;
  }
  while (!entries_.empty() && entries_.front().sequence < base_.sequence) {
    entry_bytes_ -= entries_.front().end.value - entries_.front().lsn.value;
    entries_.pop_front();
  }
}

// Older revisions are of no use to anybody who is not further behind than one round.
void EtcdLog::compact() {
  if (compacting_ != 0 || now_us_ < compact_at_us_) return;
  compact_at_us_ = now_us_ + options_.compact_every_us;
  std::int64_t const revision = std::exchange(compact_to_, appender_.revision());
  if (revision > 0) compacting_ = cluster_.send(api::Compact{revision}, options_.request_timeout_us);
}

}  // namespace fastjournal::log::etcd
