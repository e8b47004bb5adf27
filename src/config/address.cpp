// See address.h.
#include "config/address.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "model/value.h"

namespace fastjournal::config {

namespace {

// The whole of `text` as an unsigned number of at most `digits_max` digits.
std::optional<std::uint32_t> number(std::string_view text, int base, std::size_t digits_max, std::uint32_t max) {
  std::uint32_t out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (text.empty() || text.size() > digits_max || error != std::errc{} || end != text.data() + text.size() || out > max)
    return std::nullopt;
  return out;
}

std::optional<std::array<std::uint8_t, 4>> parse_ipv4(std::string_view text) {
  std::array<std::uint8_t, 4> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    bool const more = text.find('.') != std::string_view::npos;
    if (more != (i + 1 < out.size())) return std::nullopt;
    std::string_view const digits = take_until(text, '.');
    auto const part = number(digits, 10, 3, 255);
    // With a zero before it, some read it as octal.
    if (!part || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
    out[i] = static_cast<std::uint8_t>(*part);
  }
  return out;
}

// The groups on one side of "::"; returns their number, or nothing. The last ones of an address (`ends`) can be written
// as an IPv4 address.
std::optional<std::size_t> parse_groups(std::string_view text, bool ends, std::array<std::uint16_t, 8>& out) {
  std::size_t count = 0;
  if (text.empty()) return count;
  for (;;) {
    bool const more = text.find(':') != std::string_view::npos;
    std::string_view const part = take_until(text, ':');
    auto const tail = ends && !more ? parse_ipv4(part) : std::nullopt;
    if (tail && count + 2 <= out.size()) {
      for (std::size_t i = 0; i < 4; i += 2)
        out[count++] = static_cast<std::uint16_t>((*tail)[i] << 8U | (*tail)[i + 1]);
      return count;
    }
    auto const group = number(part, 16, 4, 0xFFFF);
    if (!group || count == out.size()) return std::nullopt;
    out[count++] = static_cast<std::uint16_t>(*group);
    if (!more) return count;
  }
}

std::optional<std::array<std::uint16_t, 8>> parse_ipv6(std::string_view text) {
  std::array<std::uint16_t, 8> head{};
  std::size_t const gap = text.find("::");
  auto const head_count = parse_groups(text.substr(0, gap), gap == std::string_view::npos, head);
  if (!head_count) return std::nullopt;
  if (gap == std::string_view::npos) return *head_count == head.size() ? std::optional{head} : std::nullopt;
  std::array<std::uint16_t, 8> tail{};
  auto const tail_count = parse_groups(text.substr(gap + 2), true, tail);
  if (!tail_count || *head_count + *tail_count >= head.size()) return std::nullopt;
  for (std::size_t i = 0; i < *tail_count; ++i) head[head.size() - *tail_count + i] = tail[i];
  return head;
}

}  // namespace

std::optional<ParsedAddress> parse_address(std::string_view text) {
  std::size_t const colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto const port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  std::string_view const host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    auto const groups = parse_ipv6(host.substr(1, host.size() - 2));
    if (!groups) return std::nullopt;
    return ParsedAddress{
        .loopback = *groups == std::array<std::uint16_t, 8>{0, 0, 0, 0, 0, 0, 0, 1}, .ipv4 = false, .port = *port};
  }
  auto const parts = parse_ipv4(host);
  if (!parts) return std::nullopt;
  return ParsedAddress{.loopback = (*parts)[0] == 127, .group = (*parts)[0] >= 224 && (*parts)[0] < 240, .port = *port};
}

std::string listen_problem(std::string_view text, bool plain_text, std::string_view what, std::string_view consent) {
  std::optional<ParsedAddress> const address = parse_address(text);
  if (!address)
    return std::string{what} + ": found " + model::shown(text) +
           ", expected an IP address and a port, as in 127.0.0.1:4050 or [::1]:4050";
  if (address->loopback || plain_text) return {};
  return "address " + model::shown(text) +
         " can be reached from other machines, and everything on it travels unencrypted; "
         "expected a loopback address (127.0.0.1, [::1]), or " +
         std::string{consent} + " beside it";
}

bool is_ipv4(std::string_view text) { return parse_ipv4(text).has_value(); }

bool is_ipv6(std::string_view text) { return parse_ipv6(text).has_value(); }

std::optional<std::uint16_t> parse_port(std::string_view text) {
  auto const port = number(text, 10, 5, 65535);
  return port ? std::optional{static_cast<std::uint16_t>(*port)} : std::nullopt;
}

std::string_view take_until(std::string_view& text, char separator) {
  std::size_t const end = text.find(separator);
  std::string_view const out = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return out;
}

}  // namespace fastjournal::config
