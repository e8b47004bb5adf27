#include "clients/cpp/link.h"

#include <utility>

#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::client {

namespace {

constexpr std::string_view kFjReply{"JR\0\1", 4};
constexpr std::size_t kReadBytes = 64U * 1024;
// Sent bytes before those that are not, from which on they are removed.
constexpr std::size_t kSentBytesMax = 1024U * 1024;

}  // namespace

Link::Link(Options const& options)
    : options_(options),
      framer_(protocol::FrameLimits{options.message_bytes_max, options.message_bytes_max}),
      read_buffer_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {}

Status Link::connect(std::string const& address, int wake_fd, Moment until) {
  if (address != address_) tls_.reset();
  address_ = address;
  if (tls_ == nullptr) {
    Result<std::shared_ptr<tls::ClientContext>> tls =
        Socket::tls_for(address_, {.ca = {options_.ca_file, "--ca"},
                                   .certificate = {options_.certificate_file, "--certificate"},
                                   .key = {options_.key_file, "--key"}});
    if (!tls.ok()) return tls.status();
    tls_ = std::move(tls).value();
  }
  Result<Socket> made = Socket::connect(address_, wake_fd, until, tls_);
  if (!made.ok()) {
    tls_.reset();
    return made.status();
  }
  socket_ = std::move(made).value();
  rest();
  framer_ = protocol::Framer({options_.message_bytes_max, options_.message_bytes_max});
  return {};
}

void Link::close() {
  socket_.close();
  out_.clear();
  out_sent_ = 0;
  in_.clear();
  in_taken_ = 0;
}

Status Link::send_some() {
  Result<std::size_t> const took = socket_.send(std::string_view(out_).substr(out_sent_));
  if (!took.ok()) return took.status();
  out_sent_ += took.value();
  if (!is_asked_) rest();
  is_asked_ = true;
  if (out_sent_ == out_.size()) {
    out_.clear();
    out_sent_ = 0;
  } else if (out_sent_ > kSentBytesMax) {
    out_.erase(0, out_sent_);
    out_sent_ = 0;
  }
  return {};
}

Result<std::size_t> Link::receive() {
  Result<std::size_t> const got = socket_.receive({read_buffer_.get(), kReadBytes});
  if (!got.ok()) return got.status();
  in_.append(read_buffer_.get(), got.value());
  if (got.value() > 0) rest();
  // The beginning of a refusal there. No message begins so, as none has such a byte in its command.
  if (in_taken_ == 0 && in_.starts_with(kFjReply)) {
    return Status{Code::not_allowed,
                  "it speaks the FJ protocol, and messages have another listener (`fastjournal kv frame` sends "
                  "frames)"};
  }
  return got.value();
}

Link::Took Link::take(Message& into, Status& why) {
  while (true) {
    protocol::Framer::Piece const piece = framer_.next(std::string_view(in_).substr(in_taken_));
    in_taken_ += piece.consumed;
    if (piece.kind == protocol::Framer::Kind::need_more) {
      drop_taken();
      return Took::nothing;
    }
    if (piece.kind == protocol::Framer::Kind::bad) {
      why = piece.status;
      return Took::unreadable;
    }
    why = piece.kind == protocol::Framer::Kind::line ? protocol::parse_line(piece.bytes, into)
                                                     : protocol::parse_frame(piece.bytes, into);
    if (!why.ok()) return Took::unreadable;
    if (into.command.empty()) continue;
    into.own();
    return Took::message;
  }
}

void Link::drop_taken() {
  // Only at half or more, so that moving the rest costs no more than reading it.
  if (in_taken_ * 2 < in_.size()) return;
  in_.erase(0, in_taken_);
  in_taken_ = 0;
}

}  // namespace fastjournal::client
