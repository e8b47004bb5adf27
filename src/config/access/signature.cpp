#include "config/access/signature.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "base/check.h"
#include "base/hex.h"
#include "config/access/secret.h"

namespace fastjournal::access {
namespace {

constexpr std::string_view kKeyPrefix = "AWS4";
constexpr std::string_view kScopeEnd = "/sqs/aws4_request";
constexpr std::string_view kSignatureForm = "00000000T000000Z";
constexpr std::size_t kDayBytes = 8;

using Mac = std::array<char, 32>;

// HMAC-SHA-256, several times: the library looks its name up once.
class Macs {
 public:
  Macs() {
    static EVP_MAC* const kHmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    context_.reset(EVP_MAC_CTX_new(kHmac));
    std::array<char, 7> digest{"SHA256"};
    std::array const params{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
                            OSSL_PARAM_construct_end()};
    bool const is_set = context_ != nullptr && EVP_MAC_CTX_set_params(context_.get(), params.data()) == 1;
    FJ_CHECK(is_set, "the library has HMAC-SHA-256");
  }

  // `out` may be the key.
  void make(std::span<char const> key, std::string_view text, Mac& out) {
    std::size_t size = 0;
    bool const is_made =
        EVP_MAC_init(context_.get(), bytes_of(key.data()), key.size(), nullptr) == 1 &&
        EVP_MAC_update(context_.get(), bytes_of(text.data()), text.size()) == 1 &&
        EVP_MAC_final(context_.get(), reinterpret_cast<unsigned char*>(out.data()), &size, out.size()) == 1;
    FJ_CHECK(is_made && size == out.size(), "the library has HMAC-SHA-256");
  }

 private:
  static unsigned char const* bytes_of(char const* text) { return reinterpret_cast<unsigned char const*>(text); }

  std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context_{nullptr, &EVP_MAC_CTX_free};
};

// Of digits.
unsigned number_of(std::string_view digits) {
  unsigned out = 0;
  static_cast<void>(std::from_chars(digits.data(), digits.data() + digits.size(), out));
  return out;
}

bool has_form(std::string_view date) {
  return date.size() == kSignatureForm.size() &&
         std::equal(date.begin(), date.end(), kSignatureForm.begin(),
                    [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; });
}

}  // namespace

// A chain: the key signs the day, what comes of it the region, then the service, then the end of the scope, and that
// signs the text.
bool is_signed_with(SigningKey const& key, Protocol::Signature const& signature) {
  std::array<char, kKeyPrefix.size() + kSigningKeyBytesMax> secret{};
  auto const end = std::ranges::copy(key.text(), std::ranges::copy(kKeyPrefix, secret.begin()).out).out;
  Mac mac{};
  Macs macs;
  macs.make({secret.begin(), end}, signature.scope.substr(0, signature.scope.find('/')), mac);
  wipe(secret);
  for (std::string_view rest = signature.scope; rest.find('/') != std::string_view::npos;) {
    rest.remove_prefix(rest.find('/') + 1);
    macs.make(mac, rest.substr(0, rest.find('/')), mac);
  }
  std::string text{"AWS4-HMAC-SHA256\n"};
  text.append(signature.date).append("\n").append(signature.scope).append("\n").append(signature.request);
  macs.make(mac, text, mac);
  std::string expected;
  expected.reserve(2 * mac.size());
  for (char const byte : mac) append_hex(expected, static_cast<std::uint8_t>(byte));
  bool const is_same = signature.signature.size() == expected.size() &&
                       CRYPTO_memcmp(expected.data(), signature.signature.data(), expected.size()) == 0;
  wipe(mac);
  return is_same;
}

bool is_of_its_scope(Protocol::Signature const& signature) {
  std::string_view const scope = signature.scope;
  bool const is_of_day = scope.size() > kDayBytes && scope[kDayBytes] == '/' &&
                         scope.substr(0, kDayBytes) == signature.date.substr(0, kDayBytes);
  return is_of_day && scope.ends_with(kScopeEnd) && std::ranges::count(scope, '/') == 3;
}

bool is_of_this_time(Protocol::Signature const& signature, std::int64_t wall_us) {
  using namespace std::chrono;
  std::string_view const date = signature.date;
  if (!has_form(date)) return false;
  year_month_day const day{year{static_cast<int>(number_of(date.substr(0, 4)))}, month{number_of(date.substr(4, 2))},
                           std::chrono::day{number_of(date.substr(6, 2))}};
  hours const hour{number_of(date.substr(9, 2))};
  minutes const minute{number_of(date.substr(11, 2))};
  seconds const second{number_of(date.substr(13, 2))};
  if (!day.ok() || hour.count() > 23 || minute.count() > 59 || second.count() > 60) return false;
  microseconds const at = sys_days{day}.time_since_epoch() + hour + minute + second;
  return at.count() >= wall_us - kSignatureUsMax && at.count() <= wall_us + kSignatureUsMax;
}

}  // namespace fastjournal::access
