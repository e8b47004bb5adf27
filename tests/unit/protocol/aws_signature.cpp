// What a request says of its signature, against what botocore 1.43 signs (SigV4Auth, at 2026-08-30 12:36:00, as orders
// with the secret of the AWS documentation), the example of that documentation, and requests that are wrong.
#include "wire/aws_signature.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace fastjournal::protocol {
namespace {

struct Vector {
  std::string_view name;
  std::string_view line;
  std::string_view fields;
  std::string_view signed_fields;
  std::string_view region{"eu-west-1"};
  std::string_view body{};
  std::string_view request;
  std::string_view signature;
};

constexpr Vector kVectors[] = {
    {.name = "json",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-target",
     .body = "{\"QueueUrl\": \"http://localhost:9324/000000000000/mail\", \"MessageBody\": \"hi\"}",
     .request = "a1022f1f0e8327907edc74517f4efad0069be3351d1195989887da084afe5747",
     .signature = "c1872dffc79004cb7abc3a87a6d9e9c91800c4e34306d348e161541849eb6ccb"},
    {.name = "form",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n",
     .signed_fields = "content-type;host;x-amz-date",
     .body = "Action=SendMessage&MessageBody=a+b%20c&Version=2012-11-05",
     .request = "422cc7e30269694ac0c3b8b4e3df1f6ae03c3ca722654f86d49086c7f53bac6a",
     .signature = "349e2a1c77be11928375b051c0c6397c114eb6ce81b1e2b64648276e8dda0ff2"},
    {.name = "empty body",
     .line = "POST /000000000000/mail",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-target",
     .body = "",
     .request = "9f5060a052b055055f5a7b1bf7f201cd12c27a02c17e25071c42a2652391b621",
     .signature = "8beb21e2fb8ba93647be1ac1d9354fd1c151947938ae6e0b7b3f182e4ccfd4ca"},
    {.name = "query out of order",
     .line = "GET /?b=2&a=%20x&a=&B=1&aa=1",
     .fields = "Host: localhost:9324\r\n",
     .signed_fields = "host;x-amz-date",
     .body = "",
     .request = "6c3bb0f61ca65f9a87853449396270f9b4cb8d1fe3b9588d994a46eb1abefc9c",
     .signature = "3459d3fc868256e6a91cdf0489fc25062b64551b996f15c4e1614b3fd70c0052"},
    {.name = "query of blanks and unicode",
     .line = "GET /?Name=a%20b&Body=%E1%88%B4&tilde=~&plus=%2B",
     .fields = "Host: localhost:9324\r\n",
     .signed_fields = "host;x-amz-date",
     .body = "",
     .request = "ff9f57b7e8dfca209b9f47f5cf82672d7d04968c775e3555ca7e97a1f05398f7",
     .signature = "0bfe0882f473dcf9e8bd6de066e282ff22631997c6d3f10609f099e898433017"},
    {.name = "path of blanks and unicode",
     .line = "POST /000000000000/a%20b%E1%88%B4.fifo",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-target",
     .body = "{}",
     .request = "fd5c21666f67749cd36ee77cefd73f6b58ac65ff6581b65ac47d252a93c77627",
     .signature = "d7fc7146db627639a2b7ef8694b4590a347f98c183748ccd693b1638b38c154d"},
    {.name = "path with dots",
     .line = "POST /a/./b/../c//d/",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-target",
     .body = "{}",
     .request = "659ed019d337c6b010c2e6f6d6864e67dabd2a406e64a79ed9421a9f9fd732b3",
     .signature = "9ab3e0ae8f586232f5b74a6cebd776c3371599c368ce9823bcee279335fcac40"},
    {.name = "blanks in fields",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\nMy-Header:   a   b  c  \r\nX-Empty: \r\n",
     .signed_fields = "content-type;host;my-header;x-amz-date;x-amz-target;x-empty",
     .body = "{}",
     .request = "cde0f20e3fef46cf0c7093bd65cb79a490393dc76f439166622a79bbecef63d6",
     .signature = "abef0ff83b431dff475cd617cf11c3a205a84d2dff91e6af011fa90dcfa2e265"},
    {.name = "repeated fields",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\nMy-Header: value4\r\nMy-Header: "
               "value1\r\nMy-Header: value3\r\n",
     .signed_fields = "content-type;host;my-header;x-amz-date;x-amz-target",
     .body = "{}",
     .request = "0f0ce256a6b2121bfcfbafa5ede648b16a9e426b1977a1ef13e76710eda0629a",
     .signature = "027d1f8099254f89c897c0c48ef5e2d30df05f311ef72685386c227528d5ab0a"},
    {.name = "unicode body",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-target",
     .body = "{\"MessageBody\": \"\341\210\264 \360\237\230\200 \303\251\"}",
     .request = "3a507c4174d5e0a75e5813d182632fa017b53d385c5463166d0e7c987fbb904c",
     .signature = "cd65dc5157309837a7783607438f90be2e318315e7eae5af30a8cc5543e4fab6"},
    {.name = "session token",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\nX-Amz-Security-Token: "
               "AQoDYXdzEPT//////////wEXAMPLE==\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target",
     .body = "{}",
     .request = "e703d5c09151924235d92add50686942b232a6af25ba83d100ea4723186b58bb",
     .signature = "c45f64dab8be5ed044c08138f870d9eb1390214312573a0d249b8a9dbba86a2c"},
    {.name = "body hash as a field",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\nX-Amz-Content-SHA256: "
               "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\r\n",
     .signed_fields = "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target",
     .body = "{}",
     .request = "78eecf92e1ce87a74357baddd66e385c5f1fa5d531fd672425524d46361c453d",
     .signature = "9c1ff53b7c111ce56cabd08cbbbbd8a82bfa8e4fd13c8e674d6a79090a91bdd9"},
    {.name = "unsigned body",
     .line = "POST /",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\nX-Amz-Content-SHA256: UNSIGNED-PAYLOAD\r\n",
     .signed_fields = "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target",
     .body = "{}",
     .request = "43ca69f1e9b43a046d68672245eeec7a9b6f25de73b4b48939b06ed6ae3790a5",
     .signature = "1eaba6420a7c1cfb3bb20d9d1072ffa71d4f3ba971fd756435f8e67f565841d5"},
    {.name = "encoded slash",
     .line = "POST /a%2Fb/(c)!*",
     .fields = "Host: localhost:9324\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-target",
     .body = "{}",
     .request = "ddb5be096cc79c03639662d7a73734997da93ca6076e2a8bdced41fe3e1e6563",
     .signature = "36ba57f6f9b24156919621d10c6a967a7107c2fb7f98e86863a15f17901649de"},
    {.name = "port 80",
     .line = "POST /",
     .fields = "Host: queue.example.com\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
               "AmazonSQS.SendMessage\r\nUser-Agent: Boto3/1 md/Botocore\r\n",
     .signed_fields = "content-type;host;x-amz-date;x-amz-target",
     .region = "us-gov-west-1",
     .body = "{}",
     .request = "c27aa00320d593645d33d0f255e0bf8e32b437472dcc76c9fe2d097a9a308a7c",
     .signature = "cfbf1fa56f3589648c6beb77edba27d981c688848e0bd8b94915ea001ef12d26"},
};

std::string authorization_of(Vector const& of) {
  return "AWS4-HMAC-SHA256 Credential=orders/20260830/" + std::string{of.region} +
         "/sqs/aws4_request, SignedHeaders=" + std::string{of.signed_fields} +
         ", Signature=" + std::string{of.signature};
}

std::string head_of(Vector const& of, std::string_view authorization,
                    std::string_view date = "X-Amz-Date: 20260830T123600Z") {
  std::string out{of.line};
  out.append(" HTTP/1.1\r\n").append(of.fields).append(date).append("\r\nAuthorization: ").append(authorization);
  return out.append("\r\n\r\n");
}
std::string head_of(Vector const& of) { return head_of(of, authorization_of(of)); }

AwsSigned read_with(std::string_view authorization) {
  return read_aws_signature(head_of(kVectors[0], authorization), {});
}

void check_bad(AwsSigned const& found, std::string_view code, std::string_view part) {
  BOOST_TEST((found.kind == AwsSigned::Kind::bad), part);
  BOOST_TEST(found.code == code);
  BOOST_TEST(found.why.find(part) != std::string::npos, found.why);
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  std::size_t const at = text.find(what);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(aws_signature)

BOOST_AUTO_TEST_CASE(the_canonical_request_is_that_of_botocore) {
  for (Vector const& one : kVectors) {
    AwsSigned const found = read_aws_signature(head_of(one), one.body);
    BOOST_TEST((found.kind == AwsSigned::Kind::good), one.name << ": " << found.why);
    BOOST_TEST(found.request == one.request, one.name);
    BOOST_TEST(found.signature == one.signature);
    BOOST_TEST(found.user == "orders");
    BOOST_TEST(found.date == "20260830T123600Z");
    BOOST_TEST(found.region == one.region);
    BOOST_TEST(found.scope == "20260830/" + std::string{one.region} + "/sqs/aws4_request");
  }
}

BOOST_AUTO_TEST_CASE(the_canonical_request_is_that_of_the_documentation) {
  AwsSigned const found = read_aws_signature(
      "GET /?Action=ListUsers&Version=2010-05-08 HTTP/1.1\r\n"
      "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\nHost: iam.amazonaws.com\r\n"
      "X-Amz-Date: 20150830T123600Z\r\n"
      "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
      "SignedHeaders=content-type;host;x-amz-date, "
      "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7\r\n\r\n",
      "");
  BOOST_TEST((found.kind == AwsSigned::Kind::good), found.why);
  BOOST_TEST(found.request == "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
}

BOOST_AUTO_TEST_CASE(every_changed_byte_of_what_is_signed_changes_the_hash) {
  Vector const& one = kVectors[0];
  std::string const head = head_of(one);
  std::size_t const end = head.find("User-Agent");
  for (std::size_t i = 0; i < end; ++i) {
    std::string changed = head;
    if (changed[i] == '\r' || changed[i] == '\n' || changed.substr(i).starts_with(" HTTP/1.1\r\n")) continue;
    changed[i] = changed[i] == '~' ? '^' : '~';
    AwsSigned const found = read_aws_signature(changed, one.body);
    // The rest of the line behind the target is the version, which nobody signs.
    if (i > head.find(" HTTP/") && i < head.find("\r\n")) continue;
    BOOST_TEST(found.request != one.request, changed.substr(0, end));
  }
  for (std::size_t i = 0; i < one.body.size(); ++i) {
    std::string changed{one.body};
    changed[i] ^= 1;
    BOOST_TEST(read_aws_signature(head, changed).request != one.request);
  }
}

BOOST_AUTO_TEST_CASE(paths_are_normalised_and_encoded_again) {
  BOOST_TEST(aws_canonical_path("") == "/");
  BOOST_TEST(aws_canonical_path("/") == "/");
  BOOST_TEST(aws_canonical_path("//a///b") == "/a/b");
  BOOST_TEST(aws_canonical_path("/a/b/") == "/a/b/");
  BOOST_TEST(aws_canonical_path("/../../a") == "/a");
  BOOST_TEST(aws_canonical_path("/a/..") == "/");
  BOOST_TEST(aws_canonical_path("/./") == "/");
  BOOST_TEST(aws_canonical_path("/a%20b") == "/a%2520b");
  BOOST_TEST(aws_canonical_path("/~a_b-c.d") == "/~a_b-c.d");
}

BOOST_AUTO_TEST_CASE(queries_are_decoded_sorted_and_encoded) {
  BOOST_TEST(aws_canonical_query("") == "");
  BOOST_TEST(aws_canonical_query("b=1&a=2&a=1&A=3") == "A=3&a=1&a=2&b=1");
  BOOST_TEST(aws_canonical_query("name") == "name=");
  BOOST_TEST(aws_canonical_query("&&a=1&") == "a=1");
  BOOST_TEST(aws_canonical_query("a%2Db=%7e%2f%c3%a9") == "a-b=~%2F%C3%A9");
  BOOST_TEST(aws_canonical_query("a=b=c") == "a=b%3Dc");
  BOOST_TEST(aws_canonical_query("a=x+y") == "a=x%20y");
  BOOST_TEST(aws_canonical_query("a=%2B") == "a=%2B");
  for (char const* const odd : {"a=%", "a=%4", "a=%zz", "a=%%41"})
    BOOST_TEST(aws_canonical_query(odd).starts_with("a=%25"), odd);
}

BOOST_AUTO_TEST_CASE(other_authorizations_are_no_signature) {
  for (char const* const other :
       {"Bearer fj_abc", "Basic b3JkZXJzOng=", "", "AWS5", "aws4_request", "Credential=orders/20260830"})
    BOOST_TEST((read_with(other).kind == AwsSigned::Kind::none), other);
  BOOST_TEST((read_aws_signature("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "").kind == AwsSigned::Kind::none));
  BOOST_TEST((read_aws_signature("", "").kind == AwsSigned::Kind::none));
}

BOOST_AUTO_TEST_CASE(incomplete_authorizations_are_told) {
  std::string const good = authorization_of(kVectors[0]);
  auto const incomplete = [&good](std::string_view what, std::string_view by, std::string_view part) {
    check_bad(read_with(replaced(good, what, by)), "IncompleteSignature", part);
  };
  incomplete("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256", "algorithm");
  incomplete("AWS4-HMAC-SHA256", "AWS", "algorithm");
  incomplete("Credential=", "Credentials=", "other than");
  incomplete("Credential=orders/20260830/eu-west-1/sqs/aws4_request, ", "", "'Credential'");
  incomplete("SignedHeaders=content-type;host;x-amz-date;x-amz-target, ", "", "'SignedHeaders'");
  incomplete(", Signature=", ", Signature=x, Signature=", "twice");
  incomplete("Signature=", "Signature=0", "64");
  incomplete("Signature=c", "Signature=C", "64");
  incomplete("orders/", "", "5 slash-delimited");
  incomplete("orders/", "/", "access key");
  incomplete("orders", std::string(kAwsKeyBytesMax + 1, 'a'), "access key");
  incomplete("/20260830/", "/2026083/", "YYYYMMDD");
  incomplete("/eu-west-1/", "//", "region");
  incomplete("/sqs/", "/s.q.s/", "service");
  incomplete("aws4_request", "aws5_request", "aws4_request");
  check_bad(read_with("AWS4-HMAC-SHA256"), "IncompleteSignature", "'Credential'");
  // Slashes in a key belong to it.
  BOOST_TEST(read_with(replaced(good, "orders/", "a/b/")).user == "a/b");
  check_bad(read_aws_signature(head_of(kVectors[0], good + "\r\nAuthorization: Bearer x"), ""), "IncompleteSignature",
            "several");
}

BOOST_AUTO_TEST_CASE(what_must_be_signed_is) {
  Vector const& one = kVectors[0];
  auto const fields = [&](std::string_view list) {
    return read_with(replaced(authorization_of(one), one.signed_fields, list));
  };
  check_bad(fields("content-type;x-amz-date;x-amz-target"), "SignatureDoesNotMatch", "'Host'");
  check_bad(fields("content-type;host;x-amz-date"), "SignatureDoesNotMatch", "x-amz-target");
  check_bad(fields("content-type;host;x-amz-target"), "SignatureDoesNotMatch", "x-amz-date");
  check_bad(fields("host;content-type;x-amz-date;x-amz-target"), "SignatureDoesNotMatch", "sorted");
  check_bad(fields("host;host;x-amz-date;x-amz-target"), "SignatureDoesNotMatch", "sorted");
  check_bad(fields("HOST;x-amz-date;x-amz-target"), "SignatureDoesNotMatch", "does not have");
  check_bad(fields("accept;host;x-amz-date;x-amz-target"), "SignatureDoesNotMatch", "does not have");
  BOOST_TEST((fields("host;x-amz-date;x-amz-target").kind == AwsSigned::Kind::good));
}

BOOST_AUTO_TEST_CASE(at_most_64_fields_are_signed) {
  for (std::size_t const count : {kAwsSignedFieldsMax, kAwsSignedFieldsMax + 1}) {
    std::string list = "host";
    std::string head = "GET / HTTP/1.1\r\nHost: a\r\nDate: 20260830T123600Z\r\n";
    for (std::size_t i = 1; i < count; ++i) {
      std::string const name = "i" + std::to_string(100 + i);
      list += ";" + name;
      head += name + ": x\r\n";
    }
    head += "Authorization: " + replaced(authorization_of(kVectors[0]), kVectors[0].signed_fields, list) + "\r\n\r\n";
    AwsSigned const found = read_aws_signature(head, "");
    BOOST_TEST((found.kind == AwsSigned::Kind::good) == (count == kAwsSignedFieldsMax), found.why);
  }
}

BOOST_AUTO_TEST_CASE(dates_come_in_two_forms) {
  Vector const& one = kVectors[0];
  auto const dated = [&](std::string_view date) {
    std::string const with = replaced(authorization_of(one), ";x-amz-date", "");
    return read_aws_signature(head_of(one, with, date), "");
  };
  BOOST_TEST(dated("Date: 20260830T123600Z").date == "20260830T123600Z");
  BOOST_TEST(dated("Date: Sun, 30 Aug 2026 12:36:00 GMT").date == "20260830T123600Z");
  BOOST_TEST(dated("Date: Thu, 01 Oct 2026 00:00:01 GMT").date == "20261001T000001Z");
  for (char const* const none : {"Dates: 20260830T123600Z", "Date: 2026-08-30T12:36:00Z", "Date: ",
                                 "Date: Sun, 30 anF 2026 12:36:00 GMT", "Date: Sun, 30 Aug 2026 12:36:00 +0000"})
    check_bad(dated(none), "IncompleteSignature", "'Date'");
  // X-Amz-Date is the one that counts.
  AwsSigned const both = read_aws_signature(
      head_of(one, authorization_of(one), "Date: 20200101T000000Z\r\nX-Amz-Date: 20260830T123600Z"), "");
  BOOST_TEST(both.date == "20260830T123600Z");
}

BOOST_AUTO_TEST_CASE(another_hash_of_the_body_is_refused) {
  for (Vector const& one : kVectors)
    if (one.name == "body hash as a field")
      check_bad(read_aws_signature(head_of(one), "other"), "SignatureDoesNotMatch", "x-amz-content-sha256");
}

BOOST_AUTO_TEST_CASE(presigned_requests_are_refused) {
  for (char const* const query : {"X-Amz-Signature=ab", "Action=X&X-Amz-Signature=ab", "X%2DAmz%2DSignature="})
    check_bad(read_aws_signature("GET /?" + std::string{query} + " HTTP/1.1\r\nHost: a\r\n\r\n", ""), "NotImplemented",
              "presigned");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
