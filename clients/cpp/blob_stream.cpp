#include "clients/cpp/blob_stream.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace fastjournal::client {
namespace {

// Bytes of puts up to this size are copied, and leave together.
constexpr std::size_t kTogetherBytes = 64U << 10U;
// Descriptors of one message; of a daemon one.
constexpr std::size_t kDescriptorsMax = 4;

Code code_of(bcdb::Outcome outcome) {
  switch (outcome) {
    case bcdb::Outcome::ok:
    case bcdb::Outcome::absent: return Code::ok;
    case bcdb::Outcome::no_space: return Code::no_space;
    case bcdb::Outcome::damaged: return Code::damaged;
    case bcdb::Outcome::too_large: return Code::too_large;
    case bcdb::Outcome::not_allowed: return Code::not_allowed;
    case bcdb::Outcome::unavailable: return Code::unavailable;
    case bcdb::Outcome::refused: break;
  }
  return Code::invalid;
}

bool is_unix(std::string_view address) { return address.starts_with("unix:") || address.starts_with('/'); }

Status odd(std::string const& server, std::string const& problem) {
  return {Code::invalid, "what came from " + server + " is no packet of a blob table: " + problem +
                             "; is that a listener with protocol=\"blobread\" or \"blobwrite\"?"};
}

}  // namespace

BlobStream::~BlobStream() {
  for (int const descriptor : passed_) ::close(descriptor);
}

// The daemon's text begins with the name of the code.
Status BlobStream::status_of(bcdb::Reply const& reply) {
  if (!reply.has_text()) return {};
  std::size_t const colon = reply.text.find(": ");
  std::optional<Code> const code =
      colon == std::string::npos ? std::nullopt : code_of_wire_name(std::string_view{reply.text}.substr(0, colon));
  if (!code || *code == Code::ok) return {code_of(reply.outcome), reply.text};
  return {*code, reply.text.substr(colon + 2)};
}

// ---------------------------------------------------------------------------
// Connections

Result<Socket> BlobStream::connect(BlobStreamOptions const& options, Moment until) {
  auto tls = Socket::tls_for(options.server, {.ca = {options.ca_file, "--ca"},
                                              .certificate = {options.certificate_file, "--certificate"},
                                              .key = {options.key_file, "--key"}});
  if (!tls.ok()) return tls.status();
  return Socket::connect(options.server, -1, until, tls.value());
}

Result<std::unique_ptr<BlobStream>> BlobStream::open(BlobStreamOptions options) {
  if (options.version != 1 && options.version != bcdb::kVersion)
    return Status{Code::bad_parameter, "version is " + std::to_string(options.version) + "; expected 1 or 2"};
  std::unique_ptr<BlobStream> out{new BlobStream(std::move(options))};
  Moment const until = moment_after(out->options_.time_limit);
  Result<Socket> socket = connect(out->options_, until);
  if (!socket.ok()) return socket.status();
  out->socket_ = std::move(socket).value();
  out->may_pass_ = is_unix(out->options_.server);
  if (out->options_.version == 1) return out;
  if (Status const status = out->greet(until); !status.ok()) return status;
  return out;
}

Status BlobStream::greet(Moment until) {
  bcdb::write(bcdb::Hello{}, out_);
  if (Status const status = wait_for_bytes(bcdb::kHelloBytes, until); !status.ok()) return status;
  if (!bcdb::is_hello(unread())) return lost(odd(options_.server, "it does not begin with a hello"));
  bcdb::Hello const hello = bcdb::read_hello(unread());
  drop(bcdb::kHelloBytes);
  if (hello.version != bcdb::kVersion)
    return lost({Code::not_supported, options_.server + " speaks version " + std::to_string(hello.version) +
                                          " of the packets of blob tables; expected " +
                                          std::to_string(bcdb::kVersion)});
  file_ = hello.file;
  return {};
}

Status BlobStream::wait_for_bytes(std::size_t bytes, Moment until) {
  std::string_view nothing;
  while (unread().size() < bytes)
    if (Status status = exchange(nothing, until); !status.ok()) return status;
  return {};
}

Status BlobStream::write_version_1(BlobStreamOptions const& options, bcdb::Key const& key, std::string_view bytes) {
  constexpr std::uint32_t kEcho = 1;
  BlobStream stream{options};
  Moment const until = moment_after(options.time_limit);
  Result<Socket> socket = connect(options, until);
  if (!socket.ok()) return socket.status();
  stream.socket_ = std::move(socket).value();
  bcdb::write(bcdb::Ask{.echo = kEcho, .key = key}, stream.out_);
  if (Status const status = stream.wait_for_bytes(bcdb::kEchoBytes, until); !status.ok()) return status;
  std::string echo;
  bcdb::write_echo(kEcho, echo);
  if (stream.unread() != echo) return odd(options.server, "it is not the echo of the write");
  // The daemon has ended its side: nothing is read any more.
  Socket& peer = stream.socket_;
  while (!bytes.empty()) {
    Result<std::size_t> const sent = peer.send(bytes);
    if (!sent.ok()) return sent.status();
    bytes.remove_prefix(sent.value());
    if (std::chrono::steady_clock::now() >= until)
      return {Code::timed_out, options.server + " did not take the blob in time"};
    if (sent.value() == 0) static_cast<void>(wait_to_write(peer.fd(), until));
  }
  return {};
}

// Nothing more can be sent or received.
Status BlobStream::lost(Status why) {
  socket_.close();
  in_flight_.clear();
  out_.clear();
  in_.clear();
  read_ = 0;
  return why;
}

// ---------------------------------------------------------------------------
// Frames

Status BlobStream::begin_frame(bcdb::Frame& frame) {
  if (!is_open()) return {Code::closed, "the connection to " + options_.server + " is closed"};
  if (Status status = socket_.check_process(); !status.ok()) return status;
  if (in_flight_.size() >= options_.in_flight_max)
    return {Code::over_limit, std::to_string(in_flight_.size()) + " frames are in flight: receive their answers first"};
  // Its bytes would be kept here, of any number of them.
  if (!in_flight_.empty() && in_flight_.back().op == bcdb::Op::fetch)
    return {Code::over_limit, "a fetch is in flight: receive its answer first"};
  if (options_.version == 1 && frame.op != bcdb::Op::query)
    return {Code::not_supported, "version 1 has no " + std::string{name_of(frame.op)}};
  frame.echo = ++last_echo_;
  if (options_.version == 1)
    bcdb::write(bcdb::Ask{.echo = frame.echo, .key = frame.key}, out_);
  else
    bcdb::write(frame, out_);
  in_flight_.push_back(frame);
  return {};
}

Status BlobStream::send(bcdb::Frame frame) {
  if (Status const status = begin_frame(frame); !status.ok()) return status;
  return send_all({});
}

Status BlobStream::send_put(bcdb::Key const& key, std::string_view bytes) {
  bcdb::Frame frame{.op = bcdb::Op::put, .key = key, .length = bytes.size(), .hash = hash128(bytes)};
  if (Status const status = begin_frame(frame); !status.ok()) return status;
  if (bytes.size() <= kTogetherBytes) {
    out_ += bytes;
    bytes = {};
  }
  return send_all(bytes);
}

// What is small waits for more.
Status BlobStream::send_all(std::string_view bytes) {
  Moment const until = moment_after(options_.time_limit);
  while (!bytes.empty() || out_.size() > kTogetherBytes) {
    Status status = exchange(bytes, until);
    if (status.ok()) continue;
    has_failed_ = true;
    out_.clear();
    return status;
  }
  return {};
}

Result<BlobAnswer> BlobStream::receive() {
  if (in_flight_.empty()) return Status{Code::wrong_state, "nothing was asked that has no answer"};
  if (Status status = socket_.check_process(); !status.ok()) return status;
  Moment const until = moment_after(options_.time_limit);
  std::string_view nothing;
  bcdb::Frame const asked = in_flight_.front();
  for (;;) {
    BlobAnswer out;
    bcdb::Cut const front = cut(out.reply);
    if (front.kind == bcdb::Cut::Kind::broken) return lost(odd(options_.server, front.problem));
    if (front.kind == bcdb::Cut::Kind::whole) {
      if (out.reply.echo != asked.echo || out.reply.op != asked.op)
        return lost(odd(options_.server, "it answers another frame than the oldest one"));
      std::uint64_t const content = out.reply.content_bytes();
      if (content > options_.blob_bytes_max)
        return lost({Code::too_large, "the bytes of a fetch are " + std::to_string(content) + "; expected at most " +
                                          std::to_string(options_.blob_bytes_max)});
      auto const bytes = static_cast<std::size_t>(content);
      if (unread().size() - front.bytes >= bytes) {
        out.content = unread().substr(front.bytes, bytes);
        drop(front.bytes + bytes);
        in_flight_.pop_front();
        if (asked.op != bcdb::Op::attach || passed_.empty()) return out;
        out.descriptor = passed_.front();
        passed_.pop_front();
        return out;
      }
    }
    std::size_t const before = in_.size();
    Status status = exchange(nothing, until);
    // What the daemon said before it ended the connection may be there still.
    if (!status.ok() && in_.size() == before) return lost(std::move(status));
  }
}

bcdb::Cut BlobStream::cut(bcdb::Reply& reply) const {
  if (options_.version != 1) return bcdb::read(unread(), reply);
  std::size_t const bytes = options_.two_files ? bcdb::kResponseWithFlagsBytes : bcdb::kResponseBytes;
  if (unread().size() < bytes) return {.kind = bcdb::Cut::Kind::need_more, .bytes = bytes};
  bcdb::Response const from = bcdb::read_response(unread().substr(0, bytes));
  if (from.begin > from.end || from.end > bcdb::kBlobBytesMax)
    return {.kind = bcdb::Cut::Kind::broken,
            .problem = "begin is " + std::to_string(from.begin) + ", end " + std::to_string(from.end)};
  reply = {.op = bcdb::Op::query,
           .echo = from.echo,
           .outcome = from.entry_time == 0 && from.end == 0 ? bcdb::Outcome::absent : bcdb::Outcome::ok,
           .entry_time = from.entry_time,
           .begin = from.begin,
           .end = from.end,
           .flags = from.flags};
  return {.kind = bcdb::Cut::Kind::whole, .bytes = bytes};
}

// ---------------------------------------------------------------------------
// Bytes

void BlobStream::drop(std::size_t bytes) {
  read_ += bytes;
  if (read_ < in_.size() && read_ < kTogetherBytes) return;
  in_.erase(0, read_);
  read_ = 0;
}

Status BlobStream::exchange(std::string_view& bytes, Moment until) {
  if (!socket_.is_open()) return {Code::closed, "the connection to " + options_.server + " is closed"};
  std::size_t const unsent = out_.size() + bytes.size();
  if (Status status = send_some(bytes); !status.ok()) {
    static_cast<void>(receive_some());
    return status;
  }
  std::size_t const left = out_.size() + bytes.size();
  if (unsent > 0 && left == 0) return {};
  bool const may_go_on = left > 0 && left < unsent;
  if (!may_go_on && !socket_.has_unread()) {
    Ready const ready = wait_for(socket_.fd(), left > 0 || socket_.wants_write(), -1, until);
    if (!ready.readable && !ready.writable && std::chrono::steady_clock::now() >= until)
      return {Code::timed_out, "no answer from " + options_.server + " in time"};
    if (!ready.readable && !socket_.wants_write()) return {};
  }
  if (std::chrono::steady_clock::now() >= until) return {Code::timed_out, options_.server + " was not done in time"};
  return receive_some();
}

Status BlobStream::send_some(std::string_view& bytes) {
  if (out_.empty() && bytes.empty()) return {};
  Result<std::size_t> const sent = socket_.send(out_.empty() ? bytes : std::string_view{out_});
  if (!sent.ok()) return sent.status();
  if (out_.empty())
    bytes.remove_prefix(sent.value());
  else
    out_.erase(0, sent.value());
  return {};
}

Status BlobStream::receive_some() {
  std::array<char, 64U << 10U> buffer;
  Result<std::size_t> const received = may_pass_ ? receive_with_descriptors(buffer) : socket_.receive(buffer);
  if (!received.ok()) return received.status();
  in_.append(buffer.data(), received.value());
  return {};
}

// recv would drop them.
Result<std::size_t> BlobStream::receive_with_descriptors(std::span<char> into) {
  iovec place{into.data(), into.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptorsMax * sizeof(int))> control;
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t const got = ::recvmsg(socket_.fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::size_t{0};
  if (got < 0) return Status{Code::closed, std::strerror(errno)};
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    std::size_t const count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof descriptor, sizeof descriptor);
      // No more was requested.
      if (passed_.size() < in_flight_.size())
        passed_.push_back(descriptor);
      else
        ::close(descriptor);
    }
  }
  if (got == 0) return Status{Code::closed, "the daemon ended the connection"};
  return static_cast<std::size_t>(got);
}

}  // namespace fastjournal::client
