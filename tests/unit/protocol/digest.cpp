// Digests of protocols against the vectors of RFC 1321 and FIPS 180.
#include "wire/digest.h"

#include <boost/test/unit_test.hpp>

#include <string>

namespace fastjournal::protocol {

BOOST_AUTO_TEST_SUITE(digest)

BOOST_AUTO_TEST_CASE(md5_is_that_of_rfc_1321) {
  BOOST_TEST(md5_hex("") == "d41d8cd98f00b204e9800998ecf8427e");
  BOOST_TEST(md5_hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
  BOOST_TEST(md5_hex("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  BOOST_TEST(md5_hex(std::string(1000, '\0')) == "ede3d3b685b4e137ba4cb2521329a75e");
}

BOOST_AUTO_TEST_CASE(sha256_is_that_of_fips_180) {
  BOOST_TEST(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::protocol
