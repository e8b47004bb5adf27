// Accepts connections, and refuses them with a message when there is no descriptor left. Peers never get the last
// descriptors: the daemon needs them for its own files, and a log that cannot open its next container stops it.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "platform/reactor/connection.h"
#include "platform/reactor/reactor.h"

namespace fastjournal::reactor {
namespace {

// Descriptors reserved for containers, plugins' files, listening sockets.
constexpr std::size_t kDescriptorsKept = 192;
// After a refusal nothing is accepted for this long: the loop's time goes to existing connections.
constexpr timeval kAcceptPause{0, 100'000};
constexpr std::int64_t kWarnAgainAfterUs = 10'000'000;

bool out_of_descriptors(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

// Failures of a single connection that ended before it was accepted (accept(2), "Error handling").
bool only_this_peer(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENOPROTOOPT:
    case ENONET:
    case EPERM: return true;
    default: return false;
  }
}

std::size_t connections_by_descriptors() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return 1U << 20U;
  std::size_t const all = files.rlim_cur;
  return all > 2 * kDescriptorsKept ? all - kDescriptorsKept : std::max<std::size_t>(all / 2, 1);
}

UniqueFd accept_from(int listener, SocketAddress& peer) {
  peer.length = sizeof peer.storage;
  return UniqueFd{::accept4(listener, peer.get(), &peer.length, SOCK_NONBLOCK | SOCK_CLOEXEC)};
}

// Somebody is in the queue of the kernel.
bool is_waited_for(int listener) {
  pollfd now{listener, POLLIN, 0};
  return ::poll(&now, 1, 0) == 1;
}

UniqueFd open_reserve() { return UniqueFd{::open("/dev/null", O_RDONLY | O_CLOEXEC)}; }

}  // namespace

Status Reactor::prepare_accepting() {
  if (options_.connections_max == 0) options_.connections_max = connections_by_descriptors();
  options_.connections_reserved = std::min(options_.connections_reserved, options_.connections_max / 4);
  reserve_fd_ = open_reserve();
  if (!reserve_fd_.valid()) return system_failure("open", "/dev/null", errno);
  auto const resume = [](int, short, void* self) { static_cast<Reactor*>(self)->resume_accepting(); };
  resume_event_.reset(event_new(base_.get(), -1, 0, resume, this));
  if (!resume_event_) return {Code::unavailable, "event loop: out of memory"};
  return prepare_handshakes();
}

Status Reactor::can_listen(env::Address const& address) {
  Result<SocketAddress> const parsed = parse_address(address.text);
  return parsed.ok() ? ListeningSocket::probe(parsed.value()) : parsed.status();
}

Result<env::Address> Reactor::listen(env::Address const& address, env::ListenOptions const& options) {
  return listen(address, options, {});
}

Result<env::Address> Reactor::listen(env::Address const& address, env::ListenOptions const& options, TlsListening tls) {
  Result<std::shared_ptr<ListeningSocket>> socket = socket_at(address, options.unix_mode);
  if (!socket.ok()) return socket.status();

  auto made = std::make_unique<Listener>();
  made->owner = this;
  made->number = options.number;
  made->reserved = options.reserved;
  made->unix_mode = options.unix_mode;
  made->refusal = options.refusal;
  made->peers = {options.users, options.groups};
  made->refusal_not_allowed = options.refusal_not_allowed;
  made->tls = std::move(tls);
  made->socket = std::move(socket).value();
  auto const call = [](int, short, void* argument) {
    auto& self = *static_cast<Listener*>(argument);
    self.owner->on_acceptable(self);
  };
  made->acceptable.reset(event_new(base_.get(), made->socket->fd(), EV_READ | EV_PERSIST, call, made.get()));
  if (!made->acceptable || event_add(made->acceptable.get(), nullptr) != 0)
    return system_failure("watch", made->socket->text(), errno);
  listeners_.push_back(std::move(made));
  return env::Address{listeners_.back()->socket->text()};
}

Result<std::shared_ptr<ListeningSocket>> Reactor::socket_at(env::Address const& address, mode_t unix_mode) const {
  Result<SocketAddress> const parsed = parse_address(address.text);
  if (!parsed.ok()) return parsed.status();
  std::string const text = to_text(parsed.value());
  for (std::unique_ptr<Listener> const& listener : listeners_) {
    if (listener->socket->text() != text) continue;
    if (Status status = listener->socket->set_mode(unix_mode); !status.ok()) return status;
    return listener->socket;
  }
  for (std::shared_ptr<ListeningSocket> const& socket : adopted_)
    if (socket->text() == text) return socket;
  Result<std::unique_ptr<ListeningSocket>> opened = ListeningSocket::open(parsed.value(), unix_mode);
  if (!opened.ok()) return opened.status();
  return std::shared_ptr<ListeningSocket>{std::move(opened).value()};
}

Result<env::Address> Reactor::adopt(int fd, std::string const& name) {
  Result<std::unique_ptr<ListeningSocket>> socket = ListeningSocket::adopt(fd, name);
  if (!socket.ok()) return socket.status();
  std::string const text = socket.value()->text();
  if (std::ranges::any_of(adopted_, [&text](auto const& other) { return other->text() == text; }))
    return Status{Code::bad_configuration,
                  fmt::format("{}: another one listens on {} already; expected one", name, text)};
  adopted_.emplace_back(std::move(socket).value());
  return env::Address{text};
}

void Reactor::stop_listening(std::uint32_t number) {
  stop_local_datagrams(number);
  auto const found = std::ranges::find(listeners_, number, [](auto const& listener) { return listener->number; });
  if (found == listeners_.end()) return;
  std::unique_ptr<Listener> const gone = std::move(*found);
  listeners_.erase(found);
  end_handshakes_of(*gone);
  for (std::unique_ptr<Listener> const& other : listeners_) {
    if (other->socket != gone->socket) continue;
    if (Status const status = other->socket->set_mode(other->unix_mode); !status.ok()) warn(status.message());
  }
}

void Reactor::on_acceptable(Listener& listener) {
  SocketAddress peer;
  for (std::uint32_t i = 0; i < options_.accepts_max; ++i) {
    if (is_full(listener)) {
      refuse(listener, 0);
      return;
    }
    if (listener.tls.context != nullptr && handshakes_.size() >= options_.handshakes_max) {
      if (!is_waited_for(listener.socket->fd())) return;
      if (!make_room_for_handshake()) {
        pause_accepting(listener);
        return;
      }
    }
    UniqueFd fd = accept_from(listener.socket->fd(), peer);
    if (fd.valid() && peer.family() == AF_UNIX && !listener.peers.admits_peer_of(fd.get())) {
      refuse_not_allowed(listener, std::move(fd), peer);
      continue;
    }
    if (fd.valid()) {
      open_connection(listener, std::move(fd), peer);
      continue;
    }
    int const error = errno;
    if (error == EAGAIN) return;
    if (only_this_peer(error)) continue;
    if (out_of_descriptors(error)) {
      refuse(listener, error);
    } else {
      warn(fmt::format("accept on {}: {}", listener.socket->text(), error_words(error)));
      pause_accepting(listener);
    }
    return;
  }
}

// Those that are closed already make room.
bool Reactor::is_full(Listener const& listener) {
  std::size_t const most = listener.reserved ? options_.connections_max : connections_max();
  while (open_ + waiting_.size() + lingering_.size() >= most)
    if (!make_room_by_lingering()) return true;
  return false;
}

// Waiting peers get the reason at once, and their connection ends; otherwise they would wait in the kernel's queue.
void Reactor::refuse(Listener& listener, int error) {
  SocketAddress peer;
  for (std::uint32_t i = 0; i < options_.accepts_max; ++i) {
    if (error != 0) reserve_fd_.reset();
    UniqueFd refused = accept_from(listener.socket->fd(), peer);
    bool const was_there = refused.valid();
    // Plain text would be no answer to a client that speaks TLS.
    if (was_there && !listener.refusal.empty() && listener.tls.context == nullptr)
      static_cast<void>(
          ::send(refused.get(), listener.refusal.data(), listener.refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    // A reset would overtake it.
    if (was_there) discard_input(refused.get());
    refused.reset();
    if (!reserve_fd_.valid()) reserve_fd_ = open_reserve();
    if (!was_there) break;
    ++counters_.refused;
  }
  warn_of_refusal(error);
  pause_accepting(listener);
}

void Reactor::refuse_not_allowed(Listener const& listener, UniqueFd fd, SocketAddress const& peer) {
  ++counters_.not_allowed;
  std::string const& told = listener.refusal_not_allowed;
  if (!told.empty() && listener.tls.context == nullptr)
    static_cast<void>(::send(fd.get(), told.data(), told.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  warn_of_not_allowed(peer_name(fd.get(), peer).text, listener.socket->text());
  linger(std::move(fd));
}

void Reactor::warn_of_not_allowed(std::string_view peer, std::string const& address) {
  std::int64_t const now_us = monotonic_us();
  if (not_allowed_warned_us_ != INT64_MIN && now_us - not_allowed_warned_us_ < kWarnAgainAfterUs) return;
  not_allowed_warned_us_ = now_us;
  warn(
      fmt::format("users are refused whom the lists of their socket do not name ({} times so far), now {} at {}; name "
                  "them in its users or groups if they may come",
                  counters_.not_allowed, peer, address));
}

void Reactor::warn_of_refusal(int error) {
  std::int64_t const now_us = monotonic_us();
  if (warned_us_ != INT64_MIN && now_us - warned_us_ < kWarnAgainAfterUs) return;
  warned_us_ = now_us;
  std::string const why =
      error == 0 ? fmt::format("the limit is {}", connections_max()) : std::string{error_words(error)};
  warn(fmt::format("connections are refused ({} so far): {} are open, {}; raise the limit of open files or close some",
                   counters_.refused, open_, why));
}

// This listener only: a crowd at one address does not block the others.
void Reactor::pause_accepting(Listener& listener) {
  event_del(listener.acceptable.get());
  listener.paused = true;
  if (event_pending(resume_event_.get(), EV_TIMEOUT, nullptr) == 0) event_add(resume_event_.get(), &kAcceptPause);
}

void Reactor::resume_accepting() {
  for (std::unique_ptr<Listener> const& listener : listeners_)
    if (std::exchange(listener->paused, false)) event_add(listener->acceptable.get(), nullptr);
}

void Reactor::warn(std::string_view text) const {
  if (options_.warn) options_.warn(text);
}

}  // namespace fastjournal::reactor
