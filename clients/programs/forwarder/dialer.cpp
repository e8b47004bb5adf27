#include "clients/programs/forwarder/dialer.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"

namespace fastjournal::forwarder {
namespace {

void signal(int fd) {
  std::uint64_t const one = 1;
  // It fails only if the counter is full, and then it is readable anyway.
  [[maybe_unused]] ssize_t const put = ::write(fd, &one, sizeof one);
}

}  // namespace

Dialer::Dialer(std::string address, tls::ClientFiles files, std::chrono::milliseconds limit, int done_fd)
    : address_(std::move(address)),
      files_(std::move(files)),
      limit_(limit),
      done_fd_(done_fd),
      stop_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Dialer::~Dialer() {
  signal(stop_fd_);
  if (thread_.joinable()) thread_.join();
  ::close(stop_fd_);
}

void Dialer::start() {
  FJ_CHECK(!thread_.joinable(), "one attempt at a time");
  thread_ = std::thread{[this] {
    Result<client::Socket> made = connect();
    {
      std::lock_guard const lock{mutex_};
      made_.emplace(std::move(made));
    }
    signal(done_fd_);
  }};
}

// Files of TLS are read with each attempt: they may have been renewed.
Result<client::Socket> Dialer::connect() {
  Result<std::shared_ptr<tls::ClientContext>> tls = client::Socket::tls_for(address_, files_);
  if (!tls.ok()) return tls.status();
  return client::Socket::connect(address_, stop_fd_, client::moment_after(limit_), tls.value());
}

std::optional<Result<client::Socket>> Dialer::take() {
  std::optional<Result<client::Socket>> out;
  {
    std::lock_guard const lock{mutex_};
    out.swap(made_);
  }
  if (out) thread_.join();
  return out;
}

}  // namespace fastjournal::forwarder
