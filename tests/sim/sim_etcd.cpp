#include "tests/sim/sim_etcd.h"

#include <algorithm>
#include <utility>

namespace fastjournal::sim {

namespace {

constexpr std::int64_t kTickUs = 100'000;

}  // namespace

std::string_view name_of(EtcdFault fault) {
  static constexpr std::array<std::string_view, kEtcdFaults> kNames{"request_lost",
                                                                    "request_late",
                                                                    "request_refused",
                                                                    "answer_lost",
                                                                    "reset",
                                                                    "silent_connection",
                                                                    "not_connected_told",
                                                                    "no_leader_told",
                                                                    "read_interrupted",
                                                                    "member_killed",
                                                                    "members_cut",
                                                                    "session_cut",
                                                                    "handed_over",
                                                                    "quorum_lost",
                                                                    "elected",
                                                                    "proposal_lost",
                                                                    "proposal_survived",
                                                                    "done_unseen",
                                                                    "done_later",
                                                                    "never_done",
                                                                    "done_for_the_gone",
                                                                    "done_without_space",
                                                                    "stale_read",
                                                                    "lease_ended",
                                                                    "lease_renewed_by_deposed",
                                                                    "late_revocation",
                                                                    "watch_slow",
                                                                    "watch_several_revisions",
                                                                    "watch_progress",
                                                                    "watch_resumed",
                                                                    "watch_compacted",
                                                                    "stopped",
                                                                    "timeout_before_answer"};
  return kNames[static_cast<std::size_t>(fault)];
}

EtcdFaults EtcdFaults::all() {
  EtcdFaults faults;
  faults.request_lost = 5;
  faults.request_late = 10;
  faults.request_refused = 5;
  faults.answer_lost = 10;
  faults.reset = 5;
  faults.watch_slow = 100;
  faults.watch_progress = 100;
  faults.member_killed = 8;
  faults.members_cut = 8;
  faults.session_cut = 8;
  faults.handed_over = 8;
  return faults;
}

EtcdCluster::EtcdCluster(EtcdOptions options)
    : options_(std::move(options)),
      agenda_(options_.now_us),
      chance_(options_.seed, options_.chooser),
      told_revisions_(options_.nodes.nodes, 1),
      lives_(options_.nodes.nodes, 0),
      nodes_(options_.nodes, options_.limits, agenda_, chance_, *this) {
  nodes_.begin();
  set_faults(options_.faults);
}

EtcdCluster::~EtcdCluster() { FJ_CHECK(sessions_.empty(), "sessions end before their cluster"); }

std::unique_ptr<EtcdSession> EtcdCluster::connect() {
  std::unique_ptr<EtcdSession> made{new EtcdSession{*this, ++last_session_}};
  sessions_.emplace(last_session_, made.get());
  return made;
}

// -- faults ----------------------------------------------------------------------

void EtcdCluster::set_faults(EtcdFaults const& faults) {
  faults_ = faults;
  nodes_.set_late_revocation(faults.late_revocation);
  if (ticks_ || faults.member_killed + faults.members_cut + faults.session_cut + faults.handed_over == 0) return;
  ticks_ = true;
  agenda_.after(kTickUs, [this] { tick(); });
}

void EtcdCluster::calm() {
  set_faults({});
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    start(i);
    rejoin(i);
    for (auto const& [id, session] : sessions_) let_in(*session, i);
  }
}

void EtcdCluster::kill(std::size_t node) {
  if (!nodes_.is_alive(node)) return;
  note(EtcdFault::member_killed);
  std::erase_if(calls_, [&](auto const& entry) { return entry.second.route.node == node; });
  std::erase_if(watchers_, [&](auto const& entry) { return entry.second.route.node == node; });
  ++lives_[node];
  nodes_.kill(node);
  // Its kernel says so, if the link is well.
  for (auto const& [id, session] : sessions_)
    if (session->node_ == node && session->links_[node]) plan_break(session->route(), chance_.in(options_.client));
  look_for_quorum();
}

void EtcdCluster::cut(std::size_t one, std::size_t other) {
  note(EtcdFault::members_cut);
  nodes_.cut(one, other);
  look_for_quorum();
}

void EtcdCluster::isolate(std::size_t node) {
  note(EtcdFault::members_cut);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (i != node) nodes_.cut(node, i);
  look_for_quorum();
}

void EtcdCluster::rejoin(std::size_t node) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (i != node) nodes_.join(node, i);
}

bool EtcdCluster::hand_over(std::size_t node) {
  bool const is_done = nodes_.hand_over(node);
  if (is_done) note(EtcdFault::handed_over);
  return is_done;
}

void EtcdCluster::plan_break(Route const& route, std::int64_t after_us) {
  agenda_.after(after_us, [this, route] {
    if (EtcdSession* const still = session(route)) still->break_connection();
  });
}

void EtcdCluster::cut_off(EtcdSession& session, std::size_t node) {
  if (!session.links_[node]) return;
  session.links_[node] = false;
  note(EtcdFault::session_cut);
  std::uint64_t const cut = ++session.cuts_;
  if (session.node_ != node) return;
  agenda_.after(chance_.in(options_.silence), [this, route = session.route(), cut] {
    EtcdSession* const still = this->session(route);
    if (still == nullptr || still->links_[route.node] || still->cuts_ != cut) return;
    note(EtcdFault::silent_connection);
    still->break_connection();
  });
}

void EtcdCluster::let_in(EtcdSession& session, std::size_t node) {
  if (session.links_[node]) return;
  session.links_[node] = true;
  if (session.node_ != node) return;
  Route const route = session.route();
  std::int64_t const after_us = chance_.in(options_.client);
  // The member may have died meanwhile; one that was started again does not know the connection.
  if (!is_alive(route)) return plan_break(route, after_us);
  // Both sides send again what was not confirmed.
  agenda_.after(after_us, [this, route] {
    if (EtcdSession* const still = this->session(route)) still->release();
  });
}

void EtcdCluster::disarm() {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_.is_alive(i)) return nodes_.disarm(i);
}

void EtcdCluster::look_for_quorum() {
  if (!nodes_.has_quorum()) note(EtcdFault::quorum_lost);
}

void EtcdCluster::tick() {
  EtcdFaults const& faults = faults_;
  ticks_ = faults.member_killed + faults.members_cut + faults.session_cut + faults.handed_over != 0;
  if (!ticks_) return;
  agenda_.after(kTickUs, [this] { tick(); });
  std::size_t const count = nodes_.size();
  // Leaders have more than their share of trouble.
  auto const any_member = [&] {
    std::optional<std::size_t> const leader = nodes_.leader();
    return leader.has_value() && chance_.below(2) == 0 ? *leader : chance_.below(count);
  };
  if (chance_.thousandths(faults.member_killed)) {
    std::size_t const node = any_member();
    kill(node);
    agenda_.after(chance_.in(options_.outage), [this, node] { start(node); });
  }
  if (chance_.thousandths(faults.members_cut) && count > 1) {
    std::size_t const node = any_member();
    std::size_t const other = (node + 1 + chance_.below(count - 1)) % count;
    bool const is_pair = chance_.below(2) == 0;
    if (is_pair)
      cut(node, other);
    else
      isolate(node);
    agenda_.after(chance_.in(options_.outage), [this, node, other, is_pair] {
      if (is_pair)
        join(node, other);
      else
        rejoin(node);
    });
  }
  if (chance_.thousandths(faults.session_cut) && !sessions_.empty()) {
    auto chosen = sessions_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(chance_.below(sessions_.size())));
    std::size_t const node = chosen->second->node_.value_or(0);
    cut_off(*chosen->second, node);
    agenda_.after(chance_.in(options_.outage), [this, id = chosen->first, node] {
      if (EtcdSession* const one = session(id)) let_in(*one, node);
    });
  }
  if (chance_.thousandths(faults.handed_over)) hand_over(chance_.below(count));
}

// -- messages --------------------------------------------------------------------

EtcdSession* EtcdCluster::session(SessionId id) {
  auto const found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

EtcdSession* EtcdCluster::session(Route const& route) {
  EtcdSession* const one = session(route.session);
  return one != nullptr && one->connection_ == route.connection && one->node_.has_value() ? one : nullptr;
}

void EtcdCluster::outbound(Route const& route, std::function<void()> what) {
  if (!is_alive(route)) return;
  EtcdSession* const one = session(route.session);
  EtcdSession* const current = session(route);
  if (one != nullptr && !one->links_[route.node]) {
    if (current != nullptr) current->held_out_.push_back(std::move(what));
    return;
  }
  // The connection is gone: it had left the sender's kernel, or not.
  if (current == nullptr && chance_.below(2) == 0) return;
  what();
}

void EtcdCluster::inbound(Route const& route, Inbound what) {
  EtcdSession* const one = session(route);
  if (one == nullptr) return;
  if (!one->links_[route.node] || !one->held_in_.empty()) {
    one->held_in_.push_back(std::move(what));
    return;
  }
  one->notice([one, what = std::move(what)] { what(*one); });
}

// -- looking ---------------------------------------------------------------------

std::uint64_t EtcdCluster::count(EtcdFault fault) const {
  EtcdNodes::Counts const& counts = nodes_.counts();
  switch (fault) {
    case EtcdFault::elected: return counts.elections;
    case EtcdFault::proposal_lost: return counts.lost;
    case EtcdFault::proposal_survived: return counts.survived;
    case EtcdFault::lease_ended: return counts.ended_leases;
    case EtcdFault::lease_renewed_by_deposed: return counts.deposed_renewals;
    case EtcdFault::late_revocation: return counts.late_revocations;
    default: return counts_[static_cast<std::size_t>(fault)];
  }
}

std::string EtcdCluster::counts() const {
  std::string text;
  for (std::size_t i = 0; i < kEtcdFaults; ++i) {
    auto const fault = static_cast<EtcdFault>(i);
    text += (i == 0 ? "" : " ") + std::string{name_of(fault)} + "=" + std::to_string(count(fault));
  }
  return text;
}

}  // namespace fastjournal::sim
