// Where the old server is: beanstalkd://HOST[:PORT] or redis://[USER@]HOST[:PORT][/DB]. HOST may be an IPv6 address in
// brackets, or unix:PATH with the slashes of PATH as %2F. A password is no part of it, as everybody on this computer can
// read the arguments of a command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::imports {

enum class Kind : std::uint8_t { beanstalkd, redis };

struct Address {
  Kind kind{Kind::beanstalkd};
  std::string place;  // as client::Socket::connect takes it
  std::string user;   // of Redis; empty: the default one
  std::uint64_t database{0};
};

// bad_parameter.
[[nodiscard]] Result<Address> read_address(std::string_view text);

}  // namespace fastjournal::imports
