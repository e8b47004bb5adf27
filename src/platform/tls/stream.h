// TLS over one non-blocking socket, which the caller owns and closes. It never waits: what it cannot do now, it tells
// what for. Bytes are counted as taken only when the kernel has them.
//
// A call's work is bounded, whatever the peer sends. OpenSSL itself goes on as long as the socket has bytes: records
// without data, as new keys are, would keep it for seconds. So bytes are fetched here, a limited number for each call;
// OpenSSL gets no more than the record that it asks for, and returns after each that has no data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fastjournal/status.h"
#include "platform/tls/context.h"

struct ssl_st;
struct bio_st;
struct x509_store_ctx_st;

namespace fastjournal::tls {

// The first byte of everything that a TLS client begins with (RFC 8446, 5.1: handshake).
inline constexpr char kFirstByte = 0x16;

class Stream {
 public:
  enum class Progress : std::uint8_t {
    done,
    want_read,   // again when the socket is readable
    want_write,  // again when the socket is writable
    closed,      // the peer has said that it will send nothing more
    failed,      // reason() says why; nothing more is received
  };

  [[nodiscard]] static Result<std::unique_ptr<Stream>> accept(std::shared_ptr<ServerContext const> context, int fd);
  // To the target of the context.
  [[nodiscard]] static Result<std::unique_ptr<Stream>> connect(std::shared_ptr<ClientContext> context, int fd);
  [[nodiscard]] static Result<std::unique_ptr<Stream>> connect(std::shared_ptr<ClientContext> context, int fd,
                                                               Target target);
  ~Stream();
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;

  // First, until it is done. `closed` does not occur.
  [[nodiscard]] Progress handshake();
  // Fills `into` as far as it can; `got` is set in every case. `done`: it is full, or nothing more is buffered, or a
  // client has sent several records without data: has_unread() tells whether to read again.
  [[nodiscard]] Progress read(std::span<char> into, std::size_t& got);
  // `taken` is set in every case. After want_read or want_write the next call must begin with the bytes not taken.
  [[nodiscard]] Progress write(std::string_view bytes, std::size_t& taken);
  // Tells the peer that nothing more comes; reading goes on. Only after all bytes were taken. `done`, `want_write`: again
  // when the socket is writable, or `failed`.
  [[nodiscard]] Progress end_output();
  // The same if the socket takes it now; for a connection that ends.
  void tell_end();

  // After a read that was `done`: more can be read though the socket is not readable.
  [[nodiscard]] bool has_unread() const;
  // A read was `closed`.
  [[nodiscard]] bool has_ended() const { return ended_; }
  // Of a failure, for people.
  [[nodiscard]] std::string const& reason() const { return reason_; }
  // The peer's end, or the network's, without the word that TLS has for it: what was sent last may be missing.
  [[nodiscard]] bool was_cut() const { return cut_; }
  // Of a failure of the socket; 0: of TLS.
  [[nodiscard]] int socket_error() const { return transport_.error; }

  // The other side ended it by an alert, as it does when it refuses a certificate. With TLS 1.3 a client may be told so
  // when its own handshake is done.
  [[nodiscard]] bool was_refused() const;

  // Of a client.
  [[nodiscard]] Target const& target() const { return target_; }
  // The protocol agreed upon by ALPN; empty: none. Valid while the stream is.
  [[nodiscard]] std::string_view protocol() const;
  [[nodiscard]] bool was_resumed() const;
  // The common name of the client's verified certificate; empty: it has shown none. Not ok: no name for a user, or the
  // certificate has expired since the session began.
  [[nodiscard]] Result<std::string> user() const;

 private:
  friend class Explainer;
  struct Transport {
    int fd{-1};
    int error{0};
    bool ended{false};
    // Bytes of the socket that OpenSSL has not asked for; freed when there are none.
    std::unique_ptr<char[]> fetched;
    std::size_t at{0};
    std::size_t end{0};
    std::size_t may_fetch{0};  // in this call
    bool starved{false};       // OpenSSL asked for more than there was
    bool reading{false};
    std::uint32_t useless{0};  // records that had no data, and answers to them, since there was some
    bool pestered{false};      // there were too many
  };
  Stream() = default;
  [[nodiscard]] static Status open(Stream& stream, ssl_ctx_st* context, int fd);
  [[nodiscard]] Progress progress(int result);
  // Before and behind a call of OpenSSL that reads.
  void begin_fetching(std::size_t bytes_max);
  void end_fetching();
  void fail(int kind);

  static int note_certificate(int good, x509_store_ctx_st* chain);
  static int transport_read(bio_st* bio, char* into, int size);
  static int transport_write(bio_st* bio, char const* from, int size);
  static long transport_control(bio_st* bio, int command, long number, void* argument);

  std::shared_ptr<ServerContext const> server_;
  std::shared_ptr<ClientContext> client_;
  Target target_;
  ssl_st* ssl_{nullptr};
  Transport transport_;
  std::string reason_;
  std::string refused_;    // of a server's certificate that was refused: its names, or its end
  unsigned long code_{0};  // OpenSSL's, of a failure
  bool cut_{false};
  bool shaken_{false};
  bool ended_{false};         // the peer has said so
  bool output_ended_{false};  // we have
  bool failed_{false};
};

}  // namespace fastjournal::tls
