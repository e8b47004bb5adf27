// Attempts to connect to one address, each on a thread of its own: names are looked up and hands are shaken there, and
// the loop never waits for a computer that does not answer.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "clients/cpp/socket.h"
#include "fastjournal/status.h"
#include "platform/tls/context.h"

namespace fastjournal::forwarder {

class Dialer {
 public:
  // `address` as in client::Options::server; `done_fd`, an eventfd, is written to when an attempt has ended.
  Dialer(std::string address, tls::ClientFiles files, std::chrono::milliseconds limit, int done_fd);
  // Ends an attempt that is under way.
  ~Dialer();
  Dialer(Dialer const&) = delete;
  Dialer& operator=(Dialer const&) = delete;

  // None may be under way.
  void start();
  // Of an attempt that has ended, once.
  [[nodiscard]] std::optional<Result<client::Socket>> take();

 private:
  [[nodiscard]] Result<client::Socket> connect();

  std::string const address_;
  tls::ClientFiles const files_;
  std::chrono::milliseconds const limit_;
  int const done_fd_;
  int const stop_fd_;
  std::mutex mutex_;
  std::optional<Result<client::Socket>> made_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace fastjournal::forwarder
