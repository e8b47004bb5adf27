// A connection to the old server: bytes out, lines and bytes in, each with a limit, and no answer is waited for longer
// than the run says. What it speaks is of others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "clients/cpp/socket.h"
#include "fastjournal/status.h"

namespace fastjournal::imports {

class Peer {
 public:
  Peer(std::string place, std::chrono::milliseconds limit) : place_(std::move(place)), limit_(limit) {}

  // unavailable. A connection that is there ends.
  [[nodiscard]] Status connect();
  void close();
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  [[nodiscard]] std::string const& place() const { return place_; }

  // Leaves with the next flush.
  [[nodiscard]] std::string& out() { return out_; }
  [[nodiscard]] Status flush();
  // Appends what came to `in`; waits for it.
  [[nodiscard]] Status receive();
  // What came and was not taken.
  [[nodiscard]] std::string_view in() const { return std::string_view{in_}.substr(taken_); }
  void take(std::size_t bytes);

  // The next line, without its CR LF. invalid: it is longer.
  [[nodiscard]] Result<std::string> line(std::size_t bytes_max);
  // So many bytes, and the CR LF behind them. With `kept` false they are read and dropped.
  [[nodiscard]] Result<std::string> bytes(std::uint64_t count, bool kept);

  // What the peer said wrong, or that it is gone: "the source ..." with a fact `source`, its address.
  [[nodiscard]] Status failed(Code code, std::string_view what) const;

 private:
  std::string place_;
  std::chrono::milliseconds limit_;
  client::Socket socket_;
  std::string out_;
  std::string in_;
  std::size_t taken_{0};
};

}  // namespace fastjournal::imports
