// Fixed-width numbers in byte strings, little endian on every machine where a name does not say otherwise. ByteReader
// never reads past the end; ok() is false instead.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace fastjournal {

template <typename T>
requires std::is_integral_v<T>
[[nodiscard]] T load_little(void const* from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  static_assert(std::endian::native == std::endian::little, "byte order other than little endian is not supported");
  return out;
}

template <typename T>
requires std::is_integral_v<T>
void store_little(void* to, T value) {
  static_assert(std::endian::native == std::endian::little, "byte order other than little endian is not supported");
  std::memcpy(to, &value, sizeof value);
}

template <typename T>
requires std::is_integral_v<T>
void append_little(std::string& out, T value) {
  char bytes[sizeof(T)];
  store_little(bytes, value);
  out.append(bytes, sizeof bytes);
}

// Big endian, as in the headers of some protocols.
template <typename T>
requires std::is_unsigned_v<T>
[[nodiscard]] T load_big(void const* from) {
  auto const* const bytes = static_cast<unsigned char const*>(from);
  T out{0};
  for (std::size_t i = 0; i < sizeof(T); ++i) out = static_cast<T>(static_cast<std::uint64_t>(out) << 8U | bytes[i]);
  return out;
}

template <typename T>
requires std::is_unsigned_v<T>
void store_big(void* to, T value) {
  auto* const bytes = static_cast<unsigned char*>(to);
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> (8 * (sizeof(T) - 1 - i)));
}

template <typename T>
requires std::is_unsigned_v<T>
void append_big(std::string& out, T value) {
  char bytes[sizeof(T)];
  store_big(bytes, value);
  out.append(bytes, sizeof bytes);
}

[[nodiscard]] inline std::string_view as_text(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::span<std::byte const> as_bytes(std::string_view text) {
  return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

// Takes numbers and strings off the front of a byte string.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T number() {
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      rest_ = {};
      return T{};
    }
    T const out = load_little<T>(rest_.data());
    rest_.remove_prefix(sizeof(T));
    return out;
  }
  std::string_view bytes(std::size_t size) {
    if (rest_.size() < size) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    std::string_view const out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool ok() const { return ok_; }
  // Nothing was missing, and nothing is left.
  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_{true};
};

}  // namespace fastjournal
