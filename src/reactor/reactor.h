// The network of the daemon: one libevent loop, plain events, our own buffers.
// The only door to libevent; the simulator's network is the other
// implementation of env::Network.
//
// One thread makes all calls, run() included; only stop() and wake() may come from
// another. A turn looks for readable sockets once, or twice with `gather`,
// then tells the handler that its date has come and that the turn ends.
//
// A slow or broken peer costs no other peer anything: reads, accepts and the
// bytes of a turn are bounded, and what the kernel does not take stays with
// the handler until on_writable.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/network.h"
#include "reactor/listening_socket.h"
#include "reactor/posix.h"

struct event;
struct event_base;

namespace fastjournal::reactor {

struct ReactorOptions {
  // One more non-blocking look for readable sockets before the turn ends, where
  // it can find any, so that one sync carries more commands.
  bool gather{true};
  std::size_t read_bytes_max{256U << 10U};  // of one connection in one look
  std::size_t turn_bytes_max{4U << 20U};    // of all: who comes too late is read first in the next turn
  std::uint32_t accepts_max{64};            // of one listening socket in one look
  std::size_t connections_max{0};           // 0: the limit of open files less what the daemon itself needs
  std::size_t connections_reserved{0};      // the last of them; no more than a quarter
  std::string refusal{};                    // said to those for whom there is none left
  // A descriptor that is readable once the clock of the wall was set. Tests have their own: nobody may set a clock.
  std::function<Result<UniqueFd>()> watch_clock{&watch_wall_clock};
  std::function<void(std::string_view)> warn{};  // what an administrator should read; few lines
};

struct ReactorCounters {
  std::uint64_t turns{0};
  std::uint64_t looks{0};  // for readable sockets; more than two a turn: something wakes the loop for nothing
  std::uint64_t accepted{0};
  std::uint64_t refused{0};  // there was no descriptor for them
};

class Reactor final : public env::Network {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reactor>> create(ReactorOptions options);
  // Closes every connection without telling the handler.
  ~Reactor() override;
  Reactor(Reactor const&) = delete;
  Reactor& operator=(Reactor const&) = delete;

  // Once, before run; borrowed. The handler is made after its network, hence no argument of create.
  void set_handler(env::NetworkHandler& handler) { handler_ = &handler; }
  // The action runs in the loop, between the handler's calls, not as a signal handler; on_turn_end
  // follows. Only one reactor of a process may take signals.
  [[nodiscard]] Status on_signal(int number, std::function<void()> action);
  // Turns until stop(). An error means that the loop itself is broken.
  [[nodiscard]] Status run();
  // From any thread; also before run. The turn that is under way is finished.
  void stop();
  // From any thread: a turn follows at once.
  void wake();

  // Whether listen would succeed now. For whoever has long work to do before it may listen.
  [[nodiscard]] static Status can_listen(env::Address const& address);
  [[nodiscard]] Result<env::Address> listen(env::Address const& address, env::ListenOptions const& options) override;
  [[nodiscard]] Result<ConnectionId> connect(env::Address const& address) override;
  // A peer that takes nothing any more (it is gone) swallows what it is given: what it sent
  // before is still read, and on_closed follows.
  [[nodiscard]] std::size_t send(ConnectionId id, std::string_view bytes) override;
  void pause_reading(ConnectionId id, bool paused) override;
  void close(ConnectionId id) override;
  [[nodiscard]] Result<ConnectionId> open_datagrams_to(env::DatagramAddress const& address) override;
  [[nodiscard]] Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const& address) override;
  [[nodiscard]] bool send_datagram(ConnectionId id, std::string_view bytes) override;
  void close_datagrams(ConnectionId id) override;
  void wake_at(std::int64_t monotonic_us) override { wake_us_ = monotonic_us; }
  void turn_again() override { again_ = true; }

  [[nodiscard]] std::size_t connections() const { return open_; }
  // For those who come by any listener.
  [[nodiscard]] std::size_t connections_max() const { return options_.connections_max - options_.connections_reserved; }
  [[nodiscard]] ReactorCounters const& counters() const { return counters_; }

 private:
  struct Connection;
  struct Listener;
  struct Datagrams;
  struct SignalAction;
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

  // What the events call.
  void on_datagrams(Datagrams& datagrams);
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
  [[nodiscard]] bool is_full(Listener const& listener) const;
  void pause_accepting(Listener& listener);
  void resume_accepting();
  void warn_of_refusal(int error);
  void warn(std::string_view text) const;

  // Connections.
  [[nodiscard]] Connection* find(ConnectionId id);
  void end_input(Connection& connection);
  void end(Connection& connection, int error);
  void release(Connection& connection);

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
  std::int64_t wake_us_{INT64_MAX};   // asked for
  std::int64_t armed_us_{INT64_MAX};  // what the kernel's timer is set to, never later than wake_us_ while we wait

  std::vector<std::unique_ptr<Listener>> listeners_;
  std::map<ConnectionId, std::unique_ptr<Datagrams>> datagrams_;
  std::uint64_t datagram_ids_{0};
  Event resume_event_;
  UniqueFd reserve_fd_;  // given up for a moment to refuse a peer when there is no other descriptor
  std::int64_t warned_us_{INT64_MIN};

  // By slot; the objects stay where they are, libevent knows their addresses.
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t open_{0};

  std::vector<std::unique_ptr<SignalAction>> signals_;
  std::unique_ptr<char[]> buffer_;

  bool again_{false};
  bool active_{false};  // something happened in this turn
  std::size_t turn_bytes_{0};
  std::size_t turn_reads_{0};
  std::vector<ConnectionId> postponed_;  // readable, but the turn was full
  std::vector<ConnectionId> ended_;      // found gone inside a call of the handler's
  std::vector<ConnectionId> swap_;
};

}  // namespace fastjournal::reactor
