// Digests that other systems' protocols name, as lower-case hex. For our own data there is base/hash.h.
#pragma once

#include <string>
#include <string_view>

namespace fastjournal::protocol {

// Also where the system is set to FIPS, which has no MD5: it is a checksum here that clients of SQS compute again and
// compare, and protects nothing.
[[nodiscard]] std::string md5_hex(std::string_view bytes);

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace fastjournal::protocol
