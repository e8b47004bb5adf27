// A scripted daemon on loopback, for tests of clients: a thread that runs the test's script, which reads commands and
// writes any bytes in any pieces. Errors in the script make the test fail at its end: declare a server before its clients.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "fastjournal/message.h"
#include "fastjournal/protocol.h"
#include "tests/support/value_of.h"
#include "wire/framer.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::client {

using test::value_of;

// Long enough for any machine; only a failing test waits for it.
inline constexpr int kScriptLimitMs = 20'000;

class FakeServer {
 public:
  // The connection as the script sees it.
  class Peer {
   public:
    explicit Peer(int listening) : listening_(listening) {}
    Peer(Peer const&) = delete;
    Peer& operator=(Peer const&) = delete;
    ~Peer() { close(); }

    // Accepts the next connection; the one before is cut, whatever is under way.
    void accept() {
      close();
      wait(listening_, POLLIN, "no client connects");
      fd_ = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd_ < 0) throw std::runtime_error("accept failed");
      framer_ = protocol::Framer({1U << 26U, 1U << 26U});
      in_.clear();
    }
    void close() {
      if (fd_ >= 0) ::close(fd_);
      fd_ = -1;
    }
    [[nodiscard]] bool is_open() const { return fd_ >= 0; }

    // Some bytes of the next command have come.
    void wait_for_bytes() { wait(fd_, POLLIN, "the client sends nothing"); }
    // Reads the next command, which must be this one. The message owns its bytes.
    Message expect(std::string_view command) {
      Message message = next();
      if (message.command != command)
        throw std::runtime_error("expected " + std::string(command) + ", the client sent " +
                                 std::string(message.command));
      return message;
    }
    Message next() {
      while (true) {
        protocol::Framer::Piece const piece = framer_.next(in_);
        if (piece.kind == protocol::Framer::Kind::need_more) {
          in_.erase(0, piece.consumed);
          read_some();
          continue;
        }
        Message message;
        binary_ = piece.kind == protocol::Framer::Kind::frame;
        Status const parsed =
            binary_ ? protocol::parse_frame(piece.bytes, message) : protocol::parse_line(piece.bytes, message);
        if (!parsed.ok()) throw std::runtime_error("the client sent something unreadable: " + parsed.message());
        message.own();
        in_.erase(0, piece.consumed);
        return message;
      }
    }
    [[nodiscard]] bool binary() const { return binary_; }
    // True if nothing arrives, although the client waits for us.
    [[nodiscard]] bool silent() const {
      pollfd one{fd_, POLLIN, 0};
      return in_.empty() && ::poll(&one, 1, 0) == 0;
    }

    // The bytes of a message in the framing that the client used last, with the `request` of `about`.
    std::string bytes(std::string_view command, std::vector<Param> params, Message const* about = nullptr) {
      if (about != nullptr) params.push_back({"request", *about->find("request")});
      std::string out;
      Outgoing const outgoing{.command = command, .params = params};
      if (binary_)
        protocol::append_frame(outgoing, out);
      else if (!protocol::append_line(outgoing, out).ok())
        throw std::runtime_error("the script's answer cannot be written as text");
      return out;
    }
    void answer(Message const& about, std::string_view command, std::vector<Param> params = {}) {
      send(bytes(command, std::move(params), &about));
    }
    void push(std::string_view command, std::vector<Param> params) { send(bytes(command, std::move(params))); }

    void send(std::string_view raw) {
      while (!raw.empty()) {
        ssize_t const took = ::send(fd_, raw.data(), raw.size(), MSG_NOSIGNAL);
        if (took <= 0) throw std::runtime_error("the client is gone");
        raw.remove_prefix(static_cast<std::size_t>(took));
      }
    }
    // For so long the client sends nothing, and stays connected.
    void expect_nothing(std::chrono::milliseconds limit) {
      pollfd polled{fd_, POLLIN, 0};
      if (::poll(&polled, 1, static_cast<int>(limit.count())) != 0) throw std::runtime_error("the client did not wait");
    }
    // Returns when the client has ended the connection.
    void wait_for_end() {
      while (true) {
        wait(fd_, POLLIN, "the client does not end the connection");
        char ignored[4096];
        if (::recv(fd_, ignored, sizeof ignored, 0) <= 0) return;
      }
    }

   private:
    static void wait(int fd, short what, char const* complaint) {
      pollfd one{fd, what, 0};
      if (::poll(&one, 1, kScriptLimitMs) <= 0) throw std::runtime_error(complaint);
    }
    void read_some() {
      wait(fd_, POLLIN, "the client sends nothing");
      char buffer[65536];
      ssize_t const got = ::recv(fd_, buffer, sizeof buffer, 0);
      if (got <= 0) throw std::runtime_error("the client ended the connection");
      in_.append(buffer, static_cast<std::size_t>(got));
    }

    int listening_;
    int fd_{-1};
    protocol::Framer framer_{{1U << 26U, 1U << 26U}};
    std::string in_;
    bool binary_{true};
  };

  using Script = std::function<void(Peer&)>;

  explicit FakeServer(Script script) : FakeServer(std::move(script), {}) {}
  // Listens on the unix socket `path`, or, if that is empty, on 127.0.0.1 and a port that the system chooses.
  FakeServer(Script script, std::string const& path) {
    path.empty() ? listen_tcp() : listen_unix(path);
    thread_ = std::thread([this, run = std::move(script)] {
      // Signals that a test sends must reach the code under test, not this thread.
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      try {
        Peer peer(listening_);
        peer.accept();
        run(peer);
      } catch (std::exception const& error) {
        complaint_ = error.what();
      }
    });
  }
  FakeServer(FakeServer const&) = delete;
  FakeServer& operator=(FakeServer const&) = delete;
  ~FakeServer() {
    // If a test failed before its client connected, the script must not wait for one.
    if (std::uncaught_exceptions() > 0) abandon();
    finish();
    ::close(listening_);
  }

  [[nodiscard]] std::string const& address() const { return address_; }
  // Waits for the end of the script; fails the test if the script found an error.
  void finish() {
    if (!thread_.joinable()) return;
    thread_.join();
    BOOST_TEST((is_abandoned_ || complaint_.empty()), complaint_);
  }
  // The script need not come to its end, nor does a client have to connect.
  void abandon() {
    is_abandoned_ = true;
    ::shutdown(listening_, SHUT_RDWR);
  }

 private:
  void listen_tcp() {
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    BOOST_REQUIRE(::bind(listening_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    BOOST_REQUIRE(::listen(listening_, 8) == 0);
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
  }
  void listen_unix(std::string const& path) {
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    BOOST_REQUIRE(::bind(listening_, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    BOOST_REQUIRE(::listen(listening_, 8) == 0);
    address_ = "unix:" + path;
  }

  int listening_{-1};
  std::string address_;
  std::string complaint_;
  bool is_abandoned_{false};
  std::thread thread_;
};

using Peer = FakeServer::Peer;

// For scripts, which run on a thread of their own: if the condition is false, the script ends with this error.
inline void want(bool condition, char const* what) {
  if (!condition) throw std::runtime_error(what);
}

// A parameter whose value is a literal or outlives the message.
inline Param text(std::string_view name, std::string_view value) { return {name, Value::of_text(value)}; }
inline Param number(std::string_view name, std::int64_t value) { return {name, Value::of_integer(value)}; }

}  // namespace fastjournal::client
