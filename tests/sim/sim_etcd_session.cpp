// The daemon's side: its connection, its requests under way with their time-outs, and its watches, which go on over a
// new connection where they were (EtcdSession in sim_etcd.h).
#include <algorithm>
#include <utility>

#include "tests/sim/sim_etcd.h"

namespace fastjournal::sim {

using etcd::Outcome;

EtcdSession::EtcdSession(EtcdCluster& cluster, std::uint64_t id)
    : cluster_(cluster), id_(id), links_(cluster.nodes_.size(), true) {
  cluster_.agenda_.after(cluster_.chance_.in(cluster_.options_.client), [all = &cluster_, id] {
    if (EtcdSession* const one = all->session(id)) one->try_to_connect();
  });
}

EtcdSession::~EtcdSession() {
  cluster_.drop_watches(id_);
  cluster_.sessions_.erase(id_);
}

// -- requests --------------------------------------------------------------------

etcd::RequestId EtcdSession::send(etcd::Request request, std::int64_t timeout_us) {
  FJ_CHECK(!is_stopped_, "a stopped process does nothing");
  etcd::RequestId const id = ++last_request_;
  pending_[id].request = std::move(request);
  cluster_.agenda_.after(timeout_us, [all = &cluster_, session = id_, id] {
    if (EtcdSession* const one = all->session(session)) one->time_out(id);
  });
  if (node_.has_value()) {
    transmit(id);
  } else if (cluster_.chance_.thousandths(cluster_.faults_.not_connected_told)) {
    cluster_.note(EtcdFault::not_connected_told);
    fail(id, Outcome::unavailable, "no connection");
  }
  return id;
}

void EtcdSession::transmit(etcd::RequestId id) {
  EtcdFaults const& faults = cluster_.faults_;
  EtcdChance& chance = cluster_.chance_;
  EtcdAgenda& agenda = cluster_.agenda_;
  EtcdOptions const& options = cluster_.options_;
  Pending& pending = pending_.at(id);
  pending.connection = connection_;
  std::int64_t delay_us = chance.in(options.client);
  // Before it has arrived, or before its answer has.
  if (chance.thousandths(faults.reset))
    agenda.after(static_cast<std::int64_t>(chance.below(5)) * options.client.most_us / 2,
                 [all = &cluster_, route = route()] {
                   if (EtcdSession* const one = all->session(route)) one->reset();
                 });
  if (chance.thousandths(faults.request_lost)) {
    cluster_.note(EtcdFault::request_lost);
    return;
  }
  if (chance.thousandths(faults.request_refused)) {
    cluster_.note(EtcdFault::request_refused);
    agenda.after(delay_us + chance.in(options.client), [all = &cluster_, route = route(), id] {
      all->inbound(route, [id](EtcdSession& to) {
        if (to.pending_.contains(id)) to.fail(id, Outcome::unavailable, "etcdserver: too many requests");
      });
    });
    return;
  }
  if (chance.thousandths(faults.request_late)) {
    cluster_.note(EtcdFault::request_late);
    delay_us = chance.in(options.late);
  }
  EtcdCluster::Call call;
  call.route = route();
  call.request_id = id;
  call.request = std::move(pending.request);
  agenda.after(delay_us, [all = &cluster_, call = std::move(call)] {
    all->outbound(call.route, [all, call] { all->arrive(call); });
  });
}

void EtcdSession::time_out(etcd::RequestId id) {
  auto const found = pending_.find(id);
  if (found == pending_.end()) return;
  if (is_stopped_) {
    overdue_.push_back(id);
    return;
  }
  std::uint64_t const connection = found->second.connection;
  if (connection == 0) return fail(id, Outcome::unavailable, "no connection in time");
  fail(id, Outcome::unknown, "no answer in time");
  // The member is told that nobody waits any more.
  if (!node_.has_value() || connection != connection_) return;
  cluster_.agenda_.after(cluster_.chance_.in(cluster_.options_.client), [all = &cluster_, route = route(), id] {
    EtcdSession const* const one = all->session(route);
    if (one != nullptr && one->links_[route.node]) all->cancel(route.session, id);
  });
}

void EtcdSession::fail(etcd::RequestId id, Outcome outcome, std::string why) {
  etcd::Answer answer;
  answer.id = id;
  answer.outcome = outcome;
  answer.why = std::move(why);
  complete(id, std::move(answer));
}

void EtcdSession::complete(etcd::RequestId id, etcd::Answer answer) {
  // It was given up before.
  if (pending_.erase(id) == 0) {
    cluster_.note(EtcdFault::timeout_before_answer);
    return;
  }
  cluster_.told(id_, id, answer.outcome);
  answers_.push_back(std::move(answer));
}

std::vector<etcd::Answer> EtcdSession::take_answers() {
  FJ_CHECK(!is_stopped_, "a stopped process does nothing");
  return std::exchange(answers_, {});
}

// -- watches ---------------------------------------------------------------------

etcd::WatchId EtcdSession::watch(etcd::WatchWish wish) {
  FJ_CHECK(!is_stopped_, "a stopped process does nothing");
  etcd::WatchId const id = ++last_watch_;
  watches_[id] = {std::move(wish), 0};
  if (node_.has_value()) create(id);
  return id;
}

void EtcdSession::create(etcd::WatchId id) {
  Watch const& watch = watches_.at(id);
  etcd::WatchWish wish = watch.wish;
  if (watch.next != 0) {
    wish.revision = watch.next;
    cluster_.note(EtcdFault::watch_resumed);
  }
  cluster_.agenda_.after(cluster_.chance_.in(cluster_.options_.client),
                         [all = &cluster_, route = route(), id, wish = std::move(wish)] {
                           all->outbound(route, [all, route, id, wish] {
                             EtcdSession const* const one = all->session(route.session);
                             if (one != nullptr && one->watches_.contains(id)) all->create_watch(route, id, wish);
                           });
                         });
}

void EtcdSession::unwatch(etcd::WatchId id) {
  FJ_CHECK(!is_stopped_, "a stopped process does nothing");
  watches_.erase(id);
  cluster_.watchers_.erase({id_, id});
  std::erase_if(news_, [&](etcd::WatchNews const& news) { return news.id == id; });
}

void EtcdSession::take(etcd::WatchNews news) {
  auto const found = watches_.find(news.id);
  if (found == watches_.end()) return;
  if (news.kind == etcd::WatchNews::Kind::compacted || news.kind == etcd::WatchNews::Kind::refused)
    watches_.erase(found);
  else
    found->second.next = news.revision + 1;
  news_.push_back(std::move(news));
}

std::vector<etcd::WatchNews> EtcdSession::take_news() {
  FJ_CHECK(!is_stopped_, "a stopped process does nothing");
  return std::exchange(news_, {});
}

// -- the connection ----------------------------------------------------------------

void EtcdSession::plan_connection() {
  cluster_.agenda_.after(cluster_.chance_.in(cluster_.options_.reconnect), [all = &cluster_, id = id_] {
    if (EtcdSession* const one = all->session(id)) one->notice([one] { one->try_to_connect(); });
  });
}

void EtcdSession::try_to_connect() {
  if (node_.has_value()) return;
  std::size_t const node = cluster_.chance_.below(cluster_.nodes_.size());
  if (!cluster_.nodes_.is_alive(node) || !links_[node]) return plan_connection();
  node_ = node;
  life_ = cluster_.lives_[node];
  for (auto const& [id, pending] : pending_)
    if (pending.connection == 0) transmit(id);
  for (auto const& [id, watch] : watches_) create(id);
}

void EtcdSession::reset() {
  if (!node_.has_value()) return;
  cluster_.note(EtcdFault::reset);
  break_connection();
}

void EtcdSession::break_connection() {
  std::uint64_t const broken = connection_++;
  node_.reset();
  held_in_.clear();
  held_out_.clear();
  cluster_.drop_watches(id_);
  notice([this, broken] {
    std::vector<etcd::RequestId> sent;
    for (auto const& [id, pending] : pending_)
      if (pending.connection == broken) sent.push_back(id);
    for (etcd::RequestId const id : sent) fail(id, Outcome::unknown, "the connection broke");
    plan_connection();
  });
}

void EtcdSession::release() {
  if (!node_.has_value() || !links_[*node_]) return;
  for (std::function<void()> const& what : std::exchange(held_out_, {}))
    if (cluster_.is_alive(route())) what();
  for (EtcdCluster::Inbound const& what : std::exchange(held_in_, {})) notice([this, what] { what(*this); });
}

// -- the process -------------------------------------------------------------------

void EtcdSession::notice(std::function<void()> what) {
  if (is_stopped_)
    inbox_.push_back(std::move(what));
  else
    what();
}

void EtcdSession::stop() {
  FJ_CHECK(!is_stopped_, "it is not stopped already");
  cluster_.note(EtcdFault::stopped);
  is_stopped_ = true;
  std::uint64_t const stop = ++stops_;
  // The kernel's buffers hold what comes for a while, or are full already.
  if (cluster_.chance_.below(2) == 0) cluster_.block_watches(id_, true);
  cluster_.agenda_.after(cluster_.chance_.in(cluster_.options_.silence), [all = &cluster_, id = id_, stop] {
    EtcdSession* const one = all->session(id);
    if (one == nullptr || !one->is_stopped_ || one->stops_ != stop || !one->node_.has_value()) return;
    if (all->chance_.below(2) == 0) return;
    all->note(EtcdFault::silent_connection);
    one->break_connection();
  });
}

void EtcdSession::resume() {
  FJ_CHECK(is_stopped_, "it is stopped");
  is_stopped_ = false;
  auto const take_overdue = [this] {
    for (etcd::RequestId const id : std::exchange(overdue_, {})) time_out(id);
  };
  // A client looks at its timers first, or at its sockets.
  bool const timers_first = cluster_.chance_.below(2) == 0;
  if (timers_first) take_overdue();
  for (std::function<void()> const& what : std::exchange(inbox_, {})) what();
  if (!timers_first) take_overdue();
  cluster_.block_watches(id_, false);
}

}  // namespace fastjournal::sim
