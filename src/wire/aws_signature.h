// What a request of HTTP says of its signature: AWS Signature Version 4, in the field Authorization. This builds what
// was signed, the canonical request; whether the signature is right only the owner of the secret can tell
// (config/access/signature.h). Pure, for hostile bytes: the head is bounded by HttpHeadScan (http_scan.h), and what is
// computed of it is of that size.
//
// Source: "Signature Version 4 signing process" of the AWS documentation, for services other than S3, whose paths are
// normalised and encoded a second time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fastjournal::protocol {

inline constexpr std::size_t kAwsSignedFieldsMax = 64;
inline constexpr std::size_t kAwsKeyBytesMax = 128;
inline constexpr std::size_t kAwsRegionBytesMax = 64;  // and those of the service

struct AwsSigned {
  enum class Kind : std::uint8_t {
    none,  // not signed: another scheme of Authorization, or none at all
    good,  // well-formed
    bad,   // `code` is the word that AWS has for it, `why` a sentence
  };

  Kind kind{Kind::none};
  std::string_view code{};
  std::string why{};
  std::string user{};       // the access key
  std::string date{};       // "20260830T123600Z"; digits, but perhaps no date of the calendar
  std::string scope{};      // "20260830/eu-west-1/sqs/aws4_request"
  std::string region{};     // "eu-west-1", of the scope
  std::string request{};    // SHA-256 of the canonical request, in hex
  std::string signature{};  // in hex
};

// `head`: the whole head of a request with its empty line, as HttpHeadScan accepted it; `body`: the whole body, joined
// if it came in chunks. The fields that must be signed are Host and all X-Amz-...: what is unsigned could be changed on
// the way. Presigned requests (X-Amz-Signature in the query) are refused.
[[nodiscard]] AwsSigned read_aws_signature(std::string_view head, std::string_view body);

// What is hashed of it.
[[nodiscard]] std::string aws_canonical_path(std::string_view path);
[[nodiscard]] std::string aws_canonical_query(std::string_view query);

}  // namespace fastjournal::protocol
