// The bodies of records, byte by byte: dates are 6 bytes, ids LSN / 8 in 6 bytes, texts a varint length and bytes; a
// last text needs no length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/bytes.h"
#include "base/check.h"
#include "fastjournal/table.h"
#include "model/varint.h"
#include "plugins/rows/payload.h"

namespace fastjournal::rows {

// The fixed part of a body, on the stack: numbers and short texts.
class BodyHead {
 public:
  BodyHead& byte(std::uint8_t value) {
    bytes_[size_++] = static_cast<char>(value);
    return *this;
  }
  BodyHead& six(std::int64_t value) {
    store_little(bytes_.data() + size_, static_cast<std::uint32_t>(value));
    store_little(bytes_.data() + size_ + 4, static_cast<std::uint16_t>(value >> 32));
    size_ += 6;
    return *this;
  }
  BodyHead& id(ObjectId value) { return six(static_cast<std::int64_t>(value.value / kLsnAlign)); }
  BodyHead& eight(std::uint64_t value) {
    store_little(bytes_.data() + size_, value);
    size_ += 8;
    return *this;
  }
  BodyHead& number(std::uint64_t value) {
    size_ += model::store_varint(bytes_.data() + size_, value);
    return *this;
  }
  BodyHead& text(std::string_view value) {
    FJ_CHECK(size_ + value.size() + 16 < bytes_.size(), "a text is longer than the limit it was checked against");
    number(value.size());
    std::memcpy(bytes_.data() + size_, value.data(), value.size());
    size_ += value.size();
    return *this;
  }
  BodyHead& facts(Facts const& value) {
    size_ += payload::write_facts(bytes_.data() + size_, value);
    return *this;
  }
  // What `write` writes at the place that it is given: it returns how many bytes, at most `most`.
  template <typename Write>
  BodyHead& room(std::size_t most, Write const& write) {
    FJ_CHECK(size_ + most <= bytes_.size(), "a head has room for what is fixed");
    size_ += write(bytes_.data() + size_);
    return *this;
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 1024> bytes_;
  std::size_t size_{0};
};

// Reads a body from its front. Once something does not fit, all that follows is empty, and it is not finished().
class BodyReader {
 public:
  explicit BodyReader(std::string_view bytes) : rest_(bytes) {}
  std::uint8_t byte() { return fixed<std::uint8_t>(); }
  std::uint64_t eight() { return fixed<std::uint64_t>(); }
  std::int64_t six() {
    auto const low = fixed<std::uint32_t>();
    return static_cast<std::int64_t>(low) | static_cast<std::int64_t>(fixed<std::uint16_t>()) << 32;
  }
  ObjectId id() { return ObjectId{static_cast<std::uint64_t>(six()) * kLsnAlign}; }
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (!model::take_varint(rest_, value)) fail();
    return value;
  }
  template <typename T>
  T number_as() {
    std::uint64_t const value = number();
    if (value > std::numeric_limits<T>::max()) fail();
    return static_cast<T>(value);
  }
  std::string_view text() { return bytes(number()); }
  std::string_view bytes(std::uint64_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    std::string_view const out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  Facts facts() {
    Facts out;
    if (!payload::take_facts(rest_, out)) fail();
    return out;
  }
  std::string_view rest() {
    std::string_view const out = rest_;
    rest_ = {};
    return out;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

 private:
  template <typename T>
  T fixed() {
    if (rest_.size() < sizeof(T)) {
      fail();
      return T{};
    }
    T const out = load_little<T>(rest_.data());
    rest_.remove_prefix(sizeof(T));
    return out;
  }

  std::string_view rest_;
  bool ok_{true};
};

// Appends a record whose body is `head` and then `texts`.
template <typename... Texts>
Lsn append_body(Records& records, std::uint8_t type, std::uint8_t version, ObjectId object, BodyHead const& head,
                Texts... texts) {
  std::size_t size = head.view().size();
  ((size += texts.size()), ...);
  Records::Place const place = records.append(type, version, object, size);
  std::byte* to = place.body.data();
  auto const copy = [&to](std::string_view from) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
    to += from.size();
  };
  copy(head.view());
  (copy(texts), ...);
  return place.lsn;
}

}  // namespace fastjournal::rows
