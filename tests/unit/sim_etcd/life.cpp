#include "tests/unit/sim_etcd/life.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace fastjournal::sim {
namespace {

using etcd::Outcome;

constexpr std::int64_t kMs = 1'000;
constexpr std::int64_t kPatientUs = 8'000 * kMs;
constexpr int kKeys = 3;

EtcdOptions options_of(LifeOptions const& life, std::mt19937_64& random) {
  EtcdOptions options;
  options.seed = random();
  std::size_t const sizes[] = {1, 3, 3, 3, 5};
  options.nodes.nodes = sizes[random() % 5];
  options.faults = life.faults;
  std::size_t const revisions[] = {1, 3, 1'000};
  options.watch_revisions_max = revisions[random() % 3];
  if (life.has_quota) options.limits.quota_bytes = 60'000;
  options.outage = {100 * kMs, random() % 2 == 0 ? 1'000 * kMs : 4'000 * kMs};
  // Much trouble between members: two may believe themselves to be leader for a while.
  if (random() % 4 == 0) {
    options.faults.members_cut *= 5;
    options.outage = {1'500 * kMs, 4'000 * kMs};
  }
  // Members far from each other: more is under way when a leader dies.
  if (random() % 3 == 0) {
    options.nodes.peer = {kMs, 40 * kMs};
    options.nodes.disk = {kMs, 60 * kMs};
    options.nodes.lag = {0, 100 * kMs};
  }
  return options;
}

struct Client {
  std::unique_ptr<EtcdSession> session;
  std::map<etcd::RequestId, std::size_t> under_way;  // its place in the history
  std::map<etcd::WatchId, std::size_t> watches;      // the same
  std::map<std::string, std::int64_t> seen;          // mod_revision of each key, as far as it knows
  std::int64_t lease{0};
  std::int64_t next_us{0};
  std::int64_t renew_us{0};
  std::int64_t goes_on_us{kNeverUs};  // it is stopped until then
};

class Life {
 public:
  explicit Life(LifeOptions const& options)
      : options_(options), random_(options.seed), cluster_(options_of(options, random_)) {
    history_.has_late_revocations = options.faults.late_revocation != 0;
    clients_.resize(2 + random_() % 3);
    for (Client& client : clients_) begin(client);
  }
  ~Life() { clients_.clear(); }
  Life(Life const&) = delete;
  Life& operator=(Life const&) = delete;

  LifeResult run() {
    run_until(options_.span_us, false);
    end();
    LifeResult result;
    result.wrong = wrong_ + find_wrong(history_, result.counts);
    for (std::size_t i = 0; i < kEtcdFaults; ++i) result.faults[i] = cluster_.count(static_cast<EtcdFault>(i));
    result.asked = history_.asked.size();
    return result;
  }

 private:
  bool one_in(std::uint64_t n) { return random_() % n == 0; }
  std::string unique() {
    // Large ones at a quota, so that it is reached by several at once.
    return "v" + std::to_string(++values_) + std::string(options_.has_quota ? 2'000 : 0, '.');
  }
  std::string any_key() { return "k/" + std::to_string(random_() % kKeys); }

  void begin(Client& client) {
    client = {};
    client.session = cluster_.connect();
    client.next_us = cluster_.now_us() + static_cast<std::int64_t>(random_() % (50 * kMs));
    watch(client, one_in(2) ? std::max<std::int64_t>(1, compacted_) : 0);
  }

  void watch(Client& client, std::int64_t revision) {
    etcd::WatchWish wish{"k/", "k0", revision};
    if (one_in(2)) wish = {std::string{"\0", 1}, std::string{"\0", 1}, revision};
    client.watches[client.session->watch(wish)] = history_.watched.size();
    history_.watched.push_back({wish, {}, false});
  }

  void ask(Client& client, etcd::Request request) {
    std::int64_t const short_us = static_cast<std::int64_t>(100 + random_() % 2'000) * kMs;
    ask(client, std::move(request), one_in(4) ? kPatientUs : short_us);
  }
  void ask(Client& client, etcd::Request request, std::int64_t timeout_us) {
    History::Asked asked;
    asked.request = request;
    asked.sent_us = cluster_.now_us();
    asked.floor = newest_told_;
    client.under_way[client.session->send(std::move(request), timeout_us)] = history_.asked.size();
    history_.asked.push_back(std::move(asked));
  }

  // Something that a client does.
  void act(Client& client) {
    std::string const key = any_key();
    std::int64_t const known = client.seen[key];
    etcd::Range range;
    range.key = one_in(3) ? "k/" : key;
    if (range.key == "k/") range.end = "k0";
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
      case 3:
        return ask(client,
                   etcd::Transaction{{{key, etcd::Compare::What::mod_revision, etcd::Compare::Is::equal, known}},
                                     {etcd::Put{key, unique(), 0}},
                                     {range}});
      case 4: return ask(client, etcd::Put{key, unique(), 0});
      case 5:
        return ask(client, etcd::Transaction{{{key, etcd::Compare::What::version, etcd::Compare::Is::greater, 3}},
                                             {etcd::Delete{key, {}}, etcd::Put{"gone", unique(), 0}},
                                             {}});
      case 6:
        range.is_serializable = one_in(2);
        range.keys_only = one_in(4);
        range.count_only = one_in(8);
        range.descending = one_in(2);
        range.limit = one_in(2) ? 2 : 0;
        return ask(client, range);
      case 7:
        // Sometimes one of the future, or compacted.
        range.revision = std::max<std::int64_t>(1, newest_told_ + 2 - static_cast<std::int64_t>(random_() % 30));
        return ask(client, range);
      case 8:
        if (client.lease == 0) return ask(client, etcd::Grant{2 + static_cast<std::int64_t>(random_() % 2)});
        return ask(client, etcd::Put{"lease/" + std::to_string(client.lease), unique(), client.lease});
      case 9:
        if (client.lease == 0 || !one_in(6)) return ask(client, etcd::Put{key, unique(), client.lease});
        return ask(client, etcd::Revoke{std::exchange(client.lease, 0)});
      case 10:
        if (!one_in(4)) return;
        return ask(client,
                   etcd::Compact{std::max<std::int64_t>(1, newest_told_ - static_cast<std::int64_t>(random_() % 20))});
      default:
        if (one_in(2)) return ask(client, etcd::Look{});
        if (client.watches.size() < 3) watch(client, one_in(2) ? 0 : std::max<std::int64_t>(1, newest_told_ - 10));
    }
  }

  void act_or_fail(Client& client) {
    std::int64_t const pause_us = one_in(10) ? 300 * kMs : 30 * kMs;
    client.next_us = cluster_.now_us() + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(pause_us));
    if (client.goes_on_us != kNeverUs) {
      client.goes_on_us = kNeverUs;
      client.session->resume();
      return;
    }
    if (one_in(150)) {
      client.session->stop();
      client.goes_on_us = client.next_us = cluster_.now_us() + static_cast<std::int64_t>(random_() % (5'000 * kMs));
      return;
    }
    if (one_in(300)) {
      close(client);
      return begin(client);
    }
    if (client.lease != 0 && client.renew_us <= cluster_.now_us()) {
      client.renew_us = cluster_.now_us() + static_cast<std::int64_t>(random_() % 600) * kMs;
      // Some owners forget it.
      if (!one_in(8)) return ask(client, etcd::KeepAlive{client.lease});
    }
    act(client);
  }

  void close(Client& client) {
    // What it had under way may still be carried out.
    client.session.reset();
  }

  void take(Client& client) {
    if (client.goes_on_us != kNeverUs) return;
    for (etcd::Answer& answer : client.session->take_answers()) {
      auto const found = client.under_way.find(answer.id);
      if (found == client.under_way.end()) {
        wrong_ += "an answer to nothing, or a second one\n";
        continue;
      }
      History::Asked& asked = history_.asked[found->second];
      client.under_way.erase(found);
      learn(client, asked, answer);
      asked.answered_us = cluster_.now_us();
      asked.answer = std::move(answer);
    }
    for (etcd::WatchNews& news : client.session->take_news()) {
      auto const found = client.watches.find(news.id);
      if (found == client.watches.end()) {
        wrong_ += "news of no watch\n";
        continue;
      }
      newest_told_ = std::max(newest_told_, news.kind == etcd::WatchNews::Kind::compacted ? 0 : news.revision);
      for (etcd::WatchNews::Event const& event : news.events)
        client.seen[event.pair.key] =
            std::max(client.seen[event.pair.key], event.is_deleted ? 0 : event.pair.mod_revision);
      bool const is_over = news.kind == etcd::WatchNews::Kind::compacted;
      std::int64_t const from = news.revision;
      history_.watched[found->second].news.push_back(std::move(news));
      if (!is_over) continue;
      client.watches.erase(found);
      watch(client, from);
    }
  }

  void learn(Client& client, History::Asked const& asked, etcd::Answer const& answer) {
    if (answer.outcome == Outcome::refused && answer.refusal == etcd::Refusal::no_lease) client.lease = 0;
    if (answer.outcome != Outcome::done) return;
    newest_told_ = std::max(newest_told_, answer.header.revision);
    auto const learn_all = [&](etcd::RangeAnswer const& range) {
      for (etcd::KeyValue const& pair : range.pairs) client.seen[pair.key] = pair.mod_revision;
    };
    if (auto const* const range = std::get_if<etcd::RangeAnswer>(&answer.body)) learn_all(*range);
    if (auto const* const all = std::get_if<etcd::TransactionAnswer>(&answer.body)) {
      for (etcd::OperationAnswer const& one : all->answers)
        if (auto const* const range = std::get_if<etcd::RangeAnswer>(&one)) learn_all(*range);
      auto const& request = std::get<etcd::Transaction>(asked.request);
      if (all->succeeded) client.seen[request.compares.front().key] = answer.header.revision;
    }
    if (auto const* const put = std::get_if<etcd::Put>(&asked.request)) client.seen[put->key] = answer.header.revision;
    if (std::holds_alternative<etcd::CompactAnswer>(answer.body))
      compacted_ = std::max(compacted_, std::get<etcd::Compact>(asked.request).revision);
    if (auto const* const lease = std::get_if<etcd::LeaseAnswer>(&answer.body)) {
      if (std::holds_alternative<etcd::Grant>(asked.request)) client.lease = lease->lease;
      if (std::holds_alternative<etcd::KeepAlive>(asked.request) && lease->ttl_s == 0 && client.lease == lease->lease)
        client.lease = 0;
    }
  }

  // What is decided, read from the cluster itself before it can be forgotten.
  void record() {
    EtcdStore const& store = cluster_.store();
    for (std::int64_t next = history_.newest() + 1; next <= store.view().revision; ++next)
      history_.decided.push_back(
          {store.events_of({std::string{"\0", 1}, std::string{"\0", 1}, 0}, next), cluster_.now_us()});
  }

  void run_until(std::int64_t end_us, bool is_quiet) {
    for (;;) {
      std::int64_t wake_us = end_us;
      if (!is_quiet)
        for (Client const& client : clients_) wake_us = std::min(wake_us, client.next_us);
      while (cluster_.next_us() <= wake_us) {
        cluster_.step();
        record();
        for (Client& client : clients_) take(client);
      }
      cluster_.advance(wake_us - cluster_.now_us());
      if (wake_us >= end_us) return;
      for (Client& client : clients_)
        if (client.next_us <= cluster_.now_us()) act_or_fail(client);
      for (Client& client : clients_) take(client);
      if (options_.has_quota && one_in(30)) {
        cluster_.defragment();
        cluster_.disarm();
      }
    }
  }

  // All is well again: everything is answered, told and over.
  void end() {
    for (Client& client : clients_)
      if (client.goes_on_us != kNeverUs) {
        client.goes_on_us = kNeverUs;
        client.session->resume();
      }
    cluster_.calm();
    run_until(cluster_.now_us() + 30'000 * kMs, true);
    cluster_.defragment();
    for (Client& client : clients_)
      if (!client.under_way.empty()) wrong_ += "a request was never answered\n";
    if (!cluster_.store().clocks().empty()) wrong_ += "a lease that nobody renews does not end\n";
    std::size_t const before = history_.asked.size();
    if (!options_.has_quota)
      for (Client& client : clients_) {
        ask(client, etcd::Put{"end", unique(), 0}, kPatientUs);
        run_until(cluster_.now_us() + 3'000 * kMs, true);
      }
    for (std::size_t i = before; i < history_.asked.size(); ++i)
      if (!history_.asked[i].answer.has_value() || history_.asked[i].answer->outcome != Outcome::done)
        wrong_ += "a put was not done although all is well\n";
    for (Client const& client : clients_)
      for (auto const& [id, place] : client.watches) history_.watched[place].is_whole = true;
    for (std::size_t i = 0; i < cluster_.nodes().size(); ++i)
      if (cluster_.nodes().view(i) != cluster_.store().view()) wrong_ += "a member has not caught up\n";
  }

  LifeOptions options_;
  std::mt19937_64 random_;
  EtcdCluster cluster_;
  std::vector<Client> clients_;
  History history_;
  std::string wrong_;
  std::uint64_t values_{0};
  std::int64_t newest_told_{1};
  std::int64_t compacted_{0};
};

}  // namespace

LifeResult live(LifeOptions const& options) { return Life{options}.run(); }

}  // namespace fastjournal::sim
