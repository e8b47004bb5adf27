#include "config/access/secret.h"

#include <openssl/crypto.h>

namespace fastjournal::access {

void wipe(std::span<char> bytes) {
  if (!bytes.empty()) OPENSSL_cleanse(bytes.data(), bytes.size());
}

void wipe(std::string& text) {
  text.resize(text.capacity());
  wipe(std::span<char>{text});
  text.clear();
}

}  // namespace fastjournal::access
