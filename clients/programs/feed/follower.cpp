#include "clients/programs/feed/follower.h"

#include <array>
#include <utility>

#include "base/env/network.h"
#include "clients/cpp/socket.h"
#include "platform/os/table_types.h"

namespace fastjournal::client {
Result<std::unique_ptr<Follower>> Follower::open(FollowOptions options) {
  Result<engine::TableTypes> types = os::load_table_types(options.plugins);
  if (!types.ok()) return types.status();
  Result<std::unique_ptr<Connection>> connection = Connection::open(options.connection);
  if (!connection.ok()) return connection.status();
  return std::unique_ptr<Follower>{
      new Follower{std::move(options), std::move(types).value(), std::move(connection).value()}};
}

Result<bool> Follower::ask() {
  Message request;
  if (!replica_.next_request(request)) return false;
  Result<Reply> const reply = connection_->call(request);
  if (!reply.ok()) {
    replica_.abandon();
    return reply.status();
  }
  for (Message const& message : reply->messages)
    if (Status status = replica_.take_answer(message); !status.ok()) return status;
  // As early as possible: datagrams received during the snapshot need not be fetched.
  if (!listens_ && !replica_.feed_address().empty())
    if (Status status = open_socket(); !status.ok()) return status;
  return true;
}

Status Follower::open_socket() {
  std::string const& address = options_.address.empty() ? replica_.feed_address() : options_.address;
  Result<reactor::DatagramSocket> socket = reactor::DatagramSocket::at({{address}, options_.interface});
  if (!socket.ok()) return socket.status();
  socket_ = std::move(socket).value();
  listens_ = true;
  return {};
}

bool Follower::hear() {
  std::array<char, env::kDatagramBytesMax + 1> bytes;
  bool heard = false;
  // Bounded by the kernel's buffer: this loop does not wait.
  for (std::size_t got = 0; listens_ && (got = socket_.receive(bytes)) > 0; heard = true)
    replica_.take_datagram({bytes.data(), got});
  return heard;
}

Status Follower::catch_up() {
  replica_.look();
  for (;;) {
    static_cast<void>(hear());
    Result<bool> const asked = ask();
    if (!asked.ok()) return asked.status();
    if (!asked.value()) return {};
  }
}

Status Follower::wait(Milliseconds limit, int wake_fd) {
  static_cast<void>(wait_for(listens_ ? socket_.fd() : -1, false, wake_fd, moment_after(limit)));
  if (!hear()) return {};
  for (;;) {
    Result<bool> const asked = ask();
    if (!asked.ok()) return asked.status();
    if (!asked.value()) return {};
    static_cast<void>(hear());
  }
}

}  // namespace fastjournal::client
