#include "clients/cpp/blob_datagram.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "clients/cpp/socket.h"

namespace fastjournal::client {
namespace {

std::string datagram_reason(int error) { return std::strerror(error); }

Result<sockaddr_un> address_of(std::string_view path) {
  if (path.starts_with("unix:")) path.remove_prefix(5);
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof out.sun_path)
    return Status{Code::bad_parameter, "'" + std::string{path} + "' is no path of a unix socket: expected 1 to " +
                                           std::to_string(sizeof out.sun_path - 1) + " bytes"};
  path.copy(out.sun_path, path.size());
  return out;
}

sockaddr const* any(sockaddr_un const& address) { return reinterpret_cast<sockaddr const*>(&address); }

// The file of an address of one's own.
class OwnPath {
 public:
  OwnPath() = default;
  OwnPath(OwnPath const&) = delete;
  OwnPath& operator=(OwnPath const&) = delete;
  ~OwnPath() {
    if (is_made_) ::unlink(address_.sun_path);
  }

  [[nodiscard]] Status bind(int fd, std::string const& path) {
    Result<sockaddr_un> const address = address_of(path);
    if (!address.ok()) return address.status();
    address_ = address.value();
    if (::bind(fd, any(address_), sizeof address_) != 0)
      return {errno == EADDRINUSE ? Code::in_use : Code::io_error, "bind " + path + ": " + datagram_reason(errno)};
    is_made_ = true;
    return {};
  }

 private:
  sockaddr_un address_{};
  bool is_made_{false};
};

}  // namespace

Result<bcdb::Response> ask_by_datagram(std::string const& port, std::string const& own_path, bcdb::Key const& key,
                                       Milliseconds limit) {
  constexpr std::uint32_t kEcho = 1;
  Result<sockaddr_un> const to = address_of(port);
  if (!to.ok()) return to.status();
  Socket const socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return Status{Code::unavailable, "socket: " + datagram_reason(errno)};
  OwnPath own;
  if (own_path.empty()) {
    sockaddr_un drawn{};
    drawn.sun_family = AF_UNIX;
    if (::bind(socket.fd(), any(drawn), sizeof drawn.sun_family) != 0)
      return Status{Code::io_error, "bind to an address of the system: " + datagram_reason(errno)};
  } else if (Status const status = own.bind(socket.fd(), own_path); !status.ok()) {
    return status;
  }
  // From then on no other process can answer.
  if (::connect(socket.fd(), any(to.value()), sizeof to.value()) != 0)
    return Status{Code::unavailable, "cannot connect to " + port + ": " + datagram_reason(errno)};
  std::string query;
  bcdb::write(bcdb::Ask{.echo = kEcho, .key = key}, query);
  Moment const until = moment_after(limit);
  bool is_sent = false;
  while (true) {
    if (!is_sent) {
      ssize_t const sent = ::send(socket.fd(), query.data(), query.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      is_sent = sent >= 0;
      if (!is_sent && errno != EAGAIN && errno != EINTR)
        return Status{Code::unavailable, "send to " + port + ": " + datagram_reason(errno)};
    }
    std::array<char, bcdb::kResponseWithFlagsBytes + 1> buffer;
    ssize_t const got = is_sent ? ::recv(socket.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT) : 0;
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return Status{Code::unavailable, "receive from " + port + ": " + datagram_reason(errno)};
    auto const bytes = static_cast<std::size_t>(got < 0 ? 0 : got);
    if (bytes == bcdb::kResponseBytes || bytes == bcdb::kResponseWithFlagsBytes) {
      bcdb::Response const response = bcdb::read_response({buffer.data(), bytes});
      if (response.echo == kEcho && response.begin <= response.end) return response;
    }
    if (std::chrono::steady_clock::now() >= until)
      return Status{Code::timed_out, "no answer from " + port + " in time"};
    if (is_sent)
      static_cast<void>(wait_for(socket.fd(), false, -1, until));
    else
      static_cast<void>(wait_to_write(socket.fd(), until));
  }
}

}  // namespace fastjournal::client
