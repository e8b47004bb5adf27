// Connections with TLS. The handler learns of one when its handshake is done; from then on it is like any other, with
// three differences. Bytes may wait in OpenSSL although the socket is not readable: they get a turn (read_later). Reading
// may wait for a writable socket, and writing for a readable one. And an end without the word that TLS has for it is a
// failure.
//
// A handshake costs nobody else anything: it never waits, a turn makes a few steps of all that are under way, their
// number is limited, and each of them has a limit of time. At the number's limit, those who come wait in the kernel's
// queue, unless the oldest is one of the slow: it makes room. One origin has half of the places at most. More of it are
// accepted and wait here, so that they do not stand before others in the kernel's queue.
//
// Connections that are made here are few, and the handler has their ids: they have no limits but that of time, and are
// never ended to make room. Their certificates are a context of a client, with a number; each names its own target.
#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "platform/reactor/connection.h"
#include "platform/reactor/reactor.h"
#include "platform/tls/words.h"

namespace fastjournal::reactor {
namespace {

using Progress = tls::Stream::Progress;

// The age at which a handshake is slow, and makes room for another one where there is none.
constexpr std::int64_t kSlowAfterUs = 1'000'000;
// Who waits longer than so many handshakes may take is closed.
constexpr std::int64_t kWaitLimits = 3;
// How often those who wait are looked at, besides whenever a handshake ends.
constexpr std::int64_t kLookAgainUs = 100'000;
constexpr std::int64_t kTlsWarnAgainAfterUs = 10'000'000;
// Of one call of send: encryption costs time, so a peer that reads as fast as we write must not keep the turn.
constexpr std::size_t kSendBytesMax = 1U << 20U;

// The name that a certificate must be for where none is given: "10.0.0.1", "fe80::1", "localhost" of a unix socket.
std::string host_of(std::string_view address) {
  if (address.starts_with("unix:") || address.starts_with('/')) return "localhost";
  std::string_view host = address.substr(0, address.rfind(':'));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return std::string{host.substr(0, host.find('%'))};
}

}  // namespace

Status Reactor::prepare_handshakes() {
  auto const late = [](int, short, void* self) { static_cast<Reactor*>(self)->end_late_handshakes(); };
  handshake_event_.reset(event_new(base_.get(), -1, 0, late, this));
  if (!handshake_event_) return {Code::unavailable, "event loop: out of memory"};
  return {};
}

void Reactor::use_certificates(std::uint32_t listener, std::shared_ptr<tls::ServerContext const> context) {
  for (std::unique_ptr<Listener> const& one : listeners_)
    if (one->number == listener && one->tls.context != nullptr) one->tls.context = context;
}

void Reactor::use_client_certificates(std::uint32_t number, std::shared_ptr<tls::ClientContext> context) {
  if (context == nullptr)
    client_certificates_.erase(number);
  else
    client_certificates_[number] = std::move(context);
}

// ---------------------------------------------------------------------------
// Handshakes

void Reactor::begin_handshake(Listener const& listener, UniqueFd fd, PeerName peer) {
  Result<std::unique_ptr<tls::Stream>> stream = tls::Stream::accept(listener.tls.context, fd.get());
  if (!stream.ok()) {
    warn(fmt::format("connection of {} refused: {}", peer.text, stream.status().message()));
    return;
  }
  Connection& connection = take_slot();
  assign(connection, std::move(fd));
  connection.secure = std::make_unique<Secure>();
  Secure& secure = *connection.secure;
  secure.stream = std::move(stream).value();
  secure.peer = std::move(peer);
  secure.listener = &listener;
  secure.begun_us = monotonic_us();
  secure.place = handshakes_.insert(handshakes_.end(), connection.id);
  ++handshakes_of_[secure.peer.origin];
  if (event_add(&connection.readable, nullptr) != 0) {
    warn(fmt::format("connection of {} refused: watch its socket: {}", secure.peer.text, error_words(errno)));
    release(connection);
    return;
  }
  arm_handshake_limit();
}

Result<std::unique_ptr<Reactor::Secure>> Reactor::secure_for(env::Address const& address,
                                                             env::ConnectOptions const& options, int fd) const {
  auto const found = client_certificates_.find(options.certificates);
  if (found == client_certificates_.end())
    return Status{Code::bad_configuration,
                  fmt::format("connect {} with TLS: there are no certificates of the number {}", address.text,
                              options.certificates)};
  tls::Target target{.host = options.name.empty() ? host_of(address.text) : options.name, .protocol = options.protocol};
  Result<std::unique_ptr<tls::Stream>> stream = tls::Stream::connect(found->second, fd, std::move(target));
  if (!stream.ok())
    return Status{stream.status().code(), fmt::format("connect {}: {}", address.text, stream.status().message())};
  auto out = std::make_unique<Secure>();
  out->stream = std::move(stream).value();
  return out;
}

void Reactor::begin_own_handshake(Connection& connection, std::unique_ptr<Secure> secure) {
  secure->begun_us = monotonic_us();
  secure->place = own_handshakes_.insert(own_handshakes_.end(), connection.id);
  connection.secure = std::move(secure);
  arm_handshake_limit();
}

void Reactor::end_handshake(Secure& secure) {
  if (secure.listener == nullptr) {
    own_handshakes_.erase(secure.place);
    return;
  }
  handshakes_.erase(secure.place);
  auto const found = handshakes_of_.find(secure.peer.origin);
  if (--found->second == 0) handshakes_of_.erase(found);
  // It may be somebody's turn who waits.
  if (!waiting_.empty()) again_ = true;
}

bool Reactor::has_its_share(std::string const& origin) const {
  auto const found = handshakes_of_.find(origin);
  return found != handshakes_of_.end() && found->second >= options_.handshakes_per_origin_max;
}

void Reactor::let_wait(Listener const& listener, UniqueFd fd, PeerName peer) {
  if (waiting_.size() >= options_.handshakes_waiting_max) {
    ++counters_.handshakes_late;
    warn_of_handshake(peer.text, "too many of its address wait");
    return;
  }
  waiting_.push_back({std::move(fd), std::move(peer), &listener, monotonic_us()});
  // The oldest of its origin may be slow.
  event_del(handshake_event_.get());
  arm_handshake_limit();
}

// In the order of their arrival, but for those whose origin has its share already: a slow one of it makes room.
void Reactor::begin_waiting_handshakes() {
  std::int64_t const now_us = monotonic_us();
  std::set<std::string_view> full;
  for (auto at = waiting_.begin(); at != waiting_.end() && handshakes_.size() < options_.handshakes_max;) {
    if (full.contains(at->peer.origin)) {
      ++at;
      continue;
    }
    if (has_its_share(at->peer.origin) && !make_room_for_handshake(at->peer.origin, now_us)) {
      full.insert(at->peer.origin);
      ++at;
      continue;
    }
    Waiting begun = std::move(*at);
    at = waiting_.erase(at);
    begin_handshake(*begun.listener, std::move(begun.fd), std::move(begun.peer));
  }
}

// The limit is the same for all, so the oldest one's comes first. While others wait it is as soon as one may be slow.
void Reactor::arm_handshake_limit() {
  if (event_pending(handshake_event_.get(), EV_TIMEOUT, nullptr) != 0) return;
  std::int64_t begun_us = INT64_MAX;
  for (std::list<ConnectionId> const* const list : {&handshakes_, &own_handshakes_})
    if (!list->empty()) begun_us = std::min(begun_us, find(list->front())->secure->begun_us);
  if (begun_us == INT64_MAX) return;
  std::int64_t const age_us = monotonic_us() - begun_us;
  std::int64_t left_us = std::max<std::int64_t>(options_.handshake_limit_us - age_us, 1000);
  if (!waiting_.empty()) left_us = std::min(left_us, kLookAgainUs);
  timeval const left{left_us / 1'000'000, left_us % 1'000'000};
  event_add(handshake_event_.get(), &left);
}

void Reactor::end_late_handshakes() {
  std::int64_t const now_us = monotonic_us();
  while (!handshakes_.empty()) {
    Connection& oldest = *find(handshakes_.front());
    if (now_us - oldest.secure->begun_us < options_.handshake_limit_us) break;
    refuse_handshake(oldest, counters_.handshakes_late, "it took too long");
  }
  while (!waiting_.empty() && now_us - waiting_.front().since_us >= kWaitLimits * options_.handshake_limit_us) {
    ++counters_.handshakes_late;
    warn_of_handshake(waiting_.front().peer.text, "too many of its address came before it");
    waiting_.pop_front();
  }
  if (!waiting_.empty()) again_ = true;
  end_late_handshakes_of_our_own(now_us);
  arm_handshake_limit();
}

void Reactor::end_late_handshakes_of_our_own(std::int64_t now_us) {
  while (!own_handshakes_.empty()) {
    Connection& oldest = *find(own_handshakes_.front());
    if (now_us - oldest.secure->begun_us < options_.handshake_limit_us) return;
    std::int64_t const limit_ms = options_.handshake_limit_us / 1000;
    end(oldest,
        oldest.connecting
            ? fmt::format("no connection within {} ms", limit_ms)
            : fmt::format("it did not end the TLS handshake within {} ms: it is overloaded, or speaks no TLS at "
                          "this address",
                          limit_ms));
  }
}

// Nobody has heard of them.
void Reactor::end_handshakes_of(Listener const& listener) {
  for (auto at = handshakes_.begin(); at != handshakes_.end();) {
    Connection& connection = *find(*at++);
    if (connection.secure->listener == &listener) release(connection);
  }
  std::erase_if(waiting_, [&listener](Waiting const& one) { return one.listener == &listener; });
}

bool Reactor::make_room_for_handshake(std::string_view origin, std::int64_t now_us) {
  for (ConnectionId const id : handshakes_) {
    Connection& one = *find(id);
    if (now_us - one.secure->begun_us < kSlowAfterUs) return false;
    if (one.secure->queued || one.secure->peer.origin != origin) continue;
    refuse_handshake(one, counters_.handshakes_late, "others wait, and it is slow");
    return true;
  }
  return false;
}

bool Reactor::make_room_for_handshake() {
  Connection& oldest = *find(handshakes_.front());
  // One that waits for a turn is not slow: we are.
  if (oldest.secure->queued || monotonic_us() - oldest.secure->begun_us < kSlowAfterUs) return false;
  refuse_handshake(oldest, counters_.handshakes_late, "others wait, and it is slow");
  return true;
}

void Reactor::shake_hands(Connection& connection) {
  if (handshake_steps_ >= options_.handshake_steps_max) {
    read_later(connection);
    return;
  }
  if (!speaks_tls(connection)) return;
  ++handshake_steps_;
  tls::Stream& stream = *connection.secure->stream;
  switch (stream.handshake()) {
    case Progress::done: finish_handshake(connection); return;
    case Progress::want_read: return;
    case Progress::want_write:
      // What the peer sends meanwhile would only wake the loop.
      event_del(&connection.readable);
      event_add(&connection.writable, nullptr);
      return;
    case Progress::closed:
    case Progress::failed:
      if (connection.secure->listener == nullptr)
        end(connection, tls::explain_plainly(stream));
      else
        refuse_handshake(connection, counters_.handshakes_failed, stream.reason());
      return;
  }
}

// Looks at the first byte: a client without TLS is told so, and is gone then.
bool Reactor::speaks_tls(Connection& connection) {
  Secure& secure = *connection.secure;
  char first = 0;
  if (secure.listener == nullptr || secure.greeted ||
      ::recv(connection.fd.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
    return true;
  secure.greeted = true;
  if (first == tls::kFirstByte) return true;
  std::string const& refusal = secure.listener->tls.plain_refusal;
  static_cast<void>(::send(connection.fd.get(), refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  refuse_handshake(connection, counters_.handshakes_plain, "the peer does not speak TLS");
  return false;
}

void Reactor::finish_handshake(Connection& connection) {
  Secure& secure = *connection.secure;
  if (secure.listener == nullptr) return finish_own_handshake(connection);
  Result<std::string> const user = secure.stream->user();
  if (!user.ok()) {
    secure.stream->tell_end();
    refuse_handshake(connection, counters_.handshakes_failed, user.status().message());
    return;
  }
  end_handshake(secure);
  secure.shaking = false;
  ++counters_.accepted;
  ++counters_.handshakes;
  if (secure.stream->was_resumed()) ++counters_.handshakes_resumed;
  active_ = true;
  ConnectionId const id = connection.id;
  PeerName const peer = std::move(secure.peer);
  if (secure.stream->has_unread()) read_later(connection);
  handler_->on_open(
      id, {.text = peer.text, .origin = peer.origin, .listener = secure.listener->number, .user = user.value()});
}

void Reactor::finish_own_handshake(Connection& connection) {
  Secure& secure = *connection.secure;
  if (std::string const& wanted = secure.stream->target().protocol; secure.stream->protocol() != wanted) {
    secure.stream->tell_end();
    end(connection, fmt::format("it does not speak {} at this address", wanted));
    return;
  }
  end_handshake(secure);
  secure.shaking = false;
  active_ = true;
  PeerName const peer = std::move(secure.peer);
  if (secure.stream->has_unread()) read_later(connection);
  handler_->on_open(connection.id, {.text = peer.text, .origin = "made"});
}

// The handler has never heard of it.
void Reactor::refuse_handshake(Connection& connection, std::uint64_t& counter, std::string_view why) {
  ++counter;
  warn_of_handshake(connection.secure->peer.text, why);
  // A reset would overtake the alert that says why.
  event_del(&connection.readable);
  event_del(&connection.writable);
  UniqueFd fd = std::move(connection.fd);
  release(connection);
  linger(std::move(fd));
}

void Reactor::warn_of_handshake(std::string_view peer, std::string_view why) {
  std::int64_t const now_us = monotonic_us();
  if (handshake_warned_us_ != INT64_MIN && now_us - handshake_warned_us_ < kTlsWarnAgainAfterUs) return;
  handshake_warned_us_ = now_us;
  warn(fmt::format(
      "TLS handshakes fail (so far {} of {}; {} were too slow, {} spoke no TLS), now of {}: {}",
      counters_.handshakes_failed + counters_.handshakes_late + counters_.handshakes_plain,
      counters_.handshakes + counters_.handshakes_failed + counters_.handshakes_late + counters_.handshakes_plain,
      counters_.handshakes_late, counters_.handshakes_plain, peer, why));
}

// ---------------------------------------------------------------------------
// After the handshake

// In the next turn, in the order of the calls.
void Reactor::read_later(Connection& connection) {
  again_ = true;
  if (std::exchange(connection.secure->queued, true)) return;
  postponed_.push_back(connection.id);
}

void Reactor::on_secure_readable(Connection& connection) {
  if (connection.secure->queued || connection.look == counters_.looks) return;
  connection.look = counters_.looks;
  if (connection.secure->shaking) {
    shake_hands(connection);
    return;
  }
  if (connection.paused) {
    // Watched for a send alone.
    event_del(&connection.readable);
    if (std::exchange(connection.secure->read_for_write, false)) on_secure_writable(connection);
    return;
  }
  if (turn_bytes_ >= options_.turn_bytes_max) {
    read_later(connection);
    return;
  }
  ConnectionId const id = connection.id;
  std::size_t got = 0;
  Progress const progress = connection.secure->stream->read({buffer_.get(), options_.read_bytes_max}, got);
  if (progress == Progress::want_write) {
    connection.secure->write_for_read = true;
    event_del(&connection.readable);
    event_add(&connection.writable, nullptr);
  }
  if (connection.secure->stream->has_unread() && progress == Progress::done) read_later(connection);
  bool const may_write = std::exchange(connection.secure->read_for_write, false);
  if (got > 0) {
    active_ = true;
    ++turn_reads_;
    turn_bytes_ += got;
    deliver(id, got);
  }
  // The handler may have closed it, or paused it: then the end waits until it reads on.
  if (Connection* const still = find(id); still != nullptr && may_write) on_secure_writable(*still);
  if (Connection* const still = find(id); still != nullptr && !still->paused)
    if (progress == Progress::closed || progress == Progress::failed) take_secure_end(*still);
}

void Reactor::take_secure_end(Connection& connection) {
  tls::Stream const& stream = *connection.secure->stream;
  if (connection.secure->listener == nullptr && stream.was_refused()) {
    // By an alert, which came before what we sent could fail.
    end(connection, tls::explain_plainly(stream));
  } else if (stream.has_ended() || connection.error != 0) {
    end_input(connection);
  } else if (stream.socket_error() != 0) {
    end(connection, stream.socket_error());
  } else {
    end(connection, std::string{stream.reason()});
  }
}

void Reactor::on_secure_writable(Connection& connection) {
  Secure& secure = *connection.secure;
  if (secure.shaking) {
    event_add(&connection.readable, nullptr);
    shake_hands(connection);
    return;
  }
  if (std::exchange(secure.write_for_read, false) && !connection.paused && !connection.input_ended) {
    event_add(&connection.readable, nullptr);
    read_later(connection);
  }
  if (secure.telling_end) return end_secure_output(connection);
  if (secure.read_for_write || !std::exchange(secure.full, false)) return;
  active_ = true;
  handler_->on_writable(connection.id);
}

std::size_t Reactor::send_secure(Connection& connection, std::string_view bytes) {
  Secure& secure = *connection.secure;
  std::size_t taken = 0;
  std::string_view const now = bytes.substr(0, kSendBytesMax);
  switch (secure.stream->write(now, taken)) {
    case Progress::done:
      if (taken == bytes.size()) return taken;
      break;
    case Progress::want_write: break;
    case Progress::want_read:
      secure.full = secure.read_for_write = true;
      event_add(&connection.readable, nullptr);
      return taken;
    case Progress::closed:
    case Progress::failed: fail_secure_output(connection); return bytes.size();
  }
  wait_until_writable(connection);
  return taken;
}

// Reading notices the end of a socket by itself, but no failure of TLS.
void Reactor::fail_secure_output(Connection& connection) {
  int const error = connection.secure->stream->socket_error();
  fail_output(connection, error != 0 ? error : EPROTO);
  if (error == 0 && !connection.input_ended) end_later(connection);
}

void Reactor::end_secure_output(Connection& connection) {
  Secure& secure = *connection.secure;
  Progress const progress = secure.stream->end_output();
  secure.telling_end = progress == Progress::want_write;
  if (secure.telling_end)
    event_add(&connection.writable, nullptr);
  else if (progress != Progress::done)
    fail_secure_output(connection);
  else if (connection.input_ended)
    end_later(connection);
}

}  // namespace fastjournal::reactor
