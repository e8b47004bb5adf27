// See handshakes.h.
#include "platform/reactor/handshakes.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "platform/reactor/connection.h"
#include "platform/reactor/connections.h"
#include "platform/tls/words.h"

namespace fastjournal::reactor {
namespace {

using Progress = tls::Stream::Progress;

// The age at which a handshake is slow, and makes room for another one where there is none.
constexpr std::int64_t kSlowAfterUs = 1'000'000;
// A connection that waits longer than so many handshakes may take is closed.
constexpr std::int64_t kWaitLimits = 3;
// How often those who wait are looked at, besides whenever a handshake ends.
constexpr std::int64_t kLookAgainUs = 100'000;

// The name that a certificate must be for where none is given: "10.0.0.1", "fe80::1", "localhost" of a unix socket.
std::string host_of(std::string_view address) {
  if (address.starts_with("unix:") || address.starts_with('/')) return "localhost";
  std::string_view host = address.substr(0, address.rfind(':'));
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return std::string{host.substr(0, host.find('%'))};
}

}  // namespace

Status Handshakes::open() {
  auto const late = [](int, short, void* self) { static_cast<Handshakes*>(self)->end_late(); };
  return loop_.make_timer(late, this, limit_);
}

void Handshakes::use_certificates(std::uint32_t number, std::shared_ptr<tls::ClientContext> context) {
  if (context == nullptr)
    certificates_.erase(number);
  else
    certificates_[number] = std::move(context);
}

void Handshakes::begin_turn() {
  steps_ = 0;
  if (!waiting_.empty()) begin_waiting();
}

void Handshakes::accept(Listener const& listener, UniqueFd fd, PeerName peer) {
  if (has_its_share(peer.origin))
    let_wait(listener, std::move(fd), std::move(peer));
  else
    begin(listener, std::move(fd), std::move(peer));
}

void Handshakes::begin(Listener const& listener, UniqueFd fd, PeerName peer) {
  Result<std::unique_ptr<tls::Stream>> stream = tls::Stream::accept(listener.tls.context, fd.get());
  if (!stream.ok()) {
    loop_.warn(fmt::format("connection of {} refused: {}", peer.text, stream.status().message()));
    return;
  }
  Connection& connection = connections_.add(std::move(fd));
  connection.secure = std::make_unique<Secure>();
  Secure& secure = *connection.secure;
  secure.stream = std::move(stream).value();
  secure.peer = std::move(peer);
  secure.listener = &listener;
  secure.handshakes = this;
  secure.begun_us = monotonic_us();
  secure.place = under_way_.insert(under_way_.end(), connection.id);
  ++by_origin_[secure.peer.origin];
  if (connections_.begin_reading(connection, secure.peer.text)) arm_limit();
}

Result<std::unique_ptr<Secure>> Handshakes::prepare(env::Address const& address, env::ConnectOptions const& options,
                                                    int fd) const {
  auto const found = certificates_.find(options.certificates);
  if (found == certificates_.end())
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

void Handshakes::begin(Connection& connection, std::unique_ptr<Secure> secure) {
  secure->handshakes = this;
  secure->begun_us = monotonic_us();
  secure->place = our_own_.insert(our_own_.end(), connection.id);
  connection.secure = std::move(secure);
  arm_limit();
}

void Handshakes::end(Secure& secure) {
  secure.handshakes = nullptr;
  if (secure.listener == nullptr) {
    our_own_.erase(secure.place);
    return;
  }
  under_way_.erase(secure.place);
  auto const found = by_origin_.find(secure.peer.origin);
  if (--found->second == 0) by_origin_.erase(found);
  // It may be the turn of one that waits.
  if (!waiting_.empty()) loop_.turn_again();
}

bool Handshakes::has_its_share(std::string const& origin) const {
  auto const found = by_origin_.find(origin);
  return found != by_origin_.end() && found->second >= loop_.options().handshakes_per_origin_max;
}

void Handshakes::let_wait(Listener const& listener, UniqueFd fd, PeerName peer) {
  if (waiting_.size() >= loop_.options().handshakes_waiting_max) {
    ++loop_.counters().handshakes_late;
    warn(peer.text, "too many of its address wait");
    return;
  }
  waiting_.push_back({std::move(fd), std::move(peer), &listener, monotonic_us()});
  // The oldest of its origin may be slow.
  event_del(limit_.get());
  arm_limit();
}

// In the order of their arrival, but for those whose origin has its share already: a slow one of it makes room.
void Handshakes::begin_waiting() {
  std::int64_t const now_us = monotonic_us();
  std::set<std::string_view> full;
  for (auto at = waiting_.begin(); at != waiting_.end() && !is_full();) {
    if (full.contains(at->peer.origin)) {
      ++at;
      continue;
    }
    if (has_its_share(at->peer.origin) && !make_room(at->peer.origin, now_us)) {
      full.insert(at->peer.origin);
      ++at;
      continue;
    }
    Waiting begun = std::move(*at);
    at = waiting_.erase(at);
    begin(*begun.listener, std::move(begun.fd), std::move(begun.peer));
  }
}

// The limit is the same for all, so the oldest one's comes first. While others wait it is as soon as one may be slow.
void Handshakes::arm_limit() {
  if (event_pending(limit_.get(), EV_TIMEOUT, nullptr) != 0) return;
  std::int64_t begun_us = INT64_MAX;
  for (std::list<ConnectionId> const* const list : {&under_way_, &our_own_})
    if (!list->empty()) begun_us = std::min(begun_us, connections_.find(list->front())->secure->begun_us);
  if (begun_us == INT64_MAX) return;
  std::int64_t const age_us = monotonic_us() - begun_us;
  std::int64_t left_us = std::max<std::int64_t>(loop_.options().handshake_limit_us - age_us, 1000);
  if (!waiting_.empty()) left_us = std::min(left_us, kLookAgainUs);
  timeval const left{left_us / 1'000'000, left_us % 1'000'000};
  event_add(limit_.get(), &left);
}

void Handshakes::end_late() {
  std::int64_t const now_us = monotonic_us();
  while (!under_way_.empty()) {
    Connection& oldest = *connections_.find(under_way_.front());
    if (now_us - oldest.secure->begun_us < loop_.options().handshake_limit_us) break;
    refuse(oldest, loop_.counters().handshakes_late, "it took too long");
  }
  while (!waiting_.empty() && now_us - waiting_.front().since_us >= kWaitLimits * loop_.options().handshake_limit_us) {
    ++loop_.counters().handshakes_late;
    warn(waiting_.front().peer.text, "too many of its address came before it");
    waiting_.pop_front();
  }
  if (!waiting_.empty()) loop_.turn_again();
  end_late_of_our_own(now_us);
  arm_limit();
}

void Handshakes::end_late_of_our_own(std::int64_t now_us) {
  while (!our_own_.empty()) {
    Connection& oldest = *connections_.find(our_own_.front());
    if (now_us - oldest.secure->begun_us < loop_.options().handshake_limit_us) return;
    std::int64_t const limit_ms = loop_.options().handshake_limit_us / 1000;
    connections_.end(
        oldest,
        oldest.connecting
            ? fmt::format("no connection within {} ms", limit_ms)
            : fmt::format("it did not end the TLS handshake within {} ms: it is overloaded, or speaks no TLS at "
                          "this address",
                          limit_ms));
  }
}

// They were not reported so far.
void Handshakes::end_of(Listener const& listener) {
  for (auto at = under_way_.begin(); at != under_way_.end();) {
    Connection& connection = *connections_.find(*at++);
    if (connection.secure->listener == &listener) connections_.release(connection);
  }
  std::erase_if(waiting_, [&listener](Waiting const& one) { return one.listener == &listener; });
}

bool Handshakes::make_room(std::string_view origin, std::int64_t now_us) {
  for (ConnectionId const id : under_way_) {
    Connection& one = *connections_.find(id);
    if (now_us - one.secure->begun_us < kSlowAfterUs) return false;
    if (one.secure->queued || one.secure->peer.origin != origin) continue;
    refuse(one, loop_.counters().handshakes_late, "others wait, and it is slow");
    return true;
  }
  return false;
}

bool Handshakes::make_room() {
  Connection& oldest = *connections_.find(under_way_.front());
  // One that waits for a turn is not slow: we are.
  if (oldest.secure->queued || monotonic_us() - oldest.secure->begun_us < kSlowAfterUs) return false;
  refuse(oldest, loop_.counters().handshakes_late, "others wait, and it is slow");
  return true;
}

void Handshakes::step(Connection& connection) {
  if (steps_ >= loop_.options().handshake_steps_max) {
    connections_.read_later(connection);
    return;
  }
  if (!speaks_tls(connection)) return;
  ++steps_;
  tls::Stream& stream = *connection.secure->stream;
  switch (stream.handshake()) {
    case Progress::done: finish(connection); return;
    case Progress::want_read: return;
    case Progress::want_write:
      // What the peer sends meanwhile would only wake the loop.
      event_del(&connection.readable);
      event_add(&connection.writable, nullptr);
      return;
    case Progress::closed:
    case Progress::failed:
      if (connection.secure->listener == nullptr)
        connections_.end(connection, tls::explain_plainly(stream));
      else
        refuse(connection, loop_.counters().handshakes_failed, stream.reason());
      return;
  }
}

// Looks at the first byte: a client without TLS is told so, and is gone then.
bool Handshakes::speaks_tls(Connection& connection) {
  Secure& secure = *connection.secure;
  char first = 0;
  if (secure.listener == nullptr || secure.greeted ||
      ::recv(connection.fd.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
    return true;
  secure.greeted = true;
  if (first == tls::kFirstByte) return true;
  std::string const& refusal = secure.listener->tls.plain_refusal;
  static_cast<void>(::send(connection.fd.get(), refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  refuse(connection, loop_.counters().handshakes_plain, "the peer does not speak TLS");
  return false;
}

void Handshakes::finish(Connection& connection) {
  Secure& secure = *connection.secure;
  if (secure.listener == nullptr) return finish_our_own(connection);
  Result<std::string> const user = secure.stream->user();
  if (!user.ok()) {
    secure.stream->tell_end();
    refuse(connection, loop_.counters().handshakes_failed, user.status().message());
    return;
  }
  end(secure);
  ++loop_.counters().accepted;
  ++loop_.counters().handshakes;
  if (secure.stream->was_resumed()) ++loop_.counters().handshakes_resumed;
  ConnectionId const id = connection.id;
  PeerName const peer = std::move(secure.peer);
  if (secure.stream->has_unread()) connections_.read_later(connection);
  loop_.handler().on_open(
      id,
      {.text = peer.text, .origin = peer.origin, .listener = secure.listener->options.number, .user = user.value()});
}

void Handshakes::finish_our_own(Connection& connection) {
  Secure& secure = *connection.secure;
  if (std::string const& wanted = secure.stream->target().protocol; secure.stream->protocol() != wanted) {
    secure.stream->tell_end();
    connections_.end(connection, fmt::format("it does not speak {} at this address", wanted));
    return;
  }
  end(secure);
  PeerName const peer = std::move(secure.peer);
  if (secure.stream->has_unread()) connections_.read_later(connection);
  loop_.handler().on_open(connection.id, {.text = peer.text, .origin = "made"});
}

// The handler has never heard of it. A reset would overtake the alert that says why.
void Handshakes::refuse(Connection& connection, std::uint64_t& counter, std::string_view why) {
  ++counter;
  warn(connection.secure->peer.text, why);
  connections_.release_lingering(connection);
}

void Handshakes::warn(std::string_view peer, std::string_view why) {
  if (!warning_.is_due()) return;
  ReactorCounters const& of = loop_.counters();
  std::uint64_t const failed = of.handshakes_failed + of.handshakes_late + of.handshakes_plain;
  loop_.warn(fmt::format("TLS handshakes fail (so far {} of {}; {} were too slow, {} spoke no TLS), now of {}: {}",
                         failed, of.handshakes + failed, of.handshakes_late, of.handshakes_plain, peer, why));
}

}  // namespace fastjournal::reactor
