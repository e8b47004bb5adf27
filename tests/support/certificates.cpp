#include "tests/support/certificates.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fastjournal::test {
namespace {

struct Free {
  void operator()(X509* one) const { X509_free(one); }
  void operator()(EVP_PKEY* one) const { EVP_PKEY_free(one); }
  void operator()(BIO* one) const { BIO_free_all(one); }
  void operator()(X509_EXTENSION* one) const { X509_EXTENSION_free(one); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

void check(bool good, char const* what) {
  if (!good) throw std::runtime_error(std::string{"certificate of a test: "} + what);
}

template <class Write>
std::string pem(Write const& write) {
  Owned<BIO> const output{BIO_new(BIO_s_mem())};
  check(output != nullptr && write(output.get()) == 1, "PEM");
  char* bytes = nullptr;
  long const size = BIO_get_mem_data(output.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* one) {
  return pem([&](BIO* output) { return PEM_write_bio_X509(output, one); });
}

std::string pem_of(EVP_PKEY* key) {
  return pem([&](BIO* output) { return PEM_write_bio_PrivateKey(output, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

Owned<EVP_PKEY> new_key() {
  Owned<EVP_PKEY> key{EVP_EC_gen("P-256")};
  check(key != nullptr, "key");
  return key;
}

void extend(X509* one, X509* issuer, int what, std::string const& text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, one, nullptr, nullptr, 0);
  Owned<X509_EXTENSION> const extension{X509V3_EXT_conf_nid(nullptr, &context, what, text.c_str())};
  check(extension != nullptr && X509_add_ext(one, extension.get(), -1) == 1, "extension");
}

Owned<X509> new_certificate(EVP_PKEY* key, std::string const& common_name, long serial, std::int64_t from_s,
                            std::int64_t to_s) {
  Owned<X509> one{X509_new()};
  check(one != nullptr && X509_set_version(one.get(), X509_VERSION_3) == 1, "version");
  check(ASN1_INTEGER_set(X509_get_serialNumber(one.get()), serial) == 1, "serial number");
  check(X509_gmtime_adj(X509_getm_notBefore(one.get()), from_s) != nullptr, "from");
  check(X509_gmtime_adj(X509_getm_notAfter(one.get()), to_s) != nullptr, "to");
  check(X509_set_pubkey(one.get(), key) == 1, "public key");
  auto const* const bytes = reinterpret_cast<unsigned char const*>(common_name.data());
  if (!common_name.empty())
    check(X509_NAME_add_entry_by_NID(X509_get_subject_name(one.get()), NID_commonName, MBSTRING_UTF8, bytes,
                                     static_cast<int>(common_name.size()), -1, 0) == 1,
          "common name");
  return one;
}

}  // namespace

struct Authority::Body {
  Owned<EVP_PKEY> key;
  Owned<X509> own;
  std::string text;
  long serial{1};
};

Authority::Authority(std::string const& name) : body_(std::make_unique<Body>()) {
  body_->key = new_key();
  body_->own = new_certificate(body_->key.get(), name, 1, -7200, 7200);
  X509* const own = body_->own.get();
  check(X509_set_issuer_name(own, X509_get_subject_name(own)) == 1, "issuer");
  extend(own, own, NID_basic_constraints, "critical,CA:TRUE");
  extend(own, own, NID_key_usage, "critical,keyCertSign");
  extend(own, own, NID_subject_key_identifier, "hash");
  check(X509_sign(own, body_->key.get(), EVP_sha256()) != 0, "signature");
  body_->text = pem_of(own);
}

Authority::~Authority() = default;

std::string const& Authority::certificate() const { return body_->text; }

Certificate Authority::issue(CertificateWish const& wish) {
  Owned<EVP_PKEY> const key = new_key();
  Owned<X509> const one = new_certificate(key.get(), wish.common_name, ++body_->serial, wish.from_s, wish.to_s);
  X509* const issuer = body_->own.get();
  check(X509_set_issuer_name(one.get(), X509_get_subject_name(issuer)) == 1, "issuer");
  extend(one.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  extend(one.get(), issuer, NID_ext_key_usage, wish.for_clients ? "clientAuth" : "serverAuth");
  std::string names;
  for (std::string const& name : wish.names) names += (names.empty() ? "DNS:" : ",DNS:") + name;
  for (std::string const& address : wish.addresses) names += (names.empty() ? "IP:" : ",IP:") + address;
  if (!names.empty()) extend(one.get(), issuer, NID_subject_alt_name, names);
  check(X509_sign(one.get(), body_->key.get(), EVP_sha256()) != 0, "signature");
  return {pem_of(one.get()), pem_of(key.get())};
}

void write_private(std::string const& path, std::string const& text) {
  std::ofstream{path} << text;
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
}

}  // namespace fastjournal::test
