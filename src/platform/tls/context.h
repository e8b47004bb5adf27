// Common to the connections of one listener, or of one client: certificate, key, the CA that the other side's
// certificate must come from, the protocols to choose from (ALPN), and sessions to resume. TLS 1.2 and 1.3, by OpenSSL;
// this folder is the only door to it. A context never changes: a reload makes another one, and connections keep theirs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"
#include "platform/tls/files.h"

struct ssl_ctx_st;
struct ssl_session_st;

namespace fastjournal::tls {

// The names of what is spoken, in ALPN.
inline constexpr std::string_view kMessagesProtocol = "fastjournal";
inline constexpr std::string_view kHttpProtocol = "http/1.1";
// The most bytes of a user's name in a certificate.
inline constexpr std::size_t kUserBytesMax = 64;

struct ContextDeleter {
  void operator()(ssl_ctx_st* context) const;
};
using ContextPtr = std::unique_ptr<ssl_ctx_st, ContextDeleter>;

// Whether clients show a certificate: `accepted`, they may, and a wrong one is refused.
enum class ClientCertificates : std::uint8_t { none, accepted, required };

struct ServerFiles {
  NamedFile certificate;  // PEM: the server's, then those between it and its CA
  NamedFile key;
  NamedFile client_ca;  // of clients' certificates; an empty path unless client_certificates wants them
  ClientCertificates client_certificates{ClientCertificates::none};
};

// The contents of the files.
struct ServerMaterial {
  [[nodiscard]] static Result<ServerMaterial> read(ServerFiles const& files);

  ServerFiles files;
  std::string certificate;
  std::string key;
  std::string client_ca;

  [[nodiscard]] bool same_as(ServerMaterial const& other) const {
    return certificate == other.certificate && key == other.key && client_ca == other.client_ca;
  }
};

class ServerContext {
 public:
  // `protocols`: offered by ALPN, the first one that the client has is taken; a client that offers others only is
  // refused. bad_configuration, with source and file: what is wrong with the material.
  [[nodiscard]] static Result<std::shared_ptr<ServerContext const>> make(ServerMaterial const& material,
                                                                         std::vector<std::string> const& protocols);

  // Empty while the certificate is valid; else what to tell the administrator.
  [[nodiscard]] std::string const& odd_validity() const { return odd_validity_; }
  // When the first one of its certificates ends, in seconds since 1970: the server's, those between it and its CA, and
  // the CAs of clients.
  [[nodiscard]] std::int64_t valid_until_s() const { return valid_until_s_; }
  [[nodiscard]] ssl_ctx_st* get() const { return context_.get(); }

 private:
  ServerContext() = default;

  ContextPtr context_;
  std::string protocols_;  // in the form of the wire
  std::string odd_validity_;
  std::int64_t valid_until_s_{0};
};

// Of a client; an empty path: none. Without a CA the system's are trusted.
struct ClientFiles {
  NamedFile ca;
  NamedFile certificate;
  NamedFile key;
};

// Whom a client wants to reach, and for what.
struct Target {
  std::string host{};      // the name or address that the server's certificate must be for
  std::string protocol{};  // offered by ALPN; empty: none is
  auto operator<=>(Target const&) const = default;
};

// On the thread of its connections.
class ClientContext {
 public:
  // `host`, `protocol`: the target of connections that name none. A client of several servers leaves both empty, and
  // each of its connections names its own.
  [[nodiscard]] static Result<std::shared_ptr<ClientContext>> make(ClientFiles const& files, std::string host,
                                                                   std::string_view protocol);
  ~ClientContext();
  ClientContext(ClientContext const&) = delete;
  ClientContext& operator=(ClientContext const&) = delete;

  [[nodiscard]] ssl_ctx_st* get() const { return context_.get(); }
  [[nodiscard]] Target const& target() const { return target_; }
  // The last session that this target offered to resume, owned by the caller; null if there is none. Each is used once.
  // Never one of another target: a session that is resumed shows no certificate.
  [[nodiscard]] ssl_session_st* take_session(Target const& target);
  void keep_session(Target const& target, ssl_session_st* session);

 private:
  struct SessionDeleter {
    void operator()(ssl_session_st* session) const;
  };

  ClientContext() = default;

  ContextPtr context_;
  Target target_;
  std::map<Target, std::unique_ptr<ssl_session_st, SessionDeleter>> sessions_;
};

}  // namespace fastjournal::tls
