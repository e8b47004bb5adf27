// Outputs of pipelines that are HTTP endpoints. The request is made by the program curl, started for each delivery as
// commands are: TLS, proxies, certificates and HTTP/2 are its own. What is secret (URL, headers) is not among its
// arguments, which everyone on the computer can read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cpp/documents.h"
#include "clients/programs/fastjournal/filter.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

struct HttpTarget {
  std::string url;  // {uri} and {path} stand for the document's
  std::string method{"POST"};
  std::vector<std::string> headers{};  // "Name: value"; they take the place of ours of the same name
};

// One delivery.
struct HttpRequest {
  std::string content{};                                       // a file
  std::string uri{};                                           // of the document
  std::vector<std::pair<std::string, std::string>> headers{};  // ours
  std::int64_t time_limit_ms{0};
  bool deletes{false};  // DELETE, without the content
};

// What curl said.
struct HttpOutcome {
  int exit{-1};                 // of curl; -1: it was ended
  int status{0};                // of the answer; below 200: there was none
  std::uint64_t sent_bytes{0};  // of the request
  std::string error{};          // of curl
  std::string body{};           // the beginning of the answer's
};

[[nodiscard]] bool is_http(std::string_view target);
// What is wrong with it: "URL: ...", "header ...". Empty: nothing.
[[nodiscard]] std::string mistake_in(HttpTarget const& target);
// Not ok: curl is not there, with what to do.
[[nodiscard]] Status find_curl(Watch const& watch);

// All bytes but letters, digits and -._~ as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text, bool keeps_slashes);
// Scheme, host and port of a URL: without passwords.
[[nodiscard]] std::string origin_of(std::string_view url);

// The configuration that curl reads for this request. `bytes`: the size of the content.
[[nodiscard]] std::string curl_configuration(HttpTarget const& target, HttpRequest const& request, std::uint64_t bytes);
// From what curl has written with such a configuration: its beginning, its end, and how long it was.
[[nodiscard]] HttpOutcome read_outcome(std::string_view begin, std::string_view end, std::uint64_t bytes);
// Empty: it has arrived. `may_have_arrived` is set where that is unknown.
[[nodiscard]] std::optional<client::NotSent> judge(HttpTarget const& target, HttpOutcome const& outcome,
                                                   bool deletes = false);

// Sends it.
[[nodiscard]] std::optional<client::NotSent> send_by_http(HttpTarget const& target, HttpRequest const& request,
                                                          Watch const& watch);

}  // namespace fastjournal::cli
