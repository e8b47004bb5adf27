// Peculiarities of TLS for an open connection. Bytes may wait in OpenSSL although the socket is not readable: they get
// a turn (read_later). Reading may wait for a writable socket, and writing for a readable one. And an end without the
// word that TLS has for it is a failure.
#include <errno.h>

#include <string>
#include <utility>

#include "platform/reactor/connection.h"
#include "platform/reactor/connections.h"
#include "platform/reactor/handshakes.h"
#include "platform/tls/words.h"

namespace fastjournal::reactor {
namespace {

using Progress = tls::Stream::Progress;

// Of one call of send: encryption costs time, so a peer that reads as fast as we write must not keep the turn.
constexpr std::size_t kSendBytesMax = 1U << 20U;

}  // namespace

void Connections::on_secure_readable(Connection& connection) {
  if (connection.secure->queued || connection.look == loop_.counters().looks) return;
  connection.look = loop_.counters().looks;
  if (connection.is_shaking_hands()) return connection.secure->handshakes->step(connection);
  if (connection.paused) {
    // Watched for a send alone.
    event_del(&connection.readable);
    if (std::exchange(connection.secure->read_for_write, false)) on_secure_writable(connection);
    return;
  }
  if (loop_.is_full()) return read_later(connection);
  ConnectionId const id = connection.id;
  std::size_t got = 0;
  Progress const progress = connection.secure->stream->read(loop_.buffer(), got);
  if (progress == Progress::want_write) {
    connection.secure->write_for_read = true;
    event_del(&connection.readable);
    event_add(&connection.writable, nullptr);
  }
  if (connection.secure->stream->has_unread() && progress == Progress::done) read_later(connection);
  bool const may_write = std::exchange(connection.secure->read_for_write, false);
  if (got > 0) deliver(id, got);
  // The handler may have closed it, or paused it: then the end waits until it reads on.
  if (Connection* const still = find(id); still != nullptr && may_write) on_secure_writable(*still);
  if (Connection* const still = find(id); still != nullptr && !still->paused)
    if (progress == Progress::closed || progress == Progress::failed) take_secure_end(*still);
}

void Connections::take_secure_end(Connection& connection) {
  tls::Stream const& stream = *connection.secure->stream;
  if (connection.secure->listener == nullptr && stream.was_refused()) {
    // By an alert, which came before what we sent could fail.
    end(connection, tls::explain_plainly(stream));
  } else if (stream.has_ended() || connection.error != 0) {
    end_input(connection);
  } else if (stream.socket_error() != 0) {
    end(connection, stream.socket_error());
  } else {
    end(connection, std::string{stream.reason()});
  }
}

void Connections::on_secure_writable(Connection& connection) {
  Secure& secure = *connection.secure;
  if (secure.handshakes != nullptr) {
    event_add(&connection.readable, nullptr);
    return secure.handshakes->step(connection);
  }
  if (std::exchange(secure.write_for_read, false) && !connection.paused && !connection.input_ended) {
    event_add(&connection.readable, nullptr);
    read_later(connection);
  }
  if (secure.telling_end) return end_secure_output(connection);
  if (secure.read_for_write || !std::exchange(secure.full, false)) return;
  loop_.handler().on_writable(connection.id);
}

std::size_t Connections::send_secure(Connection& connection, std::string_view bytes) {
  Secure& secure = *connection.secure;
  std::size_t taken = 0;
  std::string_view const now = bytes.substr(0, kSendBytesMax);
  switch (secure.stream->write(now, taken)) {
    case Progress::done:
      if (taken == bytes.size()) return taken;
      break;
    case Progress::want_write: break;
    case Progress::want_read:
      secure.full = secure.read_for_write = true;
      event_add(&connection.readable, nullptr);
      return taken;
    case Progress::closed:
    case Progress::failed: fail_secure_output(connection); return bytes.size();
  }
  wait_until_writable(connection);
  return taken;
}

// Reading notices the end of a socket by itself, but no failure of TLS.
void Connections::fail_secure_output(Connection& connection) {
  int const error = connection.secure->stream->socket_error();
  fail_output(connection, error != 0 ? error : EPROTO);
  if (error == 0 && !connection.input_ended) end_later(connection);
}

void Connections::end_secure_output(Connection& connection) {
  Secure& secure = *connection.secure;
  Progress const progress = secure.stream->end_output();
  secure.telling_end = progress == Progress::want_write;
  if (secure.telling_end)
    event_add(&connection.writable, nullptr);
  else if (progress != Progress::done)
    fail_secure_output(connection);
  else if (connection.input_ended)
    end_later(connection);
}

}  // namespace fastjournal::reactor
