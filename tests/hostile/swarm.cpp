#include "tests/hostile/swarm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fastjournal::hostile {
namespace {

constexpr std::size_t kChunkBytes = 64U << 10U;
constexpr std::size_t kHeardBytes = 1024;

sockaddr_in internet_address(std::string const& host, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &out.sin_addr);
  return out;
}

int connect_to(std::string const& address, std::string const& from) {
  if (address.starts_with("unix:")) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::strncpy(to.sun_path, address.c_str() + 5, sizeof to.sun_path - 1);
    int const fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return fd;
    ::close(fd);
    return -1;
  }
  std::size_t const colon = address.rfind(':');
  sockaddr_in const to =
      internet_address(address.substr(0, colon), static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && !from.empty()) {
    // The port is chosen with the connection, so that each of them may have all.
    int const on = 1;
    ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    sockaddr_in const own = internet_address(from, 0);
    static_cast<void>(::bind(fd, reinterpret_cast<sockaddr const*>(&own), sizeof own));
  }
  if (fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr const*>(&to), sizeof to) == 0) return fd;
  ::close(fd);
  return -1;
}

}  // namespace

Swarm::~Swarm() {
  for (Member const& member : members_) ::close(member.fd);
}

bool Swarm::add(Script script) {
  int const fd = connect_to(address_, from_);
  if (fd < 0) return false;
  Member& member = members_.emplace_back();
  member.fd = fd;
  member.script = std::move(script);
  return true;
}

std::string_view Swarm::next_piece(Member& member) {
  static std::string const filler(kChunkBytes, 'x');
  if (member.finished()) return {};
  if (member.at == member.size()) {
    member.at = 0;
    --member.script.repeat;
  }
  std::uint64_t const head = std::min<std::uint64_t>(member.at, member.script.head.size());
  if (head < member.script.head.size()) return std::string_view{member.script.head}.substr(head);
  std::uint64_t const in_fill = member.at - head;
  if (in_fill < member.script.fill)
    return std::string_view{filler}.substr(0, std::min<std::uint64_t>(kChunkBytes, member.script.fill - in_fill));
  return std::string_view{member.script.tail}.substr(in_fill - member.script.fill);
}

void Swarm::send_some(Member& member, std::uint64_t bytes_max) {
  for (int i = 0; i < 64 && bytes_max > 0 && !member.finished(); ++i) {
    std::string_view const piece = next_piece(member).substr(0, bytes_max);
    ssize_t const sent = ::send(member.fd, piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      // The reason may have arrived before the end.
      read_some(member);
      member.ended = true;
      return;
    }
    member.at += static_cast<std::uint64_t>(sent);
    sent_ += static_cast<std::uint64_t>(sent);
    bytes_max -= static_cast<std::uint64_t>(sent);
  }
}

void Swarm::read_some(Member& member) {
  char bytes[kChunkBytes];
  ssize_t const got = ::recv(member.fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) member.ended = true;
  if (got <= 0) return;
  std::string_view const text{bytes, static_cast<std::size_t>(got)};
  if (member.heard.size() < kHeardBytes) member.heard += text.substr(0, kHeardBytes - member.heard.size());
  member.lines += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

void Swarm::drive(std::chrono::milliseconds quiet, std::uint64_t lines) {
  std::vector<std::uint64_t> wanted;
  for (Member const& member : members_) wanted.push_back(member.lines + lines);
  std::vector<pollfd> waits(members_.size());
  for (;;) {
    bool open = false;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member const& member = members_[i];
      bool const hears = read_ && (member.lines < wanted[i] || !member.finished());
      waits[i] = {.fd = member.ended || (member.finished() && !hears) ? -1 : member.fd, .events = 0, .revents = 0};
      if (!member.finished()) waits[i].events |= POLLOUT;
      if (hears) waits[i].events |= POLLIN;
      open = open || waits[i].fd >= 0;
    }
    if (!open || ::poll(waits.data(), waits.size(), static_cast<int>(quiet.count())) <= 0) return;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if ((waits[i].revents & POLLOUT) != 0) send_some(members_[i], UINT64_MAX);
      if ((waits[i].revents & POLLIN) != 0)
        read_some(members_[i]);
      else if ((waits[i].revents & (POLLHUP | POLLERR)) != 0)
        members_[i].ended = true;
    }
  }
}

void Swarm::dribble(std::chrono::milliseconds every, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  auto const end = Clock::now() + limit;
  auto next = Clock::now();
  std::vector<pollfd> waits(members_.size());
  while (ended() < members_.size() && Clock::now() < end) {
    if (Clock::now() >= next) {
      for (Member& member : members_)
        if (!member.ended)
          send_some(member, std::max<std::uint64_t>(member.script.head.size(), member.at + 1) - member.at);
      next = Clock::now() + every;
    }
    for (std::size_t i = 0; i < members_.size(); ++i)
      waits[i] = {.fd = members_[i].ended ? -1 : members_[i].fd, .events = POLLIN, .revents = 0};
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count();
    if (::poll(waits.data(), waits.size(), static_cast<int>(std::max<std::int64_t>(left, 0)) + 1) <= 0) continue;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (waits[i].revents != 0) read_some(members_[i]);
  }
}

std::size_t Swarm::ended() const {
  return static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(), [](Member const& member) { return member.ended; }));
}

}  // namespace fastjournal::hostile
