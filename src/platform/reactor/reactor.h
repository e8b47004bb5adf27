// The daemon's network: one libevent loop, plain events, our own buffers. The only door to libevent; the simulator's
// network is the other implementation of env::Network.
//
// One thread makes all calls, including run(); only stop() and wake() may be called from another thread. A turn looks
// for readable sockets once, or twice with `gather`; then it tells the handler that its date has come, and that the
// turn ends.
//
// A slow or broken peer does not affect other peers: the reads, accepts and bytes of a turn are bounded, and bytes that
// the kernel does not take stay with the handler until on_writable.
//
// The work is done by its parts, all of which know the loop: connections, the handshakes of those with TLS, listeners,
// datagrams. Here are what others may call, and the order of a turn.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/env/network.h"
#include "platform/reactor/connections.h"
#include "platform/reactor/datagrams.h"
#include "platform/reactor/handshakes.h"
#include "platform/reactor/listeners.h"
#include "platform/reactor/loop.h"

namespace fastjournal::reactor {

// At its end it closes every connection without telling the handler.
class Reactor final : public env::Network {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reactor>> create(ReactorOptions options);

  // Once, before run; borrowed. Not an argument of create, because the handler is made after its network.
  void set_handler(env::NetworkHandler& handler) { loop_.set_handler(handler); }
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
  void stop() { loop_.stop(); }
  // From any thread: requests a turn at once.
  void wake() { loop_.wake(); }

  // Whether listen would succeed now, for callers with long work to do before they listen.
  [[nodiscard]] static Status can_listen(env::Address const& address);
  // The same for receive_local_datagrams.
  [[nodiscard]] static Status can_receive_local_datagrams(env::Address const& address);
  // Takes a descriptor that listens already, opened by the process that started this one: listeners at its address use
  // it, now or later. Returns its address. `name`: what it is called where it is refused.
  [[nodiscard]] Result<env::Address> adopt(int fd, std::string const& name) { return listeners_.adopt(fd, name); }
  [[nodiscard]] Result<env::Address> listen(env::Address const& address, env::ListenOptions const& options) override {
    return listeners_.listen(address, options, {});
  }
  // Its connections are opened for the handler when their handshake is done.
  [[nodiscard]] Result<env::Address> listen(env::Address const& address, env::ListenOptions const& options,
                                            TlsListening tls) {
    return listeners_.listen(address, options, std::move(tls));
  }
  // Handshakes of its connections that are not done end, too.
  void stop_listening(std::uint32_t number) override;
  // For connections accepted from now on, by each listener of this number; it speaks TLS already.
  void use_certificates(std::uint32_t listener, std::shared_ptr<tls::ServerContext const> const& context) {
    listeners_.use_certificates(listener, context);
  }
  // For connections that are made from now on with this number (ConnectOptions::certificates); they name their targets
  // themselves. Null: there are none of this number any more.
  void use_client_certificates(std::uint32_t number, std::shared_ptr<tls::ClientContext> context) {
    handshakes_.use_certificates(number, std::move(context));
  }
  // With TLS also not ok if there are no certificates of this number, or the name is none.
  [[nodiscard]] Result<ConnectionId> connect(env::Address const& address, env::ConnectOptions const& options) override {
    return connections_.connect(address, options, handshakes_);
  }
  // After the peer is gone, send accepts and drops all bytes: input received before is still read, and on_closed
  // follows.
  [[nodiscard]] std::size_t send(ConnectionId id, std::string_view bytes) override {
    return connections_.send(id, bytes);
  }
  [[nodiscard]] Result<std::size_t> send_file(ConnectionId id, env::File& file, std::uint64_t offset,
                                              std::uint64_t bytes) override {
    return connections_.send_file(id, file, offset, bytes);
  }
  [[nodiscard]] Result<std::size_t> send_with_descriptor(ConnectionId id, std::string_view bytes,
                                                         env::File& file) override {
    return connections_.send_with_descriptor(id, bytes, file);
  }
  void end_output(ConnectionId id) override { connections_.end_output(id); }
  void pause_reading(ConnectionId id, bool paused) override { connections_.pause_reading(id, paused); }
  void close(ConnectionId id) override { connections_.close(id); }
  [[nodiscard]] Result<ConnectionId> open_datagrams_to(env::DatagramAddress const& address) override {
    return datagrams_.open_to(address);
  }
  [[nodiscard]] Result<env::DatagramSocket> receive_datagrams(env::DatagramAddress const& address) override {
    return datagrams_.receive(address);
  }
  [[nodiscard]] bool send_datagram(ConnectionId id, std::string_view bytes) override {
    return datagrams_.send(id, bytes);
  }
  [[nodiscard]] Result<env::DatagramSocket> receive_local_datagrams(env::Address const& address,
                                                                    env::ListenOptions const& options) override {
    return datagrams_.receive_local(address, options);
  }
  [[nodiscard]] bool send_local_datagram(ConnectionId id, std::string_view to, std::string_view bytes) override {
    return datagrams_.send_local(id, to, bytes);
  }
  void close_datagrams(ConnectionId id) override { datagrams_.close(id); }
  void wake_at(std::int64_t monotonic_us) override { loop_.wake_at(monotonic_us); }
  void turn_again() override { loop_.turn_again(); }

  [[nodiscard]] std::size_t connections() const { return connections_.size(); }
  // The limit for listeners that are not reserved.
  [[nodiscard]] std::size_t connections_max() const { return loop_.options().unreserved_max(); }
  // Closed ones whose peers may still send.
  [[nodiscard]] std::size_t lingering() const { return connections_.lingering(); }
  [[nodiscard]] std::size_t handshakes_under_way() const { return handshakes_.size(); }
  [[nodiscard]] ReactorCounters const& counters() const { return loop_.counters(); }

 private:
  explicit Reactor(ReactorOptions options);
  [[nodiscard]] Status open();
  [[nodiscard]] Status turn();

  // Each ends before those that it uses at its end: connections leave their handshakes, events leave the loop.
  Loop loop_;
  NotAllowed not_allowed_{loop_};
  Listeners listeners_{loop_, connections_, handshakes_, not_allowed_};
  Datagrams datagrams_{loop_, not_allowed_};
  Handshakes handshakes_{loop_, connections_};
  Connections connections_{loop_};
};

}  // namespace fastjournal::reactor
