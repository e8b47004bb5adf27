#include "tests/sim/sim_etcd_store.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fastjournal::sim {

using etcd::Outcome;
using etcd::Refusal;

namespace {

// etcd's own estimates of what a key and a lease take beside their bytes.
constexpr std::int64_t kKeyBytes = 256;
constexpr std::int64_t kLeaseBytes = 64;
// Tags and lengths of a message's fields: etcd compares the encoded size.
constexpr std::size_t kFieldBytes = 6;

template <typename... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overload(Ts...) -> Overload<Ts...>;

std::size_t bytes_of(etcd::Operation const& operation) {
  return std::visit(
      Overload{[](etcd::Range const& range) { return range.key.size() + range.end.size() + 4 * kFieldBytes; },
               [](etcd::Put const& put) { return put.key.size() + put.value.size() + 3 * kFieldBytes; },
               [](etcd::Delete const& removal) { return removal.key.size() + removal.end.size() + 2 * kFieldBytes; }},
      operation);
}
std::size_t bytes_of(std::vector<etcd::Operation> const& operations) {
  std::size_t bytes = 0;
  for (etcd::Operation const& operation : operations) bytes += bytes_of(operation) + kFieldBytes;
  return bytes;
}
std::size_t bytes_of(etcd::Request const& request) {
  return std::visit(Overload{[](etcd::Range const& range) { return bytes_of(etcd::Operation{range}); },
                             [](etcd::Put const& put) { return bytes_of(etcd::Operation{put}); },
                             [](etcd::Delete const& removal) { return bytes_of(etcd::Operation{removal}); },
                             [](etcd::Transaction const& all) {
                               std::size_t bytes = bytes_of(all.then) + bytes_of(all.otherwise);
                               for (etcd::Compare const& compare : all.compares)
                                 bytes += compare.key.size() + 4 * kFieldBytes;
                               return bytes;
                             },
                             [](auto const&) { return 2 * kFieldBytes; }},
                    request);
}

bool has_no_key(etcd::Operation const& operation) {
  return std::visit([](auto const& any) { return any.key.empty(); }, operation);
}

// A key is put once, and not deleted beside it.
bool is_written_twice(std::vector<etcd::Operation> const& operations) {
  std::set<std::string_view> put;
  for (etcd::Operation const& operation : operations)
    if (auto const* one = std::get_if<etcd::Put>(&operation); one != nullptr && !put.insert(one->key).second)
      return true;
  for (etcd::Operation const& operation : operations)
    if (auto const* removal = std::get_if<etcd::Delete>(&operation))
      for (std::string_view const key : put)
        if (EtcdStore::is_in(key, removal->key, removal->end)) return true;
  return false;
}

std::int64_t number_of(etcd::Compare::What what, etcd::KeyValue const& pair) {
  switch (what) {
    case etcd::Compare::What::create_revision: return pair.create_revision;
    case etcd::Compare::What::mod_revision: return pair.mod_revision;
    case etcd::Compare::What::version: return pair.version;
    case etcd::Compare::What::lease: return pair.lease;
  }
  return 0;
}

}  // namespace

EtcdResult EtcdResult::refused(Refusal refusal, std::string why) {
  EtcdResult result;
  result.outcome = Outcome::refused;
  result.refusal = refusal;
  result.why = std::move(why);
  return result;
}

// -- before a request is proposed ----------------------------------------------

EtcdResult EtcdStore::check(etcd::Request const& request) const {
  bool const has_key = std::visit(
      Overload{[](etcd::Range const& one) { return !one.key.empty(); },
               [](etcd::Put const& one) { return !one.key.empty(); },
               [](etcd::Delete const& one) { return !one.key.empty(); },
               [](etcd::Transaction const& all) {
                 return std::ranges::none_of(all.compares, [](auto const& one) { return one.key.empty(); }) &&
                        std::ranges::none_of(all.then, has_no_key) && std::ranges::none_of(all.otherwise, has_no_key);
               },
               [](auto const&) { return true; }},
      request);
  auto const* const all = std::get_if<etcd::Transaction>(&request);
  // In etcd's order: the number of operations, the keys, keys written twice, and the size when it is encoded.
  if (all != nullptr &&
      std::max({all->compares.size(), all->then.size(), all->otherwise.size()}) > limits_.operations_max)
    return EtcdResult::refused(Refusal::too_large, "etcdserver: too many operations in txn request");
  if (!has_key) return EtcdResult::refused(Refusal::other, "etcdserver: key is not provided");
  if (all != nullptr && (is_written_twice(all->then) || is_written_twice(all->otherwise)))
    return EtcdResult::refused(Refusal::other, "etcdserver: duplicate key given in txn request");
  if (!is_read(request) && bytes_of(request) > limits_.request_bytes_max)
    return EtcdResult::refused(Refusal::too_large, "etcdserver: request is too large");
  return {};
}

bool EtcdStore::is_read(etcd::Request const& request) {
  if (std::holds_alternative<etcd::Range>(request)) return true;
  auto const* const all = std::get_if<etcd::Transaction>(&request);
  auto const reads = [](etcd::Operation const& operation) { return std::holds_alternative<etcd::Range>(operation); };
  return all != nullptr && std::ranges::all_of(all->then, reads) && std::ranges::all_of(all->otherwise, reads);
}

bool EtcdStore::is_serializable(etcd::Request const& request) {
  if (auto const* const range = std::get_if<etcd::Range>(&request)) return range->is_serializable;
  // Comparisons do not count: a transaction without operations is serializable, as etcd has it.
  auto const* const all = std::get_if<etcd::Transaction>(&request);
  auto const is = [](etcd::Operation const& operation) {
    auto const* const range = std::get_if<etcd::Range>(&operation);
    return range != nullptr && range->is_serializable;
  };
  return all != nullptr && std::ranges::all_of(all->then, is) && std::ranges::all_of(all->otherwise, is);
}

std::int64_t EtcdStore::cost_of(std::string_view key, std::string_view value) {
  return kKeyBytes + static_cast<std::int64_t>(key.size() + value.size());
}

std::int64_t EtcdStore::cost_of(etcd::Request const& request) {
  auto const of = [](std::vector<etcd::Operation> const& operations) {
    std::int64_t cost = 0;
    for (etcd::Operation const& operation : operations)
      if (auto const* const put = std::get_if<etcd::Put>(&operation)) cost += cost_of(put->key, put->value);
    return cost;
  };
  return std::visit(
      Overload{[](etcd::Put const& put) { return cost_of(put.key, put.value); },
               [&](etcd::Transaction const& all) { return std::max(of(all.then), of(all.otherwise)); },
               [](etcd::Grant const&) { return kLeaseBytes; }, [](auto const&) { return std::int64_t{0}; }},
      request);
}

bool EtcdStore::fits(etcd::Request const& request) const {
  std::int64_t const cost = cost_of(request);
  if (cost == 0 && !(limits_.refuses_free_transactions && std::holds_alternative<etcd::Transaction>(request)))
    return true;
  return file_bytes_ + cost < limits_.quota_bytes;
}

// -- requests --------------------------------------------------------------------

EtcdResult EtcdStore::done(EtcdBody body) const {
  EtcdResult result;
  result.revision = view_.revision;
  result.body = std::move(body);
  return result;
}

EtcdResult EtcdStore::apply(etcd::Request const& request, std::int64_t lease, std::int64_t now_us) {
  if (view_.has_alarm && cost_of(request) > 0)
    return EtcdResult::refused(Refusal::no_space, "etcdserver: mvcc: database space exceeded");
  bool const fitted = fits(request);
  EtcdResult result = std::visit(
      Overload{[&](etcd::Put const& one) {
                 EtcdResult all = transact({{}, {one}, {}});
                 if (all.is_done()) all.body = etcd::PutAnswer{};
                 return all;
               },
               [&](etcd::Delete const& one) {
                 EtcdResult all = transact({{}, {one}, {}});
                 auto const deleted =
                     std::get<etcd::DeleteAnswer>(std::get<etcd::TransactionAnswer>(all.body).answers.front());
                 all.body = deleted;
                 return all;
               },
               [&](etcd::Transaction const& all) { return transact(all); },
               [&](etcd::Compact const& one) { return compact(one.revision); },
               [&](etcd::Grant const& one) { return grant(one.ttl_s, lease, now_us); },
               [&](etcd::Revoke const& one) { return revoke(one.lease); },
               [&](auto const&) { return EtcdResult::refused(Refusal::other, "not a request to be agreed on"); }},
      request);
  // etcd looks at the quota before, and does it all the same; only the alarm that it raises now refuses the next ones.
  if (result.is_done() && !fitted) {
    result = EtcdResult::refused(Refusal::no_space, "etcdserver: mvcc: database space exceeded");
    result.is_done_all_the_same = true;
  }
  return result;
}

EtcdResult EtcdStore::read(etcd::Request const& request, EtcdView view) const {
  if (auto const* const one = std::get_if<etcd::Range>(&request)) return range(*one, view);
  auto const& all = std::get<etcd::Transaction>(request);
  etcd::TransactionAnswer answer;
  answer.succeeded =
      std::ranges::all_of(all.compares, [&](etcd::Compare const& one) { return holds(one, view.revision); });
  for (etcd::Operation const& operation : answer.succeeded ? all.then : all.otherwise) {
    EtcdResult one = range(std::get<etcd::Range>(operation), view);
    if (!one.is_done()) return one;
    answer.answers.emplace_back(std::get<etcd::RangeAnswer>(std::move(one.body)));
  }
  EtcdResult result = done(std::move(answer));
  result.revision = view.revision;
  return result;
}

EtcdResult EtcdStore::check_revision(std::int64_t revision, EtcdView view) {
  if (revision > view.revision)
    return EtcdResult::refused(Refusal::future_revision, "etcdserver: mvcc: required revision is a future revision");
  if (revision > 0 && revision < view.compacted)
    return EtcdResult::refused(Refusal::compacted, "etcdserver: mvcc: required revision has been compacted");
  return {};
}

EtcdStore::Version const* EtcdStore::version_at(History const& history, std::int64_t revision) {
  auto const after = std::ranges::upper_bound(history, revision, {}, &Version::revision);
  if (after == history.begin()) return nullptr;
  Version const& version = *std::prev(after);
  return version.number == 0 ? nullptr : &version;
}

etcd::KeyValue EtcdStore::pair_of(std::string const& key, Version const& version) {
  return {key, *version.value, version.created, version.revision, version.number, version.lease};
}

bool EtcdStore::is_in(std::string_view key, std::string_view begin, std::string_view end) {
  if (end.empty()) return key == begin;
  return key >= begin && (end == std::string_view{"\0", 1} || key < end);
}

std::pair<EtcdStore::Keys::const_iterator, EtcdStore::Keys::const_iterator> EtcdStore::keys_in(
    std::string const& begin, std::string const& end) const {
  auto const first = keys_.lower_bound(begin);
  if (end.empty()) return {first, first != keys_.end() && first->first == begin ? std::next(first) : first};
  if (end == std::string_view{"\0", 1}) return {first, keys_.end()};
  return end <= begin ? std::pair{first, first} : std::pair{first, keys_.lower_bound(end)};
}

EtcdResult EtcdStore::range(etcd::Range const& range, EtcdView view) const {
  if (EtcdResult bad = check_revision(range.revision, view); !bad.is_done()) return bad;
  std::int64_t const revision = range.revision > 0 ? range.revision : view.revision;
  etcd::RangeAnswer answer;
  auto const [begin, end] = keys_in(range.key, range.end);
  auto const limit = static_cast<std::size_t>(range.limit);
  auto const look = [&](auto const& entry) {
    Version const* const version = version_at(entry.second, revision);
    if (version == nullptr) return;
    ++answer.count;
    if (range.count_only) return;
    if (limit != 0 && answer.pairs.size() == limit) {
      answer.more = true;
      return;
    }
    answer.pairs.push_back(pair_of(entry.first, *version));
    if (range.keys_only) answer.pairs.back().value.clear();
  };
  if (range.descending)
    std::for_each(std::reverse_iterator(end), std::reverse_iterator(begin), look);
  else
    std::for_each(begin, end, look);
  EtcdResult result = done(std::move(answer));
  result.revision = view.revision;
  return result;
}

bool EtcdStore::holds(etcd::Compare const& compare, std::int64_t revision) const {
  etcd::KeyValue pair;
  if (auto const found = keys_.find(compare.key); found != keys_.end())
    if (Version const* const version = version_at(found->second, revision))
      pair = {{}, {}, version->created, version->revision, version->number, version->lease};
  std::int64_t const number = number_of(compare.what, pair);
  switch (compare.is) {
    case etcd::Compare::Is::equal: return number == compare.number;
    case etcd::Compare::Is::greater: return number > compare.number;
    case etcd::Compare::Is::less: return number < compare.number;
    case etcd::Compare::Is::not_equal: return number != compare.number;
  }
  return false;
}

EtcdResult EtcdStore::transact(etcd::Transaction const& transaction) {
  etcd::TransactionAnswer answer;
  answer.succeeded =
      std::ranges::all_of(transaction.compares, [&](etcd::Compare const& one) { return holds(one, view_.revision); });
  std::vector<etcd::Operation> const& operations = answer.succeeded ? transaction.then : transaction.otherwise;
  // First whether all of them can be done: nothing is done by halves.
  for (etcd::Operation const& operation : operations) {
    if (auto const* const one = std::get_if<etcd::Put>(&operation); one != nullptr && one->lease != 0)
      if (!leases_.contains(one->lease))
        return EtcdResult::refused(Refusal::no_lease, "etcdserver: requested lease not found");
    if (auto const* const one = std::get_if<etcd::Range>(&operation))
      if (EtcdResult bad = check_revision(one->revision, view_); !bad.is_done()) return bad;
  }
  Changes changes;
  for (etcd::Operation const& operation : operations) {
    if (auto const* const one = std::get_if<etcd::Put>(&operation)) {
      put(*one, changes);
      answer.answers.emplace_back(etcd::PutAnswer{});
    } else if (auto const* const removal = std::get_if<etcd::Delete>(&operation)) {
      answer.answers.emplace_back(etcd::DeleteAnswer{remove(removal->key, removal->end, changes)});
    } else {
      // A later range sees what earlier operations of the same transaction wrote.
      EtcdView view = view_;
      view.revision += changes.empty() ? 0 : 1;
      answer.answers.emplace_back(std::get<etcd::RangeAnswer>(range(std::get<etcd::Range>(operation), view).body));
    }
  }
  end(std::move(changes));
  return done(std::move(answer));
}

void EtcdStore::use(std::int64_t bytes) {
  used_bytes_ += bytes;
  file_bytes_ = std::max(file_bytes_, used_bytes_);
}

void EtcdStore::attach(std::string const& key, std::int64_t from, std::int64_t to) {
  if (auto const found = leases_.find(from); found != leases_.end()) found->second.keys.erase(key);
  if (auto const found = leases_.find(to); found != leases_.end()) found->second.keys.insert(key);
}

void EtcdStore::put(etcd::Put const& put, Changes& changes) {
  History& history = keys_[put.key];
  std::int64_t const revision = view_.revision + 1;
  Version const* const before = version_at(history, revision);
  Version version{revision, before == nullptr ? revision : before->created, before == nullptr ? 1 : before->number + 1,
                  put.lease, std::make_shared<std::string const>(put.value)};
  attach(put.key, before == nullptr ? 0 : before->lease, put.lease);
  history.push_back(version);
  changes.push_back({put.key, std::move(version)});
  use(cost_of(put.key, put.value));
}

void EtcdStore::remove(std::string const& key, History& history, Changes& changes) {
  attach(key, history.back().lease, 0);
  Version const gone{view_.revision + 1, 0, 0, 0, std::make_shared<std::string const>()};
  history.push_back(gone);
  changes.push_back({key, gone});
  use(cost_of(key, {}));
}

std::int64_t EtcdStore::remove(std::string const& begin, std::string const& end, Changes& changes) {
  auto const [first, last] = keys_in(begin, end);
  std::int64_t deleted = 0;
  for (auto at = first; at != last; ++at)
    if (version_at(at->second, view_.revision + 1) != nullptr) {
      remove(at->first, keys_.find(at->first)->second, changes);
      ++deleted;
    }
  return deleted;
}

void EtcdStore::end(Changes changes) {
  if (changes.empty()) return;
  changes_.push_back(std::move(changes));
  ++view_.revision;
}

EtcdResult EtcdStore::compact(std::int64_t revision) {
  if (revision <= view_.compacted)
    return EtcdResult::refused(Refusal::compacted, "etcdserver: mvcc: required revision has been compacted");
  if (revision > view_.revision)
    return EtcdResult::refused(Refusal::future_revision, "etcdserver: mvcc: required revision is a future revision");
  view_.compacted = revision;
  for (auto& [key, history] : keys_) {
    auto const after = std::ranges::upper_bound(history, revision, {}, &Version::revision);
    for (auto at = history.begin(); at != after; ++at) {
      // The newest one stays, unless it says that the key is gone.
      bool const stays =
          std::next(at) == after && (at->number != 0 || (at->revision == revision && !limits_.loses_deletions));
      if (stays || at->is_compacted) continue;
      at->is_compacted = true;
      used_bytes_ -= cost_of(key, *at->value);
    }
  }
  return done(etcd::CompactAnswer{});
}

void EtcdStore::forget(std::int64_t compacted) {
  while (first_revision_ < compacted && !changes_.empty()) {
    changes_.pop_front();
    ++first_revision_;
  }
  for (auto at = keys_.begin(); at != keys_.end();) {
    History& history = at->second;
    auto const after = std::ranges::upper_bound(history, compacted, {}, &Version::revision);
    if (after != history.begin()) {
      auto const newest = std::prev(after);
      history.erase(history.begin(), newest->number == 0 && newest->is_compacted ? after : newest);
    }
    at = history.empty() ? keys_.erase(at) : std::next(at);
  }
}

// -- watching ----------------------------------------------------------------------

std::vector<etcd::WatchNews::Event> EtcdStore::events_of(etcd::WatchWish const& wish, std::int64_t revision) const {
  std::vector<etcd::WatchNews::Event> events;
  FJ_CHECK(revision >= first_revision_ && revision <= view_.revision, "the revision is in the history");
  for (Change const& change : changes_[static_cast<std::size_t>(revision - first_revision_)]) {
    if (!is_in(change.key, wish.key, wish.end)) continue;
    if (change.version.number != 0)
      events.push_back({false, pair_of(change.key, change.version)});
    else
      events.push_back({true, {change.key, {}, 0, revision, 0, 0}});
  }
  return events;
}

std::vector<etcd::WatchNews::Event> EtcdStore::events(etcd::WatchWish const& wish, std::int64_t from, EtcdView upto,
                                                      std::size_t revisions_max, std::int64_t& next) const {
  std::vector<etcd::WatchNews::Event> all;
  std::size_t revisions = 0;
  for (next = std::max(from, first_revision_); next <= upto.revision && revisions < revisions_max; ++next) {
    std::vector<etcd::WatchNews::Event> some = events_of(wish, next);
    if (limits_.loses_deletions && next == upto.compacted)
      std::erase_if(some, [](etcd::WatchNews::Event const& event) { return event.is_deleted; });
    revisions += some.empty() ? 0 : 1;
    std::ranges::move(some, std::back_inserter(all));
  }
  return all;
}

// -- leases --------------------------------------------------------------------------

EtcdResult EtcdStore::grant(std::int64_t ttl_s, std::int64_t lease, std::int64_t now_us) {
  if (ttl_s > limits_.ttl_s_max) return EtcdResult::refused(Refusal::other, "etcdserver: too large lease TTL");
  FJ_CHECK(lease > 0 && !leases_.contains(lease), "the id of a lease is new");
  std::int64_t const granted_s = std::max(ttl_s, limits_.ttl_s_min);
  leases_[lease].ttl_s = granted_s;
  clocks_[lease] = {granted_s, clocks_run_ ? now_us + granted_s * 1'000'000 : kNeverUs, false};
  use(kLeaseBytes);
  return done(etcd::LeaseAnswer{lease, granted_s});
}

EtcdResult EtcdStore::revoke(std::int64_t lease) {
  auto const found = leases_.find(lease);
  if (found == leases_.end()) return EtcdResult::refused(Refusal::no_lease, "etcdserver: requested lease not found");
  Changes changes;
  for (std::set<std::string> const keys = found->second.keys; std::string const& key : keys)
    remove(key, keys_.find(key)->second, changes);
  leases_.erase(lease);
  clocks_.erase(lease);
  used_bytes_ -= kLeaseBytes;
  end(std::move(changes));
  return done(etcd::LeaseAnswer{lease, 0});
}

void EtcdStore::start_clocks(std::int64_t now_us, std::int64_t extend_us) {
  clocks_run_ = true;
  for (auto& [id, clock] : clocks_) clock = {clock.ttl_s, now_us + clock.ttl_s * 1'000'000 + extend_us, false};
}

void EtcdStore::stop_clocks() {
  clocks_run_ = false;
  for (auto& [id, clock] : clocks_) clock = {clock.ttl_s, kNeverUs, false};
}

std::int64_t EtcdStore::next_end_us() const {
  std::int64_t next_us = kNeverUs;
  for (auto const& [id, clock] : clocks_)
    if (!clock.is_ending) next_us = std::min(next_us, clock.end_us);
  return next_us;
}

std::vector<std::int64_t> EtcdStore::take_ended(std::int64_t now_us) {
  std::vector<std::int64_t> ended;
  for (auto& [id, clock] : clocks_)
    if (!clock.is_ending && clock.end_us <= now_us) {
      clock.is_ending = true;
      ended.push_back(id);
    }
  return ended;
}

void EtcdStore::renew(std::int64_t lease, std::int64_t now_us) {
  Clock& clock = clocks_.at(lease);
  clock.end_us = now_us + clock.ttl_s * 1'000'000;
}

std::set<std::string> const& EtcdStore::keys_of(std::int64_t lease) const {
  static std::set<std::string> const kNone;
  auto const found = leases_.find(lease);
  return found == leases_.end() ? kNone : found->second.keys;
}

}  // namespace fastjournal::sim
