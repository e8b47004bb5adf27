// The secret with which a user signs requests (signature.h). A signature can only be verified with the secret itself:
// unlike a token, of which a hash is enough, it is kept as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fastjournal::access {

inline constexpr std::size_t kSigningKeyBytesMin = 16;
inline constexpr std::size_t kSigningKeyBytesMax = 128;
inline constexpr std::string_view kSigningKeyRule = "16 to 128 printable characters of ASCII, none of them a blank";
inline constexpr std::size_t kSigningKeyRandomBytes = 30;  // of one that is made: 40 characters

// Overwritten when it is destroyed.
class SigningKey {
 public:
  [[nodiscard]] static SigningKey make(std::span<char const, kSigningKeyRandomBytes> random);
  // Empty: the text is none.
  [[nodiscard]] static std::optional<SigningKey> read(std::string_view text);

  SigningKey(SigningKey const&) = default;
  SigningKey(SigningKey&&) noexcept = default;
  SigningKey& operator=(SigningKey const& other);
  SigningKey& operator=(SigningKey&& other) noexcept;
  ~SigningKey();

  [[nodiscard]] std::string_view text() const { return text_; }
  bool operator==(SigningKey const&) const = default;

 private:
  SigningKey() = default;

  std::string text_;
};

}  // namespace fastjournal::access
