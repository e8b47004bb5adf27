#include "wire/http_request.h"

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "wire/http_scan.h"
#include "wire/parts.h"

namespace fastjournal::protocol {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

using Parser = http::request_parser<http::string_body>;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

void set_limits(Parser& parser) {
  parser.header_limit(kHttpHeadBytesMax + 1);
  parser.body_limit(UINT64_MAX);  // the caller has limited it, and no limit at all is taken for 0 by some versions
}

std::size_t put(Parser& parser, std::string_view bytes, beast::error_code& error) {
  return parser.put(boost::asio::const_buffer{bytes.data(), bytes.size()}, error);
}

std::string reason_of(beast::error_code const& error) {
  if (error == http::error::bad_version) return std::string{kBadVersion};
  if (error == http::error::bad_method) return "the request line does not begin with a method and one space";
  if (error == http::error::bad_target) return "the request line has no target between one space and another";
  if (error == http::error::bad_field) return "a field's name is empty, or has bytes that no name has";
  if (error == http::error::bad_value) return "a field's value has bytes that no value has, or is no list";
  if (error == http::error::bad_content_length) return "Content-Length is no number, or there is another length";
  if (error == http::error::bad_transfer_encoding) return "Transfer-Encoding beside another length";
  return "this is no request of HTTP: " + error.message();
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 19 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The fields that decide something, each of which may come once. Null: any other field.
std::optional<std::string>* place_of(std::string_view name, HttpRequest& request) {
  std::pair<std::string_view, std::optional<std::string>*> const places[] = {
      {"Host", &request.host},
      {"Origin", &request.origin},
      {"Authorization", &request.authorization},
      {"Content-Type", &request.content_type},
      {"Content-Encoding", &request.content_encoding},
      {"Content-Range", &request.content_range},
      {"Expect", &request.expect},
      {"If-Match", &request.if_match},
      {"If-None-Match", &request.if_none_match},
      {"Range", &request.range},
      {"If-Range", &request.if_range},
      {"Sec-Fetch-Site", &request.fetch_site},
      {"Sec-Fetch-Mode", &request.fetch_mode}};
  for (auto const& [known, place] : places)
    if (beast::iequals(beast::string_view{known.data(), known.size()}, beast::string_view{name.data(), name.size()}))
      return place;
  return nullptr;
}

std::string read_fields(Parser::value_type const& message, HttpRequest& into) {
  std::size_t lengths = 0;
  std::size_t codings = 0;
  for (auto const& field : message) {
    std::string_view const name = view(field.name_string());
    std::string_view const value = view(field.value());
    if (std::optional<std::string>* const place = place_of(name, into); place != nullptr) {
      if (place->has_value()) return "two fields " + excerpt(name);
      *place = std::string{value};
    } else if (field.name() == http::field::accept) {
      into.accept = into.accept ? *into.accept + "," + std::string{value} : std::string{value};
    } else if (field.name() == http::field::content_length) {
      // The parser takes a list of equal numbers; a proxy may not.
      if (++lengths > 1 || !is_number(value)) return "Content-Length is not one number";
    } else if (field.name() == http::field::transfer_encoding) {
      // The parser takes "chunked, gzip" for a request without a body.
      if (++codings > 1 || !beast::iequals(field.value(), "chunked")) return "the only Transfer-Encoding is chunked";
    }
  }
  if (codings > 0 && (lengths > 0 || message.version() < 11))
    return "Transfer-Encoding with Content-Length, or in HTTP/1.0";
  into.has_length = lengths > 0;
  return {};
}

}  // namespace

std::string check_request_line(std::string_view line) {
  Parser parser;
  set_limits(parser);
  beast::error_code error;
  std::size_t const taken = put(parser, line, error);
  if (error != http::error::need_more || taken != line.size()) return reason_of(error);
  if (!is_printable(view(parser.get().target()))) return "the target has bytes outside of ASCII";
  return {};
}

std::string parse_http_head(std::string_view head, HttpRequest& into) {
  Parser parser;
  set_limits(parser);
  beast::error_code error;
  std::size_t const taken = put(parser, head, error);
  Parser::value_type const& message = parser.get();
  into.method = std::string{view(message.method_string())};
  into.target = std::string{view(message.target())};
  if (error) return reason_of(error);
  if (!parser.is_header_done() || taken != head.size()) return "the head ends elsewhere";
  into.is_http11 = message.version() >= 11;
  into.keeps_alive = parser.keep_alive();
  into.is_chunked = parser.chunked();
  if (std::string why = read_fields(message, into); !why.empty()) return why;
  into.length = parser.content_length().value_or(0);
  return {};
}

bool join_chunks(std::string_view request, std::string& body) {
  Parser parser;
  set_limits(parser);
  parser.eager(true);
  beast::error_code error;
  std::size_t const taken = put(parser, request, error);
  if (error || !parser.is_done() || taken != request.size()) return false;
  body = std::move(parser.get().body());
  return true;
}

}  // namespace fastjournal::protocol
