// The files of certificates: whatever is wrong with one is told with the setting that named it and its path.
#include <openssl/pem.h>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include "platform/tls/context.h"
#include "tests/support/certificates.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::tls {
namespace {

using test::Authority;
using test::TemporaryFolder;

struct Files {
  Files() {
    write("good.pem", own.certificate);
    test::write_private(folder / "good.key", own.key);
    write("ca.pem", authority.certificate());
  }
  void write(std::string const& name, std::string const& text) const { std::ofstream{folder / name} << text; }
  NamedFile named(std::string const& name, std::string const& source) const { return {folder / name, source}; }

  ServerFiles server(std::string const& certificate = "good.pem", std::string const& key = "good.key") const {
    return {.certificate = named(certificate, "certificate"), .key = named(key, "key"), .client_ca = {}};
  }
  // What is wrong; empty: nothing.
  std::string problem(ServerFiles const& files) const {
    Result<ServerMaterial> const material = ServerMaterial::read(files);
    if (!material.ok()) return material.status().message();
    auto const made = ServerContext::make(material.value(), {"fastjournal"});
    return made.ok() ? std::string{} : made.status().message();
  }
  std::string problem(ClientFiles const& files) const {
    auto const made = ClientContext::make(files, "localhost", "fastjournal");
    return made.ok() ? std::string{} : made.status().message();
  }

  TemporaryFolder folder;
  Authority authority;
  test::Certificate own{authority.issue()};
};

std::string encrypted(std::string const& key) {
  BIO* const in = BIO_new_mem_buf(key.data(), static_cast<int>(key.size()));
  EVP_PKEY* const read = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO* const out = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(out, read, EVP_aes_128_cbc(), reinterpret_cast<unsigned char const*>("secret"), 6, nullptr,
                           nullptr);
  char* bytes = nullptr;
  long const size = BIO_get_mem_data(out, &bytes);
  std::string text{bytes, static_cast<std::size_t>(size)};
  BIO_free(in);
  BIO_free(out);
  EVP_PKEY_free(read);
  return text;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(certificate_files, Files)

BOOST_AUTO_TEST_CASE(good_files_are_taken) {
  BOOST_TEST(problem(server()) == "");
  // Both in one file, in any order.
  test::write_private(folder / "both.pem", own.key + own.certificate);
  BOOST_TEST(problem(server("both.pem", "both.pem")) == "");
  ServerFiles files = server();
  files.client_ca = named("ca.pem", "client-ca");
  files.client_certificates = ClientCertificates::required;
  BOOST_TEST(problem(files) == "");
}

BOOST_AUTO_TEST_CASE(a_problem_names_setting_and_file) {
  BOOST_TEST(problem(server("none.pem")) == "certificate: " + folder / "none.pem" + ": No such file or directory");
  BOOST_TEST(problem(server("good.pem", "none.key")) == "key: " + folder / "none.key" + ": No such file or directory");
  ServerFiles files = server();
  files.client_ca = named("none.pem", "client-ca");
  files.client_certificates = ClientCertificates::accepted;
  BOOST_TEST(problem(files) == "client-ca: " + folder / "none.pem" + ": No such file or directory");
  files.client_certificates = ClientCertificates::none;
  BOOST_TEST(problem(files) == "");
}

BOOST_AUTO_TEST_CASE(a_key_is_not_for_everybody) {
  using std::filesystem::perms;
  for (perms const more : {perms::others_read, perms::others_write, perms::others_exec}) {
    std::filesystem::permissions(folder / "good.key", perms::owner_read | more);
    std::string const text = problem(server());
    BOOST_TEST(text.find("chmod o= " + folder / "good.key") != std::string::npos, text);
  }
  std::filesystem::permissions(folder / "good.key", perms::owner_read | perms::group_read);
  BOOST_TEST(problem(server()) == "");
}

BOOST_AUTO_TEST_CASE(what_is_no_certificate_or_no_key_is_told) {
  write("text.pem", "no certificate\n");
  BOOST_TEST(problem(server("text.pem")).find("holds no certificate") != std::string::npos);
  write("damaged.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
  BOOST_TEST(problem(server("damaged.pem")).find("damaged certificate") != std::string::npos);
  write("second.pem", own.certificate + "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
  BOOST_TEST(problem(server("second.pem")).find("damaged certificate") != std::string::npos);
  test::write_private(folder / "text.key", "no key\n");
  BOOST_TEST(problem(server("good.pem", "text.key")).find("no private key") != std::string::npos);
  test::write_private(folder / "secret.key", encrypted(own.key));
  BOOST_TEST(problem(server("good.pem", "secret.key")).find("without a passphrase") != std::string::npos);
  write("huge.pem", std::string(kFileBytesMax + 1, '\n'));
  BOOST_TEST(problem(server("huge.pem")).find("expected at most") != std::string::npos);
  std::filesystem::create_directory(folder / "folder");
  BOOST_TEST(problem(server("folder")).find("is no file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_key_belongs_to_its_certificate) {
  test::write_private(folder / "other.key", authority.issue().key);
  BOOST_TEST(problem(server("good.pem", "other.key")) ==
             "key: " + folder / "other.key" + ": this key does not belong to the certificate " + folder / "good.pem");
}

BOOST_AUTO_TEST_CASE(a_certificate_that_is_not_valid_now_is_told) {
  auto const validity = [&](std::int64_t from_s, std::int64_t to_s) {
    test::Certificate const one = authority.issue({.from_s = from_s, .to_s = to_s});
    write("one.pem", one.certificate);
    test::write_private(folder / "one.key", one.key);
    Result<ServerMaterial> const material = ServerMaterial::read(server("one.pem", "one.key"));
    BOOST_REQUIRE(material.ok());
    auto const made = ServerContext::make(material.value(), {});
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
    return made.value()->odd_validity();
  };
  BOOST_TEST(validity(-60, 60) == "");
  BOOST_TEST(validity(-60, -1).starts_with("the certificate expired on "));
  BOOST_TEST(validity(60, 120).starts_with("the certificate is not valid yet"));
}

BOOST_AUTO_TEST_CASE(the_first_end_of_any_of_its_certificates_is_known) {
  auto const days = [&](std::int64_t first, std::int64_t between) {
    test::Certificate const one = authority.issue({.to_s = first * 86'400});
    test::Certificate const two = authority.issue({.common_name = "between", .to_s = between * 86'400});
    write("one.pem", one.certificate + two.certificate);
    test::write_private(folder / "one.key", one.key);
    Result<ServerMaterial> const material = ServerMaterial::read(server("one.pem", "one.key"));
    BOOST_REQUIRE(material.ok());
    auto const made = ServerContext::make(material.value(), {});
    BOOST_REQUIRE_MESSAGE(made.ok(), made.status().text());
    return (made.value()->valid_until_s() - ::time(nullptr) + 60) / 86'400;
  };
  BOOST_TEST(days(10, 20) == 10);
  BOOST_TEST(days(30, 20) == 20);
}

BOOST_AUTO_TEST_CASE(changed_files_are_noticed) {
  Result<ServerMaterial> const before = ServerMaterial::read(server());
  Result<ServerMaterial> const same = ServerMaterial::read(server());
  BOOST_TEST(before->same_as(same.value()));
  write("good.pem", own.certificate + authority.certificate());
  Result<ServerMaterial> const after = ServerMaterial::read(server());
  BOOST_TEST(!before->same_as(after.value()));
}

BOOST_AUTO_TEST_CASE(a_client_needs_nothing_or_a_certificate_with_its_key) {
  ClientFiles files{.ca = {"", "--ca"}, .certificate = {"", "--certificate"}, .key = {"", "--key"}};
  BOOST_TEST(problem(files) == "");
  files.ca.path = folder / "ca.pem";
  files.certificate.path = folder / "good.pem";
  BOOST_TEST(problem(files).find("expected --key beside it") != std::string::npos, problem(files));
  files.key.path = folder / "good.key";
  BOOST_TEST(problem(files) == "");
  files.certificate.path.clear();
  BOOST_TEST(problem(files).find("expected --certificate beside it") != std::string::npos);
  files.key.path.clear();
  files.ca.path = folder / "none.pem";
  BOOST_TEST(problem(files) == "--ca: " + folder / "none.pem" + ": No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::tls
