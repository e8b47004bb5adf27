#include "tests/support/tls_client.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace fastjournal::test {
namespace {

void tls_check(bool good, char const* what) {
  if (!good) throw std::runtime_error(std::string{"TLS client of a test: "} + what);
}

X509* certificate_of(std::string const& text) {
  BIO* const input = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  X509* const one = PEM_read_bio_X509(input, nullptr, nullptr, nullptr);
  BIO_free(input);
  tls_check(one != nullptr, "certificate");
  return one;
}

std::string error_words() {
  unsigned long const code = ERR_get_error();
  char const* const words = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  std::string out = words == nullptr ? "ended" : words;
  // What stands before it depends on OpenSSL's version: "sslv3 alert ...", "ssl/tls alert ...".
  return out.find("alert ") == std::string::npos ? out : out.substr(out.find("alert "));
}

}  // namespace

TlsClient::TlsClient(std::string const& address, TlsClientOptions options)
    : line_(address),
      options_(std::move(options)),
      context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free),
      ssl_(nullptr, &SSL_free) {
  SSL_CTX* const context = context_.get();
  // For versions that are refused by default.
  tls_check(SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0") == 1, "ciphers");
  tls_check(SSL_CTX_set_min_proto_version(context, options_.version_min) == 1, "version");
  tls_check(SSL_CTX_set_max_proto_version(context, options_.version_max) == 1, "version");
  if (!options_.tickets) SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  if (!options_.ca.empty()) {
    X509* const ca = certificate_of(options_.ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
    X509_free(ca);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }
  if (!options_.certificate.certificate.empty()) {
    X509* const own = certificate_of(options_.certificate.certificate);
    BIO* const input =
        BIO_new_mem_buf(options_.certificate.key.data(), static_cast<int>(options_.certificate.key.size()));
    EVP_PKEY* const key = PEM_read_bio_PrivateKey(input, nullptr, nullptr, nullptr);
    tls_check(SSL_CTX_use_certificate(context, own) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1, "key");
    BIO_free(input);
    EVP_PKEY_free(key);
    X509_free(own);
  }
  if (!options_.protocols.empty())
    SSL_CTX_set_alpn_protos(context, reinterpret_cast<unsigned char const*>(options_.protocols.data()),
                            static_cast<unsigned int>(options_.protocols.size()));
  ssl_.reset(SSL_new(context));
  BIO* const in = BIO_new(BIO_s_mem());
  BIO_set_mem_eof_return(in, -1);
  SSL_set_bio(ssl_.get(), in, BIO_new(BIO_s_mem()));
  if (options_.session != nullptr) SSL_set_session(ssl_.get(), options_.session);
  SSL_set_connect_state(ssl_.get());
}

TlsClient::~TlsClient() = default;

// What OpenSSL wants to send.
bool TlsClient::push() {
  char* bytes = nullptr;
  BIO* const out = SSL_get_wbio(ssl_.get());
  auto const size = static_cast<std::size_t>(BIO_get_mem_data(out, &bytes));
  std::string const all{bytes, size};
  static_cast<void>(BIO_reset(out));
  std::size_t const piece = options_.piece_bytes == 0 ? std::max<std::size_t>(size, 1) : options_.piece_bytes;
  for (std::size_t at = 0; at < size; at += piece)
    if (!line_.send(std::string_view{all}.substr(at, piece))) return false;
  return true;
}

bool TlsClient::wait_for_bytes() {
  pollfd socket{line_.fd(), POLLIN, 0};
  return ::poll(&socket, 1, static_cast<int>(kPatience.count())) == 1;
}

// What has arrived, at least one byte, or its end. False: nothing came in time.
bool TlsClient::pull() {
  char part[64U << 10U];
  if (!wait_for_bytes()) return false;
  ssize_t const got = ::recv(line_.fd(), part, sizeof part, MSG_DONTWAIT);
  if (got > 0) BIO_write(SSL_get_rbio(ssl_.get()), part, static_cast<int>(got));
  return got > 0;
}

bool TlsClient::handshake() {
  while (true) {
    ERR_clear_error();
    int const result = SSL_do_handshake(ssl_.get());
    int const kind = SSL_get_error(ssl_.get(), result);
    if (kind == SSL_ERROR_SSL) error_ = error_words();
    bool const sent = push();
    if (result == 1) return sent;
    if (kind != SSL_ERROR_WANT_READ) return false;
    if (pull()) continue;
    error_ = "ended";
    return false;
  }
}

void TlsClient::greet() {
  SSL_do_handshake(ssl_.get());
  push();
}

std::string TlsClient::greeting() {
  SSL_do_handshake(ssl_.get());
  char* bytes = nullptr;
  auto const size = static_cast<std::size_t>(BIO_get_mem_data(SSL_get_wbio(ssl_.get()), &bytes));
  return {bytes, size};
}

bool TlsClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    std::string_view const part = bytes.substr(0, 1U << 20U);
    if (SSL_write(ssl_.get(), part.data(), static_cast<int>(part.size())) != static_cast<int>(part.size()) || !push())
      return false;
    bytes.remove_prefix(part.size());
  }
  return true;
}

bool TlsClient::send_in_records(std::string_view bytes, std::size_t record_bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(record_bytes, bytes.size()))) {
    std::size_t const part = std::min(record_bytes, bytes.size());
    if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(part)) != static_cast<int>(part)) return false;
  }
  return push();
}

bool TlsClient::shake_again() {
  if (SSL_renegotiate(ssl_.get()) != 1) return false;
  return handshake();
}

bool TlsClient::ask_new_keys() {
  if (SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED) != 1) return false;
  return SSL_do_handshake(ssl_.get()) == 1 && push();
}

bool TlsClient::fill() {
  char part[64U << 10U];
  while (!ended_) {
    ERR_clear_error();
    int const got = SSL_read(ssl_.get(), part, sizeof part);
    if (got > 0) {
      received_.append(part, static_cast<std::size_t>(got));
      return true;
    }
    int const kind = SSL_get_error(ssl_.get(), got);
    ended_ = kind == SSL_ERROR_ZERO_RETURN;
    if (kind == SSL_ERROR_SSL) error_ = error_words();
    if (kind != SSL_ERROR_WANT_READ || !pull()) return false;
  }
  return false;
}

std::optional<std::string> TlsClient::read_line() {
  while (received_.find('\n') == std::string::npos)
    if (!fill()) return std::nullopt;
  std::size_t const end = received_.find('\n');
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

std::optional<std::string> TlsClient::read_bytes(std::size_t count) {
  while (received_.size() < count)
    if (!fill()) return std::nullopt;
  std::string out = received_.substr(0, count);
  received_.erase(0, count);
  return out;
}

std::optional<std::string> TlsClient::read_all() {
  while (fill()) continue;
  if (!ended_) return std::nullopt;
  return std::exchange(received_, {});
}

void TlsClient::end_output() {
  SSL_shutdown(ssl_.get());
  push();
}

bool TlsClient::was_resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

std::string TlsClient::protocol() const {
  unsigned char const* bytes = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &bytes, &size);
  return {reinterpret_cast<char const*>(bytes), size};
}

std::string TlsClient::version() const { return SSL_get_version(ssl_.get()); }

std::shared_ptr<ssl_session_st> TlsClient::session() const { return {SSL_get1_session(ssl_.get()), &SSL_SESSION_free}; }

}  // namespace fastjournal::test
