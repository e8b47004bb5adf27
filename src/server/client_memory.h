// One account of all bytes that clients cause: unread input and unfinished
// messages, unsent output, waiting commands, listeners, refused lines on their way
// into a file. Each connection has an account, counted by capacity, which is what
// the process pays; accounts are grouped by origin (env::Peer::origin), so that nobody has
// more for having many connections.
//
// Shares limit what is used, and nothing is reserved: eight bytes that announce a frame of 32 MiB must not take the
// room of those who send theirs.
//
// What is done about it (server_memory.cpp) follows from four words:
//
//   short    three quarters of the limit are used. A connection with more than its share is not read any more
//            (greedy): the room for all, parted among the origins that have much, and then among their connections
//            that have much. Somebody has at least the average, so that all together never stay above it.
//   full     seven eighths: of an origin that has more than its share nobody who has much is read but those who are
//            let on, so that these come to their end
//   over     the limit is reached: nobody is read until those who have most were closed
//   small    so little that it is never held against anybody: all connections together cannot be half of the limit
//
// A change costs some ten instructions, whatever there is.
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
  // One connection's; from open to close.
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

  // The account has so many bytes now.
  void set(Account& account, std::uint64_t bytes) {
    if (bytes == account.bytes) return;
    total_ += bytes - account.bytes;
    account.origin->bytes += bytes - account.bytes;
    account.bytes = bytes;
    peak_ = std::max(peak_, total_);
    if ((bytes > small_) != account.large) turn(account);
  }
  // What belongs to no connection any more.
  void add_shared(std::int64_t bytes) {
    total_ += static_cast<std::uint64_t>(bytes);
    peak_ = std::max(peak_, total_);
  }

  [[nodiscard]] bool is_short() const { return total_ > short_; }
  [[nodiscard]] bool is_tight() const { return total_ > limit_ / 2; }
  [[nodiscard]] bool is_over() const { return total_ > limit_; }
  // Whether it is to wait until others are gone: it has more than its share, or its origin has and everything is full.
  [[nodiscard]] bool is_greedy(Account const& account) const {
    if (!account.large || !is_short()) return false;
    std::uint64_t const share = short_ / large_origins_;
    return account.origin->bytes >= share && (is_full() || account.bytes >= share / account.origin->large);
  }
  // Whom it hits first: who has more of the two.
  [[nodiscard]] static bool has_more(Account const& a, Account const& b) {
    return a.origin->bytes != b.origin->bytes ? a.origin->bytes > b.origin->bytes : a.bytes > b.bytes;
  }

  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  // For those who are let on to the end of a message: of what nobody else takes.
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
  std::uint64_t peak_{0};
  std::uint64_t large_origins_{0};
  std::unordered_map<std::string, Origin, Hash, std::equal_to<>> origins_;  // never iterated
};

}  // namespace fastjournal::server
