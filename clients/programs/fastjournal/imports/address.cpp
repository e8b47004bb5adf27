#include "clients/programs/fastjournal/imports/address.h"

#include <charconv>
#include <optional>

#include "clients/cpp/socket.h"

namespace fastjournal::imports {
namespace {

constexpr std::uint64_t kDatabaseMax = 65'535;

// "%2F" is a slash; nothing if a % has no two digits behind it.
std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out.push_back(text[at]);
      continue;
    }
    unsigned byte = 0;
    if (text.size() - at < 3) return std::nullopt;
    char const* const end = text.data() + at + 3;
    if (std::from_chars(text.data() + at + 1, end, byte, 16).ptr != end) return std::nullopt;
    out.push_back(static_cast<char>(byte));
    at += 2;
  }
  return out;
}

Status no_source(std::string_view text, std::string_view why) {
  return {Code::bad_parameter, "'" + std::string{text} + "' is no source: " + std::string{why}};
}

constexpr std::string_view kExpected = "expected beanstalkd://HOST[:PORT] or redis://[USER@]HOST[:PORT][/DB]";

}  // namespace

Result<Address> read_address(std::string_view text) {
  Address out;
  std::string_view rest = text;
  std::string_view port = ":11300";
  if (rest.starts_with("beanstalkd://")) {
    rest.remove_prefix(13);
  } else if (rest.starts_with("redis://")) {
    rest.remove_prefix(8);
    port = ":6379";
    out.kind = Kind::redis;
  } else if (rest.starts_with("rediss://")) {
    return no_source("rediss://...",
                     "TLS is not spoken with sources: give the local end of a tunnel (ssh -L, stunnel)");
  } else {
    return no_source(text, kExpected);
  }
  if (std::size_t const at = rest.rfind('@'); at != std::string_view::npos) {
    if (rest.substr(0, at).find(':') != std::string_view::npos)
      return no_source(std::string{text.substr(0, text.find("://"))} + "://...",
                       "a password on the command line can be read by everybody on this computer: leave it out, and "
                       "give --password-file or the environment variable REDISCLI_AUTH");
    auto const user = unescaped(rest.substr(0, at));
    if (!user || out.kind != Kind::redis) return no_source(text, kExpected);
    out.user = *user;
    rest.remove_prefix(at + 1);
  }
  if (std::size_t const slash = rest.find('/'); slash != std::string_view::npos) {
    std::string_view const number = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.database);
    bool const is_number = error == std::errc{} && end == number.data() + number.size();
    if (!number.empty() && (out.kind != Kind::redis || !is_number || out.database > kDatabaseMax))
      return no_source(text, out.kind == Kind::redis ? "behind the / stands the number of a database" : kExpected);
  }
  auto const place = unescaped(rest);
  if (!place || place->empty()) return no_source(text, kExpected);
  out.place = *place;
  bool const has_port =
      out.place.starts_with("unix:") || out.place.find(':', out.place.rfind(']') + 1) != std::string::npos;
  if (!has_port) out.place += port;
  if (client::Socket::is_tls(out.place) || !client::Socket::check(out.place).ok()) return no_source(text, kExpected);
  return out;
}

}  // namespace fastjournal::imports
