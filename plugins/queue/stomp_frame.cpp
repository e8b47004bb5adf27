#include "plugins/queue/stomp_frame.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.h"

namespace fastjournal::queue::stomp {
namespace {

constexpr std::string_view kContentLength = "content-length";
constexpr std::size_t kShownBytes = 40;

// CONNECT must be readable before the version is agreed.
bool is_escaped(std::string_view command, Version version) {
  return version != Version::v1_0 && command != "CONNECT" && command != "STOMP" && command != "CONNECTED";
}

bool has_no_body(std::string_view command) {
  static constexpr std::array<std::string_view, 10> kNone{"CONNECT", "STOMP", "SUBSCRIBE", "UNSUBSCRIBE", "ACK",
                                                          "NACK",    "BEGIN", "COMMIT",    "ABORT",       "DISCONNECT"};
  return std::ranges::find(kNone, command) != kNone.end();
}

// For an error: what can be printed of it.
std::string shown(std::string_view text) {
  std::string out{text.substr(0, kShownBytes)};
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
  if (text.size() > kShownBytes) out += "...";
  return "\"" + out + "\"";
}

std::string in_line(std::size_t number) { return "line " + std::to_string(number) + " of the frame: "; }

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  std::size_t const begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Not empty: what is wrong with it.
std::string unescape(std::string_view text, Version version, Frame& frame, std::string_view& out) {
  out = text;
  if (text.find('\\') == std::string_view::npos) return {};
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
      continue;
    }
    char const next = i + 1 < text.size() ? text[++i] : '\0';
    if (next == 'n')
      plain += '\n';
    else if (next == 'c')
      plain += ':';
    else if (next == '\\')
      plain += '\\';
    else if (next == 'r' && version == Version::v1_2)
      plain += '\r';
    else
      return shown(text) + " has an escape that is none of STOMP " + std::string{name_of(version)} +
             R"(; expected \n, \c, \\)" + (version == Version::v1_2 ? R"( or \r)" : "");
  }
  out = frame.unescaped.emplace_back(std::move(plain));
  return {};
}

// Not empty: what is wrong with the line.
std::string read_header(std::string_view line, Version version, Frame& frame) {
  std::size_t const colon = line.find(':');
  if (colon == std::string_view::npos) return shown(line) + " has no colon; expected NAME:VALUE";
  Header header{line.substr(0, colon), line.substr(colon + 1)};
  if (is_escaped(frame.command, version)) {
    if (std::string why = unescape(header.name, version, frame, header.name); !why.empty()) return why;
    if (std::string why = unescape(header.value, version, frame, header.value); !why.empty()) return why;
  } else if (version == Version::v1_0) {
    header = {trimmed(header.name), trimmed(header.value)};
  }
  if (header.name.empty()) return shown(line) + " has no name before the colon; expected NAME:VALUE";
  if (!frame.find(header.name)) frame.headers.push_back(header);
  return {};
}

// Not empty: what is wrong with it. `head` is whole.
std::string read_head(std::string_view head, Version version, Frame& frame) {
  for (std::size_t number = 1; !head.empty(); ++number) {
    std::size_t const end = head.find('\n');
    std::string_view const line = without_cr(head.substr(0, end));
    head.remove_prefix(end + 1);
    if (number == 1) {
      frame.command = line;
      continue;
    }
    if (line.empty()) break;
    if (!is_utf8(line)) return in_line(number) + shown(line) + " is no UTF-8";
    if (std::string why = read_header(line, version, frame); !why.empty()) return in_line(number) + why;
  }
  return {};
}

void append_escaped(std::string_view text, Version version, std::string& out) {
  for (char const c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == ':')
      out += "\\c";
    else if (c == '\\')
      out += "\\\\";
    else if (c == '\r' && version == Version::v1_2)
      out += "\\r";
    else
      out += c;
  }
}

bool can_be_plain(Header const& header) {
  return header.name.find_first_of(":\n\r") == std::string_view::npos &&
         header.value.find_first_of("\n\r") == std::string_view::npos;
}

bool has_nul(Header const& header) {
  return header.name.find('\0') != std::string_view::npos || header.value.find('\0') != std::string_view::npos;
}

}  // namespace

std::string_view name_of(Version version) {
  return version == Version::v1_0 ? "1.0" : version == Version::v1_1 ? "1.1" : "1.2";
}

// ---------------------------------------------------------------------------
// Reading

FrameReader::Cut FrameReader::next(std::string_view unread, Version version, Frame& into) {
  Cut cut;
  if (head_ == 0 && searched_ == 0) {
    std::size_t const ends = std::min(unread.find_first_not_of("\r\n"), unread.size());
    if (ends != 0) return {.kind = Kind::line_ends, .bytes = ends};
  }
  if (head_ == 0 && !find_head(unread, version, cut)) return cut;
  if (!find_body(unread, cut)) return cut;
  into.clear();
  if (std::string why = read_head(unread.substr(0, head_), version, into); !why.empty()) {
    cut.kind = Kind::broken;
    cut.problem = std::move(why);
    return cut;
  }
  into.body = unread.substr(head_, cut.bytes - head_ - 1);
  cut.kind = Kind::frame;
  return cut;
}

bool FrameReader::find_head(std::string_view unread, Version version, Cut& cut) {
  auto const broken = [&](std::string why, bool is_too_large) {
    cut.kind = Kind::broken;
    cut.problem = in_line(lines_ + 1) + std::move(why);
    cut.is_too_large = is_too_large;
    return false;
  };
  for (;;) {
    std::size_t const end = unread.find('\n', searched_);
    std::size_t const known = std::min(end, unread.size());
    if (unread.substr(searched_, known - searched_).find('\0') != std::string_view::npos)
      return broken("a NUL; expected headers, and an empty line before the body", false);
    if (known - line_ > kLineBytesMax + 1)
      return broken("it has more than " + std::to_string(kLineBytesMax) + " bytes", true);
    searched_ = known;
    if (known >= frame_bytes_max_)
      return broken("the frame has more than " + std::to_string(frame_bytes_max_) + " bytes", true);
    if (end == std::string_view::npos) return false;
    bool const is_empty = without_cr(unread.substr(line_, end - line_)).empty();
    line_ = searched_ = end + 1;
    if (is_empty) break;
    if (lines_ > kHeadersMax) return broken("there are more than " + std::to_string(kHeadersMax) + " headers", true);
    ++lines_;
  }
  head_ = searched_body_ = line_;
  if (std::string why = read_length(unread.substr(0, head_), version); !why.empty()) {
    cut.problem = std::move(why);
    cut.kind = Kind::broken;
    return false;
  }
  return true;
}

// The first content-length, as any header; its name needs no escapes.
std::string FrameReader::read_length(std::string_view head, Version version) {
  if (has_no_body(without_cr(head.substr(0, head.find('\n'))))) return {};
  for (std::size_t number = 1; !head.empty(); ++number) {
    std::size_t const end = head.find('\n');
    std::string_view const line = without_cr(head.substr(0, end));
    head.remove_prefix(end + 1);
    std::size_t const colon = line.find(':');
    if (number == 1 || colon == std::string_view::npos) continue;
    std::string_view name = line.substr(0, colon);
    std::string_view text = line.substr(colon + 1);
    if (version == Version::v1_0) {
      name = trimmed(name);
      text = trimmed(text);
    }
    if (name != kContentLength) continue;
    std::uint64_t value = 0;
    auto const [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || at != text.data() + text.size())
      return in_line(number) + "content-length is " + shown(text) + "; expected the bytes of the body";
    length_ = value;
    break;
  }
  return {};
}

bool FrameReader::find_body(std::string_view unread, Cut& cut) {
  auto const too_large = [&] {
    cut.kind = Kind::broken;
    cut.is_too_large = true;
    cut.problem = "the frame has more than " + std::to_string(frame_bytes_max_) + " bytes";
    return false;
  };
  if (!length_) {
    std::size_t const end = unread.find('\0', searched_body_);
    if (std::min(end, unread.size()) >= frame_bytes_max_) return too_large();
    searched_body_ = std::min(end, unread.size());
    cut.bytes = end == std::string_view::npos ? 0 : end + 1;
    return cut.bytes != 0;
  }
  std::size_t const room = frame_bytes_max_ - std::min(frame_bytes_max_, head_ + 1);
  if (*length_ > room) return too_large();
  std::size_t const end = head_ + static_cast<std::size_t>(*length_);
  if (unread.size() <= end) return false;
  if (unread[end] != '\0') {
    cut.kind = Kind::broken;
    cut.problem = "content-length is " + std::to_string(*length_) + ", and the byte behind the body is " +
                  std::to_string(static_cast<unsigned char>(unread[end])) + "; expected NUL";
    return false;
  }
  cut.bytes = end + 1;
  return true;
}

// ---------------------------------------------------------------------------
// Writing

void append_frame(std::string_view command, std::vector<Header> const& headers, std::optional<std::string_view> body,
                  Version version, std::string& out) {
  out.append(command).append("\n");
  for (Header const& header : headers) {
    if (has_nul(header)) continue;
    if (is_escaped(command, version)) {
      append_escaped(header.name, version, out);
      out += ':';
      append_escaped(header.value, version, out);
    } else if (can_be_plain(header)) {
      out.append(header.name).append(":").append(header.value);
    } else {
      continue;
    }
    out += '\n';
  }
  if (body) out.append(kContentLength).append(":").append(std::to_string(body->size())).append("\n");
  out += '\n';
  if (body) out += *body;
  out += '\0';
}

}  // namespace fastjournal::queue::stomp
