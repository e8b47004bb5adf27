#include "wire/http_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace fastjournal::protocol {
namespace {

// Of a page: nothing but what this daemon serves itself, no script or style within it, no frame around it.
constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

void append_field(std::string_view name, std::string_view value, std::string& out) {
  out.append(name).append(": ").append(value).append("\r\n");
}

std::string_view challenge_of(HttpChallenge challenge) {
  return challenge == HttpChallenge::token ? "Bearer realm=\"fastjournal\""
                                           : "Bearer realm=\"fastjournal\", error=\"invalid_token\"";
}

}  // namespace

std::uint16_t http_status_of(Code code) {
  switch (code) {
    case Code::ok: return 200;
    case Code::invalid:
    case Code::missing_parameter:
    case Code::unknown_parameter:
    case Code::bad_parameter:
    case Code::not_supported: return 400;
    case Code::not_allowed: return 403;
    case Code::unknown_command:
    case Code::unknown_table:
    case Code::unknown_row:
    case Code::not_found: return 404;
    case Code::stale_epoch:
    case Code::stale_sequence:
    case Code::not_leased:
    case Code::expired:
    case Code::wrong_state:
    case Code::paused:
    case Code::in_use:
    case Code::in_transaction:
    case Code::rolled_back:
    case Code::bad_configuration: return 409;
    case Code::too_large: return 413;
    case Code::moved: return 421;
    case Code::over_limit: return 429;
    case Code::damaged:
    case Code::io_error: return 500;
    case Code::no_space:
    case Code::unavailable:
    case Code::closed: return 503;
    case Code::timed_out: return 504;
  }
  return 500;
}

std::string_view http_reason_of(std::uint16_t status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 206: return "Partial Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "";
  }
}

void append_http_head(HttpHead const& head, std::string& out) {
  FJ_CHECK(is_field_value(head.content_type) && is_field_value(head.etag), "a field has one line");
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", head.status, http_reason_of(head.status));
  if (!head.content_type.empty()) append_field("Content-Type", head.content_type, out);
  switch (head.length) {
    case HttpLength::known: fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", head.bytes); break;
    case HttpLength::chunked: append_field("Transfer-Encoding", "chunked", out); break;
    case HttpLength::until_close:
    case HttpLength::none: break;
  }
  if (!head.keeps_alive)
    append_field("Connection", "close", out);
  else if (!head.is_http11)
    append_field("Connection", "keep-alive", out);
  append_field("Cache-Control", head.cache, out);
  if (!head.etag.empty()) append_field("ETag", head.etag, out);
  if (!head.last_modified.empty()) append_field("Last-Modified", head.last_modified, out);
  if (head.accepts_ranges) append_field("Accept-Ranges", "bytes", out);
  if (!head.content_range.empty()) append_field("Content-Range", head.content_range, out);
  if (!head.allow.empty()) append_field("Allow", head.allow, out);
  if (head.challenge != HttpChallenge::none) append_field("WWW-Authenticate", challenge_of(head.challenge), out);
  if (head.status == 429 || head.status == 503)
    fmt::format_to(std::back_inserter(out), "Retry-After: {}\r\n", head.retry_after_s);
  append_field("X-Content-Type-Options", "nosniff", out);
  append_field("Referrer-Policy", "no-referrer", out);
  append_field("Cross-Origin-Resource-Policy", "same-origin", out);
  out.append(head.further);
  if (head.content_type.starts_with("text/html")) append_field("Content-Security-Policy", kPagePolicy, out);
  out.append("\r\n");
}

void append_chunk(std::string_view bytes, std::string& out) {
  if (bytes.empty()) return;
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", bytes.size());
  out.append(bytes).append("\r\n");
}

void append_last_chunk(std::string& out) { out.append("0\r\n\r\n"); }

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace fastjournal::protocol
