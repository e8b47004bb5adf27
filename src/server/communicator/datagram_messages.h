// Messages received by UDP: who may send them, and how many per second. They are never answered: UDP has no order and
// no acknowledgement, and a sender's address can be forged. The secret is not passed on, logged or stored. The server
// runs the messages and counts what became of them here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fastjournal/message.h"
#include "fastjournal/types.h"

namespace fastjournal::communicator {

// The largest datagram that such senders use.
inline constexpr std::size_t kDatagramMessageBytesMax = 1024;
inline constexpr std::string_view kSecretParameter = "secret_code";

struct DatagramOptions {
  std::string secret;  // empty: none is required
  std::uint32_t messages_per_second{10'000};
  std::string table{};  // the only one that its messages reach, and the one meant where they name none; empty: all
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

  [[nodiscard]] std::string const& table() const { return options_.table; }

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

// All receiving sockets.
class DatagramMessages {
 public:
  struct Counters {
    std::uint64_t messages{0};
    std::uint64_t dropped{0};  // unreadable, too large, or too many in a second
    std::uint64_t wrong_secret{0};
    std::uint64_t ignored{0};  // commands that add nothing
    std::uint64_t refused{0};  // by the table
  };

  // Datagrams at this socket of the network are messages.
  void take(ConnectionId socket, DatagramOptions options) {
    sources_.emplace(socket, DatagramSource{std::move(options)});
  }
  // The message in a datagram, without its secret; valid as long as `bytes`, until the next call. Null: it is not to be
  // run, and counted.
  [[nodiscard]] Message* read(ConnectionId socket, std::string_view bytes, std::int64_t now_us);
  // Of a socket whose message was read.
  [[nodiscard]] std::string_view table_of(ConnectionId socket) const { return sources_.at(socket).table(); }
  void count_ignored() { ++counters_.ignored; }
  void count_refused() { ++counters_.refused; }

  [[nodiscard]] Counters const& counters() const { return counters_; }

 private:
  std::unordered_map<ConnectionId, DatagramSource> sources_;  // never iterated
  Message message_;                                           // memory that is reused
  Counters counters_;
};

}  // namespace fastjournal::communicator
