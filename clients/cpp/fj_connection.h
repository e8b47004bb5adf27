// A connection that speaks the FJ protocol (doc/fj-protocol.md) with one key/value table: frames as they are, one at a time
// or many under way. For clients that want the smallest way; KeyValue (key_value.h) has more, over messages.
//
//   auto opened = FjConnection::open({.server = "127.0.0.1:4060"});
//   if (!opened.ok()) return complain(opened.status());
//   FjConnection& pairs = *opened.value();
//   fj::Request get{.function = static_cast<std::uint16_t>(fj::Function::get), .flags = fj::flag::kData, .key = "a"};
//   Result<FjReply> reply = pairs.call(get);
//   if (reply.ok() && !reply->frame.error) use(reply->frame.pairs.front());
//
// It belongs to one thread at a time, and never reconnects: what was under way when it was lost was carried out or not, and
// frames have no number by which the daemon would know one that is sent again.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "clients/cpp/client.h"
#include "clients/cpp/socket.h"
#include "wire/fj/frame.h"

namespace fastjournal::client {

// Of a daemon of any version: its limit of a message, and a list of values.
inline constexpr std::uint64_t kFjReplyBytesMax = std::uint64_t{1} << 26U;

struct FjOptions {
  std::string server{"127.0.0.1:4060"};  // as Options::server, and the same files for "tls:"
  std::string ca_file{};
  std::string certificate_file{};
  std::string key_file{};
  Milliseconds time_limit{30'000};  // of a connection, and of a reply
  // Each frame that is sent or received, whole: for traces.
  std::function<void(std::string_view bytes, bool is_sent)> on_frame{};
};

struct FjReply {
  std::unique_ptr<std::string> bytes;
  fj::Reply frame;  // views of `bytes`
};

class FjConnection {
 public:
  // unavailable: no answer; bad_parameter: no address.
  [[nodiscard]] static Result<std::unique_ptr<FjConnection>> open(FjOptions options);

  // Sends one frame, whose identifier is chosen here, and waits for its reply; notices that come meanwhile are kept. An
  // error of the daemon is in the reply. timed_out, closed: as Connection::call.
  [[nodiscard]] Result<FjReply> call(fj::Request request);

  // Many at once: each is sent with the next call, and answered in this order.
  void send(fj::Request const& request);
  [[nodiscard]] Result<FjReply> receive();

  // The next notice of a change; timed_out: none came.
  [[nodiscard]] Result<FjReply> wait_notice(Milliseconds limit, int wake_fd = -1);

 private:
  explicit FjConnection(FjOptions options) : options_(std::move(options)) {}
  // The next frame, whatever it is.
  [[nodiscard]] Result<FjReply> read(Moment until, int wake_fd);
  [[nodiscard]] Status exchange(Moment until, int wake_fd);

  FjOptions options_;
  Socket socket_;
  std::string out_;
  std::string in_;
  std::deque<FjReply> notices_;
  std::uint16_t last_identifier_{0};
};

}  // namespace fastjournal::client
