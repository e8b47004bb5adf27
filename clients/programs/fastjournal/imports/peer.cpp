#include "clients/programs/fastjournal/imports/peer.h"

#include <algorithm>
#include <utility>

namespace fastjournal::imports {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

}  // namespace

Status Peer::failed(Code code, std::string_view what) const {
  return Status{code, "the source " + std::string{what}}.with("source", place_);
}

Status Peer::connect() {
  close();
  Result<client::Socket> made = client::Socket::connect(place_, -1, client::moment_after(limit_));
  if (!made.ok()) return failed(Code::unavailable, "is not there: " + made.status().message());
  socket_ = std::move(made).value();
  return {};
}

void Peer::close() {
  socket_.close();
  out_.clear();
  in_.clear();
  taken_ = 0;
}

Status Peer::flush() {
  client::Moment const until = client::moment_after(limit_);
  std::size_t sent = 0;
  while (sent < out_.size()) {
    Result<std::size_t> const took = socket_.send(std::string_view{out_}.substr(sent));
    if (!took.ok()) return failed(Code::unavailable, "ended the connection");
    sent += took.value();
    if (took.value() > 0) continue;
    if (client::moment_now() >= until) return failed(Code::timed_out, "does not read what it is sent");
    static_cast<void>(client::wait_to_write(socket_.fd(), until));
  }
  out_.clear();
  return {};
}

Status Peer::receive() {
  client::Moment const until = client::moment_after(limit_);
  if (taken_ > 0 && (taken_ == in_.size() || taken_ >= kReadBytes)) in_.erase(0, std::exchange(taken_, 0));
  std::size_t const before = in_.size();
  in_.resize(before + kReadBytes);
  while (true) {
    Result<std::size_t> const got = socket_.receive(std::span{in_}.subspan(before));
    in_.resize(before + (got.ok() ? got.value() : 0));
    if (!got.ok()) return failed(Code::unavailable, "ended the connection");
    if (got.value() > 0) return {};
    if (client::moment_now() >= until) return failed(Code::timed_out, "does not answer");
    static_cast<void>(client::wait_for(socket_.fd(), false, -1, until));
    in_.resize(before + kReadBytes);
  }
}

void Peer::take(std::size_t bytes) { taken_ += std::min(bytes, in_.size() - taken_); }

Result<std::string> Peer::line(std::size_t bytes_max) {
  while (true) {
    std::size_t const end = in().find("\r\n");
    if (std::min(end, in().size()) > bytes_max) return failed(Code::invalid, "sent a line that is too long");
    if (end != std::string_view::npos) {
      std::string out{in().substr(0, end)};
      take(end + 2);
      return out;
    }
    if (Status status = receive(); !status.ok()) return status;
  }
}

Result<std::string> Peer::bytes(std::uint64_t count, bool kept) {
  std::string out;
  std::uint64_t left = count;
  while (true) {
    std::size_t const some = static_cast<std::size_t>(std::min<std::uint64_t>(left, in().size()));
    if (kept) out.append(in().substr(0, some));
    take(some);
    left -= some;
    if (left == 0 && in().size() >= 2) break;
    if (Status status = receive(); !status.ok()) return status;
  }
  if (!in().starts_with("\r\n")) return failed(Code::invalid, "sent other bytes than it said");
  take(2);
  return out;
}

}  // namespace fastjournal::imports
