// The members of a simulated etcd cluster and their agreement: who is alive, who leads, whose log holds what, what is
// decided and how far each member has applied it. Apart from the cluster (sim_etcd.h), which knows clients: here is
// only Raft, as far as its outcomes go. Each member has its own log, terms rise, a decision needs a majority of logs,
// and only a member whose log is as new as those of a majority is elected. Votes are counted at once by looking at all
// members; messages that carry entries take time and get lost.
//
// What can happen to a proposal is therefore what can happen in etcd: it is decided; or it stays in the log of a leader
// that lost its majority, and is decided later if that log wins, or never. Nothing decided is ever lost.
//
// Faults:
//
//   killed member        kill(), start(): it is gone with what it had not synced. Its log, and how far it had applied
//                        it, are still there.
//   cut link             cut(), join(): messages between two members are lost, in both directions.
//   no quorum            follows from both. Proposals wait in logs; nothing is decided.
//   deposed leader       one that lost its majority believes itself to be leader for up to two election times. It takes
//                        proposals that are never decided and, if a draw says so, renews leases (`deposed_renews`).
//   election             takes one to two election times; all leases start anew, one election time longer. With
//                        hand_over() leaders change while all members are well.
//   late revocation      a former leader has leases revoked which it takes for ended, although they were renewed at the
//                        new one (`late_revocation`; etcd issue 15247, fixed in 3.5.13). Leases then end early.
//   lag                  a member applies what is decided up to `lag` later.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "log/etcd/client/cluster.h"
#include "tests/sim/sim_etcd_agenda.h"
#include "tests/sim/sim_etcd_store.h"

namespace fastjournal::sim {

struct EtcdNodeOptions {
  std::size_t nodes{3};
  std::int64_t election_us{1'000'000};
  EtcdBounds peer{200, 1'500};         // a message between members, one way
  EtcdBounds disk{300, 3'000};         // a sync at the leader
  EtcdBounds lag{0, 5'000};            // from being told to having applied
  EtcdBounds lease_scan{0, 500'000};   // from the end of a lease to its revocation
  std::uint32_t deposed_renews{1000};  // thousandths of the renewals
  std::uint32_t late_revocation{0};    // thousandths of the changes of leader
  std::string version{"3.5.16"};
};

class EtcdNodes {
 public:
  using Proposal = std::uint32_t;
  struct Entry {
    enum class Kind : std::uint8_t { request, new_term, alarm, disarm };
    enum class State : std::uint8_t { waits, in_a_log, applied, lost };
    Kind kind{Kind::request};
    State state{State::waits};
    bool is_wanted{false};  // by its origin: keep the result
    std::size_t origin{0};  // the member that proposed it
    std::uint64_t term{0};
    std::int64_t lease{0};  // id of one to be granted
    etcd::Request request{};
    EtcdResult result{};
    EtcdView after{};
  };
  // Of the cluster around it.
  class Listener {
   public:
    // The member has applied this entry, which changed the revision or not. Once for each member and entry.
    virtual void applied(std::size_t node, Proposal proposal) = 0;
    // The entry can never be decided any more.
    virtual void lost(Proposal proposal) = 0;
    virtual void leader_known(std::size_t node) = 0;
    virtual void leader_gone(std::size_t node) = 0;

   protected:
    ~Listener() = default;
  };
  struct Counts {
    std::uint64_t elections{0};
    std::uint64_t lost{0};      // proposals that were in a log or on the way to a leader
    std::uint64_t survived{0};  // decided by a later leader than the one that took them
    std::uint64_t deposed_renewals{0};
    std::uint64_t ended_leases{0};
    std::uint64_t late_revocations{0};
  };

  EtcdNodes(EtcdNodeOptions options, EtcdLimits const& limits, EtcdAgenda& agenda, EtcdChance& chance,
            Listener& listener);
  // All members are well, and the first one leads. Once, before anything else.
  void begin();
  EtcdNodes(EtcdNodes const&) = delete;
  EtcdNodes& operator=(EtcdNodes const&) = delete;

  // -- faults -------------------------------------------------------------------
  void kill(std::size_t node);
  void start(std::size_t node);
  void cut(std::size_t one, std::size_t other);
  void join(std::size_t one, std::size_t other);
  // The leader hands over to this member. False: it cannot.
  bool hand_over(std::size_t node);
  void set_late_revocation(std::uint32_t thousandths) { options_.late_revocation = thousandths; }

  // -- what a member does for its clients ---------------------------------------
  // `wanted`: the result is kept until the member has applied it.
  Proposal propose(std::size_t node, etcd::Request request, std::int64_t lease, bool wanted);
  void raise_alarm(std::size_t node) { propose(node, Entry::Kind::alarm); }
  void disarm(std::size_t node) { propose(node, Entry::Kind::disarm); }
  // Nobody waits for it any more. If it still waits for a leader, it is lost.
  void give_up(Proposal proposal, bool is_cancelled);
  [[nodiscard]] Entry const& entry(Proposal proposal) const { return entries_[proposal]; }
  // How many there were; the next one gets this number.
  [[nodiscard]] std::size_t proposals() const { return entries_.size(); }
  // How much must be applied for a read that begins now; nothing: the leader cannot say.
  [[nodiscard]] std::optional<std::size_t> read_index(std::size_t node) const;
  enum class Renewal : std::uint8_t { renewed, over, not_now };
  // Of a lease, by the leader that this member believes in.
  [[nodiscard]] Renewal renew(std::size_t leader, std::int64_t lease, std::int64_t& ttl_s);

  // -- looking ------------------------------------------------------------------
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool is_alive(std::size_t node) const { return nodes_[node].is_alive; }
  [[nodiscard]] bool is_joined(std::size_t one, std::size_t other) const { return links_[one * size() + other]; }
  // Whom this member believes to be leader.
  [[nodiscard]] std::optional<std::size_t> leader_of(std::size_t node) const { return nodes_[node].leader; }
  // The one that can decide.
  [[nodiscard]] std::optional<std::size_t> leader() const;
  // A majority is alive, and joined to one of them.
  [[nodiscard]] bool has_quorum() const;
  [[nodiscard]] std::uint64_t term_of(std::size_t node) const { return nodes_[node].term; }
  [[nodiscard]] EtcdView view(std::size_t node) const { return nodes_[node].view; }
  [[nodiscard]] std::size_t applied(std::size_t node) const { return nodes_[node].applied; }
  [[nodiscard]] etcd::MembersAnswer::Member const& member(std::size_t node) const { return nodes_[node].member; }
  [[nodiscard]] std::string const& version() const { return options_.version; }
  [[nodiscard]] EtcdStore& store() { return store_; }
  [[nodiscard]] EtcdStore const& store() const { return store_; }
  [[nodiscard]] Counts const& counts() const { return counts_; }

 private:
  struct Node {
    etcd::MembersAnswer::Member member;
    bool is_alive{true};
    std::uint64_t life{0};              // what was planned in an earlier one does not happen
    std::uint64_t term{0};              // the highest that it has seen
    bool leads{false};                  // as it believes
    std::optional<std::size_t> leader;  // as it believes
    std::vector<Proposal> log;
    std::size_t synced{0};             // of a leader's log
    std::size_t decided{0};            // of a leader's log
    std::vector<std::size_t> matched;  // by a leader: how much of its log each member has
    std::size_t applied{0};
    EtcdView view;
    std::vector<Proposal> waiting;  // for a leader
    EtcdStore::Clocks clocks;       // of a deposed leader
    std::uint64_t silence{0};       // counts the times without a leader, or of a leader without a majority
    bool is_silent{false};
    std::int64_t votes_from_us{0};  // it promised its leader not to vote for another one before
    bool is_called{false};          // a leader's message is on its way
  };

  Proposal propose(std::size_t node, Entry::Kind kind);
  Proposal add(Entry entry);
  void forward(std::size_t node, Proposal proposal);
  void append(std::size_t leader, Proposal proposal);
  void send(std::size_t leader, std::size_t to);
  void take(std::size_t leader, std::uint64_t term, std::size_t at, std::size_t upto, std::size_t decided);
  void decide(std::size_t leader);
  void apply(std::size_t node, std::size_t upto);
  void apply_first(std::size_t leader, Proposal proposal);
  void lose(Proposal proposal);
  void lose_older(std::uint64_t term);
  void follow(std::size_t node, std::size_t leader);
  void step_down(std::size_t node);
  // After every change of members, links or leaders: who must do something after some time?
  void review();
  void call(std::size_t leader, std::size_t node);
  void await_election(std::size_t node);
  [[nodiscard]] bool hears_leader(std::size_t node) const;
  // A link alone is not enough: who follows it has promised not to vote for others, and that is what its leases rely
  // on.
  [[nodiscard]] bool leads_majority(std::size_t node) const;
  [[nodiscard]] bool reaches_majority(std::size_t node, std::uint64_t term_most) const;
  [[nodiscard]] bool is_newer(Node const& one, Node const& other) const;
  [[nodiscard]] bool campaign(std::size_t node, bool is_forced);
  void win(std::size_t node, std::uint64_t term);
  void revoke_late(std::size_t node);
  void watch_leases();
  void end_leases();
  [[nodiscard]] bool runs(std::size_t node, std::uint64_t life) const {
    return nodes_[node].is_alive && nodes_[node].life == life;
  }

  EtcdNodeOptions options_;
  EtcdAgenda& agenda_;
  EtcdChance& chance_;
  Listener& listener_;
  EtcdStore store_;
  std::vector<Node> nodes_;
  std::vector<bool> links_;
  std::deque<Entry> entries_;
  std::vector<Proposal> history_;       // as decided
  std::vector<Proposal> open_;          // in a log and not decided
  std::optional<std::size_t> primary_;  // whose clocks of leases run
  std::int64_t lease_look_us_{kNeverUs};
  std::int64_t forgotten_{-1};
  Counts counts_;
};

}  // namespace fastjournal::sim
