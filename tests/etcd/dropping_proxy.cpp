#include "tests/etcd/dropping_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace fastjournal::test {
namespace {

// 127.0.0.1 with this port.
sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  out.sin_port = htons(port);
  return out;
}

std::uint16_t port_of(std::string const& address) {
  return static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

int make_socket() {
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) throw std::runtime_error("no socket");
  return fd;
}

}  // namespace

DroppingProxy::DroppingProxy(std::vector<std::string> const& targets) : targets_(targets) {
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("no pipe");
  for (std::size_t at = 0; at < targets_.size(); ++at) {
    int const fd = make_socket();
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(fd, 16) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no free port");
    listening_.push_back(fd);
    addresses_.push_back("127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  }
  thread_ = std::thread{[this] { run(); }};
}

DroppingProxy::~DroppingProxy() {
  ends_ = true;
  wake();
  thread_.join();
  for (int const fd : listening_) ::close(fd);
  for (int const fd : wake_) ::close(fd);
}

std::string DroppingProxy::addresses() const {
  std::string out;
  for (std::string const& one : addresses_) out += (out.empty() ? "" : ",") + one;
  return out;
}

void DroppingProxy::wake() const { static_cast<void>(::write(wake_[1], "x", 1)); }

void DroppingProxy::set(Mode mode) {
  mode_ = mode;
  wake();
}

void DroppingProxy::accept(std::size_t at) {
  int const client = ::accept4(listening_[at], nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) return;
  int const member = make_socket();
  sockaddr_in const address = loopback(port_of(targets_[at]));
  // Loopback answers at once; one that is not there is noticed by the first write.
  static_cast<void>(::connect(member, reinterpret_cast<sockaddr const*>(&address), sizeof address));
  pairs_.push_back({.client = client, .member = member});
}

bool DroppingProxy::read(int from, std::string& into) {
  std::array<char, 64U << 10U> buffer;
  ssize_t const got = ::recv(from, buffer.data(), buffer.size(), 0);
  if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

void DroppingProxy::write(int to, std::string& bytes) {
  ssize_t const took = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (took > 0) bytes.erase(0, static_cast<std::size_t>(took));
}

void DroppingProxy::run() {
  Mode before = Mode::passes;
  while (!ends_) {
    Mode const mode = mode_;
    // Those who were held have lost something.
    if (mode == Mode::passes && before != mode)
      for (Pair& pair : pairs_) pair.is_over = true;
    before = mode;
    pairs_.remove_if([](Pair const& pair) {
      if (!pair.is_over) return false;
      ::close(pair.client);
      ::close(pair.member);
      return true;
    });
    std::vector<pollfd> polled{{wake_[0], POLLIN, 0}};
    for (int const fd : listening_) polled.push_back({fd, POLLIN, 0});
    for (Pair const& pair : pairs_) {
      bool const hears_client = mode != Mode::holds_all;
      bool const hears_member = mode == Mode::passes;
      auto const wish = [](bool reads, bool writes) {
        return static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
      };
      polled.push_back({hears_client || !pair.to_client.empty() ? pair.client : -1,
                        wish(hears_client, hears_member && !pair.to_client.empty()), 0});
      polled.push_back({pair.member, wish(hears_member, hears_client && !pair.to_member.empty()), 0});
      if (!hears_member && pair.to_member.empty()) polled.back().fd = -1;
    }
    if (::poll(polled.data(), polled.size(), 1'000) <= 0) continue;
    std::array<char, 64> ignored;
    if (polled[0].revents != 0)
      while (::read(wake_[0], ignored.data(), ignored.size()) > 0) continue;
    std::size_t next = 1 + listening_.size();
    for (Pair& pair : pairs_) {
      pollfd const& client = polled[next++];
      pollfd const& member = polled[next++];
      bool is_open = true;
      if (client.revents != 0 && mode != Mode::holds_all) is_open = read(pair.client, pair.to_member);
      if (member.revents != 0 && mode == Mode::passes) is_open = read(pair.member, pair.to_client) && is_open;
      if (mode != Mode::holds_all && !pair.to_member.empty()) write(pair.member, pair.to_member);
      if (mode == Mode::passes && !pair.to_client.empty()) write(pair.client, pair.to_client);
      pair.is_over = !is_open;
    }
    for (std::size_t at = 0; at < listening_.size(); ++at)
      if (polled[1 + at].revents != 0) accept(at);
  }
  for (Pair const& pair : pairs_) {
    ::close(pair.client);
    ::close(pair.member);
  }
}

}  // namespace fastjournal::test
