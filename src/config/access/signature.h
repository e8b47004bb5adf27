// Whether a request was signed with a user's signing key: the second half of AWS Signature Version 4. Protocols build
// what is signed.
#pragma once

#include <cstdint>

#include "config/access/signing_key.h"
#include "fastjournal/protocol.h"

namespace fastjournal::access {

inline constexpr std::int64_t kSignatureUsMax = 15 * 60 * std::int64_t{1'000'000};

// Whether the key made this signature. Takes the same time whatever it is, but for its size. In constant time where
// signatures are compared.
[[nodiscard]] bool is_signed_with(SigningKey const& key, Protocol::Signature const& signature);
// Whether the scope is of the signature's day, and of SQS.
[[nodiscard]] bool is_of_its_scope(Protocol::Signature const& signature);
// Whether its date is one, and at most kSignatureUsMax away from this date of the wall clock.
[[nodiscard]] bool is_of_this_time(Protocol::Signature const& signature, std::int64_t wall_us);

}  // namespace fastjournal::access
