// One account of all memory caused by clients: unread input and unfinished messages, unsent output, waiting commands,
// listeners, refused lines that are being written to a file. Each connection has an account of capacities, which is
// what the process pays for; accounts are grouped by origin (env::Peer::origin), so that many connections of one peer
// get no larger share.
//
// Shares limit what is used, and nothing is reserved: eight bytes that announce a frame of 32 MiB must not take the
// room of those who send theirs.
//
// memory_guard.h acts on four states:
//
//   short    three quarters of the limit are used. A connection over its share (greedy) is no longer read. The room is
//            divided among the origins that use much, then among their large connections. A share is at least the
//            average, so that connections within their shares never exceed the room together.
//   full     seven eighths are used: of an origin over its share no large connection is read, except those that may
//            finish their message
//   over     the limit is reached: nothing is read until the largest connections were closed
//   small    a connection with so little memory that it is never stopped: all connections together cannot reach half
//            of the limit that way
//
// A change costs some ten instructions, however many connections there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fastjournal::server {

class ClientMemory {
 public:
  struct Origin {
    std::uint64_t bytes{0};
    std::uint32_t connections{0};
    std::uint32_t large{0};  // of them with more than a little
  };
  // The account of one connection, from open to close.
  struct Account {
    Origin* origin{nullptr};
    std::uint64_t bytes{0};
    bool large{false};
  };

  ClientMemory(std::uint64_t limit, std::size_t connections_max)
      : limit_(limit),
        short_(limit - limit / 4),
        small_(std::clamp<std::uint64_t>(limit / 2 / std::max<std::size_t>(connections_max, 1), kSmallMin, kSmallMax)) {
  }
  ClientMemory(ClientMemory const&) = delete;
  ClientMemory& operator=(ClientMemory const&) = delete;

  void open(Account& account, std::string_view origin) {
    auto found = origins_.find(origin);
    if (found == origins_.end()) found = origins_.emplace(origin, Origin{}).first;
    account.origin = &found->second;
    ++found->second.connections;
  }
  void close(Account& account, std::string_view origin) {
    set(account, 0);
    if (--account.origin->connections == 0) origins_.erase(origins_.find(origin));
    account = {};
  }

  // Sets the bytes of an account.
  void set(Account& account, std::uint64_t bytes) {
    if (bytes == account.bytes) return;
    total_ += bytes - account.bytes;
    account.origin->bytes += bytes - account.bytes;
    account.bytes = bytes;
    peak_ = std::max(peak_, total_);
    if ((bytes > small_) != account.large) turn(account);
  }
  // Sets the bytes that belong to no connection any more.
  void set_shared(std::uint64_t bytes) {
    total_ += bytes - shared_;
    shared_ = bytes;
    peak_ = std::max(peak_, total_);
  }

  [[nodiscard]] bool is_short() const { return total_ > short_; }
  [[nodiscard]] bool is_tight() const { return total_ > limit_ / 2; }
  [[nodiscard]] bool is_over() const { return total_ > limit_; }
  // Whether it must wait: it has more than its share, or its origin has while memory is full.
  [[nodiscard]] bool is_greedy(Account const& account) const {
    if (!account.large || !is_short()) return false;
    std::uint64_t const share = short_ / large_origins_;
    return account.origin->bytes >= share && (is_full() || account.bytes >= share / account.origin->large);
  }
  // Which of two is closed first: the larger.
  [[nodiscard]] static bool has_more(Account const& a, Account const& b) {
    return a.origin->bytes != b.origin->bytes ? a.origin->bytes > b.origin->bytes : a.bytes > b.bytes;
  }

  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  // For connections that may finish a message: memory that no other uses.
  [[nodiscard]] std::uint64_t room() const { return std::min(limit_ / 8, limit_ - std::min(limit_, total_)); }

 private:
  static constexpr std::uint64_t kSmallMin = 4U << 10U;
  static constexpr std::uint64_t kSmallMax = 64U << 10U;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

  [[nodiscard]] bool is_full() const { return total_ > limit_ - limit_ / 8; }

  void turn(Account& account) {
    account.large = !account.large;
    Origin& origin = *account.origin;
    if (account.large && origin.large++ == 0) ++large_origins_;
    if (!account.large && --origin.large == 0) --large_origins_;
  }

  std::uint64_t limit_;
  std::uint64_t short_;
  std::uint64_t small_;
  std::uint64_t total_{0};
  std::uint64_t shared_{0};  // of it
  std::uint64_t peak_{0};
  std::uint64_t large_origins_{0};
  std::unordered_map<std::string, Origin, Hash, std::equal_to<>> origins_;  // never iterated
};

}  // namespace fastjournal::server
