// See lingering.h.
#include "platform/reactor/lingering.h"

#include <errno.h>
#include <event2/event.h>
#include <sys/socket.h>

#include <utility>

namespace fastjournal::reactor {
namespace {

constexpr timeval kLookAtLingering{0, 250'000};

}  // namespace

void discard_input(int fd) {
  constexpr std::size_t kDiscardBytesMax = 1U << 20U;
  char discarded[16U << 10U];  // not the loop's buffer: the handler may still be using it
  std::size_t total = 0;
  while (total < kDiscardBytesMax) {
    ssize_t const got = ::recv(fd, discarded, sizeof discarded, MSG_DONTWAIT);
    if (got <= 0) return;
    total += static_cast<std::size_t>(got);
  }
}

void Lingering::add(UniqueFd fd) {
  discard_input(fd.get());
  // Not connected any more: there is nothing to wait for.
  if (::shutdown(fd.get(), SHUT_WR) != 0) return;
  if (peers_.size() >= loop_.options().lingering_max && !make_room()) return;
  auto made = std::make_unique<Peer>();
  made->owner = this;
  made->since_us = made->heard_us = monotonic_us();
  auto const readable = &call<Peer, &Lingering::on_readable>;
  if (!loop_.watch(fd.get(), "what still comes", readable, made.get(), made->readable).ok()) return;
  made->fd = std::move(fd);
  peers_.push_back(std::move(made));
  arm();
}

// One call for each look, as for any connection; its bytes count in the turn's.
void Lingering::on_readable(Peer& one) {
  if (loop_.is_full()) return;
  ssize_t const got = ::recv(one.fd.get(), loop_.buffer().data(), loop_.buffer().size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) {
    loop_.turn().bytes += static_cast<std::size_t>(got);
    one.bytes += static_cast<std::size_t>(got);
    one.heard_us = monotonic_us();
    if (one.bytes < loop_.options().linger_bytes_max) return;
  }
  peers_.remove_if([&one](auto const& other) { return other.get() == &one; });
}

bool Lingering::make_room() {
  if (peers_.empty()) return false;
  peers_.pop_front();
  return true;
}

void Lingering::arm() {
  auto const look = [](int, short, void* self) { static_cast<Lingering*>(self)->end_late(); };
  if (timer_ == nullptr && !loop_.make_timer(look, this, timer_).ok()) return peers_.clear();
  if (event_pending(timer_.get(), EV_TIMEOUT, nullptr) == 0) event_add(timer_.get(), &kLookAtLingering);
}

void Lingering::end_late() {
  std::int64_t const now_us = monotonic_us();
  peers_.remove_if([&](auto const& one) {
    return now_us - one->since_us >= loop_.options().linger_us ||
           now_us - one->heard_us >= loop_.options().linger_quiet_us;
  });
  if (!peers_.empty()) arm();
}

}  // namespace fastjournal::reactor
