// Signing keys and what they sign: the example of the AWS documentation, requests that botocore signed, and dates.
#include "config/access/signature.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <string>

#include "tests/support/signing.h"

namespace fastjournal::access {
namespace {

constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::int64_t kSignedAtUs = 1'788'093'360 * kSecondUs;  // 2026-08-30 12:36:00

// Of botocore 1.43: the first of tests/unit/protocol/aws_signature.cpp.
constexpr Protocol::Signature kGood{.user = "orders",
                                    .date = "20260830T123600Z",
                                    .scope = "20260830/eu-west-1/sqs/aws4_request",
                                    .request = "a1022f1f0e8327907edc74517f4efad0069be3351d1195989887da084afe5747",
                                    .signature = "c1872dffc79004cb7abc3a87a6d9e9c91800c4e34306d348e161541849eb6ccb"};

SigningKey key_of(std::string_view text) {
  std::optional<SigningKey> key = SigningKey::read(text);
  BOOST_REQUIRE(key.has_value());
  return *key;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(signatures)

BOOST_AUTO_TEST_CASE(keys_have_a_rule) {
  BOOST_TEST(SigningKey::read(std::string(16, '!')).has_value());
  BOOST_TEST(SigningKey::read(std::string(128, '~')).has_value());
  BOOST_TEST(!SigningKey::read(std::string(15, 'a')).has_value());
  BOOST_TEST(!SigningKey::read(std::string(129, 'a')).has_value());
  for (char const* const bad :
       {"", "aaaaaaaaaaaaaaaa a", "aaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaa\xc3\xa4", "aaaaaaaaaaaaaaaa\x7f"})
    BOOST_TEST(!SigningKey::read(bad).has_value(), bad);
}

BOOST_AUTO_TEST_CASE(a_made_key_is_read_again) {
  std::array<char, kSigningKeyRandomBytes> random{};
  for (std::size_t i = 0; i < random.size(); ++i) random[i] = static_cast<char>(i * 37);
  SigningKey const made = SigningKey::make(random);
  BOOST_TEST(made.text().size() == 40U);
  BOOST_TEST((SigningKey::read(made.text()) == made));
  random[29] = 0;
  BOOST_TEST((SigningKey::make(random) != made));
  random[0] = static_cast<char>(62 << 2);
  BOOST_TEST(SigningKey::make(random).text().front() != '-');
}

BOOST_AUTO_TEST_CASE(keys_move_and_leave_nothing) {
  SigningKey from = key_of(kSecret);
  SigningKey to = key_of("0123456789abcdef");
  to = from;
  BOOST_TEST((to == from));
  SigningKey const last = std::move(from);
  to = key_of("0123456789abcdef");
  BOOST_TEST(to.text() == "0123456789abcdef");
  BOOST_TEST(last.text() == kSecret);
}

BOOST_AUTO_TEST_CASE(the_example_of_the_documentation_is_right) {
  Protocol::Signature const iam{.user = "AKIDEXAMPLE",
                                .date = "20150830T123600Z",
                                .scope = "20150830/us-east-1/iam/aws4_request",
                                .request = "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59",
                                .signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"};
  BOOST_TEST(is_signed_with(key_of(kSecret), iam));
  BOOST_TEST(!is_of_its_scope(iam));  // another service
  BOOST_TEST(test::aws_signature_of(kSecret, iam.date, iam.scope, iam.request) == iam.signature);
}

BOOST_AUTO_TEST_CASE(only_the_key_the_request_and_every_digit_make_it_right) {
  BOOST_TEST(is_signed_with(key_of(kSecret), kGood));
  BOOST_TEST(!is_signed_with(key_of(std::string{kSecret} + "x"), kGood));
  for (std::size_t i = 0; i < kGood.signature.size(); ++i) {
    std::string other{kGood.signature};
    other[i] = other[i] == '0' ? '1' : '0';
    Protocol::Signature wrong = kGood;
    wrong.signature = other;
    BOOST_TEST(!is_signed_with(key_of(kSecret), wrong), i);
    wrong.signature = kGood.signature.substr(0, i);
    BOOST_TEST(!is_signed_with(key_of(kSecret), wrong), i);
  }
  Protocol::Signature wrong = kGood;
  std::string const longer = std::string{kGood.signature} + "0";
  wrong.signature = longer;
  BOOST_TEST(!is_signed_with(key_of(kSecret), wrong));
  wrong = kGood;
  wrong.date = "20260830T123601Z";
  BOOST_TEST(!is_signed_with(key_of(kSecret), wrong));
  wrong = kGood;
  wrong.scope = "20260830/eu-west-2/sqs/aws4_request";
  BOOST_TEST(!is_signed_with(key_of(kSecret), wrong));
  wrong = kGood;
  wrong.request = kGood.signature;
  BOOST_TEST(!is_signed_with(key_of(kSecret), wrong));
}

BOOST_AUTO_TEST_CASE(the_longest_key_signs) {
  std::string const secret(kSigningKeyBytesMax, '~');
  Protocol::Signature signature = kGood;
  std::string const made = test::aws_signature_of(secret, kGood.date, kGood.scope, kGood.request);
  signature.signature = made;
  BOOST_TEST(is_signed_with(key_of(secret), signature));
}

BOOST_AUTO_TEST_CASE(a_scope_is_of_the_day_and_of_sqs) {
  BOOST_TEST(is_of_its_scope(kGood));
  for (char const* const scope :
       {"20260829/eu-west-1/sqs/aws4_request", "20260830/eu-west-1/s3/aws4_request", "20260830/sqs/aws4_request",
        "20260830/a/b/sqs/aws4_request", "20260830/eu-west-1/sqs/aws4_requests", "202608300/eu-west-1/sqs/aws4_request",
        "2026083/eu-west-1/sqs/aws4_request", "", "/sqs/aws4_request", "20260830"}) {
    Protocol::Signature wrong = kGood;
    wrong.scope = scope;
    BOOST_TEST(!is_of_its_scope(wrong), scope);
  }
}

BOOST_AUTO_TEST_CASE(dates_are_within_15_minutes) {
  constexpr std::int64_t kMost = 900 * kSecondUs;
  BOOST_TEST(is_of_this_time(kGood, kSignedAtUs));
  BOOST_TEST(is_of_this_time(kGood, kSignedAtUs + kMost));
  BOOST_TEST(is_of_this_time(kGood, kSignedAtUs - kMost));
  BOOST_TEST(!is_of_this_time(kGood, kSignedAtUs + kMost + 1));
  BOOST_TEST(!is_of_this_time(kGood, kSignedAtUs - kMost - 1));
  for (char const* const date :
       {"20260230T123600Z", "20260830T243600Z", "20260830T126000Z", "20260830T123661Z", "20260030T123600Z",
        "20260830 123600Z", "20260830T123600", "", "20260830T123600ZZ", "2026083xT123600Z", "-0260830T123600Z"}) {
    Protocol::Signature wrong = kGood;
    wrong.date = date;
    BOOST_TEST(!is_of_this_time(wrong, kSignedAtUs), date);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::access
