// Messages received by UDP: who may send them, and how many per second. They are never answered: UDP has no order and
// no acknowledgement, and a sender's address can be forged. The secret is not passed on, logged or stored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/message.h"

namespace fastjournal::server {

// The largest datagram that such senders use.
inline constexpr std::size_t kDatagramMessageBytesMax = 1024;
inline constexpr std::string_view kSecretParameter = "secret_code";

struct DatagramOptions {
  std::string secret;  // empty: none is required
  std::uint32_t messages_per_second{10'000};
};

// One receiving socket.
class DatagramSource {
 public:
  explicit DatagramSource(DatagramOptions options) : options_(std::move(options)) {}

  // False: more than are allowed within a second.
  [[nodiscard]] bool has_room(std::int64_t now_us) {
    std::int64_t const full = std::int64_t{options_.messages_per_second} * 1'000'000;
    std::int64_t const passed = std::clamp<std::int64_t>(now_us - looked_at_us_, 0, 1'000'000);
    looked_at_us_ = now_us;
    room_ = std::min(full, room_ + passed * options_.messages_per_second);
    if (room_ < 1'000'000) return false;
    room_ -= 1'000'000;
    return true;
  }

  // Whether the message has the secret; removes it from the message in any case.
  [[nodiscard]] bool admits(Message& message) const {
    Value const* const given = message.find(kSecretParameter);
    bool const right = options_.secret.empty() || (given != nullptr && is_secret(given->bytes));
    message.erase(kSecretParameter);
    return right;
  }

 private:
  // Takes the same time wherever they differ.
  [[nodiscard]] bool is_secret(std::string_view given) const {
    unsigned different = given.size() == options_.secret.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i)
      different |= static_cast<unsigned char>(given[i]) ^
                   static_cast<unsigned char>(options_.secret[i % options_.secret.size()]);
    return different == 0;
  }

  DatagramOptions options_;
  std::int64_t room_{1'000'000};  // millionths of a message
  std::int64_t looked_at_us_{0};
};

}  // namespace fastjournal::server
