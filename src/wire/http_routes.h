// The target of a request, by its head alone: a command, a figure, a file, or nothing that it may have. Every rule
// about who may ask is here, before any of its body is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "wire/http_request.h"
#include "wire/http_response.h"
#include "wire/http_site.h"

namespace fastjournal::protocol {

enum class HttpRoute : std::uint8_t { command, metrics, health, openapi, blob, blob_put, file };

struct HttpRefusal {
  std::uint16_t status{0};  // 0: none
  Code code{Code::invalid};
  std::string why{};
  std::string_view allow{};
  std::string content_range{};
  unsigned retry_after_s{1};  // of 429 and 503
  HttpChallenge challenge{HttpChallenge::none};
};

struct HttpCall {
  HttpRefusal refusal{};  // with a status: nothing else is set
  HttpRoute route{HttpRoute::command};
  std::string command{};                  // in upper case
  std::string_view parameter{};           // of METRICS and HEALTH: its only one,
  std::string_view value{};               // and what it says
  std::string_view table{};               // of a blob,
  std::string key{};                      // and its key
  HttpSite::Served const* file{nullptr};  // of the site
  std::string_view token{};               // of the request; empty: none
};

// The request outlives the call.
[[nodiscard]] HttpCall judge(HttpRequest const& request, HttpSite const& site);
// The body is a value that is stored as it comes, whatever its size: it is judged by its head alone.
[[nodiscard]] bool is_blob_put(HttpRequest const& request);
// Whether a body that it announces may be sent: the request asks to be told before.
[[nodiscard]] bool expects_continue(HttpRequest const& request);

}  // namespace fastjournal::protocol
