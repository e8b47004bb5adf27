#include "wire/http_scan.h"

#include <algorithm>
#include <utility>

#include "wire/http_request.h"
#include "wire/parts.h"

namespace fastjournal::protocol {
namespace {

HttpScan bad(std::size_t bytes, std::uint16_t status, std::string why) {
  return {.kind = HttpScan::Kind::bad, .bytes = bytes, .status = status, .why = std::move(why)};
}

bool is_size_digit(char c) { return c >= '0' && c <= '9'; }

// Not in a head at all, but for the two of a line end and the tab.
bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; }

int hex_digit(char c) {
  if (is_size_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "HTTP/" and two digits with a dot as the third word of a request line: another version, no mistake.
bool has_http_version(std::string_view line) {
  constexpr std::string_view kVersion{" HTTP/"};
  if (line.size() < kVersion.size() + 3 || std::count(line.begin(), line.end(), ' ') != 2) return false;
  std::string_view const number = line.substr(line.size() - 3);
  return line.substr(0, line.size() - 3).ends_with(kVersion) && is_size_digit(number[0]) && number[1] == '.' &&
         is_size_digit(number[2]);
}

// A tab, or printable.
bool is_of_extension(char c) { return c == '\t' || (c >= ' ' && c <= '~'); }

}  // namespace

HttpScan HttpHeadScan::next(std::string_view unread) {
  std::string_view const head = unread.substr(0, kHttpHeadBytesMax);
  while (scanned_ < head.size()) {
    std::size_t const at = scanned_++;
    char const c = head[at];
    bool const is_behind_cr = at > 0 && head[at - 1] == '\r';
    if (is_behind_cr != (c == '\n'))
      return bad(scanned_, 400, c == '\n' ? "a line ends in LF alone, not in CR LF" : "a CR without its LF");
    if (c == '\n') {
      if (HttpScan found = end_of_line(head, scanned_); found.kind != HttpScan::Kind::need_more) return found;
    } else if (is_control(c) && c != '\r') {
      return bad(scanned_, 400, "a control byte: is this TLS, which is not spoken here?");
    } else if (at == line_begin_ && lines_ > 0 && (c == ' ' || c == '\t')) {
      return bad(scanned_, 400, "a line begins with a blank: a field has one line");
    }
  }
  if (head.size() < kHttpHeadBytesMax) return {};
  std::string const most = std::to_string(kHttpHeadBytesMax) + " bytes";
  if (lines_ == 0) return bad(scanned_, 414, "the request line has more than " + most);
  return bad(scanned_, 431, "the request line and the fields have more than " + most);
}

// `after` is behind the LF.
HttpScan HttpHeadScan::end_of_line(std::string_view unread, std::size_t after) {
  std::string_view const line = unread.substr(line_begin_, after - 2 - line_begin_);
  line_begin_ = static_cast<std::uint32_t>(after);
  if (lines_++ == 0) {
    if (line.empty()) return {.kind = HttpScan::Kind::blank_line, .bytes = after};
    if (std::string why = check_request_line(unread.substr(0, after)); !why.empty()) {
      bool const is_version = why == kBadVersion && has_http_version(line);
      return bad(after, is_version ? 505 : 400, std::move(why));
    }
    return {};
  }
  if (line.empty()) return {.kind = HttpScan::Kind::whole, .bytes = after};
  if (lines_ - 1 > kHttpFieldsMax) return bad(after, 431, "more than " + std::to_string(kHttpFieldsMax) + " fields");
  return {};
}

HttpScan HttpChunkScan::next(std::string_view unread, Limits limits) {
  std::string_view const body = unread.substr(0, limits.raw_bytes_max);
  while (scanned_ < body.size()) {
    if (at_ == At::bytes) {
      std::size_t const here = std::min(left_, body.size() - scanned_);
      scanned_ += here;
      left_ -= here;
      if (left_ == 0) at_ = At::bytes_cr;
      continue;
    }
    bool const is_last = at_ == At::last_lf;
    if (char const* const why = take(body[scanned_++], limits); why != nullptr)
      return bad(scanned_, is_too_large_ ? 413 : 400, why);
    if (is_last) return {.kind = HttpScan::Kind::whole, .bytes = scanned_};
  }
  if (body.size() < limits.raw_bytes_max) return {};
  return bad(scanned_, 413,
             "the chunks with their sizes have more than " + std::to_string(limits.raw_bytes_max) + " bytes");
}

HttpScan HttpChunkScan::next_part(std::string_view unread, std::string_view& content) {
  // No sum of sizes reaches it, and no size is beyond what its digits are computed in.
  constexpr Limits kNone{.body_bytes_max = SIZE_MAX >> 8U, .raw_bytes_max = SIZE_MAX};
  std::size_t at = 0;
  while (at < unread.size()) {
    if (at_ == At::bytes) {
      content = unread.substr(at, left_);
      left_ -= content.size();
      if (left_ == 0) at_ = At::bytes_cr;
      return {.bytes = at + content.size()};
    }
    bool const is_last = at_ == At::last_lf;
    if (char const* const why = take(unread[at++], kNone); why != nullptr)
      return bad(at, is_too_large_ ? 413 : 400, why);
    if (is_last) return {.kind = HttpScan::Kind::whole, .bytes = at};
  }
  return {.bytes = at};
}

// One byte outside of a chunk's bytes; the reason, if it is wrong.
char const* HttpChunkScan::take(char c, Limits limits) {
  auto const go = [this](At at) {
    at_ = at;
    return nullptr;
  };
  switch (at_) {
    case At::size:
    case At::extension: {
      if (c == '\r') return line_bytes_ == 0 ? "a chunk without a size" : go(At::size_lf);
      if (++line_bytes_ > kHttpChunkLineBytesMax) return "the line before a chunk has more than 256 bytes";
      int const digit = at_ == At::size ? hex_digit(c) : -1;
      if (digit >= 0) {
        left_ = left_ * 16 + static_cast<std::size_t>(digit);
        is_too_large_ = left_ > limits.body_bytes_max - body_bytes_;
        return is_too_large_ ? "the body is larger than its limit" : nullptr;
      }
      if (at_ == At::size && (line_bytes_ == 1 || (c != ';' && c != ' ' && c != '\t')))
        return "the size of a chunk has another byte than hexadecimal digits";
      return is_of_extension(c) ? go(At::extension) : "a control byte, or none of ASCII, behind the size of a chunk";
    }
    case At::size_lf:
      if (c != '\n') return "a CR without its LF behind the size of a chunk";
      line_bytes_ = 0;
      body_bytes_ += left_;
      return go(left_ == 0 ? At::last_cr : At::bytes);
    case At::bytes_cr: return c == '\r' ? go(At::bytes_lf) : "a chunk is longer than its size";
    case At::bytes_lf: return c == '\n' ? go(At::size) : "a chunk is longer than its size";
    case At::last_cr: return c == '\r' ? go(At::last_lf) : "fields behind the last chunk are not taken";
    case At::last_lf: return c == '\n' ? nullptr : "a CR without its LF behind the last chunk";
    case At::bytes: break;
  }
  return nullptr;
}

}  // namespace fastjournal::protocol
