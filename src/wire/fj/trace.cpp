#include "wire/fj/trace.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "wire/fj/frame.h"

namespace fastjournal::fj {
namespace {

constexpr std::size_t kBytesShown = 24;
constexpr std::size_t kColumn = 12;

constexpr std::pair<std::uint16_t, std::string_view> kOfRequests[] = {{flag::kTimeout, "timeout"},
                                                                      {flag::kUpdateTimeout, "update timeout"},
                                                                      {flag::kOverwrite, "overwrite"},
                                                                      {flag::kWorkedOn, "worked on"},
                                                                      {flag::kPersist, "persist"},
                                                                      {flag::kData, "data"},
                                                                      {flag::kListen, "listen"},
                                                                      {flag::kPersistToo, "persist (12)"},
                                                                      {flag::kTtl, "TTL"}};
constexpr std::pair<std::uint16_t, std::string_view> kOfReplies[] = {
    {flag::kTimeout, "timeout"}, {flag::kCount, "count and cursor"}, {flag::kError, "error"},
    {flag::kLocked, "locked"},   {flag::kMarked, "worked on"},       {flag::kNotice, "notice"},
    {flag::kStale, "stale"}};
constexpr std::string_view kQueries[] = {"", "range", "regular expression", "cursor"};

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (char const c : bytes.substr(0, kBytesShown)) {
    out += out.empty() ? "" : " ";
    out += kDigits[static_cast<unsigned char>(c) >> 4U];
    out += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return bytes.size() > kBytesShown ? out + " ..." : out;
}

constexpr std::size_t kTextShown = 200;

std::string quoted_text(std::string_view text, std::size_t most = kTextShown) {
  std::string out = "\"";
  for (char const c : text.substr(0, most)) {
    bool const is_plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
    out += is_plain ? std::string(1, c) : "\\x" + hex({&c, 1});
  }
  return out + (text.size() > most ? "...\"" : "\"");
}

std::string shown(TypedValue const& value) {
  if (value.type >= kTypes) return "of type " + std::to_string(value.type);
  auto const type = static_cast<Type>(value.type);
  std::string out{name_of(type)};
  if (value.bytes.empty()) return out;
  if (type == Type::integer && value.bytes.size() == 8)
    return out + " " + std::to_string(load_little<std::int64_t>(value.bytes.data()));
  if (type == Type::real && value.bytes.size() == 8)
    return out + " " + std::to_string(std::bit_cast<double>(load_little<std::uint64_t>(value.bytes.data())));
  if (type == Type::boolean && value.bytes.size() == 1) return out + (value.bytes[0] != 0 ? " true" : " false");
  return out + " " + quoted_text(value.bytes);
}

// Lines of fields, taken off the front.
class Lines {
 public:
  explicit Lines(std::string_view bytes) : rest_(bytes) {}

  void take(std::string_view name, std::size_t bytes, std::string_view meaning) {
    std::size_t const width = name.size() < kColumn ? kColumn - name.size() : 1;
    out_.append("  ").append(name).append(width, ' ').append(meaning).append("   [");
    out_ += hex(rest_.substr(0, bytes)) + "]\n";
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }
  void take_text(std::string_view name, std::uint16_t flags, std::string_view text, std::size_t most = kTextShown) {
    std::size_t const size = (flags & flag::kWideKey) != 0 ? 2 : 1;
    take(name, size + text.size(), std::to_string(text.size()) + " bytes " + quoted_text(text, most));
  }
  void take_value(std::uint16_t flags, std::optional<TypedValue> const& value) {
    if (!value) return;
    constexpr std::size_t kSizes[] = {0, 1, 2, 4};
    std::size_t const size = kSizes[(flags & flag::kValueMask) >> flag::kValueShift];
    take("value", size + 1 + value->bytes.size(),
         std::to_string(value->bytes.size() + 1) + " bytes with the type, " + shown(*value));
  }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  std::string_view rest_;
  std::string out_;
};

template <std::size_t Count>
std::string flags_in_words(std::uint16_t flags, std::pair<std::uint16_t, std::string_view> const (&names)[Count]) {
  constexpr std::string_view kValues[] = {"no value", "value sizes of 8 bits", "value sizes of 16 bits",
                                          "value sizes of 32 bits"};
  std::string out = (flags & flag::kWideKey) != 0 ? "key sizes of 16 bits" : "key sizes of 8 bits";
  out.append(", ").append(kValues[(flags & flag::kValueMask) >> flag::kValueShift]);
  for (auto const& [bit, name] : names)
    if ((flags & bit) != 0) out.append(", ").append(name);
  return out;
}

std::string wrong(std::string_view bytes, Cut const& cut) {
  return "  [" + hex(bytes) + "]   " + (cut.problem.empty() ? "not whole" : cut.problem) + "\n";
}

}  // namespace

std::string trace_request(std::string_view bytes) {
  Request request;
  Cut const cut = read(bytes, UINT64_MAX, request);
  if (cut.kind != Cut::Kind::whole) return wrong(bytes, cut);
  Lines lines{bytes};
  lines.take("FJ", 2, "a request");
  lines.take("version", 2, std::to_string(kVersion));
  lines.take("function", 2, name_of(static_cast<Function>(request.function)));
  lines.take("identifier", 2, std::to_string(request.identifier));
  std::string flags = flags_in_words(request.flags, kOfRequests);
  if (request.query() != Query::key) flags.append(", ").append(kQueries[static_cast<std::size_t>(request.query())]);
  lines.take("flags", 2, flags);
  lines.take("timestamp", 8, request.timestamp == 0 ? "the daemon's" : std::to_string(request.timestamp) + " us");
  if (request.timeout) lines.take("timeout", 8, std::to_string(*request.timeout) + " s");
  if (request.query() == Query::range) lines.take("count", 2, std::to_string(request.count));
  lines.take_text("key", request.flags, request.key);
  if (request.has_upper()) lines.take_text("upper key", request.flags, request.upper);
  lines.take_value(request.flags, request.value);
  return std::move(lines).text();
}

std::string trace_reply(std::string_view bytes) {
  Reply reply;
  Cut const cut = read(bytes, UINT64_MAX, reply);
  if (cut.kind != Cut::Kind::whole) return wrong(bytes, cut);
  Lines lines{bytes};
  lines.take("JR", 2, "a reply");
  lines.take("version", 2, std::to_string(kVersion));
  lines.take("identifier", 2, std::to_string(reply.identifier));
  lines.take("flags", 2, flags_in_words(reply.flags, kOfReplies));
  lines.take("timestamp", 8, reply.timestamp == 0 ? "none" : std::to_string(reply.timestamp) + " us");
  if (reply.timeout) lines.take("timeout", 8, std::to_string(*reply.timeout) + " s since 1970");
  if (reply.cursor) lines.take("count", 2, std::to_string(reply.pairs.size()));
  if (reply.error) lines.take_text("error", reply.flags, *reply.error);
  if (reply.cursor) lines.take_text("cursor", reply.flags, *reply.cursor, SIZE_MAX);  // to be given back
  for (Pair const& pair : reply.pairs) {
    lines.take_text("key", reply.flags, pair.key);
    lines.take_value(reply.flags, pair.value);
  }
  return std::move(lines).text();
}

std::optional<std::string> unquoted(std::string_view text) {
  auto const digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 4 || text[i + 1] != 'x' || digit(text[i + 2]) < 0 || digit(text[i + 3]) < 0)
      return std::nullopt;
    out += static_cast<char>(digit(text[i + 2]) * 16 + digit(text[i + 3]));
    i += 3;
  }
  return out;
}

}  // namespace fastjournal::fj
