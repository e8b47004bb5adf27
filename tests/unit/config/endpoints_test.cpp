// Lists of endpoints: which are taken, and what is said of the others.
#include "config/endpoints.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using namespace fastjournal::config;
using Addresses = std::vector<std::string>;

Endpoints good(std::string_view text) {
  Result<Endpoints> const read = read_endpoints(text);
  BOOST_REQUIRE_MESSAGE(read.ok(), text << ": " << read.status().text());
  return read.value();
}

std::string problem(std::string_view text) {
  Result<Endpoints> const read = read_endpoints(text);
  if (!read.ok()) BOOST_TEST((read.status().code() == Code::bad_configuration));
  return read.ok() ? "(taken)" : read.status().message();
}

constexpr std::string_view kExpected =
    "; expected numbers as in 10.0.0.1:2379, https://10.0.0.1:2379 or https://[fd00::1]:2379";

std::string numbered(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "10.0.0." : ",10.0.0.") + std::to_string(i) + ":2379";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(config_endpoints)

BOOST_AUTO_TEST_CASE(one_or_several_are_read_with_or_without_a_scheme) {
  BOOST_TEST(good("10.0.0.1:2379").addresses == Addresses{"10.0.0.1:2379"});
  BOOST_TEST(!good("10.0.0.1:2379").tls);
  BOOST_TEST(good("http://10.0.0.1:2379,127.0.0.1:1").addresses == (Addresses{"10.0.0.1:2379", "127.0.0.1:1"}));
  BOOST_TEST(!good("http://10.0.0.1:2379,127.0.0.1:1").tls);
  Endpoints const three = good("\n  https://10.0.0.1:2379,\n  https://[fd00::1]:2379 , https://[fe80::1%eth0]:65535\n");
  BOOST_TEST(three.addresses == (Addresses{"10.0.0.1:2379", "[fd00::1]:2379", "[fe80::1%eth0]:65535"}));
  BOOST_TEST(three.tls);
}

BOOST_AUTO_TEST_CASE(https_is_for_all_or_none) {
  BOOST_TEST(problem("https://10.0.0.1:2379,10.0.0.2:2379") ==
             "endpoints \"https://10.0.0.1:2379\" and \"10.0.0.2:2379\": one is https, and the other is not; expected "
             "all or none");
  BOOST_TEST(problem("10.0.0.1:2379,http://10.0.0.2:2379,https://10.0.0.3:2379").starts_with("endpoints \"10.0.0.1:"));
}

BOOST_AUTO_TEST_CASE(there_are_1_to_16) {
  BOOST_TEST(good(numbered(16)).addresses.size() == 16U);
  BOOST_TEST(problem(numbered(17)) == "more than 16 endpoints");
  for (std::string_view const text : {"", " ", ",10.0.0.1:1", "10.0.0.1:1,", "10.0.0.1:1,,10.0.0.2:1", "https://"})
    BOOST_TEST(problem(text).find("the address is missing") != std::string::npos, text << ": " << problem(text));
  BOOST_TEST(problem("10.0.0.1:1,http://10.0.0.1:1").find("stands there twice") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_problem_names_the_endpoint_and_what_is_expected) {
  BOOST_TEST(problem("10.0.0.1:1, https://etcd1.example:2379") ==
             "endpoint \"https://etcd1.example:2379\": the host is no IPv4 address, and names are not looked up" +
                 std::string{kExpected});
  for (auto const& [text, why] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"10.0.0.1", "the port is missing"},
           {"[fd00::1]", "the port is missing"},
           {"10.0.0.1:", "the port is no number"},
           {"10.0.0.1:0", "the port is no number"},
           {"10.0.0.1:65536", "the port is no number"},
           {"10.0.0.1:2379/", "the port is no number"},
           {"10.0.0.1:-1", "the port is no number"},
           {":2379", "the host is missing"},
           {"10.0.0:2379", "the host is no IPv4 address"},
           {"10.0.0.256:2379", "the host is no IPv4 address"},
           {"10.0.0.01:2379", "the host is no IPv4 address"},
           {"10.0.0.1.:2379", "the host is no IPv4 address"},
           {"localhost:2379", "the host is no IPv4 address, and names are not looked up"},
           {"HTTPS://10.0.0.1:2379", "an IPv6 address stands in brackets"},
           {"unix:/run/etcd:1", "an IPv6 address stands in brackets"},
           {"fd00::1:2379", "an IPv6 address stands in brackets"}}) {
    std::string const told = problem(text);
    BOOST_TEST(told.starts_with("endpoint \"" + std::string{text} + "\": " + std::string{why}), told);
    BOOST_TEST(told.ends_with(kExpected), told);
  }
}

BOOST_AUTO_TEST_CASE(addresses_of_ipv6_are_checked) {
  for (std::string const host : {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "ABCD:ef::1", "::ffff:10.0.0.1",
                                 "1:2:3:4:5:6:10.0.0.1", "fe80::1%2"})
    BOOST_TEST(good("[" + host + "]:2379").addresses == Addresses{"[" + host + "]:2379"});
  for (std::string const host : {"", ":", "1", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
                                 "1:2:3:4:5:6:7:8::", "1::2::3", "12345::", "g::", "1:", ":1", "10.0.0.1",
                                 "10.0.0.1::", "::10.0.0.1:1", "::10.0.0", "fe80::1%", "[::1]", "::1]x"})
    BOOST_TEST(problem("[" + host + "]:2379").find("is no IPv6 address") != std::string::npos, host);
}

BOOST_AUTO_TEST_SUITE_END()
