// The output of connections: bytes, ranges of files, descriptors of files, and the end. Nothing waits: the rest that
// the kernel does not take now stays with the handler until on_writable.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/check.h"
#include "base/env/disk.h"
#include "platform/reactor/connection.h"
#include "platform/reactor/connections.h"

namespace fastjournal::reactor {
namespace {

// Of a file that is read to be sent. More than a record of TLS has: once begun, it must be offered as many bytes again.
constexpr std::size_t kReadBytes = 64U << 10U;

// The peer may be heard of again: the kernel has no room now.
bool is_for_later(int error) { return error == EAGAIN || error == EINTR || error == ENOBUFS || error == ENOMEM; }

// sendfile(2) has no MSG_NOSIGNAL: the signal of a peer that is gone is held back and taken away. It may have been
// raised by each call that did less than it was asked for.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    if (::sigismember(&before_, SIGPIPE) != 0) return;
    int const error = errno;  // of the call
    timespec const at_once{};
    if (may_be_raised_) static_cast<void>(::sigtimedwait(&pipe_, nullptr, &at_once));
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoBrokenPipe(NoBrokenPipe const&) = delete;
  NoBrokenPipe& operator=(NoBrokenPipe const&) = delete;
  void may_be_raised() { may_be_raised_ = true; }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool may_be_raised_{false};
};

// -1, with errno, as sendfile(2) does.
ssize_t give_file(int socket, int file, std::uint64_t offset, std::size_t bytes) {
  NoBrokenPipe held;
  auto at = static_cast<off_t>(offset);
  ssize_t const sent = ::sendfile(socket, file, &at, bytes);
  if (sent < static_cast<ssize_t>(bytes)) held.may_be_raised();
  return sent;
}

Status ends_before(std::uint64_t offset) {
  return {Code::damaged, fmt::format("send a file: it ends before its byte {}, which was to be sent", offset)};
}

bool is_unix(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

// All of `bytes`, or as many as the kernel takes; the descriptor goes with the first of them.
ssize_t give_descriptor(int socket, std::string_view bytes, int descriptor) {
  // The kernel only reads the bytes.
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptor);
  ::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// It took only a part before, and on_writable follows.
bool is_full(Connection const& connection) {
  if (connection.secure != nullptr) return connection.is_shaking_hands() || connection.secure->full;
  return event_pending(&connection.writable, EV_WRITE, nullptr) != 0;
}

}  // namespace

void Connections::wait_until_writable(Connection& connection) {
  if (is_full(connection)) return;
  if (connection.secure != nullptr) connection.secure->full = true;
  event_add(&connection.writable, nullptr);
}

// Reading notices the end by itself. If the input has ended, the next turn reports it.
void Connections::fail_output(Connection& connection, int error) {
  connection.error = error;
  if (connection.input_ended) end_later(connection);
}

std::size_t Connections::send(ConnectionId id, std::string_view bytes) {
  Connection* const connection = find(id);
  if (connection == nullptr || bytes.empty()) return 0;
  FJ_CHECK(!connection->output_ended, "nothing is sent after the end of output");
  if (connection->error != 0) return bytes.size();
  if (is_full(*connection)) return 0;
  if (connection->secure != nullptr) return send_secure(*connection, bytes);
  ssize_t sent = -1;
  do {
    sent = ::send(connection->fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(bytes.size())) return bytes.size();
  if (sent < 0 && !is_for_later(errno)) {
    fail_output(*connection, errno);
    return bytes.size();
  }
  wait_until_writable(*connection);
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

Result<std::size_t> Connections::send_file(ConnectionId id, env::File& file, std::uint64_t offset,
                                           std::uint64_t bytes) {
  Connection* const connection = find(id);
  if (connection == nullptr || bytes == 0) return std::size_t{0};
  FJ_CHECK(!connection->output_ended, "nothing is sent after the end of output");
  if (connection->error != 0) return static_cast<std::size_t>(bytes);
  if (is_full(*connection)) return std::size_t{0};
  std::size_t const most = std::min<std::uint64_t>(bytes, env::kSendFileBytesMax);
  ssize_t sent = -1;
  bool const can_give = connection->secure == nullptr && file.descriptor() >= 0;
  if (can_give) sent = give_file(connection->fd.get(), file.descriptor(), offset, most);
  if (can_give && sent == 0) return ends_before(offset);
  if (!can_give || (sent < 0 && !is_for_later(errno))) {
    // Of an error the kernel does not tell whether it is the file's or the peer's; and some file systems have no
    // sendfile(2).
    Result<std::size_t> const by_reading = send_by_reading(*connection, file, offset, most);
    if (!by_reading.ok()) return by_reading;
    if (connection->error != 0) return static_cast<std::size_t>(bytes);
    sent = static_cast<ssize_t>(by_reading.value());
  }
  std::size_t const taken = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (taken < bytes) wait_until_writable(*connection);
  return taken;
}

// A failure is told when nothing was taken before it, as that would not be counted.
Result<std::size_t> Connections::send_by_reading(Connection& connection, env::File& file, std::uint64_t offset,
                                                 std::size_t bytes) {
  std::byte read[kReadBytes];
  std::size_t taken = 0;
  while (taken < bytes) {
    Result<std::size_t> const got = file.read(offset + taken, {read, std::min(bytes - taken, sizeof read)});
    if (!got.ok() || got.value() == 0) {
      if (taken > 0) return taken;
      return got.ok() ? ends_before(offset) : got.status();
    }
    std::size_t const now = send(connection.id, {reinterpret_cast<char const*>(read), got.value()});
    taken += now;
    if (now < got.value() || connection.error != 0) break;
  }
  return taken;
}

Result<std::size_t> Connections::send_with_descriptor(ConnectionId id, std::string_view bytes, env::File& file) {
  FJ_CHECK(!bytes.empty(), "a descriptor goes with a byte");
  Connection* const connection = find(id);
  if (connection == nullptr) return std::size_t{0};
  FJ_CHECK(!connection->output_ended, "nothing is sent after the end of output");
  if (connection->secure != nullptr || !is_unix(connection->fd.get()))
    return Status{Code::not_supported, "descriptors are given over unix sockets without TLS only"};
  if (connection->error != 0) return bytes.size();
  if (is_full(*connection)) return std::size_t{0};
  // Not our own one, as its receiver could write by it, too.
  Result<std::unique_ptr<env::File>> const reader = file.reopen_to_read();
  if (!reader.ok()) return reader.status();
  ssize_t sent = -1;
  do {
    sent = give_descriptor(connection->fd.get(), bytes, reader.value()->descriptor());
  } while (sent < 0 && errno == EINTR);
  // Too many of them are under way to peers that do not read.
  if (sent < 0 && (errno == ETOOMANYREFS || errno == EBADF))
    return system_failure("give a descriptor", "of a file", errno);
  if (sent < 0 && !is_for_later(errno)) {
    fail_output(*connection, errno);
    return bytes.size();
  }
  if (sent < static_cast<ssize_t>(bytes.size())) wait_until_writable(*connection);
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

void Connections::end_output(ConnectionId id) {
  Connection* const connection = find(id);
  if (connection == nullptr || connection->error != 0 || connection->output_ended) return;
  FJ_CHECK(!is_full(*connection), "the end of output comes after all that was to be sent");
  connection->output_ended = true;
  if (connection->secure != nullptr) return end_secure_output(*connection);
  // If the peer is gone, reading notices that.
  static_cast<void>(::shutdown(connection->fd.get(), SHUT_WR));
}

}  // namespace fastjournal::reactor
