#include "base/greeting.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace fastjournal {
namespace {

constexpr std::size_t kWordBytesMax = 32;
constexpr std::size_t kWordAloneMin = 4;  // ALIVE, HELP
constexpr std::uint16_t kFjFunctionMax = 11;

bool is_upper(char c) { return (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// The first record of TLS of a client that begins: its message or the beginning of that. Some send the head of the record
// by itself; of the rest what is there is looked at.
bool is_client_hello(std::string_view bytes) {
  constexpr std::size_t kHeadBytes = 5;
  constexpr std::size_t kRecordBytesMax = 16U << 10U;
  if (bytes.size() < kHeadBytes || !bytes.starts_with("\x16\x03") || bytes[2] < 1 || bytes[2] > 4) return false;
  std::size_t const record = load_big<std::uint16_t>(bytes.data() + 3);
  if (record == 0 || record > kRecordBytesMax) return false;
  std::string_view const message = bytes.substr(kHeadBytes, record);
  if (!message.empty() && message[0] != 1) return false;
  if (message.size() > 1 && message[1] != 0) return false;
  return message.size() < 4 || record <= load_big<std::uint16_t>(message.data() + 2) + 4U;
}

// {"name"
bool is_json(std::string_view bytes) {
  if (!bytes.starts_with("{\"")) return false;
  bytes.remove_prefix(2);
  auto const end = std::ranges::find_if_not(bytes, is_of_name);
  return end - bytes.begin() >= 2 && end != bytes.end() && *end == '"';
}

// Of version 1.
bool is_fj(std::string_view bytes) {
  return bytes.size() >= 6 && bytes.starts_with(std::string_view{"FJ\0\1", 4}) &&
         load_big<std::uint16_t>(bytes.data() + 4) <= kFjFunctionMax;
}

// Behind the word: " /...", as in a request of HTTP.
bool is_http(std::string_view word, std::string_view rest) {
  static constexpr std::array<std::string_view, 9> kMethods{"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                            "CONNECT", "OPTIONS", "TRACE", "PATCH"};
  if (std::ranges::find(kMethods, word) != kMethods.end() && rest.starts_with(" /")) return true;
  return word == "PRI" && rest.starts_with(" * HTTP/");
}

// " name=..."
bool has_parameter(std::string_view rest) {
  if (!rest.starts_with(' ')) return false;
  rest.remove_prefix(1);
  auto const end = std::ranges::find_if_not(rest, is_of_name);
  return end != rest.begin() && end != rest.end() && *end == '=';
}

}  // namespace

Greeting greeting_of(std::string_view bytes) {
  if (is_client_hello(bytes)) return Greeting::tls;
  if (bytes.starts_with("FJM\x01") || is_json(bytes)) return Greeting::message;
  if (is_fj(bytes)) return Greeting::fj;
  if (bytes.starts_with("FJBLOB\r\n")) return Greeting::blob;
  std::string_view const begin = bytes.substr(0, kWordBytesMax);
  std::string_view const word =
      begin.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(begin, is_upper) - begin.begin()));
  std::string_view const rest = bytes.substr(word.size());
  if (word.size() < 3 || rest.empty()) return Greeting::unknown;
  bool const is_line = rest.starts_with('\n') || rest.starts_with("\r\n");
  if (is_line && (word == "CONNECT" || word == "STOMP")) return Greeting::stomp;
  if (is_http(word, rest)) return Greeting::http;
  return (is_line && word.size() >= kWordAloneMin) || has_parameter(rest) ? Greeting::message : Greeting::unknown;
}

std::string wrong_port(std::string_view here, Greeting came) {
  constexpr std::array<std::string_view, 7> kWords{"nothing that is known",
                                                   "a handshake of TLS",
                                                   "a request of HTTP",
                                                   "a frame of the FJ protocol",
                                                   "the hello of a blob client",
                                                   "a frame of STOMP",
                                                   "a message of text, JSON or msgpack"};
  return "this port speaks " + std::string{here} + ", and what came is " +
         std::string{kWords[static_cast<std::size_t>(came)]} +
         (came == Greeting::unknown ? "" : ", which is not spoken here");
}

}  // namespace fastjournal
