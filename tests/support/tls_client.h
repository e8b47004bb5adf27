// A blocking TLS client for tests, by OpenSSL over a LineClient's socket. It does not use the product's TLS, so a test
// sees what a foreign client sees, and can misbehave: send byte by byte, stop in the handshake, cut the connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/certificates.h"
#include "tests/support/line_client.h"

struct ssl_ctx_st;
struct ssl_st;
struct ssl_session_st;

namespace fastjournal::test {

struct TlsClientOptions {
  std::string ca{};           // PEM; empty: any server is trusted
  Certificate certificate{};  // of the client; empty: none
  std::string protocols{};    // for ALPN, in the form of the wire: "\x08http/1.1"
  int version_min{0};         // TLS1_1_VERSION, ...; 0: any. Old ones are allowed with old ciphers.
  int version_max{0};
  std::size_t piece_bytes{0};        // of one send; 0: all at once
  ssl_session_st* session{nullptr};  // to resume
  bool tickets{true};                // of TLS 1.2; else session ids
};

class TlsClient {
 public:
  explicit TlsClient(std::string const& address, TlsClientOptions options = {});
  ~TlsClient();
  TlsClient(TlsClient const&) = delete;
  TlsClient& operator=(TlsClient const&) = delete;

  // Until it is done. False: error() says why.
  bool handshake();
  // Only what it begins with is sent.
  void greet();
  // The same bytes, which are not sent.
  std::string greeting();
  // Something has arrived, which is not read. False: nothing came in time.
  bool wait_for_bytes();
  bool send(std::string_view bytes);
  // The same, with at most so many bytes in a record.
  bool send_in_records(std::string_view bytes, std::size_t record_bytes);
  // Asks for another handshake (TLS 1.2 only) and waits for what comes of it. True: there was one. Otherwise the
  // connection cannot be used any more.
  bool shake_again();
  // Makes new keys, and asks the other side for new ones (TLS 1.3); nothing is read.
  bool ask_new_keys();
  std::optional<std::string> read_line();
  std::optional<std::string> read_bytes(std::size_t count);
  // Up to the end that TLS has; nothing if the connection is cut before, or fails.
  std::optional<std::string> read_all();
  // Tells the end, and goes on reading.
  void end_output();
  // The socket is closed, without the end that TLS has.
  void cut() { line_.close(); }
  LineClient& line() { return line_; }

  [[nodiscard]] std::string const& error() const { return error_; }
  [[nodiscard]] bool was_resumed() const;
  [[nodiscard]] std::string protocol() const;
  [[nodiscard]] std::string version() const;
  // To resume, owned by the caller; read an answer first, as TLS 1.3 sends tickets after the handshake.
  [[nodiscard]] std::shared_ptr<ssl_session_st> session() const;

 private:
  bool push();
  bool pull();
  bool fill();

  LineClient line_;
  TlsClientOptions options_;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  std::string error_;
  std::string received_;
  bool ended_{false};
};

}  // namespace fastjournal::test
