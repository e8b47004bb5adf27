// A token is what a user shows instead of a name and a password: "fj_", a salt and a secret of 256 random bits. It is
// made by the program and shown once; what is kept of it is a slow hash.
//
// The salt of that hash is part of the token. So the daemon knows whose hash to compute: one for a token, however many
// users there are, and none for a token with an unknown salt. A salt is no secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::access {

inline constexpr std::string_view kTokenPrefix = "fj_";
inline constexpr std::size_t kSaltBytes = 16;
inline constexpr std::size_t kSecretBytes = 32;
inline constexpr std::size_t kTokenBytes = 3 + 22 + 43;  // of its text

// The text of a token. Overwritten when it is destroyed.
class Token {
 public:
  // `random`: the salt, then the secret.
  [[nodiscard]] static Token make(std::span<char const, kSaltBytes + kSecretBytes> random);
  // Empty: the text is not a token.
  [[nodiscard]] static std::optional<Token> read(std::string_view text);

  Token(Token const&) = default;
  Token& operator=(Token const&) = default;
  ~Token();

  [[nodiscard]] std::string_view text() const { return {text_.data(), text_.size()}; }
  [[nodiscard]] std::string salt() const;  // kSaltBytes

 private:
  Token() = default;

  std::array<char, kTokenBytes> text_{};
};

// How much work a hash is: scrypt with N = 2^log_n. 15, 8 and 1 take 32 MiB and some 50 to 100 ms.
struct HashCost {
  std::uint32_t log_n{15};
  std::uint32_t r{8};
  std::uint32_t p{1};

  bool operator==(HashCost const&) const = default;
};
// The bounds of a file's request, so that it cannot take all memory: 4 to 256 MiB.
inline constexpr HashCost kHashCostLeast{.log_n = 12, .r = 8, .p = 1};
inline constexpr HashCost kHashCostMost{.log_n = 18, .r = 8, .p = 4};

// The stored form of a token.
class TokenHash {
 public:
  // Slow on purpose. Not ok: there is no memory for it.
  [[nodiscard]] static Result<TokenHash> of(Token const& token, HashCost cost = {});
  // "$scrypt$ln=15,r=8,p=1$SALT$HASH", where SALT and HASH are base64url. Empty: it is none, or its cost is out of
  // bounds.
  [[nodiscard]] static std::optional<TokenHash> parse(std::string_view text);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string const& salt() const { return salt_; }
  [[nodiscard]] HashCost cost() const { return cost_; }
  // Whether this is the hash of the token. Slow; takes the same time for all tokens with its salt. Not ok: there is no
  // memory for it.
  [[nodiscard]] Result<bool> is_of(Token const& token) const;

  bool operator==(TokenHash const&) const = default;

 private:
  TokenHash() = default;

  HashCost cost_;
  std::string salt_;
  std::string hash_;
};

}  // namespace fastjournal::access
