// Connections that are closed while their peers still send, as a client does that is told early that its request is
// refused. TCP answers bytes that nobody reads with a reset, which overtakes what was sent before: the client would see a
// broken connection, not the reason. So the end of our output is told, and what still comes is read and dropped until
// the peer ends it, too, or a limit is reached (ReactorOptions). The handler has never heard of any of it.
#include <errno.h>
#include <sys/socket.h>

#include <utility>

#include "platform/reactor/connection.h"
#include "platform/reactor/reactor.h"

namespace fastjournal::reactor {
namespace {

constexpr timeval kLookAtLingering{0, 250'000};

}  // namespace

void Reactor::linger(UniqueFd fd) {
  discard_input(fd.get());
  // Not connected any more: there is nothing to wait for.
  if (::shutdown(fd.get(), SHUT_WR) != 0) return;
  if (lingering_.size() >= options_.lingering_max && !make_room_by_lingering()) return;
  auto made = std::make_unique<Lingering>();
  made->owner = this;
  made->since_us = made->heard_us = monotonic_us();
  auto const call = [](int, short, void* argument) {
    auto& self = *static_cast<Lingering*>(argument);
    self.owner->on_lingering(self);
  };
  made->readable.reset(event_new(base_.get(), fd.get(), EV_READ | EV_PERSIST, call, made.get()));
  if (!made->readable || event_add(made->readable.get(), nullptr) != 0) return;
  made->fd = std::move(fd);
  lingering_.push_back(std::move(made));
  arm_lingering();
}

// One call for each look, as for any connection; its bytes count in the turn's.
void Reactor::on_lingering(Lingering& one) {
  if (turn_bytes_ >= options_.turn_bytes_max) return;
  ssize_t const got = ::recv(one.fd.get(), buffer_.get(), options_.read_bytes_max, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) {
    turn_bytes_ += static_cast<std::size_t>(got);
    one.bytes += static_cast<std::size_t>(got);
    one.heard_us = monotonic_us();
    if (one.bytes < options_.linger_bytes_max) return;
  }
  lingering_.remove_if([&one](auto const& other) { return other.get() == &one; });
}

bool Reactor::make_room_by_lingering() {
  if (lingering_.empty()) return false;
  lingering_.pop_front();
  return true;
}

void Reactor::arm_lingering() {
  if (lingering_event_ == nullptr) {
    auto const look = [](int, short, void* self) { static_cast<Reactor*>(self)->end_lingering(); };
    lingering_event_.reset(event_new(base_.get(), -1, 0, look, this));
    if (lingering_event_ == nullptr) return lingering_.clear();
  }
  if (event_pending(lingering_event_.get(), EV_TIMEOUT, nullptr) == 0)
    event_add(lingering_event_.get(), &kLookAtLingering);
}

void Reactor::end_lingering() {
  std::int64_t const now_us = monotonic_us();
  lingering_.remove_if([&](auto const& one) {
    return now_us - one->since_us >= options_.linger_us || now_us - one->heard_us >= options_.linger_quiet_us;
  });
  if (!lingering_.empty()) arm_lingering();
}

}  // namespace fastjournal::reactor
