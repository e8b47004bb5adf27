#include "config/access/signing_key.h"

#include <algorithm>
#include <utility>

#include "config/access/base64url.h"
#include "config/access/secret.h"

namespace fastjournal::access {

SigningKey SigningKey::make(std::span<char const, kSigningKeyRandomBytes> random) {
  SigningKey out;
  out.text_.reserve(base64url_size(random.size()));
  append_base64url({random.data(), random.size()}, out.text_);
  // Programs would take it for an option.
  if (out.text_.front() == '-') out.text_.front() = '_';
  return out;
}

std::optional<SigningKey> SigningKey::read(std::string_view text) {
  bool const is_printable = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  if (text.size() < kSigningKeyBytesMin || text.size() > kSigningKeyBytesMax || !is_printable) return std::nullopt;
  SigningKey out;
  out.text_ = text;
  return out;
}

SigningKey& SigningKey::operator=(SigningKey const& other) {
  if (this == &other) return *this;
  wipe(text_);
  text_ = other.text_;
  return *this;
}

SigningKey& SigningKey::operator=(SigningKey&& other) noexcept {
  wipe(text_);
  text_ = std::exchange(other.text_, {});
  return *this;
}

SigningKey::~SigningKey() { wipe(text_); }

}  // namespace fastjournal::access
