#include "tests/unit/sim_etcd/history.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

namespace fastjournal::sim {
namespace {

using etcd::Outcome;
using Asked = History::Asked;
using Events = std::vector<etcd::WatchNews::Event>;

bool covers(std::string const& key, std::string const& end, std::string const& one) {
  if (end.empty()) return one == key;
  bool const has_no_end = end.size() == 1 && end[0] == '\0';
  return one >= key && (has_no_end || one < end);
}

bool same(Events const& a, Events const& b) {
  return std::ranges::equal(a, b, [](etcd::WatchNews::Event const& x, etcd::WatchNews::Event const& y) {
    return x.is_deleted == y.is_deleted && x.pair == y.pair;
  });
}

bool same(etcd::RangeAnswer const& a, etcd::RangeAnswer const& b) {
  return a.pairs == b.pairs && a.more == b.more && a.count == b.count;
}

// Pairs as they are at one revision.
class Model {
 public:
  // What the request does at the next revision, and what it answers. The model is as before.
  struct Effect {
    Events events{};
    bool succeeded{true};
    std::vector<etcd::OperationAnswer> answers{};
  };

  [[nodiscard]] std::int64_t revision() const { return revision_; }

  [[nodiscard]] etcd::RangeAnswer range(etcd::Range const& range) const {
    etcd::RangeAnswer answer;
    std::vector<etcd::KeyValue> found;
    for (auto const& [key, pair] : pairs_)
      if (covers(range.key, range.end, key)) found.push_back(pair);
    answer.count = static_cast<std::int64_t>(found.size());
    if (range.count_only) return answer;
    if (range.descending) std::ranges::reverse(found);
    if (range.limit > 0 && answer.count > range.limit) {
      found.resize(static_cast<std::size_t>(range.limit));
      answer.more = true;
    }
    for (etcd::KeyValue& pair : found)
      if (range.keys_only) pair.value.clear();
    answer.pairs = std::move(found);
    return answer;
  }

  [[nodiscard]] Effect effect(etcd::Transaction const& all) const {
    Effect effect;
    for (etcd::Compare const& compare : all.compares) effect.succeeded = effect.succeeded && holds(compare);
    Model next = *this;
    for (etcd::Operation const& operation : effect.succeeded ? all.then : all.otherwise) {
      if (auto const* const put = std::get_if<etcd::Put>(&operation)) {
        etcd::KeyValue pair{put->key, put->value, revision_ + 1, revision_ + 1, 1, put->lease};
        if (auto const before = next.pairs_.find(put->key); before != next.pairs_.end()) {
          pair.create_revision = before->second.create_revision;
          pair.version = before->second.version + 1;
        }
        next.pairs_[put->key] = pair;
        effect.events.push_back({false, pair});
        effect.answers.emplace_back(etcd::PutAnswer{});
      } else if (auto const* const removal = std::get_if<etcd::Delete>(&operation)) {
        std::int64_t deleted = 0;
        for (auto at = next.pairs_.begin(); at != next.pairs_.end();) {
          if (!covers(removal->key, removal->end, at->first)) {
            ++at;
            continue;
          }
          effect.events.push_back({true, {at->first, {}, 0, revision_ + 1, 0, 0}});
          at = next.pairs_.erase(at);
          ++deleted;
        }
        effect.answers.emplace_back(etcd::DeleteAnswer{deleted});
      } else {
        effect.answers.emplace_back(next.range(std::get<etcd::Range>(operation)));
      }
    }
    return effect;
  }

  [[nodiscard]] Events end_of(std::int64_t lease) const {
    Events events;
    for (auto const& [key, pair] : pairs_)
      if (pair.lease == lease) events.push_back({true, {key, {}, 0, revision_ + 1, 0, 0}});
    return events;
  }

  void apply(Events const& events) {
    ++revision_;
    for (etcd::WatchNews::Event const& event : events) {
      if (event.is_deleted)
        pairs_.erase(event.pair.key);
      else
        pairs_[event.pair.key] = event.pair;
    }
  }
  // Of a key that is deleted now.
  [[nodiscard]] std::int64_t lease_of(std::string const& key) const {
    auto const found = pairs_.find(key);
    return found == pairs_.end() ? 0 : found->second.lease;
  }

 private:
  [[nodiscard]] bool holds(etcd::Compare const& compare) const {
    auto const found = pairs_.find(compare.key);
    etcd::KeyValue const pair = found == pairs_.end() ? etcd::KeyValue{} : found->second;
    std::int64_t const numbers[] = {pair.create_revision, pair.mod_revision, pair.version, pair.lease};
    std::int64_t const number = numbers[static_cast<std::size_t>(compare.what)];
    bool const truths[] = {number == compare.number, number > compare.number, number < compare.number,
                           number != compare.number};
    return truths[static_cast<std::size_t>(compare.is)];
  }

  std::int64_t revision_{1};
  std::map<std::string, etcd::KeyValue> pairs_;
};

// As one transaction, if it can change something.
std::optional<etcd::Transaction> as_transaction(etcd::Request const& request) {
  if (auto const* const put = std::get_if<etcd::Put>(&request)) return etcd::Transaction{{}, {*put}, {}};
  if (auto const* const removal = std::get_if<etcd::Delete>(&request)) return etcd::Transaction{{}, {*removal}, {}};
  if (auto const* const all = std::get_if<etcd::Transaction>(&request)) return *all;
  return std::nullopt;
}

std::vector<std::string> values_of(etcd::Request const& request) {
  std::vector<std::string> values;
  if (std::optional<etcd::Transaction> const all = as_transaction(request))
    for (auto const* const branch : {&all->then, &all->otherwise})
      for (etcd::Operation const& operation : *branch)
        if (auto const* const put = std::get_if<etcd::Put>(&operation)) values.push_back(put->value);
  return values;
}

class Check {
 public:
  Check(History const& history, HistoryCounts& counts) : history_(history), counts_(counts) {}

  std::string run() {
    for (std::size_t i = 0; i < history_.asked.size(); ++i) index(i);
    check_reads();
    for (std::size_t i = 0; i < history_.decided.size(); ++i) {
      check_decided(history_.decided[i]);
      check_reads();
    }
    for (auto const& [revision, left] : reads_)
      wrong("an answer of revision " + std::to_string(revision) + ", which was never decided");
    for (Asked const& asked : history_.asked) check_asked(asked);
    for (History::Watched const& watched : history_.watched) check_watched(watched);
    return wrong_;
  }

 private:
  void wrong(std::string const& what) {
    if (wrong_.size() < 4'000) wrong_ += what + "\n";
  }
  static bool is_done(Asked const& asked) { return asked.answer.has_value() && asked.answer->outcome == Outcome::done; }
  static bool is_unknown(Asked const& asked) {
    // A put at the quota is done and refused.
    return !asked.answer.has_value() || asked.answer->outcome == Outcome::unknown ||
           asked.answer->refusal == etcd::Refusal::no_space;
  }

  void index(std::size_t i) {
    Asked const& asked = history_.asked[i];
    for (std::string const& value : values_of(asked.request))
      if (!writers_.emplace(value, i).second) wrong("two requests put " + value);
    if (!is_done(asked)) return;
    std::int64_t const at = asked.answer->header.revision;
    if (auto const* const lease = std::get_if<etcd::LeaseAnswer>(&asked.answer->body)) {
      bool const is_grant = std::holds_alternative<etcd::Grant>(asked.request);
      bool const is_renewal = std::holds_alternative<etcd::KeepAlive>(asked.request) && lease->ttl_s > 0;
      if (is_grant || is_renewal) renewals_[lease->lease].push_back({asked.sent_us, lease->ttl_s});
      if (std::holds_alternative<etcd::KeepAlive>(asked.request) && lease->ttl_s == 0)
        over_.push_back({lease->lease, asked.answered_us});
      return;
    }
    if (std::holds_alternative<etcd::Range>(asked.request)) {
      auto const& range = std::get<etcd::Range>(asked.request);
      reads_[range.revision > 0 ? range.revision : at].push_back(i);
    } else if (std::holds_alternative<etcd::Transaction>(asked.request)) {
      reads_[at].push_back(i);  // or a change, which check_decided() finds first
    }
  }

  // Answers of requests that changed nothing, at the model's revision.
  void check_reads() {
    auto const found = reads_.find(model_.revision());
    if (found == reads_.end()) return;
    for (std::size_t const i : found->second) {
      if (used_.contains(i)) continue;
      Asked const& asked = history_.asked[i];
      ++counts_.reads;
      if (auto const* const range = std::get_if<etcd::Range>(&asked.request)) {
        if (!same(std::get<etcd::RangeAnswer>(asked.answer->body), model_.range(*range)))
          wrong("a range of " + range->key + " at revision " + std::to_string(model_.revision()) + " is wrong");
        continue;
      }
      auto const& all = std::get<etcd::Transaction>(asked.request);
      Model::Effect const effect = model_.effect(all);
      if (!effect.events.empty())
        wrong("a transaction at revision " + std::to_string(model_.revision()) + " changed nothing, and should have");
      check_answer(asked, effect);
    }
    reads_.erase(found);
  }

  void check_answer(Asked const& asked, Model::Effect const& effect) {
    std::string const at = " at revision " + std::to_string(asked.answer->header.revision);
    if (auto const* const all = std::get_if<etcd::TransactionAnswer>(&asked.answer->body)) {
      if (all->succeeded != effect.succeeded) wrong("the comparisons of a transaction" + at + " are wrong");
      if (all->answers.size() != effect.answers.size()) return wrong("a transaction" + at + " has other answers");
      for (std::size_t i = 0; i < all->answers.size(); ++i) {
        auto const* const range = std::get_if<etcd::RangeAnswer>(&all->answers[i]);
        auto const* const deleted = std::get_if<etcd::DeleteAnswer>(&all->answers[i]);
        if (all->answers[i].index() != effect.answers[i].index() ||
            (range != nullptr && !same(*range, std::get<etcd::RangeAnswer>(effect.answers[i]))) ||
            (deleted != nullptr && deleted->deleted != std::get<etcd::DeleteAnswer>(effect.answers[i]).deleted))
          wrong("an answer of a transaction" + at + " is wrong");
      }
    }
  }

  void check_decided(History::Decided const& decided) {
    std::int64_t const revision = model_.revision() + 1;
    std::string const at = "revision " + std::to_string(revision);
    std::optional<std::size_t> by;
    for (etcd::WatchNews::Event const& event : decided.events)
      if (!event.is_deleted) {
        auto const found = writers_.find(event.pair.value);
        if (found == writers_.end()) {
          wrong(at + " puts what nobody asked for");
        } else if (by.has_value() && *by != found->second) {
          wrong(at + " is of two requests");
        } else {
          by = found->second;
        }
      }
    if (by.has_value())
      check_by(*by, decided, at);
    else
      check_lease_end(decided, at);
    model_.apply(decided.events);
  }

  void check_by(std::size_t by, History::Decided const& decided, std::string const& at) {
    Asked const& asked = history_.asked[by];
    std::int64_t const revision = model_.revision() + 1;
    if (!used_.insert(by).second) wrong(at + " is of a request that was done before");
    if (asked.sent_us > decided.at_us) wrong(at + " is older than its request");
    if (revision <= asked.floor) wrong(at + " was told before its request was sent");
    Model::Effect const effect = model_.effect(*as_transaction(asked.request));
    if (!same(effect.events, decided.events)) wrong(at + " is not what its request does");
    if (is_done(asked)) {
      ++counts_.done;
      if (asked.answer->header.revision != revision) wrong(at + " was answered with another revision");
      if (asked.answered_us < decided.at_us) wrong(at + " was answered before it was decided");
      check_answer(asked, effect);
    } else if (is_unknown(asked)) {
      ++counts_.unknown_and_done;
    } else {
      wrong(at + " is of a request that was not done: " + asked.answer->why);
    }
  }

  void check_lease_end(History::Decided const& decided, std::string const& at) {
    std::int64_t const lease = decided.events.empty() ? 0 : model_.lease_of(decided.events.front().pair.key);
    if (lease == 0) return wrong(at + " has no cause");
    if (!same(model_.end_of(lease), decided.events)) wrong(at + " is not the end of a lease");
    if (!ends_.emplace(lease, decided.at_us).second) wrong(at + " ends a lease again");
    ++counts_.leases_ended;
    for (Asked const& asked : history_.asked) {
      auto const* const revoke = std::get_if<etcd::Revoke>(&asked.request);
      if (revoke == nullptr || revoke->lease != lease || asked.sent_us > decided.at_us) continue;
      if (is_done(asked) || is_unknown(asked)) return;
    }
    if (history_.has_late_revocations) return;
    for (auto const& [sent_us, ttl_s] : renewals_[lease])
      if (decided.at_us < sent_us + ttl_s * 1'000'000)
        wrong(at + " ends a lease " + std::to_string(sent_us + ttl_s * 1'000'000 - decided.at_us) + " us too early");
  }

  // The order in real time, and what the whole life decides.
  void check_asked(Asked const& asked) {
    if (is_done(asked) && !is_of_member(asked)) {
      std::int64_t const at = asked.answer->header.revision;
      auto const* const range = std::get_if<etcd::Range>(&asked.request);
      bool const may_be_old = range != nullptr && range->is_serializable;
      if (!may_be_old && at < asked.floor)
        wrong("an answer of revision " + std::to_string(at) + " came after a newer one");
      if (at > history_.newest()) wrong("an answer is of the future");
    }
    if (is_unknown(asked) && !values_of(asked.request).empty() && !used_.contains(index_of(asked)))
      ++counts_.unknown_and_not_done;
    if (asked.answer.has_value() && asked.answer->refusal == etcd::Refusal::no_lease)
      if (auto const* const put = std::get_if<etcd::Put>(&asked.request))
        if (auto const end = ends_.find(put->lease); end != ends_.end() && end->second > asked.answered_us)
          wrong("a put was refused since its lease was over, and it was not");
  }
  [[nodiscard]] std::size_t index_of(Asked const& asked) const {
    return static_cast<std::size_t>(&asked - history_.asked.data());
  }
  // Answered by a member as far as it has come.
  static bool is_of_member(Asked const& asked) {
    return std::holds_alternative<etcd::KeepAlive>(asked.request) || std::holds_alternative<etcd::Look>(asked.request);
  }

  void check_watched(History::Watched const& watched) {
    if (watched.news.empty() && watched.wish.revision == 0) return;
    // Where a watch of "from now on" began is seen with its first news only: nothing is checked before.
    std::int64_t next = watched.wish.revision;
    bool is_over = false;
    for (etcd::WatchNews const& news : watched.news) {
      ++counts_.news;
      std::string const at = "news of " + watched.wish.key + " up to revision " + std::to_string(news.revision);
      if (is_over) wrong(at + " came after the end");
      if (news.kind == etcd::WatchNews::Kind::compacted) {
        is_over = true;
        if (news.revision <= next) wrong(at + ": the next revision was not compacted");
        continue;
      }
      if (news.revision < next || news.revision > history_.newest())
        return wrong(at + " were told before, or never were");
      if (next == 0) next = news.events.empty() ? news.revision : news.events.front().pair.mod_revision;
      Events expected;
      for (std::int64_t revision = std::max<std::int64_t>(next, 2); revision <= news.revision; ++revision)
        for (auto const& event : history_.decided[static_cast<std::size_t>(revision - 2)].events)
          if (covers(watched.wish.key, watched.wish.end, event.pair.key)) expected.push_back(event);
      if (!same(expected, news.events)) wrong(at + " are not what was decided");
      if (news.kind == etcd::WatchNews::Kind::events && news.events.empty()) wrong(at + " are empty");
      next = news.revision + 1;
    }
    if (!watched.is_whole || is_over) return;
    for (std::int64_t revision = std::max<std::int64_t>(next, 2); next != 0 && revision <= history_.newest();
         ++revision)
      for (auto const& event : history_.decided[static_cast<std::size_t>(revision - 2)].events)
        if (covers(watched.wish.key, watched.wish.end, event.pair.key))
          return wrong("revision " + std::to_string(revision) + " was not told to the watch of " + watched.wish.key);
  }

  History const& history_;
  HistoryCounts& counts_;
  Model model_;
  std::string wrong_;
  std::map<std::string, std::size_t> writers_;
  std::set<std::size_t> used_;
  std::map<std::int64_t, std::vector<std::size_t>> reads_;                               // by revision
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> renewals_;  // sent, seconds
  std::vector<std::pair<std::int64_t, std::int64_t>> over_;
  std::map<std::int64_t, std::int64_t> ends_;
};

}  // namespace

std::string find_wrong(History const& history, HistoryCounts& counts) { return Check{history, counts}.run(); }

}  // namespace fastjournal::sim
