// A small HTTP server of a test: requests with a Content-Length, one connection after the other, each answered as the
// test's function says. It listens from begin() on; before that its port refuses connections.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace fastjournal::test {

class HttpReceiver {
 public:
  struct Request {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;  // names as sent
    std::string body;
  };
  // The bytes of the answer, head and all; empty: none, and the connection stays open. Runs on the server's thread.
  using Answer = std::function<std::string(Request const&)>;

  explicit HttpReceiver(Answer answer) : answer_(std::move(answer)) {
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    BOOST_REQUIRE(::bind(listening_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
  }
  HttpReceiver(HttpReceiver const&) = delete;
  HttpReceiver& operator=(HttpReceiver const&) = delete;
  ~HttpReceiver() {
    ends_ = true;
    ::shutdown(listening_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    for (int const fd : open_) ::close(fd);
    ::close(listening_);
  }
  void begin() {
    BOOST_REQUIRE(::listen(listening_, 8) == 0);
    thread_ = std::thread([this] { serve(); });
  }

  [[nodiscard]] std::string const& address() const { return address_; }
  [[nodiscard]] std::vector<Request> requests() const {
    std::lock_guard const lock(mutex_);
    return requests_;
  }

  static std::string with_status(int status, std::string_view body = {}) {
    return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + std::string{body};
  }

 private:
  void serve() {
    while (!ends_) {
      int const fd = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      open_.push_back(fd);
      Request request;
      if (!read(fd, request)) continue;
      {
        std::lock_guard const lock(mutex_);
        requests_.push_back(request);
      }
      std::string const answer = answer_(request);
      if (answer.empty()) continue;
      for (std::string_view rest = answer; !rest.empty();) {
        ssize_t const took = ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (took <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(took));
      }
      ::shutdown(fd, SHUT_WR);
    }
  }
  // False: the client has ended the connection before its request was whole.
  static bool read(int fd, Request& request) {
    std::string in;
    std::size_t head = std::string::npos;
    while ((head = in.find("\r\n\r\n")) == std::string::npos) {
      if (!read_some(fd, in)) return false;
      // A client that speaks TLS is answered at once.
      if (in.front() == '\x16') return true;
    }
    std::size_t at = in.find("\r\n");
    std::string const line = in.substr(0, at);
    request.method = line.substr(0, line.find(' '));
    request.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
    while (at < head) {
      std::size_t const end = in.find("\r\n", at + 2);
      std::string const header = in.substr(at + 2, end - at - 2);
      request.headers[header.substr(0, header.find(':'))] = header.substr(header.find(':') + 2);
      at = end;
    }
    std::size_t const bytes =
        request.headers.contains("Content-Length") ? std::stoul(request.headers["Content-Length"]) : 0;
    while (in.size() < head + 4 + bytes)
      if (!read_some(fd, in)) return false;
    request.body = in.substr(head + 4);
    return true;
  }
  static bool read_some(int fd, std::string& into) {
    char buffer[65536];
    ssize_t const got = ::recv(fd, buffer, sizeof buffer, 0);
    if (got > 0) into.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  Answer answer_;
  int listening_{-1};
  std::string address_;
  std::atomic<bool> ends_{false};
  std::vector<int> open_;  // of the thread, and after its end
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::thread thread_;
};

}  // namespace fastjournal::test
