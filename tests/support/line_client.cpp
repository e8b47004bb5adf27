// The blocking client of the tests; see line_client.h.
#include "tests/support/line_client.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fastjournal::test {
namespace {

[[noreturn]] void fail(std::string const& what) { throw std::system_error(errno, std::generic_category(), what); }

int connect_unix(std::string const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::invalid_argument("path too long for a unix socket: " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  int const fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  int const error = errno;
  ::close(fd);
  errno = error;
  fail("connect " + path);
}

int connect_internet(std::string const& address) {
  std::size_t const colon = address.rfind(':');
  if (colon == std::string::npos) throw std::invalid_argument("no port in " + address);
  std::string host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0)
    throw std::invalid_argument("no address: " + address);
  int const fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int const connected = fd < 0 ? -1 : ::connect(fd, found->ai_addr, found->ai_addrlen);
  int const error = errno;
  ::freeaddrinfo(found);
  if (connected == 0) {
    int const on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
  }
  if (fd >= 0) ::close(fd);
  errno = error;
  fail("connect " + address);
}

}  // namespace

LineClient::LineClient(std::string const& address) {
  if (address.starts_with("unix:"))
    fd_ = connect_unix(address.substr(5));
  else
    fd_ = address.starts_with('/') ? connect_unix(address) : connect_internet(address);
}

LineClient::~LineClient() { close(); }

LineClient::LineClient(LineClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      ended_(other.ended_),
      buffer_(std::move(other.buffer_)),
      consumed_(std::exchange(other.consumed_, 0)) {}

LineClient& LineClient::operator=(LineClient&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  ended_ = other.ended_;
  buffer_ = std::move(other.buffer_);
  consumed_ = std::exchange(other.consumed_, 0);
  return *this;
}

void LineClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void LineClient::end_output() { ::shutdown(fd_, SHUT_WR); }

void LineClient::reset() {
  linger const at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

bool LineClient::wait_for(short what, Deadline deadline) const {
  while (true) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd look{fd_, what, 0};
    int const ready = ::poll(&look, 1, left > 0 ? static_cast<int>(left) : 0);
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) fail("poll");
  }
}

std::size_t LineClient::send_some(std::string_view bytes) {
  ssize_t const sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != EAGAIN && errno != EINTR) ended_ = true;
  return 0;
}

bool LineClient::send(std::string_view bytes, std::chrono::milliseconds limit) {
  Deadline const deadline = std::chrono::steady_clock::now() + limit;
  while (!bytes.empty()) {
    std::size_t const sent = send_some(bytes);
    bytes.remove_prefix(sent);
    if (ended_) return false;
    if (sent == 0 && !wait_for(POLLOUT, deadline)) return false;
  }
  return true;
}

bool LineClient::fill(Deadline deadline) {
  if (ended_ || fd_ < 0 || !wait_for(POLLIN, deadline)) return false;
  char piece[64U << 10U];
  ssize_t const got = ::recv(fd_, piece, sizeof piece, 0);
  if (got > 0) {
    buffer_.append(piece, static_cast<std::size_t>(got));
    return true;
  }
  if (got < 0 && errno == EINTR) return true;
  ended_ = true;
  return false;
}

std::string LineClient::take(std::size_t count) {
  std::string out = buffer_.substr(consumed_, count);
  consumed_ += count;
  if (consumed_ * 2 > buffer_.size()) {
    buffer_.erase(0, consumed_);
    consumed_ = 0;
  }
  return out;
}

std::optional<std::string> LineClient::read_line(std::chrono::milliseconds limit) {
  Deadline const deadline = std::chrono::steady_clock::now() + limit;
  std::size_t searched = consumed_;
  while (true) {
    std::size_t const end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = take(end + 1 - consumed_);
      line.pop_back();
      return line;
    }
    searched = buffer_.size();
    if (!fill(deadline)) return std::nullopt;
  }
}

std::string LineClient::ask(std::string_view line) {
  if (!send(std::string{line} + "\n")) return "(no answer)";
  return read_line().value_or("(no answer)");
}

std::optional<std::string> LineClient::read_bytes(std::size_t count, std::chrono::milliseconds limit) {
  Deadline const deadline = std::chrono::steady_clock::now() + limit;
  while (buffer_.size() - consumed_ < count)
    if (!fill(deadline)) return std::nullopt;
  return take(count);
}

std::optional<std::string> LineClient::read_all(std::chrono::milliseconds limit) {
  Deadline const deadline = std::chrono::steady_clock::now() + limit;
  while (fill(deadline)) {
  }
  if (!ended_) return std::nullopt;
  return take(buffer_.size() - consumed_);
}

}  // namespace fastjournal::test
