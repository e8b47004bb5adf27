#include "wire/aws_signature.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "wire/digest.h"
#include "wire/parts.h"

namespace fastjournal::protocol {
namespace {

constexpr std::string_view kAwsAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kAwsScopeEnd = "aws4_request";
constexpr std::string_view kUnsignedBody = "UNSIGNED-PAYLOAD";
constexpr std::size_t kHexOfSha256 = 64;

bool is_aws_digit(char c) { return c >= '0' && c <= '9'; }
bool is_aws_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_aws_blank(char c) { return c == ' ' || c == '\t'; }
char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_aws_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_aws_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The part up to `mark`, which is cut off `text` with it.
std::string_view cut_at(std::string_view& text, char mark) {
  std::size_t const end = std::min(text.find(mark), text.size());
  std::string_view const out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

AwsSigned aws_bad(std::string_view code, std::string why) {
  AwsSigned out;
  out.kind = AwsSigned::Kind::bad;
  out.code = code;
  out.why = std::move(why);
  return out;
}

AwsSigned incomplete(std::string why) { return aws_bad("IncompleteSignature", std::move(why)); }
AwsSigned no_match(std::string why) { return aws_bad("SignatureDoesNotMatch", std::move(why)); }

// ---------------------------------------------------------------------------
// The head

struct HeadField {
  std::string_view name;
  std::string_view value;
};

struct HeadParts {
  std::string_view method;
  std::string_view path;
  std::string_view query;
  std::vector<HeadField> fields;

  // The field of this name in lower case; null: there is none.
  [[nodiscard]] HeadField const* find(std::string_view name, HeadField const* after = nullptr) const {
    HeadField const* const begin = after == nullptr ? fields.data() : after + 1;
    HeadField const* const end = fields.data() + fields.size();
    HeadField const* const found = std::find_if(begin, end, [name](HeadField const& one) { return is(one, name); });
    return found == end ? nullptr : found;
  }
  static bool is(HeadField const& field, std::string_view name) {
    return field.name.size() == name.size() && begins(field, name);
  }
  static bool begins(HeadField const& field, std::string_view name) {
    return field.name.size() >= name.size() &&
           std::equal(name.begin(), name.end(), field.name.begin(),
                      [](char its, char sent) { return its == lower_letter(sent); });
  }
};

HeadParts parts_of_head(std::string_view head) {
  HeadParts out;
  bool is_first = true;
  while (!head.empty()) {
    std::string_view line = cut_at(head, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::exchange(is_first, false)) {
      out.method = cut_at(line, ' ');
      out.query = cut_at(line, ' ');
      out.path = cut_at(out.query, '?');
    } else if (!line.empty()) {
      std::string_view const name = cut_at(line, ':');
      out.fields.push_back({name, without_blanks(line)});
    }
  }
  return out;
}

// ---------------------------------------------------------------------------
// Texts as they are signed

bool is_unreserved(char c) {
  return is_aws_letter(c) || is_aws_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (is_unreserved(c)) {
    out.push_back(c);
    return;
  }
  auto const byte = static_cast<unsigned char>(c);
  out.push_back('%');
  out.push_back(kDigits[byte >> 4U]);
  out.push_back(kDigits[byte & 15U]);
}

std::optional<unsigned> value_of_digit(char c) {
  if (is_aws_digit(c)) return static_cast<unsigned>(c - '0');
  char const lower = lower_letter(c);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

// Decoded, and encoded in the one way that is signed. '+' is a blank, as readers of forms take it: a form in which it
// could become another character would mean another thing under the same signature.
std::string encoded_again(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      append_encoded(out, ' ');
      continue;
    }
    std::optional<unsigned> const high =
        text[i] == '%' && i + 2 < text.size() ? value_of_digit(text[i + 1]) : std::nullopt;
    std::optional<unsigned> const low = high ? value_of_digit(text[i + 2]) : std::nullopt;
    append_encoded(out, low ? static_cast<char>(*high << 4U | *low) : text[i]);
    if (low) i += 2;
  }
  return out;
}

// Without blanks at its ends, runs of them as one.
void append_collapsed(std::string& out, std::string_view value) {
  bool was_blank = false;
  for (char const c : without_blanks(value)) {
    bool const is_blank = is_aws_blank(c);
    if (!is_blank) out.push_back(c);
    if (is_blank && !was_blank) out.push_back(' ');
    was_blank = is_blank;
  }
}

bool is_presigned(std::string_view query) {
  while (!query.empty()) {
    std::string_view pair = cut_at(query, '&');
    if (encoded_again(cut_at(pair, '=')) == "X-Amz-Signature") return true;
  }
  return false;
}

// ---------------------------------------------------------------------------
// The date

// "20260830T123600Z".
bool has_form_of_date(std::string_view text) {
  constexpr std::string_view kForm = "00000000T000000Z";
  return text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
           return form == '0' ? is_aws_digit(c) : c == form;
         });
}

// "Sun, 30 Aug 2026 12:36:00 GMT" as "20260830T123600Z"; empty: it has another form.
std::string date_of_http(std::string_view text) {
  constexpr std::string_view kForm = "aaa, 00 aaa 0000 00:00:00 GMT";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  bool const has_form =
      text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
        if (form == '0') return is_aws_digit(c);
        return form == 'a' ? is_aws_letter(c) : c == form;
      });
  std::size_t const at = has_form ? kMonths.find(text.substr(8, 3)) : std::string_view::npos;
  if (at == std::string_view::npos || at % 3 != 0) return {};
  std::string const month = std::to_string(at / 3 + 1);
  std::string out{text.substr(12, 4)};
  out.append(month.size() == 1 ? "0" : "").append(month).append(text.substr(5, 2)).append("T");
  return out.append(text.substr(17, 2)).append(text.substr(20, 2)).append(text.substr(23, 2)).append("Z");
}

// Empty: there is none, or it is none.
std::string date_of_request(HeadParts const& head) {
  HeadField const* field = head.find("x-amz-date");
  if (field == nullptr) field = head.find("date");
  if (field == nullptr) return {};
  if (has_form_of_date(field->value)) return std::string{field->value};
  return date_of_http(field->value);
}

// ---------------------------------------------------------------------------
// The field Authorization

struct AwsClaim {
  std::string_view credential;
  std::string_view fields;
  std::string_view signature;
};

// Of what follows the algorithm: "Credential=..., SignedHeaders=..., Signature=...", in any order. Empty if it is good.
std::string read_claim(std::string_view text, AwsClaim& into) {
  while (!text.empty()) {
    std::string_view part = without_blanks(cut_at(text, ','));
    std::string_view const name = cut_at(part, '=');
    std::string_view* const place = name == "Credential"      ? &into.credential
                                    : name == "SignedHeaders" ? &into.fields
                                    : name == "Signature"     ? &into.signature
                                                              : nullptr;
    if (place == nullptr) return "Authorization has a part other than Credential, SignedHeaders and Signature";
    if (!place->empty()) return "Authorization has a part twice";
    *place = part;
  }
  if (into.credential.empty()) return "Authorization header requires 'Credential' parameter";
  if (into.fields.empty()) return "Authorization header requires 'SignedHeaders' parameter";
  if (into.signature.empty()) return "Authorization header requires 'Signature' parameter";
  bool const is_hex = std::all_of(into.signature.begin(), into.signature.end(),
                                  [](char c) { return is_aws_digit(c) || (c >= 'a' && c <= 'f'); });
  if (into.signature.size() != kHexOfSha256 || !is_hex)
    return "Signature in Authorization is not 64 hexadecimal digits";
  return {};
}

// "KEY/20260830/eu-west-1/sqs/aws4_request". Empty if it is good.
std::string read_credential(std::string_view credential, AwsSigned& into) {
  std::array<std::string_view, 4> parts{};
  std::string_view rest = credential;
  for (std::size_t i = parts.size(); i > 0; --i) {
    std::size_t const slash = rest.rfind('/');
    if (slash == std::string_view::npos)
      return "Credential in Authorization must have 5 slash-delimited parts: KEY/DATE/REGION/SERVICE/aws4_request";
    parts[i - 1] = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  auto const is_word = [](std::string_view text) {
    return !text.empty() && text.size() <= kAwsRegionBytesMax && std::all_of(text.begin(), text.end(), [](char c) {
      return is_aws_letter(c) || is_aws_digit(c) || c == '-' || c == '_';
    });
  };
  if (rest.empty() || rest.size() > kAwsKeyBytesMax)
    return "the access key in Credential has no byte, or more than " + std::to_string(kAwsKeyBytesMax);
  if (parts[0].size() != 8 || !std::all_of(parts[0].begin(), parts[0].end(), is_aws_digit))
    return "the date in Credential is not YYYYMMDD";
  if (!is_word(parts[1]) || !is_word(parts[2])) return "the region or the service in Credential is not a word";
  if (parts[3] != kAwsScopeEnd) return "Credential must end in aws4_request";
  into.user = rest;
  into.region = parts[1];
  into.scope = credential.substr(rest.size() + 1);
  return {};
}

// The fields that are signed, in the order of their names; what is wrong with them, or empty.
std::string read_signed_fields(std::string_view list, HeadParts const& head, std::vector<std::string_view>& into) {
  while (!list.empty()) {
    std::string_view const name = cut_at(list, ';');
    if (into.size() == kAwsSignedFieldsMax)
      return "SignedHeaders names more than " + std::to_string(kAwsSignedFieldsMax) + " fields";
    if (!into.empty() && name <= into.back()) return "SignedHeaders is not sorted, or names a field twice";
    if (head.find(name) == nullptr) return "SignedHeaders names a field that the request does not have";
    into.push_back(name);
  }
  auto const is_signed = [&into](std::string_view name) { return std::ranges::binary_search(into, name); };
  if (!is_signed("host")) return "'Host' must be a 'SignedHeader' in the AWS Authorization";
  for (HeadField const& field : head.fields) {
    if (!HeadParts::begins(field, "x-amz-")) continue;
    std::string name{field.name};
    std::ranges::transform(name, name.begin(), lower_letter);
    if (!is_signed(name)) return excerpt(name) + " must be a 'SignedHeader' in the AWS Authorization";
  }
  return {};
}

std::string canonical_request(HeadParts const& head, std::span<std::string_view const> fields, std::string_view list,
                              std::string_view body_hash) {
  std::string out{head.method};
  out.append("\n").append(aws_canonical_path(head.path)).append("\n").append(aws_canonical_query(head.query));
  for (std::string_view const name : fields) {
    out.append("\n").append(name).push_back(':');
    HeadField const* field = head.find(name);
    for (bool is_first = true; field != nullptr; field = head.find(name, field), is_first = false) {
      if (!is_first) out.push_back(',');
      append_collapsed(out, field->value);
    }
  }
  return out.append("\n\n").append(list).append("\n").append(body_hash);
}

}  // namespace

std::string aws_canonical_path(std::string_view path) {
  std::vector<std::string_view> segments;
  bool const ends_in_slash = path.ends_with('/');
  while (!path.empty()) {
    std::string_view const segment = cut_at(path, '/');
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") segments.push_back(segment);
  }
  std::string out;
  for (std::string_view const segment : segments) {
    out.push_back('/');
    for (char const c : segment) append_encoded(out, c);
  }
  if (segments.empty() || ends_in_slash) out.push_back('/');
  return out;
}

std::string aws_canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    std::string_view value = cut_at(query, '&');
    if (value.empty()) continue;
    std::string name = encoded_again(cut_at(value, '='));
    pairs.emplace_back(std::move(name), encoded_again(value));
  }
  std::ranges::sort(pairs);
  std::string out;
  for (auto const& [name, value] : pairs) out.append(out.empty() ? "" : "&").append(name).append("=").append(value);
  return out;
}

AwsSigned read_aws_signature(std::string_view head, std::string_view body) {
  HeadParts const parts = parts_of_head(head);
  if (is_presigned(parts.query))
    return aws_bad(
        "NotImplemented",
        "presigned requests (X-Amz-Signature in the query) are not taken: sign with the field Authorization");
  HeadField const* const field = parts.find("authorization");
  if (field == nullptr) return {};
  std::string_view authorization = field->value;
  std::string_view const scheme = cut_at(authorization, ' ');
  if (scheme != "AWS" && !scheme.starts_with("AWS3") && !scheme.starts_with("AWS4-")) return {};
  if (parts.find("authorization", field) != nullptr) return incomplete("there are several fields Authorization");
  if (scheme != kAwsAlgorithm)
    return incomplete("the algorithm in Authorization is unknown, expected " + std::string{kAwsAlgorithm});
  AwsClaim claim;
  if (std::string why = read_claim(authorization, claim); !why.empty()) return incomplete(std::move(why));
  AwsSigned out;
  if (std::string why = read_credential(claim.credential, out); !why.empty()) return incomplete(std::move(why));
  out.date = date_of_request(parts);
  if (out.date.empty())
    return incomplete("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header");
  std::vector<std::string_view> fields;
  if (std::string why = read_signed_fields(claim.fields, parts, fields); !why.empty()) return no_match(std::move(why));
  std::string const hash = sha256_hex(body);
  HeadField const* const sent = parts.find("x-amz-content-sha256");
  if (sent != nullptr && sent->value != hash && sent->value != kUnsignedBody)
    return no_match("x-amz-content-sha256 is not the SHA-256 of the body");
  out.request = sha256_hex(canonical_request(parts, fields, claim.fields, sent == nullptr ? hash : sent->value));
  out.signature = claim.signature;
  out.kind = AwsSigned::Kind::good;
  return out;
}

}  // namespace fastjournal::protocol
