// See reactor.h.
#include "platform/reactor/reactor.h"

#include <event2/event.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "platform/reactor/address.h"
#include "platform/reactor/listening_socket.h"
#include "platform/reactor/socket_file.h"

namespace fastjournal::reactor {

Reactor::Reactor(ReactorOptions options) : loop_(std::move(options)) {}

Result<std::unique_ptr<Reactor>> Reactor::create(ReactorOptions options) {
  FJ_CHECK(options.read_bytes_max > 0 && options.turn_bytes_max > 0 && options.accepts_max > 0,
           "a limit of 0 stops the loop");
  if (options.connections_max == 0) options.connections_max = connections_by_descriptors();
  options.connections_reserved = std::min(options.connections_reserved, options.connections_max / 4);
  std::unique_ptr<Reactor> out{new Reactor(std::move(options))};
  if (Status opened = out->open(); !opened.ok()) return opened;
  return out;
}

Status Reactor::open() {
  if (Status opened = loop_.open(); !opened.ok()) return opened;
  if (Status opened = listeners_.open(); !opened.ok()) return opened;
  return handshakes_.open();
}

Status Reactor::on_signal(int number, std::function<void()> action) {
  return loop_.add_action(number, EV_SIGNAL, 0, std::move(action));
}

Status Reactor::on_interval(std::int64_t interval_us, std::function<void()> action) {
  FJ_CHECK(interval_us > 0, "an interval takes time");
  return loop_.add_action(-1, 0, interval_us, std::move(action));
}

Status Reactor::on_readable(int fd, std::function<void()> action) {
  return loop_.add_action(fd, EV_READ, 0, std::move(action));
}

Status Reactor::run() {
  FJ_CHECK(loop_.has_handler(), "set_handler comes before run");
  while (!loop_.is_stopping())
    if (Status done = turn(); !done.ok()) return done;
  return {};
}

Status Reactor::turn() {
  loop_.begin_turn();
  connections_.tell_ended();
  handshakes_.begin_turn();
  connections_.read_postponed();
  if (Status looked = loop_.look(); !looked.ok()) return looked;
  if (Status looked = loop_.gather(connections_.size()); !looked.ok()) return looked;
  loop_.end_turn();
  return {};
}

Status Reactor::can_listen(env::Address const& address) {
  Result<SocketAddress> const parsed = parse_address(address.text);
  return parsed.ok() ? ListeningSocket::probe(parsed.value()) : parsed.status();
}

Status Reactor::can_receive_local_datagrams(env::Address const& address) {
  Result<SocketAddress> const parsed = parse_address(address.text);
  return parsed.ok() ? SocketFile::probe(parsed.value(), SOCK_DGRAM) : parsed.status();
}

void Reactor::stop_listening(std::uint32_t number) {
  datagrams_.stop(number);
  listeners_.stop(number);
}

}  // namespace fastjournal::reactor
