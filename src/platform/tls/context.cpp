#include "platform/tls/context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "platform/tls/stream.h"
#include "platform/tls/user_name.h"
#include "platform/tls/words.h"

namespace fastjournal::tls {
namespace {

// With forward secrecy and authenticated encryption. TLS 1.3 has no others.
constexpr char kCiphers12[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
// Of TLS 1.2 clients without tickets; tickets are kept by the clients.
constexpr long kSessionsKept = 1024;
constexpr long kSessionSeconds = 7200;
constexpr unsigned char kSessionContext[] = "fastjournal";
// Of a chain, or of a file of CAs.
constexpr std::size_t kCertificatesMax = 1000;
// Of a client: targets whose sessions are kept.
constexpr std::size_t kTargetsMax = 64;

template <class T, void (*Free)(T*)>
struct Deleter {
  void operator()(T* one) const { Free(one); }
};
using Certificate = std::unique_ptr<X509, Deleter<X509, &X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY, &EVP_PKEY_free>>;
using Input = std::unique_ptr<BIO, Deleter<BIO, &BIO_free_all>>;

Input input_of(std::string const& text) { return Input{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))}; }

// There is no prompt for a passphrase: a daemon has no terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Status no_memory() { return {Code::unavailable, "TLS: " + take_error_words("out of memory")}; }

// All certificates of the file, at least one.
Status each_certificate(NamedFile const& file, std::string const& text,
                        std::function<Status(Certificate, std::size_t)> const& take) {
  Input const input = input_of(text);
  if (input == nullptr) return no_memory();
  for (std::size_t count = 0;; ++count) {
    ERR_clear_error();
    Certificate one{PEM_read_bio_X509_AUX(input.get(), nullptr, &no_passphrase, nullptr)};
    if (one == nullptr) {
      bool const at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      if (at_end && count > 0) {
        ERR_clear_error();
        return {};
      }
      ERR_clear_error();
      return file_problem(file, at_end
                                    ? "holds no certificate, expected one in PEM format (-----BEGIN CERTIFICATE-----)"
                                    : "holds a damaged certificate, expected PEM format");
    }
    if (count == kCertificatesMax)
      return file_problem(file, fmt::format("holds more than {} certificates", kCertificatesMax));
    if (Status status = take(std::move(one), count); !status.ok()) return status;
  }
}

std::string validity_of(X509 const* certificate) {
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0)
    return "the certificate expired on " + end_of_validity(certificate) + ": renew it";
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
    return "the certificate is not valid yet: is this computer's clock right?";
  return {};
}

// Seconds since 1970.
std::int64_t end_date(X509 const* certificate) {
  tm end{};
  return ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1 ? ::timegm(&end) : 0;
}

// What a server says about its own certificates.
struct Validity {
  std::string odd;
  std::int64_t until_s{INT64_MAX};  // the first end of one

  void take(X509 const* certificate) { until_s = std::min(until_s, end_date(certificate)); }
};

Status use_certificate(SSL_CTX* context, NamedFile const& file, std::string const& text, Validity* validity) {
  return each_certificate(file, text, [&](Certificate one, std::size_t index) -> Status {
    if (validity != nullptr) validity->take(one.get());
    if (index == 0) {
      if (validity != nullptr) validity->odd = validity_of(one.get());
      if (SSL_CTX_use_certificate(context, one.get()) != 1)
        return file_problem(file, "the certificate cannot be used: " + take_error_words("unknown reason"));
    } else if (SSL_CTX_add1_chain_cert(context, one.get()) != 1) {
      return file_problem(file, "its chain cannot be used: " + take_error_words("unknown reason"));
    }
    return {};
  });
}

Status use_key(SSL_CTX* context, NamedFile const& certificate, NamedFile const& file, std::string const& text) {
  Input const input = input_of(text);
  if (input == nullptr) return no_memory();
  Key const key{PEM_read_bio_PrivateKey(input.get(), nullptr, &no_passphrase, nullptr)};
  if (key == nullptr) {
    ERR_clear_error();
    return file_problem(file, "holds no private key that can be read, expected one in PEM format without a passphrase");
  }
  // Compared here: it is the only reason that a person meets.
  if (X509 const* const own = SSL_CTX_get0_certificate(context);
      own != nullptr && EVP_PKEY_eq(X509_get0_pubkey(own), key.get()) != 1) {
    ERR_clear_error();
    return file_problem(file, "this key does not belong to the certificate " + certificate.path);
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    return file_problem(file, "the key cannot be used: " + take_error_words("unknown reason"));
  return {};
}

// `validity`: of a server, which tells its clients these authorities.
Status trust(SSL_CTX* context, NamedFile const& file, std::string const& text, Validity* validity) {
  return each_certificate(file, text, [&](Certificate one, std::size_t) -> Status {
    if (validity != nullptr) validity->take(one.get());
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one.get()) != 1 ||
        (validity != nullptr && SSL_CTX_add_client_CA(context, one.get()) != 1))
      return file_problem(file, "its certificates cannot be used: " + take_error_words("unknown reason"));
    return {};
  });
}

ContextPtr new_context(SSL_METHOD const* method) {
  ContextPtr context{SSL_CTX_new(method)};
  if (context == nullptr) return context;
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Partial writes: the kernel may take a part. Moving: a caller's buffer may grow until the next try.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // stream.h says why.
  SSL_CTX_clear_mode(context.get(), SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_timeout(context.get(), kSessionSeconds);
  if (SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context.get(), 0) != 1 || SSL_CTX_set_cipher_list(context.get(), kCiphers12) != 1)
    context.reset();
  return context;
}

// Each name with its length before it (RFC 7301, 3.1).
std::string wire_form(std::vector<std::string> const& protocols) {
  std::string out;
  for (std::string const& one : protocols) out.append(1, static_cast<char>(one.size())).append(one);
  return out;
}

int choose_protocol(SSL*, unsigned char const** out, unsigned char* out_size, unsigned char const* offered,
                    unsigned int offered_size, void* argument) {
  auto const& ours = *static_cast<std::string const*>(argument);
  unsigned char* chosen = nullptr;
  int const found = SSL_select_next_proto(&chosen, out_size, reinterpret_cast<unsigned char const*>(ours.data()),
                                          static_cast<unsigned int>(ours.size()), offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A certificate that is good in itself, but whose name cannot be a user's, is refused with an alert.
int check_client(int good, X509_STORE_CTX* chain) {
  if (good != 1 || X509_STORE_CTX_get_error_depth(chain) != 0) return good;
  if (user_name_of(X509_STORE_CTX_get_current_cert(chain)).ok()) return 1;
  X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

int keep_new_session(SSL* ssl, SSL_SESSION* session) {
  auto const& stream = *static_cast<Stream const*>(SSL_get_app_data(ssl));
  static_cast<ClientContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)))->keep_session(stream.target(), session);
  return 1;  // it is ours now
}

}  // namespace

void ContextDeleter::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<ServerMaterial> ServerMaterial::read(ServerFiles const& files) {
  ServerMaterial out;
  out.files = files;
  Result<std::string> certificate = read_file(files.certificate);
  if (!certificate.ok()) return certificate.status();
  Result<std::string> key = read_key_file(files.key);
  if (!key.ok()) return key.status();
  out.certificate = std::move(certificate).value();
  out.key = std::move(key).value();
  if (files.client_certificates == ClientCertificates::none) return out;
  Result<std::string> client_ca = read_file(files.client_ca);
  if (!client_ca.ok()) return client_ca.status();
  out.client_ca = std::move(client_ca).value();
  return out;
}

Result<std::shared_ptr<ServerContext const>> ServerContext::make(ServerMaterial const& material,
                                                                 std::vector<std::string> const& protocols) {
  std::shared_ptr<ServerContext> out{new ServerContext};
  out->context_ = new_context(TLS_server_method());
  SSL_CTX* const context = out->context_.get();
  if (context == nullptr) return no_memory();
  ServerFiles const& files = material.files;
  Validity validity;
  if (Status status = use_certificate(context, files.certificate, material.certificate, &validity); !status.ok())
    return status;
  if (Status status = use_key(context, files.certificate, files.key, material.key); !status.ok()) return status;
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // Clients send tokens: OpenSSL overwrites what it has decrypted and handed over.
  SSL_CTX_set_options(context, SSL_OP_CLEANSE_PLAINTEXT);
  SSL_CTX_sess_set_cache_size(context, kSessionsKept);
  // Without it a session with a client's certificate cannot be resumed.
  if (SSL_CTX_set_session_id_context(context, kSessionContext, sizeof kSessionContext - 1) != 1) return no_memory();
  if (files.client_certificates != ClientCertificates::none) {
    if (Status status = trust(context, files.client_ca, material.client_ca, &validity); !status.ok()) return status;
    bool const required = files.client_certificates == ClientCertificates::required;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), &check_client);
  }
  out->odd_validity_ = std::move(validity.odd);
  out->valid_until_s_ = validity.until_s;
  out->protocols_ = wire_form(protocols);
  if (!out->protocols_.empty()) SSL_CTX_set_alpn_select_cb(context, &choose_protocol, &out->protocols_);
  return std::shared_ptr<ServerContext const>{std::move(out)};
}

Result<std::shared_ptr<ClientContext>> ClientContext::make(ClientFiles const& files, std::string host,
                                                           std::string_view protocol) {
  std::shared_ptr<ClientContext> out{new ClientContext};
  out->target_ = {std::move(host), std::string{protocol}};
  out->context_ = new_context(TLS_client_method());
  SSL_CTX* const context = out->context_.get();
  if (context == nullptr) return no_memory();
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (files.ca.path.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) return no_memory();
  } else {
    Result<std::string> const ca = read_file(files.ca);
    if (!ca.ok()) return ca.status();
    if (Status status = trust(context, files.ca, ca.value(), nullptr); !status.ok()) return status;
  }
  if (files.certificate.path.empty() != files.key.path.empty()) {
    NamedFile const& given = files.key.path.empty() ? files.certificate : files.key;
    return file_problem(given, "a certificate and its key belong together, expected " +
                                   (files.key.path.empty() ? files.key.source : files.certificate.source) +
                                   " beside it");
  }
  if (!files.certificate.path.empty()) {
    Result<std::string> const certificate = read_file(files.certificate);
    if (!certificate.ok()) return certificate.status();
    Result<std::string> const key = read_key_file(files.key);
    if (!key.ok()) return key.status();
    if (Status status = use_certificate(context, files.certificate, certificate.value(), nullptr); !status.ok())
      return status;
    if (Status status = use_key(context, files.certificate, files.key, key.value()); !status.ok()) return status;
  }
  SSL_CTX_set_app_data(context, out.get());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, &keep_new_session);
  return out;
}

void ClientContext::SessionDeleter::operator()(ssl_session_st* session) const { SSL_SESSION_free(session); }

ClientContext::~ClientContext() = default;

ssl_session_st* ClientContext::take_session(Target const& target) {
  auto const found = sessions_.find(target);
  return found == sessions_.end() ? nullptr : found->second.release();
}

void ClientContext::keep_session(Target const& target, ssl_session_st* session) {
  if (sessions_.size() >= kTargetsMax && !sessions_.contains(target)) sessions_.clear();
  sessions_[target].reset(session);
}

}  // namespace fastjournal::tls
