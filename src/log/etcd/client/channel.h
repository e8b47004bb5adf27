// gRPC over HTTP/2 on one connection, without the connection: bytes that arrived are given to receive(), bytes to send
// are taken from output(). What became of the calls is taken as events. Knows nothing of etcd.
//
// libnghttp2 has the frames, HPACK, flow control and the state of streams; this class adds what gRPC is on top of it: a
// call is a stream whose request and answers are messages behind a prefix of five bytes, and which ends with a status
// in trailers. grpc++ would bring 57 shared objects, its own threads and its own sockets; none of them fits one loop.
//
// The question that matters to the sender of a change: may it have been done? A server runs a call of one request when
// it has the request whole. So the channel counts the bytes of its output, and knows for each call at which byte its
// request ends, and how many bytes were sent. A call that ends without a status was certainly not done if its request
// was not sent whole, or if the server says that it did not look at it (REFUSED_STREAM, or GOAWAY before it).
//
// Not thread-safe; no callbacks. Nothing here throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastjournal/status.h"

struct nghttp2_session;

namespace fastjournal::etcd {

// Unique on one channel, rising; never used again.
enum class CallId : std::int32_t { none = 0 };

// Codes of gRPC, as its specification numbers them: those that are looked at.
namespace grpc {
inline constexpr int kOk = 0;
inline constexpr int kInvalidArgument = 3;
inline constexpr int kNotFound = 5;
inline constexpr int kAlreadyExists = 6;
inline constexpr int kPermissionDenied = 7;
inline constexpr int kResourceExhausted = 8;
inline constexpr int kFailedPrecondition = 9;
inline constexpr int kOutOfRange = 11;
inline constexpr int kUnimplemented = 12;
inline constexpr int kUnauthenticated = 16;
}  // namespace grpc

// How a call ended.
struct CallEnd {
  int status{-1};          // the code that the server gave; -1: it gave none
  std::string text{};      // the server's, or without a status what happened to the call; at most kTextBytesMax
  bool may_be_done{true};  // without a status: false if its request was certainly not run

  static constexpr std::size_t kTextBytesMax = 1024;
};

struct CallEvent {
  CallId call{};
  bool has_ended{false};
  std::string message{};  // one answer; of an end nothing
  CallEnd end{};
};

// A header of a call. Both valid during the call only; the name in small letters.
struct Metadata {
  std::string_view name;
  std::string_view value;
};

struct ChannelOptions {
  std::string authority{"localhost"};                      // whom the server takes itself for; named in errors too
  bool tls{false};                                         // the connection has it, which calls say
  std::size_t message_bytes_max{std::size_t{64} << 20U};   // of one answer; a call whose answer is larger ends
  std::size_t partial_bytes_max{std::size_t{128} << 20U};  // of all messages that arrived in part
  std::size_t request_bytes_max{std::size_t{64} << 20U};   // of all requests that are not in the output so far
};

class Channel {
 public:
  explicit Channel(ChannelOptions options);
  ~Channel();
  Channel(Channel const&) = delete;
  Channel& operator=(Channel const&) = delete;

  // Begins a call of this method, "/package.Service/Method". `more`: requests follow (send), the stream stays open for
  // them. Not ok, and nothing happened: unavailable, no more calls are taken; over_limit.
  [[nodiscard]] Result<CallId> start(std::string_view path, std::span<Metadata const> metadata,
                                     std::string_view message, bool more = false);
  // One more request of an open stream. not_found: the call is over.
  Status send(CallId id, std::string_view message);
  // No more requests; answers may follow.
  void finish(CallId id);
  // Ends a call from this side; no event follows, and those not taken are dropped. False: it was certainly not run.
  // True too if it is over already.
  [[nodiscard]] bool cancel(CallId id);

  // Bytes that arrived. Not ok: what came is no HTTP/2; all calls have ended, and the connection is to be closed.
  [[nodiscard]] Status receive(std::string_view bytes);
  // The connection is gone: all calls end, with this text.
  void lose(std::string_view why);

  // The bytes to be sent now, in order; valid until the next call of the channel. Up to kOutputBytes are made at a
  // time.
  [[nodiscard]] std::string_view output();
  // So many of these bytes were sent.
  void sent(std::size_t bytes);

  // Asks for a sign of life; whatever arrives is one.
  void ping();

  // In the order in which they happened.
  [[nodiscard]] std::vector<CallEvent> take_events() { return std::exchange(events_, {}); }

  // False: the server takes no more calls here (GOAWAY), or the numbers of streams are used up, or it is lost. Calls
  // under way go on unless it is lost.
  [[nodiscard]] bool takes_calls() const;
  [[nodiscard]] std::size_t calls() const { return calls_.size(); }
  // Of requests that are not in the output so far.
  [[nodiscard]] std::size_t request_bytes() const { return request_bytes_; }

  static constexpr std::size_t kOutputBytes = 256U << 10U;
  // The flow control windows towards us: of one stream, and of all.
  static constexpr std::int32_t kStreamWindowBytes = 4 << 20;
  static constexpr std::int32_t kConnectionWindowBytes = 16 << 20;
  static constexpr std::uint32_t kHeaderListBytesMax = 16U << 10U;

 private:
  struct Call {
    std::string request;  // with prefixes; up to `request_at` it is in the output
    std::size_t request_at{0};
    bool request_ended{false};
    std::uint64_t end_at{0};  // the request ends at this byte of all output; 0: not in the output so far
    std::string answer;       // a message that arrived in part, with its prefix
    int http_status{0};
    int status{-1};
    std::string text;
  };
  struct Callbacks;
  struct SessionDeleter {
    void operator()(nghttp2_session* session) const;
  };

  [[nodiscard]] Call* find(std::int32_t stream);
  void fill_output();
  void take_header(Call& call, std::string_view name, std::string_view value);
  // False: the call has ended.
  bool take_data(std::int32_t stream, Call& call, std::string_view bytes);
  void drop_request(Call& call);
  void end(std::int32_t stream, CallEnd end);
  void reset(std::int32_t stream, std::uint32_t error, std::string text);
  void on_answered(std::int32_t stream);
  void on_stream_closed(std::int32_t stream, std::uint32_t error);
  [[nodiscard]] bool was_sent(Call const& call) const { return call.end_at != 0 && call.end_at <= sent_; }

  ChannelOptions options_;
  std::unique_ptr<nghttp2_session, SessionDeleter> session_;  // null: lost
  std::map<std::int32_t, Call> calls_;                        // by stream
  std::vector<CallEvent> events_;
  std::vector<std::int32_t> written_whole_;  // calls whose request ends with the frame that is being written
  std::string output_;                       // up to `output_at_` it was sent
  std::size_t output_at_{0};
  std::uint64_t written_{0};  // bytes of output so far
  std::uint64_t sent_{0};
  std::size_t request_bytes_{0};
  std::size_t partial_bytes_{0};
  bool going_away_{false};
  std::string last_error_;  // of libnghttp2, in words; it need not be the end of the connection
  std::string broken_;      // what is wrong with what came; empty: nothing
};

}  // namespace fastjournal::etcd
