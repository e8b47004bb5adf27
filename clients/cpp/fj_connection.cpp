#include "clients/cpp/fj_connection.h"

#include <array>
#include <utility>

namespace fastjournal::client {
namespace {

// Notices that wait for somebody to ask for them; the oldest go first, as newer ones tell more.
constexpr std::size_t kNoticesMax = 65'536;

}  // namespace

Result<std::unique_ptr<FjConnection>> FjConnection::open(FjOptions options) {
  std::unique_ptr<FjConnection> out{new FjConnection(std::move(options))};
  FjOptions const& wanted = out->options_;
  auto tls = Socket::tls_for(wanted.server,
                             {.ca = {wanted.ca_file, "--ca"},
                              .certificate = {wanted.certificate_file, "--certificate"},
                              .key = {wanted.key_file, "--key"}},
                             fj::kProtocol);
  if (!tls.ok()) return tls.status();
  Result<Socket> socket = Socket::connect(wanted.server, -1, moment_after(wanted.time_limit), tls.value());
  if (!socket.ok()) return socket.status();
  out->socket_ = std::move(socket).value();
  return out;
}

void FjConnection::send(fj::Request const& request) {
  std::size_t const begin = out_.size();
  fj::write(request, out_);
  if (options_.on_frame) options_.on_frame(std::string_view{out_}.substr(begin), true);
}

Result<FjReply> FjConnection::call(fj::Request request) {
  request.identifier = ++last_identifier_;
  send(request);
  return receive();
}

Result<FjReply> FjConnection::receive() {
  Moment const until = moment_after(options_.time_limit);
  for (;;) {
    Result<FjReply> reply = read(until, -1);
    if (!reply.ok() || !reply->frame.has(fj::flag::kNotice)) return reply;
    if (notices_.size() == kNoticesMax) notices_.pop_front();
    notices_.push_back(std::move(reply).value());
  }
}

Result<FjReply> FjConnection::wait_notice(Milliseconds limit, int wake_fd) {
  if (notices_.empty()) return read(moment_after(limit), wake_fd);
  if (Status status = socket_.check_process(); !status.ok()) return status;
  FjReply out = std::move(notices_.front());
  notices_.pop_front();
  return out;
}

Result<FjReply> FjConnection::read(Moment until, int wake_fd) {
  if (Status status = socket_.check_process(); !status.ok()) return status;
  for (;;) {
    FjReply out;
    fj::Cut const cut = fj::read(in_, kFjReplyBytesMax, out.frame);
    if (cut.kind == fj::Cut::Kind::broken) {
      socket_.close();
      return Status{Code::closed, "what came from " + options_.server + " is no reply of the FJ protocol: " +
                                      cut.problem + "; is that a listener with protocol=\"fj\"?"};
    }
    if (cut.kind == fj::Cut::Kind::whole) {
      out.bytes = std::make_unique<std::string>(in_.substr(0, static_cast<std::size_t>(cut.bytes)));
      in_.erase(0, out.bytes->size());
      static_cast<void>(fj::read(*out.bytes, kFjReplyBytesMax, out.frame));
      if (options_.on_frame) options_.on_frame(*out.bytes, false);
      return out;
    }
    if (Status status = exchange(until, wake_fd); !status.ok()) return status;
  }
}

// Sends what can be sent, and receives what has come.
Status FjConnection::exchange(Moment until, int wake_fd) {
  if (!socket_.is_open()) return {Code::closed, "the connection to " + options_.server + " is closed"};
  if (!out_.empty()) {
    Result<std::size_t> const sent = socket_.send(out_);
    if (!sent.ok()) return sent.status();
    out_.erase(0, sent.value());
  }
  if (!socket_.has_unread()) {
    Ready const ready = wait_for(socket_.fd(), !out_.empty() || socket_.wants_write(), wake_fd, until);
    if (ready.woken) return {Code::timed_out, "woken"};
    if (!ready.readable && !ready.writable && std::chrono::steady_clock::now() >= until)
      return {Code::timed_out, "no reply from " + options_.server + " in time"};
    if (!ready.readable && !socket_.wants_write()) return {};
  }
  std::array<char, 64U << 10U> buffer;
  Result<std::size_t> const received = socket_.receive(buffer);
  if (!received.ok()) return received.status();
  in_.append(buffer.data(), received.value());
  return {};
}

}  // namespace fastjournal::client
