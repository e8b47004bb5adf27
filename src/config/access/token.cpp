#include "config/access/token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "config/access/base64url.h"
#include "config/access/secret.h"

namespace fastjournal::access {
namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kSaltText = base64url_size(kSaltBytes);
constexpr std::string_view kForm = "$scrypt$";
static_assert(kTokenBytes == kTokenPrefix.size() + kSaltText + base64url_size(kSecretBytes));

// Takes "NAME=NUMBER" and the character behind it from the front of `text`.
bool take_number(std::string_view& text, std::string_view name, char end, std::uint32_t& out) {
  if (!text.starts_with(name) || text.size() <= name.size()) return false;
  char const* const last = text.data() + text.size();
  auto const [after, error] = std::from_chars(text.data() + name.size(), last, out);
  bool const is_plain = text[name.size()] >= '1' && text[name.size()] <= '9';  // one spelling for each number
  if (error != std::errc{} || !is_plain || after == last || *after != end) return false;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()) + 1);
  return true;
}

bool is_within(HashCost cost) {
  auto const within = [](std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    return value >= least && value <= most;
  };
  return within(cost.log_n, kHashCostLeast.log_n, kHashCostMost.log_n) &&
         within(cost.r, kHashCostLeast.r, kHashCostMost.r) && within(cost.p, kHashCostLeast.p, kHashCostMost.p);
}

Result<std::string> scrypt(Token const& token, std::string_view salt, HashCost cost) {
  FJ_CHECK(is_within(cost), "the cost of a hash is bounded");
  std::string out(kHashBytes, '\0');
  std::uint64_t const n = std::uint64_t{1} << cost.log_n;
  // Twice what it takes: the library counts its own overhead too.
  std::uint64_t const most = 2 * 128 * n * cost.r;
  int const done =
      EVP_PBE_scrypt(token.text().data(), token.text().size(), reinterpret_cast<unsigned char const*>(salt.data()),
                     salt.size(), n, cost.r, cost.p, most, reinterpret_cast<unsigned char*>(out.data()), out.size());
  if (done != 1)
    return Status{Code::no_space, "the hash of a token cannot be computed: it takes " +
                                      std::to_string((128 * n * cost.r) >> 20U) + " MiB of memory; try later"};
  return out;
}

}  // namespace

// ---------------------------------------------------------------------------
// Token

Token Token::make(std::span<char const, kSaltBytes + kSecretBytes> random) {
  std::string text{kTokenPrefix};
  text.reserve(kTokenBytes);
  append_base64url({random.data(), kSaltBytes}, text);
  append_base64url({random.data() + kSaltBytes, kSecretBytes}, text);
  Token out;
  std::copy(text.begin(), text.end(), out.text_.begin());
  wipe(text);
  return out;
}

std::optional<Token> Token::read(std::string_view text) {
  if (text.size() != kTokenBytes || !text.starts_with(kTokenPrefix)) return std::nullopt;
  std::string_view const salt = text.substr(kTokenPrefix.size(), kSaltText);
  std::optional<std::string> secret = decode_base64url(text.substr(kTokenPrefix.size() + kSaltText));
  if (secret) wipe(*secret);
  if (!secret || !decode_base64url(salt)) return std::nullopt;
  Token out;
  std::copy(text.begin(), text.end(), out.text_.begin());
  return out;
}

Token::~Token() { wipe(std::span<char>{text_}); }

std::string Token::salt() const { return *decode_base64url(text().substr(kTokenPrefix.size(), kSaltText)); }

// ---------------------------------------------------------------------------
// TokenHash

Result<TokenHash> TokenHash::of(Token const& token, HashCost cost) {
  TokenHash out;
  out.cost_ = cost;
  out.salt_ = token.salt();
  Result<std::string> hash = scrypt(token, out.salt_, cost);
  if (!hash.ok()) return hash.status();
  out.hash_ = std::move(hash).value();
  return out;
}

std::optional<TokenHash> TokenHash::parse(std::string_view text) {
  if (!text.starts_with(kForm)) return std::nullopt;
  text.remove_prefix(kForm.size());
  TokenHash out;
  if (!take_number(text, "ln=", ',', out.cost_.log_n) || !take_number(text, "r=", ',', out.cost_.r) ||
      !take_number(text, "p=", '$', out.cost_.p) || !is_within(out.cost_))
    return std::nullopt;
  std::size_t const end = text.find('$');
  if (end == std::string_view::npos) return std::nullopt;
  std::optional<std::string> salt = decode_base64url(text.substr(0, end));
  std::optional<std::string> hash = decode_base64url(text.substr(end + 1));
  if (!salt || salt->size() != kSaltBytes || !hash || hash->size() != kHashBytes) return std::nullopt;
  out.salt_ = std::move(*salt);
  out.hash_ = std::move(*hash);
  return out;
}

std::string TokenHash::text() const {
  std::string out{kForm};
  out += "ln=" + std::to_string(cost_.log_n) + ",r=" + std::to_string(cost_.r) + ",p=" + std::to_string(cost_.p) + "$";
  append_base64url(salt_, out);
  out.push_back('$');
  append_base64url(hash_, out);
  return out;
}

Result<bool> TokenHash::is_of(Token const& token) const {
  Result<std::string> const hash = scrypt(token, salt_, cost_);
  if (!hash.ok()) return hash.status();
  return CRYPTO_memcmp(hash->data(), hash_.data(), kHashBytes) == 0;
}

}  // namespace fastjournal::access
