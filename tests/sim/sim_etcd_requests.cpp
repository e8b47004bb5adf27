// What a member does with the requests of its clients: checks them, proposes writes, waits until reads are
// linearizable, has leases renewed by the leader, and answers (EtcdCluster in sim_etcd.h).
#include <algorithm>
#include <utility>

#include "tests/sim/sim_etcd.h"

namespace fastjournal::sim {

using etcd::Outcome;
using etcd::Refusal;

namespace {

// How often a member asks again for what the leader could not say.
constexpr std::int64_t kAskAgainUs = 50'000;
constexpr std::uint64_t kClusterId = 0xcdf818194e3a8c32U;

EtcdResult failed(Outcome outcome, std::string why) {
  EtcdResult result;
  result.outcome = outcome;
  result.why = std::move(why);
  return result;
}

}  // namespace

void EtcdCluster::arrive(Call call) {
  std::size_t const node = call.route.node;
  EtcdSession const* const sender = session(call.route.session);
  CallId const id = ++last_call_;
  call.revision = nodes_.view(node).revision;
  etcd::Request const& request = calls_.emplace(id, std::move(call)).first->second.request;
  if (sender != nullptr && sender->is_forbidden_)
    return respond(id, EtcdResult::refused(Refusal::not_allowed, "etcdserver: permission denied"));
  if (EtcdResult bad = store().check(request); !bad.is_done()) return respond(id, std::move(bad));
  EtcdResult result;
  result.revision = nodes_.view(node).revision;
  if (std::holds_alternative<etcd::Look>(request)) {
    std::optional<std::size_t> const leader = nodes_.leader_of(node);
    result.body = etcd::LookAnswer{nodes_.version(), store().file_bytes(), store().used_bytes(),
                                   leader.has_value() ? nodes_.member(*leader).id : 0, nodes_.view(node).has_alarm};
    return respond(id, std::move(result));
  }
  if (std::holds_alternative<etcd::Members>(request)) {
    etcd::MembersAnswer members;
    for (std::size_t i = 0; i < nodes_.size(); ++i) members.members.push_back(nodes_.member(i));
    result.body = std::move(members);
    return respond(id, std::move(result));
  }
  bool const is_read = EtcdStore::is_read(request);
  if (is_read && EtcdStore::is_serializable(request)) return read_now(id);
  // A member looks at its quota before it proposes anything.
  if (!is_read && !store().fits(request)) {
    if (!nodes_.view(node).has_alarm) nodes_.raise_alarm(node);
    return respond(id, EtcdResult::refused(Refusal::no_space, "etcdserver: mvcc: database space exceeded"));
  }
  if (!nodes_.leader_of(node).has_value() && chance_.thousandths(faults_.no_leader_told)) {
    note(EtcdFault::no_leader_told);
    return respond(id, failed(Outcome::unavailable, "etcdserver: no leader"));
  }
  agenda_.after(options_.member_timeout_us, [this, id] {
    auto const found = calls_.find(id);
    if (found == calls_.end()) return;
    if (found->second.proposal.has_value()) nodes_.give_up(*found->second.proposal, true);
    respond(id, failed(Outcome::unknown, "etcdserver: request timed out"));
  });
  if (std::holds_alternative<etcd::KeepAlive>(request)) return try_renew(id);
  if (!is_read) return propose(id);
  // To the leader, which asks its majority, and back.
  agenda_.after(chance_.in(options_.nodes.peer) + chance_.in(options_.nodes.peer), [this, id] { try_read(id); });
}

void EtcdCluster::propose(CallId id) {
  Call& call = calls_.at(id);
  bool const is_grant = std::holds_alternative<etcd::Grant>(call.request);
  std::int64_t const lease = is_grant ? 0x3269'0000'0000'0000 + static_cast<std::int64_t>(id) : 0;
  // Registered first: a cluster of one member could answer before propose() returns.
  auto const next = static_cast<EtcdNodes::Proposal>(nodes_.proposals());
  call.proposal = next;
  waiting_[next] = id;
  writes_[next] = {call.route.session, call.request_id};
  // A late request was told to be unknown before it came.
  EtcdSession const* const sender = session(call.route.session);
  fates_[writes_[next]].is_unknown = sender != nullptr && !sender->pending_.contains(call.request_id);
  etcd::Request request = call.request;
  FJ_CHECK(nodes_.propose(call.route.node, std::move(request), lease, true) == next, "proposals are counted");
}

void EtcdCluster::applied(std::size_t node, EtcdNodes::Proposal proposal) {
  tell_watchers(node);
  EtcdNodes::Entry const& entry = nodes_.entry(proposal);
  // The first one to apply it is the leader.
  if (auto const found = writes_.find(proposal); found != writes_.end()) {
    auto const [id, request] = found->second;
    writes_.erase(found);
    if (entry.is_wanted && entry.result.is_done_all_the_same) note(EtcdFault::done_without_space);
    if (auto const fate = fates_.find({id, request}); fate != fates_.end()) {
      fate->second.is_done = true;
      if (session(id) == nullptr) note(EtcdFault::done_for_the_gone);
      if (fate->second.is_unknown) note(EtcdFault::done_later);
      if (fate->second.is_unknown || session(id) == nullptr) fates_.erase(fate);
    }
  }
  if (entry.origin == node)
    if (auto const found = waiting_.find(proposal); found != waiting_.end()) {
      CallId const id = found->second;
      waiting_.erase(found);
      if (calls_.contains(id)) respond(id, entry.result);
    }
  std::vector<CallId> ready;
  for (auto const& [id, call] : calls_)
    if (call.route.node == node && call.read_index.has_value() && *call.read_index <= nodes_.applied(node))
      ready.push_back(id);
  for (CallId const id : ready) read_now(id);
}

void EtcdCluster::lost(EtcdNodes::Proposal proposal) {
  waiting_.erase(proposal);
  auto const found = writes_.find(proposal);
  if (found == writes_.end()) return;
  if (auto const fate = fates_.find(found->second); fate != fates_.end()) {
    fate->second.is_lost = true;
    if (fate->second.is_unknown) {
      note(EtcdFault::never_done);
      fates_.erase(fate);
    }
  }
  writes_.erase(found);
}

void EtcdCluster::told(SessionId id, etcd::RequestId request, Outcome outcome) {
  auto const fate = fates_.find({id, request});
  if (fate == fates_.end()) return;
  if (outcome == Outcome::unknown && !fate->second.is_done && !fate->second.is_lost) {
    fate->second.is_unknown = true;
    return;
  }
  if (outcome == Outcome::unknown) note(fate->second.is_done ? EtcdFault::done_unseen : EtcdFault::never_done);
  fates_.erase(fate);
}

void EtcdCluster::try_read(CallId id) {
  auto const found = calls_.find(id);
  if (found == calls_.end()) return;
  std::optional<std::size_t> const index = nodes_.read_index(found->second.route.node);
  if (!index.has_value()) {
    if (chance_.thousandths(faults_.read_interrupted)) {
      note(EtcdFault::read_interrupted);
      return respond(id, failed(Outcome::unavailable, "etcdserver: leader changed"));
    }
    agenda_.after(kAskAgainUs, [this, id] { try_read(id); });
    return;
  }
  found->second.read_index = index;
  if (nodes_.applied(found->second.route.node) >= *index) read_now(id);
}

void EtcdCluster::read_now(CallId id) {
  Call const& call = calls_.at(id);
  EtcdView const view = nodes_.view(call.route.node);
  if (EtcdStore::is_serializable(call.request) && view.revision < store().view().revision) note(EtcdFault::stale_read);
  respond(id, store().read(call.request, view));
}

void EtcdCluster::try_renew(CallId id) {
  auto const found = calls_.find(id);
  if (found == calls_.end()) return;
  Call const& call = found->second;
  auto const again = [this, id] { try_renew(id); };
  std::optional<std::size_t> const leader = nodes_.leader_of(call.route.node);
  if (!leader.has_value()) return agenda_.after(kAskAgainUs, again);
  bool const is_itself = *leader == call.route.node;
  agenda_.after(is_itself ? 0 : chance_.in(options_.nodes.peer), [this, id, again, to = *leader, is_itself] {
    auto const still = calls_.find(id);
    if (still == calls_.end()) return;
    std::int64_t const lease = std::get<etcd::KeepAlive>(still->second.request).lease;
    std::int64_t ttl_s = 0;
    bool const is_reached = nodes_.is_joined(still->second.route.node, to);
    if (!is_reached || nodes_.renew(to, lease, ttl_s) == EtcdNodes::Renewal::not_now)
      return agenda_.after(kAskAgainUs, again);
    agenda_.after(is_itself ? 0 : chance_.in(options_.nodes.peer), [this, id, again, to, lease, ttl_s] {
      auto const last = calls_.find(id);
      if (last == calls_.end()) return;
      if (!nodes_.is_joined(last->second.route.node, to)) return agenda_.after(kAskAgainUs, again);
      EtcdResult result;
      // As it was when the request came: the lease was there then, if it is there at all.
      result.revision = last->second.revision;
      result.body = etcd::LeaseAnswer{lease, ttl_s};
      respond(id, std::move(result));
    });
  });
}

void EtcdCluster::respond(CallId id, EtcdResult result) {
  auto const found = calls_.find(id);
  Call const call = std::move(found->second);
  calls_.erase(found);
  if (call.proposal.has_value()) waiting_.erase(*call.proposal);
  etcd::Answer answer;
  answer.id = call.request_id;
  answer.outcome = result.outcome;
  answer.refusal = result.refusal;
  answer.why = std::move(result.why);
  if (result.outcome == Outcome::done) {
    answer.header = {kClusterId, nodes_.member(call.route.node).id, result.revision, nodes_.term_of(call.route.node)};
    answer.body = std::move(result.body);
  }
  if (chance_.thousandths(faults_.answer_lost)) {
    note(EtcdFault::answer_lost);
    return;
  }
  agenda_.after(chance_.in(options_.client), [this, route = call.route, answer = std::move(answer)] {
    inbound(route, [answer](EtcdSession& to) { to.complete(answer.id, answer); });
  });
}

void EtcdCluster::cancel(SessionId id, etcd::RequestId request) {
  for (auto const& [number, call] : calls_) {
    if (call.route.session != id || call.request_id != request) continue;
    if (call.proposal.has_value()) {
      waiting_.erase(*call.proposal);
      nodes_.give_up(*call.proposal, true);
    }
    calls_.erase(number);
    return;
  }
}

}  // namespace fastjournal::sim
