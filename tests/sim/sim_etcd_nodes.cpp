#include "tests/sim/sim_etcd_nodes.h"

#include <algorithm>
#include <utility>

namespace fastjournal::sim {

EtcdNodes::EtcdNodes(EtcdNodeOptions options, EtcdLimits const& limits, EtcdAgenda& agenda, EtcdChance& chance,
                     Listener& listener)
    : options_(std::move(options)),
      agenda_(agenda),
      chance_(chance),
      listener_(listener),
      store_(limits),
      nodes_(options_.nodes),
      links_(options_.nodes * options_.nodes, true) {
  FJ_CHECK(options_.nodes > 0, "a cluster has a member");
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::string const name = "etcd-" + std::to_string(i);
    nodes_[i].member = {0x8e9e05c52164694dU + i, name, {"https://" + name + ".example:2379"}};
  }
}

void EtcdNodes::begin() {
  win(0, 1);
  nodes_[0].synced = 1;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].term = 1;
    nodes_[i].leader = 0;
    if (i != 0) nodes_[i].log = nodes_[0].log;
    nodes_[0].matched[i] = 1;
  }
  decide(0);
  for (std::size_t i = 1; i < nodes_.size(); ++i) apply(i, 1);
  review();
}

// -- faults ----------------------------------------------------------------------

void EtcdNodes::kill(std::size_t node) {
  Node& dead = nodes_[node];
  if (!dead.is_alive) return;
  dead.is_alive = false;
  ++dead.life;
  dead.is_called = false;
  if (dead.leads) {
    // What it had not synced is gone from its own log; others may have it.
    std::size_t const kept = std::max(dead.synced, dead.applied);
    std::vector<Proposal> gone(dead.log.begin() + static_cast<std::ptrdiff_t>(kept), dead.log.end());
    dead.log.resize(kept);
    dead.leads = false;
    if (primary_ == node) {
      primary_.reset();
      store_.stop_clocks();
    }
    auto const nobody_has = [&](Proposal one) {
      return std::ranges::none_of(nodes_, [&](Node const& any) { return std::ranges::count(any.log, one) > 0; });
    };
    for (Proposal const one : gone)
      if (entries_[one].state == Entry::State::in_a_log && nobody_has(one)) lose(one);
  }
  for (Proposal const one : std::exchange(dead.waiting, {})) lose(one);
  dead.leader.reset();
  dead.clocks.clear();
  review();
}

void EtcdNodes::start(std::size_t node) {
  if (nodes_[node].is_alive) return;
  nodes_[node].is_alive = true;
  nodes_[node].is_silent = false;
  // A member of etcd forgets whom it followed. Then it could help a new leader into office while the old one still
  // renews leases, and the promise of leases would not hold; so here it waits.
  nodes_[node].votes_from_us = agenda_.now_us() + options_.election_us;
  review();
}

void EtcdNodes::cut(std::size_t one, std::size_t other) {
  links_[one * size() + other] = links_[other * size() + one] = one == other;
  review();
}

void EtcdNodes::join(std::size_t one, std::size_t other) {
  links_[one * size() + other] = links_[other * size() + one] = true;
  // What was lost meanwhile is sent again.
  if (nodes_[one].leads) call(one, other);
  if (nodes_[other].leads) call(other, one);
  review();
}

bool EtcdNodes::hand_over(std::size_t node) {
  std::optional<std::size_t> const from = leader();
  if (!from.has_value() || from == node || nodes_[node].leader != from || !is_joined(*from, node)) return false;
  if (!campaign(node, true)) return false;
  // It asked for it, so it knows.
  if (nodes_[*from].leads) step_down(*from);
  return true;
}

// -- proposals ---------------------------------------------------------------------

EtcdNodes::Proposal EtcdNodes::add(Entry entry) {
  entries_.push_back(std::move(entry));
  return static_cast<Proposal>(entries_.size() - 1);
}

EtcdNodes::Proposal EtcdNodes::propose(std::size_t node, Entry::Kind kind) {
  Entry entry;
  entry.kind = kind;
  entry.origin = node;
  Proposal const proposal = add(std::move(entry));
  forward(node, proposal);
  return proposal;
}

EtcdNodes::Proposal EtcdNodes::propose(std::size_t node, etcd::Request request, std::int64_t lease, bool wanted) {
  Entry entry;
  entry.is_wanted = wanted;
  entry.origin = node;
  entry.lease = lease;
  entry.request = std::move(request);
  Proposal const proposal = add(std::move(entry));
  forward(node, proposal);
  return proposal;
}

void EtcdNodes::give_up(Proposal proposal, bool is_cancelled) {
  Entry& entry = entries_[proposal];
  entry.is_wanted = false;
  entry.result = {};
  if (!is_cancelled || entry.state != Entry::State::waits) return;
  // Only what its own member still keeps can be taken back.
  if (std::erase(nodes_[entry.origin].waiting, proposal) > 0) lose(proposal);
}

void EtcdNodes::lose(Proposal proposal) {
  Entry& entry = entries_[proposal];
  if (entry.state == Entry::State::lost) return;
  entry.state = Entry::State::lost;
  entry.request = {};
  if (entry.kind == Entry::Kind::new_term) return;
  ++counts_.lost;
  listener_.lost(proposal);
}

void EtcdNodes::lose_older(std::uint64_t term) {
  // A term of its own is decided: whatever older terms left behind in other logs will be overwritten.
  std::vector<Proposal> kept;
  for (Proposal const one : std::exchange(open_, {})) {
    Entry const& entry = entries_[one];
    if (entry.state != Entry::State::in_a_log) continue;
    if (entry.term < term)
      lose(one);
    else
      kept.push_back(one);
  }
  open_ = std::move(kept);
}

void EtcdNodes::forward(std::size_t node, Proposal proposal) {
  Node& origin = nodes_[node];
  if (origin.leads) return append(node, proposal);
  if (!origin.leader.has_value()) {
    origin.waiting.push_back(proposal);
    return;
  }
  std::size_t const leader = *origin.leader;
  agenda_.after(chance_.in(options_.peer), [this, node, leader, proposal] {
    if (nodes_[leader].is_alive && nodes_[leader].leads && is_joined(node, leader))
      append(leader, proposal);
    else
      lose(proposal);
  });
}

void EtcdNodes::append(std::size_t leader, Proposal proposal) {
  Node& node = nodes_[leader];
  Entry& entry = entries_[proposal];
  entry.term = node.term;
  entry.state = Entry::State::in_a_log;
  open_.push_back(proposal);
  node.log.push_back(proposal);
  agenda_.after(chance_.in(options_.disk), [this, leader, life = node.life, term = node.term, end = node.log.size()] {
    if (!runs(leader, life) || !nodes_[leader].leads || nodes_[leader].term != term) return;
    nodes_[leader].synced = std::max(nodes_[leader].synced, end);
    decide(leader);
  });
  for (std::size_t to = 0; to < size(); ++to)
    if (to != leader) send(leader, to);
}

void EtcdNodes::send(std::size_t leader, std::size_t to) {
  Node const& node = nodes_[leader];
  if (!is_joined(leader, to) || !nodes_[to].is_alive) return;
  agenda_.after(chance_.in(options_.peer), [this, leader, to, term = node.term, upto = node.log.size(),
                                            decided = node.decided] { take(leader, term, to, upto, decided); });
}

void EtcdNodes::take(std::size_t leader, std::uint64_t term, std::size_t at, std::size_t upto, std::size_t decided) {
  Node& to = nodes_[at];
  Node& from = nodes_[leader];
  to.is_called = false;
  if (!to.is_alive || !is_joined(leader, at)) return;
  // A message of a leader that is none any more is lost: its log may have been overwritten.
  if (!from.is_alive || !from.leads || from.term != term) return;
  if (to.term > term) {
    from.term = to.term;
    return step_down(leader);
  }
  if (to.leads) step_down(at);
  to.term = term;
  std::size_t same = std::min({from.matched[at], to.log.size(), upto});
  while (same < upto && same < to.log.size() && to.log[same] == from.log[same]) ++same;
  if (same < upto) {
    FJ_CHECK(same >= to.applied, "nothing decided is overwritten");
    to.log.resize(same);
    to.log.insert(to.log.end(), from.log.begin() + static_cast<std::ptrdiff_t>(same),
                  from.log.begin() + static_cast<std::ptrdiff_t>(upto));
  }
  follow(at, leader);
  if (std::size_t const known = std::min(decided, upto); known > to.applied)
    agenda_.after(chance_.in(options_.lag), [this, at, life = to.life, known] {
      if (runs(at, life)) apply(at, known);
    });
  agenda_.after(chance_.in(options_.peer), [this, leader, at, term, upto] {
    Node& node = nodes_[leader];
    if (!node.is_alive || !node.leads || node.term != term || !is_joined(leader, at)) return;
    node.matched[at] = std::max(node.matched[at], upto);
    decide(leader);
  });
}

void EtcdNodes::decide(std::size_t leader) {
  Node& node = nodes_[leader];
  std::vector<std::size_t> have = node.matched;
  have[leader] = node.synced;
  std::ranges::sort(have, std::greater<>{});
  std::size_t const end = have[size() / 2];
  // Entries of older terms are decided with the first of the leader's own.
  if (end <= node.decided || entries_[node.log[end - 1]].term != node.term) return;
  node.decided = end;
  apply(leader, end);
  for (std::size_t to = 0; to < size(); ++to)
    if (to != leader) send(leader, to);
}

void EtcdNodes::apply(std::size_t node, std::size_t upto) {
  while (nodes_[node].applied < upto) {
    std::size_t const index = nodes_[node].applied;
    Proposal const proposal = nodes_[node].log[index];
    if (index == history_.size()) {
      history_.push_back(proposal);
      apply_first(node, proposal);
    }
    FJ_CHECK(history_[index] == proposal, "all members apply the same");
    nodes_[node].applied = index + 1;
    nodes_[node].view = entries_[proposal].after;
    listener_.applied(node, proposal);
    // Nobody else reads it.
    if (entries_[proposal].origin == node) entries_[proposal].result = {};
  }
  std::int64_t oldest = kNeverUs;
  for (Node const& any : nodes_) oldest = std::min(oldest, any.view.compacted);
  if (oldest > forgotten_) {
    forgotten_ = oldest;
    store_.forget(oldest);
  }
}

void EtcdNodes::apply_first(std::size_t leader, Proposal proposal) {
  Entry& entry = entries_[proposal];
  FJ_CHECK(entry.state == Entry::State::in_a_log, "what is decided was not lost");
  entry.state = Entry::State::applied;
  switch (entry.kind) {
    case Entry::Kind::request:
      if (entry.term < nodes_[leader].term) ++counts_.survived;
      entry.result = store_.apply(entry.request, entry.lease, agenda_.now_us());
      if (entry.result.is_done_all_the_same && !store_.view().has_alarm) raise_alarm(leader);
      if (!entry.is_wanted) entry.result = {};
      entry.request = {};
      break;
    case Entry::Kind::new_term:
      lose_older(entry.term);
      primary_ = leader;
      store_.start_clocks(agenda_.now_us(), options_.election_us);
      break;
    case Entry::Kind::alarm: store_.raise_alarm(); break;
    case Entry::Kind::disarm: store_.disarm(); break;
  }
  entry.after = store_.view();
  watch_leases();
}

std::optional<std::size_t> EtcdNodes::read_index(std::size_t node) const {
  std::optional<std::size_t> const leader = nodes_[node].leader;
  if (!leader.has_value() || !is_joined(node, *leader)) return std::nullopt;
  Node const& from = nodes_[*leader];
  if (!from.is_alive || !from.leads || !reaches_majority(*leader, from.term)) return std::nullopt;
  // Until something of its own term is decided it does not know how much is.
  if (from.decided == 0 || entries_[from.log[from.decided - 1]].term != from.term) return std::nullopt;
  return from.decided;
}

// -- leaders -------------------------------------------------------------------------

std::optional<std::size_t> EtcdNodes::leader() const {
  for (std::size_t i = 0; i < size(); ++i)
    if (nodes_[i].is_alive && nodes_[i].leads && reaches_majority(i, nodes_[i].term)) return i;
  return std::nullopt;
}

bool EtcdNodes::has_quorum() const {
  for (std::size_t i = 0; i < size(); ++i)
    if (nodes_[i].is_alive && reaches_majority(i, UINT64_MAX)) return true;
  return false;
}

bool EtcdNodes::reaches_majority(std::size_t node, std::uint64_t term_most) const {
  std::size_t reached = 0;
  for (std::size_t i = 0; i < size(); ++i)
    reached += nodes_[i].is_alive && is_joined(node, i) && nodes_[i].term <= term_most ? 1 : 0;
  return reached * 2 > size();
}

bool EtcdNodes::leads_majority(std::size_t node) const {
  std::size_t following = 0;
  for (std::size_t i = 0; i < size(); ++i)
    following += i == node || (nodes_[i].is_alive && nodes_[i].leader == node && hears_leader(i)) ? 1 : 0;
  return following * 2 > size();
}

bool EtcdNodes::hears_leader(std::size_t node) const {
  Node const& one = nodes_[node];
  if (one.leads) return true;
  if (!one.leader.has_value() || !is_joined(node, *one.leader)) return false;
  Node const& leader = nodes_[*one.leader];
  return leader.is_alive && leader.leads && leader.term == one.term;
}

void EtcdNodes::follow(std::size_t node, std::size_t leader) {
  Node& one = nodes_[node];
  if (one.leader == leader) {
    if (one.is_silent) review();
    return;
  }
  one.leader = leader;
  for (Proposal const proposal : std::exchange(one.waiting, {})) forward(node, proposal);
  listener_.leader_known(node);
  review();
}

void EtcdNodes::step_down(std::size_t node) {
  Node& one = nodes_[node];
  one.leads = false;
  one.leader.reset();
  one.clocks.clear();
  if (primary_ == node) {
    primary_.reset();
    store_.stop_clocks();
  }
  listener_.leader_gone(node);
  review();
}

void EtcdNodes::review() {
  for (std::size_t i = 0; i < size(); ++i) {
    Node& node = nodes_[i];
    if (!node.is_alive) continue;
    bool const is_well = node.leads ? leads_majority(i) : hears_leader(i);
    if (is_well) {
      node.is_silent = false;
      continue;
    }
    if (!node.is_silent) {
      node.is_silent = true;
      ++node.silence;
      if (!node.leads && node.leader.has_value()) node.votes_from_us = agenda_.now_us() + options_.election_us;
      await_election(i);
    }
    // It may be that a leader is there of which it does not know yet.
    for (std::size_t leader = 0; leader < size(); ++leader)
      if (leader != i && nodes_[leader].is_alive && nodes_[leader].leads && !node.is_called) call(leader, i);
  }
}

void EtcdNodes::call(std::size_t leader, std::size_t node) {
  if (!is_joined(leader, node) || !nodes_[node].is_alive || !nodes_[leader].is_alive) return;
  nodes_[node].is_called = true;
  send(leader, node);
}

void EtcdNodes::await_election(std::size_t node) {
  std::int64_t const span_us = chance_.in({options_.election_us, 2 * options_.election_us});
  agenda_.after(span_us, [this, node, life = nodes_[node].life, silence = nodes_[node].silence] {
    Node& one = nodes_[node];
    if (!runs(node, life) || !one.is_silent || one.silence != silence) return;
    if (one.leads) {
      one.is_silent = false;
      return step_down(node);
    }
    if (hears_leader(node)) return review();
    if (one.leader.has_value()) {
      one.leader.reset();
      listener_.leader_gone(node);
    }
    // Others may have had the same idea, or their logs are newer: again later.
    if (!campaign(node, false)) await_election(node);
  });
}

bool EtcdNodes::is_newer(Node const& one, Node const& other) const {
  std::uint64_t const term = one.log.empty() ? 0 : entries_[one.log.back()].term;
  std::uint64_t const other_term = other.log.empty() ? 0 : entries_[other.log.back()].term;
  return term != other_term ? term > other_term : one.log.size() > other.log.size();
}

bool EtcdNodes::campaign(std::size_t node, bool is_forced) {
  std::uint64_t term = 0;
  std::size_t votes = 0;
  std::vector<std::size_t> voters;
  for (std::size_t i = 0; i < size(); ++i) {
    Node const& voter = nodes_[i];
    if (!voter.is_alive || !is_joined(node, i)) continue;
    term = std::max(term, voter.term);
    // Who hears a leader, or heard it an election time ago, does not vote; nobody votes for a log that lacks something.
    bool const is_bound = !is_forced && (hears_leader(i) || agenda_.now_us() < voter.votes_from_us);
    if (i != node && (is_bound || is_newer(voter, nodes_[node]))) continue;
    ++votes;
    voters.push_back(i);
  }
  if (votes * 2 <= size()) return false;
  for (std::size_t const voter : voters) nodes_[voter].term = term + 1;
  ++counts_.elections;
  win(node, term + 1);
  return true;
}

void EtcdNodes::win(std::size_t node, std::uint64_t term) {
  // No clock of leases runs until its first entry is decided. A former leader that does not know goes on with its own.
  for (std::size_t i = 0; i < size(); ++i) {
    if (i == node || !nodes_[i].is_alive || !nodes_[i].leads) continue;
    if (primary_ == i) nodes_[i].clocks = store_.clocks();
    if (chance_.thousandths(options_.late_revocation)) revoke_late(i);
  }
  primary_.reset();
  store_.stop_clocks();
  Node& one = nodes_[node];
  one.term = term;
  one.leads = true;
  one.leader = node;
  one.is_silent = false;
  one.synced = one.log.size();
  one.decided = one.applied;
  one.matched.assign(size(), 0);
  Entry entry;
  entry.kind = Entry::Kind::new_term;
  entry.origin = node;
  append(node, add(std::move(entry)));
  for (Proposal const proposal : std::exchange(one.waiting, {})) append(node, proposal);
  listener_.leader_known(node);
  review();
}

// -- leases --------------------------------------------------------------------------

void EtcdNodes::revoke_late(std::size_t node) {
  for (auto const& [lease, clock] : nodes_[node].clocks) {
    if (clock.end_us == kNeverUs) continue;
    std::int64_t const at_us = clock.end_us + chance_.in({0, 2 * options_.election_us});
    agenda_.at(at_us, [this, node, id = lease, life = nodes_[node].life] {
      // It is a follower by now, and proposals of followers are forwarded.
      if (!runs(node, life) || nodes_[node].leads || !store_.clocks().contains(id)) return;
      ++counts_.late_revocations;
      propose(node, etcd::Revoke{id}, 0, false);
    });
  }
}

EtcdNodes::Renewal EtcdNodes::renew(std::size_t leader, std::int64_t lease, std::int64_t& ttl_s) {
  Node& node = nodes_[leader];
  if (!node.is_alive || !node.leads) return Renewal::not_now;
  bool const is_deposed = primary_ != leader;
  // A new leader does not renew before its first entry is decided.
  if (is_deposed && (node.clocks.empty() || !chance_.thousandths(options_.deposed_renews))) return Renewal::not_now;
  EtcdStore::Clocks const& clocks = is_deposed ? node.clocks : store_.clocks();
  auto const found = clocks.find(lease);
  if (found == clocks.end()) return is_deposed ? Renewal::not_now : Renewal::over;
  // One that is over is not renewed, but it is not gone either before its revocation is decided.
  if (found->second.is_ending || found->second.end_us <= agenda_.now_us()) return Renewal::not_now;
  ttl_s = found->second.ttl_s;
  if (is_deposed) {
    node.clocks.at(lease).end_us = agenda_.now_us() + ttl_s * 1'000'000;
    ++counts_.deposed_renewals;
  } else {
    store_.renew(lease, agenda_.now_us());
  }
  return Renewal::renewed;
}

void EtcdNodes::watch_leases() {
  std::int64_t const end_us = store_.next_end_us();
  if (end_us == kNeverUs || lease_look_us_ <= end_us) return;
  lease_look_us_ = end_us;
  agenda_.at(end_us, [this, end_us] {
    if (lease_look_us_ == end_us) end_leases();
  });
}

void EtcdNodes::end_leases() {
  lease_look_us_ = kNeverUs;
  if (primary_.has_value())
    for (std::int64_t const lease : store_.take_ended(agenda_.now_us()))
      agenda_.after(chance_.in(options_.lease_scan), [this, leader = *primary_, lease, life = nodes_[*primary_].life] {
        if (!runs(leader, life) || primary_ != leader || !store_.clocks().contains(lease)) return;
        ++counts_.ended_leases;
        propose(leader, etcd::Revoke{lease}, 0, false);
      });
  watch_leases();
}

}  // namespace fastjournal::sim
