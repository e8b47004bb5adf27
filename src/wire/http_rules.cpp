#include "wire/http_rules.h"

#include <algorithm>

namespace fastjournal::protocol {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }
bool is_hex(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Cuts off and returns what stands before the next separator; all of it, if there is none. None within quotes counts.
std::string_view cut(std::string_view& rest, char separator) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (is_quoted || rest[end] != separator); ++end) {
    if (rest[end] == '"') is_quoted = !is_quoted;
    if (is_quoted && rest[end] == '\\' && end + 1 < rest.size()) ++end;
  }
  std::string_view const first = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(first);
}

// Four numbers as they are written, so that it cannot be a name.
bool is_ipv4(std::string_view text) {
  int parts = 0;
  while (!text.empty() || parts == 0) {
    std::size_t const end = std::min(text.find('.'), text.size());
    std::string_view const part = text.substr(0, end);
    if (part.empty() || part.size() > 3 || !std::all_of(part.begin(), part.end(), is_digit)) return false;
    int number = 0;
    for (char const c : part) number = number * 10 + (c - '0');
    if (number > 255 || (part.size() > 1 && part.front() == '0')) return false;
    if (++parts == 4) return end == text.size();
    if (end == text.size()) return false;
    text.remove_prefix(end + 1);
  }
  return false;
}

// In brackets, where no name can be.
bool is_ipv6(std::string_view text) {
  if (text.size() < 4 || text.size() > 47 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  return std::count(text.begin(), text.end(), ':') >= 2 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

std::string_view port_of(HttpHost const& host, bool is_tls) {
  if (!host.port.empty()) return host.port;
  return is_tls ? "443" : "80";
}

// "q=0.5" in thousandths; 1000 if there is none, and 0 if it is none.
unsigned quality_of(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view const parameter = cut(parameters, ';');
    if (parameter.size() < 2 || lower(parameter[0]) != 'q' || parameter[1] != '=') continue;
    std::string_view const value = parameter.substr(2);
    if (value.empty() || value.size() > 5 || (value[0] != '0' && value[0] != '1')) return 0;
    unsigned quality = value[0] == '1' ? 1000 : 0;
    if (value.size() > 1 && value[1] != '.') return 0;
    unsigned weight = 100;
    for (char const c : value.substr(std::min<std::size_t>(2, value.size()))) {
      if (!is_digit(c)) return 0;
      quality += static_cast<unsigned>(c - '0') * weight;
      weight /= 10;
    }
    return std::min(quality, 1000U);
  }
  return 1000;
}

}  // namespace

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<HttpHost> parse_http_host(std::string_view field) {
  HttpHost host;
  std::size_t const end = field.starts_with('[') ? field.find(']') : field.find(':');
  bool const is_bracketed = field.starts_with('[');
  if (is_bracketed && end == std::string_view::npos) return std::nullopt;
  std::size_t const size = std::min(is_bracketed ? end + 1 : end, field.size());
  host.name = field.substr(0, size);
  std::string_view rest = field.substr(size);
  if (!rest.empty()) {
    host.port = rest.substr(1);
    if (rest.front() != ':' || host.port.empty() || host.port.size() > 5 || host.port.front() == '0' ||
        !std::all_of(host.port.begin(), host.port.end(), is_digit))
      return std::nullopt;
  }
  if (is_bracketed) return is_ipv6(host.name) ? std::optional{host} : std::nullopt;
  bool const is_name = !host.name.empty() && host.name.size() <= 255 &&
                       std::all_of(host.name.begin(), host.name.end(),
                                   [](char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; });
  return is_name ? std::optional{host} : std::nullopt;
}

bool is_allowed_host(HttpHost const& host, std::span<std::string const> names) {
  if (host.name.starts_with('[') || is_ipv4(host.name) || same_letters(host.name, "localhost")) return true;
  return std::any_of(names.begin(), names.end(),
                     [&host](std::string const& name) { return same_letters(host.name, name); });
}

bool is_same_origin(std::string_view origin, bool is_tls, HttpHost const& host) {
  std::string_view const scheme = is_tls ? "https://" : "http://";
  if (!origin.starts_with(scheme)) return false;  // browsers write it in small letters
  std::optional<HttpHost> const from = parse_http_host(origin.substr(scheme.size()));
  return from && same_letters(from->name, host.name) && port_of(*from, is_tls) == port_of(host, is_tls);
}

HttpPreference http_preference(std::string_view accept, std::string_view type) {
  constexpr int kNamed = 3;
  std::string_view const group = type.substr(0, type.find('/') + 1);
  int closest = 0;
  unsigned quality = 0;
  while (!accept.empty()) {
    std::string_view range = cut(accept, ',');
    std::string_view const name = cut(range, ';');
    int close = name == "*/*" ? 1 : 0;
    if (name.ends_with('*') && same_letters(name.substr(0, name.size() - 1), group)) close = 2;
    if (same_letters(name, type)) close = kNamed;
    if (close == 0 || close < closest) continue;
    unsigned const here = quality_of(range);
    quality = close > closest ? here : std::max(quality, here);
    closest = close;
  }
  return {.thousandths = quality, .is_named = closest == kNamed};
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme{"Bearer "};
  if (authorization.size() <= kScheme.size() || !same_letters(authorization.substr(0, kScheme.size()), kScheme))
    return std::nullopt;
  std::string_view const token = trimmed(authorization.substr(kScheme.size()));
  std::size_t const padding = std::min(token.find('='), token.size());
  bool const is_token =
      padding > 0 && token.size() <= kHttpTokenBytesMax &&
      std::all_of(
          token.begin(), token.begin() + static_cast<std::ptrdiff_t>(padding),
          [](char c) { return is_alphanumeric(c) || std::string_view{"-._~+/"}.find(c) != std::string_view::npos; }) &&
      token.find_first_not_of('=', padding) == std::string_view::npos;
  return is_token ? std::optional{token} : std::nullopt;
}

bool is_json_type(std::string_view content_type) {
  if (!same_letters(cut(content_type, ';'), "application/json")) return false;
  while (!content_type.empty()) {
    std::string_view parameter = cut(content_type, ';');
    if (parameter.empty()) continue;
    std::string_view const name = cut(parameter, '=');
    if (!same_letters(name, "charset")) return false;
    if (!same_letters(parameter, "utf-8") && !same_letters(parameter, "\"utf-8\"")) return false;
  }
  return true;
}

bool names_etag(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    std::string_view tag = cut(if_none_match, ',');
    if (tag == "*") return true;
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
  }
  return false;
}

bool names_same_etag(std::string_view if_match, std::string_view etag) {
  while (!if_match.empty())
    if (std::string_view const tag = cut(if_match, ','); tag == "*" || tag == etag) return true;
  return false;
}

}  // namespace fastjournal::protocol
