#include "log/etcd/reader.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace fastjournal::log::etcd {
namespace {

// Entries in one answer.
constexpr std::int64_t kPage = 64;
constexpr std::int64_t kPauseUs = 100'000;

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

api::KeyValue const* pair_of(api::TransactionAnswer const& answer, std::size_t at) {
  auto const& pairs = std::get<api::RangeAnswer>(answer.answers.at(at)).pairs;
  return pairs.empty() ? nullptr : &pairs.front();
}

}  // namespace

void Reader::begin(std::int64_t now_us) {
  end();
  next_us_ = now_us;
  tick(now_us);
}

void Reader::end() {
  if (watch_ != 0) cluster_.unwatch(std::exchange(watch_, 0U));
  state_ = State::idle;
  request_ = 0;
  next_us_ = INT64_MAX;
}

void Reader::tick(std::int64_t now_us) {
  if (state_ != State::idle || now_us < next_us_) return;
  next_us_ = INT64_MAX;
  ask_head();
}

void Reader::again(std::int64_t now_us, std::string why) {
  end();
  trouble_ = std::move(why);
  next_us_ = now_us + kPauseUs;
}

// All at one revision; and if the log is not there, it is made.
void Reader::ask_head() {
  state_ = State::reading_head;
  api::Transaction transaction;
  transaction.compares = {{names_.conf(), api::Compare::What::create_revision, api::Compare::Is::greater, 0}};
  for (std::string const& key : {names_.conf(), names_.base(), names_.own(), names_.start()})
    transaction.then.emplace_back(api::Range{.key = key});
  transaction.otherwise = {api::Put{.key = names_.conf(), .value = fmt::format("{}", new_store_id_)}};
  request_ = cluster_.send(std::move(transaction), timeout_us_);
}

void Reader::ask_entries() {
  state_ = State::reading_entries;
  request_ = cluster_.send(api::Range{.key = from_, .end = names_.entries_end(), .revision = revision_, .limit = kPage},
                           timeout_us_);
}

bool Reader::take(api::Answer const& answer, std::int64_t now_us) {
  if (request_ == 0 || answer.id != request_) return false;
  request_ = 0;
  if (answer.outcome != api::Outcome::done) {
    again(now_us, answer.why);
    return true;
  }
  if (state_ == State::reading_head) {
    auto const& body = std::get<api::TransactionAnswer>(answer.body);
    if (body.succeeded)
      take_head(body, answer.header.revision);
    else
      ask_head();
    if (state_ == State::idle) again(now_us, trouble_);
    return true;
  }
  take_entries(std::get<api::RangeAnswer>(answer.body));
  return true;
}

void Reader::take_head(api::TransactionAnswer const& answer, std::int64_t revision) {
  Head head;
  api::KeyValue const* const conf = pair_of(answer, 0);
  api::KeyValue const* const base = pair_of(answer, 1);
  api::KeyValue const* const own = pair_of(answer, 2);
  api::KeyValue const* const start = pair_of(answer, 3);
  std::optional<std::uint64_t> const store_id = number_in<std::uint64_t>(conf->value);
  std::optional<Base> const its_base = base == nullptr ? Base{} : decode_base(base->value);
  std::optional<std::uint32_t> const its_start = start == nullptr ? 0U : number_in<std::uint32_t>(start->value);
  if (!store_id || !its_base || !its_start) {
    trouble_ = names_.prefix() + ": conf, base or start is not what fastjournal writes there";
    state_ = State::idle;
    return;
  }
  trouble_.clear();
  head.store_id = *store_id;
  head.base = *its_base;
  head.base_revision = base == nullptr ? 0 : base->mod_revision;
  if (own != nullptr) head.own = *own;
  head.start = *its_start;
  head.start_revision = start == nullptr ? 0 : start->mod_revision;
  revision_ = revision;
  from_ = names_.entry(head.base.sequence);
  sink_.on_begin(head);
  ask_entries();
}

void Reader::take_entries(api::RangeAnswer const& answer) {
  for (api::KeyValue const& pair : answer.pairs)
    if (std::optional<std::uint64_t> const sequence = names_.sequence_of(pair.key))
      sink_.on_entry(*sequence, pair.value);
  if (answer.more && !answer.pairs.empty()) {
    from_ = answer.pairs.back().key + '\0';
    ask_entries();
    return;
  }
  state_ = State::watching;
  watch_ = cluster_.watch({.key = names_.prefix(), .end = names_.end(), .revision = revision_ + 1});
  sink_.on_current();
}

bool Reader::take(api::WatchNews const& news, std::int64_t now_us) {
  if (watch_ == 0 || news.id != watch_) return false;
  switch (news.kind) {
    case api::WatchNews::Kind::events:
      for (api::WatchNews::Event const& event : news.events) tell(event);
      revision_ = std::max(revision_, news.revision);
      break;
    case api::WatchNews::Kind::progress: revision_ = std::max(revision_, news.revision); break;
    case api::WatchNews::Kind::compacted:
      watch_ = 0;
      again(now_us, "what was to be read next was compacted away");
      break;
    case api::WatchNews::Kind::refused:
      watch_ = 0;
      again(now_us, news.why);
      break;
  }
  return true;
}

void Reader::tell(api::WatchNews::Event const& event) {
  if (std::optional<std::uint64_t> const sequence = names_.sequence_of(event.pair.key)) {
    if (event.is_deleted)
      sink_.on_entry_gone(*sequence);
    else
      sink_.on_entry(*sequence, event.pair.value);
  } else if (event.pair.key == names_.own()) {
    sink_.on_own(event.is_deleted ? std::nullopt : std::optional{event.pair});
  } else if (event.pair.key == names_.start() && !event.is_deleted) {
    if (std::optional<std::uint32_t> const start = number_in<std::uint32_t>(event.pair.value))
      sink_.on_start(*start, event.pair.mod_revision);
  }
}

}  // namespace fastjournal::log::etcd
