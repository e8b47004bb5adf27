// A stream socket to the daemon, TCP or unix, with TLS or without, never blocking. All waiting of the library is in
// wait_for() and wait_for_any().
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"
#include "platform/tls/context.h"
#include "platform/tls/stream.h"

struct pollfd;

namespace fastjournal::client {

using Moment = std::chrono::steady_clock::time_point;

[[nodiscard]] inline Moment moment_now() { return std::chrono::steady_clock::now(); }
// now + limit; saturates at Moment::max().
[[nodiscard]] Moment moment_after(std::chrono::milliseconds limit);

struct Ready {
  bool readable{false};
  bool writable{false};
  bool woken{false};  // wake_fd is readable
};
// Waits until `fd` (-1: none) is readable or, if wanted, writable, or `wake_fd` (-1: none) is readable, or until
// `until`; in the last case nothing is set. May return early with nothing set.
[[nodiscard]] Ready wait_for(int fd, bool want_write, int wake_fd, Moment until);
// The same for any number of descriptors. False: none is ready by `until`, or early.
[[nodiscard]] bool wait_for_any(std::span<pollfd> polled, Moment until);
// `fd` -1: none.
[[nodiscard]] pollfd polled_of(int fd, bool want_write);
[[nodiscard]] Ready ready_of(pollfd const& polled);
// Whether `wake_fd` (-1: none) is readable. Does not wait.
[[nodiscard]] bool is_woken(int wake_fd);
// Waits until `fd` is writable, whatever there is to read: for a peer that has ended its side. False: not by `until`, or
// early.
[[nodiscard]] bool wait_to_write(int fd, Moment until);

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd);
  Socket(Socket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), process_(other.process_), tls_(std::move(other.tls_)) {}
  Socket& operator=(Socket&& other) noexcept;
  Socket(Socket const&) = delete;
  Socket& operator=(Socket const&) = delete;
  ~Socket() { close(); }

  // `address` as in client::Options::server. unavailable, with the address and the reason, without an answer by `until`
  // or `wake_fd` becomes readable; bad_parameter if it is not an address.
  // `tls`: of tls_for(address).
  [[nodiscard]] static Result<Socket> connect(std::string const& address, int wake_fd, Moment until,
                                              std::shared_ptr<tls::ClientContext> const& tls = nullptr);
  // bad_parameter if it is not an address; whether it is in use is not checked.
  [[nodiscard]] static Status check(std::string const& address);
  [[nodiscard]] static bool is_tls(std::string_view address);
  // Null for an address without "tls:". `protocol`: what is to be spoken, by its name in ALPN.
  [[nodiscard]] static Result<std::shared_ptr<tls::ClientContext>> tls_for(
      std::string const& address, tls::ClientFiles const& files, std::string_view protocol = tls::kMessagesProtocol);

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }
  // Unread input is dropped; with TLS the daemon is told that it is the end, but by a child of fork(), where only the
  // descriptor is closed.
  void close();
  // not_supported in another process than the one that made it: two would read each other's bytes. The same is returned
  // by send() and receive().
  [[nodiscard]] Status check_process() const;
  // Bytes can be received though the socket is not readable.
  [[nodiscard]] bool has_unread() const { return tls_ != nullptr && tls_->has_unread(); }
  // Receiving goes on when the socket is writable.
  [[nodiscard]] bool wants_write() const { return wants_write_; }

  // Returns the bytes taken by the kernel, possibly 0; closed if the peer is gone. The next call begins with those that
  // were not taken.
  [[nodiscard]] Result<std::size_t> send(std::string_view bytes);
  // Returns the bytes received, possibly 0; closed at the end of the stream.
  [[nodiscard]] Result<std::size_t> receive(std::span<char> into);

 private:
  [[nodiscard]] Status shake_hands(std::shared_ptr<tls::ClientContext> const& tls, int wake_fd, Moment until);

  int fd_{-1};
  pid_t process_{0};  // that made it
  std::unique_ptr<tls::Stream> tls_;
  bool wants_write_{false};
};

}  // namespace fastjournal::client
