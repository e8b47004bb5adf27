#include "wire/http_routes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "wire/http_blob.h"
#include "wire/http_rules.h"
#include "wire/parts.h"
#include "wire/streams.h"

namespace fastjournal::protocol {
namespace {

constexpr std::size_t kCommandLettersMax = 64;
constexpr std::string_view kCommands = "/v1/";
constexpr std::string_view kReading = "GET, HEAD";
constexpr std::string_view kOfBlobs = "GET, HEAD, PUT";

struct Fixed {
  std::string_view path;
  HttpRoute route;
  std::string_view command;
  std::string_view parameter;
  std::string_view value;
};
constexpr Fixed kFixed[] = {{"/metrics", HttpRoute::metrics, "METRICS", "format", "text"},
                            {"/health/live", HttpRoute::health, "HEALTH", "what", "live"},
                            {"/health/ready", HttpRoute::health, "HEALTH", "what", "ready"},
                            {"/openapi.json", HttpRoute::openapi, "OPENAPI", "", ""}};

HttpRefusal refused(std::uint16_t status, Code code, std::string why) {
  return {.status = status, .code = code, .why = std::move(why)};
}

// A page of another site: its Host, its Origin, or what the browser says of it.
HttpRefusal check_site(HttpRequest const& request, HttpSite const& site, bool is_navigation) {
  std::optional<HttpHost> host;
  if (request.host) {
    host = parse_http_host(*request.host);
    if (!host) return refused(400, Code::invalid, "the field Host is no host with or without a port");
    if (!is_allowed_host(*host, site.options().names))
      return refused(421, Code::not_allowed,
                     "the host " + excerpt(host->name) +
                         " is none of this listener's names: use localhost or the IP address, or add the name to "
                         "the listener");
  } else if (request.is_http11) {
    return refused(400, Code::invalid, "there is no field Host");
  }
  if (request.origin && (!host || !is_same_origin(*request.origin, site.options().is_tls, *host)))
    return refused(403, Code::not_allowed,
                   "the request is from a page of " + excerpt(*request.origin) +
                       ": only pages of this host, with the same scheme and port, may send requests");
  bool const is_ours = !request.fetch_site || *request.fetch_site == "same-origin" || *request.fetch_site == "none";
  if (!is_ours && !is_navigation)
    return refused(403, Code::not_allowed, "the browser says that a page of another site sent the request");
  return {};
}

HttpRefusal no_method(std::string const& method, std::string_view allow) {
  HttpRefusal out = refused(405, Code::not_supported,
                            "the method " + excerpt(method) + " is none of this path: use " + std::string{allow});
  out.allow = allow;
  return out;
}

// For a command: its name in upper case. Empty: no command can have it.
std::string command_of(std::string_view name) {
  if (name.empty() || name.size() > kCommandLettersMax) return {};
  std::string out;
  for (char const c : name) {
    char const upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (upper != '_' && (upper < 'A' || upper > 'Z')) return {};
    out += upper;
  }
  return out;
}

// Methods of a path.
std::string_view methods_of(std::string_view path) {
  if (path.starts_with(kBlobsPath)) return kOfBlobs;
  return path.starts_with(kCommands) ? "POST" : kReading;
}

HttpRefusal find_blob(std::string_view path, HttpCall& call) {
  std::optional<HttpBlobPath> found = parse_blob_path(path);
  if (!found)
    return refused(404, Code::not_found,
                   "a blob is /v1/blobs/TABLE/KEY, where bytes of the key may be written as %XX: " + excerpt(path));
  call.route = HttpRoute::blob;
  call.command = "GET";
  call.table = found->table;
  call.key = std::move(found->key);
  return {};
}

HttpRefusal find_route(std::string_view path, HttpSite const& site, HttpCall& call) {
  if (path.starts_with(kBlobsPath)) return find_blob(path, call);
  if (path.starts_with(kCommands)) {
    call.command = command_of(path.substr(kCommands.size()));
    if (!call.command.empty()) return {};
    return refused(404, Code::unknown_command, "a command is POST /v1/COMMAND, of at most 64 letters and '_'");
  }
  for (Fixed const& fixed : kFixed) {
    if (fixed.path != path) continue;
    call.route = fixed.route;
    call.command = fixed.command;
    call.parameter = fixed.parameter;
    call.value = fixed.value;
    return {};
  }
  call.route = HttpRoute::file;
  call.file = site.file(path);
  if (call.file != nullptr) return {};
  return refused(404, Code::not_found, "there is nothing at " + excerpt(path));
}

HttpRefusal check_token(HttpRequest const& request, HttpCall& call) {
  if (!request.authorization) return {};
  std::optional<std::string_view> const token = bearer_token(*request.authorization);
  if (token) {
    call.token = *token;
    return {};
  }
  HttpRefusal out = refused(401, Code::not_allowed,
                            "Authorization is Bearer and a token of at most " + std::to_string(kHttpTokenBytesMax) +
                                " letters, digits and -._~+/");
  out.challenge = HttpChallenge::token;
  return out;
}

HttpRefusal check_coding(HttpRequest const& request) {
  if (!request.content_encoding || same_letters(*request.content_encoding, "identity")) return {};
  return refused(415, Code::not_supported, "a body has no Content-Encoding");
}

HttpRefusal check_body(HttpRequest const& request) {
  if (!request.is_chunked && !request.has_length)
    return refused(411, Code::invalid, "a command has a body with its length: {} if it has no parameters");
  if (!request.content_type || !is_json_type(*request.content_type))
    return refused(415, Code::not_supported, "a body is application/json, and Content-Type says so");
  return check_coding(request);
}

// Its type is not stored. What asks for less than to store it all is refused, since it would be all the same.
HttpRefusal check_put(HttpRequest const& request) {
  if (!request.is_chunked && !request.has_length)
    return refused(411, Code::invalid, "a blob comes with its length, or in chunks");
  if (request.content_range) return refused(400, Code::not_supported, "a blob is stored whole: no Content-Range");
  if (request.if_match || request.if_none_match)
    return refused(400, Code::not_supported, "a blob is stored in place of any other: no If-Match, no If-None-Match");
  return check_coding(request);
}

// No Accept accepts everything.
bool accepts_events(HttpRequest const& request) {
  return !request.accept || http_preference(*request.accept, kEventsType).thousandths > 0;
}

// Text, unless the other form is named and is wanted as much.
bool wants_openmetrics(HttpRequest const& request) {
  if (!request.accept) return false;
  HttpPreference const open = http_preference(*request.accept, "application/openmetrics-text");
  return open.is_named && open.thousandths > 0 &&
         open.thousandths >= http_preference(*request.accept, "text/plain").thousandths;
}

HttpRefusal check(HttpRequest const& request, HttpSite const& site, HttpCall& call) {
  bool const is_reading = request.method == "GET" || request.method == "HEAD";
  std::string_view const path{request.target};
  HttpRefusal no_route = find_route(path, site, call);
  bool const is_page = no_route.status == 0 && call.route == HttpRoute::file && is_reading;
  // A link from elsewhere gets the page, which then asks for everything else by itself.
  bool const is_navigation = is_page && request.fetch_mode && *request.fetch_mode == "navigate";
  if (HttpRefusal out = check_site(request, site, is_navigation); out.status != 0) return out;
  if (request.method == "OPTIONS" || request.method == "CONNECT" || request.method == "TRACE")
    return no_method(request.method, methods_of(path));
  if (!path.starts_with('/'))
    return refused(400, Code::invalid, "the target is no path: this is no proxy, and no server of other hosts");
  if (path.find_first_of("?#") != std::string_view::npos)
    return refused(400, Code::invalid,
                   "the target has more than a path: parameters are members of the body, and in a key ? and # are %3F "
                   "and %23");
  if (no_route.status != 0) return no_route;
  bool const is_command = call.route == HttpRoute::command;
  bool const is_put = call.route == HttpRoute::blob && request.method == "PUT";
  if (is_command ? request.method != "POST" : !is_reading && !is_put)
    return no_method(request.method, methods_of(path));
  if (request.expect && request.is_http11 && !same_letters(*request.expect, "100-continue"))
    return refused(417, Code::not_supported, "the only expectation is 100-continue");
  if (HttpRefusal out = check_token(request, call); out.status != 0) return out;
  if (is_command) {
    if (HttpRefusal out = check_body(request); out.status != 0) return out;
    if (is_streaming(call.command) && !accepts_events(request))
      return refused(406, Code::not_supported,
                     call.command + " is answered by text/event-stream, which Accept does not name");
  } else if (is_put) {
    call.route = HttpRoute::blob_put;
    call.command = "PUT";
    return check_put(request);
  } else if (request.has_body()) {
    return refused(400, Code::invalid, "a body, which " + request.method + " does not have here");
  }
  return {};
}

}  // namespace

HttpCall judge(HttpRequest const& request, HttpSite const& site) {
  HttpCall call;
  call.refusal = check(request, site, call);
  if (call.route == HttpRoute::metrics && wants_openmetrics(request)) call.value = "openmetrics";
  return call;
}

bool is_blob_put(HttpRequest const& request) {
  return request.method == "PUT" && request.target.starts_with(kBlobsPath);
}

bool expects_continue(HttpRequest const& request) {
  return request.is_http11 && request.has_body() && request.expect && same_letters(*request.expect, "100-continue");
}

}  // namespace fastjournal::protocol
