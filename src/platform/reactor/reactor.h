// The daemon's network: one libevent loop, plain events, our own buffers. The only door to libevent; the simulator's
// network is the other implementation of env::Network.
//
// One thread makes all calls, including run(); only stop() and wake() may be called from another thread. A turn looks
// for readable sockets once, or twice with `gather`; then it tells the handler that its date has come, and that the
// turn ends.
//
// A slow or broken peer does not affect other peers: the reads, accepts and bytes of a turn are bounded, and bytes that
// the kernel does not take stay with the handler until on_writable.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/network.h"
#include "platform/reactor/listening_socket.h"
#include "platform/reactor/local_datagram_socket.h"
#include "platform/reactor/posix.h"
#include "platform/tls/context.h"

struct event;
struct event_base;

namespace fastjournal::reactor {

struct ReactorOptions {
  // One more non-blocking look for readable sockets before the turn ends, if it can find any, so that one sync covers
  // more commands.
  bool gather{true};
  std::size_t read_bytes_max{256U << 10U};       // per connection and look
  std::size_t turn_bytes_max{4U << 20U};         // of all connections; the others are read first in the next turn
  std::uint32_t accepts_max{64};                 // per listening socket and look
  std::size_t connections_max{0};                // 0: the limit of open files minus the daemon's own need
  std::size_t connections_reserved{0};           // the last ones, for reserved listeners; at most a quarter
  std::uint32_t handshakes_max{256};             // of TLS under way; more wait in the kernel's queue
  std::uint32_t handshakes_per_origin_max{128};  // more are accepted and wait
  std::uint32_t handshakes_waiting_max{1024};    // of these; more are closed
  std::uint32_t handshake_steps_max{8};          // per turn: each may cost a millisecond of the processor
  std::int64_t handshake_limit_us{10'000'000};   // of one; then it is ended. Of our own with the connecting before it
  // Of a connection that was closed before its peer had sent everything: what still comes is read and dropped, up to any
  // of these, so that the peer gets what it was told last.
  std::uint64_t linger_bytes_max{64U << 20U};
  std::int64_t linger_us{30'000'000};
  std::int64_t linger_quiet_us{2'000'000};  // without a byte
  std::size_t lingering_max{256};           // more: the oldest one ends
  // A descriptor that becomes readable when the wall clock is set. Tests use their own, as they may not set the clock.
  std::function<Result<UniqueFd>()> watch_clock{&watch_wall_clock};
  std::function<void(std::string_view)> warn{};  // for the administrator; few lines
};

struct ReactorCounters {
  std::uint64_t turns{0};
  std::uint64_t looks{0};  // for readable sockets; more than two per turn: something wakes the loop in vain
  std::uint64_t accepted{0};
  std::uint64_t refused{0};             // for lack of a descriptor
  std::uint64_t not_allowed{0};         // connections and datagrams of users whom the listener's list does not name
  std::uint64_t handshakes{0};          // of TLS that were completed, with peers who came here
  std::uint64_t handshakes_resumed{0};  // of these, without certificates
  std::uint64_t handshakes_failed{0};   // the peer's certificate, version, protocol, or its end
  std::uint64_t handshakes_late{0};     // ended because they took too long
  std::uint64_t handshakes_plain{0};    // the peer spoke no TLS
};

// A listener that speaks TLS.
struct TlsListening {
  std::shared_ptr<tls::ServerContext const> context;
  std::string plain_refusal;  // the message to peers that do not speak TLS
};

class Reactor final : public env::Network {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reactor>> create(ReactorOptions options);
  // Closes every connection without telling the handler.
  ~Reactor() override;
  Reactor(Reactor const&) = delete;
  Reactor& operator=(Reactor const&) = delete;

  // Once, before run; borrowed. Not an argument of create, because the handler is made after its network.
  void set_handler(env::NetworkHandler& handler) { handler_ = &handler; }
  // The action runs in the loop, between calls of the handler, not as a signal handler; on_turn_end follows. Only one
  // reactor per process may handle signals.
  [[nodiscard]] Status on_signal(int number, std::function<void()> action);
  // The action runs in the loop again and again, each time after this interval, between calls of the handler;
  // on_turn_end follows. Not exact: for what is to be seen now and then.
  [[nodiscard]] Status on_interval(std::int64_t interval_us, std::function<void()> action);
  // The action runs in the loop whenever there is something to read, between calls of the handler; on_turn_end follows.
  // The descriptor stays its owner's, and open as long as the loop runs.
  [[nodiscard]] Status on_readable(int fd, std::function<void()> action);
  // Runs turns until stop(). An error means that the loop itself is broken.
  [[nodiscard]] Status run();
  // From any thread, also before run. The current turn is completed.
  void stop();
  // From any thread: requests a turn at once.
  void wake();

  // Whether listen would succeed now, for callers with long work to do before they listen.
  [[nodiscard]] static Status can_listen(env::Address const& address);
  // The same for receive_local_datagrams.
  [[nodiscard]] static Status can_receive_local_datagrams(env::Address const& address);
  // Takes a descriptor that listens already, opened by whoever started this process: listeners at its address use it,
  // now or later. Returns its address. `name`: what it is called where it is refused.
  [[nodiscard]] Result<env::Address> adopt(int fd, std::string const& name);
  [[nodiscard]] Result<env::Address> listen(env::Address const& address, env::ListenOptions const& options) override;
  // Its connections are opened for the handler when their handshake is done.
  [[nodiscard]] Result<env::Address> listen(env::Address const& address, env::ListenOptions const& options,
                                            TlsListening tls);
  // Handshakes of its connections that are not done end, too.
  void stop_listening(std::uint32_t number) override;
  // For connections accepted from now on, by each listener of this number; it speaks TLS already.
  void use_certificates(std::uint32_t listener, std::shared_ptr<tls::ServerContext const> context);
  // For connections that are made from now on with this number (ConnectOptions::certificates); they name their targets
  // themselves. Null: there are none of this number any more.
  void use_client_certificates(std::uint32_t number, std::shared_ptr<tls::ClientContext> context);
  // With TLS also not ok if there are no certificates of this number, or the name is none.
  [[nodiscard]] Result<ConnectionId> connect(env::Address const& address, env::ConnectOptions const& options) override;
  // After the peer is gone, send accepts and drops all bytes: input received before is still read, and on_closed
  // follows.
  [[nodiscard]] std::size_t send(ConnectionId id, std::string_view bytes) override;
  [[nodiscard]] Result<std::size_t> send_file(ConnectionId id, env::File& file, std::uint64_t offset,
                                              std::uint64_t bytes) override;
  [[nodiscard]] Result<std::size_t> send_with_descriptor(ConnectionId id, std::string_view bytes,
                                                         env::File& file) override;
  void end_output(ConnectionId id) override;
  void pause_reading(ConnectionId id, bool paused) override;
  void close(ConnectionId id) override;
  [[nodiscard]] Result<ConnectionId> open_datagrams_to(env::DatagramAddress const& address) override;
  [[nodiscard]] Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const& address) override;
  [[nodiscard]] bool send_datagram(ConnectionId id, std::string_view bytes) override;
  [[nodiscard]] Result<env::DatagramSocket> receive_local_datagrams(env::Address const& address,
                                                                    env::ListenOptions const& options) override;
  [[nodiscard]] bool send_local_datagram(ConnectionId id, std::string_view to, std::string_view bytes) override;
  void close_datagrams(ConnectionId id) override;
  void wake_at(std::int64_t monotonic_us) override { wake_us_ = monotonic_us; }
  void turn_again() override { again_ = true; }

  [[nodiscard]] std::size_t connections() const { return open_; }
  // The limit for listeners that are not reserved.
  [[nodiscard]] std::size_t connections_max() const { return options_.connections_max - options_.connections_reserved; }
  // Closed ones whose peers may still send.
  [[nodiscard]] std::size_t lingering() const { return lingering_.size(); }
  [[nodiscard]] std::size_t handshakes_under_way() const { return handshakes_.size(); }
  [[nodiscard]] ReactorCounters const& counters() const { return counters_; }

 private:
  struct Connection;
  struct Listener;
  struct Datagrams;
  struct LocalDatagrams;
  struct Action;
  struct Secure;
  struct Waiting;
  struct Lingering;
  struct EventDeleter {
    void operator()(event* one) const;
  };
  struct BaseDeleter {
    void operator()(event_base* base) const;
  };
  using Event = std::unique_ptr<event, EventDeleter>;

  explicit Reactor(ReactorOptions options);
  [[nodiscard]] Status open();
  [[nodiscard]] Status watch_clock();
  [[nodiscard]] Status add_action(int number, short what, std::int64_t interval_us, std::function<void()> action);
  [[nodiscard]] Status make_event(int fd, void (*call)(int, short, void*), Event& out);

  // A turn and its parts.
  [[nodiscard]] Status turn();
  [[nodiscard]] Status look(bool wait);
  [[nodiscard]] bool gathering_may_help() const;
  void arm_timer();
  void fire_timer();
  void tell_ended();
  void read_postponed();

  [[nodiscard]] ConnectionId next_datagram_id();
  [[nodiscard]] Result<std::shared_ptr<LocalDatagramSocket>> local_socket_at(env::Address const& address,
                                                                             mode_t unix_mode) const;
  void stop_local_datagrams(std::uint32_t number);

  // Callbacks of events.
  void on_datagrams(Datagrams& datagrams);
  void on_local_datagrams(LocalDatagrams& datagrams);
  void on_acceptable(Listener& listener);
  void on_readable(Connection& connection);
  void on_writable(Connection& connection);
  void on_connected(Connection& connection);
  void on_change_after_input(Connection& connection);

  // Accepting.
  [[nodiscard]] Status prepare_accepting();
  void open_connection(Listener const& listener, UniqueFd fd, SocketAddress const& peer);
  void assign(Connection& connection, UniqueFd fd);
  [[nodiscard]] Connection& take_slot();
  void refuse(Listener& listener, int error);
  void refuse_not_allowed(Listener const& listener, UniqueFd fd, SocketAddress const& peer);
  void warn_of_not_allowed(std::string_view peer, std::string const& address);
  [[nodiscard]] bool is_full(Listener const& listener);
  void pause_accepting(Listener& listener);
  void resume_accepting();
  void warn_of_refusal(int error);
  void warn(std::string_view text) const;

  // Connections.
  [[nodiscard]] Connection* find(ConnectionId id);
  void deliver(ConnectionId id, std::size_t bytes);
  void end_input(Connection& connection);
  void end_later(Connection& connection);
  void end(Connection& connection, int error);
  void end(Connection& connection, std::string_view reason);
  void release(Connection& connection);

  // Closed ones whose peers may still send: lingering.cpp.
  void linger(UniqueFd fd);
  void on_lingering(Lingering& one);
  void end_lingering();
  void arm_lingering();
  [[nodiscard]] bool make_room_by_lingering();

  // Output: output.cpp.
  [[nodiscard]] static bool is_full(Connection const& connection);
  void wait_until_writable(Connection& connection);
  void fail_output(Connection& connection, int error);
  [[nodiscard]] Result<std::size_t> send_by_reading(Connection& connection, env::File& file, std::uint64_t offset,
                                                    std::size_t bytes);

  // Connections with TLS: tls.cpp.
  [[nodiscard]] Result<std::shared_ptr<ListeningSocket>> socket_at(env::Address const& address, mode_t unix_mode) const;
  [[nodiscard]] Status prepare_handshakes();
  void begin_handshake(Listener const& listener, UniqueFd fd, PeerName peer);
  [[nodiscard]] Result<std::unique_ptr<Secure>> secure_for(env::Address const& address,
                                                           env::ConnectOptions const& options, int fd) const;
  void begin_own_handshake(Connection& connection, std::unique_ptr<Secure> secure);
  void finish_own_handshake(Connection& connection);
  void end_late_handshakes_of_our_own(std::int64_t now_us);
  void shake_hands(Connection& connection);
  [[nodiscard]] bool speaks_tls(Connection& connection);
  void finish_handshake(Connection& connection);
  void refuse_handshake(Connection& connection, std::uint64_t& counter, std::string_view why);
  void end_late_handshakes();
  void end_handshakes_of(Listener const& listener);
  void arm_handshake_limit();
  [[nodiscard]] bool has_its_share(std::string const& origin) const;
  void let_wait(Listener const& listener, UniqueFd fd, PeerName peer);
  void begin_waiting_handshakes();
  void end_handshake(Secure& secure);
  [[nodiscard]] bool make_room_for_handshake();
  [[nodiscard]] bool make_room_for_handshake(std::string_view origin, std::int64_t now_us);
  void warn_of_handshake(std::string_view peer, std::string_view why);
  void on_secure_readable(Connection& connection);
  void on_secure_writable(Connection& connection);
  void take_secure_end(Connection& connection);
  [[nodiscard]] std::size_t send_secure(Connection& connection, std::string_view bytes);
  void end_secure_output(Connection& connection);
  void fail_secure_output(Connection& connection);
  void read_later(Connection& connection);

  ReactorOptions options_;
  env::NetworkHandler* handler_{nullptr};
  std::unique_ptr<event_base, BaseDeleter> base_;
  ReactorCounters counters_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> woken_{false};

  UniqueFd stop_fd_;
  Event stop_event_;

  UniqueFd clock_fd_;
  Event clock_event_;

  UniqueFd timer_fd_;
  Event timer_event_;
  std::int64_t wake_us_{INT64_MAX};   // the requested date
  std::int64_t armed_us_{INT64_MAX};  // the date of the kernel's timer, never later than wake_us_ while waiting

  std::vector<std::unique_ptr<Listener>> listeners_;
  std::map<std::uint32_t, std::shared_ptr<tls::ClientContext>> client_certificates_;  // by their number
  std::vector<std::shared_ptr<ListeningSocket>> adopted_;
  std::map<ConnectionId, std::unique_ptr<Datagrams>> datagrams_;
  std::map<ConnectionId, std::unique_ptr<LocalDatagrams>> local_datagrams_;
  std::uint64_t datagram_ids_{0};
  Event resume_event_;
  UniqueFd reserve_fd_;  // closed for a moment to refuse a peer when there is no other descriptor
  std::int64_t warned_us_{INT64_MIN};
  std::int64_t not_allowed_warned_us_{INT64_MIN};

  // By slot; the objects keep their addresses, which libevent stores.
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t open_{0};

  std::vector<std::unique_ptr<Action>> actions_;
  std::unique_ptr<char[]> buffer_;

  std::list<std::unique_ptr<Lingering>> lingering_;  // the oldest first
  Event lingering_event_;                            // looks at them

  std::list<ConnectionId> handshakes_;                               // under way, the oldest first
  std::map<std::string, std::uint32_t, std::less<>> handshakes_of_;  // their number, by origin
  std::list<ConnectionId> own_handshakes_;                           // of connections made here, the oldest first
  std::list<Waiting> waiting_;                                       // to begin theirs, the oldest first
  Event handshake_event_;                                            // the oldest one's limit
  std::uint32_t handshake_steps_{0};                                 // of this turn
  std::int64_t handshake_warned_us_{INT64_MIN};

  bool again_{false};
  bool active_{false};  // this turn had any event
  std::size_t turn_bytes_{0};
  std::size_t turn_reads_{0};
  std::vector<ConnectionId> postponed_;  // readable, but the turn was full
  std::vector<ConnectionId> ended_;      // their end was noticed inside a call of the handler
  std::vector<ConnectionId> swap_;
};

}  // namespace fastjournal::reactor
