#include "platform/tls/stream.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "platform/tls/user_name.h"
#include "platform/tls/words.h"

namespace fastjournal::tls {
namespace {

// Several records per call of the kernel.
constexpr std::size_t kFetchBytes = 64U << 10U;
// Consecutive records without data, and answers that they demand. An honest peer sends two tickets, or a new key.
constexpr std::uint32_t kUselessMax = 32;
// Of these in one call, of a client: each costs as much as a hundred messages.
constexpr std::uint32_t kUselessPerCall = 4;

bool is_for_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

bool is_ip_address(std::string const& host) {
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

}  // namespace

// OpenSSL's own transport would raise SIGPIPE, and does not keep what the kernel said.
int Stream::transport_read(bio_st* bio, char* into, int size) {
  auto& transport = *static_cast<Transport*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (transport.pestered) return -1;
  if (transport.at == transport.end) {
    if (transport.fetched == nullptr) transport.fetched.reset(new (std::nothrow) char[kFetchBytes]);
    if (transport.fetched == nullptr) {
      transport.error = ENOMEM;
      return -1;
    }
    std::size_t const most = std::min(kFetchBytes, transport.may_fetch);
    ssize_t const got = most == 0 ? -1 : ::recv(transport.fd, transport.fetched.get(), most, MSG_DONTWAIT);
    if (got <= 0) {
      transport.starved = true;
      if (got == 0)
        transport.ended = true;
      else if (most == 0 || is_for_later(errno))
        BIO_set_retry_read(bio);
      else
        transport.error = errno;
      return got == 0 ? 0 : -1;
    }
    transport.at = 0;
    transport.end = static_cast<std::size_t>(got);
    transport.may_fetch -= transport.end;
  }
  std::size_t const part = std::min(static_cast<std::size_t>(size), transport.end - transport.at);
  std::memcpy(into, transport.fetched.get() + transport.at, part);
  transport.at += part;
  return static_cast<int>(part);
}

int Stream::transport_write(bio_st* bio, char const* from, int size) {
  auto& transport = *static_cast<Transport*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  // While reading, only answers to what has no data are written: alerts, keys.
  if (transport.reading && ++transport.useless > kUselessMax) transport.pestered = true;
  if (transport.pestered) return -1;
  ssize_t const sent = ::send(transport.fd, from, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<int>(sent);
  if (is_for_later(errno) || errno == ENOBUFS || errno == ENOMEM)
    BIO_set_retry_write(bio);
  else
    transport.error = errno;
  return -1;
}

long Stream::transport_control(bio_st*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

Status Stream::open(Stream& stream, ssl_ctx_st* context, int fd) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (made == nullptr) return made;
    BIO_meth_set_read(made, &Stream::transport_read);
    BIO_meth_set_write(made, &Stream::transport_write);
    BIO_meth_set_ctrl(made, &Stream::transport_control);
    return made;
  }();
  stream.transport_.fd = fd;
  ERR_clear_error();
  stream.ssl_ = SSL_new(context);
  BIO* const bio = method == nullptr ? nullptr : BIO_new(method);
  if (stream.ssl_ == nullptr || bio == nullptr) {
    BIO_free(bio);
    return {Code::unavailable, "TLS: " + take_error_words("out of memory")};
  }
  BIO_set_data(bio, &stream.transport_);
  BIO_set_init(bio, 1);
  SSL_set_bio(stream.ssl_, bio, bio);
  return {};
}

Result<std::unique_ptr<Stream>> Stream::accept(std::shared_ptr<ServerContext const> context, int fd) {
  std::unique_ptr<Stream> out{new Stream};
  if (Status status = open(*out, context->get(), fd); !status.ok()) return status;
  out->server_ = std::move(context);
  SSL_set_accept_state(out->ssl_);
  return out;
}

Result<std::unique_ptr<Stream>> Stream::connect(std::shared_ptr<ClientContext> context, int fd) {
  Target target = context->target();
  return connect(std::move(context), fd, std::move(target));
}

Result<std::unique_ptr<Stream>> Stream::connect(std::shared_ptr<ClientContext> context, int fd, Target target) {
  std::unique_ptr<Stream> out{new Stream};
  if (Status status = open(*out, context->get(), fd); !status.ok()) return status;
  out->client_ = std::move(context);
  out->target_ = std::move(target);
  std::string const& host = out->target_.host;
  X509_VERIFY_PARAM* const verified = SSL_get0_param(out->ssl_);
  X509_VERIFY_PARAM_set_hostflags(verified, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  bool const is_address = is_ip_address(host);
  // SSL_set_tlsext_host_name is a macro with a cast of C in it.
  auto const indicate_name = [&] {
    return SSL_ctrl(out->ssl_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    const_cast<char*>(host.c_str())) == 1;
  };
  bool const good = is_address ? X509_VERIFY_PARAM_set1_ip_asc(verified, host.c_str()) == 1
                               : SSL_set1_host(out->ssl_, host.c_str()) == 1 && indicate_name();
  ERR_clear_error();
  if (!good || host.empty()) return Status{Code::bad_parameter, "'" + host + "' is no name of a computer"};
  if (std::string const& protocol = out->target_.protocol; !protocol.empty()) {
    std::string const offered = static_cast<char>(protocol.size()) + protocol;
    // Zero is success here.
    if (SSL_set_alpn_protos(out->ssl_, reinterpret_cast<unsigned char const*>(offered.data()),
                            static_cast<unsigned int>(offered.size())) != 0)
      return Status{Code::unavailable, "TLS: " + take_error_words("out of memory")};
  }
  if (SSL_SESSION* const session = out->client_->take_session(out->target_); session != nullptr) {
    SSL_set_session(out->ssl_, session);
    SSL_SESSION_free(session);
  }
  SSL_set_app_data(out->ssl_, out.get());
  SSL_set_verify(out->ssl_, SSL_VERIFY_PEER, &Stream::note_certificate);
  SSL_set_connect_state(out->ssl_);
  return out;
}

// A refused certificate is not kept, but people ask whose it was.
int Stream::note_certificate(int good, x509_store_ctx_st* chain) {
  if (good == 1) return good;
  auto const* const ssl =
      static_cast<SSL const*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  X509 const* const certificate = X509_STORE_CTX_get_current_cert(chain);
  if (certificate == nullptr) return good;
  bool const expired = X509_STORE_CTX_get_error(chain) == X509_V_ERR_CERT_HAS_EXPIRED;
  static_cast<Stream*>(SSL_get_app_data(ssl))->refused_ =
      expired ? end_of_validity(certificate) : names_of(certificate);
  return good;
}

Stream::~Stream() { SSL_free(ssl_); }

Stream::Progress Stream::handshake() {
  if (failed_) return Progress::failed;
  ERR_clear_error();
  begin_fetching(kFetchBytes);
  int const result = SSL_do_handshake(ssl_);
  end_fetching();
  shaken_ = result == 1;
  Progress const reached = progress(result);
  failed_ = reached == Progress::failed || reached == Progress::closed;
  return failed_ ? Progress::failed : reached;
}

void Stream::begin_fetching(std::size_t bytes_max) { transport_.may_fetch = bytes_max; }

void Stream::end_fetching() {
  transport_.may_fetch = 0;
  if (transport_.at == transport_.end) transport_.fetched.reset();
}

Stream::Progress Stream::read(std::span<char> into, std::size_t& got) {
  got = 0;
  if (ended_) return Progress::closed;
  if (failed_) return Progress::failed;
  begin_fetching(std::max(into.size(), kFetchBytes));
  transport_.reading = true;
  Progress reached = Progress::done;
  std::uint32_t useless = 0;
  while (got < into.size()) {
    std::size_t part = 0;
    ERR_clear_error();
    transport_.starved = false;
    reached = progress(SSL_read_ex(ssl_, into.data() + got, into.size() - got, &part));
    got += part;
    if (reached == Progress::done) {
      transport_.useless = 0;
    } else if (reached == Progress::want_read && !transport_.starved) {
      // A record without data.
      reached = Progress::done;
      if (++transport_.useless > kUselessMax) transport_.pestered = true;
      if (++useless >= kUselessPerCall && server_ != nullptr) break;
    } else {
      break;
    }
    if (!has_unread()) break;
  }
  transport_.reading = false;
  end_fetching();
  ended_ = reached == Progress::closed;
  failed_ = reached == Progress::failed;
  return reached;
}

Stream::Progress Stream::write(std::string_view bytes, std::size_t& taken) {
  taken = 0;
  while (taken < bytes.size()) {
    std::size_t part = 0;
    ERR_clear_error();
    int const result = SSL_write_ex(ssl_, bytes.data() + taken, bytes.size() - taken, &part);
    if (Progress const reached = progress(result); reached != Progress::done) return reached;
    taken += part;
  }
  return Progress::done;
}

Stream::Progress Stream::end_output() {
  if (output_ended_) return Progress::done;
  if (failed_) return Progress::failed;
  ERR_clear_error();
  // 0: told, and the peer has not said the same so far. Another call would wait for that.
  int const result = SSL_shutdown(ssl_);
  output_ended_ = result >= 0;
  return output_ended_ ? Progress::done : progress(result);
}

void Stream::tell_end() {
  if (!shaken_ || failed_ || output_ended_ || transport_.error != 0) return;
  ERR_clear_error();
  static_cast<void>(SSL_shutdown(ssl_));
  ERR_clear_error();
}

bool Stream::has_unread() const {
  return !ended_ && !failed_ && (transport_.at != transport_.end || SSL_has_pending(ssl_) != 0);
}

Stream::Progress Stream::progress(int result) {
  if (result > 0) return Progress::done;
  switch (int const kind = SSL_get_error(ssl_, result); kind) {
    case SSL_ERROR_WANT_READ: return Progress::want_read;
    case SSL_ERROR_WANT_WRITE: return Progress::want_write;
    case SSL_ERROR_ZERO_RETURN: return Progress::closed;
    default: fail(kind); return Progress::failed;
  }
}

void Stream::fail(int kind) {
  code_ = ERR_peek_error();
  cut_ = false;
  if (transport_.pestered) {
    reason_ = "the peer sends records without data, one after the other";
  } else if (was_refused()) {
    // Told before the socket failed, for something that was sent meanwhile.
    reason_ = take_error_words("refused");
  } else if (transport_.error != 0) {
    char const* const words = ::strerrordesc_np(transport_.error);
    reason_ = words == nullptr ? "unknown error" : words;
  } else if (transport_.ended) {
    cut_ = true;
    reason_ = shaken_ ? "the connection was cut without the end that TLS has: what was sent last may be missing"
                      : "the connection ended during the TLS handshake";
  } else if (long const verified = SSL_get_verify_result(ssl_); !shaken_ && verified != X509_V_OK) {
    reason_ = verified == X509_V_ERR_APPLICATION_VERIFICATION
                  ? "the certificate's common name is no name of a user"
                  : std::string{"the certificate is refused: "} + X509_verify_cert_error_string(verified);
  } else {
    reason_ = take_error_words(kind == SSL_ERROR_SYSCALL ? "the connection failed" : "TLS failed");
  }
  ERR_clear_error();
}

// OpenSSL numbers the alerts of the other side so.
bool Stream::was_refused() const {
  return ERR_GET_LIB(code_) == ERR_LIB_SSL && ERR_GET_REASON(code_) >= SSL_AD_REASON_OFFSET;
}

std::string_view Stream::protocol() const {
  unsigned char const* text = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_, &text, &size);
  return {reinterpret_cast<char const*>(text), size};
}

bool Stream::was_resumed() const { return SSL_session_reused(ssl_) == 1; }

Result<std::string> Stream::user() const {
  X509 const* const certificate = SSL_get0_peer_certificate(ssl_);
  if (certificate == nullptr) return std::string{};
  if (SSL_get_verify_result(ssl_) != X509_V_OK)
    return Status{Code::not_allowed, "the client's certificate is not verified"};
  // A resumed session does not verify it again.
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0)
    return Status{Code::not_allowed, "the client's certificate expired on " + end_of_validity(certificate)};
  return user_name_of(certificate);
}

}  // namespace fastjournal::tls
