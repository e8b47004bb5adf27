// The bodies of records. A body is a struct with the type of its record, which lists its fields once:
//
//   struct ParkBody {
//     static constexpr auto kType = RecordType::park;
//     ...
//     static void fields(auto& io, auto& body) { io.six(body.at).byte(body.attempts).rest(body.error); }
//   };
//
// The list is gone through to count the bytes of a body, to write them, and to read them; `body` is const for the first
// two. What a reader concludes from other fields is `set`, and what it demands is a `must`: nothing for the others. A
// body of several versions has a member version(): the oldest one that can express it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/bytes.h"
#include "base/check.h"
#include "fastjournal/record.h"
#include "model/varint.h"

namespace fastjournal::model {

// What is done with a field. Each returns the value: the given one, or the one that was read.
class BodySize {
 public:
  static constexpr bool kReads = false;
  template <typename T>
  T fixed(T value) {
    size_ += sizeof value;
    return value;
  }
  std::uint64_t varint(std::uint64_t value) {
    size_ += varint_bytes(value);
    return value;
  }
  std::string_view text(std::string_view value, std::uint64_t) {
    size_ += value.size();
    return value;
  }
  [[nodiscard]] static constexpr bool ok() { return true; }
  static char* place() { return nullptr; }
  template <typename T>
  static void replace(char*, T) {}
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_{0};
};

class BodyWriter {
 public:
  static constexpr bool kReads = false;
  explicit BodyWriter(char* to) : to_(to) {}
  template <typename T>
  T fixed(T value) {
    store_little(to_, value);
    to_ += sizeof value;
    return value;
  }
  std::uint64_t varint(std::uint64_t value) {
    to_ += store_varint(to_, value);
    return value;
  }
  std::string_view text(std::string_view value, std::uint64_t) {
    if (!value.empty()) std::memcpy(to_, value.data(), value.size());
    to_ += value.size();
    return value;
  }
  [[nodiscard]] static constexpr bool ok() { return true; }
  [[nodiscard]] char* place() const { return to_; }
  template <typename T>
  static void replace(char* at, T value) {
    store_little(at, value);
  }

 private:
  char* to_;
};

// Once something does not fit, all that follows is empty, and it is not finished().
class BodyReader {
 public:
  static constexpr bool kReads = true;
  explicit BodyReader(std::string_view bytes) : rest_(bytes) {}
  template <typename T>
  T fixed(T) {
    if (rest_.size() < sizeof(T)) {
      fail();
      return T{};
    }
    T const out = load_little<T>(rest_.data());
    rest_.remove_prefix(sizeof(T));
    return out;
  }
  std::uint64_t varint(std::uint64_t) {
    std::uint64_t value = 0;
    if (!take_varint(rest_, value)) fail();
    return value;
  }
  std::string_view text(std::string_view, std::uint64_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    std::string_view const out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  static char* place() { return nullptr; }
  template <typename T>
  static void replace(char*, T) {}
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  [[nodiscard]] std::string_view left() const { return rest_; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_{true};
};

// A number of bits in front of fields, which says which of them are there.
template <typename Codec, typename Bits>
class Flags {
 public:
  Flags(Codec& codec, Bits all) : codec_(codec), place_(codec.place()), bits_(codec.fixed(Bits{0})) {
    if constexpr (Codec::kReads)
      if (bits_ > all) codec.fail();
  }
  Flags(Flags const&) = delete;
  Flags& operator=(Flags const&) = delete;
  ~Flags() { codec_.replace(place_, bits_); }

  bool operator()(Bits bit, bool is_there) {
    if constexpr (Codec::kReads) return (bits_ & bit) != 0;
    if (is_there) bits_ |= bit;
    return is_there;
  }
  // One of these bits or a higher one may be set: a reader's way past rare fields.
  [[nodiscard]] bool from(Bits bit) const { return !Codec::kReads || bits_ >= bit; }
  // Some of the bits are a value.
  template <typename T>
  void value(Bits mask, T& value) {
    if constexpr (Codec::kReads)
      value = static_cast<T>(bits_ & mask);
    else
      bits_ |= static_cast<Bits>(value);
  }

 private:
  Codec& codec_;
  char* place_;
  Bits bits_;
};

// The kinds of fields.
template <typename Codec>
class Fields : public Codec {
 public:
  template <typename... Arguments>
  explicit Fields(std::uint8_t version, Arguments... arguments) : Codec(arguments...), version_(version) {}
  [[nodiscard]] std::uint8_t version() const { return version_; }

  template <typename T>
  Fields& byte(T& value) {
    return set(value, Codec::fixed(static_cast<std::uint8_t>(value)));
  }
  // A flag, or one of several values.
  template <typename T>
  Fields& byte(T& value, std::remove_const_t<T> most) {
    std::uint8_t const byte = Codec::fixed(static_cast<std::uint8_t>(value));
    return must(byte <= static_cast<std::uint8_t>(most)).set(value, byte);
  }
  template <typename T>
  Fields& six(T& value) {
    std::int64_t const low = Codec::fixed(static_cast<std::uint32_t>(value));
    std::int64_t const high = Codec::fixed(static_cast<std::uint16_t>(value >> 32));
    return set(value, low | high << 32);
  }
  // A date relative to another one, if it is there; else it is `absent`.
  template <typename T>
  Fields& relative(T& date, bool is_there, std::remove_const_t<T> base, std::remove_const_t<T> absent) {
    if (!is_there) return set(date, absent);
    std::uint64_t after = zigzag(static_cast<std::int64_t>(date - base));
    return number(after).set(date, base + static_cast<std::remove_const_t<T>>(unzigzag(after)));
  }
  // An LSN / 8.
  template <typename T>
  Fields& id(T& value) {
    auto number = static_cast<std::int64_t>(value.value / kLsnAlign);
    six(number);
    return set(value.value, static_cast<std::uint64_t>(number) * kLsnAlign);
  }
  // Of so many bytes as the type of `all`, the highest value.
  template <typename Bits>
  [[nodiscard]] Flags<Codec, Bits> flags(Bits all) {
    return {*this, all};
  }
  // As wide as its type.
  template <typename T>
  Fields& fixed(T& value) {
    if constexpr (std::is_enum_v<T>)
      return set(value, Codec::fixed(static_cast<std::underlying_type_t<T>>(value)));
    else
      return set(value, Codec::fixed(std::remove_const_t<T>{value}));
  }
  template <typename T>
  Fields& number(T& value) {
    std::uint64_t const number = Codec::varint(static_cast<std::uint64_t>(value));
    if constexpr (sizeof(T) < sizeof number) must(number <= std::numeric_limits<T>::max());
    return set(value, number);
  }
  // One that is 0 if it is not there.
  template <typename T>
  Fields& number(T& value, bool is_there) {
    return is_there ? number(value) : set(value, 0);
  }
  template <typename T>
  Fields& text(T& value) {
    return sized(value, Codec::varint(value.size()));
  }
  // The same with a length of one or of two bytes.
  template <typename T>
  Fields& text8(T& value) {
    return sized(value, Codec::fixed(static_cast<std::uint8_t>(value.size())));
  }
  template <typename T>
  Fields& text16(T& value) {
    return sized(value, Codec::fixed(static_cast<std::uint16_t>(value.size())));
  }
  // Its length is said elsewhere.
  template <typename T>
  Fields& sized(T& value, std::uint64_t size) {
    std::string_view const text = Codec::text(value, size);
    if constexpr (!std::is_const_v<T>) value = text;
    return *this;
  }
  template <typename T>
  Fields& rest(T& value) {
    if constexpr (Codec::kReads)
      return sized(value, Codec::left().size());
    else
      return sized(value, value.size());
  }
  // How many, and one by one.
  template <typename T, typename One>
  Fields& list(T& all, One const& one, std::uint64_t most = UINT64_MAX) {
    std::uint64_t const count = Codec::varint(all.size());
    return must(count <= most).each(all, count, one);
  }
  // How many is said elsewhere.
  template <typename T, typename One>
  Fields& each(T& all, std::uint64_t count, One const& one) {
    if constexpr (Codec::kReads)
      for (std::uint64_t at = 0; at < count && Codec::ok(); ++at) one(all.emplace_back());
    else
      for (auto& each : all) one(each);
    return *this;
  }
  template <typename T, typename One>
  Fields& list_to_end(T& all, One const& one) {
    if constexpr (Codec::kReads)
      while (!Codec::left().empty()) one(all.emplace_back());
    else
      for (auto& each : all) one(each);
    return *this;
  }
  // The value of an optional that is there.
  template <typename T>
  auto& there(T& value) {
    if constexpr (Codec::kReads) value.emplace();
    return *value;
  }
  // One that has fields itself.
  template <typename T>
  Fields& optional(T& value, bool is_there) {
    if (is_there) T::value_type::fields(*this, there(value));
    return *this;
  }

  template <typename T, typename Given>
  Fields& set(T& value, Given given) {
    if constexpr (!std::is_const_v<T>) value = static_cast<T>(given);
    return *this;
  }
  Fields& must(bool holds) {
    if constexpr (Codec::kReads)
      if (!holds) Codec::fail();
    return *this;
  }

 private:
  std::uint8_t version_;
};

template <auto Type>
struct EmptyBody {
  static constexpr auto kType = Type;
  static void fields(auto&, auto&) {}
};

template <typename Body>
[[nodiscard]] std::uint8_t version_of(Body const& body) {
  if constexpr (requires { body.version(); })
    return body.version();
  else
    return 1;
}

template <typename Body>
[[nodiscard]] std::size_t body_bytes(Body const& body) {
  Fields<BodySize> size{version_of(body)};
  Body::fields(size, body);
  return size.size();
}

// Appends one record and returns its place. `object` none: it begins.
template <typename Body, typename Type = decltype(Body::kType)>
[[gnu::noinline, gnu::flatten]] Lsn append_record(Records& records, ObjectId object, Body const& body,
                                                  Type type = Body::kType) {
  std::uint8_t const version = version_of(body);
  Fields<BodySize> size{version};
  Body::fields(size, body);
  Records::Place const place = records.append(static_cast<std::uint8_t>(type), version, object, size.size());
  auto* const to = reinterpret_cast<char*>(place.body.data());
  Fields<BodyWriter> writer{version, to};
  Body::fields(writer, body);
  FJ_CHECK(writer.place() == to + size.size(), "a body has as many bytes as were counted");
  return place.lsn;
}

// Appends the bytes of a body.
template <typename Body>
void write_body(std::string& out, Body const& body) {
  std::size_t const before = out.size();
  out.resize(before + body_bytes(body));
  Fields<BodyWriter> writer{version_of(body), out.data() + before};
  Body::fields(writer, body);
}
template <typename Body>
void digest_body(DigestSink& sink, Body const& body) {
  std::string canonical;
  write_body(canonical, body);
  sink.object(as_bytes(canonical));
}
// Behind the id of its object.
template <typename Body>
void digest_object(DigestSink& sink, ObjectId id, Body const& body) {
  std::string canonical;
  append_little(canonical, id.value);
  write_body(canonical, body);
  sink.object(as_bytes(canonical));
}

// False: malformed. The version is one that is known. Texts are of `bytes`.
template <typename Body>
[[nodiscard, gnu::noinline, gnu::flatten]] bool read_body(std::string_view bytes, std::uint8_t version, Body& body) {
  Fields<BodyReader> reader{version, bytes};
  Body::fields(reader, body);
  return reader.finished();
}
template <typename Body>
[[nodiscard]] bool read_record(RecordView const& record, Body& body) {
  return read_body(as_text(record.body), record.version, body);
}

}  // namespace fastjournal::model
