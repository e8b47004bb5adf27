#include "log/etcd/appender.h"

#include <algorithm>
#include <utility>

namespace fastjournal::log::etcd {

void Appender::begin(Owner const& owner) {
  end();
  owner_ = owner;
  next_sequence_ = owner.next_sequence;
  begin_ = durable_ = owner.begin;
}

void Appender::end() {
  owner_ = {};
  waiting_.clear();
  taken_ = 0;
  groups_.clear();
  sent_.clear();
  written_.clear();
  is_first_ = true;
  is_fenced_ = false;
  trouble_.clear();
  next_us_ = INT64_MAX;
  paused_until_us_ = INT64_MIN;
  begin_ = durable_ = {};
}

void Appender::add(std::string_view bytes, bool begins_group) {
  if (begins_group) groups_.push_back(end_lsn());
  waiting_.append(bytes);
}

// The next entry says where the stream was cut, as the first of an owner does.
bool Appender::skip_to(Lsn at) {
  if (durable_ != end_lsn() || !sent_.empty()) return false;
  if (at <= begin_) return true;
  if (!is_first_) owner_.cut = begin_;
  is_first_ = true;
  begin_ = durable_ = at;
  return true;
}

void Appender::make_entry() {
  std::size_t const bytes =
      std::min(waiting_.size() - taken_, (options_.entry_bytes - kEntryHeadBytesMax) / kLsnAlign * kLsnAlign);
  Entry entry;
  entry.token = owner_.token;
  entry.sequence = next_sequence_++;
  entry.lsn = begin_;
  entry.bytes = std::string_view{waiting_}.substr(taken_, bytes);
  if (std::exchange(is_first_, false)) {
    entry.is_first = true;
    entry.cut = owner_.cut;
    entry.start = owner_.start;
  }
  if (!groups_.empty() && groups_.front() < entry.end()) entry.group = groups_.front();
  while (!groups_.empty() && groups_.front() < entry.end()) groups_.pop_front();
  Sent& sent = sent_.emplace_back();
  sent.written = {entry.sequence, entry.lsn, entry.end(), entry.group};
  sent.value = encode(entry, owner_.store_id);
  begin_ = entry.end();
  taken_ += bytes;
  // Only at half or more, so that moving the rest costs no more than what was taken.
  if (taken_ * 2 >= waiting_.size()) {
    waiting_.erase(0, taken_);
    taken_ = 0;
  }
}

void Appender::request(Sent& sent) {
  std::string const key = names_.entry(sent.written.sequence);
  api::Transaction transaction;
  transaction.compares = {
      names_.is_owner(owner_.token),
      {key, api::Compare::What::create_revision, api::Compare::Is::equal, 0},
  };
  transaction.then = {api::Put{.key = key, .value = sent.value}};
  transaction.otherwise = {api::Range{.key = names_.own()}, api::Range{.key = key}};
  sent.request = cluster_.send(std::move(transaction), options_.timeout_us);
}

void Appender::send(std::int64_t now_us) {
  next_us_ = INT64_MAX;
  if (is_fenced_ || owner_.token == 0) return;
  if (now_us < paused_until_us_) {
    next_us_ = paused_until_us_;
    return;
  }
  auto under_way =
      static_cast<std::size_t>(std::ranges::count_if(sent_, [](Sent const& sent) { return sent.request != 0; }));
  // The oldest first: those behind it wait for it.
  for (Sent& sent : sent_) {
    if (under_way >= options_.window) break;
    if (sent.request != 0 || sent.is_done) continue;
    request(sent);
    ++under_way;
  }
  while (under_way < options_.window && sent_.size() < options_.window && taken_ < waiting_.size()) {
    make_entry();
    request(sent_.back());
    ++under_way;
  }
}

bool Appender::take(api::Answer const& answer, std::int64_t now_us) {
  auto const found =
      std::ranges::find_if(sent_, [&](Sent const& sent) { return sent.request == answer.id && answer.id != 0; });
  if (found == sent_.end()) return false;
  found->request = 0;
  if (answer.outcome != api::Outcome::done) {
    // It may be done, or may still be done: the number says which when it is tried again.
    paused_until_us_ = now_us + options_.pause_us;
    trouble_ = answer.outcome == api::Outcome::refused ? answer.why : std::string{};
  } else {
    trouble_.clear();
    revision_ = std::max(revision_, answer.header.revision);
    auto const& body = std::get<api::TransactionAnswer>(answer.body);
    if (body.succeeded)
      found->is_done = true;
    else
      look_at_refused(*found, body);
  }
  while (!sent_.empty() && sent_.front().is_done) {
    durable_ = std::max(durable_, sent_.front().written.end);
    written_.push_back(sent_.front().written);
    sent_.pop_front();
  }
  send(now_us);
  return true;
}

// Not the owner any more; or its own earlier try was done, after all.
void Appender::look_at_refused(Sent& sent, api::TransactionAnswer const& answer) {
  auto const& own = std::get<api::RangeAnswer>(answer.answers.at(0)).pairs;
  auto const& there = std::get<api::RangeAnswer>(answer.answers.at(1)).pairs;
  bool const is_mine = !there.empty() && there.front().value == sent.value;
  if (is_mine) {
    // Done while it was the owner, even if another node is by now.
    sent.is_done = true;
    return;
  }
  bool const is_owner = !own.empty() && own.front().mod_revision == static_cast<std::int64_t>(owner_.token);
  is_fenced_ = true;
  if (is_owner) trouble_ = names_.entry(sent.written.sequence) + " has a value that this owner did not put there";
}

std::optional<Appender::Written> Appender::take_written() {
  if (written_.empty()) return std::nullopt;
  Written const out = written_.front();
  written_.pop_front();
  return out;
}

}  // namespace fastjournal::log::etcd
