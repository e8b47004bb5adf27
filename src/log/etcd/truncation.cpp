#include "log/etcd/truncation.h"

#include <utility>

namespace fastjournal::log::etcd {

void Truncation::begin(Head const& head) {
  base_ = head.base;
  base_revision_ = head.base_revision;
  entries_.clear();
  bytes_ = 0;
}

void Truncation::keep(Appender::Written const& entry) {
  entries_.push_back(entry);
  bytes_ += entry.end.value - entry.lsn.value;
}

void Truncation::begin_owning(std::uint64_t token, Lsn begin, std::int64_t now_us) {
  token_ = token;
  base_told_ = base_.lsn.is_none() ? begin : base_.lsn;
  compact_at_us_ = now_us + options_.compact_every_us;
  compact_to_ = 0;
  wished_.reset();
  truncating_ = 0;
}

void Truncation::end_owning() {
  token_ = 0;
  is_fenced_ = false;
}

void Truncation::set_base(Lsn base, Lsn catalogue, Lsn rests_on) {
  if (base <= base_told_) return;
  base_told_ = base;
  wished_ = Wished{base, catalogue, rests_on};
}

void Truncation::tick(std::int64_t now_us) {
  truncate();
  compact(now_us);
}

bool Truncation::take(api::Answer const& answer) {
  if (answer.id == truncating_) {
    take_truncation(answer);
    return true;
  }
  if (answer.id != compacting_) return false;
  compacting_ = 0;
  return true;
}

// The last entry in which a group begins that is not above the base is the first that is kept.
void Truncation::truncate() {
  if (!wished_ || truncating_ != 0) return;
  if (appender_.durable() < wished_->rests_on) return;
  std::size_t keep = 0;
  Lsn from{};
  for (std::size_t at = 0; at < entries_.size() && entries_[at].lsn <= wished_->base; ++at) {
    if (entries_[at].group.is_none() || entries_[at].group > wished_->base) continue;
    keep = at;
    from = entries_[at].group;
  }
  if (keep == 0 || entries_[keep].lsn.value - entries_.front().lsn.value < options_.segment_bytes / 4) return;
  truncating_to_ = {entries_[keep].sequence, from, wished_->catalogue};
  api::Transaction transaction;
  transaction.compares = {names_.is_owner(token_),
                          {names_.base(), api::Compare::What::mod_revision, api::Compare::Is::equal, base_revision_}};
  transaction.otherwise = {api::Range{.key = names_.own()}, api::Range{.key = names_.base()}};
  transaction.then = {api::Put{.key = names_.base(), .value = encode(truncating_to_)},
                      api::Delete{.key = names_.entry(0), .end = names_.entry(truncating_to_.sequence)}};
  truncating_ = cluster_.send(std::move(transaction), options_.request_timeout_us);
}

void Truncation::take_truncation(api::Answer const& answer) {
  truncating_ = 0;
  // What is not known is tried again: it is the same each time, or goes further.
  if (token_ == 0 || answer.outcome != api::Outcome::done) return;
  auto const& body = std::get<api::TransactionAnswer>(answer.body);
  if (body.succeeded) {
    base_ = truncating_to_;
    base_revision_ = answer.header.revision;
  } else {
    auto const& owners = std::get<api::RangeAnswer>(body.answers.at(0)).pairs;
    auto const& bases = std::get<api::RangeAnswer>(body.answers.at(1)).pairs;
    std::optional<Base> const its = bases.empty() ? std::nullopt : decode_base(bases.front().value);
    is_fenced_ = owners.empty() || owners.front().mod_revision != static_cast<std::int64_t>(token_) || !its;
    if (is_fenced_) return;
    // An earlier try was carried out.
    base_ = *its;
    base_revision_ = bases.front().mod_revision;
  }
  while (!entries_.empty() && entries_.front().sequence < base_.sequence) {
    bytes_ -= entries_.front().end.value - entries_.front().lsn.value;
    entries_.pop_front();
  }
}

void Truncation::compact(std::int64_t now_us) {
  if (compacting_ != 0 || now_us < compact_at_us_) return;
  compact_at_us_ = now_us + options_.compact_every_us;
  std::int64_t const revision = std::exchange(compact_to_, appender_.revision());
  if (revision > 0) compacting_ = cluster_.send(api::Compact{revision}, options_.request_timeout_us);
}

}  // namespace fastjournal::log::etcd
