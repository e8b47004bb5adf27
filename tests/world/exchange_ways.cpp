#include "tests/world/exchange_ways.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/hash.h"
#include "wire/bcdb/packet.h"
#include "wire/msgpack.h"
#include "wire/text.h"

namespace fastjournal::sim {
namespace {

constexpr std::string_view kHost = " HTTP/1.1\r\nHost: localhost\r\n";

std::string base64_of(std::string_view bytes) {
  std::string out;
  append_base64(bytes, out);
  return out;
}

std::string put_line(Coming const& coming) {
  return "PUT table=" + coming.table + ";key=" + coming.key + ";data=" + base64_of(coming.bytes) + "\n";
}
std::string row_line(Coming const& coming) {
  return "INSERT table=spilling;name=" + coming.key + ";payload=" + coming.bytes + "\n";
}

std::string whole_line(Coming const& coming) {
  return fmt::format(
             R"(TRANSACTION commands="[{{\"command\":\"PUT\",\"table\":\"{0}\",\"key\":\"{1}\",\"data\":\"{2}\"}},)"
             R"({{\"command\":\"INSERT\",\"table\":\"spilling\",\"name\":\"{1}\",\"payload\":\"{3}\"}}]")",
             coming.table, coming.key, base64_of(coming.bytes), coming.bytes) +
         "\n";
}

std::string put_frame(Coming const& coming) {
  Param const params[] = {{"table", Value::of_text(coming.table)},
                          {"key", Value::of_text(coming.key)},
                          {"data", Value::of_binary(coming.bytes)}};
  std::string out;
  protocol::append_frame({.command = "PUT", .params = params}, out);
  return out;
}

Script packets_of(Coming const& coming) {
  Script out;
  std::string& head = out.parts.emplace_back();
  bcdb::Key const key = bcdb::make_key(coming.key);
  out.ends_input = coming.way == Way::packets_1;
  if (out.ends_input) {
    bcdb::write(bcdb::Ask{.echo = 7, .key = key}, head);
  } else {
    bcdb::write(bcdb::Hello{}, head);
    bcdb::write(
        bcdb::Frame{.op = bcdb::Op::put, .key = key, .length = coming.bytes.size(), .hash = hash128(coming.bytes)},
        head);
  }
  if (!coming.bytes.empty()) out.parts.push_back(coming.bytes);
  return out;
}

Script http_of(Coming const& coming) {
  std::string head = "PUT /v1/blobs/" + coming.table + "/" + coming.key + std::string{kHost};
  if (coming.way == Way::http_length)
    return {.parts = {head + fmt::format("Content-Length: {}\r\n\r\n", coming.bytes.size()), coming.bytes}};
  Script out{.parts = {head + "Transfer-Encoding: chunked\r\n\r\n"}};
  constexpr std::size_t kChunks = 3;
  std::size_t const chunk = coming.bytes.size() / kChunks + 1;
  for (std::size_t at = 0; at < coming.bytes.size(); at += chunk) {
    std::string_view const bytes = std::string_view{coming.bytes}.substr(at, chunk);
    out.parts.push_back(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes));
  }
  out.parts.emplace_back("0\r\n\r\n");
  return out;
}

Script branch_of(Coming const& coming) {
  std::string const xid = " xid=" + coming.xid + "\n";
  return {.parts = {"XA_START" + xid, put_line(coming), row_line(coming), "XA_END" + xid, "XA_PREPARE" + xid,
                    "XA_COMMIT" + xid}};
}

// Those of each way's commands; rows and pairs of an answer to a COMMIT come behind it.
std::size_t answers_before_the_last(Way way) { return way == Way::branch ? 5 : 3; }

bool is_line_of(Way way) { return door_of(way) == Door::messages && way != Way::frame; }

std::string code_of(std::string_view line) {
  Message message;
  if (!protocol::parse_line(line, message).ok()) return std::string{line.substr(0, 200)};
  return std::string{message.text("code")} + ": " + std::string{message.text("message")};
}

// The line that decides, once it is whole.
Outcome outcome_of_lines(Way way, std::string_view answers) {
  std::size_t const before = is_in_transaction(way) && way != Way::whole ? answers_before_the_last(way) : 0;
  Outcome refused;
  for (std::size_t number = 0;; ++number) {
    std::size_t const end = answers.find('\n');
    if (end == std::string_view::npos) return {};
    std::string_view const line = answers.substr(0, end);
    answers.remove_prefix(end + 1);
    if (line.starts_with("ERROR") && refused.why.empty()) refused = {Outcome::Kind::refused, code_of(line)};
    if (number < before) continue;
    return refused.why.empty() ? Outcome{Outcome::Kind::stored} : refused;
  }
}

Outcome outcome_of_http(std::string_view answers) {
  if (answers.find("\r\n\r\n") == std::string_view::npos) return {};
  bool const is_stored = answers.find(" 200 ") < 20 || answers.find(" 201 ") < 20;
  return is_stored ? Outcome{Outcome::Kind::stored} : Outcome{Outcome::Kind::refused, std::string{answers}};
}

Outcome outcome_of_packets(std::string_view answers) {
  bcdb::Reply reply;
  if (answers.size() < bcdb::kHelloBytes) return {};
  if (bcdb::read(answers.substr(bcdb::kHelloBytes), reply).kind != bcdb::Cut::Kind::whole) return {};
  if (reply.outcome == bcdb::Outcome::ok) return {Outcome::Kind::stored};
  return {Outcome::Kind::refused, reply.text};
}

Outcome outcome_of_frame(std::string_view answers) {
  if (answers.find("STORED") != std::string_view::npos) return {Outcome::Kind::stored};
  if (answers.find("ERROR") != std::string_view::npos) return {Outcome::Kind::refused, std::string{answers}};
  return {};
}

}  // namespace

Door door_of(Way way) {
  if (way == Way::packets_1 || way == Way::packets_2) return Door::writer;
  return way == Way::http_length || way == Way::http_chunked ? Door::http : Door::messages;
}

Script script_of(Coming const& coming) {
  switch (coming.way) {
    case Way::line: return {.parts = {put_line(coming)}};
    case Way::frame: return {.parts = {put_frame(coming)}};
    case Way::packets_1:
    case Way::packets_2: return packets_of(coming);
    case Way::http_length:
    case Way::http_chunked: return http_of(coming);
    case Way::whole: return {.parts = {whole_line(coming)}};
    case Way::commit: return {.parts = {"BEGIN\n", put_line(coming), row_line(coming), "COMMIT\n"}};
    case Way::roll_back: return {.parts = {"BEGIN\n", put_line(coming), row_line(coming), "ROLLBACK\n"}};
    case Way::branch: return branch_of(coming);
    case Way::row: return {.parts = {row_line(coming)}};
    case Way::body: return {.parts = {"SEND table=post;queue=orders;body=" + coming.bytes + "\n"}};
  }
  return {};
}

std::size_t last_part(Way way) {
  constexpr std::size_t kPrepare = 4;
  return way == Way::branch ? kPrepare : SIZE_MAX;
}

Outcome outcome_of(Way way, std::string_view answers, bool is_closed) {
  Outcome out;
  if (is_line_of(way))
    out = outcome_of_lines(way, answers);
  else if (way == Way::frame)
    out = outcome_of_frame(answers);
  else if (door_of(way) == Door::http)
    out = outcome_of_http(answers);
  else if (way == Way::packets_2)
    out = outcome_of_packets(answers);
  if (out.kind == Outcome::Kind::none && is_closed) out = {Outcome::Kind::over, std::string{answers}};
  return out;
}

bool is_prepared(std::string_view answers) { return answers.find("PREPARED") != std::string_view::npos; }

// ---------------------------------------------------------------------------
// Reading

std::string ask_http(std::string const& table, std::string const& key) {
  return "GET /v1/blobs/" + table + "/" + key + std::string{kHost} + "\r\n";
}

std::string ask_packets(std::string const& key, bool version_2) {
  std::string out;
  if (!version_2) {
    bcdb::write(bcdb::Ask{.echo = 9, .key = bcdb::make_key(key)}, out);
    return out;
  }
  bcdb::write(bcdb::Hello{}, out);
  bcdb::write(bcdb::Frame{.op = bcdb::Op::fetch, .key = bcdb::make_key(key), .length = bcdb::kToItsEnd}, out);
  return out;
}

std::optional<Shown> shown_by_line(std::string_view line, std::string_view parameter) {
  Message message;
  if (!protocol::parse_line(line, message).ok()) return std::nullopt;
  if (message.text("result") == "absent" || message.text("code") == "unknown_row") return Shown{};
  if (message.command == "ERROR") return std::nullopt;
  Shown out{.is_there = true};
  if (parameter != "data")
    out.bytes = message.text(parameter);
  else if (!decode_base64(message.text("data"), out.bytes))
    return std::nullopt;
  return out;
}

std::optional<Shown> shown_by_http(std::string_view answer) {
  std::size_t const head = answer.find("\r\n\r\n");
  if (head == std::string_view::npos) return std::nullopt;
  if (answer.find(" 404 ") < 20) return Shown{};
  if (answer.find(" 200 ") > 20) return std::nullopt;
  return Shown{true, std::string{answer.substr(head + 4)}};
}

std::optional<Shown> shown_by_packets(std::string_view answer) {
  bcdb::Reply reply;
  if (answer.size() < bcdb::kHelloBytes) return std::nullopt;
  answer.remove_prefix(bcdb::kHelloBytes);
  bcdb::Cut const cut = bcdb::read(answer, reply);
  if (cut.kind != bcdb::Cut::Kind::whole) return std::nullopt;
  if (reply.outcome == bcdb::Outcome::absent) return Shown{};
  answer.remove_prefix(cut.bytes);
  if (reply.outcome != bcdb::Outcome::ok || answer.size() != reply.content_bytes()) return std::nullopt;
  return Shown{true, std::string{answer}};
}

}  // namespace fastjournal::sim
