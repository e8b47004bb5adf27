// The certificates of the listeners with TLS, and those for etcd, as the configuration names them: read at the start, and
// again on RELOAD. Apart from the daemon so that a reload is all or nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/daemon_declaration.h"
#include "fastjournal/status.h"
#include "platform/reactor/reactor.h"
#include "platform/tls/context.h"

namespace fastjournal::daemon {

class Certificates {
 public:
  // Not ok: what is wrong with the files.
  [[nodiscard]] Status read(config::TlsDeclaration const& declared);
  // Empty, or what the administrator should know about the certificate in use.
  [[nodiscard]] std::string warning() const;
  // When the first certificate in use ends, in seconds since 1970; 0: no TLS.
  [[nodiscard]] std::int64_t valid_until_s() const { return valid_until_s_; }
  // For a listener of this number, whose protocol has this name in ALPN; after read.
  [[nodiscard]] Result<std::shared_ptr<tls::ServerContext const>> context(std::uint32_t listener,
                                                                          std::string const& protocol);

  // Reads the files again, for use(). Returns one sentence for each change.
  [[nodiscard]] Result<std::vector<std::string>> read_again();
  void use(reactor::Reactor& reactor);

 private:
  using Contexts = std::map<std::uint32_t, std::shared_ptr<tls::ServerContext const>>;

  std::optional<tls::ServerMaterial> material_;  // empty: no TLS
  std::int64_t valid_until_s_{0};
  std::map<std::uint32_t, std::string> protocols_;  // by listener
  std::optional<tls::ServerMaterial> next_;
  Contexts next_contexts_;
};

// Those for connections to etcd.
class EtcdCertificates {
 public:
  // env::ConnectOptions::certificates of these connections.
  static constexpr std::uint32_t kNumber = 1;

  // Not ok: what is wrong with the files.
  [[nodiscard]] Status read(tls::ClientFiles files);
  // As those of Certificates: what is read again is for connections from use() on.
  [[nodiscard]] Result<std::vector<std::string>> read_again();
  void use(reactor::Reactor& reactor);

 private:
  [[nodiscard]] Status read();

  std::optional<tls::ClientFiles> files_;  // empty: no TLS
  std::string contents_;                   // of the files in use
  std::string next_contents_;
  std::shared_ptr<tls::ClientContext> next_;
};

}  // namespace fastjournal::daemon
