// The user that a client's certificate names. Apart because it is checked while the certificate is verified, and read
// afterwards.
#pragma once

#include <string>

#include "fastjournal/status.h"

struct x509_st;

namespace fastjournal::tls {

// The subject's common name: 1 to kUserBytesMax characters out of A-Z a-z 0-9 _ . @ -; not ok for any other.
[[nodiscard]] Result<std::string> user_name_of(x509_st const* certificate);

}  // namespace fastjournal::tls
