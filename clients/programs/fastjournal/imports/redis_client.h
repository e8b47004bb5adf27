// The protocol of Redis from its client's side: hiredis makes commands and reads answers, the bytes are of peer.h, and the
// limits are here. Answers become values of our own, so that what is kept of one is counted while it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/imports/peer.h"

struct redisReader;

namespace fastjournal::imports {

struct Answer {
  enum class Type : std::uint8_t { text, integer, nothing, list, error };
  Type type{Type::nothing};
  std::string text{};
  std::int64_t integer{0};
  std::vector<std::unique_ptr<Answer>> items{};

  [[nodiscard]] bool is_nothing() const { return type == Type::nothing; }
};

using Words = std::vector<std::string>;

class RedisClient {
 public:
  RedisClient(std::string place, std::chrono::milliseconds limit);
  ~RedisClient();
  RedisClient(RedisClient const&) = delete;
  RedisClient& operator=(RedisClient const&) = delete;

  // Also logs in and selects the database, and again whenever the connection was given up.
  [[nodiscard]] Status connect(std::string const& user, std::string const& password, std::uint64_t database);
  [[nodiscard]] Peer const& peer() const { return peer_; }

  // Leaves with the next get().
  void put(Words const& command);
  // The next answer, one for each put(). too_large: it has more than kAnswerBytesMax, and the connection is a new one.
  // An error of Redis is an answer.
  [[nodiscard]] Result<Answer> get();
  // An error of Redis is a Status.
  [[nodiscard]] Result<Answer> ask(Words const& command);
  // The commands as one, all or none. Empty: none, as a key that was watched has changed.
  [[nodiscard]] Result<std::vector<std::unique_ptr<Answer>>> at_once(std::vector<Words> const& commands);
  [[nodiscard]] Result<std::uint64_t> count(Words const& command);
  [[nodiscard]] Status failed(Answer const& error, std::string_view command) const;

  // A body, and what goes with it.
  static constexpr std::size_t kAnswerBytesMax = std::size_t{66} << 20U;
  static constexpr std::size_t kAnswerItemsMax = 4096;

 private:
  [[nodiscard]] Status start();
  [[nodiscard]] Status log_in();

  Peer peer_;
  redisReader* reader_{nullptr};
  std::size_t kept_{0};  // bytes of the answer that comes
  bool is_too_large_{false};
  bool is_starting_{false};
  Words login_;
  std::uint64_t database_{0};

  friend struct Makers;
};

}  // namespace fastjournal::imports
