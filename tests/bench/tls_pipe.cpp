#include "tests/bench/tls_pipe.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <stdexcept>

namespace fastjournal::bench {

TlsPipe::TlsPipe(test::LineClient& client) : context_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(context_)) {
  SSL_set_bio(ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  BIO_set_mem_eof_return(SSL_get_rbio(ssl_), -1);
  SSL_set_connect_state(ssl_);
  while (true) {
    int const result = SSL_do_handshake(ssl_);
    std::string wire;
    take(wire);
    if (!client.send(wire)) break;
    if (result == 1) return;
    pollfd wait{client.fd(), POLLIN, 0};
    char part[16U << 10U];
    if (SSL_get_error(ssl_, result) != SSL_ERROR_WANT_READ ||
        ::poll(&wait, 1, static_cast<int>(test::kPatience.count())) != 1)
      break;
    ssize_t const got = ::recv(client.fd(), part, sizeof part, MSG_DONTWAIT);
    if (got <= 0) break;
    BIO_write(SSL_get_rbio(ssl_), part, static_cast<int>(got));
  }
  throw std::runtime_error("the TLS handshake of the driver failed");
}

TlsPipe::~TlsPipe() {
  SSL_free(ssl_);
  SSL_CTX_free(context_);
}

void TlsPipe::take(std::string& wire) {
  BIO* const out = SSL_get_wbio(ssl_);
  char* bytes = nullptr;
  auto const size = static_cast<std::size_t>(BIO_get_mem_data(out, &bytes));
  wire.append(bytes, size);
  static_cast<void>(BIO_reset(out));
}

void TlsPipe::seal(std::string& plain, std::string& wire) {
  if (plain.empty()) return;
  if (SSL_write(ssl_, plain.data(), static_cast<int>(plain.size())) != static_cast<int>(plain.size()))
    throw std::runtime_error("TLS of the driver failed");
  plain.clear();
  take(wire);
}

bool TlsPipe::open(std::string_view received, std::string& plain) {
  BIO_write(SSL_get_rbio(ssl_), received.data(), static_cast<int>(received.size()));
  char part[16U << 10U];
  while (true) {
    int const got = SSL_read(ssl_, part, sizeof part);
    if (got <= 0) return SSL_get_error(ssl_, got) == SSL_ERROR_WANT_READ;
    plain.append(part, static_cast<std::size_t>(got));
  }
}

}  // namespace fastjournal::bench
