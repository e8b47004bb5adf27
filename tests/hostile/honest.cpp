#include "tests/hostile/honest.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "tests/support/tls_client.h"

namespace fastjournal::hostile {
namespace {

using Clock = std::chrono::steady_clock;

std::string insert_line(std::string const& table, std::string const& name) {
  return fmt::format("INSERT table={};name={}\n", table, name);
}

}  // namespace

std::string http_post(std::string_view command, std::string_view body, std::string_view more) {
  return fmt::format(
      "POST /v1/{} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}",
      command, body.size(), more, body);
}

std::optional<HttpAnswer> read_http_answer(test::LineClient& client) {
  HttpAnswer out;
  std::size_t length = 0;
  for (bool is_first = true;; is_first = false) {
    std::optional<std::string> const line = client.read_line(kAnswerPatience);
    if (!line) return std::nullopt;
    if (is_first) {
      if (!line->starts_with("HTTP/1.1 ") || line->size() < 12) return std::nullopt;
      std::from_chars(line->data() + 9, line->data() + 12, out.status);
    }
    constexpr std::string_view kLength = "Content-Length: ";
    if (line->starts_with(kLength)) std::from_chars(line->data() + kLength.size(), line->data() + line->size(), length);
    if (line->empty() || *line == "\r") break;
  }
  std::optional<std::string> body = client.read_bytes(length, kAnswerPatience);
  if (!body) return std::nullopt;
  out.body = std::move(*body);
  return out;
}

std::string ask(std::string const& address, std::string const& line) {
  try {
    test::LineClient client{address};
    if (!client.send(line + "\n")) return "(not sent)";
    return client.read_line().value_or("(no answer)");
  } catch (std::system_error const& error) {
    return error.what();
  }
}

std::string ask_http(std::string const& address, std::string const& request) {
  try {
    test::LineClient client{address};
    if (!client.send(request)) return "(not sent)";
    std::optional<HttpAnswer> const answer = read_http_answer(client);
    return answer ? fmt::format("{} {}", answer->status, answer->body) : "(no answer)";
  } catch (std::system_error const& error) {
    return error.what();
  }
}

Witness::Witness(Victim const& victim, Speaks speaks, std::string table) {
  switch (speaks) {
    case Speaks::messages: insert_ = over_lines(victim.tcp(), table); break;
    case Speaks::local: insert_ = over_lines(victim.local(), table); break;
    case Speaks::http: insert_ = over_http(victim, table); break;
    case Speaks::tls: insert_ = over_tls(victim, table); break;
  }
  thread_ = std::thread{[this] { run(); }};
}

Witness::Insert Witness::over_lines(std::string const& address, std::string const& table) {
  auto client = std::make_shared<test::LineClient>(address);
  return [client, table](std::string const& name) -> std::optional<std::string> {
    if (!client->send(insert_line(table, name), kAnswerPatience)) return std::nullopt;
    return client->read_line(kAnswerPatience);
  };
}

Witness::Insert Witness::over_http(Victim const& victim, std::string const& table) {
  auto client = std::make_shared<test::LineClient>(victim.http());
  std::string const more = victim.token().empty() ? "" : "Authorization: Bearer " + victim.token() + "\r\n";
  return [client, table, more](std::string const& name) -> std::optional<std::string> {
    std::string const body = fmt::format(R"({{"table":"{}","name":"{}"}})", table, name);
    if (!client->send(http_post("INSERT", body, more), kAnswerPatience)) return std::nullopt;
    std::optional<HttpAnswer> const answer = read_http_answer(*client);
    if (!answer) return std::nullopt;
    return answer->status == 200 && answer->body.find("\"INSERTED\"") != std::string::npos ? "INSERTED " + answer->body
                                                                                           : answer->body;
  };
}

Witness::Insert Witness::over_tls(Victim const& victim, std::string const& table) {
  auto client = std::make_shared<test::TlsClient>(victim.tls(), test::TlsClientOptions{.ca = victim.authority()});
  if (!client->handshake()) throw std::runtime_error("the honest client's handshake: " + client->error());
  return [client, table](std::string const& name) -> std::optional<std::string> {
    if (!client->send(insert_line(table, name))) return std::nullopt;
    return client->read_line();
  };
}

void Witness::stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  thread_.join();
}

void Witness::run() {
  for (std::uint64_t number = 0; !stop_; ++number) {
    auto const begin = Clock::now();
    std::optional<std::string> const answer = insert_(fmt::format("w{}", number));
    Seconds const took = Clock::now() - begin;
    longest_ = std::max(longest_, took);
    if (answer && answer->starts_with("INSERTED ")) {
      ++answers_;
      continue;
    }
    if (refused_.empty()) refused_ = answer.value_or("no answer, or the end of its connection");
    if (!answer) return;
  }
}

}  // namespace fastjournal::hostile
