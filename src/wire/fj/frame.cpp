#include "wire/fj/frame.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace fastjournal::fj {
namespace {

constexpr std::array<std::string_view, kFunctions> kFunctionNames{
    "NOP", "QUIT", "SET", "GET", "DELETE", "ADD", "NOT", "TRUNCATE", "LOCK", "UNLOCK", "RENAME", "ALIAS"};
constexpr std::array<std::string_view, kTypes> kTypeNames{"void", "buffer", "string", "integer", "float", "boolean"};
constexpr std::array<std::size_t, 4> kValueSizes{0, 1, 2, 4};
constexpr std::size_t kTextBytesMax = 0xFFFF;
constexpr std::uint16_t kListSizes = flag::kWideKey | 3U << flag::kValueShift;

// Takes fields off the front; beyond the end it goes on counting, so that the size of the whole frame is known as soon
// as its sizes are.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T number() {
    T const out = is_there(sizeof(T)) ? load_big<T>(bytes_.data() + at_) : T{0};
    skip(sizeof(T));
    return out;
  }
  std::uint64_t number_of(std::size_t bytes) {
    if (bytes == 1) return number<std::uint8_t>();
    return bytes == 2 ? number<std::uint16_t>() : number<std::uint32_t>();
  }
  std::string_view text(std::uint64_t bytes) {
    std::string_view const out =
        is_there(bytes) ? bytes_.substr(static_cast<std::size_t>(at_), bytes) : std::string_view{};
    skip(bytes);
    return out;
  }
  // A size was beyond the end: how the frame goes on is not known yet.
  [[nodiscard]] bool is_there(std::uint64_t bytes) const { return at_ + bytes <= bytes_.size(); }
  [[nodiscard]] std::uint64_t at() const { return at_; }

 private:
  void skip(std::uint64_t bytes) { at_ += bytes; }

  std::string_view bytes_;
  std::uint64_t at_{0};
};

struct Head {
  std::uint16_t identifier{0};
  std::uint16_t flags{0};
};

std::string shown(std::string_view magic) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (char const one : magic) {
    auto const byte = static_cast<unsigned char>(one);
    if (byte >= 0x20 && byte < 0x7F) {
      out += one;
    } else {
      out.append("\\x").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 15U]);
    }
  }
  return out;
}

Cut broken(std::uint16_t identifier, std::uint64_t bytes, std::string problem) {
  return {Cut::Kind::broken, bytes, std::move(problem), identifier};
}
Cut need(std::uint64_t bytes) { return {Cut::Kind::need_more, bytes, {}, 0}; }

// Not need_more: the head is not that of a frame.
std::optional<Cut> check_head(std::string_view bytes, std::string_view magic, std::size_t head_bytes) {
  std::string_view const begin = bytes.substr(0, magic.size());
  if (begin != magic.substr(0, begin.size())) {
    // Up to the first byte that is wrong, however many have come.
    auto const good = static_cast<std::size_t>(
        std::mismatch(begin.begin(), begin.end(), magic.begin(), magic.end()).first - begin.begin());
    return broken(
        0, 0,
        "a frame begins with \"" + shown(begin.substr(0, good + 1)) + "\"; expected \"" + std::string{magic} + "\"");
  }
  if (bytes.size() < 4) return need(head_bytes);
  if (auto const version = load_big<std::uint16_t>(bytes.data() + 2); version != kVersion)
    return broken(0, 0, "version is " + std::to_string(version) + "; expected " + std::to_string(kVersion));
  if (bytes.size() < head_bytes) return need(head_bytes);
  return std::nullopt;
}

std::size_t key_size_bytes(std::uint16_t flags) { return (flags & flag::kWideKey) != 0 ? 2 : 1; }
std::size_t value_size_bytes(std::uint16_t flags) {
  return kValueSizes[(flags & flag::kValueMask) >> flag::kValueShift];
}

// A size and so many bytes. False: the size is not there yet.
bool take_text(Fields& fields, std::size_t size_bytes, std::string_view& out) {
  if (!fields.is_there(size_bytes)) return false;
  out = fields.text(fields.number_of(size_bytes));
  return true;
}

// False: its size is not there yet. A size of 0 has not even a type: `has_type` is false.
bool take_value(Fields& fields, std::size_t size_bytes, TypedValue& out, bool& has_type) {
  if (!fields.is_there(size_bytes)) return false;
  std::uint64_t const size = fields.number_of(size_bytes);
  has_type = size > 0;
  if (!has_type) return true;
  out.type = fields.number<std::uint8_t>();
  out.bytes = fields.text(size - 1);
  return true;
}

Cut finish(Fields const& fields, std::string_view bytes, std::uint64_t bytes_max, std::uint16_t identifier,
           std::string problem) {
  if (problem.empty() && fields.at() > bytes_max)
    problem = "the frame has " + std::to_string(fields.at()) + " bytes by its sizes; expected at most " +
              std::to_string(bytes_max);
  if (!problem.empty()) return broken(identifier, fields.at(), std::move(problem));
  if (fields.at() > bytes.size()) return need(fields.at());
  return {Cut::Kind::whole, fields.at(), {}, identifier};
}

std::uint16_t sizes_of(std::size_t longest_key, std::optional<std::size_t> longest_value) {
  std::uint16_t out = longest_key > 0xFF ? flag::kWideKey : 0;
  if (!longest_value) return out;
  std::size_t const size = *longest_value + 1;
  unsigned const width = size <= 0xFF ? 1U : size <= 0xFFFF ? 2U : 3U;
  return static_cast<std::uint16_t>(out | width << flag::kValueShift);
}

void append_number(std::string& out, std::size_t bytes, std::size_t number) {
  if (bytes == 1) append_big(out, static_cast<std::uint8_t>(number));
  if (bytes == 2) append_big(out, static_cast<std::uint16_t>(number));
  if (bytes == 4) append_big(out, static_cast<std::uint32_t>(number));
}

void append_text(std::string& out, std::uint16_t flags, std::string_view text) {
  std::string_view const cut = text.substr(0, kTextBytesMax);
  append_number(out, key_size_bytes(flags), cut.size());
  out.append(cut);
}

void append_value(std::string& out, std::uint16_t flags, std::optional<TypedValue> const& value) {
  if (!value) return;
  append_number(out, value_size_bytes(flags), value->bytes.size() + 1);
  append_big(out, value->type);
  out.append(value->bytes);
}

}  // namespace

std::string_view name_of(Function function) { return kFunctionNames[static_cast<std::size_t>(function)]; }
std::string_view name_of(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

bool Request::has_upper() const {
  return query() == Query::range || function == static_cast<std::uint16_t>(Function::rename) ||
         function == static_cast<std::uint16_t>(Function::alias);
}

Cut read(std::string_view bytes, std::uint64_t bytes_max, Request& request) {
  if (std::optional<Cut> const cut = check_head(bytes, "FJ", kRequestHeadBytes)) return *cut;
  Fields fields{bytes.substr(0)};
  static_cast<void>(fields.number<std::uint32_t>());
  request = {};
  request.function = fields.number<std::uint16_t>();
  request.identifier = fields.number<std::uint16_t>();
  request.flags = fields.number<std::uint16_t>();
  request.timestamp = fields.number<std::uint64_t>();
  if (request.function >= kFunctions)
    return broken(
        request.identifier, 0,
        "function is " + std::to_string(request.function) + "; expected 0 to " + std::to_string(kFunctions - 1));
  std::size_t const key_size = key_size_bytes(request.flags);
  std::size_t const value_size = value_size_bytes(request.flags);
  if (request.has(flag::kTimeout)) request.timeout = fields.number<std::uint64_t>();
  if (request.query() == Query::range) request.count = fields.number<std::uint16_t>();
  if (!take_text(fields, key_size, request.key)) return need(fields.at() + key_size);
  if (request.has_upper() && !take_text(fields, key_size, request.upper)) return need(fields.at() + key_size);
  std::string problem;
  if (value_size != 0) {
    bool has_type = false;
    request.value.emplace();
    if (!take_value(fields, value_size, *request.value, has_type)) return need(fields.at() + value_size);
    if (!has_type) problem = "value size is 0; expected 1 at least, as it counts the type";
  }
  if (problem.empty() && (request.flags & 0xC000U) != 0) problem = "flags have bit 14 or 15; expected zero";
  return finish(fields, bytes, bytes_max, request.identifier, std::move(problem));
}

Cut read(std::string_view bytes, std::uint64_t bytes_max, Reply& reply) {
  if (std::optional<Cut> const cut = check_head(bytes, "JR", kReplyHeadBytes)) return *cut;
  Fields fields{bytes};
  static_cast<void>(fields.number<std::uint32_t>());
  reply = {};
  reply.identifier = fields.number<std::uint16_t>();
  reply.flags = fields.number<std::uint16_t>();
  reply.timestamp = fields.number<std::uint64_t>();
  std::size_t const key_size = key_size_bytes(reply.flags);
  std::size_t const value_size = value_size_bytes(reply.flags);
  std::uint64_t pairs = value_size != 0 ? 1 : 0;
  if (reply.has(flag::kTimeout)) reply.timeout = fields.number<std::uint64_t>();
  if (reply.has(flag::kCount)) {
    if (!fields.is_there(2)) return need(fields.at() + 2);
    pairs = fields.number<std::uint16_t>();
  }
  if (reply.has(flag::kError) && !take_text(fields, key_size, reply.error.emplace()))
    return need(fields.at() + key_size);
  if (reply.has(flag::kCount) && !take_text(fields, key_size, reply.cursor.emplace()))
    return need(fields.at() + key_size);
  std::string problem;
  for (; pairs > 0; --pairs) {
    Pair& pair = reply.pairs.emplace_back();
    if (!take_text(fields, key_size, pair.key)) return need(fields.at() + key_size);
    if (value_size == 0) continue;
    bool has_type = false;
    if (!take_value(fields, value_size, pair.value.emplace(), has_type)) return need(fields.at() + value_size);
    if (!has_type) problem = "value size is 0; expected 1 at least, as it counts the type";
    if (fields.at() > bytes_max) break;
  }
  if (problem.empty() && (reply.flags & ~flag::kOfReplies) != 0)
    problem = "flags have one of the bits 10 to 15; expected zero";
  return finish(fields, bytes, bytes_max, reply.identifier, std::move(problem));
}

void write(Request const& request, std::string& out) {
  std::optional<std::size_t> const value = request.value ? std::optional{request.value->bytes.size()} : std::nullopt;
  std::uint16_t flags = request.flags;
  flags = static_cast<std::uint16_t>(flags & ~(flag::kWideKey | flag::kValueMask | flag::kTimeout));
  flags = static_cast<std::uint16_t>(flags | sizes_of(std::max(request.key.size(), request.upper.size()), value));
  if (request.timeout) flags |= flag::kTimeout;
  out.append("FJ");
  append_big(out, kVersion);
  append_big(out, request.function);
  append_big(out, request.identifier);
  append_big(out, flags);
  append_big(out, request.timestamp);
  if (request.timeout) append_big(out, *request.timeout);
  if (request.query() == Query::range) append_big(out, request.count);
  append_text(out, flags, request.key);
  if (request.has_upper()) append_text(out, flags, request.upper);
  append_value(out, flags, request.value);
}

void append_pair(Pair const& pair, std::string& pairs) {
  append_text(pairs, kListSizes, pair.key);
  append_value(pairs, kListSizes, pair.value ? pair.value : TypedValue{});
}

void write(List const& list, std::string& out) {
  out.append("JR");
  append_big(out, kVersion);
  append_big(out, list.identifier);
  append_big(out, static_cast<std::uint16_t>(kListSizes | flag::kCount));
  append_big(out, std::uint64_t{0});
  append_big(out, list.count);
  append_text(out, kListSizes, list.cursor);
  out.append(list.pairs);
}

void write(Reply const& reply, std::string& out) {
  std::size_t key = std::max(reply.error.value_or("").size(), reply.cursor.value_or("").size());
  std::optional<std::size_t> value;
  for (Pair const& pair : reply.pairs) {
    key = std::max(key, pair.key.size());
    if (pair.value) value = std::max(value.value_or(0), pair.value->bytes.size());
  }
  std::uint16_t flags = reply.flags;
  flags = static_cast<std::uint16_t>(
      flags & ~(flag::kWideKey | flag::kValueMask | flag::kTimeout | flag::kCount | flag::kError));
  flags = static_cast<std::uint16_t>(flags | sizes_of(key, value));
  if (reply.timeout) flags |= flag::kTimeout;
  if (reply.cursor) flags |= flag::kCount;
  if (reply.error) flags |= flag::kError;
  out.append("JR");
  append_big(out, kVersion);
  append_big(out, reply.identifier);
  append_big(out, flags);
  append_big(out, reply.timestamp);
  if (reply.timeout) append_big(out, *reply.timeout);
  if (reply.cursor) append_big(out, static_cast<std::uint16_t>(reply.pairs.size()));
  if (reply.error) append_text(out, flags, *reply.error);
  if (reply.cursor) append_text(out, flags, *reply.cursor);
  for (Pair const& pair : reply.pairs) {
    append_text(out, flags, pair.key);
    append_value(out, flags, pair.value);
  }
}

}  // namespace fastjournal::fj
