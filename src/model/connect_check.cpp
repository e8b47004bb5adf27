#include "model/connect_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "fastjournal/export.h"
#include "model/nearest.h"
#include "model/value.h"

namespace fastjournal::model {
namespace {

constexpr std::size_t kConnectBytesMax = 512;
// PostgreSQL cuts longer names.
constexpr std::size_t kCatalogBytesMax = 63;

// What may follow the question mark: what says where the database is and who asks. Time-outs are the daemon's.
constexpr std::array<std::string_view, 16> kParameters{
    "application_name", "channel_binding", "dbname",      "gssencmode", "host",    "hostaddr",
    "krbsrvname",       "passfile",        "port",        "service",    "sslcert", "sslcrl",
    "sslkey",           "sslmode",         "sslrootcert", "user"};

bool is_secret(std::string_view parameter) {
  return parameter == "password" || parameter == "sslpassword" || parameter.find("secret") != std::string_view::npos;
}

char const kPassword[] =
    "has a password, which everybody can read who reads this file: take it out, and write it into a file of the mode "
    "0600 in the format of pgpass, which ?passfile=PATH or the variable PGPASSFILE names";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

// Takes the text up to `end`, and that too.
std::string_view take_until(std::string_view& text, char end) {
  std::size_t const at = std::min(text.find(end), text.size());
  std::string_view const taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

bool are_escapes_whole(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2])) return false;
    if (text[at + 1] == '0' && text[at + 2] == '0') return false;
  }
  return true;
}

// Hosts are not looked up here.
std::string check_hosts(std::string_view hosts) {
  while (!hosts.empty()) {
    std::string_view host = take_until(hosts, ',');
    if (host.starts_with('[')) {
      if (host.find(']') == std::string_view::npos) return "has an IPv6 address without its closing bracket";
      host.remove_prefix(host.find(']') + 1);
    }
    static_cast<void>(take_until(host, ':'));
    if (host.size() > 5 || !std::ranges::all_of(host, is_digit) ||
        (!host.empty() && (std::stoul(std::string{host}) == 0 || std::stoul(std::string{host}) > 65'535)))
      return "has a port that is none, expected HOST:PORT with a port of 1 to 65535";
  }
  return {};
}

std::string check_parameters(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view pair = take_until(parameters, '&');
    bool const has_value = pair.find('=') != std::string_view::npos;
    std::string_view const name = take_until(pair, '=');
    if (is_secret(name)) return kPassword;
    if (std::ranges::find(kParameters, name) == kParameters.end()) {
      std::string_view const meant = nearest(name, kParameters);
      std::string all;
      for (std::string_view const known : kParameters) all.append(all.empty() ? "" : " ").append(known);
      return "has the parameter " + shown(name) + ", expected one of: " + all +
             (meant.empty() ? std::string{} : ". Did you mean " + std::string{meant} + "?");
    }
    if (!has_value || pair.empty()) return "has the parameter " + std::string{name} + " without a value";
  }
  return {};
}

// Empty, or what is wrong with it.
std::string check_uri(std::string_view uri) {
  uri.remove_prefix(uri.find("://") + 3);
  if (uri.find(' ') != std::string_view::npos) return "has a blank, expected %20 in its place";
  if (!are_escapes_whole(uri))
    return "has a % that is not followed by two hexadecimal digits, or stands for a zero byte";
  std::string_view place = take_until(uri, '?');
  std::string_view authority = take_until(place, '/');
  if (std::size_t const at = authority.rfind('@'); at != std::string_view::npos) {
    if (authority.substr(0, at).find(':') != std::string_view::npos) return kPassword;
    authority.remove_prefix(at + 1);
  } else if (place.find('@') != std::string_view::npos) {
    return "has an @ behind its first /, expected %40 and %2F in a name";
  }
  if (std::string problem = check_hosts(authority); !problem.empty()) return problem;
  return check_parameters(uri);
}

std::string check_path(std::string_view path) {
  if (path.find("://") != std::string_view::npos)
    return "is no place that is known, expected the path of an SQLite file, or postgresql://HOST/DATABASE";
  if (path.ends_with('/')) return "is a folder, expected the path of an SQLite file";
  return {};
}

bool is_catalog(std::string_view name) {
  return name.size() <= kCatalogBytesMax && !is_digit(name.front()) && !name.starts_with("pg_") &&
         name != "information_schema" &&
         std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; });
}

}  // namespace

Status check_connect(TableDeclaration const& declaration) {
  std::string_view const connect = declaration.option(kConnectOption).text;
  std::string_view const catalog = declaration.option(kCatalogOption).text;
  auto const wrong = [&](std::string_view option, std::string const& problem) {
    return Status{Code::bad_configuration,
                  declaration.at(option) + ": element <" + std::string{option} + "> " + problem};
  };
  if (connect.empty() && !catalog.empty())
    return wrong(kCatalogOption, "is the schema of a PostgreSQL database, and there is no <connect> that names one");
  if (connect.empty()) return {};
  if (connect.size() > kConnectBytesMax)
    return wrong(kConnectOption, "has " + std::to_string(connect.size()) + " bytes, expected " +
                                     std::to_string(kConnectBytesMax) + " at most");
  if (!is_utf8(connect) || has_control(connect))
    return wrong(kConnectOption, "has control characters, expected one line of UTF-8");
  std::string const problem = is_postgresql(connect) ? check_uri(connect) : check_path(connect);
  if (!problem.empty()) return wrong(kConnectOption, problem);
  if (catalog.empty()) return {};
  if (!is_postgresql(connect))
    return wrong(kCatalogOption, "is the schema of a PostgreSQL database; an SQLite file has none: take it out");
  if (!is_catalog(catalog))
    return wrong(kCatalogOption, "is " + shown(catalog) + ", expected a letter a-z or _, then a-z 0-9 _, at most " +
                                     std::to_string(kCatalogBytesMax) +
                                     ", not beginning with pg_ and not information_schema");
  return {};
}

}  // namespace fastjournal::model
