// libFuzzer target for AWS signatures: the input is a request, its body behind the first empty line. Besides "no crash,
// no byte read outside" it checks that what is well-formed is within its limits, what is bad says why, that a body or a
// target cannot change under one hash, that fields which nobody signed change nothing, and that paths and queries have
// one canonical form.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "wire/aws_signature.h"

namespace {

using namespace fastjournal::protocol;

bool is_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void check_good(AwsSigned const& found) {
  FJ_CHECK(!found.user.empty() && found.user.size() <= kAwsKeyBytesMax, "there is a key");
  FJ_CHECK(found.date.size() == 16 && found.date[8] == 'T' && found.date[15] == 'Z', "and a date");
  FJ_CHECK(!found.region.empty() && found.region.size() <= kAwsRegionBytesMax, "and a region");
  FJ_CHECK(found.scope.substr(8).starts_with("/" + found.region + "/") && found.scope.ends_with("/aws4_request"),
           "which is that of the scope");
  FJ_CHECK(is_hex(found.request) && is_hex(found.signature), "and two hashes");
  FJ_CHECK(found.code.empty() && found.why.empty(), "and nothing to say against it");
}

void check_bad(AwsSigned const& found) {
  constexpr std::array<std::string_view, 3> kCodes{"IncompleteSignature", "SignatureDoesNotMatch", "NotImplemented"};
  FJ_CHECK(std::ranges::find(kCodes, found.code) != kCodes.end(), "the code is one of AWS");
  FJ_CHECK(!found.why.empty() && found.why.size() < 200, "with a reason");
  FJ_CHECK(found.request.empty() && found.signature.empty(), "and nothing that could be verified");
}

void check_forms(std::string_view text) {
  std::string const query = aws_canonical_query(text);
  FJ_CHECK(aws_canonical_query(query) == query, "a query has one form");
  std::string const path = aws_canonical_path(text);
  FJ_CHECK(path.starts_with('/') && path.size() <= 3 * text.size() + 2, "a path is one");
  FJ_CHECK(path.find("//") == std::string::npos && (path + "/").find("/../") == std::string::npos, "without detours");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const all{reinterpret_cast<char const*>(data), size};
  check_forms(all);
  std::size_t const end = all.find("\r\n\r\n");
  std::string_view const head = all.substr(0, end == std::string_view::npos ? end : end + 4);
  std::string_view const body = all.substr(head.size());
  AwsSigned const found = read_aws_signature(head, body);
  if (found.kind == AwsSigned::Kind::bad) check_bad(found);
  if (found.kind != AwsSigned::Kind::good) return 0;
  check_good(found);
  AwsSigned const other_body = read_aws_signature(head, std::string{body} + "x");
  bool const is_unsigned = head.find("UNSIGNED-PAYLOAD") != std::string_view::npos;
  FJ_CHECK(is_unsigned || other_body.request != found.request, "another body has another hash");
  std::size_t const line_end = head.find('\n');
  std::string more{head};
  more.insert(line_end + 1, "nobody-signs-this: x\r\n");
  bool const is_named = head.find("nobody-signs-this") != std::string_view::npos;
  FJ_CHECK(is_named || read_aws_signature(more, body).request == found.request, "what is not signed changes nothing");
  std::size_t const target = head.find(' ');
  if (target == std::string_view::npos || target > line_end) return 0;
  std::string longer{head};
  longer.insert(target + 1, "/x");
  FJ_CHECK(read_aws_signature(longer, body).request != found.request, "another target has another hash");
  return 0;
}
