// The client of a real etcd cluster. It lives on the loop of its owner: connections are env::Network's, and the owner
// passes on what concerns them. Nothing waits, and there is no clock inside.
//
// Connections. One is in use, to one member. When it is lost, does not answer a ping, or its member knows of no leader,
// the next endpoint is tried: at once if it had served for a while, else after a wait of 100 ms up to 1 s (always 100
// ms while there is no leader: an election takes about a second). A new connection looks at the member first: one of an
// unsafe version (wire.h), of another cluster, without a leader, or that is a learner is not used. Where a member says
// that it takes no more calls (GOAWAY), those under way may end, and new ones go to the next member.
//
// Revisions. They never go back in a cluster, so an answer with an earlier one than was known when its request was sent is
// of a cluster that was restored from a snapshot, or that lost what it had acknowledged: its history is not the one that
// this client's user knows. It is `unknown`, and this client is of no use from then on. A restored cluster has the id that
// it had unless it got another token.
//
// Requests. Those that come while there is no connection wait for one until their timeout, up to waiting_bytes_max of
// them. Each is given to one connection once; the client does not try again, but for a request that was certainly not
// done because a token was over. What is not known is `unknown` (channel.h and wire.h say how that is decided).
//
// Leaders. A change that a member passed on to a leader which died is lost, and the member says so after 7 s. So when
// no request was answered for a while, the member is asked for its leader: without one it is left, and if there is
// another one, requests that were sent before are `unknown` at once. Each member answers that by itself; of one that says
// nothing the network is gone, and it is left before the lease of an owner ends.
//
// Watches. Each has a stream of its own: the end of one, or a slow reader of one, is no matter of the others, and
// etcd's numbers of watches are not needed. Over lost connections WatchReader goes on where it stood.
//
// Leases. A renewal is a stream in etcd; here each is a call with one request and one answer, so that a slow one holds
// up no other, and each has its own timeout and error.
//
// Time. tick() is called once a turn, after all input of the turn was passed on; timeouts begin with the tick, or the
// end of the turn, that follows. So bytes that arrived while this process did not run are read before anything is late.
//
// TLS is the network's (env::ConnectOptions): a connection is opened when the member has shown a good certificate and
// agreed to speak "h2". The client's own certificate belongs to the number that is given with it; users and passwords
// are something else, and may come with both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env/dialer.h"
#include "base/env/network.h"
#include "fastjournal/status.h"
#include "fastjournal/types.h"
#include "log/etcd/client/channel.h"
#include "log/etcd/client/cluster.h"
#include "log/etcd/client/watch_reader.h"
#include "log/etcd/client/wire.h"

namespace fastjournal::etcd {

struct ClientOptions {
  std::vector<std::string> endpoints{};  // as env::Address; at least one
  bool tls{false};
  std::uint32_t certificates{0};  // env::ConnectOptions::certificates
  std::string server_name{};      // that the members' certificates are for; empty: the host of each endpoint
  std::string user{};             // empty: no authentication
  std::string password{};
  std::size_t requests_max{65'536};                       // without an answer; more are `unavailable`
  std::size_t request_bytes_max{std::size_t{16} << 20U};  // of one; larger ones are refused
  std::size_t waiting_bytes_max{std::size_t{16} << 20U};  // of requests that wait for a connection
  std::size_t untaken_bytes_max{std::size_t{16} << 20U};  // of answers and news; beyond that nothing is read
  std::size_t watches_max{1024};                          // more are refused
  std::size_t message_bytes_max{std::size_t{64} << 20U};  // of one answer
};

struct ClientCounters {
  std::uint64_t connected{0};  // connections that came into use
  std::uint64_t lost{0};       // of these
  std::uint64_t failed{0};     // attempts
  std::uint64_t sent{0};       // requests given to a connection
  std::uint64_t done{0};       // answers, by outcome
  std::uint64_t refused{0};
  std::uint64_t unavailable{0};
  std::uint64_t unknown{0};
};

class Client final : public Cluster, public env::Dialer {
 public:
  // `network` outlives it.
  Client(env::Network& network, ClientOptions options);
  // Closes its connections.
  ~Client();
  Client(Client const&) = delete;
  Client& operator=(Client const&) = delete;

  RequestId send(Request request, std::int64_t timeout_us) override;
  [[nodiscard]] std::vector<Answer> take_answers() override;
  WatchId watch(WatchWish wish) override;
  void unwatch(WatchId id) override;
  [[nodiscard]] std::vector<WatchNews> take_news() override;

  // From the network, passed on by the owner; true if the connection is one of its.
  bool opened(ConnectionId id) override;
  bool received(ConnectionId id, std::string_view bytes) override;
  bool writable(ConnectionId id) override;
  // The end of its input (NetworkHandler::on_end_of_input): the member is gone.
  bool ended(ConnectionId id) override;
  bool closed(ConnectionId id, std::string_view reason) override;
  // Once a turn, then end_turn(): whatever is late ends, whatever is due begins.
  void tick(std::int64_t now_us) override;
  // The next date at which tick has work; INT64_MAX: none.
  [[nodiscard]] std::int64_t next_us() const override;
  // Sends what is pending.
  void end_turn() override;

  // For people: ok with a connection in use; else why there is none.
  [[nodiscard]] Status const& state() const { return state_; }
  // Of the connection in use; empty without one.
  [[nodiscard]] std::string_view endpoint() const;
  [[nodiscard]] std::string_view version() const { return version_; }
  [[nodiscard]] ClientCounters const& counters() const { return counters_; }

  static constexpr std::int64_t kSetupLimitUs = 2'000'000;  // from connect to the first request
  static constexpr std::int64_t kDrainLimitUs = 1'000'000;  // for calls under way, after GOAWAY
  // etcd takes more than one ping in 5 s for an attack.
  static constexpr std::int64_t kPingGapUs = 5'500'000;
  static constexpr std::int64_t kPingLimitUs = 1'500'000;
  static constexpr std::int64_t kQuietUs = 200'000;      // then the member is asked for its leader
  static constexpr std::int64_t kSilenceUs = 500'000;    // of a member that was asked; then it is left
  static constexpr std::int64_t kHealthyUs = 1'000'000;  // a connection that served so long was a good one
  static constexpr std::int64_t kWaitMinUs = 100'000;
  static constexpr std::int64_t kWaitMaxUs = 1'000'000;
  // Of a request, or of a watch in a row: if none of so many new tokens helps, it is not for their age.
  static constexpr unsigned kTokensMax = 2;

 private:
  enum class Phase : std::uint8_t { connecting, looking, authenticating, ready, draining };
  // A date that the next tick sets.
  static constexpr std::int64_t kNotSet = INT64_MIN;

  struct Link {
    Link(ConnectionId connection, std::string address, ChannelOptions options)
        : id(connection), endpoint(std::move(address)), channel(std::move(options)) {}

    ConnectionId id;
    std::string endpoint;
    Channel channel;
    Phase phase{Phase::connecting};
    std::int64_t begun_us{kNotSet};  // setup; of `draining` that
    std::int64_t ready_us{kNotSet};
    std::int64_t heard_us{kNotSet};
    std::int64_t pinged_us{kNotSet};
    bool has_heard{false};  // since the last tick
    bool is_ping_out{false};
    bool is_full{false};  // on_writable follows
    bool is_gone{false};  // the network knows it no more
    bool has_no_leader{false};
    // The look at the member, an authentication, or a look again (ask_for_leader).
    CallId setup{CallId::none};
    std::string setup_answer{};
    std::uint64_t term{0};           // the newest that is known
    bool has_answered{false};        // a request, since the last tick
    std::int64_t quiet_us{kNotSet};  // since then requests are under way, and none was answered
    std::int64_t asked_us{kNotSet};  // for the leader
    std::map<CallId, RequestId> requests{};
    std::map<CallId, WatchId> watches{};
    Status failure{};  // not ok: it is to be ended
  };

  struct Pending {
    wire::Encoded request{};  // the message is empty once it is sent, but where a token may be over
    std::int64_t timeout_us{0};
    std::int64_t deadline_us{kNotSet};
    Link* link{nullptr};  // null: it waits
    CallId call{CallId::none};
    std::uint64_t token{0};    // the number of the one it was sent with
    std::int64_t revision{0};  // the newest that was known when it was sent
    unsigned tokens_tried{0};
    std::size_t answers{0};
    std::string answer{};
  };

  struct Watching {
    explicit Watching(WatchReader from) : reader(std::move(from)) {}
    WatchReader reader;
    CallId call{CallId::none};
    std::int64_t due_us{0};  // to begin again
    std::int64_t wait_us{0};
    unsigned tokens_tried{0};
  };

  // client.cpp: requests
  void stamp();
  // False: it was answered.
  bool give(RequestId id, Pending& pending);
  void let_wait(RequestId id, Pending& pending);
  void take_request_end(Link& link, RequestId id, CallEnd const& end);
  void expire(RequestId id);
  void give_up(RequestId id, std::string const& why);
  void answer(RequestId id, Answer answer);
  // False: the cluster went back.
  bool note_revision(Link& link, Pending const& pending, Header const& header);
  void answer(RequestId id, Outcome outcome, Refusal refusal, std::string why);
  void answer_untold(RequestId id, Outcome outcome, Refusal refusal, std::string why);
  void count(Outcome outcome);
  [[nodiscard]] bool has_credentials() const { return !options_.user.empty(); }

  // client_links.cpp: connections
  [[nodiscard]] Link* find(ConnectionId id);
  void connect();
  void take_events(Link& link);
  void take_setup_answer(Link& link, CallEnd const& end);
  void take_member(Link& link);
  void ask_for_leader(Link& link);
  void take_leader(Link& link, CallId asked, CallEnd const& end);
  void take_token(Link& link, CallEnd const& end);
  void authenticate(Link& link);
  void use(Link& link);
  // Ends the link if it failed; it may be gone afterwards.
  void settle(Link& link);
  void drain();
  void end(std::unique_ptr<Link>& link);
  void fail(Link& link, Code code, std::string_view why) const;
  void watch_over(Link& link);
  void flush(Link& link);
  void wait_us(std::int64_t us);
  void hold_back();
  [[nodiscard]] std::int64_t next_us(Link const& link) const;
  [[nodiscard]] std::int64_t ping_us(Link const& link) const;
  [[nodiscard]] std::int64_t ask_us(Link const& link) const;
  [[nodiscard]] std::int64_t silence_us(Link const& link) const;

  // client_watches.cpp: watches
  void begin_watches();
  void begin_watch(WatchId id, Watching& watching);
  void take_watch_message(Link& link, WatchId id, std::string_view message);
  void take_watch_end(Link& link, WatchId id, CallEnd const& end);
  void begin_again(Watching& watching);
  void need_token(Link& link, WatchId id, std::string why);
  void tell(WatchNews news);

  env::Network& network_;
  ClientOptions options_;
  std::int64_t now_us_{0};
  bool has_ticked_{false};

  std::unique_ptr<Link> link_;   // in use, or in setup
  std::unique_ptr<Link> drain_;  // goes on with its calls
  std::size_t next_endpoint_{0};
  std::int64_t wait_us_{0};           // before the next attempt
  std::int64_t attempt_us_{kNotSet};  // its date
  std::uint64_t cluster_{0};          // of the first member; 0: not known so far
  std::int64_t revision_{0};          // the newest that was told
  std::string went_back_;             // not empty: why no member is used any more
  Status state_{Code::unavailable, "not connected so far"};
  std::string version_;
  std::string token_;
  std::uint64_t token_number_{0};
  bool is_token_over_{false};  // another is to be asked for

  RequestId last_request_{0};
  std::map<RequestId, Pending> requests_;
  std::set<RequestId> waiting_;  // not given to a connection
  std::size_t waiting_bytes_{0};
  std::vector<RequestId> not_stamped_;
  std::set<std::pair<std::int64_t, RequestId>> deadlines_;
  std::vector<Answer> answers_;
  std::size_t answer_bytes_{0};

  WatchId last_watch_{0};
  std::map<WatchId, Watching> watches_;
  std::vector<WatchNews> news_;
  std::size_t news_bytes_{0};
  bool is_reading_paused_{false};

  ClientCounters counters_;
};

}  // namespace fastjournal::etcd
