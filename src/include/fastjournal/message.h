// The one message type between protocols and tables: a command, its sender and receiver, and named values. The codecs
// (src/wire/) convert it from and to bytes; no other layer knows whether a message was text, JSON or msgpack.
//
// A Message borrows: its views point into the buffer it was parsed from, or into its own arena. It is valid until that
// buffer changes. A caller that keeps a message calls own(), which copies everything into the arena.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/extent.h"

namespace fastjournal {

// Memory at fixed addresses until clear(). The first block is kept for the next use, so repeated parsing into one
// message allocates nothing.
class Arena {
 public:
  static constexpr std::size_t kFirstBlockBytes = 4096;

  [[nodiscard]] char* take(std::size_t size) {
    if (size > left_) grow(size);
    char* at = next_;
    next_ += size;
    left_ -= size;
    return at;
  }

  [[nodiscard]] std::string_view copy(std::string_view bytes) {
    if (bytes.empty()) return {};
    char* at = take(bytes.size());
    std::memcpy(at, bytes.data(), bytes.size());
    return {at, bytes.size()};
  }

  void clear() {
    if (blocks_.empty()) return;
    blocks_.resize(1);
    next_ = blocks_[0].get();
    left_ = kFirstBlockBytes;
  }

 private:
  void grow(std::size_t size) {
    // The first block has a fixed size, which clear() relies on.
    if (blocks_.empty()) {
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(kFirstBlockBytes));
      next_ = blocks_[0].get();
      left_ = kFirstBlockBytes;
      if (size <= left_) return;
    }
    std::size_t const block = std::max(size, last_block_bytes_ * 2);
    last_block_bytes_ = std::min<std::size_t>(block, 1U << 20U);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
    next_ = blocks_.back().get();
    left_ = block;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_{nullptr};
  std::size_t left_{0};
  std::size_t last_block_bytes_{kFirstBlockBytes};
};

// A parameter's value. Text messages contain `text` only; msgpack and JSON may contain the other kinds. A reader asks
// for the type it needs (Message::integer, ...).
struct Value {
  enum class Kind : std::uint8_t { text, binary, integer, unsigned_integer, real, boolean };

  Kind kind{Kind::text};
  // Of text: bytes of a known length (a msgpack str), which a buffer column takes unchanged. If false, text for a
  // buffer column is base64, as in text and JSON messages.
  bool verbatim{false};
  // Of text and binary: the bytes are outside the log, at `stored`. No protocol reads or writes one: the server puts it
  // into a command, and replaces it in an answer. `bytes` of a command: what the record has to carry as well; empty: the
  // bytes are durable in their place.
  bool outside{false};
  std::string_view bytes{};  // text, binary
  union {
    std::int64_t integer{0};
    std::uint64_t unsigned_integer;
    double real;
    bool boolean;
    StoredValue const* stored;  // borrowed
  };

  static Value of_text(std::string_view v) { return make(Kind::text, v); }
  static Value of_verbatim(std::string_view v) {
    Value out = of_text(v);
    out.verbatim = true;
    return out;
  }
  static Value of_binary(std::string_view v) { return make(Kind::binary, v); }
  static Value of_integer(std::int64_t v) {
    Value out;
    out.kind = Kind::integer;
    out.integer = v;
    return out;
  }
  static Value of_unsigned(std::uint64_t v) {
    Value out;
    out.kind = Kind::unsigned_integer;
    out.unsigned_integer = v;
    return out;
  }
  static Value of_real(double v) {
    Value out;
    out.kind = Kind::real;
    out.real = v;
    return out;
  }
  static Value of_boolean(bool v) {
    Value out;
    out.kind = Kind::boolean;
    out.boolean = v;
    return out;
  }
  static Value of_stored(StoredValue const& v, std::string_view carried = {}) {
    Value out;
    out.kind = v.is_text ? Kind::text : Kind::binary;
    out.outside = true;
    out.bytes = carried;
    out.stored = &v;
    return out;
  }

  // The integer that this value is or spells; empty if it is no integer or out of range.
  [[nodiscard]] std::optional<std::int64_t> as_integer() const {
    switch (kind) {
      case Kind::integer: return integer;
      case Kind::unsigned_integer:
        if (unsigned_integer > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
        return static_cast<std::int64_t>(unsigned_integer);
      case Kind::boolean: return boolean ? 1 : 0;
      case Kind::text: return spelled<std::int64_t>();
      default: return std::nullopt;
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> as_unsigned() const {
    switch (kind) {
      case Kind::integer:
        if (integer < 0) return std::nullopt;
        return static_cast<std::uint64_t>(integer);
      case Kind::unsigned_integer: return unsigned_integer;
      case Kind::boolean: return boolean ? 1U : 0U;
      case Kind::text: return spelled<std::uint64_t>();
      default: return std::nullopt;
    }
  }
  [[nodiscard]] std::optional<double> as_real() const {
    switch (kind) {
      case Kind::real: return real;
      case Kind::integer: return static_cast<double>(integer);
      case Kind::unsigned_integer: return static_cast<double>(unsigned_integer);
      case Kind::text: return spelled<double>();
      default: return std::nullopt;
    }
  }

 private:
  static Value make(Kind kind, std::string_view v) {
    Value out;
    out.kind = kind;
    out.bytes = v;
    return out;
  }

  template <typename T>
  [[nodiscard]] std::optional<T> spelled() const {
    T out{};
    auto const [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), out);
    if (error != std::errc{} || end != bytes.data() + bytes.size() || bytes.empty()) return std::nullopt;
    return out;
  }
};

struct Param {
  std::string_view name;
  Value value;
};

class Message {
 public:
  // Parameters per message; the codecs refuse a message with more.
  static constexpr std::size_t kParamsMax = 256;

  std::string_view from_server{};
  std::string_view from_service{};
  std::string_view server{};
  std::string_view service{};
  std::string_view command{};

  Message() = default;
  Message(Message&&) = default;
  Message& operator=(Message&&) = default;
  Message(Message const&) = delete;
  Message& operator=(Message const&) = delete;
  explicit Message(std::string_view command_name) : command(command_name) {}
  ~Message() = default;

  // Ready for the next parse; keeps its memory.
  void clear() {
    from_server = from_service = server = service = command = {};
    params_.clear();
    arena_.clear();
  }

  [[nodiscard]] std::vector<Param> const& params() const { return params_; }
  [[nodiscard]] Arena& arena() { return arena_; }

  // The last value of a repeated name wins, as in the eventdispatcher parser. Used by the codecs and by programs. Name
  // and value are borrowed.
  void set(std::string_view name, Value value) {
    for (Param& param : params_)
      if (param.name == name) {
        param.value = value;
        return;
      }
    params_.push_back({name, value});
  }
  // The same of a name that is not there yet.
  void add(std::string_view name, Value value) { params_.push_back({name, value}); }
  void set(std::string_view name, std::string_view text) { set(name, Value::of_text(text)); }
  void set_integer(std::string_view name, std::int64_t v) { set(name, Value::of_integer(v)); }
  // The value of the parameter with this number; borrowed.
  void replace(std::size_t param, Value value) { params_[param].value = value; }

  void erase(std::string_view name) {
    std::erase_if(params_, [name](Param const& param) { return param.name == name; });
  }

  [[nodiscard]] Value const* find(std::string_view name) const {
    // Compared by the given size, which is a constant for the compiler: no call.
    for (Param const& param : params_)
      if (param.name.size() == name.size() && std::memcmp(param.name.data(), name.data(), name.size()) == 0)
        return &param.value;
    return nullptr;
  }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  // Text or binary bytes of a parameter; empty if it is absent or a number.
  [[nodiscard]] std::string_view text(std::string_view name) const {
    Value const* value = find(name);
    return value == nullptr ? std::string_view{} : value->bytes;
  }
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const {
    Value const* value = find(name);
    return value == nullptr ? std::nullopt : value->as_integer();
  }

  // Copies everything borrowed into the arena; the message then depends on no other buffer.
  void own() {
    for (std::string_view* view : {&from_server, &from_service, &server, &service, &command})
      *view = arena_.copy(*view);
    for (Param& param : params_) {
      param.name = arena_.copy(param.name);
      param.value.bytes = arena_.copy(param.value.bytes);
    }
  }

 private:
  std::vector<Param> params_;
  Arena arena_;
};

// The answer to a command: any number of messages. Values are copied; names must be literals or live as long as the
// table (column names). The session adds `request` to each message, and `left` if the answer has several messages or
// the command promises it.
class Answer {
 public:
  struct Head {
    std::string_view command;
    std::size_t first;  // index of its first parameter
  };

  void clear() {
    heads_.clear();
    params_.clear();
    arena_.clear();
    if (!stored_.empty()) stored_.clear();
  }
  [[nodiscard]] bool empty() const { return heads_.empty(); }

  // Names of messages and parameters are borrowed; keep() copies one that does not outlive the answer.
  [[nodiscard]] std::string_view keep(std::string_view name) { return arena_.copy(name); }
  // Starts a message; the add calls that follow belong to it.
  Answer& message(std::string_view command) {
    heads_.push_back({command, params_.size()});
    return *this;
  }
  Answer& add(std::string_view name, std::string_view text) { return add(name, Value::of_text(arena_.copy(text))); }
  Answer& add_binary(std::string_view name, std::string_view bytes) {
    return add(name, Value::of_binary(arena_.copy(bytes)));
  }
  Answer& add(std::string_view name, std::int64_t v) { return add(name, Value::of_integer(v)); }
  Answer& add(std::string_view name, std::uint64_t v) { return add(name, Value::of_unsigned(v)); }
  // The value's bytes are borrowed and must outlive the answer.
  Answer& add(std::string_view name, Value value) {
    params_.push_back({name, value});
    return *this;
  }
  Answer& add_stored(std::string_view name, StoredValue const& value) {
    return add(name, Value::of_stored(stored_.emplace_back(value)));
  }
  [[nodiscard]] bool has_stored() const { return !stored_.empty(); }
  // The value of the parameter with this number; borrowed.
  void replace(std::size_t param, Value value) { params_[param].value = value; }
  // All names are copied: it may outlive the table.
  void keep_names() {
    for (Head& head : heads_) head.command = arena_.copy(head.command);
    for (Param& param : params_) param.name = arena_.copy(param.name);
  }
  // Whose files its stored values are in.
  void name_owner(void* owner) {
    for (StoredValue& value : stored_) value.owner = owner;
  }

  [[nodiscard]] std::vector<Head> const& heads() const { return heads_; }
  [[nodiscard]] std::size_t params_end(std::size_t message) const {
    return message + 1 < heads_.size() ? heads_[message + 1].first : params_.size();
  }
  [[nodiscard]] std::vector<Param> const& params() const { return params_; }
  // Drops the messages from index `count` on.
  void cut(std::size_t count) {
    if (count >= heads_.size()) return;
    params_.resize(heads_[count].first);
    heads_.resize(count);
  }

 private:
  std::vector<Head> heads_;
  std::vector<Param> params_;
  Arena arena_;
  std::deque<StoredValue> stored_;  // at fixed addresses
};

}  // namespace fastjournal
