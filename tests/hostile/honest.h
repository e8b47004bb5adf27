// Those who use the daemon as they should, beside the attackers: one who inserts rows all the time, whose longest wait is
// measured, over each kind of listener; and single questions.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "tests/hostile/victim.h"
#include "tests/support/line_client.h"

namespace fastjournal::hostile {

// A request of HTTP; `more`: further fields, each with its CRLF.
[[nodiscard]] std::string http_post(std::string_view command, std::string_view body, std::string_view more = {});

struct HttpAnswer {
  int status{0};
  std::string body{};
};
// The next response with a Content-Length; nothing if there is none, or it does not come.
[[nodiscard]] std::optional<HttpAnswer> read_http_answer(test::LineClient& client);

// Asks on a new connection; returns the first line of the answer, or why there is none.
[[nodiscard]] std::string ask(std::string const& address, std::string const& line);
// The same over HTTP: the response's status and body.
[[nodiscard]] std::string ask_http(std::string const& address, std::string const& request);

enum class Speaks : std::uint8_t {
  messages,
  local,  // messages over the administrator's socket
  http,   // with the victim's token, if it has one
  tls,    // messages over TLS
};

// Inserts a row, waits for the answer, inserts the next one, on a thread of its own.
class Witness {
 public:
  // It inserts into this table, which Victim::declare made.
  Witness(Victim const& victim, Speaks speaks, std::string table);
  ~Witness() { stop(); }
  Witness(Witness const&) = delete;
  Witness& operator=(Witness const&) = delete;

  void stop();
  // Call these after stop.
  [[nodiscard]] Seconds longest() const { return longest_; }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  // What it got instead of an inserted row, or the end of its connection; empty if neither happened.
  [[nodiscard]] std::string const& refused() const { return refused_; }

 private:
  // The answer to the insert of this row; nothing if there is none.
  using Insert = std::function<std::optional<std::string>(std::string const& name)>;
  [[nodiscard]] static Insert over_lines(std::string const& address, std::string const& table);
  [[nodiscard]] static Insert over_http(Victim const& victim, std::string const& table);
  [[nodiscard]] static Insert over_tls(Victim const& victim, std::string const& table);
  void run();

  Insert insert_;
  std::atomic<bool> stop_{false};
  Seconds longest_{0};
  std::uint64_t answers_{0};
  std::string refused_;
  std::thread thread_;
};

}  // namespace fastjournal::hostile
