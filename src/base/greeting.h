// Recognises the first bytes of another protocol at a port: a client that came to the wrong one, or a person who tries,
// is told so in a sentence. Known from a few bytes, without a parser: only what can be nothing else is named, also at a
// port whose packets begin with a number that counts up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal {

enum class Greeting : std::uint8_t {
  unknown,  // or too few bytes
  tls,
  http,
  fj,
  blob,  // version 2; the packets of version 1 have no sign
  stomp,
  message,  // text, JSON or msgpack
};

[[nodiscard]] Greeting greeting_of(std::string_view first_bytes);
// "this port speaks STOMP, and what came is a request of HTTP, which another port speaks". `here`: "STOMP".
[[nodiscard]] std::string wrong_port(std::string_view here, Greeting came);

}  // namespace fastjournal
