// A stream socket to the daemon, TCP or unix, never blocking: whoever uses it
// waits with wait_for(), which all waiting of the library goes through.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::client {

using Moment = std::chrono::steady_clock::time_point;

// now + limit; Moment::max() if that is beyond every date.
[[nodiscard]] Moment moment_after(std::chrono::milliseconds limit);

struct Ready {
  bool readable{false};
  bool writable{false};
  bool woken{false};  // wake_fd is readable
};
// Waits until `fd` (-1: none) can be read or, if wanted, written, or `wake_fd`
// (-1: none) can be read, or `until` has come: then nothing is set. May return early with nothing set.
[[nodiscard]] Ready wait_for(int fd, bool want_write, int wake_fd, Moment until);

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&& other) noexcept;
  Socket(Socket const&) = delete;
  Socket& operator=(Socket const&) = delete;
  ~Socket() { close(); }

  // `address` as in client::Options::server. unavailable, with the address and the
  // reason, if nobody answers by `until` or `wake_fd` becomes readable; bad_parameter if it is no address.
  [[nodiscard]] static Result<Socket> connect(std::string const& address, int wake_fd, Moment until);

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }
  void close();

  // Bytes the kernel took, perhaps 0; closed if the peer is gone.
  [[nodiscard]] Result<std::size_t> send(std::string_view bytes);
  // Bytes that were there, perhaps 0; closed at the end of the stream.
  [[nodiscard]] Result<std::size_t> receive(std::span<char> into);

 private:
  int fd_{-1};
};

}  // namespace fastjournal::client
