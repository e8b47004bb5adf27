// The connection to one daemon: made again after each loss, with pauses of 1, 1, 1, 3, 5, 10, 20, 30, then 60 s. It knows
// INSERTs and their answers only, and never waits: client::Connection keeps each command until its answer for sending
// it again, and waits for one socket; here the forwarder has all rows in its files, and several daemons are listened to
// at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/forwarder/dialer.h"
#include "fastjournal/message.h"
#include "wire/framer.h"

namespace fastjournal::forwarder {

using client::Moment;

struct LineOptions {
  std::string address{};
  std::string ca_file{};
  std::string certificate_file{};
  std::string key_file{};
  std::string token_file{};                        // empty: no token. Read again for each connection
  std::chrono::milliseconds connect_limit{5'000};  // of one attempt
  std::chrono::milliseconds answer_limit{30'000};  // then the connection is given up
};

class Line {
 public:
  enum class State : std::uint8_t {
    away,      // until the next attempt
    dialing,   // an attempt is under way
    greeting,  // connected, and asked whether it answers, or whether it takes the token
    up,        // rows may be sent
  };

  // The calls come from within turn() and flush().
  struct Events {
    std::function<void(std::uint64_t number, Status const& answer)> answered;
    // What was sent and not answered will not be. Not for the end of a connection that was not up.
    std::function<void()> lost;
  };

  Line(LineOptions options, int done_fd, Events events);

  [[nodiscard]] std::string const& address() const { return options_.address; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::chrono::system_clock::time_point since() const { return since_; }
  // Why the last attempt, or the last connection, ended; ok if there was none. not_allowed: the daemon refuses us.
  [[nodiscard]] Status const& problem() const { return problem_; }
  // Its first attempt has not come to an end so far.
  [[nodiscard]] bool is_starting() const { return is_starting_; }
  // -1: no connection.
  [[nodiscard]] int fd() const { return socket_.fd(); }
  [[nodiscard]] bool wants_write() const { return unsent() > 0 || socket_.wants_write(); }
  // When turn() has something to do though nothing came; Moment::max(): never.
  [[nodiscard]] Moment next_date() const;

  // Connects, reads, and gives up what takes too long.
  void turn(Moment now);
  // It must be up. The bytes leave with the next flush(), or at once if they are many.
  // `body` as of spool::Link.
  void send(Message const& insert, std::string_view body, std::uint64_t number);
  void flush();
  // Ends the pause before the next attempt.
  void hurry(Moment now);

 private:
  [[nodiscard]] std::size_t unsent() const { return out_.size() - out_sent_; }
  void change(State state);
  void connected(Result<client::Socket> made, Moment now);
  [[nodiscard]] Status greet();
  void encode(Message const& message, std::uint64_t number);
  void read(Moment now);
  void take_pieces();
  void take_answer(Message const& message);
  void answer_oldest(Status const& answer);
  void settle(std::uint64_t number, Status const& answer);
  void lose(Status const& why);

  LineOptions const options_;
  Events const events_;
  Dialer dialer_;
  State state_{State::away};
  std::chrono::system_clock::time_point since_{std::chrono::system_clock::now()};
  Status problem_;
  bool is_starting_{true};
  std::size_t attempts_{0};  // since the last time that it was up
  Moment retry_at_{};
  client::Socket socket_;
  protocol::Framer framer_;
  std::string out_;
  std::size_t out_sent_{0};
  std::size_t flush_at_{0};  // so many unsent bytes are worth a call
  std::string in_;
  std::unique_ptr<char[]> read_buffer_;
  std::deque<std::uint64_t> open_;  // without an answer so far, in order
  Moment heard_{};                  // the daemon, or when there was the first row that it has to answer
  Message answer_;                  // kept for its memory
  std::vector<Param> params_;       // the same
};

}  // namespace fastjournal::forwarder
