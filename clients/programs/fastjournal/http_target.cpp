#include "clients/programs/fastjournal/http_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "clients/programs/fastjournal/failure_text.h"
#include "model/shortened.h"
#include "platform/files/folder.h"

namespace fastjournal::cli {
namespace {

using client::NotSent;

constexpr std::string_view kUri = "{uri}";
constexpr std::string_view kPath = "{path}";
// Opens the line that curl writes at its end.
constexpr std::string_view kMark = "\nfastjournal-outcome ";
// Without any answer 20 documents have failed within a minute, and the destination is paused (`failing`).
constexpr int kConnectSeconds = 3;
constexpr std::size_t kBodyBytesMax = 700;
// Where curl finds its configuration: its standard input is the document.
constexpr int kConfigurationFd = 3;

// Statuses that are about this document. All others are about the endpoint or the moment: if every document gets them,
// the destination is paused, and none is given up.
constexpr std::array kStatusesPermanent{400, 413, 414, 422, 431, 451};
// A gateway has lost the answer.
constexpr std::array kStatusesUnknown{502, 504};

struct Fd {
  explicit Fd(int descriptor) : fd(descriptor) {}
  Fd(Fd const&) = delete;
  Fd& operator=(Fd const&) = delete;
  ~Fd() {
    if (fd >= 0) ::close(fd);
  }
  int const fd;
};

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view name_of(std::string_view header) { return header.substr(0, header.find(':')); }

// Behind "//", up to the path.
std::string_view authority_of(std::string_view url) {
  url.remove_prefix(url.find("//") + 2);
  return url.substr(0, std::min(url.find_first_of("/?#"), url.size()));
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string mistake_in_url(std::string_view url) {
  std::string_view const authority = authority_of(url);
  // A document must not say where it goes.
  if (authority.find('{') != std::string_view::npos) return "URL: {uri} and {path} may be behind the host only";
  std::string_view const host = authority.substr(authority.rfind('@') + 1);
  if (host.empty() || host.front() == ':') return "URL: expected http://HOST/... or https://HOST/...";
  if (std::ranges::any_of(url, [](char c) { return is_control(c) || c == ' '; }))
    return "URL: it has blanks or control characters; write %20 for a blank";
  std::string const rest = replaced(replaced(std::string{url}, kUri, ""), kPath, "");
  if (rest.find_first_of("{}") != std::string::npos) return "URL: expected {uri} or {path} in braces, and nothing else";
  return {};
}

std::string mistake_in_header(std::string_view header) {
  // Values may be secret, and are not shown.
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  std::string_view const name = name_of(header);
  auto const fits = [&](char c) { return is_letter_or_digit(c) || kOthers.find(c) != std::string_view::npos; };
  if (name.size() == header.size() || name.empty() || !std::ranges::all_of(name, fits))
    return "header: expected 'Name: value'";
  std::string_view const value = header.substr(name.size() + 1);
  if (value.find_first_not_of(" \t") == std::string_view::npos) return fmt::format("header {}: it has no value", name);
  if (std::ranges::any_of(value, [](char c) { return is_control(c) && c != '\t'; }))
    return fmt::format("header {}: its value has control characters, as the end of a line", name);
  std::string const small = lower(name);
  for (std::string_view const own : {"content-length", "transfer-encoding", "expect", "idempotency-key"})
    if (small == own) return fmt::format("header {}: it is set for each document", name);
  if (small.starts_with("fastjournal-")) return fmt::format("header {}: it is set for each document", name);
  return {};
}

// A string of curl's configuration.
std::string quoted_for_curl(std::string_view text) {
  std::string out{"\""};
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

// The class of a failure without an answer.
std::string kind_of(int exit) {
  switch (exit) {
    case -1: return "stopped";
    case 5:
    case 6: return "dns";
    case 7: return "connect";
    case 28: return "timeout";
    case 35:
    case 51:
    case 53:
    case 54:
    case 58:
    case 59:
    case 60:
    case 66:
    case 77:
    case 80:
    case 82:
    case 83:
    case 90:
    case 91: return "tls";
    case 16:
    case 18:
    case 52:
    case 55:
    case 56:
    case 92:
    case 95: return "connection-lost";
    default: return fmt::format("curl-{}", exit);
  }
}

NotSent not_run(std::string_view what, int error) {
  return {.kind = "not-run", .error = fmt::format("{}: {}", what, std::strerror(error))};
}

bool write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t const took = ::write(fd, text.data(), text.size());
    if (took < 0 && errno == EINTR) continue;
    if (took <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(took));
  }
  return true;
}

// What a program has written: where it begins, and where it ends.
struct Said {
  std::string begin{};
  Tail end{};
  std::uint64_t bytes{0};

  void add(std::string_view text) {
    begin += text.substr(0, kBodyBytesMax + 8 - std::min(begin.size(), kBodyBytesMax + 8));
    end.add(text);
    bytes += text.size();
  }
};

// Runs curl with these arguments between these descriptors.
Result<Child::End> run_curl(std::vector<std::string> arguments, int input, int configuration, Said& said,
                            Watch const& watch) {
  Dependent curl{.words = std::move(arguments), .environment = environment_with({})};
  curl.descriptors.emplace_back(input, STDIN_FILENO);
  if (configuration >= 0) curl.descriptors.emplace_back(configuration, kConfigurationFd);
  return run_watched(
      std::move(curl), {STDOUT_FILENO, STDERR_FILENO}, [&](std::string_view text) { said.add(text); }, watch);
}

}  // namespace

bool is_http(std::string_view target) { return target.starts_with("http://") || target.starts_with("https://"); }

std::string mistake_in(HttpTarget const& target) {
  if (std::string wrong = mistake_in_url(target.url); !wrong.empty()) return wrong;
  if (target.method != "POST" && target.method != "PUT") return "method " + target.method + ": expected POST or PUT";
  for (std::string const& header : target.headers)
    if (std::string wrong = mistake_in_header(header); !wrong.empty()) return wrong;
  return {};
}

Status find_curl(Watch const& watch) {
  Fd const nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  Said said;
  Result<Child::End> const end = run_curl({"curl", "-q", "--version"}, nothing.fd, -1, said, watch);
  if (end.ok() && end->ok()) return {};
  return {Code::not_found, "documents are brought to URLs by the program curl, and it cannot be used: " +
                               (end.ok() ? end->text() : end.status().message()) +
                               ". Install the package curl, or give --to a command instead of a URL"};
}

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kUnreserved = "-._~";
  std::string out;
  for (char const c : text) {
    if (is_letter_or_digit(c) || kUnreserved.find(c) != std::string_view::npos || (keeps_slashes && c == '/'))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string origin_of(std::string_view url) {
  std::string_view const authority = authority_of(url);
  return std::string{url.substr(0, url.find("//") + 2)}.append(authority.substr(authority.rfind('@') + 1));
}

std::string curl_configuration(HttpTarget const& target, HttpRequest const& request, std::uint64_t bytes) {
  std::string out = "silent\ngloboff\nproto = \"=http,https\"\n";
  auto const add = [&](std::string_view option, std::string_view value) {
    out.append(option).append(" = ").append(quoted_for_curl(value)).append("\n");
  };
  std::string const url = replaced(target.url, kUri, percent_encoded(request.uri, false));
  add("url", replaced(url, kPath, percent_encoded(request.uri, true)));
  add("request", request.deletes ? "DELETE" : target.method);
  if (!request.deletes) {
    // From its standard input, and not in chunks, which many receivers do not know. Of a named file curl would add the
    // name to a URL that ends in a slash.
    add("upload-file", "-");
    add("header", "Transfer-Encoding:");
    add("header", fmt::format("Content-Length: {}", bytes));
  }
  // A receiver that does not know it would cost a second.
  add("header", "Expect:");
  auto const is_given = [&](std::string_view name) {
    return std::ranges::any_of(target.headers, [&](std::string const& one) { return lower(name_of(one)) == name; });
  };
  if (!request.deletes && !is_given("content-type")) add("header", "Content-Type: application/octet-stream");
  if (!is_given("user-agent")) add("header", "User-Agent: fastjournal/" FJ_VERSION);
  for (std::string const& header : target.headers) add("header", header);
  for (auto const& [name, value] : request.headers) add("header", name + ": " + value);
  // Whole seconds: the point of a fraction is a matter of the locale.
  out += fmt::format("connect-timeout = {}\nmax-time = {}\n", kConnectSeconds, (request.time_limit_ms + 999) / 1000);
  std::string const mark = "\\n" + std::string{kMark.substr(1)};
  return out + "write-out = \"" + mark + "%{exitcode} %{response_code} %{size_request} %{errormsg}\\n\"\n";
}

HttpOutcome read_outcome(std::string_view begin, std::string_view end, std::uint64_t bytes) {
  HttpOutcome out;
  std::size_t const mark = end.rfind(kMark);
  std::uint64_t const line_bytes = mark == std::string_view::npos ? 0 : end.size() - mark;
  std::string_view const body = begin.substr(0, std::min<std::uint64_t>(begin.size(), bytes - line_bytes));
  out.body = model::shortened(body, kBodyBytesMax);
  if (mark == std::string_view::npos) return out;
  std::string_view line = end.substr(mark + kMark.size());
  auto const take = [&](auto& number) {
    char const* const last = line.data() + line.size();
    auto const [stop, error] = std::from_chars(line.data(), last, number);
    if (error != std::errc{}) return;
    line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  };
  take(out.exit);
  take(out.status);
  take(out.sent_bytes);
  out.error = line.substr(0, line.find('\n'));
  return out;
}

std::optional<NotSent> judge(HttpTarget const& target, HttpOutcome const& outcome, bool deletes) {
  auto const is_one_of = [&](auto const& all) { return std::ranges::find(all, outcome.status) != all.end(); };
  if (outcome.status >= 200 && outcome.status < 300) return std::nullopt;
  // What is not there need not be deleted.
  if (deletes && (outcome.status == 404 || outcome.status == 410)) return std::nullopt;
  NotSent out;
  std::string end;
  if (outcome.status >= 300) {
    out.kind = fmt::format("http-{}", outcome.status);
    out.permanent = is_one_of(kStatusesPermanent);
    out.may_have_arrived = is_one_of(kStatusesUnknown);
    end = fmt::format("answer {}", outcome.status);
    if (outcome.status < 400) end += " (redirects are not followed: give --to the new URL)";
  } else {
    out.kind = kind_of(outcome.exit);
    out.may_have_arrived = outcome.sent_bytes > 0 || outcome.exit < 0;
    end = outcome.exit < 0 ? "curl was ended before an answer came" : fmt::format("curl: ({})", outcome.exit);
    if (!outcome.error.empty()) end += " " + outcome.error;
  }
  out.error = failure_text(origin_of(target.url), end, outcome.body);
  return out;
}

std::optional<NotSent> send_by_http(HttpTarget const& target, HttpRequest const& request, Watch const& watch) {
  Fd const content{files::open_regular(request.content, O_RDONLY)};
  struct stat found {};
  if (content.fd < 0 || ::fstat(content.fd, &found) != 0) return not_run("open " + request.content, errno);
  // In memory, without a name.
  Fd const configuration{::memfd_create("curl", MFD_CLOEXEC)};
  if (configuration.fd < 0 ||
      !write_whole(configuration.fd, curl_configuration(target, request, static_cast<std::uint64_t>(found.st_size))))
    return not_run("write what curl reads", errno);
  Said said;
  std::vector<std::string> arguments{"curl", "-q", "--config", fmt::format("/dev/fd/{}", kConfigurationFd)};
  Result<Child::End> const end = run_curl(std::move(arguments), content.fd, configuration.fd, said, watch);
  if (!end.ok()) return NotSent{.kind = "not-run", .error = end.status().message()};
  return judge(target, read_outcome(said.begin, said.end.bytes(), said.bytes), request.deletes);
}

}  // namespace fastjournal::cli
