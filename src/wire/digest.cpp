#include "wire/digest.h"

#include <openssl/evp.h>
#include <openssl/provider.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/hex.h"

namespace fastjournal::protocol {
namespace {

std::string hex_of_digest(std::string_view bytes, EVP_MD const* how) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  int const done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, how, nullptr);
  FJ_CHECK(done == 1, "the library has MD5 and SHA-256");
  std::string out;
  out.reserve(std::size_t{2} * size);
  for (unsigned char const byte : std::span{digest}.first(size)) append_hex(out, std::uint8_t{byte});
  return out;
}

// In a context of its own, which reads no configuration: that of the system may refuse MD5.
EVP_MD* fetched_md5() {
  OSSL_LIB_CTX* const context = OSSL_LIB_CTX_new();
  bool const is_loaded = context != nullptr && OSSL_PROVIDER_load(context, "default") != nullptr;
  EVP_MD* const md5 = is_loaded ? EVP_MD_fetch(context, "MD5", nullptr) : nullptr;
  FJ_CHECK(md5 != nullptr, "the library has MD5");
  return md5;
}

}  // namespace

std::string md5_hex(std::string_view bytes) {
  static EVP_MD const* const kMd5 = fetched_md5();
  return hex_of_digest(bytes, kMd5);
}

std::string sha256_hex(std::string_view bytes) {
  // Looked up once: that takes longer than a short digest.
  static EVP_MD const* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return hex_of_digest(bytes, kSha256);
}

}  // namespace fastjournal::protocol
