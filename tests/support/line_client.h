// A blocking client for tests and benches: connects, sends text, and reads lines and bytes with a time limit. It uses
// neither the reactor nor the codecs, so a test sees what a foreign client would.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::test {

// The longest wait of a test for something that must come; reaching it is a failure.
inline constexpr std::chrono::milliseconds kPatience{20'000};

class LineClient {
 public:
  // "127.0.0.1:4050", "[::1]:4050", "unix:/path" or "/path". Throws std::system_error if nobody listens, as the test
  // could not go on.
  explicit LineClient(std::string const& address);
  ~LineClient();
  LineClient(LineClient&& other) noexcept;
  LineClient& operator=(LineClient&& other) noexcept;
  LineClient(LineClient const&) = delete;
  LineClient& operator=(LineClient const&) = delete;

  // Sends all of it; false if the peer is gone or takes nothing within the limit.
  bool send(std::string_view bytes, std::chrono::milliseconds limit = kPatience);
  // Sends as much as the kernel takes now; returns the number of bytes.
  std::size_t send_some(std::string_view bytes);
  // The next line, without its LF. Nothing at the end of input or after the limit (closed() tells which).
  std::optional<std::string> read_line(std::chrono::milliseconds limit = kPatience);
  // Sends the line and reads one; "(no answer)" if that fails.
  std::string ask(std::string_view line);
  // Exactly `count` bytes, or nothing.
  std::optional<std::string> read_bytes(std::size_t count, std::chrono::milliseconds limit = kPatience);
  // Everything up to the end of input; nothing if the end does not come in time.
  std::optional<std::string> read_all(std::chrono::milliseconds limit = kPatience);

  // The other side gets the end of input; answers still arrive.
  void end_output();
  // Ends the connection with a reset instead of an orderly end (TCP).
  void reset();
  void close();
  // The peer has ended the connection, or it broke.
  [[nodiscard]] bool closed() const { return ended_; }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  bool wait_for(short what, Deadline deadline) const;
  bool fill(Deadline deadline);
  std::string take(std::size_t count);

  int fd_{-1};
  bool ended_{false};
  std::string buffer_;
  std::size_t consumed_{0};
};

}  // namespace fastjournal::test
