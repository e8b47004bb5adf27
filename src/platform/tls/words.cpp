#include "platform/tls/words.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <fmt/format.h>

#include "platform/tls/stream.h"

namespace fastjournal::tls {
namespace {

constexpr std::size_t kNamesShownMax = 8;

std::string text_of(ASN1_STRING const* value) {
  auto const* const bytes = reinterpret_cast<char const*>(ASN1_STRING_get0_data(value));
  std::string out{bytes, static_cast<std::size_t>(ASN1_STRING_length(value))};
  // It comes from the network, and goes to a terminal.
  for (char& c : out)
    if (c <= ' ' || c > '~') c = '?';
  return out.substr(0, 64);
}

std::string address_of(ASN1_OCTET_STRING const* value) {
  unsigned char const* const bytes = ASN1_STRING_get0_data(value);
  if (ASN1_STRING_length(value) == 4) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  std::string out;
  for (int i = 0; i + 1 < ASN1_STRING_length(value); i += 2)
    out.append(out.empty() ? "" : ":").append(fmt::format("{:x}", bytes[i] << 8 | bytes[i + 1]));
  return out;
}

// What happened, and what users of our own programs do about it.
struct Words {
  std::string what{};
  std::string advice{};
};

Words about_certificate(long verified, std::string const& noted, std::string const& host) {
  switch (verified) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return {"its certificate expired on " + noted +
              ": it has to be renewed there, or this computer's clock is wrong"};
    case X509_V_ERR_CERT_NOT_YET_VALID: return {"its certificate is not valid yet: is this computer's clock right?"};
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return {fmt::format("its certificate is for {}, not for {}", noted, host), "connect by a name that it is for"};
    default:
      return {fmt::format("its certificate is not trusted ({})", X509_verify_cert_error_string(verified)),
              "give the certificate of the authority that has signed it with --ca FILE (FASTJOURNAL_CA, or "
              "Options::ca_file)"};
  }
}

// What the server told by an alert; empty: another error.
Words about_alert(int reason, bool has_certificate) {
  // Servers in Go say so of a certificate that is missing.
  if (reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE && !has_certificate) reason = SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED;
  switch (reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return {"it accepts only clients with a certificate",
              "give yours with --certificate FILE and --key FILE (FASTJOURNAL_CERTIFICATE, FASTJOURNAL_KEY)"};
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return {"it does not trust this client's certificate", "use one that is signed by the daemon's client-ca"};
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: return {"this client's certificate has expired: renew it"};
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return {"it refuses this client's certificate",
              "expected one for clients whose common name is a user's name, 1 to 64 characters out of A-Z a-z 0-9 _ . "
              "@ -"};
    case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
      return {"what this client speaks is not spoken at this address", "another listener of the daemon is for it"};
    default: return {};
  }
}

}  // namespace

std::string take_error_words(std::string_view otherwise) {
  unsigned long const code = ERR_peek_error();
  char const* const words = code == 0 ? nullptr : ERR_reason_error_string(code);
  std::string out{words == nullptr ? otherwise : std::string_view{words}};
  ERR_clear_error();
  return out;
}

std::string end_of_validity(x509_st const* certificate) {
  BIO* const output = BIO_new(BIO_s_mem());
  if (output == nullptr) return "an unknown date";
  ASN1_TIME_print(output, X509_get0_notAfter(certificate));
  char* bytes = nullptr;
  long const size = BIO_get_mem_data(output, &bytes);
  std::string out{bytes, static_cast<std::size_t>(size)};
  BIO_free(output);
  return out;
}

std::string names_of(x509_st const* certificate) {
  auto* const names =
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  std::string out;
  int const count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names);
  std::size_t shown = 0;
  for (int i = 0; i < count && shown < kNamesShownMax; ++i) {
    GENERAL_NAME const* const one = sk_GENERAL_NAME_value(names, i);
    std::string name;
    if (one->type == GEN_DNS) name = text_of(one->d.dNSName);
    if (one->type == GEN_IPADD) name = address_of(one->d.iPAddress);
    if (name.empty()) continue;
    out.append(out.empty() ? "" : ", ").append(name);
    ++shown;
  }
  GENERAL_NAMES_free(names);
  return out.empty() ? "no name at all" : out;
}

// A friend of streams: the answer to both questions of this file about one.
class Explainer {
 public:
  struct Answer {
    Code code{};
    std::string_view fact;  // for programs: what was wrong
    Words words;
  };

  static Answer about(Stream const& stream) {
    int const reason = ERR_GET_REASON(stream.code_);
    Code const code = stream.shaken_ ? Code::closed : Code::unavailable;
    if (stream.was_refused())
      if (Words words = about_alert(reason, SSL_get_certificate(stream.ssl_) != nullptr); !words.what.empty())
        return {Code::not_allowed, "refused", std::move(words)};
    if (stream.socket_error() != 0) return {code, "ended", {stream.reason()}};
    if (stream.was_cut() && stream.shaken_) return {code, "ended", {"it ended the connection, maybe within an answer"}};
    if (stream.was_cut())
      return {code,
              "ended",
              {"it ended the connection during the TLS handshake: it is overloaded, or speaks no TLS at this address"}};
    if (long const verified = SSL_get_verify_result(stream.ssl_); !stream.shaken_ && verified != X509_V_OK)
      return {code, "certificate", about_certificate(verified, stream.refused_, stream.target().host)};
    if (!stream.shaken_ && (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
                            reason == SSL_R_PACKET_LENGTH_TOO_LONG))
      return {code,
              "plain",
              {"it does not speak TLS", "leave \"tls:\" out, or use the address of a listener with tls=\"true\""}};
    return {code, "failed", {"TLS failed: " + stream.reason()}};
  }
};

Status explain_to_client(Stream const& stream) {
  Explainer::Answer const found = Explainer::about(stream);
  std::string words = found.words.what;
  if (!found.words.advice.empty()) words.append(": ").append(found.words.advice);
  return Status{found.code, std::move(words)}.with("tls", std::string{found.fact});
}

std::string explain_plainly(Stream const& stream) { return Explainer::about(stream).words.what; }

}  // namespace fastjournal::tls
