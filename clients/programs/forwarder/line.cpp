#include "clients/programs/forwarder/line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "clients/cpp/in_flight.h"
#include "clients/cpp/secret_file.h"
#include "fastjournal/protocol.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::forwarder {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10U;
constexpr std::size_t kFlushBytes = std::size_t{64} << 10U;
constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20U;
constexpr std::uint64_t kGreeting = 0;  // rows have numbers from 1
constexpr std::array<int, 9> kPausesS{1, 1, 1, 3, 5, 10, 20, 30, 60};

}  // namespace

Line::Line(LineOptions options, int done_fd, Events events)
    : options_(std::move(options)),
      events_(std::move(events)),
      dialer_(options_.address,
              {.ca = {options_.ca_file, "--ca"},
               .certificate = {options_.certificate_file, "--certificate"},
               .key = {options_.key_file, "--key"}},
              options_.connect_limit, done_fd),
      framer_(protocol::FrameLimits{kAnswerBytesMax, kAnswerBytesMax}),
      read_buffer_(std::make_unique_for_overwrite<char[]>(kReadBytes)) {}

Moment Line::next_date() const {
  if (state_ == State::away) return retry_at_;
  if (open_.empty() && state_ != State::greeting) return Moment::max();
  return state_ == State::dialing ? Moment::max() : heard_ + options_.answer_limit;
}

void Line::change(State state) {
  if (state_ == state) return;
  // The pause between two attempts is no news.
  bool const was_away = state_ != State::up;
  state_ = state;
  if (!was_away || state == State::up) since_ = std::chrono::system_clock::now();
}

void Line::hurry(Moment now) {
  if (state_ == State::away) retry_at_ = now;
}

void Line::turn(Moment now) {
  if (state_ == State::away && retry_at_ <= now) {
    change(State::dialing);
    dialer_.start();
  }
  if (state_ == State::dialing)
    if (std::optional<Result<client::Socket>> made = dialer_.take()) connected(std::move(*made), now);
  if (!socket_.is_open()) return;
  read(now);
  bool const waits = !open_.empty() || state_ == State::greeting;
  if (socket_.is_open() && waits && now >= heard_ + options_.answer_limit)
    lose({Code::timed_out, "no answer within " + std::to_string(options_.answer_limit.count() / 1000) +
                               " s: the connection is given up"});
}

void Line::connected(Result<client::Socket> made, Moment now) {
  heard_ = now;
  if (!made.ok()) return lose(made.status());
  socket_ = std::move(made).value();
  framer_ = protocol::Framer({kAnswerBytesMax, kAnswerBytesMax});
  change(State::greeting);
  if (Status greeted = greet(); !greeted.ok()) return lose(greeted);
  flush();
}

Status Line::greet() {
  if (options_.token_file.empty()) {
    encode(Message{"ALIVE"}, kGreeting);
    return {};
  }
  Result<std::string> token = client::read_secret(options_.token_file);
  if (!token.ok()) return token.status();
  // It ends with the end of its line.
  token.value().erase(token.value().find_last_not_of(" \t\r\n") + 1);
  Message auth{"AUTH"};
  auth.set("token", std::string_view{token.value()});
  encode(auth, kGreeting);
  return {};
}

void Line::encode(Message const& message, std::uint64_t number) {
  params_.assign(message.params().begin(), message.params().end());
  params_.push_back({"request", Value::of_unsigned(number)});
  protocol::append_frame({.command = message.command, .params = params_}, out_);
}

void Line::send(Message const& insert, std::string_view body, std::uint64_t number) {
  std::size_t const count = insert.params().size();
  params_.clear();
  if (!body.empty())
    params_ = {insert.params()[count - 2], insert.params()[count - 1], {"request", Value::of_unsigned(number)}};
  if (body.empty() || !protocol::append_frame_with(body, params_, out_)) encode(insert, number);
  if (open_.empty()) heard_ = std::chrono::steady_clock::now();
  open_.push_back(number);
  // Not with each row once the socket is full.
  if (unsent() < flush_at_) return;
  flush();
  flush_at_ = unsent() + kFlushBytes;
}

void Line::flush() {
  while (socket_.is_open() && unsent() > 0) {
    Result<std::size_t> const took = socket_.send(std::string_view{out_}.substr(out_sent_));
    // Answers that came before the end are read first.
    if (!took.ok()) return;
    if (took.value() == 0) break;
    out_sent_ += took.value();
  }
  if (out_sent_ == out_.size()) {
    out_.clear();
    out_sent_ = 0;
    flush_at_ = kFlushBytes;
  } else if (out_sent_ >= (std::size_t{1} << 20U)) {
    out_.erase(0, out_sent_);
    out_sent_ = 0;
  }
}

void Line::read(Moment now) {
  while (socket_.is_open()) {
    Result<std::size_t> const got = socket_.receive({read_buffer_.get(), kReadBytes});
    if (!got.ok()) return lose(got.status());
    in_.append(read_buffer_.get(), got.value());
    if (got.value() > 0) heard_ = now;
    if (got.value() > 0) take_pieces();
    if (got.value() < kReadBytes && !socket_.has_unread()) return;
  }
}

void Line::take_pieces() {
  std::size_t taken = 0;
  while (socket_.is_open()) {
    protocol::Framer::Piece const piece = framer_.next(std::string_view{in_}.substr(taken));
    if (piece.kind == protocol::Framer::Kind::need_more) break;
    taken += piece.consumed;
    if (piece.kind == protocol::Framer::Kind::bad) return lose(piece.status);
    protocol::AnswerHead head;
    if (state_ == State::up && piece.kind == protocol::Framer::Kind::frame &&
        protocol::parse_answer_head(piece.bytes, head) && head.command == "INSERTED") {
      settle(head.request, {});
      continue;
    }
    Status const parsed = piece.kind == protocol::Framer::Kind::line ? protocol::parse_line(piece.bytes, answer_)
                                                                     : protocol::parse_frame(piece.bytes, answer_);
    if (!parsed.ok()) return lose(parsed);
    if (!answer_.command.empty()) take_answer(answer_);
  }
  in_.erase(0, std::min(taken, in_.size()));
}

void Line::take_answer(Message const& message) {
  Status const answer = client::refusal_of(message);
  Value const* const request = message.find("request");
  // The daemon cannot tell the number of what it could not read. Answers come in order.
  if (request == nullptr) return answer.ok() ? void() : answer_oldest(answer);
  std::uint64_t const number = request->as_unsigned().value_or(kGreeting);
  if (state_ == State::greeting && number == kGreeting) {
    if (!answer.ok()) return lose({answer.code(), "the daemon refuses us: " + answer.message()});
    attempts_ = 0;
    problem_ = {};
    is_starting_ = false;
    change(State::up);
    return;
  }
  settle(number, answer);
}

void Line::answer_oldest(Status const& answer) {
  if (state_ == State::greeting) return lose(answer);
  if (!open_.empty()) settle(open_.front(), answer);
}

void Line::settle(std::uint64_t number, Status const& answer) {
  // Nearly always the first one.
  auto const place = std::find(open_.begin(), open_.end(), number);
  if (place == open_.end()) return;
  open_.erase(place);
  events_.answered(number, answer);
}

void Line::lose(Status const& why) {
  bool const was_up = state_ == State::up;
  socket_.close();
  out_.clear();
  out_sent_ = 0;
  flush_at_ = 0;
  in_.clear();
  open_.clear();
  problem_ = why;
  is_starting_ = false;
  change(State::away);
  retry_at_ =
      std::chrono::steady_clock::now() + std::chrono::seconds{kPausesS[std::min(attempts_, kPausesS.size() - 1)]};
  ++attempts_;
  // Rows in flight elsewhere are none of an attempt that failed.
  if (was_up) events_.lost();
}

}  // namespace fastjournal::forwarder
