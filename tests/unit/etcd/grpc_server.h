// A tiny gRPC server in memory: a server session of libnghttp2, fed with bytes. It records calls with their requests,
// and answers what the test tells it to, when the test tells it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_session;

namespace fastjournal::test {

class GrpcServer {
 public:
  struct Call {
    std::string path;
    std::map<std::string, std::string> headers;
    std::string input;                  // what is no whole message so far
    std::vector<std::string> requests;  // whole messages
    bool has_ended{false};              // no more requests
    bool is_reset{false};               // by the client, before it had its answer
    std::string output{};
    bool output_ended{false};
    bool has_begun{false};
    int status{0};
    std::string text{};
  };

  explicit GrpcServer(std::uint32_t streams_max = 1000, std::uint32_t window_bytes = 65535);
  ~GrpcServer();
  GrpcServer(GrpcServer const&) = delete;
  GrpcServer& operator=(GrpcServer const&) = delete;

  // False: it is no HTTP/2.
  bool receive(std::string_view bytes);
  // All that it has to send.
  [[nodiscard]] std::string output();

  [[nodiscard]] std::map<std::int32_t, Call>& calls() { return calls_; }
  // The first call of this path that was not finished; it must be there. 0: none.
  [[nodiscard]] std::int32_t find(std::string_view path) const;
  // A message, with the headers before the first.
  void message(std::int32_t stream, std::string_view bytes);
  // Bytes in place of a message.
  void raw(std::int32_t stream, std::string_view bytes);
  // Status and text in trailers; without a message before, in the only headers. -1: trailers without a status.
  void finish(std::int32_t stream, int status = 0, std::string_view text = {});
  // A whole answer to a call of one request.
  void answer(std::int32_t stream, std::string_view bytes) {
    message(stream, bytes);
    finish(stream);
  }
  void http_status(std::int32_t stream, std::string_view status);
  void reset(std::int32_t stream, std::uint32_t error);
  // Calls behind `last` were not looked at; -1: all that came were.
  void go_away(std::int32_t last = -1);

 private:
  struct Callbacks;
  void begin(std::int32_t stream);

  nghttp2_session* session_{nullptr};
  std::map<std::int32_t, Call> calls_;
  std::string made_;  // output that was not taken
};

// A message with its prefix.
[[nodiscard]] std::string framed(std::string_view message);

}  // namespace fastjournal::test
