// The rules for values of a request's fields: whom a request may name as its host, where it may come from, which form
// of an answer it accepts, and its token. Against pages of other sites, which can make a browser send requests here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fastjournal::protocol {

inline constexpr std::size_t kHttpTokenBytesMax = 256;

// A Host field: "localhost", "127.0.0.1:4080", "[::1]:4080", "queue.example.com". Views into it.
struct HttpHost {
  std::string_view name;  // with the brackets of an IPv6 address
  std::string_view port;  // empty: none
};

// Empty if this is no host.
[[nodiscard]] std::optional<HttpHost> parse_http_host(std::string_view field);
// `localhost`, an IP address, or one of the names, in either case of letters. Any other name may be of a site whose
// owner made it resolve to this computer (DNS rebinding): a browser then takes us for a part of that site.
[[nodiscard]] bool is_allowed_host(HttpHost const& host, std::span<std::string const> names);
// Whether Origin is the site of this very host: the same scheme, name and port.
[[nodiscard]] bool is_same_origin(std::string_view origin, bool is_tls, HttpHost const& host);

// How much an Accept field wants a type (RFC 9110, section 12.5.1). The closest range counts: the type itself, then
// "text/*", then "*/*".
struct HttpPreference {
  unsigned thousandths{0};  // 0: not at all
  bool is_named{false};     // by its own name
};
[[nodiscard]] HttpPreference http_preference(std::string_view accept, std::string_view type);

// The token of "Bearer TOKEN". Empty if this is another scheme or no token.
[[nodiscard]] std::optional<std::string_view> bearer_token(std::string_view authorization);
// "application/json", perhaps with charset=utf-8.
[[nodiscard]] bool is_json_type(std::string_view content_type);
// Whether If-None-Match names this entity tag.
[[nodiscard]] bool names_etag(std::string_view if_none_match, std::string_view etag);
// The same of If-Match, where weak tags name nothing.
[[nodiscard]] bool names_same_etag(std::string_view if_match, std::string_view etag);

[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

}  // namespace fastjournal::protocol
