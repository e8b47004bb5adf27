// A simulated etcd cluster and its clients, for log engines on etcd: EtcdCluster has the members and the time, an
// EtcdSession is what one daemon holds, an etcd::Cluster like the client of a real one. Everything follows from the
// seed, or from a Chooser that returns each draw, and from the time that the test lets pass with advance() or step().
//
// What members agree on is in sim_etcd_store.h, how they agree in sim_etcd_nodes.h, each with its faults. Those between
// a daemon and its member, with their fields in EtcdFaults where a weight decides:
//
//   lost request         request_lost: never arrives; `unknown` after the time-out.
//   late request         request_late: arrives up to `late` later, and may be carried out long after `unknown`.
//   refused request      request_refused: the member is too busy; `unavailable` at once, and not done.
//   lost answer          answer_lost: done, and `unknown` after the time-out.
//   reset                reset, reset(): the connection breaks. Everything under way is `unknown` at once; what has not
//                        arrived still does, or not. The next connection is to any member.
//   no connection        not_connected_told: `unavailable` at once; otherwise it waits for one until its time-out.
//   no leader            no_leader_told: the member says `unavailable`; otherwise the request waits until a time-out.
//   interrupted read     read_interrupted: a read during a change of leader is `unavailable`; otherwise it waits.
//   cut link             session_cut, cut_off(): nothing passes between a daemon and a member. What was sent arrives
//                        when the link is back, unless one side has given the connection up (`silence`).
//   slow watch           watch_slow: events come later, several revisions at once; `compacted` if a compaction was
//                        faster.
//   progress             watch_progress: a watch is told that nothing happened.
//   stopped process      stop(), resume(): takes nothing meanwhile. Answers and time-outs that were due are taken in
//                        either order. Its connection may have been given up.
//   gone process         the session is destroyed. What it had sent is still carried out, or not.
//   no rights            forbid(): everything is refused with `not_allowed`.
//
// Those of members, each tick of 100 ms: member_killed, members_cut (a pair, or one member from all others),
// handed_over. They end after `outage`, and may undo then what a test did by hand. Leaders have more than their share.
// Each fault that occurs is counted, so that a test can see that its lives had it.
//
// Watches have no gaps and no doubles, also over resets, and tell whole revisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/etcd/client/cluster.h"
#include "tests/sim/sim_etcd_agenda.h"
#include "tests/sim/sim_etcd_nodes.h"
#include "tests/sim/sim_etcd_store.h"

namespace fastjournal::sim {

// Weights in thousandths. 0: never.
struct EtcdFaults {
  // Of requests, or of answers.
  std::uint32_t request_lost{0};
  std::uint32_t request_late{0};
  std::uint32_t request_refused{0};
  std::uint32_t answer_lost{0};
  std::uint32_t reset{0};
  // Of requests that meet this.
  std::uint32_t not_connected_told{500};
  std::uint32_t no_leader_told{500};
  std::uint32_t read_interrupted{500};
  // Of revisions that a watch is to be told of, and of those that do not concern it.
  std::uint32_t watch_slow{0};
  std::uint32_t watch_progress{0};
  // Of ticks.
  std::uint32_t member_killed{0};
  std::uint32_t members_cut{0};
  std::uint32_t session_cut{0};
  std::uint32_t handed_over{0};
  // Of changes of leader. It breaks etcd's promise of leases.
  std::uint32_t late_revocation{0};

  // All but late_revocation.
  [[nodiscard]] static EtcdFaults all();
};

struct EtcdOptions {
  std::uint64_t seed{1};
  EtcdChance::Chooser chooser{};  // instead of the seed
  std::int64_t now_us{0};
  EtcdLimits limits{};
  EtcdNodeOptions nodes{};
  EtcdFaults faults{};
  EtcdBounds client{200, 2'000};  // a message between daemon and member, one way
  EtcdBounds late{100'000, 8'000'000};
  EtcdBounds outage{300'000, 4'000'000};
  EtcdBounds reconnect{5'000, 500'000};
  EtcdBounds silence{1'000'000, 4'000'000};  // until a connection over a cut link is given up
  EtcdBounds watch_scan{1'000, 100'000};     // until a watch that is behind is told of what it missed
  std::size_t watch_revisions_max{1'000};    // told at once
  std::int64_t member_timeout_us{7'000'000};
};

enum class EtcdFault : std::uint8_t {
  request_lost,
  request_late,
  request_refused,
  answer_lost,
  reset,
  silent_connection,  // given up over a cut link, or since its process was stopped
  not_connected_told,
  no_leader_told,
  read_interrupted,
  member_killed,
  members_cut,
  session_cut,
  handed_over,
  quorum_lost,
  elected,  // a leader
  proposal_lost,
  proposal_survived,   // decided by a later leader than the one that took it
  done_unseen,         // the daemon was told `unknown` afterwards
  done_later,          // the daemon had been told `unknown` before
  never_done,          // the daemon was told `unknown`
  done_for_the_gone,   // the session was gone
  done_without_space,  // and refused all the same
  stale_read,
  lease_ended,
  lease_renewed_by_deposed,
  late_revocation,
  watch_slow,
  watch_several_revisions,
  watch_progress,
  watch_resumed,
  watch_compacted,
  stopped,
  timeout_before_answer,  // the answer had come while the process was stopped, or came later
};
inline constexpr std::size_t kEtcdFaults = 33;
[[nodiscard]] std::string_view name_of(EtcdFault fault);

class EtcdSession;

class EtcdCluster final : private EtcdNodes::Listener {
 public:
  explicit EtcdCluster(EtcdOptions options);
  ~EtcdCluster();
  EtcdCluster(EtcdCluster const&) = delete;
  EtcdCluster& operator=(EtcdCluster const&) = delete;

  // -- time ---------------------------------------------------------------------
  [[nodiscard]] std::int64_t now_us() const { return agenda_.now_us(); }
  // When something happens next; kNeverUs: nothing is planned.
  [[nodiscard]] std::int64_t next_us() const { return agenda_.next_us(); }
  // The time jumps to the next thing, and it happens. False: nothing is planned.
  bool step() { return agenda_.step(); }
  void advance(std::int64_t us) { agenda_.advance_to(now_us() + us); }

  // A daemon connects. The session must not outlive the cluster.
  [[nodiscard]] std::unique_ptr<EtcdSession> connect();

  // -- faults, and what an operator does --------------------------------------------
  void set_faults(EtcdFaults const& faults);
  // No faults by weight any more; all members and links are well.
  void calm();
  void kill(std::size_t node);
  void start(std::size_t node) { nodes_.start(node); }
  void cut(std::size_t one, std::size_t other);
  void join(std::size_t one, std::size_t other) { nodes_.join(one, other); }
  void isolate(std::size_t node);
  void rejoin(std::size_t node);
  bool hand_over(std::size_t node);
  void cut_off(EtcdSession& session, std::size_t node);
  void let_in(EtcdSession& session, std::size_t node);
  // The alarm is over, unless the quota is still used up.
  void disarm();
  void defragment() { nodes_.store().defragment(); }

  // -- looking -------------------------------------------------------------------
  [[nodiscard]] EtcdNodes const& nodes() const { return nodes_; }
  [[nodiscard]] EtcdStore const& store() const { return nodes_.store(); }
  [[nodiscard]] std::uint64_t count(EtcdFault fault) const;
  // "NAME=COUNT" of each, by blanks.
  [[nodiscard]] std::string counts() const;

 private:
  friend class EtcdSession;
  using SessionId = std::uint64_t;
  using CallId = std::uint64_t;

  // A connection: between this session and this member, in this life of it.
  struct Route {
    SessionId session{0};
    std::uint64_t connection{0};
    std::size_t node{0};
    std::uint64_t life{0};
  };
  // A request at its member.
  struct Call {
    Route route{};
    etcd::RequestId request_id{0};
    etcd::Request request{};
    std::int64_t revision{0};                       // when it came
    std::optional<EtcdNodes::Proposal> proposal{};  // a write
    std::optional<std::size_t> read_index{};        // a read that waits for its member
  };
  // A watch at its member.
  struct Watcher {
    Route route{};
    etcd::WatchWish wish{};
    std::int64_t next{0};  // not told yet
    bool is_behind{false};
    bool is_blocked{false};  // its process takes nothing
    std::int64_t arrival_us{0};
  };
  using WatcherKey = std::pair<SessionId, etcd::WatchId>;
  // What became of a write, as far as its daemon was told.
  struct Fate {
    bool is_unknown{false};
    bool is_done{false};
    bool is_lost{false};
  };
  using Inbound = std::function<void(EtcdSession&)>;

  // -- EtcdNodes::Listener
  void applied(std::size_t node, EtcdNodes::Proposal proposal) override;
  void lost(EtcdNodes::Proposal proposal) override;
  void leader_known(std::size_t) override {}
  void leader_gone(std::size_t) override {}

  void note(EtcdFault fault) { ++counts_[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] EtcdSession* session(SessionId id);
  // The session, if this is still its connection.
  [[nodiscard]] EtcdSession* session(Route const& route);
  [[nodiscard]] bool is_alive(Route const& route) const {
    return nodes_.is_alive(route.node) && lives_[route.node] == route.life;
  }
  // Something that a daemon sent comes to its member, unless it does not.
  void outbound(Route const& route, std::function<void()> what);
  // Something that a member sent comes to its daemon.
  void inbound(Route const& route, Inbound what);
  // The daemon learns after a while that its connection is gone.
  void plan_break(Route const& route, std::int64_t after_us);
  // Requests (sim_etcd_requests.cpp)
  void arrive(Call call);
  void propose(CallId id);
  void try_read(CallId id);
  void try_renew(CallId id);
  void read_now(CallId id);
  void respond(CallId id, EtcdResult result);
  void cancel(SessionId id, etcd::RequestId request);
  void told(SessionId id, etcd::RequestId request, etcd::Outcome outcome);
  // Watches (sim_etcd_watches.cpp)
  void create_watch(Route const& route, etcd::WatchId watch, etcd::WatchWish const& wish);
  void tell_watchers(std::size_t node);
  void scan(WatcherKey key, std::uint64_t connection);
  void plan_scan(WatcherKey key, Watcher const& watcher);
  void tell(Watcher& watcher, Inbound what);
  void tell(Watcher& watcher, etcd::WatchNews news);
  void block_watches(SessionId id, bool are_blocked);
  void drop_watches(SessionId id);

  void tick();
  void look_for_quorum();

  EtcdOptions options_;
  EtcdAgenda agenda_;
  EtcdChance chance_;
  EtcdFaults faults_;
  std::map<SessionId, EtcdSession*> sessions_;
  SessionId last_session_{0};
  std::map<CallId, Call> calls_;
  CallId last_call_{0};
  std::map<EtcdNodes::Proposal, CallId> waiting_;
  std::map<EtcdNodes::Proposal, std::pair<SessionId, etcd::RequestId>> writes_;
  std::map<std::pair<SessionId, etcd::RequestId>, Fate> fates_;
  std::map<WatcherKey, Watcher> watchers_;
  std::vector<std::int64_t> told_revisions_;  // by member
  std::vector<std::uint64_t> lives_;          // by member
  bool ticks_{false};
  std::array<std::uint64_t, kEtcdFaults> counts_{};
  EtcdNodes nodes_;
};

class EtcdSession final : public etcd::Cluster {
 public:
  ~EtcdSession();
  EtcdSession(EtcdSession const&) = delete;
  EtcdSession& operator=(EtcdSession const&) = delete;

  // -- etcd::Cluster: not while the process is stopped ---------------------------
  etcd::RequestId send(etcd::Request request, std::int64_t timeout_us) override;
  [[nodiscard]] std::vector<etcd::Answer> take_answers() override;
  etcd::WatchId watch(etcd::WatchWish wish) override;
  void unwatch(etcd::WatchId id) override;
  [[nodiscard]] std::vector<etcd::WatchNews> take_news() override;

  // -- faults --------------------------------------------------------------------
  void stop();
  void resume();
  // Its connection breaks, if there is one.
  void reset();
  void forbid(bool is_forbidden) { is_forbidden_ = is_forbidden; }

  // -- looking -------------------------------------------------------------------
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  [[nodiscard]] bool is_connected() const { return node_.has_value(); }
  // The member that it is connected to.
  [[nodiscard]] std::optional<std::size_t> node() const { return node_; }

 private:
  friend class EtcdCluster;
  struct Pending {
    etcd::Request request{};
    std::uint64_t connection{0};  // that it was sent over; 0: not sent
  };
  struct Watch {
    etcd::WatchWish wish{};
    std::int64_t next{0};  // to be told; 0: the member has not said yet
  };

  EtcdSession(EtcdCluster& cluster, std::uint64_t id);
  void plan_connection();
  void try_to_connect();
  void break_connection();
  void transmit(etcd::RequestId id);
  void create(etcd::WatchId id);
  // The process sees it, at once or when it goes on.
  void notice(std::function<void()> what);
  void time_out(etcd::RequestId id);
  void complete(etcd::RequestId id, etcd::Answer answer);
  void fail(etcd::RequestId id, etcd::Outcome outcome, std::string why);
  void take(etcd::WatchNews news);
  // What waited for the link goes on.
  void release();
  [[nodiscard]] EtcdCluster::Route route() const { return {id_, connection_, *node_, life_}; }

  EtcdCluster& cluster_;
  std::uint64_t id_;
  std::uint64_t connection_{1};      // counts them
  std::optional<std::size_t> node_;  // nothing: there is no connection
  std::uint64_t life_{0};            // of the member
  std::vector<bool> links_;
  std::uint64_t cuts_{0};
  std::vector<std::function<void()>> held_out_;
  std::vector<EtcdCluster::Inbound> held_in_;
  std::map<etcd::RequestId, Pending> pending_;
  etcd::RequestId last_request_{0};
  std::vector<etcd::Answer> answers_;
  std::map<etcd::WatchId, Watch> watches_;
  etcd::WatchId last_watch_{0};
  std::vector<etcd::WatchNews> news_;
  bool is_forbidden_{false};
  bool is_stopped_{false};
  std::uint64_t stops_{0};
  std::deque<std::function<void()>> inbox_;  // of a stopped process
  std::vector<etcd::RequestId> overdue_;     // the same
};

}  // namespace fastjournal::sim
