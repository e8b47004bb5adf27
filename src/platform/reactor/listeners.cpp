// See listeners.h.
#include "platform/reactor/listeners.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "platform/reactor/connection.h"
#include "platform/reactor/connections.h"
#include "platform/reactor/handshakes.h"

namespace fastjournal::reactor {
namespace {

// Descriptors reserved for segments, plugins' files, listening sockets.
constexpr std::size_t kDescriptorsKept = 192;
// After a refusal nothing is accepted for this long: the loop's time goes to existing connections.
constexpr timeval kAcceptPause{0, 100'000};

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

UniqueFd accept_from(int listener, SocketAddress& peer) {
  peer.length = sizeof peer.storage;
  return UniqueFd{::accept4(listener, peer.get(), &peer.length, SOCK_NONBLOCK | SOCK_CLOEXEC)};
}

// A connection is in the queue of the kernel.
bool is_waited_for(int listener) {
  pollfd now{listener, POLLIN, 0};
  return ::poll(&now, 1, 0) == 1;
}

void tell(int socket, std::string_view text) {
  if (!text.empty()) static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

UniqueFd open_reserve() { return UniqueFd{::open("/dev/null", O_RDONLY | O_CLOEXEC)}; }

}  // namespace

std::size_t connections_by_descriptors() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return 1U << 20U;
  std::size_t const all = files.rlim_cur;
  return all > 2 * kDescriptorsKept ? all - kDescriptorsKept : std::max<std::size_t>(all / 2, 1);
}

Listeners::Listeners(Loop& loop, Connections& connections, Handshakes& handshakes, NotAllowed& not_allowed)
    : loop_(loop), connections_(connections), handshakes_(handshakes), not_allowed_(not_allowed) {}

Listeners::~Listeners() = default;

Status Listeners::open() {
  reserve_fd_ = open_reserve();
  if (!reserve_fd_.valid()) return system_failure("open", "/dev/null", errno);
  auto const resume = [](int, short, void* self) { static_cast<Listeners*>(self)->resume(); };
  return loop_.make_timer(resume, this, resume_event_);
}

Result<env::Address> Listeners::listen(env::Address const& address, env::ListenOptions const& options,
                                       TlsListening tls) {
  Result<std::shared_ptr<ListeningSocket>> socket = socket_at(address, options.unix_mode);
  if (!socket.ok()) return socket.status();

  auto made = std::make_unique<Listener>();
  made->owner = this;
  made->options = options;
  made->peers = {options.users, options.groups};
  made->tls = std::move(tls);
  made->socket = std::move(socket).value();
  auto const acceptable = &call<Listener, &Listeners::on_acceptable>;
  Status watched = loop_.watch(made->socket->fd(), made->socket->text(), acceptable, made.get(), made->acceptable);
  if (!watched.ok()) return watched;
  listeners_.push_back(std::move(made));
  return env::Address{listeners_.back()->socket->text()};
}

Result<std::shared_ptr<ListeningSocket>> Listeners::socket_at(env::Address const& address, mode_t unix_mode) const {
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

Result<env::Address> Listeners::adopt(int fd, std::string const& name) {
  Result<std::unique_ptr<ListeningSocket>> socket = ListeningSocket::adopt(fd, name);
  if (!socket.ok()) return socket.status();
  std::string const text = socket.value()->text();
  if (std::ranges::any_of(adopted_, [&text](auto const& other) { return other->text() == text; }))
    return Status{Code::bad_configuration,
                  fmt::format("{}: another one listens on {} already; expected one", name, text)};
  adopted_.emplace_back(std::move(socket).value());
  return env::Address{text};
}

void Listeners::stop(std::uint32_t number) {
  auto const found =
      std::ranges::find(listeners_, number, [](auto const& listener) { return listener->options.number; });
  if (found == listeners_.end()) return;
  std::unique_ptr<Listener> const gone = std::move(*found);
  listeners_.erase(found);
  handshakes_.end_of(*gone);
  for (std::unique_ptr<Listener> const& other : listeners_) {
    if (other->socket != gone->socket) continue;
    if (Status const status = other->socket->set_mode(other->options.unix_mode); !status.ok())
      loop_.warn(status.message());
  }
}

void Listeners::use_certificates(std::uint32_t number, std::shared_ptr<tls::ServerContext const> const& context) {
  for (std::unique_ptr<Listener> const& one : listeners_)
    if (one->options.number == number && one->tls.context != nullptr) one->tls.context = context;
}

void Listeners::on_acceptable(Listener& listener) {
  SocketAddress peer;
  for (std::uint32_t i = 0; i < loop_.options().accepts_max; ++i) {
    if (is_full(listener)) {
      refuse(listener, 0);
      return;
    }
    if (listener.tls.context != nullptr && handshakes_.is_full()) {
      if (!is_waited_for(listener.socket->fd())) return;
      if (!handshakes_.make_room()) {
        pause(listener);
        return;
      }
    }
    UniqueFd fd = accept_from(listener.socket->fd(), peer);
    if (fd.valid() && peer.family() == AF_UNIX && !listener.peers.admits_peer_of(fd.get())) {
      refuse_not_allowed(listener, std::move(fd), peer);
      continue;
    }
    if (fd.valid()) {
      let_in(listener, std::move(fd), peer);
      continue;
    }
    int const error = errno;
    if (error == EAGAIN) return;
    if (only_this_peer(error)) continue;
    if (out_of_descriptors(error)) {
      refuse(listener, error);
    } else {
      loop_.warn(fmt::format("accept on {}: {}", listener.socket->text(), error_words(error)));
      pause(listener);
    }
    return;
  }
}

void Listeners::let_in(Listener const& listener, UniqueFd fd, SocketAddress const& address) {
  PeerName peer = peer_name(fd.get(), address);
  if (listener.tls.context != nullptr)
    handshakes_.accept(listener, std::move(fd), std::move(peer));
  else
    connections_.open(std::move(fd), peer, listener.options.number);
}

bool Listeners::is_full(Listener const& listener) const {
  ReactorOptions const& limits = loop_.options();
  return !connections_.has_room(handshakes_.waiting(),
                                listener.options.reserved ? limits.connections_max : limits.unreserved_max());
}

// Waiting peers get the reason at once, and their connection ends; otherwise they would wait in the kernel's queue.
void Listeners::refuse(Listener& listener, int error) {
  SocketAddress peer;
  for (std::uint32_t i = 0; i < loop_.options().accepts_max; ++i) {
    if (error != 0) reserve_fd_.reset();
    UniqueFd refused = accept_from(listener.socket->fd(), peer);
    bool const was_there = refused.valid();
    // Plain text would be no answer to a client that speaks TLS.
    if (was_there && listener.tls.context == nullptr) tell(refused.get(), listener.options.refusal);
    // A reset would overtake it.
    if (was_there) discard_input(refused.get());
    refused.reset();
    if (!reserve_fd_.valid()) reserve_fd_ = open_reserve();
    if (!was_there) break;
    ++loop_.counters().refused;
  }
  warn_of_refusal(error);
  pause(listener);
}

void Listeners::refuse_not_allowed(Listener const& listener, UniqueFd fd, SocketAddress const& peer) {
  if (listener.tls.context == nullptr) tell(fd.get(), listener.options.refusal_not_allowed);
  not_allowed_.count(peer_name(fd.get(), peer).text, listener.socket->text());
  connections_.linger(std::move(fd));
}

void Listeners::warn_of_refusal(int error) {
  if (!warning_.is_due()) return;
  std::string const why =
      error == 0 ? fmt::format("the limit is {}", loop_.options().unreserved_max()) : std::string{error_words(error)};
  loop_.warn(
      fmt::format("connections are refused ({} so far): {} are open, {}; raise the limit of open files or close some",
                  loop_.counters().refused, connections_.size(), why));
}

// This listener only: a crowd at one address does not block the others.
void Listeners::pause(Listener& listener) {
  event_del(listener.acceptable.get());
  listener.paused = true;
  if (event_pending(resume_event_.get(), EV_TIMEOUT, nullptr) == 0) event_add(resume_event_.get(), &kAcceptPause);
}

void Listeners::resume() {
  for (std::unique_ptr<Listener> const& listener : listeners_)
    if (std::exchange(listener->paused, false)) event_add(listener->acceptable.get(), nullptr);
}

}  // namespace fastjournal::reactor
