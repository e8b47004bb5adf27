// The rules for single fields of HTTP requests, by lists of values.
#include "wire/http_rules.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace fastjournal::protocol {
namespace {

bool is_allowed(std::string_view field, std::vector<std::string> const& names = {"queue.example.com"}) {
  std::optional<HttpHost> const host = parse_http_host(field);
  return host && is_allowed_host(*host, names);
}

bool same(std::string_view origin, std::string_view host, bool is_tls = false) {
  return is_same_origin(origin, is_tls, *parse_http_host(host));
}

unsigned wants(std::string_view accept, std::string_view type = "text/plain") {
  return http_preference(accept, type).thousandths;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(http_rules)

BOOST_AUTO_TEST_CASE(hosts_have_a_name_and_perhaps_a_port) {
  for (std::string_view const good : {"a", "a.b", "a:1", "a:65535", "127.0.0.1:80", "[::1]", "[::1]:80", "a-b_c.d"})
    BOOST_TEST(parse_http_host(good).has_value(), good);
  for (std::string_view const bad :
       {"",  ":80", "a:",   "a:b",    "a:0",     "a:080", "a:123456", "a b",         "a/b",     "a@b",     "a,b",
        "[", "[]",  "[::1", "[::1]x", "[::1]80", "::1",   "[x::1]",   "[127.0.0.1]", "a:80:80", "\xc3\xa9"})
    BOOST_TEST(!parse_http_host(bad).has_value(), bad);
  BOOST_TEST(parse_http_host("[::1]:80")->name == "[::1]");
  BOOST_TEST(parse_http_host("[::1]:80")->port == "80");
}

BOOST_AUTO_TEST_CASE(only_addresses_localhost_and_configured_names_are_hosts) {
  for (std::string_view const good : {"localhost", "LocalHost:1", "127.0.0.1", "10.0.0.255:80", "0.0.0.0", "[fe80::1]",
                                      "[::ffff:1.2.3.4]:1", "queue.example.com", "QUEUE.example.com:4080"})
    BOOST_TEST(is_allowed(good), good);
  for (std::string_view const bad :
       {"evil.example", "localhost.evil.example", "xlocalhost", "localhost.", "127.0.0.1.evil.example", "127.0.0.1.",
        "127.0.0", "256.0.0.1", "127.0.0.01", "2130706433", "0x7f000001", "1.2.3.4.5", "example.com",
        "queue.example.com.evil", "a.queue.example.com"})
    BOOST_TEST(!is_allowed(bad), bad);
}

BOOST_AUTO_TEST_CASE(an_origin_is_scheme_host_and_port) {
  BOOST_TEST(same("http://localhost:4080", "localhost:4080"));
  BOOST_TEST(same("http://LOCALHOST:4080", "localhost:4080"));
  BOOST_TEST(same("http://localhost", "localhost:80"));
  BOOST_TEST(same("https://localhost", "localhost:443", true));
  BOOST_TEST(same("http://[::1]:1", "[::1]:1"));
  BOOST_TEST(!same("http://localhost", "localhost:443"));
  BOOST_TEST(!same("http://localhost", "localhost", true));
  BOOST_TEST(!same("https://localhost", "localhost"));
  for (std::string_view const bad : {"", "null", "localhost", "http://", "http://localhost/", "http://localhost x",
                                     "http://localhost, http://localhost", "http://user@localhost", "file://localhost",
                                     "http://localhost.evil", "http:/localhost", "chrome-extension://localhost"})
    BOOST_TEST(!same(bad, "localhost"), bad);
}

BOOST_AUTO_TEST_CASE(the_closest_range_of_accept_counts) {
  BOOST_TEST(wants("text/plain") == 1000U);
  BOOST_TEST(wants("TEXT/Plain;q=0.5") == 500U);
  BOOST_TEST(wants("text/*;q=0.25") == 250U);
  BOOST_TEST(wants("*/*;q=0.125") == 125U);
  BOOST_TEST(wants("*/*, text/*;q=0.5, text/plain;q=0.2") == 200U);
  BOOST_TEST(wants("text/plain;q=0, */*") == 0U);
  BOOST_TEST(wants("text/plain;version=0.0.4;q=0.2,text/plain;version=1;q=0.3") == 300U);
  BOOST_TEST(wants("application/json") == 0U);
  BOOST_TEST(wants("") == 0U);
  BOOST_TEST(wants("text") == 0U);
  BOOST_TEST(wants("*") == 0U);
  BOOST_TEST(wants("text/plainer, xtext/plain") == 0U);
  BOOST_TEST(wants("a/b;x=\"text/plain,\", c/d") == 0U);
  BOOST_TEST(wants("text/plain;x=\"\\\",;\";q=0.1") == 100U);
  for (std::string_view const bad : {"q=", "q=2", "q=1x", "q=0,5", "q=.5", "q=0.5555", "q=-1"})
    BOOST_TEST(wants("text/plain;" + std::string{bad}) == (bad == "q=0,5" ? 0U : wants("text/plain;q=x")), bad);
  BOOST_TEST(http_preference("text/plain;q=0.1", "text/plain").is_named);
  BOOST_TEST(!http_preference("text/*, */*", "text/plain").is_named);
}

BOOST_AUTO_TEST_CASE(tokens_have_their_characters_and_their_size) {
  BOOST_TEST(bearer_token("Bearer abc").value() == "abc");
  BOOST_TEST(bearer_token("bEARER  a.b-c_d~e+f/g== ").value() == "a.b-c_d~e+f/g==");
  BOOST_TEST(bearer_token("Bearer " + std::string(256, 'a')).has_value());
  for (std::string const& bad :
       {std::string{}, std::string{"Bearer"}, std::string{"Bearer "}, std::string{"Bearer ="},
        std::string{"Bearer a=b"}, std::string{"Bearer a b"}, std::string{"Bearer a,b"}, std::string{"Bearer \"a\""},
        std::string{"Bearerabc"}, std::string{"Basic abc"}, "Bearer " + std::string(257, 'a')})
    BOOST_TEST(!bearer_token(bad).has_value(), bad);
}

BOOST_AUTO_TEST_CASE(a_type_is_json_whatever_its_letters) {
  for (std::string_view const good : {"application/json", "APPLICATION/json", "application/json;charset=utf-8",
                                      "application/json ; charset=\"UTF-8\"", "application/json;"})
    BOOST_TEST(is_json_type(good), good);
  for (std::string_view const bad :
       {"", "json", "text/json", "application/json2", "application/json;charset=utf-16", "application/json;boundary=x",
        "text/plain, application/json", "application/json, text/plain", "text/plain;application/json"})
    BOOST_TEST(!is_json_type(bad), bad);
}

BOOST_AUTO_TEST_CASE(entity_tags_are_compared_weakly) {
  BOOST_TEST(names_etag("\"a\"", "\"a\""));
  BOOST_TEST(names_etag("W/\"a\"", "\"a\""));
  BOOST_TEST(names_etag("\"b,\", \"a\"", "\"a\""));
  BOOST_TEST(names_etag("*", "\"a\""));
  BOOST_TEST(!names_etag("a", "\"a\""));
  BOOST_TEST(!names_etag("\"aa\"", "\"a\""));
  BOOST_TEST(!names_etag("", "\"a\""));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
