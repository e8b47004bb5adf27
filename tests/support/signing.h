// Signatures as clients of SQS make them (AWS Signature Version 4), by OpenSSL alone.
#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/hex.h"

namespace fastjournal::test {

// "20260830T123600Z".
inline std::string signing_date(std::int64_t wall_us) {
  using namespace std::chrono;
  sys_seconds const at{seconds{wall_us / 1'000'000}};
  year_month_day const day{floor<days>(at)};
  hh_mm_ss const time{at - floor<days>(at)};
  std::array<char, 32> out{};
  int const size = std::snprintf(out.data(), out.size(), "%04d%02u%02uT%02d%02d%02dZ", int{day.year()},
                                 unsigned{day.month()}, unsigned{day.day()}, static_cast<int>(time.hours().count()),
                                 static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return {out.data(), static_cast<std::size_t>(size)};
}

inline std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, 32> out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<unsigned char const*>(text.data()),
       text.size(), out.data(), &size);
  return {reinterpret_cast<char const*>(out.data()), size};
}

// `request`: the hash of the canonical request.
inline std::string aws_signature_of(std::string_view secret, std::string_view date, std::string_view scope,
                                    std::string_view request) {
  std::string key = "AWS4" + std::string{secret};
  for (std::string_view rest = scope; !rest.empty();) {
    std::size_t const end = std::min(rest.find('/'), rest.size());
    key = hmac_sha256(key, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::string text{"AWS4-HMAC-SHA256\n"};
  text.append(date).append("\n").append(scope).append("\n").append(request);
  std::string const bytes = hmac_sha256(key, text);
  std::string out;
  for (char const byte : bytes) append_hex(out, static_cast<std::uint8_t>(byte));
  return out;
}

}  // namespace fastjournal::test
