// One connection to one address: the socket, the bytes that leave, and those that arrived, cut into messages. Which
// commands are in flight on it, and what a loss means for them, is of connection_body.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "clients/cpp/client.h"
#include "clients/cpp/socket.h"
#include "wire/framer.h"

namespace fastjournal::client {

class Link {
 public:
  // `options` must outlive it.
  explicit Link(Options const& options);
  Link(Link const&) = delete;
  Link& operator=(Link const&) = delete;

  // `address`: one of those in Options::server. Errors as of Socket::connect.
  [[nodiscard]] Status connect(std::string const& address, int wake_fd, Moment until);
  // What was not sent and not taken is dropped.
  void close();
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  [[nodiscard]] Socket const& socket() const { return socket_; }
  // The last that was dialed, with or without success.
  [[nodiscard]] std::string const& address() const { return address_; }

  // Messages to be sent are appended to it.
  [[nodiscard]] std::string& out() { return out_; }
  [[nodiscard]] std::size_t unsent() const { return out_.size() - out_sent_; }
  // Not ok: the peer is gone; what it sent before can still be received.
  [[nodiscard]] Status send_some();
  // Returns the number of bytes that had arrived, possibly 0. Not ok: the connection has ended.
  [[nodiscard]] Result<std::size_t> receive();

  // Since when it has said nothing: its last bytes, or the first that were sent to it afterwards.
  [[nodiscard]] Moment quiet_since() const { return quiet_since_; }
  // Nothing is expected of it now, but of what is sent afterwards.
  void rest() {
    quiet_since_ = moment_now();
    is_asked_ = false;
  }

  enum class Took { nothing, message, unreadable };
  // The next message that has arrived completely; it owns its bytes. Unreadable: `why` says why.
  [[nodiscard]] Took take(Message& into, Status& why);

 private:
  void drop_taken();

  Options const& options_;
  std::string address_;
  std::shared_ptr<tls::ClientContext> tls_;  // null: none, or to be made
  Socket socket_;
  protocol::Framer framer_;
  std::string out_;
  std::size_t out_sent_{0};
  std::unique_ptr<char[]> read_buffer_;
  std::string in_;
  std::size_t in_taken_{0};
  Moment quiet_since_{};
  bool is_asked_{false};  // something was sent since it said something
};

}  // namespace fastjournal::client
