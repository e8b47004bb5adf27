#include "config/access/known_tokens.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace fastjournal::access {

Digest digest_of(DigestKey const& key, Token const& token) {
  Digest out{};
  unsigned size = 0;
  unsigned char const* const done =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<unsigned char const*>(token.text().data()), token.text().size(), out.data(), &size);
  FJ_CHECK(done != nullptr && size == out.size(), "the library has HMAC-SHA-256");
  return out;
}

bool is_same(Digest const& one, Digest const& other) {
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace fastjournal::access
